//! `IovecSum`: how many bytes the pieces of a list have together.
//!
//! **Purpose.** MD_BIND, ME_APPEND and ME_SEARCH with the option IOVEC name a list and the number of its pieces; what
//! is kept is the number of their bytes. This block reads the list for it, once.
//!
//! ```text
//!   job -->+----------+--> request  (to ReadPort)   <- result (pulse)
//!          | IovecSum |
//!          +----------+--> done, sum, unread, overflow
//! ```
//!
//! **Contract.** One list at a time. `done` (pulse) comes when the last piece has been added, for a list without pieces
//! one cycle after the job; with it `sum`, and `unread` (a line of the list could not be read) or `overflow` (2^64
//! bytes or more). The list is read to its end in any case.
//!
//! **Internals.** An [`IovecReader`], an adder with carry, and a count of pieces.

use crate::bundle::{PulseIn, StreamIn, StreamOut};
use crate::leaf::Reg;
use crate::memory::iovec::iovec_reader::IovecReader;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::memory::{BurstRequest, BurstResult};
use xtq_types::send::IovecJob;

/// The adder of lengths.
#[block]
pub struct IovecSum {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; no line may be under way then.
    pub rst: Signal<In, Bit>,
    /// A list; `offset`, `length` and `follows` are not looked at.
    pub job: StreamIn<IovecJob>,
    /// To the read port: lines of the list.
    pub request: StreamOut<BurstRequest>,
    /// From the read port: the next line.
    pub result: PulseIn<BurstResult>,
    /// All is added (pulse).
    pub done: Signal<Out, Bit>,
    /// Bytes, modulo 2^64.
    pub sum: Signal<Out, Bits<64>>,
    /// The list could not be read.
    pub unread: Signal<Out, Bit>,
    /// They are more than 64 bits can say.
    pub overflow: Signal<Out, Bit>,

    reader: IovecReader,
    active_q: Reg<Bit>,
    pieces_q: Reg<Bits<11>>,
    sum_q: Reg<Bits<64>>,
    unread_q: Reg<Bit>,
    overflow_q: Reg<Bit>,
    begins: Signal<Local, Bit>,
    adds: Signal<Local, Bit>,
    total: Signal<Local, Bits<65>>,
    ends: Signal<Local, Bit>,
}

#[kernel]
impl Logic for IovecSum {
    fn update(&mut self) {
        self.reader.job.data.next = self.job.data.val();
        self.reader.job.valid.next = self.job.valid.val() & !self.active_q.q.val();
        self.job.ready.next = self.reader.job.ready.val() & !self.active_q.q.val();
        self.begins.next =
            self.job.valid.val() & self.reader.job.ready.val() & !self.active_q.q.val();
        self.reader.wanted.next = true;
        self.reader.stop.next = false;
        connect!(self.reader.request => self.request);
        connect!(self.result => self.reader.result);

        self.reader.piece.ready.next = true;
        self.adds.next = self.reader.piece.valid.val();
        self.ends.next = self.active_q.q.val() & !self.pieces_q.q.val().any();
        self.active_q.d.next = self.begins.val();
        self.active_q.en.next = self.begins.val() | self.ends.val();
        self.total.next = bit_cast::<65, 64>(self.sum_q.q.val())
            + bit_cast::<65, 64>(self.reader.piece.data.val().length);
        self.pieces_q.d.next = self.pieces_q.q.val() - 1;
        self.sum_q.d.next = self.total.val().get_bits::<64>(0);
        self.unread_q.d.next = self.unread_q.q.val() | (self.reader.piece.data.val().error == 1);
        self.overflow_q.d.next = self.overflow_q.q.val() | self.total.val().get_bit(64);
        if self.begins.val() {
            self.pieces_q.d.next = self.job.data.val().pieces;
            self.sum_q.d.next = 0.into();
            self.unread_q.d.next = false;
            self.overflow_q.d.next = false;
        }
        self.pieces_q.en.next = self.begins.val() | self.adds.val();
        self.sum_q.en.next = self.begins.val() | self.adds.val();
        self.unread_q.en.next = self.begins.val() | self.adds.val();
        self.overflow_q.en.next = self.begins.val() | self.adds.val();
        self.done.next = self.ends.val();
        self.sum.next = self.sum_q.q.val();
        self.unread.next = self.unread_q.q.val();
        self.overflow.next = self.overflow_q.q.val();
    }
}
