//! `SlotBank`: the buckets of one hash function.
//!
//! **Purpose.** A table of [`HashMatch`](super::HashMatch), which has two, one for each hash function.
//!
//! ```text
//!   bucket                  -->+----------+--> hits, found
//!   key                     -->| SlotBank |--> free
//!   write_bucket, write_ways-->|          |
//!   write_slot              -->+----------+
//! ```
//!
//! **Contract.** All outputs are of the `bucket` of the cycle before, after all writes until then and after the one of
//! this cycle. `hits` has the slot that is in use and has `key`, `found` what it holds; both are zero if there is none.
//! `free` has the lowest slot that is not in use, or none. `write_ways` names the slots that become `write_slot`.
//!
//! **Internals.** A [`SlotWay`] for each slot of a bucket. Invariant (kept by who writes): no two slots in use of a
//! bucket have the same key.

use super::slot_way::SlotWay;
use crate::leaf::Lowest;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::hash_match::HashSlot;

/// `2^B` buckets of `W` slots, 16 at most.
#[block]
#[check((1..=16).contains(&W), "SlotBank: {W} slots a bucket, must be 1 to 16")]
pub struct SlotBank<const B: usize, const W: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; the contents stay.
    pub rst: Signal<In, Bit>,
    /// Bucket to read.
    pub bucket: Signal<In, Bits<B>>,
    /// A cycle later: key to look for.
    pub key: Signal<In, Bits<96>>,
    /// Then: the slot that has it, one-hot or zero.
    pub hits: Signal<Out, Bits<W>>,
    /// Then: what that slot holds.
    pub found: Signal<Out, HashSlot>,
    /// Then: the lowest free slot, one-hot or zero.
    pub free: Signal<Out, Bits<W>>,
    /// Bucket to write.
    pub write_bucket: Signal<In, Bits<B>>,
    /// Slots of it to write.
    pub write_ways: Signal<In, Bits<W>>,
    /// What to write.
    pub write_slot: Signal<In, HashSlot>,
    #[value(vec![SlotWay::default(); W])]
    ways: Vec<SlotWay<B>>,
    lowest: Lowest<W>,
    #[value((0..W).map(|way| Constant::new((1u64 << way).to_bits())).collect())]
    hot: Vec<Constant<Bits<W>>>,
    #[value(HashSlot::default())]
    nothing: Constant<HashSlot>,
    hit: Signal<Local, Bits<W>>,
    unused: Signal<Local, Bits<W>>,
    one: Signal<Local, HashSlot>,
}

#[kernel]
impl<const B: usize, const W: usize> Logic for SlotBank<B, W> {
    fn update(&mut self) {
        self.hit.next = 0.into();
        self.unused.next = 0.into();
        self.one.next = self.nothing.val();
        for i in 0..W {
            self.ways[i].bucket.next = self.bucket.val();
            self.ways[i].key.next = self.key.val();
            self.ways[i].write_bucket.next = self.write_bucket.val();
            self.ways[i].write_en.next = (self.write_ways.val() & self.hot[i].val()).any();
            self.ways[i].write_slot.next = self.write_slot.val();
            if self.ways[i].hit.val() {
                self.hit.next = self.hit.val() | self.hot[i].val();
                self.one.next = self.ways[i].slot.val();
            }
            if !self.ways[i].used.val() {
                self.unused.next = self.unused.val() | self.hot[i].val();
            }
        }
        self.lowest.bits.next = self.unused.val();
        self.hits.next = self.hit.val();
        self.found.next = self.one.val();
        self.free.next = self.lowest.first.val();
    }
}
