//! `FloatRound`: steps 12 to 14 of a floating point addition: rounds to nearest, ties to even, and puts the number
//! together.
//!
//! **Purpose.** The last part of [`FloatAdder`](super::FloatAdder), and of [`FloatMultiplier`](super::FloatMultiplier).
//!
//! ```text
//!   side  -->+------------+--> done, index
//!   value -->| FloatRound |                  (three cycles later)
//!            +------------+--> sum
//! ```
//!
//! **Contract.** `sum` is a DOUBLE, or a FLOAT in the low half below zeros. A NaN is always the quiet one without sign
//! and payload. A sum that is exactly zero is +0, unless both summands were -0. What is too large becomes an infinity.
//!
//! **Internals.** Exponent and fraction side by side are one number, and the next number is the next float: so rounding
//! up is adding 1, and carries into the exponent, to the smallest normal number and to infinity by itself. Step 12 cuts
//! and decides, steps 13 and 14 add in two halves.

use crate::leaf::Delay;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::atomic::FloatSide;

/// The number but for its sign, after step 12.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Cut {
    there: Bits<1>,
    index: Bits<4>,
    single: Bits<1>,
    sign: Bits<1>,
    nan: Bit,
    infinite: Bit,
    number: Bits<63>,
    round_up: Bits<1>,
}

/// The number with its low half rounded, after step 13.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct HalfRounded {
    low: Bits<33>,
    high: Bits<31>,
}

/// Rounds a sum.
#[block]
pub struct FloatRound {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// What goes along; its exponent is that of the top bit of `value`.
    pub side: Signal<In, FloatSide>,
    /// Sum, top bit set unless subnormal.
    pub value: Signal<In, Bits<57>>,
    /// Pulse: `sum` is valid.
    pub done: Signal<Out, Bit>,
    /// As it was given.
    pub index: Signal<Out, Bits<4>>,
    /// The sum.
    pub sum: Signal<Out, Bits<64>>,
    cut_q: Delay<Cut>,
    along_q: Delay<Cut>,
    half_q: Delay<HalfRounded>,
    done_q: Delay<Bits<1>>,
    index_q: Delay<Bits<4>>,
    sum_q: Delay<Bits<64>>,
    field: Signal<Local, Bits<11>>,
    cut: Signal<Local, Cut>,
    guard: Signal<Local, Bit>,
    sticky: Signal<Local, Bit>,
    odd: Signal<Local, Bit>,
    number: Signal<Local, Bits<63>>,
    half: Signal<Local, HalfRounded>,
    along: Signal<Local, Cut>,
    low: Signal<Local, Bits<33>>,
    low_bits: Signal<Local, Bits<32>>,
    high: Signal<Local, Bits<31>>,
}

#[kernel]
impl Logic for FloatRound {
    fn update(&mut self) {
        // Step 12.
        self.field.next = 0.into();
        if self.value.val().get_bit(56) {
            self.field.next = self.side.val().exponent;
        }
        self.cut.next.there = self.side.val().there;
        self.cut.next.index = self.side.val().index;
        self.cut.next.single = self.side.val().single;
        self.cut.next.sign = self.side.val().sign;
        if self.side.val().subtract.any() & !self.value.val().any() {
            self.cut.next.sign = 0.into();
        }
        self.cut.next.nan = self.side.val().nan.any();
        if self.side.val().single.any() {
            self.cut.next.infinite = self.side.val().infinite.any() | (self.field.val() == 0xFF);
            self.cut.next.number = (bit_cast::<63, 11>(self.field.val()) << 23)
                | bit_cast::<63, 23>(self.value.val().get_bits::<23>(33));
            self.odd.next = self.value.val().get_bit(33);
            self.guard.next = self.value.val().get_bit(32);
            self.sticky.next = self.value.val().get_bits::<32>(0).any();
        } else {
            self.cut.next.infinite = self.side.val().infinite.any() | (self.field.val() == 0x7FF);
            self.cut.next.number = (bit_cast::<63, 11>(self.field.val()) << 52)
                | bit_cast::<63, 52>(self.value.val().get_bits::<52>(4));
            self.odd.next = self.value.val().get_bit(4);
            self.guard.next = self.value.val().get_bit(3);
            self.sticky.next = self.value.val().get_bits::<3>(0).any();
        }
        self.cut.next.round_up = (self.guard.val() & (self.sticky.val() | self.odd.val())).into();
        self.cut_q.d.next = self.cut.val();

        // Step 13.
        self.number.next = self.cut_q.q.val().number;
        self.half.next.low = bit_cast::<33, 32>(self.number.val().get_bits::<32>(0))
            + bit_cast::<33, 1>(self.cut_q.q.val().round_up);
        self.half.next.high = self.number.val().get_bits::<31>(32);
        self.half_q.d.next = self.half.val();
        self.along_q.d.next = self.cut_q.q.val();

        // Step 14.
        self.along.next = self.along_q.q.val();
        self.low.next = self.half_q.q.val().low;
        self.low_bits.next = self.low.val().get_bits::<32>(0);
        self.high.next =
            self.half_q.q.val().high + bit_cast::<31, 1>(self.low.val().get_bits::<1>(32));
        if self.along.val().single.any() {
            self.sum_q.d.next = bit_cast::<64, 32>(self.low_bits.val())
                | (bit_cast::<64, 1>(self.along.val().sign) << 31);
            if self.along.val().infinite {
                self.sum_q.d.next =
                    (bit_cast::<64, 1>(self.along.val().sign) << 31) | 0x7F80_0000_u64;
            }
            if self.along.val().nan {
                self.sum_q.d.next = 0x7FC0_0000_u64.into();
            }
        } else {
            self.sum_q.d.next = (bit_cast::<64, 1>(self.along.val().sign) << 63)
                | (bit_cast::<64, 31>(self.high.val()) << 32)
                | bit_cast::<64, 32>(self.low_bits.val());
            if self.along.val().infinite {
                self.sum_q.d.next =
                    (bit_cast::<64, 1>(self.along.val().sign) << 63) | 0x7FF0_0000_0000_0000_u64;
            }
            if self.along.val().nan {
                self.sum_q.d.next = 0x7FF8_0000_0000_0000_u64.into();
            }
        }
        self.done_q.d.next = self.along.val().there;
        self.index_q.d.next = self.along.val().index;
        self.done.next = self.done_q.q.val().any();
        self.index.next = self.index_q.q.val();
        self.sum.next = self.sum_q.q.val();
    }
}
