//! The leaf widgets and the small stores, each against a naive model and its contract, and accepted by the tools.

use xtq_catalogue as _;
mod acks;
mod arbiter;
mod byte_aligner;
mod junction;
mod memories;
mod oracle_on_leaves;
mod queues;
mod stores;
