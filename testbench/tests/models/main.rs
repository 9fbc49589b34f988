//! The models of the testbench without hardware, and the contract in cycles with it (`contract`).

use xtq_catalogue as _;
mod aql;
mod bus;
mod bytes;
mod compnet;
mod compute;
mod compute_node;
mod contract;
mod golden;
mod golden_failures;
#[path = "../files/json_change.rs"]
mod json_change;
mod matching;
mod mpi;
mod packet_check;
mod packet_processor;
mod portals_model;
