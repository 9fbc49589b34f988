//! `OrderKey`: unsigned numbers in the order of the data of a 64-bit word.
//!
//! **Purpose.** So that one comparison serves unsigned, signed and floating point data.
//!
//! ```text
//!   size                   -->+----------+
//!   twos_complement, float -->| OrderKey |--> key
//!   word                   -->+----------+
//! ```
//!
//! **Contract.** Combinational. The keys of two data have, as unsigned numbers, the order of the data; -0.0 comes
//! before 0.0, NaNs lie beyond the infinities.
//!
//! **Internals.** Two's complement: turn the top bit. Floating point (a magnitude with a sign): turn all bits if
//! negative, else the top bit.

use super::datum_tops::DatumTops;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Keys of one word.
#[block]
pub struct OrderKey {
    /// log2 of the bytes of a datum.
    pub size: Signal<In, Bits<2>>,
    /// Two's complement.
    pub twos_complement: Signal<In, Bit>,
    /// Floating point (`size` is 2 or 3).
    pub float: Signal<In, Bit>,
    /// The data.
    pub word: Signal<In, Bits<64>>,
    /// Unsigned numbers in the same order.
    pub key: Signal<Out, Bits<64>>,
    datum: DatumTops,
    turn: Signal<Local, Bits<64>>,
}

#[kernel]
impl Logic for OrderKey {
    fn update(&mut self) {
        self.datum.size.next = self.size.val();
        self.turn.next = 0.into();
        if self.twos_complement.val() | self.float.val() {
            self.turn.next = self.datum.tops.val();
        }
        if self.float.val() {
            if self.word.val().get_bit(63) {
                self.turn.next = self.turn.val() | 0xFFFF_FFFF_0000_0000_u64;
                if self.size.val() == 3 {
                    self.turn.next = 0xFFFF_FFFF_FFFF_FFFF_u64.into();
                }
            }
            if self.word.val().get_bit(31) & (self.size.val() == 2) {
                self.turn.next = self.turn.val() | 0x0000_0000_FFFF_FFFF_u64;
            }
        }
        self.key.next = self.word.val() ^ self.turn.val();
    }
}
