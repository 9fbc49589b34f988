//! `DatumOrder`: compares the data of two 64-bit words, each datum for itself, in three steps.
//!
//! **Purpose.** The order of integers, and of floating point numbers but for NaN and the two zeros, which
//! [`DatumClass`](super::DatumClass) reports.
//!
//! ```text
//!                       +------------+
//!   en               -->|            |
//!   size             -->|            |--> less
//!   twos_complement  -->| DatumOrder |           (three enabled cycles later)
//!   float            -->|            |--> equal
//!   a, b             -->|            |
//!                       +------------+
//! ```
//!
//! **Contract.** A step is taken at a rising edge with `en`; three steps later `less` (*a* < *b*) and `equal` (the same
//! bits) have a flag for each datum: at its lowest byte; the other bytes have 0.
//!
//! **Internals.** Step 1 makes keys that compare as unsigned numbers ([`OrderKey`]). Step 2 compares single bytes. Step
//! 3 joins bytes to twos, fours and eight.

use super::order_key::OrderKey;
use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// After step 1.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Keys {
    size: Bits<2>,
    a: Bits<64>,
    b: Bits<64>,
}

/// After step 2: one bit per byte.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct ByteOrder {
    size: Bits<2>,
    less: Bits<8>,
    equal: Bits<8>,
}

/// Compares in lanes of 1, 2, 4 or 8 bytes.
#[block]
pub struct DatumOrder {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Take a step at this edge.
    pub en: Signal<In, Bit>,
    /// log2 of the bytes of a datum.
    pub size: Signal<In, Bits<2>>,
    /// Two's complement.
    pub twos_complement: Signal<In, Bit>,
    /// Floating point (`size` is 2 or 3).
    pub float: Signal<In, Bit>,
    /// Data on the left.
    pub a: Signal<In, Bits<64>>,
    /// Data on the right.
    pub b: Signal<In, Bits<64>>,
    /// At the lowest byte of each datum: *a* < *b*.
    pub less: Signal<Out, Bits<8>>,
    /// At the lowest byte of each datum: *a* and *b* have the same bits.
    pub equal: Signal<Out, Bits<8>>,
    a_key: OrderKey,
    b_key: OrderKey,
    keys_q: Reg<Keys>,
    bytes_q: Reg<ByteOrder>,
    less_q: Reg<Bits<8>>,
    equal_q: Reg<Bits<8>>,
    keys: Signal<Local, Keys>,
    a_1: Signal<Local, Bits<64>>,
    b_1: Signal<Local, Bits<64>>,
    less_1: Signal<Local, Bits<8>>,
    equal_1: Signal<Local, Bits<8>>,
    bytes: Signal<Local, ByteOrder>,
    less_2: Signal<Local, Bits<8>>,
    equal_2: Signal<Local, Bits<8>>,
    less_4: Signal<Local, Bits<8>>,
    equal_4: Signal<Local, Bits<8>>,
    less_8: Signal<Local, Bits<8>>,
    equal_8: Signal<Local, Bits<8>>,
}

#[kernel]
impl Logic for DatumOrder {
    fn update(&mut self) {
        self.keys_q.en.next = self.en.val();
        self.bytes_q.en.next = self.en.val();
        self.less_q.en.next = self.en.val();
        self.equal_q.en.next = self.en.val();

        self.a_key.size.next = self.size.val();
        self.a_key.twos_complement.next = self.twos_complement.val();
        self.a_key.float.next = self.float.val();
        self.a_key.word.next = self.a.val();
        self.b_key.size.next = self.size.val();
        self.b_key.twos_complement.next = self.twos_complement.val();
        self.b_key.float.next = self.float.val();
        self.b_key.word.next = self.b.val();
        self.keys.next.size = self.size.val();
        self.keys.next.a = self.a_key.key.val();
        self.keys.next.b = self.b_key.key.val();
        self.keys_q.d.next = self.keys.val();

        self.a_1.next = self.keys_q.q.val().a;
        self.b_1.next = self.keys_q.q.val().b;
        self.less_1.next = 0.into();
        self.equal_1.next = 0.into();
        for i in 0..8 {
            self.less_1.next = self.less_1.val().replace_bit(
                i,
                self.a_1.val().get_bits::<8>(i * 8) < self.b_1.val().get_bits::<8>(i * 8),
            );
            self.equal_1.next = self.equal_1.val().replace_bit(
                i,
                self.a_1.val().get_bits::<8>(i * 8) == self.b_1.val().get_bits::<8>(i * 8),
            );
        }
        self.bytes.next.size = self.keys_q.q.val().size;
        self.bytes.next.less = self.less_1.val();
        self.bytes.next.equal = self.equal_1.val();
        self.bytes_q.d.next = self.bytes.val();

        // The upper of two neighbours decides, the lower if the upper is equal. The result is kept at the lower.
        self.less_2.next = ((self.bytes_q.q.val().less >> 1)
            | ((self.bytes_q.q.val().equal >> 1) & self.bytes_q.q.val().less))
            & 0x55;
        self.equal_2.next = (self.bytes_q.q.val().equal >> 1) & self.bytes_q.q.val().equal & 0x55;
        self.less_4.next =
            ((self.less_2.val() >> 2) | ((self.equal_2.val() >> 2) & self.less_2.val())) & 0x11;
        self.equal_4.next = (self.equal_2.val() >> 2) & self.equal_2.val() & 0x11;
        self.less_8.next =
            ((self.less_4.val() >> 4) | ((self.equal_4.val() >> 4) & self.less_4.val())) & 0x01;
        self.equal_8.next = (self.equal_4.val() >> 4) & self.equal_4.val() & 0x01;
        match self.bytes_q.q.val().size.index() {
            0 => {
                self.less_q.d.next = self.bytes_q.q.val().less;
                self.equal_q.d.next = self.bytes_q.q.val().equal;
            }
            1 => {
                self.less_q.d.next = self.less_2.val();
                self.equal_q.d.next = self.equal_2.val();
            }
            2 => {
                self.less_q.d.next = self.less_4.val();
                self.equal_q.d.next = self.equal_4.val();
            }
            _ => {
                self.less_q.d.next = self.less_8.val();
                self.equal_q.d.next = self.equal_8.val();
            }
        }
        self.less.next = self.less_q.q.val();
        self.equal.next = self.equal_q.q.val();
    }
}
