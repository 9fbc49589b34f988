//! Room `delivery`: the bytes of an admitted message: rewritten, held, written to memory.

pub mod body_cut;
pub mod packet_store;
pub mod payload_tracker;
pub mod payload_writer;
pub mod rewrite_engine;
