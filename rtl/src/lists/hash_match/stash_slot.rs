//! `StashSlot`: one slot of the stash of a hash table.
//!
//! **Purpose.** The memory of a [`SlotStash`](super::slot_stash::SlotStash).
//!
//! ```text
//!   key        -->+-----------+--> slot
//!   write_en   -->| StashSlot |--> used, hit
//!   write_slot -->+-----------+
//! ```
//!
//! **Contract.** `slot` is what was written last, with a write of this cycle; `used`: it is in use, `hit`: and
//! has `key`. Reset empties it.
//!
//! **Internals.** A register, and a choice for the write of this cycle.

use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::hash_match::HashSlot;

/// A slot of the stash.
#[block]
pub struct StashSlot {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; empties it.
    pub rst: Signal<In, Bit>,
    /// Key to look for.
    pub key: Signal<In, Bits<96>>,
    /// What it holds.
    pub slot: Signal<Out, HashSlot>,
    /// It is in use.
    pub used: Signal<Out, Bit>,
    /// It has the key.
    pub hit: Signal<Out, Bit>,
    /// Write it.
    pub write_en: Signal<In, Bit>,
    /// What to write.
    pub write_slot: Signal<In, HashSlot>,
    slot_q: Reg<HashSlot>,
    seen: Signal<Local, HashSlot>,
}

#[kernel]
impl Logic for StashSlot {
    fn update(&mut self) {
        self.slot_q.d.next = self.write_slot.val();
        self.slot_q.en.next = self.write_en.val();
        self.seen.next = self.slot_q.q.val();
        if self.write_en.val() {
            self.seen.next = self.write_slot.val();
        }
        self.slot.next = self.seen.val();
        self.used.next = self.seen.val().valid.any();
        self.hit.next = self.seen.val().valid.any() & (self.seen.val().key == self.key.val());
    }
}
