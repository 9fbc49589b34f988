//! `OperandCopies`: the operand of a single datum, once for each datum of a 64-bit word.
//!
//! **Purpose.** CSWAP to CSWAP_GT and MSWAP work on one datum, wherever it stands in the beat. With a copy of the
//! operand at every place nobody has to shift it there.
//!
//! ```text
//!   size    -->+---------------+
//!              | OperandCopies |--> copies
//!   operand -->+---------------+
//! ```
//!
//! **Contract.** Combinational. The low *2^size* bytes of `operand` fill `copies`.
//!
//! **Internals.** Doubled as often as the datum is smaller than a word.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Repeats a datum.
#[block]
pub struct OperandCopies {
    /// log2 of the bytes of a datum.
    pub size: Signal<In, Bits<2>>,
    /// The datum, in the low bytes.
    pub operand: Signal<In, Bits<64>>,
    /// The datum at every place.
    pub copies: Signal<Out, Bits<64>>,
    two: Signal<Local, Bits<16>>,
    four: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for OperandCopies {
    fn update(&mut self) {
        self.two.next = self.operand.val().get_bits::<16>(0);
        if self.size.val() == 0 {
            self.two.next = bit_cast::<16, 8>(self.operand.val().get_bits::<8>(0))
                | (bit_cast::<16, 8>(self.operand.val().get_bits::<8>(0)) << 8);
        }
        self.four.next = self.operand.val().get_bits::<32>(0);
        if self.size.val() < 2 {
            self.four.next =
                bit_cast::<32, 16>(self.two.val()) | (bit_cast::<32, 16>(self.two.val()) << 16);
        }
        self.copies.next = self.operand.val();
        if self.size.val() < 3 {
            self.copies.next =
                bit_cast::<64, 32>(self.four.val()) | (bit_cast::<64, 32>(self.four.val()) << 32);
        }
    }
}
