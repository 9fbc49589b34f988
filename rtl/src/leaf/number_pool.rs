//! `NumberPool`: gives out the numbers below `2^A` and takes them back.
//!
//! **Purpose.** Names of message slots, chunks, unexpected headers and pending operations. They come back in any order.
//!
//! ```text
//!                  +------------+
//!   freed       -->|            |--> number
//!   freed_valid -->| NumberPool |--> number_valid
//!                  |            |<-- take
//!                  +------------+
//! ```
//!
//! **Contract.** `number` is free while `number_valid`; it stays the same until `take`, which takes it at the edge. A
//! number that comes back can be given out two cycles later. Only numbers that were taken may come back. Reset frees
//! all.
//!
//! **Internals.** `fresh_q` counts up once through all numbers after reset; then those that came back, kept in a
//! [`RamFifo`], are given out again, so the memory needs no initial contents. `N` must be `A + 1`.

use super::{RamFifo, Reg};
use crate::bundle::{PulseIn, PulseOut};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// The pool of the numbers below `2^A`; `N` = `A + 1`.
#[block]
#[check(N == A + 1, "NumberPool: counts of {N} bits for 2^{A} numbers, must be {}", A + 1)]
pub struct NumberPool<const A: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// A free number, if there is one.
    pub number: PulseOut<Bits<A>>,
    /// Take it.
    pub take: Signal<In, Bit>,
    /// Number that comes back.
    pub freed: PulseIn<Bits<A>>,
    fresh_q: Reg<Bits<N>>,
    used: RamFifo<Bits<A>, A>,
    fresh: Signal<Local, Bit>,
    #[value((1u64 << A).to_bits())]
    all: Constant<Bits<N>>,
}

#[kernel]
impl<const A: usize, const N: usize> Logic for NumberPool<A, N> {
    fn update(&mut self) {
        self.fresh.next = self.fresh_q.q.val() != self.all.val();
        self.used.write.data.next = self.freed.data.val();
        self.used.write.valid.next = self.freed.valid.val();

        self.number.data.next = self.used.read.data.val();
        self.number.valid.next = self.used.read.valid.val();
        self.used.read.ready.next = self.take.val();
        self.fresh_q.d.next = self.fresh_q.q.val() + 1;
        self.fresh_q.en.next = false;
        if self.fresh.val() {
            self.number.data.next = self.fresh_q.q.val().get_bits::<A>(0);
            self.number.valid.next = true;
            self.used.read.ready.next = false;
            self.fresh_q.en.next = self.take.val();
        }
    }
}
