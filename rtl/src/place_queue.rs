//! `PlaceQueue`: gives out 64 places in the order in which they became free; two may become free in one cycle.
//!
//! **Purpose.** Names things that end in any order, where what ended is not to be named again soon. A [`NumberPool`](crate::leaf::NumberPool) takes one
//! place back a cycle; a [`Fifo`](crate::leaf::Fifo) has one writer.
//!
//! ```text
//!                +------------+
//!   give_a    -->|            |--> place, first_use
//!   give_b    -->| PlaceQueue |--> room
//!   take      -->|            |--> used
//!                +------------+
//! ```
//!
//! **Contract.** `place` is free while `room` is high; `take` (only with `room`) takes it at the edge. `first_use`: it was not taken since reset. `give_a` and `give_b` give places back
//! at the edge, in this order, only ones that were taken; they can be taken from the next cycle on. Places that were never taken come first, 0 to 63, then the others in
//! the order in which they were given back. `used` is the number of places taken, 0 to 64. Reset frees all.
//!
//! **Internals.** `fresh_q` counts once through all places, so the queue of those given back needs no initial contents. The queue lies in two memories, its even positions in one and its odd ones in
//! the other: two positions that follow each other are never in the same.

use crate::leaf::{LutRam, Reg};
use rust_hdl::prelude::*;

/// 64 places in the order in which they became free.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct PlaceQueue {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; all are free.
    pub rst: Signal<In, Bit>,
    /// A free place.
    pub place: Signal<Out, Bits<6>>,
    /// It was never taken.
    pub first_use: Signal<Out, Bit>,
    /// There is one.
    pub room: Signal<Out, Bit>,
    /// It is taken (pulse).
    pub take: Signal<In, Bit>,
    /// A place that is given back.
    pub give_a: Signal<In, Bits<6>>,
    /// Pulse.
    pub give_a_valid: Signal<In, Bit>,
    /// Another one, behind `give_a`.
    pub give_b: Signal<In, Bits<6>>,
    /// Pulse.
    pub give_b_valid: Signal<In, Bit>,
    /// Places that are taken.
    pub used: Signal<Out, Bits<7>>,

    fresh_q: Reg<Bits<7>>,
    head_q: Reg<Bits<7>>,
    tail_q: Reg<Bits<7>>,
    even: LutRam<Bits<6>, 5>,
    odd: LutRam<Bits<6>, 5>,
    fresh: Signal<Local, Bit>,
    some: Signal<Local, Bit>,
    any: Signal<Local, Bit>,
    both: Signal<Local, Bit>,
    first: Signal<Local, Bits<6>>,
    behind: Signal<Local, Bits<7>>,
    ended: Signal<Local, Bits<7>>,
}

impl Logic for PlaceQueue {
    #[hdl_gen]
    fn update(&mut self) {
        self.fresh_q.clk.next = self.clk.val();
        self.fresh_q.rst.next = self.rst.val();
        self.head_q.clk.next = self.clk.val();
        self.head_q.rst.next = self.rst.val();
        self.tail_q.clk.next = self.clk.val();
        self.tail_q.rst.next = self.rst.val();
        self.even.clk.next = self.clk.val();
        self.odd.clk.next = self.clk.val();

        // Given back: the first at the tail, a second one behind it.
        self.any.next = self.give_a_valid.val() | self.give_b_valid.val();
        self.both.next = self.give_a_valid.val() & self.give_b_valid.val();
        self.first.next = self.give_b.val();
        if self.give_a_valid.val() {
            self.first.next = self.give_a.val();
        }
        self.behind.next = self.tail_q.q.val() + 1;
        self.odd.write_addr.next = self.tail_q.q.val().get_bits::<5>(1);
        self.even.write_addr.next = self.behind.val().get_bits::<5>(1);
        if self.tail_q.q.val().get_bit(0) {
            self.odd.write_data.next = self.first.val();
            self.odd.write_en.next = self.any.val();
            self.even.write_data.next = self.give_b.val();
            self.even.write_en.next = self.both.val();
        } else {
            self.odd.write_data.next = self.give_b.val();
            self.odd.write_en.next = self.both.val();
            self.even.write_data.next = self.first.val();
            self.even.write_en.next = self.any.val();
        }
        self.tail_q.d.next = self.behind.val();
        if self.both.val() {
            self.tail_q.d.next = self.tail_q.q.val() + 2;
        }
        self.tail_q.en.next = self.any.val();

        // Given out: the new ones, then the oldest.
        self.fresh.next = !self.fresh_q.q.val().get_bit(6);
        self.some.next = self.head_q.q.val() != self.tail_q.q.val();
        self.even.read_addr.next = self.head_q.q.val().get_bits::<5>(1);
        self.odd.read_addr.next = self.head_q.q.val().get_bits::<5>(1);
        self.place.next = self.even.read_data.val();
        if self.head_q.q.val().get_bit(0) {
            self.place.next = self.odd.read_data.val();
        }
        if self.fresh.val() {
            self.place.next = self.fresh_q.q.val().get_bits::<6>(0);
        }
        self.first_use.next = self.fresh.val();
        self.room.next = self.fresh.val() | self.some.val();
        self.fresh_q.d.next = self.fresh_q.q.val() + 1;
        self.fresh_q.en.next = self.take.val() & self.fresh.val();
        self.head_q.d.next = self.head_q.q.val() + 1;
        self.head_q.en.next = self.take.val() & !self.fresh.val();
        self.ended.next = self.tail_q.q.val() - self.head_q.q.val();
        self.used.next = self.fresh_q.q.val() - self.ended.val();
    }
}
