//! `StatusCounts`: the status registers of Portals, three counters a context.
//!
//! **Purpose.** Each process sees how many requests to it were dropped or refused (`PtlNIStatus`), and nothing of the
//! others'.
//!
//! ```text
//!   count_*, count_context         -->+--------------+
//!   count_late_drop, late_context  -->| StatusCounts |--> word   (same cycle)
//!   owner, which                   -->+--------------+
//! ```
//!
//! **Contract.** `word` is counter `which` of context `owner`: 0 requests dropped (DROPPED and PT_DISABLED), 1
//! permission violations, 2 operation violations, 3 reads 0. A pulse counts at its edge; `count_late_drop` is a request
//! that is dropped after the lists. Counts wrap at 2^32; only reset clears them.
//!
//! **Internals.** Sixteen [`PulseCounter`]s: a request may be dropped by the lists and another one after them in the
//! same cycle.

use crate::bundle::RefusalsIn;
use crate::leaf::per_context::PerContext;
use crate::leaf::pulse_counter::PulseCounter;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Status counters of `C` contexts.
#[block]
pub struct StatusCounts<const C: usize = 4> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Requests that the lists refused (pulses).
    pub count: RefusalsIn,
    /// A request that a match entry took was dropped, or met a disabled portal entry (pulse).
    pub count_late_drop: Signal<In, Bit>,
    /// Its context.
    pub late_context: Signal<In, Bits<2>>,
    /// Context that reads.
    pub owner: Signal<In, Bits<2>>,
    /// What it reads.
    pub which: Signal<In, Bits<2>>,
    /// The count.
    pub word: Signal<Out, Bits<32>>,
    drops: PerContext<PulseCounter, C>,
    late_drops: PerContext<PulseCounter, C>,
    permissions: PerContext<PulseCounter, C>,
    operations: PerContext<PulseCounter, C>,
    one: Signal<Local, Bits<4>>,
    hot: Signal<Local, Bits<4>>,
    late_hot: Signal<Local, Bits<4>>,
    reads: Signal<Local, Bits<4>>,
}

#[kernel]
impl<const C: usize> Logic for StatusCounts<C> {
    fn update(&mut self) {
        self.one.next = 1.into();
        self.hot.next = self.one.val() << self.count.context.val();
        self.late_hot.next = self.one.val() << self.late_context.val();
        self.reads.next = self.one.val() << self.owner.val();
        self.word.next = 0.into();
        for i in 0..C {
            self.drops[i].clear.next = false;
            self.drops[i].pulse.next = self.count.drop.val() & self.hot.val().get_bit(i);
            self.late_drops[i].clear.next = false;
            self.late_drops[i].pulse.next =
                self.count_late_drop.val() & self.late_hot.val().get_bit(i);
            self.permissions[i].clear.next = false;
            self.permissions[i].pulse.next =
                self.count.permission.val() & self.hot.val().get_bit(i);
            self.operations[i].clear.next = false;
            self.operations[i].pulse.next = self.count.operation.val() & self.hot.val().get_bit(i);
            if self.reads.val().get_bit(i) {
                if self.which.val() == 0 {
                    self.word.next = self.drops[i].count.val() + self.late_drops[i].count.val();
                }
                if self.which.val() == 1 {
                    self.word.next = self.permissions[i].count.val();
                }
                if self.which.val() == 2 {
                    self.word.next = self.operations[i].count.val();
                }
            }
        }
    }
}
