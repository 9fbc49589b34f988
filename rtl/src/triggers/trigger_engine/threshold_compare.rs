//! `ThresholdCompare`: whether a sum has reached a threshold, one cycle later.
//!
//! **Purpose.** The 64-bit comparison of the trigger engine, pipelined: in one cycle it would be the longest path of
//! the NIC.
//!
//! ```text
//!                +------------------+
//!   sum       -->| ThresholdCompare |--> reached  (one cycle later)
//!   threshold -->|                  |
//!                +------------------+
//! ```
//!
//! **Contract.** `reached` in cycle *n + 1*: `sum >= threshold` in cycle *n*. One comparison a cycle.
//!
//! **Internals.** Four comparisons of 16 bits with a register after each; the highest 16 bits that differ decide, and
//! bit 64 of the sum before them.

use crate::leaf::Delay;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// 16 bits of a comparison: above, below or equal.
#[block]
struct PartCompare {
    clk: Signal<In, Clock>,
    rst: Signal<In, Bit>,
    sum: Signal<In, Bits<16>>,
    threshold: Signal<In, Bits<16>>,
    /// One cycle later.
    above: Signal<Out, Bit>,
    /// One cycle later.
    below: Signal<Out, Bit>,
    above_q: Delay<Bit>,
    below_q: Delay<Bit>,
}

#[kernel]
impl Logic for PartCompare {
    fn update(&mut self) {
        self.above_q.d.next = self.sum.val() > self.threshold.val();
        self.below_q.d.next = self.sum.val() < self.threshold.val();
        self.above.next = self.above_q.q.val();
        self.below.next = self.below_q.q.val();
    }
}

/// A comparison of 65 with 64 bits in two stages.
#[block]
pub struct ThresholdCompare {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Success + failure of a counter.
    pub sum: Signal<In, Bits<65>>,
    /// What it is compared with.
    pub threshold: Signal<In, Bits<64>>,
    /// The sum of the last cycle has reached the threshold of the last cycle.
    pub reached: Signal<Out, Bit>,
    parts: [PartCompare; 4],
    carry_q: Delay<Bit>,
}

#[kernel]
impl Logic for ThresholdCompare {
    fn update(&mut self) {
        for i in 0..4 {
            self.parts[i].sum.next = self.sum.val().get_bits::<16>(i * 16);
            self.parts[i].threshold.next = self.threshold.val().get_bits::<16>(i * 16);
        }
        self.carry_q.d.next = self.sum.val().get_bit(64);
        self.reached.next = self.carry_q.q.val()
            | self.parts[3].above.val()
            | (!self.parts[3].below.val()
                & (self.parts[2].above.val()
                    | (!self.parts[2].below.val()
                        & (self.parts[1].above.val()
                            | (!self.parts[1].below.val() & !self.parts[0].below.val())))));
    }
}
