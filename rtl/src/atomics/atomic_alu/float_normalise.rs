//! `FloatNormalise`: steps 8 to 11 of a floating point addition: shifts the sum up until its top bit is set.
//!
//! **Purpose.** The part of [`FloatAdder`](super::FloatAdder) that finds the exponent of the sum, also of subnormal
//! ones.
//!
//! ```text
//!   side  -->+----------------+--> side_out
//!   total -->| FloatNormalise |                (four cycles later)
//!            +----------------+--> value
//! ```
//!
//! **Contract.** `value` is `total` shifted left by as many places as it has zeros at the top, but not by more than
//! `side.exponent`; `side_out.exponent` is `side.exponent + 1` less these places. If the top bit of `value` is 0, the
//! sum is subnormal or zero, and its exponent is 1.
//!
//! **Internals.** Step 8 counts zero bytes, step 9 shifts by bytes, step 10 counts zeros in the top byte, step 11
//! shifts by bits. The limit is split in the same way: it bounds the bytes, and the bits only if the bytes have reached
//! it.

use crate::leaf::Delay;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::atomic::FloatSide;

/// The sum and its distance from the limit, after steps 8 to 10.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Shifting {
    total: Bits<57>,
    /// Places of the next shift: bytes after step 8, bits after step 10.
    places: Bits<3>,
    /// Most bits that step 11 may shift.
    limit: Bits<3>,
}

/// Normalises a sum.
#[block]
pub struct FloatNormalise {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// What goes along; its exponent is that of bit 55 of `total`.
    pub side: Signal<In, FloatSide>,
    /// Sum of the significands.
    pub total: Signal<In, Bits<57>>,
    /// What goes along; its exponent is that of the top bit of `value`.
    pub side_out: Signal<Out, FloatSide>,
    /// Sum, top bit set unless subnormal.
    pub value: Signal<Out, Bits<57>>,
    side_8_q: Delay<FloatSide>,
    side_9_q: Delay<FloatSide>,
    side_10_q: Delay<FloatSide>,
    side_11_q: Delay<FloatSide>,
    bytes_q: Delay<Shifting>,
    coarse_q: Delay<Shifting>,
    bits_q: Delay<Shifting>,
    value_q: Delay<Bits<57>>,
    counted: Signal<Local, Shifting>,
    by_bytes: Signal<Local, FloatSide>,
    places: Signal<Local, Bits<3>>,
    room: Signal<Local, Bits<8>>,
    wide: Signal<Local, Bits<57>>,
    coarse: Signal<Local, Shifting>,
    shifted: Signal<Local, Bits<57>>,
    top: Signal<Local, Bits<8>>,
    zeros: Signal<Local, Bits<3>>,
    fine: Signal<Local, Shifting>,
    by_bits: Signal<Local, FloatSide>,
    last: Signal<Local, Bits<57>>,
}

#[kernel]
impl Logic for FloatNormalise {
    fn update(&mut self) {
        // Step 8: bytes of zeros at the top; byte 7 has only one bit.
        self.counted.next.total = self.total.val();
        self.counted.next.limit = 0.into();
        self.counted.next.places = 7.into();
        if self.total.val().get_bits::<8>(49).any() {
            self.counted.next.places = 0.into();
        } else if self.total.val().get_bits::<8>(41).any() {
            self.counted.next.places = 1.into();
        } else if self.total.val().get_bits::<8>(33).any() {
            self.counted.next.places = 2.into();
        } else if self.total.val().get_bits::<8>(25).any() {
            self.counted.next.places = 3.into();
        } else if self.total.val().get_bits::<8>(17).any() {
            self.counted.next.places = 4.into();
        } else if self.total.val().get_bits::<8>(9).any() {
            self.counted.next.places = 5.into();
        } else if self.total.val().get_bits::<8>(1).any() {
            self.counted.next.places = 6.into();
        }
        self.bytes_q.d.next = self.counted.val();
        self.side_8_q.d.next = self.side.val();

        // Step 9: by bytes, as far as the exponent goes.
        self.by_bytes.next = self.side_8_q.q.val();
        self.room.next = bit_cast::<8, 11>(self.by_bytes.val().exponent >> 3);
        self.places.next = self.bytes_q.q.val().places;
        self.coarse.next.places = 0.into();
        self.coarse.next.limit = 7.into();
        if bit_cast::<8, 3>(self.places.val()) >= self.room.val() {
            self.places.next = bit_cast::<3, 8>(self.room.val());
            self.coarse.next.limit = bit_cast::<3, 11>(self.by_bytes.val().exponent);
        }
        self.wide.next = self.bytes_q.q.val().total;
        match self.places.val().index() {
            0 => self.coarse.next.total = self.wide.val(),
            1 => self.coarse.next.total = self.wide.val() << 8,
            2 => self.coarse.next.total = self.wide.val() << 16,
            3 => self.coarse.next.total = self.wide.val() << 24,
            4 => self.coarse.next.total = self.wide.val() << 32,
            5 => self.coarse.next.total = self.wide.val() << 40,
            6 => self.coarse.next.total = self.wide.val() << 48,
            _ => self.coarse.next.total = self.wide.val() << 56,
        }
        self.by_bytes.next.exponent =
            self.side_8_q.q.val().exponent - (bit_cast::<11, 3>(self.places.val()) << 3);
        self.coarse_q.d.next = self.coarse.val();
        self.side_9_q.d.next = self.by_bytes.val();

        // Step 10: zeros in the top byte; if it has only zeros, the limit counts.
        self.fine.next = self.coarse_q.q.val();
        self.shifted.next = self.coarse_q.q.val().total;
        self.top.next = self.shifted.val().get_bits::<8>(49);
        self.zeros.next = 7.into();
        if self.top.val().get_bit(7) {
            self.zeros.next = 0.into();
        } else if self.top.val().get_bit(6) {
            self.zeros.next = 1.into();
        } else if self.top.val().get_bit(5) {
            self.zeros.next = 2.into();
        } else if self.top.val().get_bit(4) {
            self.zeros.next = 3.into();
        } else if self.top.val().get_bit(3) {
            self.zeros.next = 4.into();
        } else if self.top.val().get_bit(2) {
            self.zeros.next = 5.into();
        } else if self.top.val().get_bit(1) {
            self.zeros.next = 6.into();
        }
        self.fine.next.places = self.zeros.val();
        if self.zeros.val() > self.coarse_q.q.val().limit {
            self.fine.next.places = self.coarse_q.q.val().limit;
        }
        self.bits_q.d.next = self.fine.val();
        self.side_10_q.d.next = self.side_9_q.q.val();

        // Step 11: by bits.
        self.last.next = self.bits_q.q.val().total;
        match self.bits_q.q.val().places.index() {
            0 => self.value_q.d.next = self.last.val(),
            1 => self.value_q.d.next = self.last.val() << 1,
            2 => self.value_q.d.next = self.last.val() << 2,
            3 => self.value_q.d.next = self.last.val() << 3,
            4 => self.value_q.d.next = self.last.val() << 4,
            5 => self.value_q.d.next = self.last.val() << 5,
            6 => self.value_q.d.next = self.last.val() << 6,
            _ => self.value_q.d.next = self.last.val() << 7,
        }
        self.by_bits.next = self.side_10_q.q.val();
        self.by_bits.next.exponent =
            self.side_10_q.q.val().exponent + 1 - bit_cast::<11, 3>(self.bits_q.q.val().places);
        self.side_11_q.d.next = self.by_bits.val();

        self.side_out.next = self.side_11_q.q.val();
        self.value.next = self.value_q.q.val();
    }
}
