//! `TableWriter`: writes an entry of a lookup table and makes the NIC forget the old one.
//!
//! **Purpose.** Performs the commands XTQ_REGISTER_KERNEL, _FUNCTION and _QUEUE.
//!
//! ```text
//!               +-------------+--> write        (write port)   <- write_done, write_error
//!   job      -->| TableWriter |--> invalidate   (invalidator)
//!   table_cfg-->|             |--> done, status
//!               +-------------+
//! ```
//!
//! **Contract.** One job at a time. `done` is a pulse, with `status`: BAD_INDEX if the table has no such entry (nothing
//! is written), MEMORY_ERROR if the write failed (the old entry is forgotten all the same), else OK. When it comes, the
//! entry is in memory and every message that is looked up from then on sees it.
//!
//! **Internals.** [`LookupAddress`] keeps bases and sizes as the lookup stage does, from the same window. States: find,
//! write, wait, forget.

use crate::bundle::{StreamIn, StreamOut, WindowIn};
use crate::codes::command_codes::CommandCodes;
use crate::leaf::{Delay, Reg};
use crate::lookup::lookup_address::LookupAddress;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::memory::WriteRequest;
use xtq_types::send::TableWrite;

/// States of [`TableWriter`].
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum TableWriterState {
    /// Waits for a job.
    Idle,
    /// Looks for the entry.
    Find,
    /// Writes it.
    Write,
    /// Waits for the acknowledgement.
    Wait,
    /// Has the old entry forgotten.
    Forget,
    /// Waits until it is.
    Forgetting,
}

/// Writes entries of lookup tables.
#[block]
pub struct TableWriter {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Window of the lookup tables, {context 2, kind 2, word 2}.
    pub cfg: WindowIn<6>,
    /// From CommandStage: an entry.
    pub job: StreamIn<TableWrite>,
    /// To CommandStage: the job is done (pulse).
    pub done: Signal<Out, Bit>,
    /// With `done`: how.
    pub status: Signal<Out, Bits<8>>,
    /// To WritePort: the entry.
    pub write: StreamOut<WriteRequest>,
    /// From WritePort: it is acknowledged.
    pub write_done: Signal<In, Bit>,
    /// With `write_done`: it failed.
    pub write_error: Signal<In, Bit>,
    /// To Invalidator: entry to forget, {context 2, kind 2, index 16}.
    pub invalidate: StreamOut<Bits<20>>,
    /// From Invalidator: it is forgotten.
    pub invalidated: Signal<In, Bit>,

    codes: CommandCodes,
    locate: LookupAddress,
    job_q: Reg<TableWrite>,
    state_q: Delay<TableWriterState>,
    failed_q: Reg<Bit>,
    held: Signal<Local, TableWrite>,
    index: Signal<Local, Bits<16>>,
    owner: Signal<Local, Bits<2>>,
    kind: Signal<Local, Bits<2>>,
    zero: Signal<Local, Bits<64>>,
    request: Signal<Local, WriteRequest>,
}

#[kernel]
impl Logic for TableWriter {
    fn update(&mut self) {
        connect!(self.cfg => self.locate.cfg);

        // The job at hand.
        self.job.ready.next = self.state_q.q.val() == TableWriterState::Idle;
        self.job_q.d.next = self.job.data.val();
        self.job_q.en.next = self.state_q.q.val() == TableWriterState::Idle;
        self.held.next = self.job_q.q.val();
        self.index.next = self.held.val().index;
        self.owner.next = self.held.val().context;
        self.kind.next = self.held.val().kind;
        self.locate.owner.next = self.held.val().context;
        self.locate.kind.next = self.held.val().kind;
        self.locate.index.next = bit_cast::<64, 16>(self.index.val());

        // Its write, and what is forgotten.
        self.zero.next = 0.into();
        self.request.next.first = 1.into();
        self.request.next.last = 1.into();
        self.request.next.atomic = 0.into();
        self.request.next.context = self.held.val().context;
        self.request.next.length = 0.into();
        self.request.next.address = self.locate.address.val();
        self.request.next.strobe = !self.zero.val();
        self.request.next.data = self.held.val().entry;
        self.write.data.next = self.request.val();
        self.write.valid.next = self.state_q.q.val() == TableWriterState::Write;
        self.invalidate.data.next = (bit_cast::<20, 2>(self.owner.val()) << 18)
            | (bit_cast::<20, 2>(self.kind.val()) << 16)
            | bit_cast::<20, 16>(self.index.val());
        self.invalidate.valid.next = self.state_q.q.val() == TableWriterState::Forget;

        self.failed_q.d.next = self.write_error.val();
        self.failed_q.en.next = self.write_done.val();
        self.done.next = false;
        self.status.next = self.codes.ok.val();
        self.state_q.d.next = self.state_q.q.val();
        match self.state_q.q.val() {
            TableWriterState::Idle => {
                if self.job.valid.val() {
                    self.state_q.d.next = TableWriterState::Find;
                }
            }
            TableWriterState::Find => {
                self.state_q.d.next = TableWriterState::Write;
                if !self.locate.found.val() {
                    self.done.next = true;
                    self.status.next = self.codes.bad_index.val();
                    self.state_q.d.next = TableWriterState::Idle;
                }
            }
            TableWriterState::Write => {
                if self.write.ready.val() {
                    self.state_q.d.next = TableWriterState::Wait;
                }
            }
            TableWriterState::Wait => {
                if self.write_done.val() {
                    self.state_q.d.next = TableWriterState::Forget;
                }
            }
            TableWriterState::Forget => {
                if self.invalidate.ready.val() {
                    self.state_q.d.next = TableWriterState::Forgetting;
                }
            }
            TableWriterState::Forgetting => {
                if self.failed_q.q.val() {
                    self.status.next = self.codes.memory_error.val();
                }
                if self.invalidated.val() {
                    self.done.next = true;
                    self.state_q.d.next = TableWriterState::Idle;
                }
            }
            _ => {
                self.state_q.d.next = TableWriterState::Idle;
            }
        }
    }
}
