//! `Ones`: how many of 16 bits are set.
//!
//! **Purpose.** A count whose delay grows with the logarithm of the number of bits, where counting on from bit to bit would grow with the number.
//!
//! ```text
//!   bits -->+------+--> count
//!           | Ones |
//!           +------+
//! ```
//!
//! **Contract.** Combinational, 0 to 16. Who has fewer bits leaves the others 0.
//!
//! **Internals.** Sums of 2, 4, 8 and 16 bits, side by side in one word.

use rust_hdl::prelude::*;

/// Population count.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct Ones {
    /// Bits to count.
    pub bits: Signal<In, Bits<16>>,
    /// Those that are set.
    pub count: Signal<Out, Bits<5>>,
    of_2: Signal<Local, Bits<16>>,
    of_4: Signal<Local, Bits<16>>,
    of_8: Signal<Local, Bits<16>>,
    low: Signal<Local, Bits<5>>,
    high: Signal<Local, Bits<5>>,
}

impl Logic for Ones {
    #[hdl_gen]
    fn update(&mut self) {
        self.of_2.next = (self.bits.val() & 0x5555) + ((self.bits.val() >> 1) & 0x5555);
        self.of_4.next = (self.of_2.val() & 0x3333) + ((self.of_2.val() >> 2) & 0x3333);
        self.of_8.next = (self.of_4.val() & 0x0f0f) + ((self.of_4.val() >> 4) & 0x0f0f);
        self.low.next = self.of_8.val().get_bits::<5>(0);
        self.high.next = self.of_8.val().get_bits::<5>(8);
        self.count.next = self.low.val() + self.high.val();
    }
}
