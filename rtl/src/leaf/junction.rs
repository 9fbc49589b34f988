//! `Junction`: joins two streams into one, fairly.
//!
//! **Purpose.** Two blocks write to one, and neither may starve. For more streams, one after the other; where the order
//! of urgency is fixed write it out in the kernel instead.
//!
//! ```text
//!               +----------+
//!   first    -->|          |
//!               | Junction |--> read
//!   second   -->|          |
//!               +----------+
//! ```
//!
//! **Contract.** Combinational. Words of each stream leave in the order they came; if both wait they take turns. What
//! is offered stays offered until it is taken, whatever the other stream does.
//!
//! **Internals.** `turn_q` says who goes first: who waits keeps its turn, who was served gives it to the other.

use super::Reg;
use crate::bundle::{StreamIn, StreamOut};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Joins two streams of type `T`.
#[block]
pub struct Junction<T: Synth> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; `first` goes first.
    pub rst: Signal<In, Bit>,
    /// One word.
    pub first: StreamIn<T>,
    /// Another word.
    pub second: StreamIn<T>,
    /// One of them.
    pub read: StreamOut<T>,
    /// `second` goes first.
    turn_q: Reg<Bit>,
    chooses_second: Signal<Local, Bit>,
    some: Signal<Local, Bit>,
}

#[kernel]
impl<T: Synth> Logic for Junction<T> {
    fn update(&mut self) {
        self.some.next = self.first.valid.val() | self.second.valid.val();
        self.chooses_second.next =
            self.second.valid.val() & (self.turn_q.q.val() | !self.first.valid.val());
        self.read.data.next = self.first.data.val();
        if self.chooses_second.val() {
            self.read.data.next = self.second.data.val();
        }
        self.read.valid.next = self.some.val();
        self.first.ready.next = self.read.ready.val() & !self.chooses_second.val();
        self.second.ready.next = self.read.ready.val() & self.chooses_second.val();

        self.turn_q.d.next = self.chooses_second.val() ^ self.read.ready.val();
        self.turn_q.en.next = self.some.val();
    }
}
