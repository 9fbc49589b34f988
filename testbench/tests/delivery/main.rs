//! What rewrites packets and writes payload.

use xtq_catalogue as _;
mod body_cut;
mod payload_tracker;
mod payload_writer;
mod rewrite_engine;
