//! The blocks between the wire and the pipelines.

use xtq_catalogue as _;
mod receive_parser;
mod receive_splitter;
mod send;
mod send_arbiter;
