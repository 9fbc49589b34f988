//! `Highest`: the highest of 64 bits that is set.
//!
//! **Purpose.** A priority choice whose delay grows with the logarithm of the number of bits, where a chain of choices
//! would grow with the number.
//!
//! ```text
//!   bits -->+---------+--> some
//!           | Highest |--> index
//!           +---------+
//! ```
//!
//! **Contract.** Combinational. `some`: a bit is set; `index`: the highest one, without meaning if there is none. Who
//! has fewer bits leaves the upper ones 0.
//!
//! **Internals.** A tree of fours: which of four groups has one, and which of its four parts is the highest that has,
//! for all groups at once; then the numbers of the highest group and of its highest part choose.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Priority encoder.
#[block]
pub struct Highest {
    /// Bits to choose from.
    pub bits: Signal<In, Bits<64>>,
    /// One is set.
    pub some: Signal<Out, Bit>,
    /// The highest.
    pub index: Signal<Out, Bits<6>>,

    /// A bit for each four bits: one is set; number of the highest.
    fours: Signal<Local, Bits<16>>,
    four_1: Signal<Local, Bits<16>>,
    four_0: Signal<Local, Bits<16>>,
    /// The same for each sixteen, of their fours.
    sixteens: Signal<Local, Bits<4>>,
    sixteen_1: Signal<Local, Bits<4>>,
    sixteen_0: Signal<Local, Bits<4>>,
    /// The highest sixteen and, in it, the highest four.
    group: Signal<Local, Bits<2>>,
    part: Signal<Local, Bits<4>>,
    at: Signal<Local, Bits<6>>,
}

#[kernel]
impl Logic for Highest {
    fn update(&mut self) {
        self.fours.next = 0.into();
        self.four_1.next = 0.into();
        self.four_0.next = 0.into();
        for i in 0..16 {
            self.fours.next = self
                .fours
                .val()
                .replace_bit(i, self.bits.val().get_bits::<4>(i * 4).any());
            self.four_1.next = self
                .four_1
                .val()
                .replace_bit(i, self.bits.val().get_bits::<2>(i * 4 + 2).any());
            self.four_0.next = self.four_0.val().replace_bit(
                i,
                self.bits.val().get_bit(i * 4 + 3)
                    | (!self.bits.val().get_bit(i * 4 + 2) & self.bits.val().get_bit(i * 4 + 1)),
            );
        }
        self.sixteens.next = 0.into();
        self.sixteen_1.next = 0.into();
        self.sixteen_0.next = 0.into();
        for i in 0..4 {
            self.sixteens.next = self
                .sixteens
                .val()
                .replace_bit(i, self.fours.val().get_bits::<4>(i * 4).any());
            self.sixteen_1.next = self
                .sixteen_1
                .val()
                .replace_bit(i, self.fours.val().get_bits::<2>(i * 4 + 2).any());
            self.sixteen_0.next = self.sixteen_0.val().replace_bit(
                i,
                self.fours.val().get_bit(i * 4 + 3)
                    | (!self.fours.val().get_bit(i * 4 + 2) & self.fours.val().get_bit(i * 4 + 1)),
            );
        }
        self.group.next = 0.into();
        if self.sixteens.val().get_bit(3) | self.sixteens.val().get_bit(2) {
            self.group.next = self.group.val() | 2;
        }
        if self.sixteens.val().get_bit(3)
            | (!self.sixteens.val().get_bit(2) & self.sixteens.val().get_bit(1))
        {
            self.group.next = self.group.val() | 1;
        }
        self.part.next = bit_cast::<4, 2>(self.group.val()) << 2;
        if self.sixteen_1.val().get_bit(self.group.val().index()) {
            self.part.next = self.part.val() | 2;
        }
        if self.sixteen_0.val().get_bit(self.group.val().index()) {
            self.part.next = self.part.val() | 1;
        }
        self.at.next = bit_cast::<6, 4>(self.part.val()) << 2;
        if self.four_1.val().get_bit(self.part.val().index()) {
            self.at.next = self.at.val() | 2;
        }
        if self.four_0.val().get_bit(self.part.val().index()) {
            self.at.next = self.at.val() | 1;
        }
        self.some.next = self.sixteens.val().any();
        self.index.next = self.at.val();
    }
}
