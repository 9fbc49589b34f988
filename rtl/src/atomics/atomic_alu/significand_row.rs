//! `SignificandRow`: one row of a multiplication of significands, from the lowest bit of the multiplier up.
//!
//! **Purpose.** The step that [`FloatMultiplier`](super::FloatMultiplier) repeats for every bit of the multiplier.
//!
//! ```text
//!   multiplicand, digit -->+----------------+--> lowest
//!   total, carries      -->| SignificandRow |--> total_out, carries_out
//!                          +----------------+
//! ```
//!
//! **Contract.** Combinational. `2 (total_out + carries_out) + lowest = total + carries + (multiplicand if digit)`.
//!
//! **Internals.** Three summands become two without a carry chain (carry save). The sum's lowest bit is one of the
//! product's; what is left moves down, so the carries, which are a place higher, stay where they are.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Adds one partial product.
#[block]
pub struct SignificandRow {
    /// Multiplicand.
    pub multiplicand: Signal<In, Bits<53>>,
    /// This row's bit of the multiplier.
    pub digit: Signal<In, Bit>,
    /// Sum so far, without carries.
    pub total: Signal<In, Bits<53>>,
    /// Carries so far.
    pub carries: Signal<In, Bits<53>>,
    /// A bit of the product.
    pub lowest: Signal<Out, Bits<1>>,
    /// What is left of the sum, without carries.
    pub total_out: Signal<Out, Bits<53>>,
    /// Carries.
    pub carries_out: Signal<Out, Bits<53>>,
    row: Signal<Local, Bits<53>>,
    sum: Signal<Local, Bits<53>>,
}

#[kernel]
impl Logic for SignificandRow {
    fn update(&mut self) {
        self.row.next = 0.into();
        if self.digit.val() {
            self.row.next = self.multiplicand.val();
        }
        self.sum.next = self.total.val() ^ self.carries.val() ^ self.row.val();
        self.lowest.next = self.sum.val().get_bits::<1>(0);
        self.total_out.next = self.sum.val() >> 1;
        self.carries_out.next = (self.total.val() & self.carries.val())
            | (self.total.val() & self.row.val())
            | (self.carries.val() & self.row.val());
    }
}
