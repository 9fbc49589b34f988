//! The leaf widgets and the small stores, each against a naive model and its contract, and accepted by the tools.

use xtq_catalogue as _;
mod arbiter;
mod beats;
mod burst_cutter;
mod byte_aligner;
mod byte_packer;
mod junction;
mod memories;
mod oracle_on_leaves;
mod outcome;
mod queues;
mod runs;
mod stores;
