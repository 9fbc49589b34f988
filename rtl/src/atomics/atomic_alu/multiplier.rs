//! `Multiplier`: multiplies the data of two 64-bit words, each datum for itself, four bits a cycle.
//!
//! **Purpose.** The product of integers of 1, 2, 4 or 8 bytes; it wraps, so signed and unsigned are the same. Not a
//! multiplier for streams: products are the rarest of atomic operations, and 64 rows in a pipeline would take twenty
//! times the area.
//!
//! ```text
//!            +------------+
//!   start -->|            |
//!   size  -->|            |--> product
//!   a     -->| Multiplier |
//!   b     -->|            |--> done
//!            +------------+
//! ```
//!
//! **Contract.** `start` takes `a`, `b` and `size`; `done` is up for one cycle in which `product` is the result, *2 w +
//! 5* cycles later for data of *w* bytes. Between them there must be no other `start`.
//!
//! **Internals.** Schoolbook: for each bit of `b` a row, `a` shifted, is added. [`ProductRow`] adds without carry
//! chains, four times a cycle; [`RowDigits`] has found the bits a cycle before; in the end [`DatumAdder`] adds sum and
//! carries.
//!
//! ```text
//!   start | digits | 4 rows | 4 rows | ... | add | add | add | done
//! ```

use super::datum_adder::DatumAdder;
use super::product_row::ProductRow;
use super::row_digits::RowDigits;
use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// The state between two cycles.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Rows {
    a: Bits<64>,
    total: Bits<64>,
    carries: Bits<64>,
}

/// Multiplies by rows.
#[block]
pub struct Multiplier {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; a product under way is lost.
    pub rst: Signal<In, Bit>,
    /// Pulse: multiply.
    pub start: Signal<In, Bit>,
    /// log2 of the bytes of a datum.
    pub size: Signal<In, Bits<2>>,
    /// Multiplicands.
    pub a: Signal<In, Bits<64>>,
    /// Multipliers.
    pub b: Signal<In, Bits<64>>,
    /// Pulse: `product` is valid.
    pub done: Signal<Out, Bit>,
    /// Products.
    pub product: Signal<Out, Bits<64>>,
    row_digits: [RowDigits; 4],
    row: [ProductRow; 4],
    adder: DatumAdder,
    b_q: Reg<Bits<64>>,
    digits_q: [Delay<Bits<8>>; 4],
    rows_q: Reg<Rows>,
    size_q: Reg<Bits<2>>,
    left_q: Reg<Bits<5>>,
    rowing_q: Delay<Bit>,
    adding_q: Delay<Bits<4>>,
    busy: Signal<Local, Bit>,
    finish: Signal<Local, Bit>,
    rows: Signal<Local, Rows>,
}

#[kernel]
impl Logic for Multiplier {
    fn update(&mut self) {
        // Cycles of digits that are left: a quarter of the bits of a datum.
        self.busy.next = self.left_q.q.val().any();
        self.left_q.en.next = self.start.val() | self.busy.val();
        self.left_q.d.next = self.left_q.q.val() - 1;
        if self.start.val() {
            self.left_q.d.next = bits::<5>(2) << self.size.val();
        }
        self.size_q.en.next = self.start.val();
        self.size_q.d.next = self.size.val();

        // The digits of four rows. What moves into the top of a datum comes from the next one; it is not looked at
        // before the datum's own bits are gone.
        self.b_q.en.next = self.start.val() | self.busy.val();
        self.b_q.d.next = self.b_q.q.val() >> 4;
        if self.start.val() {
            self.b_q.d.next = self.b.val();
        }
        self.row_digits[0].b.next = self.b_q.q.val();
        self.row_digits[1].b.next = self.b_q.q.val() >> 1;
        self.row_digits[2].b.next = self.b_q.q.val() >> 2;
        self.row_digits[3].b.next = self.b_q.q.val() >> 3;
        self.rowing_q.d.next = self.busy.val();

        // The four rows, one after the other, a cycle later.
        self.row[0].a.next = self.rows_q.q.val().a;
        self.row[0].total.next = self.rows_q.q.val().total;
        self.row[0].carries.next = self.rows_q.q.val().carries;
        for i in 1..4 {
            self.row[i].a.next = self.row[i - 1].a_out.val();
            self.row[i].total.next = self.row[i - 1].total_out.val();
            self.row[i].carries.next = self.row[i - 1].carries_out.val();
        }
        for i in 0..4 {
            self.row_digits[i].size.next = self.size_q.q.val();
            self.digits_q[i].d.next = self.row_digits[i].digits.val();
            self.row[i].size.next = self.size_q.q.val();
            self.row[i].digits.next = self.digits_q[i].q.val();
        }
        self.rows.next.a = self.row[3].a_out.val();
        self.rows.next.total = self.row[3].total_out.val();
        self.rows.next.carries = self.row[3].carries_out.val();
        if self.start.val() {
            self.rows.next.a = self.a.val();
            self.rows.next.total = 0.into();
            self.rows.next.carries = 0.into();
        }
        self.rows_q.en.next = self.start.val() | self.rowing_q.q.val();
        self.rows_q.d.next = self.rows.val();
        self.finish.next = self.rowing_q.q.val() & !self.busy.val();

        // The adder takes a step in every cycle; a bit that moves along says when its result is the product.
        self.adder.en.next = true;
        self.adder.size.next = self.size_q.q.val();
        self.adder.a.next = self.rows_q.q.val().total;
        self.adder.b.next = self.rows_q.q.val().carries;
        self.adding_q.d.next = self.adding_q.q.val() << 1;
        if self.finish.val() {
            self.adding_q.d.next = (self.adding_q.q.val() << 1) | 1;
        }
        self.done.next = self.adding_q.q.val().get_bit(3);
        self.product.next = self.adder.sum.val();
    }
}
