//! `FloatUnpack`: sign, exponent and significand of a FLOAT or DOUBLE.
//!
//! **Purpose.** After it both formats look the same: the exponent keeps its bias, the significand's top bit stands at
//! the same place.
//!
//! ```text
//!   single -->+-------------+--> sign, exponent, significand
//!   word   -->| FloatUnpack |
//!             +-------------+--> nan, infinite
//! ```
//!
//! **Contract.** Combinational. `word` is a DOUBLE, or has a FLOAT in its low half. The top bit of `significand` is the
//! hidden bit, which subnormal numbers and zeros do not have; their exponent is 1, as their other bits have the weight
//! of the smallest normal numbers' bits.
//!
//! **Internals.** Two slices and a choice.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Takes a number apart.
#[block]
pub struct FloatUnpack {
    /// FLOAT (else DOUBLE).
    pub single: Signal<In, Bit>,
    /// The number.
    pub word: Signal<In, Bits<64>>,
    /// Negative.
    pub sign: Signal<Out, Bit>,
    /// Biased exponent, at least 1.
    pub exponent: Signal<Out, Bits<11>>,
    /// Hidden bit and fraction; a FLOAT's low 29 bits are zero.
    pub significand: Signal<Out, Bits<53>>,
    /// Not a number.
    pub nan: Signal<Out, Bit>,
    /// An infinity.
    pub infinite: Signal<Out, Bit>,
    field: Signal<Local, Bits<11>>,
    fraction: Signal<Local, Bits<52>>,
    normal: Signal<Local, Bit>,
    special: Signal<Local, Bit>,
}

#[kernel]
impl Logic for FloatUnpack {
    fn update(&mut self) {
        self.sign.next = self.word.val().get_bit(63);
        self.field.next = self.word.val().get_bits::<11>(52);
        self.fraction.next = self.word.val().get_bits::<52>(0);
        self.special.next = self.field.val() == 0x7FF;
        if self.single.val() {
            self.sign.next = self.word.val().get_bit(31);
            self.field.next = bit_cast::<11, 8>(self.word.val().get_bits::<8>(23));
            self.fraction.next = bit_cast::<52, 23>(self.word.val().get_bits::<23>(0)) << 29;
            self.special.next = self.word.val().get_bits::<8>(23) == 0xFF;
        }
        self.normal.next = self.field.val().any();
        self.exponent.next = 1.into();
        self.significand.next = bit_cast::<53, 52>(self.fraction.val());
        if self.normal.val() {
            self.exponent.next = self.field.val();
            self.significand.next = bit_cast::<53, 52>(self.fraction.val()) | (bits::<53>(1) << 52);
        }
        self.nan.next = self.special.val() & self.fraction.val().any();
        self.infinite.next = self.special.val() & !self.fraction.val().any();
    }
}
