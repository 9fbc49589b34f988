//! `Lowest`: the lowest of up to 16 bits that is set.
//!
//! **Purpose.** A priority choice whose delay grows with the logarithm of the number of bits. `x & -x` says the same,
//! but its carry chain is as long as `x` is wide, and neither end of a carry chain is near to other logic.
//!
//! ```text
//!   bits -->+--------+--> first
//!           | Lowest |--> above
//!           +--------+
//! ```
//!
//! **Contract.** Combinational. `first`: the lowest bit of `bits` alone, zero if there is none; `above`: all bits above
//! it.
//!
//! **Internals.** Each step finds for a bit whether any of twice as many below it is set; four steps reach all of them.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Lowest of `N` bits, 16 at most.
#[block]
#[check((1..=16).contains(&N), "Lowest: {N} bits, must be 1 to 16")]
pub struct Lowest<const N: usize> {
    /// Bits to choose from.
    pub bits: Signal<In, Bits<N>>,
    /// The lowest that is set, alone.
    pub first: Signal<Out, Bits<N>>,
    /// All above it; none if none is set.
    pub above: Signal<Out, Bits<N>>,
    of_2: Signal<Local, Bits<N>>,
    of_4: Signal<Local, Bits<N>>,
    of_8: Signal<Local, Bits<N>>,
    of_16: Signal<Local, Bits<N>>,
    below: Signal<Local, Bits<N>>,
}

#[kernel]
impl<const N: usize> Logic for Lowest<N> {
    fn update(&mut self) {
        self.of_2.next = self.bits.val() | (self.bits.val() << 1);
        self.of_4.next = self.of_2.val() | (self.of_2.val() << 2);
        self.of_8.next = self.of_4.val() | (self.of_4.val() << 4);
        self.of_16.next = self.of_8.val() | (self.of_8.val() << 8);
        self.below.next = self.of_16.val() << 1;
        self.above.next = self.below.val();
        self.first.next = self.bits.val() & !self.below.val();
    }
}
