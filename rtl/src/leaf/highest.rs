//! `Highest`: the highest of 64 bits that is set.
//!
//! **Purpose.** A priority choice whose delay grows with the logarithm of the number of bits, where a chain of choices would grow with the number.
//!
//! ```text
//!   bits -->+---------+--> some
//!           | Highest |--> index
//!           +---------+
//! ```
//!
//! **Contract.** Combinational. `some`: a bit is set; `index`: the highest one, without meaning if there is none. Who has fewer bits leaves the upper ones 0.
//!
//! **Internals.** Six steps: is there one in the upper half? Then it is in that half, else in the lower.

use rust_hdl::prelude::*;

/// Priority encoder.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct Highest {
    /// Bits to choose from.
    pub bits: Signal<In, Bits<64>>,
    /// One is set.
    pub some: Signal<Out, Bit>,
    /// The highest.
    pub index: Signal<Out, Bits<6>>,

    upper_32: Signal<Local, Bits<32>>,
    half_32: Signal<Local, Bits<32>>,
    upper_16: Signal<Local, Bits<16>>,
    half_16: Signal<Local, Bits<16>>,
    upper_8: Signal<Local, Bits<8>>,
    half_8: Signal<Local, Bits<8>>,
    upper_4: Signal<Local, Bits<4>>,
    half_4: Signal<Local, Bits<4>>,
    upper_2: Signal<Local, Bits<2>>,
    half_2: Signal<Local, Bits<2>>,
    at: Signal<Local, Bits<6>>,
}

impl Logic for Highest {
    #[hdl_gen]
    fn update(&mut self) {
        self.at.next = 0.into();
        self.upper_32.next = self.bits.val().get_bits::<32>(32);
        self.half_32.next = self.bits.val().get_bits::<32>(0);
        if self.upper_32.val().any() {
            self.half_32.next = self.upper_32.val();
            self.at.next = self.at.val() | 32;
        }
        self.upper_16.next = self.half_32.val().get_bits::<16>(16);
        self.half_16.next = self.half_32.val().get_bits::<16>(0);
        if self.upper_16.val().any() {
            self.half_16.next = self.upper_16.val();
            self.at.next = self.at.val() | 16;
        }
        self.upper_8.next = self.half_16.val().get_bits::<8>(8);
        self.half_8.next = self.half_16.val().get_bits::<8>(0);
        if self.upper_8.val().any() {
            self.half_8.next = self.upper_8.val();
            self.at.next = self.at.val() | 8;
        }
        self.upper_4.next = self.half_8.val().get_bits::<4>(4);
        self.half_4.next = self.half_8.val().get_bits::<4>(0);
        if self.upper_4.val().any() {
            self.half_4.next = self.upper_4.val();
            self.at.next = self.at.val() | 4;
        }
        self.upper_2.next = self.half_4.val().get_bits::<2>(2);
        self.half_2.next = self.half_4.val().get_bits::<2>(0);
        if self.upper_2.val().any() {
            self.half_2.next = self.upper_2.val();
            self.at.next = self.at.val() | 2;
        }
        if self.half_2.val().get_bit(1) {
            self.at.next = self.at.val() | 1;
        }
        self.some.next = self.bits.val().any();
        self.index.next = self.at.val();
    }
}
