//! `Command`: 128 bytes as the NIC reads them.

use xtq_types::command::{COMMAND_BYTES, ENTRY_OFFSET, NO_COUNTER, REARM_THRESHOLDS, flag};

use super::ids::{Ct, Trigger};
use crate::tables::format::{BYTES, COMMAND};

/// A command. The functions of [the library](super) make them; [`Process::post`](super::Process::post) gives them to
/// the NIC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command([u8; COMMAND_BYTES]);

impl Command {
    /// A command with these fields (names of the [definition](xtq_types::command::Command)); the others are 0.
    pub(super) fn new(operation: u8, fields: &[(&str, u64)]) -> Self {
        let mut command = Self([0; COMMAND_BYTES]);
        command.set("operation", operation.into());
        for (name, value) in fields {
            command.set(name, *value);
        }
        command
    }

    /// A command whose second half is a table entry.
    pub(super) fn with_entry(operation: u8, index: u16, entry: &[u8; BYTES]) -> Self {
        let mut command = Self::new(operation, &[("entry", index.into())]);
        command.0[ENTRY_OFFSET..].copy_from_slice(entry);
        command
    }

    fn set(&mut self, name: &str, value: u64) {
        COMMAND.set(&mut self.0, name, value);
    }

    /// Value of a field, by its name in the [definition](xtq_types::command::Command); another name panics.
    pub fn get(&self, name: &str) -> u64 {
        COMMAND.get(&self.0, name)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8; COMMAND_BYTES] {
        &self.0
    }

    fn flagged(mut self, flag: u8) -> Self {
        self.set("flags", self.get("flags") | u64::from(flag));
        self
    }

    /// The same command, which waits for a counter. Every command can.
    ///
    /// ```
    /// use xtq_testbench::host::{Ct, Trigger, ptl_pt_enable, Pt};
    ///
    /// let later = ptl_pt_enable(Pt(3)).triggered(Trigger { counter: Ct(5), threshold: 2 });
    /// assert_eq!((later.get("trigger_counter"), later.get("threshold")), (5, 2));
    /// ```
    #[must_use]
    pub fn triggered(mut self, trigger: Trigger) -> Self {
        self.set("trigger_counter", trigger.counter.0.into());
        self.set("threshold", trigger.threshold);
        self.flagged(flag::TRIGGERED)
    }

    /// The same command, which waits for a counter, and each time that it has been done again: until the counter is
    /// higher by `period`, which is not 0. The threshold is below 2^48; bits above are cut off.
    ///
    /// ```
    /// use xtq_testbench::host::{Ct, Trigger, nop};
    ///
    /// let always = nop().rearming(Trigger { counter: Ct(5), threshold: 2 }, 7);
    /// assert_eq!((always.get("flags"), always.get("threshold")), (5, 7 << 48 | 2));
    /// ```
    #[must_use]
    pub fn rearming(self, trigger: Trigger, period: u16) -> Self {
        let threshold = (trigger.threshold % REARM_THRESHOLDS) | (u64::from(period) << 48);
        let waits = Trigger {
            threshold,
            ..trigger
        };
        self.triggered(waits).flagged(flag::REARM)
    }

    /// The same command with an event when it has ended; without, there is one only if it fails.
    ///
    /// ```
    /// use xtq_testbench::host::nop;
    ///
    /// assert_eq!(nop().with_completion().get("flags"), 2);
    /// ```
    #[must_use]
    pub fn with_completion(self) -> Self {
        self.flagged(flag::COMPLETION)
    }

    /// The same command with another user pointer, which all events that come of it carry.
    ///
    /// ```
    /// use xtq_testbench::host::fence;
    ///
    /// assert_eq!(fence().with_user_ptr(77).get("user_pointer"), 77);
    /// ```
    #[must_use]
    pub fn with_user_ptr(mut self, user_ptr: u64) -> Self {
        self.set("user_pointer", user_ptr);
        self
    }
}

/// Number of a counter that counts, or that there is none.
pub(super) fn counter(counter: Option<Ct>) -> u64 {
    counter.map_or(NO_COUNTER, |counter| counter.0).into()
}
