//! `RingSize`: tests the size that somebody wants a ring to have.
//!
//! **Purpose.** Rings have a power of two of places. The usual test, `x & (x - 1)`, has a carry chain as long as `x` is
//! wide; here the delay grows with the logarithm.
//!
//! ```text
//!   wanted -->+----------+--> size
//!             | RingSize |--> last
//!             +----------+
//! ```
//!
//! **Contract.** Combinational. `size`: `wanted` if it is a power of two, else 0, no ring; `last`: the last index of a
//! ring of that size, without meaning if there is none.
//!
//! **Internals.** Each step finds for a bit whether any of twice as many below it is set; then a bit that is set above
//! another spoils the size, and the bits with none at or below them are the last index.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Test of a ring's size.
#[block]
pub struct RingSize {
    /// Size that is asked for.
    pub wanted: Signal<In, Bits<32>>,
    /// The same, or 0 if it is no power of two.
    pub size: Signal<Out, Bits<32>>,
    /// `size` - 1.
    pub last: Signal<Out, Bits<32>>,
    of_2: Signal<Local, Bits<32>>,
    of_4: Signal<Local, Bits<32>>,
    of_8: Signal<Local, Bits<32>>,
    of_16: Signal<Local, Bits<32>>,
    of_32: Signal<Local, Bits<32>>,
    above: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for RingSize {
    fn update(&mut self) {
        self.of_2.next = self.wanted.val() | (self.wanted.val() << 1);
        self.of_4.next = self.of_2.val() | (self.of_2.val() << 2);
        self.of_8.next = self.of_4.val() | (self.of_4.val() << 4);
        self.of_16.next = self.of_8.val() | (self.of_8.val() << 8);
        self.of_32.next = self.of_16.val() | (self.of_16.val() << 16);
        self.last.next = !self.of_32.val();
        self.above.next = self.wanted.val() & (self.of_32.val() << 1);
        self.size.next = self.wanted.val();
        if self.above.val().any() {
            self.size.next = 0.into();
        }
    }
}
