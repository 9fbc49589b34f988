//! `FloatOrder`: the first three steps of a floating point addition: the larger magnitude first.
//!
//! **Purpose.** The part of [`FloatAdder`](super::FloatAdder) that looks at exponents, signs and special values; after
//! it there are significands.
//!
//! ```text
//!                    +------------+--> side
//!   there, index --> |            |--> larger
//!   single       --> | FloatOrder |--> smaller    (three cycles later)
//!   a, b         --> |            |--> shift
//!                    +------------+
//! ```
//!
//! **Contract.** `side.sign` and `side.exponent` are those of the number with the larger magnitude, whose significand
//! is `larger`; `smaller` has to be shifted right by `shift`, where 63 stands for all that is more. An infinity is
//! larger than every number; the sum of two infinities of different sign is not a number.
//!
//! **Internals.** Step 1 takes the numbers apart. Step 2 compares exponents and significands, as one number in two
//! halves, and subtracts the exponents both ways. Step 3 puts the numbers in order.

use super::float_unpack::FloatUnpack;
use crate::leaf::Delay;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::atomic::FloatSide;

/// Two numbers, after step 1 and again after step 2.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Numbers {
    there: Bits<1>,
    index: Bits<4>,
    single: Bits<1>,
    a_sign: Bit,
    b_sign: Bit,
    a_exponent: Bits<11>,
    b_exponent: Bits<11>,
    a_significand: Bits<53>,
    b_significand: Bits<53>,
    nan: Bit,
    a_infinite: Bit,
    b_infinite: Bit,
}

/// How the numbers compare, after step 2.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Comparison {
    low_less: Bit,
    high_less: Bit,
    high_equal: Bit,
    a_minus_b: Bits<11>,
    b_minus_a: Bits<11>,
}

/// Orders two numbers by magnitude.
#[block]
pub struct FloatOrder {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// There is an addition.
    pub there: Signal<In, Bit>,
    /// Comes back with the sum.
    pub index: Signal<In, Bits<4>>,
    /// FLOAT in the low halves (else DOUBLE).
    pub single: Signal<In, Bit>,
    /// First summand.
    pub a: Signal<In, Bits<64>>,
    /// Second summand.
    pub b: Signal<In, Bits<64>>,
    /// What goes along.
    pub side: Signal<Out, FloatSide>,
    /// Significand of the larger magnitude.
    pub larger: Signal<Out, Bits<53>>,
    /// Significand of the smaller.
    pub smaller: Signal<Out, Bits<53>>,
    /// Places by which `smaller` is too high.
    pub shift: Signal<Out, Bits<6>>,
    a_parts: FloatUnpack,
    b_parts: FloatUnpack,
    numbers_1_q: Delay<Numbers>,
    numbers_2_q: Delay<Numbers>,
    comparison_q: Delay<Comparison>,
    side_q: Delay<FloatSide>,
    larger_q: Delay<Bits<53>>,
    smaller_q: Delay<Bits<53>>,
    shift_q: Delay<Bits<6>>,
    taken: Signal<Local, Numbers>,
    one: Signal<Local, Numbers>,
    a_significand: Signal<Local, Bits<53>>,
    b_significand: Signal<Local, Bits<53>>,
    a_high: Signal<Local, Bits<32>>,
    b_high: Signal<Local, Bits<32>>,
    comparison: Signal<Local, Comparison>,
    two: Signal<Local, Numbers>,
    found: Signal<Local, Comparison>,
    b_larger: Signal<Local, Bit>,
    difference: Signal<Local, Bits<11>>,
    ordered: Signal<Local, FloatSide>,
}

#[kernel]
impl Logic for FloatOrder {
    fn update(&mut self) {
        // Step 1.
        self.a_parts.single.next = self.single.val();
        self.a_parts.word.next = self.a.val();
        self.b_parts.single.next = self.single.val();
        self.b_parts.word.next = self.b.val();
        self.taken.next.there = self.there.val().into();
        self.taken.next.index = self.index.val();
        self.taken.next.single = self.single.val().into();
        self.taken.next.a_sign = self.a_parts.sign.val();
        self.taken.next.b_sign = self.b_parts.sign.val();
        self.taken.next.a_exponent = self.a_parts.exponent.val();
        self.taken.next.b_exponent = self.b_parts.exponent.val();
        self.taken.next.a_significand = self.a_parts.significand.val();
        self.taken.next.b_significand = self.b_parts.significand.val();
        self.taken.next.nan = self.a_parts.nan.val() | self.b_parts.nan.val();
        self.taken.next.a_infinite = self.a_parts.infinite.val();
        self.taken.next.b_infinite = self.b_parts.infinite.val();
        self.numbers_1_q.d.next = self.taken.val();

        // Step 2: exponent and upper 21 bits of the significand, lower 32 bits.
        self.one.next = self.numbers_1_q.q.val();
        self.a_significand.next = self.one.val().a_significand;
        self.b_significand.next = self.one.val().b_significand;
        self.a_high.next = (bit_cast::<32, 11>(self.one.val().a_exponent) << 21)
            | bit_cast::<32, 21>(self.a_significand.val().get_bits::<21>(32));
        self.b_high.next = (bit_cast::<32, 11>(self.one.val().b_exponent) << 21)
            | bit_cast::<32, 21>(self.b_significand.val().get_bits::<21>(32));
        self.comparison.next.low_less =
            self.a_significand.val().get_bits::<32>(0) < self.b_significand.val().get_bits::<32>(0);
        self.comparison.next.high_less = self.a_high.val() < self.b_high.val();
        self.comparison.next.high_equal = self.a_high.val() == self.b_high.val();
        self.comparison.next.a_minus_b = self.one.val().a_exponent - self.one.val().b_exponent;
        self.comparison.next.b_minus_a = self.one.val().b_exponent - self.one.val().a_exponent;
        self.comparison_q.d.next = self.comparison.val();
        self.numbers_2_q.d.next = self.one.val();

        // Step 3.
        self.two.next = self.numbers_2_q.q.val();
        self.found.next = self.comparison_q.q.val();
        self.b_larger.next =
            self.found.val().high_less | (self.found.val().high_equal & self.found.val().low_less);
        self.ordered.next.there = self.two.val().there;
        self.ordered.next.index = self.two.val().index;
        self.ordered.next.single = self.two.val().single;
        self.ordered.next.subtract = (self.two.val().a_sign ^ self.two.val().b_sign).into();
        self.ordered.next.nan = (self.two.val().nan
            | (self.two.val().a_infinite
                & self.two.val().b_infinite
                & (self.two.val().a_sign ^ self.two.val().b_sign)))
            .into();
        self.ordered.next.infinite = (self.two.val().a_infinite | self.two.val().b_infinite).into();
        self.ordered.next.sign = self.two.val().a_sign.into();
        self.ordered.next.exponent = self.two.val().a_exponent;
        self.larger_q.d.next = self.two.val().a_significand;
        self.smaller_q.d.next = self.two.val().b_significand;
        self.difference.next = self.found.val().a_minus_b;
        if self.b_larger.val() {
            self.ordered.next.sign = self.two.val().b_sign.into();
            self.ordered.next.exponent = self.two.val().b_exponent;
            self.larger_q.d.next = self.two.val().b_significand;
            self.smaller_q.d.next = self.two.val().a_significand;
            self.difference.next = self.found.val().b_minus_a;
        }
        self.side_q.d.next = self.ordered.val();
        self.shift_q.d.next = self.difference.val().get_bits::<6>(0);
        if self.difference.val().get_bits::<5>(6).any() {
            self.shift_q.d.next = 63.into();
        }

        self.side.next = self.side_q.q.val();
        self.larger.next = self.larger_q.q.val();
        self.smaller.next = self.smaller_q.q.val();
        self.shift.next = self.shift_q.q.val();
    }
}
