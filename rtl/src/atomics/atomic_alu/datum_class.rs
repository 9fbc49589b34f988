//! `DatumClass`: which data of a 64-bit word are zero, and which are NaN, in three steps.
//!
//! **Purpose.** What logical operations and comparisons of floating point numbers need to know of a datum beside its
//! order.
//!
//! ```text
//!            +------------+
//!   en    -->|            |
//!   size  -->|            |--> set
//!   float -->| DatumClass |          (three enabled cycles later)
//!   word  -->|            |--> nan
//!            +------------+
//! ```
//!
//! **Contract.** A step is taken at a rising edge with `en`; three steps later `set` and `nan` have a bit for each
//! byte, the same for all bytes of a datum. `set`: the datum is not zero; a floating point zero may have either sign.
//! `nan`: a floating point datum that is no number.
//!
//! **Internals.** Step 1 takes off the signs. Step 2 looks at single bytes, exponents and fractions; step 3 joins them
//! to data.

use super::datum_spread::DatumSpread;
use super::datum_tops::DatumTops;
use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// The word after step 1.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Magnitudes {
    size: Bits<2>,
    float: Bit,
    word: Bits<64>,
}

/// What step 2 finds.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Parts {
    size: Bits<2>,
    set: Bits<8>,
    low_nan: Bit,
    high_nan: Bit,
    double_exponent: Bit,
    double_fraction: Bit,
    float: Bit,
}

/// Distinguishes zeros and NaNs.
#[block]
pub struct DatumClass {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Take a step at this edge.
    pub en: Signal<In, Bit>,
    /// log2 of the bytes of a datum.
    pub size: Signal<In, Bits<2>>,
    /// Floating point (`size` is 2 or 3).
    pub float: Signal<In, Bit>,
    /// The data.
    pub word: Signal<In, Bits<64>>,
    /// One bit per byte: its datum is not zero.
    pub set: Signal<Out, Bits<8>>,
    /// One bit per byte: its datum is a NaN.
    pub nan: Signal<Out, Bits<8>>,
    datum: DatumTops,
    magnitudes_q: Reg<Magnitudes>,
    parts_q: Reg<Parts>,
    set_q: Reg<Bits<8>>,
    nan_q: Reg<Bits<8>>,
    joined: DatumSpread,
    magnitudes: Signal<Local, Magnitudes>,
    magnitude: Signal<Local, Bits<64>>,
    ones: Signal<Local, Bits<64>>,
    bytes: Signal<Local, Bits<8>>,
    parts: Signal<Local, Parts>,
    double_nan: Signal<Local, Bit>,
}

#[kernel]
impl Logic for DatumClass {
    fn update(&mut self) {
        self.magnitudes_q.en.next = self.en.val();
        self.parts_q.en.next = self.en.val();
        self.set_q.en.next = self.en.val();
        self.nan_q.en.next = self.en.val();

        self.datum.size.next = self.size.val();
        self.magnitudes.next.size = self.size.val();
        self.magnitudes.next.float = self.float.val();
        self.magnitudes.next.word = self.word.val();
        if self.float.val() {
            self.magnitudes.next.word = self.word.val() & !self.datum.tops.val();
        }
        self.magnitudes_q.d.next = self.magnitudes.val();

        // All ones become all zeros, for which there is a test.
        self.magnitude.next = self.magnitudes_q.q.val().word;
        self.ones.next = !self.magnitude.val();
        self.bytes.next = 0.into();
        for i in 0..8 {
            self.bytes.next = self
                .bytes
                .val()
                .replace_bit(i, self.magnitude.val().get_bits::<8>(i * 8).any());
        }
        self.parts.next.size = self.magnitudes_q.q.val().size;
        self.parts.next.float = self.magnitudes_q.q.val().float;
        self.parts.next.set = self.bytes.val();
        self.parts.next.low_nan =
            !self.ones.val().get_bits::<8>(23).any() & self.magnitude.val().get_bits::<23>(0).any();
        self.parts.next.high_nan = !self.ones.val().get_bits::<8>(55).any()
            & self.magnitude.val().get_bits::<23>(32).any();
        self.parts.next.double_exponent = !self.ones.val().get_bits::<11>(52).any();
        self.parts.next.double_fraction = self.magnitude.val().get_bits::<52>(0).any();
        self.parts_q.d.next = self.parts.val();

        self.joined.size.next = self.parts_q.q.val().size;
        self.joined.flags.next = self.parts_q.q.val().set;
        self.set_q.d.next = self.joined.spread.val();
        self.double_nan.next =
            self.parts_q.q.val().double_exponent & self.parts_q.q.val().double_fraction;
        self.nan_q.d.next = 0.into();
        if self.parts_q.q.val().float {
            if self.parts_q.q.val().size == 3 {
                if self.double_nan.val() {
                    self.nan_q.d.next = 0xFF.into();
                }
            } else {
                if self.parts_q.q.val().low_nan & self.parts_q.q.val().high_nan {
                    self.nan_q.d.next = 0xFF.into();
                } else if self.parts_q.q.val().low_nan {
                    self.nan_q.d.next = 0x0F.into();
                } else if self.parts_q.q.val().high_nan {
                    self.nan_q.d.next = 0xF0.into();
                }
            }
        }
        self.set.next = self.set_q.q.val();
        self.nan.next = self.nan_q.q.val();
    }
}
