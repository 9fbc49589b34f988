//! `SerialUnit`: products and floating point sums of a beat, one after the other.
//!
//! **Purpose.** What is too large to be built eight or sixteen times: one [`Multiplier`], one [`FloatMultiplier`] and
//! one [`FloatAdder`] for the whole beat.
//!
//! ```text
//!                  +------------+
//!   request     -->|            |
//!   taken       -->|            |--> done
//!   product,    -->|            |
//!   float_product  | SerialUnit |
//!   complex,size-->|            |
//!   mask        -->|            |--> result
//!   old, source -->|            |
//!                  +------------+
//! ```
//!
//! **Contract.** `request` stands, with steady inputs, until the cycle of `taken`. `done` is up when all data that
//! `mask` touches are in `result`, until `taken`; the other bytes of `result` mean nothing. A product of integers
//! (`product`) works on 64-bit words of any size; a sum, and a product of floating point numbers (`float_product`), on
//! single DOUBLE (`size` 3) or FLOAT (2), or on the parts of `complex` ones.
//!
//! **Internals.** [`HalfPicker`] knows which half words wait. The adder takes one in every cycle, a multiplier the next
//! when it has given back the last. `open_q` counts what has not come back.
//!
//! ```text
//!   HalfPicker (index_q) -> word of old and source (a_q, b_q) -> Multiplier, FloatMultiplier or FloatAdder -> halves_q
//! ```
//!
//! Each part of a complex product is two products and their sum: of *(a + bi)(c + di)* the real part is *ac - bd*, the
//! imaginary part *ad + bc*, each rounded by itself. `phase_q` is the second product; `first_q` holds the first.

use super::float_adder::FloatAdder;
use super::float_multiplier::FloatMultiplier;
use super::half_picker::HalfPicker;
use super::multiplier::Multiplier;
use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Computes a beat datum by datum.
#[block]
pub struct SerialUnit {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// There is a beat to compute.
    pub request: Signal<In, Bit>,
    /// The result is taken: the next cycle's beat is another.
    pub taken: Signal<In, Bit>,
    /// Integer product.
    pub product: Signal<In, Bit>,
    /// Floating point product (without either: floating point sum).
    pub float_product: Signal<In, Bit>,
    /// Of complex numbers.
    pub complex: Signal<In, Bit>,
    /// log2 of the bytes of a datum, or of its parts.
    pub size: Signal<In, Bits<2>>,
    /// Bytes that take part.
    pub mask: Signal<In, Bits<64>>,
    /// Line in memory.
    pub old: Signal<In, Bits<512>>,
    /// The message's bytes.
    pub source: Signal<In, Bits<512>>,
    /// `result` is complete.
    pub done: Signal<Out, Bit>,
    /// The results.
    pub result: Signal<Out, Bits<512>>,
    picker: HalfPicker,
    multiplier: Multiplier,
    float_multiplier: FloatMultiplier,
    adder: FloatAdder,
    started_q: Reg<Bit>,
    open_q: Reg<Bits<5>>,
    picked_q: Delay<Bit>,
    index_q: Reg<Bits<4>>,
    issue_q: Delay<Bit>,
    issue_index_q: Reg<Bits<4>>,
    a_q: Delay<Bits<64>>,
    b_q: Delay<Bits<64>>,
    phase_q: Reg<Bit>,
    first_q: Reg<Bits<64>>,
    low_q: [Reg<Bits<32>>; 8],
    high_q: [Reg<Bits<32>>; 8],
    single: Signal<Local, Bit>,
    pick: Signal<Local, Bit>,
    crosswise: Signal<Local, Bit>,
    imaginary: Signal<Local, Bit>,
    old_index: Signal<Local, Bits<4>>,
    source_index: Signal<Local, Bits<4>>,
    part: Signal<Local, Bits<4>>,
    again: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    negated: Signal<Local, Bits<64>>,
    old_word: Signal<Local, Bits<64>>,
    source_word: Signal<Local, Bits<64>>,
    back: Signal<Local, Bit>,
    back_index: Signal<Local, Bits<4>>,
    back_word: Signal<Local, Bits<8>>,
    value: Signal<Local, Bits<64>>,
    write_low: Signal<Local, Bits<8>>,
    write_high: Signal<Local, Bits<8>>,
    upper: Signal<Local, Bits<32>>,
    low_half: Signal<Local, Bits<32>>,
    high_half: Signal<Local, Bits<32>>,
    joined: Signal<Local, Bits<64>>,
    beat: Signal<Local, Bits<512>>,
}

#[kernel]
impl Logic for SerialUnit {
    fn update(&mut self) {
        self.single.next = !self.product.val() & (self.size.val() == 2);

        // Pick a half word that waits; of a word, the lower half stands for both.
        self.started_q.en.next = self.request.val();
        self.started_q.d.next = !self.taken.val();
        self.picker.mask.next = self.mask.val();
        self.picker.single.next = self.single.val();
        self.picker.load.next = self.request.val() & !self.started_q.q.val();
        self.pick.next = self.picker.waiting.val()
            & (!(self.product.val() | self.float_product.val()) | !self.open_q.q.val().any());
        self.picker.take.next = self.pick.val();
        self.index_q.en.next = self.pick.val();
        self.index_q.d.next = self.picker.index.val();

        // Its words. A part of a complex product needs both parts of both numbers: of the old one first the real part,
        // of the source the same for a real part, the other one for an imaginary part.
        self.crosswise.next = self.float_product.val() & self.complex.val();
        self.part.next = 2.into();
        self.imaginary.next = self.index_q.q.val().get_bit(1);
        if self.single.val() {
            self.part.next = 1.into();
            self.imaginary.next = self.index_q.q.val().get_bit(0);
        }
        self.old_index.next = self.index_q.q.val();
        self.source_index.next = self.index_q.q.val();
        if self.crosswise.val() {
            self.old_index.next = self.index_q.q.val() & !self.part.val();
            self.source_index.next = self.index_q.q.val() & !self.part.val();
            if self.phase_q.q.val() {
                self.old_index.next = self.index_q.q.val() | self.part.val();
            }
            if self.phase_q.q.val() ^ self.imaginary.val() {
                self.source_index.next = self.index_q.q.val() | self.part.val();
            }
        }
        self.old_word.next = self.old.val().get_bits::<64>(0);
        match self.old_index.val().get_bits::<3>(1).index() {
            0 => {}
            1 => self.old_word.next = self.old.val().get_bits::<64>(64),
            2 => self.old_word.next = self.old.val().get_bits::<64>(128),
            3 => self.old_word.next = self.old.val().get_bits::<64>(192),
            4 => self.old_word.next = self.old.val().get_bits::<64>(256),
            5 => self.old_word.next = self.old.val().get_bits::<64>(320),
            6 => self.old_word.next = self.old.val().get_bits::<64>(384),
            _ => self.old_word.next = self.old.val().get_bits::<64>(448),
        }
        self.source_word.next = self.source.val().get_bits::<64>(0);
        match self.source_index.val().get_bits::<3>(1).index() {
            0 => {}
            1 => self.source_word.next = self.source.val().get_bits::<64>(64),
            2 => self.source_word.next = self.source.val().get_bits::<64>(128),
            3 => self.source_word.next = self.source.val().get_bits::<64>(192),
            4 => self.source_word.next = self.source.val().get_bits::<64>(256),
            5 => self.source_word.next = self.source.val().get_bits::<64>(320),
            6 => self.source_word.next = self.source.val().get_bits::<64>(384),
            _ => self.source_word.next = self.source.val().get_bits::<64>(448),
        }
        self.a_q.d.next = self.old_word.val();
        self.b_q.d.next = self.source_word.val();
        if self.old_index.val().get_bit(0) {
            self.a_q.d.next = self.old_word.val() >> 32;
        }
        if self.source_index.val().get_bit(0) {
            self.b_q.d.next = self.source_word.val() >> 32;
        }
        self.issue_q.d.next = self.picked_q.q.val();
        self.issue_index_q.en.next = self.picked_q.q.val();
        self.issue_index_q.d.next = self.index_q.q.val();

        // To the unit and back.
        self.multiplier.start.next = self.issue_q.q.val() & self.product.val();
        self.multiplier.size.next = self.size.val();
        self.multiplier.a.next = self.a_q.q.val();
        self.multiplier.b.next = self.b_q.q.val();
        self.float_multiplier.start.next = self.issue_q.q.val() & self.float_product.val();
        self.float_multiplier.single.next = self.single.val();
        self.float_multiplier.a.next = self.a_q.q.val();
        self.float_multiplier.b.next = self.b_q.q.val();
        self.again.next =
            self.float_multiplier.done.val() & self.crosswise.val() & !self.phase_q.q.val();
        self.second.next =
            self.float_multiplier.done.val() & self.crosswise.val() & self.phase_q.q.val();
        self.picked_q.d.next = self.pick.val() | self.again.val();
        self.phase_q.en.next = self.again.val() | self.second.val();
        self.phase_q.d.next = self.again.val();
        self.first_q.en.next = self.again.val();
        self.first_q.d.next = self.float_multiplier.product.val();
        self.adder.start.next =
            (self.issue_q.q.val() & !self.product.val() & !self.float_product.val())
                | self.second.val();
        self.adder.index.next = self.issue_index_q.q.val();
        self.adder.single.next = self.single.val();
        self.adder.a.next = self.a_q.q.val();
        self.adder.b.next = self.b_q.q.val();
        self.negated.next = self.float_multiplier.product.val() ^ (bits::<64>(1) << 63);
        if self.single.val() {
            self.negated.next = self.float_multiplier.product.val() ^ (bits::<64>(1) << 31);
        }
        if self.crosswise.val() {
            self.adder.a.next = self.first_q.q.val();
            self.adder.b.next = self.negated.val();
            if self.imaginary.val() {
                self.adder.b.next = self.float_multiplier.product.val();
            }
        }
        self.back.next = self.adder.done.val();
        self.back_index.next = self.adder.index_out.val();
        self.value.next = self.adder.sum.val();
        if self.product.val() {
            self.back.next = self.multiplier.done.val();
            self.back_index.next = self.issue_index_q.q.val();
            self.value.next = self.multiplier.product.val();
        }
        if self.float_product.val() & !self.complex.val() {
            self.back.next = self.float_multiplier.done.val();
            self.back_index.next = self.issue_index_q.q.val();
            self.value.next = self.float_multiplier.product.val();
        }
        self.open_q.en.next = self.pick.val() ^ self.back.val();
        self.open_q.d.next = self.open_q.q.val() - 1;
        if self.pick.val() {
            self.open_q.d.next = self.open_q.q.val() + 1;
        }

        // A FLOAT goes to one half, a word to both.
        self.back_word.next = bits::<8>(1) << self.back_index.val().get_bits::<3>(1);
        self.write_low.next = 0.into();
        self.write_high.next = 0.into();
        if self.back.val() {
            if !(self.single.val() & self.back_index.val().get_bit(0)) {
                self.write_low.next = self.back_word.val();
            }
            if !self.single.val() | self.back_index.val().get_bit(0) {
                self.write_high.next = self.back_word.val();
            }
        }
        self.upper.next = self.value.val().get_bits::<32>(32);
        if self.single.val() {
            self.upper.next = self.value.val().get_bits::<32>(0);
        }
        self.beat.next = 0.into();
        for i in 0..8 {
            self.low_q[i].en.next = self.write_low.val().get_bit(i);
            self.low_q[i].d.next = self.value.val().get_bits::<32>(0);
            self.high_q[i].en.next = self.write_high.val().get_bit(i);
            self.high_q[i].d.next = self.upper.val();
            // Each word comes in at the top and moves down.
            self.low_half.next = self.low_q[i].q.val();
            self.high_half.next = self.high_q[i].q.val();
            self.joined.next = (bit_cast::<64, 32>(self.high_half.val()) << 32)
                | bit_cast::<64, 32>(self.low_half.val());
            self.beat.next =
                (self.beat.val() >> 64) | (bit_cast::<512, 64>(self.joined.val()) << 448);
        }
        self.result.next = self.beat.val();
        self.done.next =
            self.started_q.q.val() & !self.picker.waiting.val() & !self.open_q.q.val().any();
    }
}
