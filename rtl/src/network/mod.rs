//! Room `network`: what comes from the network and goes to it.

pub mod packetiser;
pub mod receive_parser;
pub mod receive_splitter;
pub mod send_arbiter;
pub mod tx_arbiter;
