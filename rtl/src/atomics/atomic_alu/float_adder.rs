//! `FloatAdder`: adds two FLOAT or two DOUBLE, one pair a cycle, in 14 steps.
//!
//! **Purpose.** The sum of IEEE 754, rounded to nearest, ties to even, with subnormal numbers. One adder for both
//! formats: a FLOAT is a DOUBLE with fewer bits, but for the last steps.
//!
//! ```text
//!              +------------+
//!   start   -->|            |--> done
//!   index   -->|            |
//!   single  -->| FloatAdder |--> index_out   (14 cycles later)
//!   a, b    -->|            |
//!              |            |--> sum
//!              +------------+
//! ```
//!
//! **Contract.** With `start` a pair is taken; 14 cycles later `done` is up, with its `index` and `sum`. FLOATs are in
//! the low halves. A NaN that comes out is always the quiet one without sign and payload (0x7FC00000,
//! 0x7FF8000000000000), also for infinity - infinity. No flags.
//!
//! **Internals.** The single path of the textbooks, without early outs:
//!
//! ```text
//!   FloatOrder (1-3) -> FloatAlign (4, 5) -> FloatSum (6, 7) -> FloatNormalise (8-11) -> FloatRound (12-14)
//! ```

use super::float_align::FloatAlign;
use super::float_normalise::FloatNormalise;
use super::float_order::FloatOrder;
use super::float_round::FloatRound;
use super::float_sum::FloatSum;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Adds floating point numbers.
#[block]
pub struct FloatAdder {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; what is under way is lost.
    pub rst: Signal<In, Bit>,
    /// Add this pair.
    pub start: Signal<In, Bit>,
    /// Comes back with the sum.
    pub index: Signal<In, Bits<4>>,
    /// FLOAT in the low halves (else DOUBLE).
    pub single: Signal<In, Bit>,
    /// First summand.
    pub a: Signal<In, Bits<64>>,
    /// Second summand.
    pub b: Signal<In, Bits<64>>,
    /// Pulse: `sum` is valid.
    pub done: Signal<Out, Bit>,
    /// The pair's.
    pub index_out: Signal<Out, Bits<4>>,
    /// The sum.
    pub sum: Signal<Out, Bits<64>>,
    order: FloatOrder,
    align: FloatAlign,
    add: FloatSum,
    normalise: FloatNormalise,
    round: FloatRound,
}

#[kernel]
impl Logic for FloatAdder {
    fn update(&mut self) {
        self.order.there.next = self.start.val();
        self.order.index.next = self.index.val();
        self.order.single.next = self.single.val();
        self.order.a.next = self.a.val();
        self.order.b.next = self.b.val();
        self.align.side.next = self.order.side.val();
        self.align.larger.next = self.order.larger.val();
        self.align.smaller.next = self.order.smaller.val();
        self.align.shift.next = self.order.shift.val();
        self.add.side.next = self.align.side_out.val();
        self.add.larger.next = self.align.larger_out.val();
        self.add.smaller.next = self.align.smaller_out.val();
        self.normalise.side.next = self.add.side_out.val();
        self.normalise.total.next = self.add.total.val();
        self.round.side.next = self.normalise.side_out.val();
        self.round.value.next = self.normalise.value.val();
        self.done.next = self.round.done.val();
        self.index_out.next = self.round.index.val();
        self.sum.next = self.round.sum.val();
    }
}
