//! `ProductRow`: one row of a multiplication by rows, for the data of a 64-bit word.
//!
//! **Purpose.** The step that [`Multiplier`](super::Multiplier) repeats for every bit of the multiplier.
//!
//! ```text
//!   size, digits   -->+------------+--> a_out
//!   a              -->| ProductRow |
//!   total, carries -->+------------+--> total_out, carries_out
//! ```
//!
//! **Contract.** Combinational. In each datum,
//! `total_out + carries_out = total + carries + (a if its bytes are set in digits)`, without what is carried out of the
//! datum; `a_out` is `a` shifted up by one within its datum.
//!
//! **Internals.** Three summands become two without a carry chain (carry save): sums of single bits, and carries a
//! place higher.

use super::datum_tops::DatumTops;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Adds one partial product.
#[block]
pub struct ProductRow {
    /// log2 of the bytes of a datum.
    pub size: Signal<In, Bits<2>>,
    /// Multiplicand, shifted to the weight of this row.
    pub a: Signal<In, Bits<64>>,
    /// This row's bit of the multiplier, once for each byte of the datum.
    pub digits: Signal<In, Bits<8>>,
    /// Sum so far, without carries.
    pub total: Signal<In, Bits<64>>,
    /// Carries so far.
    pub carries: Signal<In, Bits<64>>,
    /// `a` for the next row.
    pub a_out: Signal<Out, Bits<64>>,
    /// Sum, without carries.
    pub total_out: Signal<Out, Bits<64>>,
    /// Carries.
    pub carries_out: Signal<Out, Bits<64>>,
    datum: DatumTops,
    lowest: Signal<Local, Bits<64>>,
    lane: Signal<Local, Bits<8>>,
    chosen: Signal<Local, Bits<64>>,
    row: Signal<Local, Bits<64>>,
    majority: Signal<Local, Bits<64>>,
}

#[kernel]
impl Logic for ProductRow {
    fn update(&mut self) {
        self.datum.size.next = self.size.val();
        self.lowest.next = (self.datum.tops.val() << 1) | 1;
        self.chosen.next = 0.into();
        for i in 0..8 {
            self.lane.next = 0.into();
            if self.digits.val().get_bit(i) {
                self.lane.next = 0xFF.into();
            }
            // Each byte comes in at the top and moves down.
            self.chosen.next =
                (self.chosen.val() >> 8) | (bit_cast::<64, 8>(self.lane.val()) << 56);
        }

        self.row.next = self.a.val() & self.chosen.val();
        self.total_out.next = self.total.val() ^ self.carries.val() ^ self.row.val();
        self.majority.next = (self.total.val() & self.carries.val())
            | (self.total.val() & self.row.val())
            | (self.carries.val() & self.row.val());
        self.carries_out.next = (self.majority.val() << 1) & !self.lowest.val();
        self.a_out.next = (self.a.val() << 1) & !self.lowest.val();
    }
}
