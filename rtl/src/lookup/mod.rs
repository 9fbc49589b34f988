//! Room `lookup`: lookup tables in host memory, with their cache.

pub mod invalidator;
pub mod lookup_address;
pub mod lookup_cache;
pub mod lookup_stage;
pub mod lookup_tags;
pub mod miss_tracker;
pub mod table_writer;
