//! `FloatMultiplier`: multiplies two FLOAT or two DOUBLE, one pair at a time.
//!
//! **Purpose.** The product of IEEE 754, rounded to nearest, ties to even, with subnormal numbers. Not a multiplier for
//! streams, as [`Multiplier`](super::Multiplier) is none. One for both formats: a FLOAT is a DOUBLE with fewer bits.
//!
//! ```text
//!            +-----------------+
//!   start -->|                 |
//!  single -->| FloatMultiplier |--> done
//!    a, b -->|                 |--> product
//!            +-----------------+
//! ```
//!
//! **Contract.** `start` takes a pair; FLOATs are in the low halves. `done` is up for one cycle in which `product` is
//! the result: 20 cycles later, and one more for each place by which the product of the significands has to be moved
//! (at most one if no number is subnormal, 65 for any). Between them there must be no other `start`. A NaN that comes
//! out is always the quiet one without sign and payload, also for zero times infinity. No flags.
//!
//! **Internals.** Significands by rows, four a cycle, without carry chains; the bits of the product take the places of
//! the digits that are used up. Then the sum and the carries are added in two halves. The product is moved by one place
//! a cycle: up until its top bit is set, or down until the exponent is one that there is; what falls off below is kept
//! as a sticky bit. [`FloatRound`] does the rest.
//!
//! ```text
//!   start | 4 rows (14 times) | add | add | move (1 and more) | FloatRound (3)
//! ```

use super::float_round::FloatRound;
use super::float_unpack::FloatUnpack;
use super::significand_row::SignificandRow;
use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::atomic::FloatSide;

/// Multiplies floating point numbers.
#[block]
pub struct FloatMultiplier {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; a product under way is lost.
    pub rst: Signal<In, Bit>,
    /// Pulse: multiply.
    pub start: Signal<In, Bit>,
    /// FLOAT in the low halves (else DOUBLE).
    pub single: Signal<In, Bit>,
    /// First factor.
    pub a: Signal<In, Bits<64>>,
    /// Second factor.
    pub b: Signal<In, Bits<64>>,
    /// Pulse: `product` is valid.
    pub done: Signal<Out, Bit>,
    /// The product.
    pub product: Signal<Out, Bits<64>>,
    first: FloatUnpack,
    second: FloatUnpack,
    row: [SignificandRow; 4],
    round: FloatRound,
    single_q: Reg<Bit>,
    sign_q: Reg<Bit>,
    nan_q: Reg<Bit>,
    infinite_q: Reg<Bit>,
    zero_q: Reg<Bit>,
    multiplicand_q: Reg<Bits<53>>,
    digits_q: Reg<Bits<56>>,
    total_q: Reg<Bits<53>>,
    carries_q: Reg<Bits<53>>,
    left_q: Reg<Bits<4>>,
    adding_q: Delay<Bits<2>>,
    low_q: Reg<Bits<28>>,
    moving_q: Reg<Bit>,
    product_q: Reg<Bits<106>>,
    /// Biased exponent of the product's top bit, in two's complement.
    exponent_q: Reg<Bits<13>>,
    zero_a: Signal<Local, Bit>,
    zero_b: Signal<Local, Bit>,
    rowing: Signal<Local, Bit>,
    fresh: Signal<Local, Bits<4>>,
    adding: Signal<Local, Bits<2>>,
    high: Signal<Local, Bits<26>>,
    joined: Signal<Local, Bits<53>>,
    exponent: Signal<Local, Bits<13>>,
    negative: Signal<Local, Bit>,
    low: Signal<Local, Bit>,
    deep: Signal<Local, Bit>,
    least: Signal<Local, Bit>,
    normal: Signal<Local, Bit>,
    settled: Signal<Local, Bit>,
    too_large: Signal<Local, Bit>,
    moved: Signal<Local, Bits<106>>,
    side: Signal<Local, FloatSide>,
    value: Signal<Local, Bits<57>>,
}

#[kernel]
impl Logic for FloatMultiplier {
    fn update(&mut self) {
        // Take apart.
        self.first.single.next = self.single.val();
        self.first.word.next = self.a.val();
        self.second.single.next = self.single.val();
        self.second.word.next = self.b.val();
        self.zero_a.next = !self.first.significand.val().any();
        self.zero_b.next = !self.second.significand.val().any();
        self.single_q.en.next = self.start.val();
        self.single_q.d.next = self.single.val();
        self.sign_q.en.next = self.start.val();
        self.sign_q.d.next = self.first.sign.val() ^ self.second.sign.val();
        self.nan_q.en.next = self.start.val();
        self.nan_q.d.next = self.first.nan.val()
            | self.second.nan.val()
            | (self.first.infinite.val() & self.zero_b.val())
            | (self.second.infinite.val() & self.zero_a.val());
        self.infinite_q.en.next = self.start.val();
        self.infinite_q.d.next = self.first.infinite.val() | self.second.infinite.val();
        self.zero_q.en.next = self.start.val();
        self.zero_q.d.next = self.zero_a.val() | self.zero_b.val();
        self.multiplicand_q.en.next = self.start.val();
        self.multiplicand_q.d.next = self.first.significand.val();

        // Rows.
        self.rowing.next = self.left_q.q.val().any();
        self.left_q.en.next = self.start.val() | self.rowing.val();
        self.left_q.d.next = self.left_q.q.val() - 1;
        if self.start.val() {
            self.left_q.d.next = 14.into();
        }
        self.row[0].total.next = self.total_q.q.val();
        self.row[0].carries.next = self.carries_q.q.val();
        for i in 1..4 {
            self.row[i].total.next = self.row[i - 1].total_out.val();
            self.row[i].carries.next = self.row[i - 1].carries_out.val();
        }
        self.fresh.next = 0.into();
        for i in 0..4 {
            self.row[i].multiplicand.next = self.multiplicand_q.q.val();
            self.row[i].digit.next = self.digits_q.q.val().get_bit(i);
            // Each bit comes in at the top and moves down.
            self.fresh.next =
                (self.fresh.val() >> 1) | (bit_cast::<4, 1>(self.row[i].lowest.val()) << 3);
        }
        self.digits_q.en.next = self.start.val() | self.rowing.val();
        self.digits_q.d.next =
            (self.digits_q.q.val() >> 4) | (bit_cast::<56, 4>(self.fresh.val()) << 52);
        self.total_q.en.next = self.start.val() | self.rowing.val();
        self.total_q.d.next = self.row[3].total_out.val();
        self.carries_q.en.next = self.start.val() | self.rowing.val();
        self.carries_q.d.next = self.row[3].carries_out.val();
        if self.start.val() {
            self.digits_q.d.next = bit_cast::<56, 53>(self.second.significand.val());
            self.total_q.d.next = 0.into();
            self.carries_q.d.next = 0.into();
        }

        // Add sum and carries, in two halves.
        self.adding.next = (self.adding_q.q.val() << 1) & 2;
        if self.left_q.q.val() == 1 {
            self.adding.next = self.adding.val() | 1;
        }
        self.adding_q.d.next = self.adding.val();
        self.low_q.en.next = self.adding_q.q.val().get_bit(0);
        self.low_q.d.next = bit_cast::<28, 27>(self.total_q.q.val().get_bits::<27>(0))
            + bit_cast::<28, 27>(self.carries_q.q.val().get_bits::<27>(0));
        self.high.next = self.total_q.q.val().get_bits::<26>(27)
            + self.carries_q.q.val().get_bits::<26>(27)
            + bit_cast::<26, 1>(self.low_q.q.val().get_bits::<1>(27));
        self.joined.next = (bit_cast::<53, 26>(self.high.val()) << 27)
            | bit_cast::<53, 27>(self.low_q.q.val().get_bits::<27>(0));

        // Move.
        self.exponent.next = self.exponent_q.q.val();
        self.negative.next = self.exponent.val().get_bit(12);
        self.low.next = self.negative.val() | !self.exponent.val().any();
        self.deep.next = self.negative.val() & !self.exponent.val().get_bits::<6>(6).all();
        self.least.next = self.exponent.val() == 1;
        self.normal.next = self.product_q.q.val().get_bit(105);
        self.settled.next = self.least.val() | (self.normal.val() & !self.low.val());
        self.moving_q.en.next =
            self.adding_q.q.val().get_bit(1) | (self.moving_q.q.val() & self.settled.val());
        self.moving_q.d.next = self.adding_q.q.val().get_bit(1);
        self.exponent_q.en.next = self.start.val()
            | self.adding_q.q.val().get_bit(0)
            | (self.moving_q.q.val() & !self.settled.val());
        self.product_q.en.next =
            self.adding_q.q.val().get_bit(1) | (self.moving_q.q.val() & !self.settled.val());
        self.moved.next = self.product_q.q.val() << 1;
        self.exponent_q.d.next = self.exponent.val() - 1;
        if self.low.val() {
            self.moved.next = (self.product_q.q.val() >> 1) | (self.product_q.q.val() & 1);
            self.exponent_q.d.next = self.exponent.val() + 1;
        }
        if self.deep.val() | self.zero_q.q.val() {
            // Nothing of it is left but that it is not zero.
            self.moved.next = 1.into();
            if self.zero_q.q.val() {
                self.moved.next = 0.into();
            }
            self.exponent_q.d.next = 1.into();
        }
        self.product_q.d.next = self.moved.val();
        if self.adding_q.q.val().get_bit(1) {
            self.product_q.d.next = (bit_cast::<106, 53>(self.joined.val()) << 56)
                | bit_cast::<106, 56>(self.digits_q.q.val());
        }
        if self.adding_q.q.val().get_bit(0) {
            // The bias, less the place by which the product's top bit is above that of its factors.
            self.exponent_q.d.next = self.exponent.val() - 1022;
            if self.single_q.q.val() {
                self.exponent_q.d.next = self.exponent.val() - 126;
            }
        }
        if self.start.val() {
            self.exponent_q.d.next = bit_cast::<13, 11>(self.first.exponent.val())
                + bit_cast::<13, 11>(self.second.exponent.val());
        }

        // Round.
        self.too_large.next = !self.negative.val()
            & (self.exponent.val().get_bit(11) | self.exponent.val().get_bits::<11>(0).all());
        if self.single_q.q.val() {
            self.too_large.next = !self.negative.val()
                & (self.exponent.val().get_bits::<4>(8).any()
                    | self.exponent.val().get_bits::<8>(0).all());
        }
        self.side.next.there = (self.moving_q.q.val() & self.settled.val()).into();
        self.side.next.index = 0.into();
        self.side.next.single = self.single_q.q.val().into();
        self.side.next.subtract = 0.into();
        self.side.next.sign = self.sign_q.q.val().into();
        self.side.next.nan = self.nan_q.q.val().into();
        self.side.next.infinite = (self.infinite_q.q.val() | self.too_large.val()).into();
        self.side.next.exponent = self.exponent.val().get_bits::<11>(0);
        self.value.next = self.product_q.q.val().get_bits::<57>(49);
        if self.product_q.q.val().get_bits::<49>(0).any() {
            self.value.next = self.product_q.q.val().get_bits::<57>(49) | 1;
        }
        self.round.side.next = self.side.val();
        self.round.value.next = self.value.val();
        self.done.next = self.round.done.val();
        self.product.next = self.round.sum.val();
    }
}
