//! Room `network`: what comes from the network and goes to it.

pub mod loopback;
pub mod packet_merge;
pub mod packetiser;
pub mod receive_parser;
pub mod receive_splitter;
pub mod request_gate;
pub mod tx_arbiter;
