//! `FloatSum`: steps 6 and 7 of a floating point addition: adds or subtracts the significands.
//!
//! **Purpose.** The carry chain of [`FloatAdder`](super::FloatAdder).
//!
//! ```text
//!   side            -->+----------+--> side_out
//!   larger, smaller -->| FloatSum |                (two cycles later)
//!                      +----------+--> total
//! ```
//!
//! **Contract.** `total = larger + smaller`, or `larger - smaller` if `side.subtract`; `smaller` is not the larger.
//!
//! **Internals.** In halves of 28 bits, one a step. A subtraction adds the complement and 1; its carry out, which is
//! always 1, is dropped.

use crate::leaf::Delay;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::atomic::FloatSide;

/// After step 6.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct HalfSum {
    low: Bits<29>,
    larger: Bits<28>,
    smaller: Bits<28>,
}

/// Adds significands.
#[block]
pub struct FloatSum {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// What goes along.
    pub side: Signal<In, FloatSide>,
    /// The larger.
    pub larger: Signal<In, Bits<56>>,
    /// The smaller.
    pub smaller: Signal<In, Bits<56>>,
    /// What goes along.
    pub side_out: Signal<Out, FloatSide>,
    /// Sum or difference.
    pub total: Signal<Out, Bits<57>>,
    side_1_q: Delay<FloatSide>,
    side_2_q: Delay<FloatSide>,
    half_q: Delay<HalfSum>,
    total_q: Delay<Bits<57>>,
    summand: Signal<Local, Bits<56>>,
    half: Signal<Local, HalfSum>,
    low: Signal<Local, Bits<29>>,
    high: Signal<Local, Bits<29>>,
    top: Signal<Local, Bits<1>>,
}

#[kernel]
impl Logic for FloatSum {
    fn update(&mut self) {
        self.side_1_q.d.next = self.side.val();
        self.side_2_q.d.next = self.side_1_q.q.val();

        self.summand.next = self.smaller.val();
        if self.side.val().subtract.any() {
            self.summand.next = !self.smaller.val();
        }
        self.half.next.low = bit_cast::<29, 28>(self.larger.val().get_bits::<28>(0))
            + bit_cast::<29, 28>(self.summand.val().get_bits::<28>(0))
            + bit_cast::<29, 1>(self.side.val().subtract);
        self.half.next.larger = self.larger.val().get_bits::<28>(28);
        self.half.next.smaller = self.summand.val().get_bits::<28>(28);
        self.half_q.d.next = self.half.val();

        self.low.next = self.half_q.q.val().low;
        self.high.next = bit_cast::<29, 28>(self.half_q.q.val().larger)
            + bit_cast::<29, 28>(self.half_q.q.val().smaller)
            + bit_cast::<29, 1>(self.low.val().get_bits::<1>(28));
        self.top.next = self.high.val().get_bits::<1>(28);
        if self.side_1_q.q.val().subtract.any() {
            self.top.next = 0.into();
        }
        self.total_q.d.next = (bit_cast::<57, 1>(self.top.val()) << 56)
            | (bit_cast::<57, 28>(self.high.val().get_bits::<28>(0)) << 28)
            | bit_cast::<57, 28>(self.low.val().get_bits::<28>(0));

        self.side_out.next = self.side_2_q.q.val();
        self.total.next = self.total_q.q.val();
    }
}
