//! `SlotWay`: one slot of each bucket of a hash table.
//!
//! **Purpose.** The memory of a [`SlotBank`](super::slot_bank::SlotBank), which has one for each slot of a bucket.
//!
//! ```text
//!   bucket                  -->+---------+--> slot
//!   key                     -->| SlotWay |--> used, hit
//!   write_bucket, write_en  -->|         |
//!   write_slot              -->+---------+
//! ```
//!
//! **Contract.** `slot` is that of the `bucket` of the cycle before, after all writes until then, and after the one of
//! this cycle: `write_en` with that bucket as `write_bucket` shows `write_slot` at once. `used`: it is in use,
//! `hit`: and has `key`. Contents survive `rst`; who uses them clears them.
//!
//! **Internals.** A [`ForwardRam`], which sees a write of the cycle before, and a comparison for the write of this one.

use crate::leaf::{Delay, ForwardRam};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::hash_match::HashSlot;

/// A slot of `2^B` buckets.
#[block]
pub struct SlotWay<const B: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; the contents stay.
    pub rst: Signal<In, Bit>,
    /// Bucket to read.
    pub bucket: Signal<In, Bits<B>>,
    /// A cycle later: key to look for.
    pub key: Signal<In, Bits<96>>,
    /// Then: the slot.
    pub slot: Signal<Out, HashSlot>,
    /// Then: it is in use.
    pub used: Signal<Out, Bit>,
    /// Then: it has the key.
    pub hit: Signal<Out, Bit>,
    /// Bucket to write.
    pub write_bucket: Signal<In, Bits<B>>,
    /// Write it.
    pub write_en: Signal<In, Bit>,
    /// What to write.
    pub write_slot: Signal<In, HashSlot>,
    memory: ForwardRam<HashSlot, B>,
    bucket_q: Delay<Bits<B>>,
    seen: Signal<Local, HashSlot>,
}

#[kernel]
impl<const B: usize> Logic for SlotWay<B> {
    fn update(&mut self) {
        self.bucket_q.d.next = self.bucket.val();
        self.memory.read_addr.next = self.bucket.val();
        self.memory.write_addr.next = self.write_bucket.val();
        self.memory.write_en.next = self.write_en.val();
        self.memory.write_data.next = self.write_slot.val();
        self.seen.next = self.memory.read_data.val();
        if self.write_en.val() & (self.write_bucket.val() == self.bucket_q.q.val()) {
            self.seen.next = self.write_slot.val();
        }
        self.slot.next = self.seen.val();
        self.used.next = self.seen.val().valid.any();
        self.hit.next = self.seen.val().valid.any() & (self.seen.val().key == self.key.val());
    }
}
