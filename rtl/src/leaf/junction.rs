//! `Junction`: joins two streams into one, fairly.
//!
//! **Purpose.** Two blocks write to one, and neither may starve. For more streams, one behind the other; where the order of urgency is fixed write it out in the kernel instead.
//!
//! ```text
//!               +----------+
//!   first    -->|          |
//!               | Junction |--> read
//!   second   -->|          |
//!               +----------+
//! ```
//!
//! **Contract.** Combinational. Words of each stream leave in the order they came; if both wait they take turns. What is offered stays offered until it is taken, whatever the other stream does.
//!
//! **Internals.** `turn_q` says who goes first: who waits keeps its turn, who was served gives it to the other.

use super::Reg;
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
    pub first: Signal<In, T>,
    /// `first` is valid.
    pub first_valid: Signal<In, Bit>,
    /// It is taken.
    pub first_ready: Signal<Out, Bit>,
    /// Another word.
    pub second: Signal<In, T>,
    /// `second` is valid.
    pub second_valid: Signal<In, Bit>,
    /// It is taken.
    pub second_ready: Signal<Out, Bit>,
    /// One of them.
    pub read: Signal<Out, T>,
    /// `read` is valid.
    pub read_valid: Signal<Out, Bit>,
    /// Take the word.
    pub read_ready: Signal<In, Bit>,
    /// `second` goes first.
    turn_q: Reg<Bit>,
    chooses_second: Signal<Local, Bit>,
    some: Signal<Local, Bit>,
}

#[kernel]
impl<T: Synth> Logic for Junction<T> {
    fn update(&mut self) {
        self.some.next = self.first_valid.val() | self.second_valid.val();
        self.chooses_second.next =
            self.second_valid.val() & (self.turn_q.q.val() | !self.first_valid.val());
        self.read.next = self.first.val();
        if self.chooses_second.val() {
            self.read.next = self.second.val();
        }
        self.read_valid.next = self.some.val();
        self.first_ready.next = self.read_ready.val() & !self.chooses_second.val();
        self.second_ready.next = self.read_ready.val() & self.chooses_second.val();

        self.turn_q.d.next = self.chooses_second.val() ^ self.read_ready.val();
        self.turn_q.en.next = self.some.val();
    }
}
