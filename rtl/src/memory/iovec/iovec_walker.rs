//! `IovecWalker`: where the bytes of a list of pieces lie.
//!
//! **Purpose.** Walks through a list to the byte that is wanted, and from there on gives address and length of what
//! lies one after the other, until all wanted bytes are found. It moves no bytes.
//!
//! ```text
//!   job    -->+-------------+--> request  (to ReadPort)   <- result (pulse)
//!   cancel -->| IovecWalker |
//!             +-------------+--> span
//! ```
//!
//! **Contract.** A job is `length` bytes (1 or more) after the first `offset` bytes of the list; the last of its spans
//! has `last`. Pieces without bytes give no span. If the list cannot be read, or has fewer bytes, the last span has
//! `error`: it is all bytes that are left, and its address means nothing. A job with `follows` goes on after the bytes
//! of the last job, which had no error and was not cancelled, in the same list: nothing is read again; its `offset` is
//! not looked at. `cancel` (pulse): the rest of the job is forgotten, `span_valid` falls; a job that is taken in the
//! same cycle is not meant. A job accepted in cycle *n* is a request in *n + 2*; a piece takes two cycles, whether it
//! is left out or gives a span.
//!
//! **Internals.** Of a piece, first how far it reaches beyond `offset_q`, and whether it reaches `end_q`, is found,
//! then it is left out or gives a span. Where the last job ended, the reader stands until the next one.
//!
//! ```text
//!   Wait -> Begin -> Look -> Act -> Look ...
//!   Wait ----------> Look    Act -> Wait      follows; the last span
//!                    Look -> Fail -> Wait
//! ```

use crate::bundle::{PulseIn, StreamIn, StreamOut};
use crate::leaf::{Delay, Reg};
use crate::memory::iovec::iovec_reader::IovecReader;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::memory::{BurstRequest, BurstResult};
use xtq_types::send::{IovecJob, IovecSpan};

/// States of [`IovecWalker`].
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum IovecWalkerState {
    /// There is no job.
    Wait,
    /// Gives the list to the reader.
    Begin,
    /// Looks at the next piece.
    Look,
    /// Leaves it out, or gives its bytes.
    Act,
    /// There is none, or it could not be read.
    Fail,
}

/// The walker through lists of pieces.
#[block]
pub struct IovecWalker {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; no line may be under way then.
    pub rst: Signal<In, Bit>,
    /// Bytes of a list.
    pub job: StreamIn<IovecJob>,
    /// Forget the rest of the job (pulse).
    pub cancel: Signal<In, Bit>,
    /// To the read port: lines of lists.
    pub request: StreamOut<BurstRequest>,
    /// From the read port: the next line.
    pub result: PulseIn<BurstResult>,
    /// Where the next bytes are.
    pub span: StreamOut<IovecSpan>,

    reader: IovecReader,
    state_q: Delay<IovecWalkerState>,
    job_q: Reg<IovecJob>,
    /// Pieces that are not passed yet.
    pieces_q: Reg<Bits<11>>,
    /// Bytes between the beginning of the next piece and what is wanted.
    offset_q: Delay<Bits<64>>,
    /// Bytes that are still wanted.
    left_q: Delay<Bits<32>>,
    /// `offset_q` + `left_q`.
    end_q: Reg<Bits<65>>,
    /// Of the piece at hand: what is wanted begins at this address,
    start_q: Reg<Bits<64>>,
    /// this many bytes before its end, if all to there is wanted,
    reach_q: Reg<Bits<32>>,
    /// or this many after it, which `past_q` says.
    beyond_q: Reg<Bits<64>>,
    past_q: Reg<Bit>,
    /// All of it is wanted;
    short_q: Reg<Bit>,
    /// nothing after it is.
    reaches_q: Reg<Bit>,
    begins: Signal<Local, Bit>,
    gap: Signal<Local, Bits<65>>,
    rest: Signal<Local, Bits<66>>,
    added: Signal<Local, Bits<32>>,
    length: Signal<Local, Bits<32>>,
    given: Signal<Local, IovecSpan>,
    leaves: Signal<Local, Bit>,
}

#[kernel]
impl Logic for IovecWalker {
    fn update(&mut self) {
        // A job: a new list, or on in the old one.
        self.job.ready.next = self.state_q.q.val() == IovecWalkerState::Wait;
        self.begins.next = self.job.valid.val() & (self.state_q.q.val() == IovecWalkerState::Wait);
        self.job_q.d.next = self.job.data.val();
        self.job_q.en.next = self.state_q.q.val() == IovecWalkerState::Wait;
        self.reader.stop.next = self.begins.val() & (self.job.data.val().follows == 0);
        self.reader.job.data.next = self.job_q.q.val();
        self.reader.wanted.next = (self.state_q.q.val() == IovecWalkerState::Look)
            & self.pieces_q.q.val().any()
            & !self.reader.piece.valid.val();
        self.reader.job.valid.next = self.state_q.q.val() == IovecWalkerState::Begin;
        connect!(self.reader.request => self.request);
        connect!(self.result => self.reader.result);

        // Look: does the piece reach what is wanted, and how far beyond? Does it reach its end?
        self.gap.next = bit_cast::<65, 64>(self.offset_q.q.val())
            - bit_cast::<65, 64>(self.reader.piece.data.val().length);
        self.past_q.d.next = !self.gap.val().get_bit(64);
        self.past_q.en.next = self.state_q.q.val() == IovecWalkerState::Look;
        self.beyond_q.d.next = self.gap.val().get_bits::<64>(0);
        self.beyond_q.en.next = self.state_q.q.val() == IovecWalkerState::Look;
        self.rest.next = bit_cast::<66, 65>(self.end_q.q.val())
            - bit_cast::<66, 64>(self.reader.piece.data.val().length);
        self.short_q.d.next = !self.rest.val().get_bit(65);
        self.short_q.en.next = self.state_q.q.val() == IovecWalkerState::Look;
        self.reaches_q.d.next =
            bit_cast::<65, 64>(self.reader.piece.data.val().length) >= self.end_q.q.val();
        self.reaches_q.en.next = self.state_q.q.val() == IovecWalkerState::Look;
        self.reach_q.d.next = bit_cast::<32, 64>(self.reader.piece.data.val().length)
            - self.offset_q.q.val().get_bits::<32>(0);
        self.reach_q.en.next = self.state_q.q.val() == IovecWalkerState::Look;
        self.start_q.d.next = self.reader.piece.data.val().start + self.offset_q.q.val();
        self.start_q.en.next = self.state_q.q.val() == IovecWalkerState::Look;

        // Act: its bytes.
        self.length.next = self.left_q.q.val();
        if self.short_q.q.val() {
            self.length.next = self.reach_q.q.val();
        }
        self.given.next.address = self.start_q.q.val();
        self.given.next.length = self.length.val();
        self.given.next.last = self.reaches_q.q.val().into();
        self.given.next.error = 0.into();
        if self.state_q.q.val() == IovecWalkerState::Fail {
            self.given.next.length = self.left_q.q.val();
            self.given.next.last = 1.into();
            self.given.next.error = 1.into();
        }
        self.span.data.next = self.given.val();
        self.span.valid.next = ((self.state_q.q.val() == IovecWalkerState::Act)
            & !self.past_q.q.val())
            | (self.state_q.q.val() == IovecWalkerState::Fail);
        self.leaves.next = (self.state_q.q.val() == IovecWalkerState::Act)
            & (self.past_q.q.val() | (self.short_q.q.val() & self.span.ready.val()));
        self.reader.piece.ready.next = self.leaves.val();
        self.pieces_q.d.next = self.pieces_q.q.val() - 1;
        self.pieces_q.en.next = self.leaves.val();

        self.offset_q.d.next = self.offset_q.q.val();
        self.left_q.d.next = self.left_q.q.val();
        self.added.next = self.left_q.q.val();
        if self.state_q.q.val() == IovecWalkerState::Wait {
            self.added.next = self.job.data.val().length;
        }
        self.end_q.d.next =
            bit_cast::<65, 64>(self.offset_q.q.val()) + bit_cast::<65, 32>(self.added.val());
        self.end_q.en.next = self.state_q.q.val() == IovecWalkerState::Wait;
        self.state_q.d.next = self.state_q.q.val();
        match self.state_q.q.val() {
            IovecWalkerState::Wait => {
                if self.begins.val() {
                    self.left_q.d.next = self.job.data.val().length;
                    self.state_q.d.next = IovecWalkerState::Look;
                    if self.job.data.val().follows == 0 {
                        self.offset_q.d.next = self.job.data.val().offset;
                        self.pieces_q.d.next = self.job.data.val().pieces;
                        self.pieces_q.en.next = true;
                        self.state_q.d.next = IovecWalkerState::Begin;
                    }
                }
            }
            IovecWalkerState::Begin => {
                self.end_q.en.next = true;
                if self.reader.job.ready.val() {
                    self.state_q.d.next = IovecWalkerState::Look;
                }
            }
            IovecWalkerState::Look => {
                if !self.pieces_q.q.val().any() {
                    self.state_q.d.next = IovecWalkerState::Fail;
                } else if self.reader.piece.valid.val() {
                    self.state_q.d.next = IovecWalkerState::Act;
                    if self.reader.piece.data.val().error == 1 {
                        self.state_q.d.next = IovecWalkerState::Fail;
                    }
                }
            }
            IovecWalkerState::Act => {
                self.end_q.d.next = self.rest.val().get_bits::<65>(0);
                self.end_q.en.next = self.leaves.val();
                if self.past_q.q.val() {
                    self.offset_q.d.next = self.beyond_q.q.val();
                    self.state_q.d.next = IovecWalkerState::Look;
                } else if self.span.ready.val() {
                    self.left_q.d.next = self.left_q.q.val() - self.reach_q.q.val();
                    self.offset_q.d.next = 0.into();
                    if !self.short_q.q.val() {
                        self.offset_q.d.next = self.end_q.q.val().get_bits::<64>(0);
                    }
                    self.state_q.d.next = IovecWalkerState::Look;
                    if self.reaches_q.q.val() {
                        self.state_q.d.next = IovecWalkerState::Wait;
                    }
                }
            }
            _ => {
                if self.span.ready.val() {
                    self.state_q.d.next = IovecWalkerState::Wait;
                }
            }
        }
        if self.cancel.val() & (self.state_q.q.val() != IovecWalkerState::Wait) {
            self.state_q.d.next = IovecWalkerState::Wait;
        }
    }
}
