//! `DatumSpread`: gives every byte of a datum what one of its bytes has.
//!
//! **Purpose.** Turns a flag for each byte of a 64-bit word into a flag for each datum.
//!
//! ```text
//!              +-------------+
//!   size    -->|             |
//!   flags   -->| DatumSpread |--> spread
//!              +-------------+
//! ```
//!
//! **Contract.** Combinational: bit *i* of `spread` is set if `flags` has a bit set in the datum (of *2^size* bytes) to
//! which byte *i* belongs.
//!
//! **Internals.** Neighbours are joined in twos, fours, and all eight; `size` picks.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Joins the flags of a datum's bytes.
#[block]
pub struct DatumSpread {
    /// log2 of the bytes of a datum.
    pub size: Signal<In, Bits<2>>,
    /// One bit per byte.
    pub flags: Signal<In, Bits<8>>,
    /// One bit per byte, the same for all bytes of a datum.
    pub spread: Signal<Out, Bits<8>>,
    twos: Signal<Local, Bits<8>>,
    fours: Signal<Local, Bits<8>>,
    eight: Signal<Local, Bits<8>>,
}

#[kernel]
impl Logic for DatumSpread {
    fn update(&mut self) {
        self.twos.next =
            self.flags.val() | ((self.flags.val() & 0x55) << 1) | ((self.flags.val() & 0xAA) >> 1);
        self.fours.next =
            self.twos.val() | ((self.twos.val() & 0x33) << 2) | ((self.twos.val() & 0xCC) >> 2);
        self.eight.next = self.fours.val() | (self.fours.val() << 4) | (self.fours.val() >> 4);
        match self.size.val().index() {
            0 => self.spread.next = self.flags.val(),
            1 => self.spread.next = self.twos.val(),
            2 => self.spread.next = self.fours.val(),
            _ => self.spread.next = self.eight.val(),
        }
    }
}
