//! The blocks between the wire and the pipelines.

use xtq_catalogue as _;
mod loopback;
mod packet_merge;
mod receive_parser;
mod receive_splitter;
mod request_gate;
mod send;
