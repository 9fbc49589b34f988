//! `DatumTops`: where the top bits of the data in a 64-bit word are.
//!
//! **Purpose.** A word holds eight, four, two or one datum. What must not cross from one datum to the next is cut at
//! these bits.
//!
//! ```text
//!            +-----------+
//!   size --> | DatumTops |--> tops
//!            +-----------+
//! ```
//!
//! **Contract.** Combinational: bit *i* of `tops` is set if bit *i* of the word is the top bit of a datum of *2^size*
//! bytes. Shifted up by one, with bit 0 set, these are the lowest bits.
//!
//! **Internals.** One of four constants.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// A mask of top bits.
#[block]
pub struct DatumTops {
    /// log2 of the bytes of a datum.
    pub size: Signal<In, Bits<2>>,
    /// Top bit of each datum.
    pub tops: Signal<Out, Bits<64>>,
}

#[kernel]
impl Logic for DatumTops {
    fn update(&mut self) {
        match self.size.val().index() {
            0 => self.tops.next = 0x8080_8080_8080_8080_u64.into(),
            1 => self.tops.next = 0x8000_8000_8000_8000_u64.into(),
            2 => self.tops.next = 0x8000_0000_8000_0000_u64.into(),
            _ => self.tops.next = 0x8000_0000_0000_0000_u64.into(),
        }
    }
}
