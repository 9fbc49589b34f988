//! `PulseCounter`: counts pulses in 32 bits.
//!
//! **Purpose.** The performance and error counters of the register interface.
//!
//! ```text
//!             +--------------+
//!   pulse  -->| PulseCounter |--> count
//!   clear  -->|              |
//!             +--------------+
//! ```
//!
//! **Contract.** `count` goes up by one at an edge with `pulse`, wraps, and is zero after an edge with `clear`.
//!
//! **Internals.** One register; at rest when nothing happens.

use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// A 32-bit counter.
#[block]
pub struct PulseCounter {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Count one.
    pub pulse: Signal<In, Bit>,
    /// Back to zero.
    pub clear: Signal<In, Bit>,
    /// Pulses so far, modulo 2^32.
    pub count: Signal<Out, Bits<32>>,
    count_q: Reg<Bits<32>>,
}

#[kernel]
impl Logic for PulseCounter {
    fn update(&mut self) {
        self.count_q.en.next = self.pulse.val() | self.clear.val();
        self.count_q.d.next = self.count_q.q.val() + 1;
        if self.clear.val() {
            self.count_q.d.next = 0.into();
        }
        self.count.next = self.count_q.q.val();
    }
}
