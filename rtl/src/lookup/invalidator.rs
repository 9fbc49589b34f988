//! `Invalidator`: makes the NIC forget an entry of a lookup table.
//!
//! **Purpose.** A table entry changes when nobody is looking: registers and commands ask here, one after the other.
//!
//! ```text
//!               +-------------+--> lookup_halt          <- lookup_empty   (lookup stage)
//!   host     -->| Invalidator |--> cache_invalidate     (lookup cache)
//!   command  -->|             |--> queue_invalidate     (queue admission)
//!               +-------------+--> host_done, command_done
//! ```
//!
//! **Contract.** A request is {context 2, kind 2, index 16}. The lookup stage takes no more messages until it is empty,
//! that is, until every message that may have the old entry is decided about. Then the change is reported to the lookup
//! cache and, for one of the first 64 entries of the queue table, to the queue admission; then the stage goes on and
//! the asker's `done` comes (pulse). The host goes first. One request at a time.
//!
//! **Internals.** One state for each of these.

use crate::bundle::{StreamIn, StreamOut};
use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::tables::table_id;

/// States of [`Invalidator`].
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum InvalidatorState {
    /// Waits for a request.
    Idle,
    /// The messages that may have the old entry leave the lookup stage.
    Drain,
    /// The lookup cache takes the invalidate.
    Cache,
    /// The queue admission takes it.
    Queue,
}

constants! {
    /// Values of two bits.
    pub struct InvalidatorCodes : 2 {
        /// [`table_id::QUEUE`].
        queue_table / queue_table_code = table_id::QUEUE;
    }
}

/// Forgets entries of lookup tables.
#[block]
pub struct Invalidator {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// From Registers: entry to forget, {context 2, kind 2, index 16}.
    pub host: StreamIn<Bits<20>>,
    /// It is forgotten (pulse).
    pub host_done: Signal<Out, Bit>,
    /// From TableWriter: entry to forget.
    pub command: StreamIn<Bits<20>>,
    /// It is forgotten (pulse).
    pub command_done: Signal<Out, Bit>,
    /// To the lookup stage: take no messages.
    pub lookup_halt: Signal<Out, Bit>,
    /// There is none in it.
    pub lookup_empty: Signal<In, Bit>,
    /// To the lookup cache: {context, kind, index}.
    pub cache_invalidate: StreamOut<Bits<20>>,
    /// To the queue admission: {context, index}.
    pub queue_invalidate: StreamOut<Bits<8>>,

    codes: InvalidatorCodes,
    state_q: Delay<InvalidatorState>,
    entry_q: Reg<Bits<20>>,
    /// The command stage asked.
    commanded_q: Reg<Bit>,
    idle: Signal<Local, Bit>,
    finished: Signal<Local, Bit>,
    owner: Signal<Local, Bits<2>>,
    kind: Signal<Local, Bits<2>>,
    queue: Signal<Local, Bits<6>>,
    beyond: Signal<Local, Bits<10>>,
}

#[kernel]
impl Logic for Invalidator {
    fn update(&mut self) {
        self.idle.next = self.state_q.q.val() == InvalidatorState::Idle;
        self.host.ready.next = self.idle.val();
        self.command.ready.next = self.idle.val() & !self.host.valid.val();
        self.entry_q.d.next = self.command.data.val();
        if self.host.valid.val() {
            self.entry_q.d.next = self.host.data.val();
        }
        self.entry_q.en.next = self.idle.val();
        self.commanded_q.d.next = !self.host.valid.val();
        self.commanded_q.en.next = self.idle.val();

        self.owner.next = self.entry_q.q.val().get_bits::<2>(18);
        self.kind.next = self.entry_q.q.val().get_bits::<2>(16);
        self.queue.next = self.entry_q.q.val().get_bits::<6>(0);
        self.beyond.next = self.entry_q.q.val().get_bits::<10>(6);
        self.lookup_halt.next = !self.idle.val();
        self.cache_invalidate.data.next = self.entry_q.q.val();
        self.cache_invalidate.valid.next = self.state_q.q.val() == InvalidatorState::Cache;
        self.queue_invalidate.data.next =
            (bit_cast::<8, 2>(self.owner.val()) << 6) | bit_cast::<8, 6>(self.queue.val());
        self.queue_invalidate.valid.next = self.state_q.q.val() == InvalidatorState::Queue;

        self.finished.next = false;
        self.state_q.d.next = self.state_q.q.val();
        match self.state_q.q.val() {
            InvalidatorState::Idle => {
                if self.host.valid.val() | self.command.valid.val() {
                    self.state_q.d.next = InvalidatorState::Drain;
                }
            }
            InvalidatorState::Drain => {
                if self.lookup_empty.val() {
                    self.state_q.d.next = InvalidatorState::Cache;
                }
            }
            InvalidatorState::Cache => {
                if self.cache_invalidate.ready.val() {
                    self.finished.next = true;
                    self.state_q.d.next = InvalidatorState::Idle;
                    if (self.kind.val() == self.codes.queue_table.val()) & !self.beyond.val().any()
                    {
                        self.finished.next = false;
                        self.state_q.d.next = InvalidatorState::Queue;
                    }
                }
            }
            InvalidatorState::Queue => {
                if self.queue_invalidate.ready.val() {
                    self.finished.next = true;
                    self.state_q.d.next = InvalidatorState::Idle;
                }
            }
            _ => {
                self.state_q.d.next = InvalidatorState::Idle;
            }
        }
        self.host_done.next = self.finished.val() & !self.commanded_q.q.val();
        self.command_done.next = self.finished.val() & self.commanded_q.q.val();
    }
}
