//! The leaf widgets and the small stores, each against a naive model and its contract, and accepted by the tools.

use xtq_catalogue as _;
mod acks;
mod arbiter;
#[path = "../by_name/mod.rs"]
mod by_name;
mod junction;
mod memories;
mod outcome;
mod queues;
mod stores;

use by_name::Hardware;
