//! The lookup tables and their caches.

use xtq_catalogue as _;
mod entries;
mod invalidator;
mod lookup_cache;
mod lookup_stage;
mod lookup_tags;
mod miss_tracker;
mod table_memory;
mod table_writer;
