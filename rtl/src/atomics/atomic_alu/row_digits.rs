//! `RowDigits`: one bit of the multiplier of each datum in a 64-bit word.
//!
//! **Purpose.** What decides, in a multiplication by rows, whether the multiplicand is added. A cycle before the row,
//! because it takes as long.
//!
//! ```text
//!   size -->+-----------+
//!           | RowDigits |--> digits
//!   b    -->+-----------+
//! ```
//!
//! **Contract.** Combinational: each byte of `digits`, a bit, has the lowest bit of the datum to which it belongs.
//!
//! **Internals.** The lowest bits of bytes, without those that begin no datum; [`DatumSpread`] copies them.

use super::datum_spread::DatumSpread;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Lowest bits of data.
#[block]
pub struct RowDigits {
    /// log2 of the bytes of a datum.
    pub size: Signal<In, Bits<2>>,
    /// Multiplier, this row's bit lowest in each datum.
    pub b: Signal<In, Bits<64>>,
    /// One bit per byte, the same for all bytes of a datum.
    pub digits: Signal<Out, Bits<8>>,
    lowest: Signal<Local, Bits<8>>,
    spread: DatumSpread,
}

#[kernel]
impl Logic for RowDigits {
    fn update(&mut self) {
        self.lowest.next = 0.into();
        for i in 0..8 {
            self.lowest.next = self
                .lowest
                .val()
                .replace_bit(i, self.b.val().get_bit(i * 8));
        }
        self.spread.size.next = self.size.val();
        match self.size.val().index() {
            0 => self.spread.flags.next = self.lowest.val(),
            1 => self.spread.flags.next = self.lowest.val() & 0x55,
            2 => self.spread.flags.next = self.lowest.val() & 0x11,
            _ => self.spread.flags.next = self.lowest.val() & 0x01,
        }
        self.digits.next = self.spread.spread.val();
    }
}
