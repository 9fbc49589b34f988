//! `MissTracker`: the reads of the lookup cache that are under way, and who waits for them.
//!
//! **Purpose.** The miss status registers of [`LookupCache`](super::lookup_cache::LookupCache): four reads, each with
//! the set of request tags that it will answer. It holds no data.
//!
//! ```text
//!                       +-------------+
//!   key, tag         -->|             |--> shareable, full, free
//!   allocate, share   -->|             |
//!   invalidate       -->| MissTracker |
//!   arrive, arrived  -->|             |--> pending, pending_read, pending_key
//!   take             -->|             |
//!   answer, draining -->|             |--> drain_tag, drain_last, drain_keep
//!                       +-------------+
//! ```
//!
//! **Contract.** Pulses act at the edge; at most one of `allocate`, `share`, `invalidate`, `answer` in a cycle,
//! `arrive` and `take` at any time.
//! * `shareable`: a read of `key` is under way that no invalidate has met. `share` makes `tag` wait for it. A tag that
//!   waits already is not given again.
//! * `allocate` (only if not `full`) starts read `free` for `key` with `tag` waiting.
//! * `invalidate`: reads of `key` under way are answered, but not kept, and cannot be shared any more.
//! * `arrive`: read `arrived` has come back. `pending` says that such a read waits for `take`.
//! * `draining` names a taken read: `drain_tag` waits for it, `drain_last` says that no other does, `drain_keep` that
//!   the line may be kept. `answer` strikes `drain_tag` off; with the last one the read is free again.
//!
//! **Internals.** Waiting tags are a mask of 16 bits; [`Lowest`] of them is served first. Beside it they are counted: a
//! read is free when nobody waits for it. Its key then follows `key`, so that `allocate` has only to let a tag wait.

use crate::leaf::{Delay, Lowest, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Four outstanding reads and the tags that wait for them.
#[block]
pub struct MissTracker {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; forgets all reads.
    pub rst: Signal<In, Bit>,
    /// Line of `allocate`, `share`, `invalidate`: {context 2, kind 2, index 16}.
    pub key: Signal<In, Bits<20>>,
    /// Request tag of `allocate` and `share`.
    pub tag: Signal<In, Bits<4>>,
    /// Start read `free`.
    pub allocate: Signal<In, Bit>,
    /// Wait for the shareable read.
    pub share: Signal<In, Bit>,
    /// Reads of `key` under way are stale.
    pub invalidate: Signal<In, Bit>,
    /// A read of `key` under way may be shared.
    pub shareable: Signal<Out, Bit>,
    /// All four reads are in use.
    pub full: Signal<Out, Bit>,
    /// Number of a free read.
    pub free: Signal<Out, Bits<2>>,
    /// Read `arrived` has come back.
    pub arrive: Signal<In, Bit>,
    /// Number of the read that comes back.
    pub arrived: Signal<In, Bits<2>>,
    /// A read has come back and waits to be taken.
    pub pending: Signal<Out, Bit>,
    /// Its number.
    pub pending_read: Signal<Out, Bits<2>>,
    /// Its line.
    pub pending_key: Signal<Out, Bits<20>>,
    /// `pending_read` is taken.
    pub take: Signal<In, Bit>,
    /// Number of the read being answered.
    pub draining: Signal<In, Bits<2>>,
    /// A tag that waits for it.
    pub drain_tag: Signal<Out, Bits<4>>,
    /// No other tag waits.
    pub drain_last: Signal<Out, Bit>,
    /// No invalidate has met it.
    pub drain_keep: Signal<Out, Bit>,
    /// `drain_tag` is answered.
    pub answer: Signal<In, Bit>,
    key_q: [Reg<Bits<20>>; 4],
    keep_q: [Delay<Bit>; 4],
    arrived_q: [Delay<Bit>; 4],
    waiting_q: [Reg<Bits<16>>; 4],
    /// Tags that wait.
    count_q: [Reg<Bits<5>>; 4],
    #[value([0u64, 1, 2, 3].map(|n| Constant::new(n.to_bits())).to_vec())]
    numbers: Vec<Constant<Bits<2>>>,
    // Bit j of digits[i] is bit i of j: the places whose number has that digit.
    #[value(
        [0xAAAAu64, 0xCCCC, 0xF0F0, 0xFF00]
            .map(|mask| Constant::new(mask.to_bits()))
            .to_vec()
    )]
    digits: Vec<Constant<Bits<16>>>,
    #[value([1u64, 2, 4, 8].map(|weight| Constant::new(weight.to_bits())).to_vec())]
    weights: Vec<Constant<Bits<4>>>,
    #[value(1u64.to_bits())]
    one: Constant<Bits<16>>,
    tag_mask: Signal<Local, Bits<16>>,
    busy: Signal<Local, Bits<4>>,
    same: Signal<Local, Bits<4>>,
    single: Signal<Local, Bits<4>>,
    match_share: Signal<Local, Bit>,
    none_free: Signal<Local, Bit>,
    free_read: Signal<Local, Bits<2>>,
    some_pending: Signal<Local, Bit>,
    taken: Signal<Local, Bits<2>>,
    taken_key: Signal<Local, Bits<20>>,
    waiting: Signal<Local, Bits<16>>,
    keep: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    search: Lowest<16>,
    lowest: Signal<Local, Bits<16>>,
    code: Signal<Local, Bits<4>>,
}

#[kernel]
impl Logic for MissTracker {
    fn update(&mut self) {
        self.tag_mask.next = self.one.val() << self.tag.val();

        // What there is.
        self.busy.next = 0.into();
        self.same.next = 0.into();
        self.single.next = 0.into();
        self.match_share.next = false;
        self.none_free.next = true;
        self.free_read.next = 0.into();
        self.some_pending.next = false;
        self.taken.next = 0.into();
        self.taken_key.next = self.key_q[0].q.val();
        self.waiting.next = self.waiting_q[0].q.val();
        self.keep.next = self.keep_q[0].q.val();
        self.last.next = false;
        for i in 0..4 {
            self.busy.next = self
                .busy
                .val()
                .replace_bit(i, self.count_q[i].q.val().any());
            self.same.next = self.same.val().replace_bit(
                i,
                self.keep_q[i].q.val() & (self.key_q[i].q.val() == self.key.val()),
            );
            self.single.next = self
                .single
                .val()
                .replace_bit(i, self.count_q[i].q.val() < 2);
            if !self.busy.val().get_bit(i) {
                self.none_free.next = false;
                self.free_read.next = self.numbers[i].val();
            } else if self.same.val().get_bit(i) {
                self.match_share.next = true;
            }
            if self.arrived_q[i].q.val() {
                self.some_pending.next = true;
                self.taken.next = self.numbers[i].val();
                self.taken_key.next = self.key_q[i].q.val();
            }
            if self.draining.val() == self.numbers[i].val() {
                self.waiting.next = self.waiting_q[i].q.val();
                self.keep.next = self.keep_q[i].q.val();
                self.last.next = self.single.val().get_bit(i);
            }
        }
        self.shareable.next = self.match_share.val();
        self.full.next = self.none_free.val();
        self.free.next = self.free_read.val();
        self.pending.next = self.some_pending.val();
        self.pending_read.next = self.taken.val();
        self.pending_key.next = self.taken_key.val();

        // The lowest waiting tag, from a mask to a number.
        self.search.bits.next = self.waiting.val();
        self.lowest.next = self.search.first.val();
        self.code.next = 0.into();
        for i in 0..4 {
            if (self.lowest.val() & self.digits[i].val()).any() {
                self.code.next = self.code.val() | self.weights[i].val();
            }
        }
        self.drain_tag.next = self.code.val();
        self.drain_last.next = self.last.val();
        self.drain_keep.next = self.keep.val();

        // What changes at the edge.
        for i in 0..4 {
            self.key_q[i].d.next = self.key.val();
            self.key_q[i].en.next = !self.busy.val().get_bit(i);
            self.keep_q[i].d.next = true;
            if self.busy.val().get_bit(i) {
                self.keep_q[i].d.next =
                    self.keep_q[i].q.val() & !(self.invalidate.val() & self.same.val().get_bit(i));
            }
            self.waiting_q[i].d.next = self.waiting_q[i].q.val() | self.tag_mask.val();
            self.waiting_q[i].en.next = false;
            self.count_q[i].d.next = self.count_q[i].q.val() + 1;
            self.count_q[i].en.next = false;
            self.arrived_q[i].d.next = self.arrived_q[i].q.val();

            if self.allocate.val() & (self.free_read.val() == self.numbers[i].val()) {
                self.waiting_q[i].en.next = true;
                self.count_q[i].en.next = true;
            }
            if self.share.val() & self.busy.val().get_bit(i) & self.same.val().get_bit(i) {
                self.waiting_q[i].en.next = true;
                self.count_q[i].en.next = true;
            }
            if self.answer.val() & (self.draining.val() == self.numbers[i].val()) {
                self.waiting_q[i].d.next = self.waiting_q[i].q.val() & !self.lowest.val();
                self.waiting_q[i].en.next = true;
                self.count_q[i].d.next = self.count_q[i].q.val() - 1;
                self.count_q[i].en.next = true;
            }
            if self.take.val() & (self.taken.val() == self.numbers[i].val()) {
                self.arrived_q[i].d.next = false;
            }
            if self.arrive.val() & (self.arrived.val() == self.numbers[i].val()) {
                self.arrived_q[i].d.next = true;
            }
        }
    }
}
