//! `PlaceQueue`: gives out 64 places in the order in which they became free; two may become free in one cycle.
//!
//! **Purpose.** Names things that end in any order, where what ended is not to be named again soon. A
//! [`NumberPool`](crate::leaf::NumberPool) takes one place back a cycle; a [`Fifo`](crate::leaf::Fifo) has one writer.
//!
//! ```text
//!                +------------+
//!   give_a    -->|            |--> place, generation
//!   give_b    -->| PlaceQueue |--> room
//!   take      -->|            |--> used
//!                +------------+
//! ```
//!
//! **Contract.** `place` is free while `room` is high; `take` (only with `room`) takes it at the edge. `give_a` and
//! `give_b` give places back at the edge, in this order, only ones that were taken; they can be taken from the next
//! cycle on. Places that were never taken come first, 0 to 63, then the others in the order in which they were given
//! back. `generation` is what was given back with the place, 0 for one that was never taken; without `room` neither has
//! a meaning. `used` is the number of places taken, 0 to 64. Reset frees all.
//!
//! **Internals.** The place that is offered is in a register, `offer_q`; after it come those that were never offered,
//! counted by `fresh_q`, then the queue. With the place that is taken the next one is loaded. A place that is given
//! back while no other is free goes straight to `offer_q`; any other waits a cycle in a register and is then written.
//! The queue lies in two memories, its even positions in one and its odd ones in the other: two positions that follow
//! each other are never in the same. It needs no initial contents, and never has more than 63 places.

use crate::bundle::PulseIn;
use crate::leaf::{Delay, LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// 64 places in the order in which they became free.
#[block]
pub struct PlaceQueue {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; all are free.
    pub rst: Signal<In, Bit>,
    /// A free place.
    pub place: Signal<Out, Bits<6>>,
    /// Generation of its next use.
    pub generation: Signal<Out, Bits<8>>,
    /// There is one.
    pub room: Signal<Out, Bit>,
    /// It is taken (pulse).
    pub take: Signal<In, Bit>,
    /// A place that is given back.
    pub give_a: PulseIn<Bits<6>>,
    /// Generation of its next use.
    pub give_a_generation: Signal<In, Bits<8>>,
    /// Another one, after `give_a`.
    pub give_b: PulseIn<Bits<6>>,
    /// Generation of its next use.
    pub give_b_generation: Signal<In, Bits<8>>,
    /// Places that are taken.
    pub used: Signal<Out, Bits<7>>,

    /// The place offered, below its generation.
    offer_q: Reg<Bits<14>>,
    /// The last place that was offered for the first time.
    fresh_q: Reg<Bits<6>>,
    /// All have been offered.
    all_offered_q: Reg<Bit>,
    /// Position of the next word to offer.
    head_q: Reg<Bits<6>>,
    /// Position of the next word to write.
    tail_q: Reg<Bits<6>>,
    /// What was given back in the last cycle.
    word_a_q: Delay<Bits<14>>,
    word_b_q: Delay<Bits<14>>,
    /// It is to be written.
    wait_a_q: Delay<Bit>,
    wait_b_q: Delay<Bit>,
    used_q: Delay<Bits<7>>,
    even: LutRam<Bits<14>, 5>,
    odd: LutRam<Bits<14>, 5>,
    any: Signal<Local, Bit>,
    both: Signal<Local, Bit>,
    word_a: Signal<Local, Bits<14>>,
    word_b: Signal<Local, Bits<14>>,
    first: Signal<Local, Bits<14>>,
    wait_any: Signal<Local, Bit>,
    wait_both: Signal<Local, Bit>,
    wait_first: Signal<Local, Bits<14>>,
    behind: Signal<Local, Bits<6>>,
    following: Signal<Local, Bits<6>>,
    scarce: Signal<Local, Bit>,
    emptied: Signal<Local, Bit>,
    none_back: Signal<Local, Bits<7>>,
    one_back: Signal<Local, Bits<7>>,
    two_back: Signal<Local, Bits<7>>,
    left: Signal<Local, Bits<7>>,
}

#[kernel]
impl Logic for PlaceQueue {
    fn update(&mut self) {
        self.scarce.next = self.used_q.q.val() >= 63;
        // Nothing is free after this edge but what is given back now.
        self.emptied.next = self.used_q.q.val().get_bit(6);
        if self.take.val() {
            self.emptied.next = self.used_q.q.val() == 63;
        }

        // Given back: what is not offered at once waits a cycle.
        self.any.next = self.give_a.valid.val() | self.give_b.valid.val();
        self.both.next = self.give_a.valid.val() & self.give_b.valid.val();
        self.word_a.next = (bit_cast::<14, 8>(self.give_a_generation.val()) << 6)
            | bit_cast::<14, 6>(self.give_a.data.val());
        self.word_b.next = (bit_cast::<14, 8>(self.give_b_generation.val()) << 6)
            | bit_cast::<14, 6>(self.give_b.data.val());
        self.first.next = self.word_b.val();
        if self.give_a.valid.val() {
            self.first.next = self.word_a.val();
        }
        self.word_a_q.d.next = self.word_a.val();
        self.word_b_q.d.next = self.word_b.val();
        self.wait_a_q.d.next = self.give_a.valid.val() & !self.emptied.val();
        self.wait_b_q.d.next =
            self.give_b.valid.val() & (!self.emptied.val() | self.give_a.valid.val());

        // Written: the first at the tail, a second one after it.
        self.wait_any.next = self.wait_a_q.q.val() | self.wait_b_q.q.val();
        self.wait_both.next = self.wait_a_q.q.val() & self.wait_b_q.q.val();
        self.wait_first.next = self.word_b_q.q.val();
        if self.wait_a_q.q.val() {
            self.wait_first.next = self.word_a_q.q.val();
        }
        self.behind.next = self.tail_q.q.val() + 1;
        self.odd.write_addr.next = self.tail_q.q.val().get_bits::<5>(1);
        self.even.write_addr.next = self.behind.val().get_bits::<5>(1);
        if self.tail_q.q.val().get_bit(0) {
            self.odd.write_data.next = self.wait_first.val();
            self.odd.write_en.next = self.wait_any.val();
            self.even.write_data.next = self.word_b_q.q.val();
            self.even.write_en.next = self.wait_both.val();
        } else {
            self.odd.write_data.next = self.word_b_q.q.val();
            self.odd.write_en.next = self.wait_both.val();
            self.even.write_data.next = self.wait_first.val();
            self.even.write_en.next = self.wait_any.val();
        }
        self.tail_q.d.next = self.behind.val();
        if self.wait_both.val() {
            self.tail_q.d.next = self.tail_q.q.val() + 2;
        }
        self.tail_q.en.next = self.wait_any.val();

        // How many are taken.
        self.none_back.next = self.used_q.q.val();
        self.one_back.next = self.used_q.q.val() - 1;
        self.two_back.next = self.used_q.q.val() - 2;
        if self.take.val() {
            self.none_back.next = self.used_q.q.val() + 1;
            self.one_back.next = self.used_q.q.val();
            self.two_back.next = self.used_q.q.val() - 1;
        }
        self.left.next = self.none_back.val();
        if self.any.val() {
            self.left.next = self.one_back.val();
        }
        if self.both.val() {
            self.left.next = self.two_back.val();
        }
        self.used_q.d.next = self.left.val();
        self.used.next = self.used_q.q.val();
        self.room.next = !self.used_q.q.val().get_bit(6);

        // Offered next: the new ones, then the oldest; if no other is free, what is given back now.
        self.place.next = self.offer_q.q.val().get_bits::<6>(0);
        self.generation.next = self.offer_q.q.val().get_bits::<8>(6);
        self.following.next = self.fresh_q.q.val() + 1;
        self.even.read_addr.next = self.head_q.q.val().get_bits::<5>(1);
        self.odd.read_addr.next = self.head_q.q.val().get_bits::<5>(1);
        self.offer_q.d.next = self.even.read_data.val();
        if self.head_q.q.val().get_bit(0) {
            self.offer_q.d.next = self.odd.read_data.val();
        }
        if self.head_q.q.val() == self.tail_q.q.val() {
            self.offer_q.d.next = self.wait_first.val();
        }
        // With 63 taken a place is loaded only if that is the last one, with 64 only one that is given back.
        if self.scarce.val() {
            self.offer_q.d.next = self.first.val();
        }
        if !self.all_offered_q.q.val() {
            self.offer_q.d.next = bit_cast::<14, 6>(self.following.val());
        }
        self.offer_q.en.next = self.take.val() | (self.used_q.q.val().get_bit(6) & self.any.val());
        self.fresh_q.d.next = self.following.val();
        self.fresh_q.en.next = self.take.val() & !self.all_offered_q.q.val();
        self.all_offered_q.d.next = self.following.val().all();
        self.all_offered_q.en.next = self.take.val() & !self.all_offered_q.q.val();
        self.head_q.d.next = self.head_q.q.val() + 1;
        self.head_q.en.next = self.take.val() & self.all_offered_q.q.val() & !self.scarce.val();
    }
}
