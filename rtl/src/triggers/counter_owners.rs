//! `CounterOwners`: which context has which counter.
//!
//! **Purpose.** [`CounterBank`](crate::triggers::counter_bank::CounterBank) and
//! [`TriggerEngine`](crate::triggers::trigger_engine::TriggerEngine) ask here before they touch a counter for a
//! context. It decides nothing itself.
//!
//! ```text
//!                      +---------------+
//!   set            -->|               |
//!   set_counter    -->|               |--> allocated  (same cycle)
//!   set_context    -->| CounterOwners |--> owner      (same cycle)
//!   set_allocated  -->|               |
//!   counter        -->|               |
//!                      +---------------+
//! ```
//!
//! **Contract.** `allocated` and `owner` are those of `counter` at all times; `owner` has a meaning only while
//! `allocated`. `set` changes the entry of `set_counter` at the edge. Reset: nobody has a counter.
//!
//! **Internals.** The flags are registers, so that reset clears all of them at once; the owners lie in a small memory.
//! `N` must be `2^A`.

use crate::leaf::{LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// The owners of `2^A` counters; `N` = `2^A`.
#[block]
#[check(N == 1 << A, "CounterOwners: {N} flags for 2^{A} counters, must be {}", 1usize << A)]
pub struct CounterOwners<const A: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Change an entry (pulse).
    pub set: Signal<In, Bit>,
    /// With `set`: the counter.
    pub set_counter: Signal<In, Bits<A>>,
    /// With `set`: its new owner.
    pub set_context: Signal<In, Bits<2>>,
    /// With `set`: it has an owner.
    pub set_allocated: Signal<In, Bit>,
    /// Counter that is asked about.
    pub counter: Signal<In, Bits<A>>,
    /// It has an owner.
    pub allocated: Signal<Out, Bit>,
    /// Context that has it.
    pub owner: Signal<Out, Bits<2>>,
    allocated_q: Reg<Bits<N>>,
    owners: LutRam<Bits<2>, A>,
    #[value(1u64.to_bits())]
    one: Constant<Bits<N>>,
    hot: Signal<Local, Bits<N>>,
}

#[kernel]
impl<const A: usize, const N: usize> Logic for CounterOwners<A, N> {
    fn update(&mut self) {
        self.hot.next = self.one.val() << self.set_counter.val();
        self.allocated_q.d.next = self.allocated_q.q.val() & !self.hot.val();
        if self.set_allocated.val() {
            self.allocated_q.d.next = self.allocated_q.q.val() | self.hot.val();
        }
        self.allocated_q.en.next = self.set.val();
        self.owners.write_addr.next = self.set_counter.val();
        self.owners.write_data.next = self.set_context.val();
        self.owners.write_en.next = self.set.val();

        self.owners.read_addr.next = self.counter.val();
        self.owner.next = self.owners.read_data.val();
        self.allocated.next = self.allocated_q.q.val().get_bit(self.counter.val().index());
    }
}
