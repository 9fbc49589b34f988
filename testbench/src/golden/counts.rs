//! What the NIC's counters and error registers should say.

use xtq_types::event::status;
use xtq_types::register_map::error_cause;

use crate::tables::{CONTEXTS, Outcome};

/// Why the parser drops a packet, in the order of its tests; also the order of its counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drop {
    Version,
    Opcode,
    Target,
    Context,
    Length,
}

/// Running counts. Lookups and doorbells depend on time: they are not here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets that came.
    pub packets: u32,
    /// Packets dropped for version, opcode, node, context and length; the last also counts damaged ones.
    pub drops: [u32; 5],
    /// Later packets of messages that were not open.
    pub strays: u32,
    /// Messages delivered.
    pub delivered: u32,
    /// Messages that failed.
    pub failed: u32,
    /// Events for which there was no place.
    pub events_lost: u32,
    /// Messages that failed with a memory error.
    pub memory_errors: u32,
    /// ERROR_CAUSE of each context, since it was cleared.
    pub causes: [u32; CONTEXTS],
}

impl Counts {
    /// Adds what was counted later.
    pub(super) fn add(&mut self, later: &Self) {
        self.packets += later.packets;
        for (drops, more) in self.drops.iter_mut().zip(later.drops) {
            *drops += more;
        }
        self.strays += later.strays;
        self.delivered += later.delivered;
        self.failed += later.failed;
        self.events_lost += later.events_lost;
        self.memory_errors += later.memory_errors;
        for (causes, more) in self.causes.iter_mut().zip(later.causes) {
            *causes |= more;
        }
    }

    pub(super) fn drop(&mut self, cause: Drop) {
        self.drops[cause as usize] += 1;
    }

    pub(super) fn lose_event(&mut self, context: u8) {
        self.events_lost += 1;
        self.causes[usize::from(context)] |= error_cause::EVENT_LOST;
    }

    pub(super) fn fail_event(&mut self, context: u8) {
        self.causes[usize::from(context)] |= error_cause::EVENT_FAILED;
    }

    pub(super) fn complete(&mut self, outcome: &Outcome) {
        match outcome.status {
            status::OK => self.delivered += 1,
            _ => self.failed += 1,
        }
        if outcome.status == status::MEMORY_ERROR {
            self.memory_errors += 1;
            self.causes[usize::from(outcome.context)] |= error_cause::MEMORY_ERROR;
        }
    }

    /// The counters of page 0 that are known, by name.
    pub fn counters(&self) -> [(&'static str, u32); 11] {
        let [version, opcode, target, context, length] = self.drops;
        [
            ("PACKETS", self.packets),
            ("DROP_VERSION", version),
            ("DROP_OPCODE", opcode),
            ("DROP_TARGET", target),
            ("DROP_CONTEXT", context),
            ("DROP_LENGTH", length),
            ("MESSAGES_OK", self.delivered),
            ("MESSAGES_FAILED", self.failed),
            ("EVENTS_LOST", self.events_lost),
            ("MEMORY_ERRORS", self.memory_errors),
            ("DROP_STRAY", self.strays),
        ]
    }
}
