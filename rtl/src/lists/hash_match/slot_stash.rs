//! `SlotStash`: slots for keys that find no place in their buckets.
//!
//! **Purpose.** What makes a hash table as full as [`HashMatch`](super::HashMatch)'s usable: of many keys a few meet
//! only full buckets.
//!
//! ```text
//!   key        -->+-----------+--> hits, found
//!   write_ways -->| SlotStash |--> free
//!   write_slot -->+-----------+
//! ```
//!
//! **Contract.** As a [`SlotBank`](super::slot_bank::SlotBank) of one bucket, which needs not be named: `hits`, `found`
//! and `free` are those after the write of this cycle. Reset empties it.
//!
//! **Internals.** A [`StashSlot`] for each slot.

use super::stash_slot::StashSlot;
use crate::leaf::Lowest;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::hash_match::HashSlot;

/// `S` slots, 16 at most.
#[block]
#[check((1..=16).contains(&S), "SlotStash: {S} slots, must be 1 to 16")]
pub struct SlotStash<const S: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; empties it.
    pub rst: Signal<In, Bit>,
    /// Key to look for.
    pub key: Signal<In, Bits<96>>,
    /// The slot that has it, one-hot or zero.
    pub hits: Signal<Out, Bits<S>>,
    /// What that slot holds.
    pub found: Signal<Out, HashSlot>,
    /// The lowest free slot, one-hot or zero.
    pub free: Signal<Out, Bits<S>>,
    /// Slots to write.
    pub write_ways: Signal<In, Bits<S>>,
    /// What to write.
    pub write_slot: Signal<In, HashSlot>,
    #[value(vec![StashSlot::default(); S])]
    slots: Vec<StashSlot>,
    lowest: Lowest<S>,
    #[value((0..S).map(|slot| Constant::new((1u64 << slot).to_bits())).collect())]
    hot: Vec<Constant<Bits<S>>>,
    #[value(HashSlot::default())]
    nothing: Constant<HashSlot>,
    hit: Signal<Local, Bits<S>>,
    unused: Signal<Local, Bits<S>>,
    one: Signal<Local, HashSlot>,
}

#[kernel]
impl<const S: usize> Logic for SlotStash<S> {
    fn update(&mut self) {
        self.hit.next = 0.into();
        self.unused.next = 0.into();
        self.one.next = self.nothing.val();
        for i in 0..S {
            self.slots[i].key.next = self.key.val();
            self.slots[i].write_en.next = (self.write_ways.val() & self.hot[i].val()).any();
            self.slots[i].write_slot.next = self.write_slot.val();
            if self.slots[i].hit.val() {
                self.hit.next = self.hit.val() | self.hot[i].val();
                self.one.next = self.slots[i].slot.val();
            }
            if !self.slots[i].used.val() {
                self.unused.next = self.unused.val() | self.hot[i].val();
            }
        }
        self.lowest.bits.next = self.unused.val();
        self.hits.next = self.hit.val();
        self.found.next = self.one.val();
        self.free.next = self.lowest.first.val();
    }
}
