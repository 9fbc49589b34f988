//! The testbench.

// The tests of the models build blocks by name.
#[cfg(test)]
use xtq_catalogue as _;

pub mod aql;
pub mod bus;
pub mod by_name;
pub mod bytes;
pub mod cases;
pub mod cluster;
pub mod compnet;
pub mod contract;
pub mod experiments;
pub mod golden;
pub mod host;
pub mod input;
pub mod matchers;
pub mod network;
pub mod node;
pub mod packet_check;
pub mod packet_processor;
mod pins;
pub use pins::pin_name;
pub mod portals;
mod saved;
pub mod scenario;
pub mod signals;
pub mod tables;
pub mod verilog_tools;
pub mod watch;
