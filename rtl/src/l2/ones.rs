//! `Ones`: how many of up to 16 bits are set.
//!
//! **Purpose.** A count whose delay grows with the logarithm of the number of bits, where a chain of additions of one
//! would grow with the number.
//!
//! ```text
//!            +------+
//!   bits  -->| Ones |--> count
//!            +------+
//! ```
//!
//! **Contract.** Combinational. `count` is the number of ones in `bits`, 0 to `N`.
//!
//! **Internals.** Of each four bits: are they all set, several (one, and another below), an odd number of them? Then a
//! tree of additions. A table would be a memory for Yosys.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Ones among `N` bits, 16 at most.
#[block]
#[check((1..=16).contains(&N), "Ones: {N} bits, must be 1 to 16")]
pub struct Ones<const N: usize> {
    /// Bits to count.
    pub bits: Signal<In, Bits<N>>,
    /// The ones among them.
    pub count: Signal<Out, Bits<5>>,
    word: Signal<Local, Bits<16>>,
    fours: [Signal<Local, Bits<4>>; 4],
    /// Of each four bits: there is another below.
    others: [Signal<Local, Bits<4>>; 4],
    counts: [Signal<Local, Bits<5>>; 4],
    low: Signal<Local, Bits<5>>,
    high: Signal<Local, Bits<5>>,
}

#[kernel]
impl<const N: usize> Logic for Ones<N> {
    fn update(&mut self) {
        self.word.next = bit_cast::<16, N>(self.bits.val());
        for i in 0..4 {
            self.fours[i].next = self.word.val().get_bits::<4>(i * 4);
            self.others[i].next = (self.fours[i].val() << 1)
                | (self.fours[i].val() << 2)
                | (self.fours[i].val() << 3);
            self.counts[i].next = 0.into();
            if self.fours[i].val().all() {
                self.counts[i].next = 4.into();
            } else if (self.fours[i].val() & self.others[i].val()).any() {
                self.counts[i].next = 2.into();
                if self.fours[i].val().xor() {
                    self.counts[i].next = 3.into();
                }
            } else if self.fours[i].val().any() {
                self.counts[i].next = 1.into();
            }
        }
        self.low.next = self.counts[0].val() + self.counts[1].val();
        self.high.next = self.counts[2].val() + self.counts[3].val();
        self.count.next = self.low.val() + self.high.val();
    }
}
