//! `MessageTimer`: the time in which a message of several packets must go on.
//!
//! **Purpose.** A sender that stops in the middle of a message would hold its place in the NIC, and what waits for its
//! end, for ever. [`OrphanMessages`](crate::admission::message_tracker::orphan_messages::OrphanMessages) names what no
//! packet has come for between two ticks.
//!
//! ```text
//!   period  -->+--------------+--> tick
//!   running -->| MessageTimer |
//!              +--------------+
//! ```
//!
//! **Contract.** `tick` is a pulse in one of each `2^period` cycles with `running`; with `period` 0 there is none.
//! After a change of `period` there may be one more. At rest while not `running`.
//!
//! **Internals.** A counter; a tick is the change of its bit `period`.

use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Makes ticks.
#[block]
pub struct MessageTimer {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Logarithm to base 2 of the cycles between two ticks, 1 to 31; 0: no ticks.
    pub period: Signal<In, Bits<5>>,
    /// Cycles are counted.
    pub running: Signal<In, Bit>,
    /// Pulse.
    pub tick: Signal<Out, Bit>,
    count_q: Reg<Bits<32>>,
    level_q: Delay<Bit>,
    counts: Signal<Local, Bit>,
    level: Signal<Local, Bit>,
}

#[kernel]
impl Logic for MessageTimer {
    fn update(&mut self) {
        self.counts.next = self.running.val() & self.period.val().any();
        self.count_q.en.next = self.counts.val();
        self.count_q.d.next = self.count_q.q.val() + 1;
        self.level.next = self.count_q.q.val().get_bit(self.period.val().index());
        self.level_q.d.next = self.level.val();
        self.tick.next = (self.level.val() ^ self.level_q.q.val()) & self.period.val().any();
    }
}
