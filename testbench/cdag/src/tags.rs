//! Schedule tags, which keep the messages of schedules apart that are outstanding at once (section IV.B of the paper).
//!
//! A communicator hands one to each schedule, and takes it back when the schedule is not used any more. All ranks do so
//! in the same order, so they have the same tags without a message.

use crate::error::GraphError;
use crate::schedule::SCHEDULE_TAGS;
use std::collections::BTreeSet;

/// The tags of a communicator.
#[derive(Clone, Debug, Default)]
pub struct Tags {
    /// Those below are taken or in `free`, all others were never taken.
    next: u64,
    free: BTreeSet<u64>,
}

impl Tags {
    /// The lowest free one, for [`Options::schedule`](crate::compile::Options::schedule). Errors: all are taken.
    pub fn take(&mut self) -> Result<u64, GraphError> {
        if let Some(tag) = self.free.pop_first() {
            return Ok(tag);
        }
        if self.next == SCHEDULE_TAGS {
            return Err(GraphError::NoFreeTag {
                limit: SCHEDULE_TAGS,
            });
        }
        self.next += 1;
        Ok(self.next - 1)
    }

    /// Gives one back; one that was not taken stays free.
    pub fn give_back(&mut self, tag: u64) {
        if tag < self.next {
            self.free.insert(tag);
        }
    }
}
