//! The blocks between the wire and the pipelines.

use xtq_catalogue as _;
#[path = "../leaf/beats.rs"]
mod beats;
mod loopback;
mod packet_merge;
mod receive_parser;
mod receive_splitter;
mod request_gate;
#[path = "../leaf/runs.rs"]
mod runs;
mod send;
