//! `BankCounters`: what a bank of the L2 counts.
//!
//! **Purpose.** The figures that [`L2Bank`](super::L2Bank) shows on its ports, for experiments.
//!
//! ```text
//!   hit, miss, cp                -->+--------------+--> cp_hits, cp_misses, cu_hits, cu_misses
//!   overflow, ended, ended_cause -->| BankCounters |--> lock_overflows, dropped_locks, watchdog_drops
//!   fetch_error, write_error     -->+--------------+--> fetch_errors, write_errors
//! ```
//!
//! **Contract.** A pulse in cycle *n* is in the figure from *n + 1* on. All wrap at 32 bits, and are zero after reset.
//!
//! **Internals.** A [`PulseCounter`] each.

use crate::leaf::pulse_counter::PulseCounter;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Nine counters.
#[block]
pub struct BankCounters {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// An access to data was a hit.
    pub hit: Signal<In, Bit>,
    /// An access to data was a miss.
    pub miss: Signal<In, Bit>,
    /// It was the command processor's.
    pub cp: Signal<In, Bit>,
    /// A locked store got no lock.
    pub overflow: Signal<In, Bit>,
    /// A lock has ended.
    pub ended: Signal<In, Bit>,
    /// Why, see [`cause`](xtq_types::l2::cause).
    pub ended_cause: Signal<In, Bits<2>>,
    /// A fetch failed.
    pub fetch_error: Signal<In, Bit>,
    /// A write to memory failed.
    pub write_error: Signal<In, Bit>,
    /// Hits of the command processor.
    pub cp_hits: Signal<Out, Bits<32>>,
    /// Misses of the command processor.
    pub cp_misses: Signal<Out, Bits<32>>,
    /// Hits of the compute units.
    pub cu_hits: Signal<Out, Bits<32>>,
    /// Misses of the compute units.
    pub cu_misses: Signal<Out, Bits<32>>,
    /// Locked stores that got no lock.
    pub lock_overflows: Signal<Out, Bits<32>>,
    /// STORE locks dropped for a read-modify-write.
    pub dropped_locks: Signal<Out, Bits<32>>,
    /// Locks dropped by the watchdog.
    pub watchdog_drops: Signal<Out, Bits<32>>,
    /// Fetches that failed.
    pub fetch_errors: Signal<Out, Bits<32>>,
    /// Writes that failed.
    pub write_errors: Signal<Out, Bits<32>>,
    count: [PulseCounter; 9],
}

#[kernel]
impl Logic for BankCounters {
    fn update(&mut self) {
        for i in 0..9 {
            self.count[i].clear.next = false;
        }
        self.count[0].pulse.next = self.hit.val() & self.cp.val();
        self.count[1].pulse.next = self.miss.val() & self.cp.val();
        self.count[2].pulse.next = self.hit.val() & !self.cp.val();
        self.count[3].pulse.next = self.miss.val() & !self.cp.val();
        self.count[4].pulse.next = self.overflow.val();
        self.count[5].pulse.next = self.ended.val() & (self.ended_cause.val() == 2);
        self.count[6].pulse.next = self.ended.val() & (self.ended_cause.val() == 1);
        self.count[7].pulse.next = self.fetch_error.val();
        self.count[8].pulse.next = self.write_error.val();
        self.cp_hits.next = self.count[0].count.val();
        self.cp_misses.next = self.count[1].count.val();
        self.cu_hits.next = self.count[2].count.val();
        self.cu_misses.next = self.count[3].count.val();
        self.lock_overflows.next = self.count[4].count.val();
        self.dropped_locks.next = self.count[5].count.val();
        self.watchdog_drops.next = self.count[6].count.val();
        self.fetch_errors.next = self.count[7].count.val();
        self.write_errors.next = self.count[8].count.val();
    }
}
