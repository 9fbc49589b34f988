//! `AtomicUnit`: performs atomic messages on host memory, one after the other.
//!
//! **Purpose.** ATOMIC, FETCH_ATOMIC and SWAP at the target: read the lines, compute, write them back, report how it
//! ended, give the old bytes for the reply. Because a message's reads begin after the acknowledgements of the writes
//! before, messages are atomic against each other; nothing is atomic against other writers of the memory.
//!
//! ```text
//!   job     -->+------------+--> request  (to ReadPort)   <- result (pulse)
//!   beat    -->|            |--> write    (to WritePort)  <- write_done, write_error
//!   settled -->| AtomicUnit |--> done     (one a message)
//!   busy    <--|            |--> reply    (old bytes)
//!              +------------+
//! ```
//!
//! **Contract.** A job meets the beats of one packet, the message: one or more, the last with `last`; bytes of it
//! beyond `length` do not count. Its reads begin in a cycle in which `settled` is 1: the user gives it when the writes
//! before the message are acknowledged, and lets no later write pass while `busy`. Nothing is written before the packet
//! is complete and all lines are there without error. `done` comes after the last acknowledgement. If it has no flag
//! and the job fetches, ceil(length / 64) beats on `reply` follow it, without `error`; else none. The memory port must
//! be quiet at reset.
//!
//! **Internals.** [`AtomicPlan`] finds the lines; [`OldLines`] reads and keeps them, [`OperandLines`] keeps the
//! message. Then a [`LineWalker`] leads both, line by line, through the [`AtomicAlu`] to [`NewLines`]; after `done` it
//! leads the old lines through a [`BytePacker`] to `reply`.
//!
//! ```text
//!   Idle -> Plan -> Collect -> Compute -> Done -> Reply -> Idle
//! ```

mod atomic_plan;
mod new_lines;
mod old_lines;
mod operand_lines;

pub use atomic_plan::AtomicPlan;
pub use new_lines::NewLines;
pub use old_lines::OldLines;
pub use operand_lines::{OperandLine, OperandLines};

use crate::atomics::atomic_alu::AtomicAlu;
use crate::bundle::{PulseIn, StreamIn, StreamOut};
use crate::leaf::{BytePacker, Delay, LineWalker, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::atomic::{AtomicBeat, AtomicDone, AtomicJob};
use xtq_types::memory::{BurstRequest, BurstResult, WriteRequest};
use xtq_types::pipe::BodyBeat;
use xtq_types::send::{LineShape, PackedBeat, Piece, SpanNote};

/// States of [`AtomicUnit`].
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum AtomicUnitState {
    /// Waits for a job.
    Idle,
    /// Finds its lines; waits until the writes before it are settled.
    Plan,
    /// Waits for the lines and the last beat.
    Collect,
    /// Computes and writes, until all is acknowledged.
    Compute,
    /// Says how it ended.
    Done,
    /// Gives the old bytes.
    Reply,
}

/// The unit of atomic messages.
#[block]
pub struct AtomicUnit {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// A message.
    pub job: StreamIn<AtomicJob>,
    /// Its packet's bytes; `bytes` is not looked at.
    pub beat: StreamIn<BodyBeat>,
    /// The writes of the messages before this one are acknowledged.
    pub settled: Signal<In, Bit>,
    /// A message is under way.
    pub busy: Signal<Out, Bit>,

    /// To the read port: lines.
    pub request: StreamOut<BurstRequest>,
    /// From the read port: the next line; `last` is not looked at.
    pub result: PulseIn<BurstResult>,

    /// To the write port: a line.
    pub write: StreamOut<WriteRequest>,
    /// From the write port: a write is acknowledged (pulse).
    pub write_done: Signal<In, Bit>,
    /// With `write_done`: it failed.
    pub write_error: Signal<In, Bit>,

    /// How the message ended.
    pub done: StreamOut<AtomicDone>,
    /// The old bytes.
    pub reply: StreamOut<PackedBeat>,

    state_q: Delay<AtomicUnitState>,
    job_q: Reg<AtomicJob>,
    plan: AtomicPlan,
    refused_q: Reg<Bit>,
    /// There is something to read.
    reads_q: Reg<Bit>,
    read_note_q: Reg<SpanNote>,
    /// There is something to write.
    writes_q: Reg<Bit>,
    write_note_q: Reg<SpanNote>,
    old: OldLines,
    operands: OperandLines,
    walker: LineWalker,
    alu: AtomicAlu,
    updated: NewLines,
    packer: BytePacker,
    /// The walker is through with the span of this state.
    walked_q: Reg<Bit>,
    /// Next line of the reply.
    reply_index_q: Reg<Bits<4>>,

    held: Signal<Local, AtomicJob>,
    address: Signal<Local, Bits<64>>,
    fresh: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    read_note: Signal<Local, SpanNote>,
    write_note: Signal<Local, SpanNote>,
    write_lines: Signal<Local, Bits<27>>,
    collected: Signal<Local, Bit>,
    walk: Signal<Local, Bit>,
    computing: Signal<Local, Bit>,
    replying: Signal<Local, Bit>,
    shape: Signal<Local, LineShape>,
    operand_line: Signal<Local, OperandLine>,
    alu_beat: Signal<Local, AtomicBeat>,
    piece: Signal<Local, Piece>,
    piece_taken: Signal<Local, Bit>,
    failed: Signal<Local, Bit>,
    outcome: Signal<Local, AtomicDone>,
}

#[kernel]
impl Logic for AtomicUnit {
    fn update(&mut self) {
        // Idle: a job opens the door for its beats.
        self.job.ready.next = self.state_q.q.val() == AtomicUnitState::Idle;
        self.fresh.next = (self.state_q.q.val() == AtomicUnitState::Idle) & self.job.valid.val();
        self.busy.next = self.state_q.q.val() != AtomicUnitState::Idle;
        self.job_q.d.next = self.job.data.val();
        self.job_q.en.next = self.fresh.val();
        self.held.next = self.job_q.q.val();
        self.address.next = self.held.val().address;
        self.operands.fresh.next = self.fresh.val();
        connect!(self.beat => self.operands.beat);

        // Plan: what is to be done.
        self.plan.job.next = self.held.val();
        self.go.next = (self.state_q.q.val() == AtomicUnitState::Plan) & self.settled.val();
        self.reads.next = self.plan.reads.val() & !self.plan.refused.val();
        self.refused_q.en.next = self.go.val();
        self.refused_q.d.next = self.plan.refused.val();
        self.reads_q.en.next = self.go.val();
        self.reads_q.d.next = self.reads.val();
        self.read_note_q.en.next = self.go.val();
        self.read_note_q.d.next = self.plan.read_note.val();
        self.writes_q.en.next = self.go.val();
        self.writes_q.d.next = self.plan.writes.val();
        self.write_note_q.en.next = self.go.val();
        self.write_note_q.d.next = self.plan.write_note.val();
        self.read_note.next = self.read_note_q.q.val();
        self.write_note.next = self.write_note_q.q.val();

        // Collect: the lines come, and the beats.
        self.old.fresh.next = self.go.val();
        self.old.reads.next = self.reads.val();
        self.old.span.next = self.plan.read_span.val();
        connect!(self.old.request => self.request);
        connect!(self.result => self.old.result);
        self.collected.next = self.old.complete.val() & self.operands.complete.val();
        self.failed.next = self.refused_q.q.val()
            | self.operands.bad.val()
            | self.old.failed.val()
            | self.updated.failed.val();

        // Compute, Reply: the walker has one span in each.
        self.computing.next = self.state_q.q.val() == AtomicUnitState::Compute;
        self.replying.next = self.state_q.q.val() == AtomicUnitState::Reply;
        self.walker.note.data.next = self.write_note.val();
        if self.replying.val() {
            self.walker.note.data.next = self.read_note.val();
        }
        self.walk.next = self.computing.val() | self.replying.val();
        self.walker.note.valid.next = self.walk.val() & !self.walked_q.q.val();
        self.walked_q.en.next = self.walker.note.ready.val() | !self.walk.val();
        self.walked_q.d.next = self.walk.val();
        self.shape.next = self.walker.shape.data.val();

        // Compute: the message's line and the old one meet.
        self.operands.start.next = self.address.val().get_bits::<6>(0);
        self.operands.shape.data.next = self.shape.val();
        self.operands.shape.valid.next = self.walker.shape.valid.val() & self.computing.val();
        self.operand_line.next = self.operands.line.data.val();
        self.old.index.next = self.operand_line.val().index;
        if self.replying.val() {
            self.old.index.next = self.reply_index_q.q.val();
        }
        self.alu_beat.next.operation = self.held.val().operation;
        self.alu_beat.next.datatype = self.held.val().datatype;
        self.alu_beat.next.operand = self.held.val().operand;
        self.alu_beat.next.mask = self.operand_line.val().mask;
        self.alu_beat.next.old = self.old.line.val();
        self.alu_beat.next.source = self.operand_line.val().source;
        self.alu.beat.data.next = self.alu_beat.val();
        self.alu.beat.valid.next = self.operands.line.valid.val();
        self.operands.line.ready.next = self.alu.beat.ready.val();

        self.write_lines.next = self.write_note.val().lines_less_one;
        self.updated.fresh.next = self.go.val();
        self.updated.owner.next = self.held.val().context;
        self.updated.first.next = self.address.val().get_bits::<58>(6);
        self.updated.lines_less_one.next = self.write_lines.val().get_bits::<4>(0);
        connect!(self.alu.result => self.updated.line);
        connect!(self.updated.write => self.write);
        self.updated.write_done.next = self.write_done.val();
        self.updated.write_error.next = self.write_error.val();

        // Done.
        self.outcome.next.slot = self.held.val().slot;
        self.outcome.next.refused = self.refused_q.q.val().into();
        self.outcome.next.bad = self.operands.bad.val().into();
        self.outcome.next.error = (self.old.failed.val() | self.updated.failed.val()).into();
        self.done.data.next = self.outcome.val();
        self.done.valid.next = self.state_q.q.val() == AtomicUnitState::Done;

        // Reply: the old lines, packed.
        self.piece.next.data = self.old.line.val();
        self.piece.next.start = self.shape.val().start;
        self.piece.next.bytes = self.shape.val().bytes;
        self.piece.next.last = self.shape.val().last;
        self.piece.next.error = 0.into();
        self.packer.piece.data.next = self.piece.val();
        self.packer.piece.valid.next = self.walker.shape.valid.val() & self.replying.val();
        self.piece_taken.next =
            self.walker.shape.valid.val() & self.replying.val() & self.packer.piece.ready.val();
        self.walker.shape.ready.next = self.operands.shape.ready.val();
        if self.replying.val() {
            self.walker.shape.ready.next = self.packer.piece.ready.val();
        }
        self.reply_index_q.en.next = self.go.val() | self.piece_taken.val();
        self.reply_index_q.d.next = self.reply_index_q.q.val() + 1;
        if self.go.val() {
            self.reply_index_q.d.next = 0.into();
        }
        connect!(self.packer.beat => self.reply);

        self.state_q.d.next = self.state_q.q.val();
        match self.state_q.q.val() {
            AtomicUnitState::Idle => {
                if self.job.valid.val() {
                    self.state_q.d.next = AtomicUnitState::Plan;
                }
            }
            AtomicUnitState::Plan => {
                if self.settled.val() {
                    self.state_q.d.next = AtomicUnitState::Collect;
                }
            }
            AtomicUnitState::Collect => {
                if self.collected.val() {
                    self.state_q.d.next = AtomicUnitState::Compute;
                    if self.failed.val() | !self.writes_q.q.val() {
                        self.state_q.d.next = AtomicUnitState::Done;
                    }
                }
            }
            AtomicUnitState::Compute => {
                if self.updated.complete.val() {
                    self.state_q.d.next = AtomicUnitState::Done;
                }
            }
            AtomicUnitState::Done => {
                if self.done.ready.val() {
                    self.state_q.d.next = AtomicUnitState::Idle;
                    if self.held.val().fetch.any() & self.reads_q.q.val() & !self.failed.val() {
                        self.state_q.d.next = AtomicUnitState::Reply;
                    }
                }
            }
            AtomicUnitState::Reply => {
                if self.piece_taken.val() & self.shape.val().last.any() {
                    self.state_q.d.next = AtomicUnitState::Idle;
                }
            }
            _ => {
                self.state_q.d.next = AtomicUnitState::Idle;
            }
        }
    }
}
