//! The whole target pipeline in its surroundings, against the golden model.

use xtq_catalogue as _;
mod bad_input;
mod basic;
mod changed_entry;
mod completion;
mod crowded;
mod disable;
mod event_room;
mod failed_queue;
mod fixture;
mod limits;
mod lists;
mod live_portals;
mod memory_errors;
mod ordering;
mod performance;
mod places;
mod random;
#[cfg(feature = "aot")]
mod recorded;
mod shared;
mod volume;
