//! `KeepBytes`: how many bytes the last beat of an AXI stream packet holds.
//!
//! **Purpose.** Turns `tkeep` into a number, and compares it with the number that is wanted. Only for streams that fill
//! their beats from lane 0.
//!
//! ```text
//!            +-----------+--> bytes  (0 to 64)
//!   keep  -->| KeepBytes |
//!  wanted -->|           |--> exact, more
//!            +-----------+
//! ```
//!
//! **Contract.** Combinational. `bytes` is the number of ones if they are all in the lowest lanes; a `keep` with a hole
//! is malformed and gives 0. `exact`: it is `wanted`; `more`: it is greater. `wanted` is 0 to 64.
//!
//! **Internals.** In a run of ones from lane 0, bit 63 distinguishes 64 from less, bit 31 says 32 or more, and so on
//! in the half that is left: six multiplexers, no adder. A hole is a one above a zero. The comparison does not wait for
//! the number: `wanted`, which is known long before, is turned into as many ones, and bits are compared.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Number of bytes from the keep bits of a beat.
#[block]
pub struct KeepBytes {
    /// Bit i: lane i holds a byte.
    pub keep: Signal<In, Bits<64>>,
    /// Bytes that are wanted, 0 to 64.
    pub wanted: Signal<In, Bits<7>>,
    /// Bytes, 0 to 64.
    pub bytes: Signal<Out, Bits<7>>,
    /// They are as many as wanted.
    pub exact: Signal<Out, Bit>,
    /// They are more.
    pub more: Signal<Out, Bit>,
    half32: Signal<Local, Bits<31>>,
    half16: Signal<Local, Bits<15>>,
    half8: Signal<Local, Bits<7>>,
    half4: Signal<Local, Bits<3>>,
    half2: Signal<Local, Bits<1>>,
    below64: Signal<Local, Bits<7>>,
    shifted: Signal<Local, Bits<64>>,
    holes: Signal<Local, Bits<64>>,
    ones: Signal<Local, Bits<64>>,
    wanted_keep: Signal<Local, Bits<64>>,
    malformed: Signal<Local, Bit>,
}

#[kernel]
impl Logic for KeepBytes {
    fn update(&mut self) {
        self.below64.next = 0.into();
        self.half32.next = self.keep.val().get_bits::<31>(0);
        if self.keep.val().get_bit(31) {
            self.half32.next = self.keep.val().get_bits::<31>(32);
            self.below64.next = 32.into();
        }
        self.half16.next = self.half32.val().get_bits::<15>(0);
        if self.half32.val().get_bit(15) {
            self.half16.next = self.half32.val().get_bits::<15>(16);
            self.below64.next = self.below64.val() | 16;
        }
        self.half8.next = self.half16.val().get_bits::<7>(0);
        if self.half16.val().get_bit(7) {
            self.half8.next = self.half16.val().get_bits::<7>(8);
            self.below64.next = self.below64.val() | 8;
        }
        self.half4.next = self.half8.val().get_bits::<3>(0);
        if self.half8.val().get_bit(3) {
            self.half4.next = self.half8.val().get_bits::<3>(4);
            self.below64.next = self.below64.val() | 4;
        }
        self.half2.next = self.half4.val().get_bits::<1>(0);
        if self.half4.val().get_bit(1) {
            self.half2.next = self.half4.val().get_bits::<1>(2);
            self.below64.next = self.below64.val() | 2;
        }
        if self.half2.val().any() {
            self.below64.next = self.below64.val() | 1;
        }

        self.shifted.next = (self.keep.val() << 1) | 1;
        self.holes.next = self.keep.val() & !self.shifted.val();
        self.bytes.next = self.below64.val();
        if self.keep.val().get_bit(63) {
            self.bytes.next = 64.into();
        }
        self.malformed.next = self.holes.val().any();
        if self.malformed.val() {
            self.bytes.next = 0.into();
        }

        self.ones.next = 0.into();
        self.wanted_keep.next = !(!self.ones.val() << self.wanted.val());
        self.exact.next = self.keep.val() == self.wanted_keep.val();
        self.more.next = (self.keep.val() & !self.wanted_keep.val()).any() & !self.malformed.val();
        if self.malformed.val() {
            self.exact.next = !self.wanted.val().any();
        }
    }
}
