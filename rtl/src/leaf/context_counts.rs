//! `ContextCounts`: a number for each of the four contexts, counted up and down.
//!
//! **Purpose.** How much of a shared store each context uses, so that it can be kept to its share.
//!
//! ```text
//!   owner    -->+---------------+--> count       (same cycle)
//!   up, down -->| ContextCounts |--> count_0 .. count_3
//!               +---------------+
//! ```
//!
//! **Contract.** `count` is the number of `owner`. `up` adds one to it at the edge, `down` takes one away; not both in
//! one cycle. Numbers wrap; who counts sees to it that they do not. Reset makes all zero.
//!
//! **Internals.** A register for each context and one adder.

use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Four numbers of `N` bits.
#[block]
pub struct ContextCounts<const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Context that is counted and asked for.
    pub owner: Signal<In, Bits<2>>,
    /// Add one.
    pub up: Signal<In, Bit>,
    /// Take one away.
    pub down: Signal<In, Bit>,
    /// Number of `owner`.
    pub count: Signal<Out, Bits<N>>,
    /// Number of context 0.
    pub count_0: Signal<Out, Bits<N>>,
    /// Number of context 1.
    pub count_1: Signal<Out, Bits<N>>,
    /// Number of context 2.
    pub count_2: Signal<Out, Bits<N>>,
    /// Number of context 3.
    pub count_3: Signal<Out, Bits<N>>,
    counts_q: [Reg<Bits<N>>; 4],
    now: Signal<Local, Bits<N>>,
    changed: Signal<Local, Bits<N>>,
}

#[kernel]
impl<const N: usize> Logic for ContextCounts<N> {
    fn update(&mut self) {
        match self.owner.val().index() {
            0 => self.now.next = self.counts_q[0].q.val(),
            1 => self.now.next = self.counts_q[1].q.val(),
            2 => self.now.next = self.counts_q[2].q.val(),
            _ => self.now.next = self.counts_q[3].q.val(),
        }
        self.count.next = self.now.val();
        self.changed.next = self.now.val() + 1;
        if self.down.val() {
            self.changed.next = self.now.val() - 1;
        }
        for i in 0..4 {
            self.counts_q[i].d.next = self.changed.val();
            self.counts_q[i].en.next = false;
        }
        if self.up.val() | self.down.val() {
            match self.owner.val().index() {
                0 => self.counts_q[0].en.next = true,
                1 => self.counts_q[1].en.next = true,
                2 => self.counts_q[2].en.next = true,
                _ => self.counts_q[3].en.next = true,
            }
        }
        self.count_0.next = self.counts_q[0].q.val();
        self.count_1.next = self.counts_q[1].q.val();
        self.count_2.next = self.counts_q[2].q.val();
        self.count_3.next = self.counts_q[3].q.val();
    }
}
