//! `GatherUnit`: reads the bytes of messages from host memory and gives them as one stream of full beats.
//!
//! **Purpose.** A message lies in memory in one span or two, which begin and end at any byte. This block reads the
//! lines that hold them and joins their bytes. Which spans may be read was decided before; where packets begin is the
//! packetiser's business.
//!
//! ```text
//!                +------------+--> request  (to ReadPort)
//!   job       -->| GatherUnit |<-- result   (pulse)
//!                +------------+--> beat     (to Packetiser)
//! ```
//!
//! **Contract.** Eight jobs may wait. A job is first span, then second span; at least one byte in all. Jobs with
//! `more`, up to the first without, are one message. A job makes bursts of whole lines, as [`BurstCutter`] cuts them,
//! and ceil(bytes / 64) beats. Results come in the order of the requests, one for each line, in any cycle: there is
//! always room for them, as a burst is asked for only while no more than 240 lines are under way or wait. `error` of a
//! beat: a line of its message up to there had `error`, or bytes are of a job with `unread`: one of one span, of which
//! nothing is read. A job accepted in cycle *n* by an idle unit is a request in *n + 3*; a line that is the last of its
//! message, and comes in cycle *m*, is a beat in *m + 5*. One line a cycle, also from job to job; what is left over of
//! a message's last line takes one cycle more.
//!
//! **Internals.** A job becomes spans (stage 1), a span becomes lines (stage 2), the cutter makes bursts of them. What
//! the cutter does not need goes through `notes` to the [`LineWalker`], which says which bytes of each line count by
//! the time the line comes. Each has a line of its own that is counted, or will be the next, so there is room for it;
//! one of bytes that are not read waits until no other does. [`BytePacker`] joins them.
//!
//! ```text
//!   jobs --> span --> BurstCutter --> request
//!              |
//!            notes --> LineWalker --+
//!                                   v
//!   result --------> lines -----> piece --> BytePacker --> beat
//! ```

use crate::bundle::{PulseIn, StreamIn, StreamOut};
use crate::leaf::{BurstCutter, BytePacker, Delay, Fifo, LineWalker, RamFifo, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::memory::{BurstRequest, BurstResult};
use xtq_types::send::{LineShape, LineSpan, PackedBeat, Piece, SpanJob, SpanNote};

/// Bytes of a job that lie one after the other.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Span {
    context: Bits<2>,
    /// Last span of its message.
    last: Bits<1>,
    /// Nothing is read.
    unread: Bits<1>,
    address: Bits<64>,
    /// Bytes, 1 or more.
    length: Bits<32>,
}

/// A line as it waits.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Line {
    error: Bits<1>,
    data: Bits<512>,
}

/// The reader of messages.
#[block]
pub struct GatherUnit {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; what waits is lost. No line may be under way then.
    pub rst: Signal<In, Bit>,

    /// From IovecGather: bytes of a message.
    pub job: StreamIn<SpanJob>,

    /// To the read port: lines.
    pub request: StreamOut<BurstRequest>,
    /// From the read port: the next line; `last` is not looked at.
    pub result: PulseIn<BurstResult>,

    /// To the packetiser: bytes of a message.
    pub beat: StreamOut<PackedBeat>,

    // Stage 1: the spans of a job.
    jobs: Fifo<SpanJob, 3, 4>,
    second_q: Reg<Bit>,
    span_q: Reg<Span>,
    span_valid_q: Reg<Bit>,
    waiting: Signal<Local, SpanJob>,
    on_second: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    next_span: Signal<Local, Span>,
    step: Signal<Local, Bit>,

    // Stage 2: the lines of a span.
    span: Signal<Local, Span>,
    address: Signal<Local, Bits<64>>,
    start: Signal<Local, Bits<6>>,
    behind: Signal<Local, Bits<33>>,
    lines_less_one: Signal<Local, Bits<27>>,
    line_span: Signal<Local, LineSpan>,
    note: Signal<Local, SpanNote>,
    notes: RamFifo<SpanNote, 8>,
    cutter: BurstCutter,
    cut: Signal<Local, Bit>,
    unread: Signal<Local, Bit>,

    // Lines asked for and not consumed.
    used_q: Delay<Bits<9>>,
    asked: Signal<Local, BurstRequest>,
    /// Lines of the burst that is asked for, less one.
    burst: Signal<Local, Bits<9>>,
    one_more: Signal<Local, Bits<9>>,

    // Lines that came, and their bytes.
    came: Signal<Local, BurstResult>,
    arriving: Signal<Local, Line>,
    lines: RamFifo<Line, 8>,
    walker: LineWalker,
    line: Signal<Local, Line>,
    shape: Signal<Local, LineShape>,
    piece: Signal<Local, Piece>,
    there: Signal<Local, Bit>,
    through: Signal<Local, Bit>,
    consumed: Signal<Local, Bit>,
    packer: BytePacker,
}

#[kernel]
impl Logic for GatherUnit {
    fn update(&mut self) {
        // Stage 1: a span without bytes is left out; the job leaves with its last span.
        connect!(self.job => self.jobs.write);
        self.waiting.next = self.jobs.read.data.val();
        self.on_second.next = self.second_q.q.val() | !self.waiting.val().first_length.any();
        self.last.next = self.on_second.val() | !self.waiting.val().second_length.any();
        self.next_span.next.context = self.waiting.val().context;
        self.next_span.next.last = (self.last.val() & !self.waiting.val().more.any()).into();
        self.next_span.next.unread = self.waiting.val().unread;
        self.next_span.next.address = self.waiting.val().first_address;
        self.next_span.next.length = self.waiting.val().first_length;
        if self.on_second.val() {
            self.next_span.next.address = self.waiting.val().second_address;
            self.next_span.next.length = self.waiting.val().second_length;
        }
        self.unread.next = self.span_q.q.val().unread == 1;
        self.cut.next = self.span_valid_q.q.val() & self.cutter.span.ready.val();
        if self.unread.val() {
            self.cut.next = self.span_valid_q.q.val() & !self.notes.read.valid.val();
        }
        self.step.next = !self.span_valid_q.q.val() | self.cut.val();
        self.jobs.read.ready.next = self.step.val() & self.last.val();
        self.second_q.d.next = !self.last.val();
        self.second_q.en.next = self.step.val() & self.jobs.read.valid.val();
        self.span_q.d.next = self.next_span.val();
        self.span_q.en.next = self.step.val();
        self.span_valid_q.d.next = self.jobs.read.valid.val();
        self.span_valid_q.en.next = self.step.val();

        // Stage 2: lines, and the last lane, from the place of the last byte.
        self.span.next = self.span_q.q.val();
        self.address.next = self.span.val().address;
        self.start.next = self.address.val().get_bits::<6>(0);
        self.behind.next =
            bit_cast::<33, 32>(self.span.val().length) + bit_cast::<33, 6>(self.start.val()) - 1;
        self.lines_less_one.next = self.behind.val().get_bits::<27>(6);
        self.line_span.next.context = self.span.val().context;
        self.line_span.next.line = self.address.val().get_bits::<58>(6);
        self.line_span.next.lines_less_one = self.lines_less_one.val();
        self.note.next.start = self.start.val();
        self.note.next.end_lane = self.behind.val().get_bits::<6>(0);
        self.note.next.last = self.span.val().last;
        self.note.next.unread = self.span.val().unread;
        self.note.next.lines_less_one = self.lines_less_one.val();
        self.cutter.span.data.next = self.line_span.val();
        self.cutter.span.valid.next = self.span_valid_q.q.val() & !self.unread.val();
        self.notes.write.data.next = self.note.val();
        self.notes.write.valid.next = self.cut.val();

        // Lines wait for nothing but the packer: their shapes are there before them.
        self.came.next = self.result.data.val();
        self.arriving.next.error = self.came.val().error;
        self.arriving.next.data = self.came.val().data;
        self.lines.write.data.next = self.arriving.val();
        self.lines.write.valid.next = self.result.valid.val();
        connect!(self.notes.read => self.walker.note);
        self.line.next = self.lines.read.data.val();
        self.shape.next = self.walker.shape.data.val();
        self.piece.next.data = self.line.val().data;
        self.piece.next.start = self.shape.val().start;
        self.piece.next.bytes = self.shape.val().bytes;
        self.piece.next.last = self.shape.val().last;
        self.piece.next.error = self.line.val().error | self.shape.val().unread;
        self.there.next = (self.lines.read.valid.val() | (self.shape.val().unread == 1))
            & self.walker.shape.valid.val();
        self.through.next = self.there.val() & self.packer.piece.ready.val();
        self.consumed.next = self.through.val() & (self.shape.val().unread == 0);
        self.lines.read.ready.next = self.consumed.val();
        self.walker.shape.ready.next = self.through.val();
        self.packer.piece.data.next = self.piece.val();
        self.packer.piece.valid.next = self.there.val();
        connect!(self.packer.beat => self.beat);

        // A burst of up to 16 lines is asked for only while 16 places are free.
        self.cutter.room.next = self.used_q.q.val() <= 240;
        self.asked.next = self.cutter.request.data.val();
        self.request.data.next = self.asked.val();
        self.request.valid.next = self.cutter.request.valid.val();
        self.cutter.request.ready.next = self.request.ready.val();
        // Each sum is made beside the others; what is known late only chooses.
        self.burst.next = bit_cast::<9, 8>(self.asked.val().length);
        self.one_more.next = self.used_q.q.val() + 1;
        self.used_q.d.next = self.used_q.q.val();
        if self.consumed.val() {
            self.used_q.d.next = self.used_q.q.val() - 1;
        }
        if self.cutter.request.valid.val() & self.request.ready.val() {
            self.used_q.d.next = self.one_more.val() + self.burst.val();
            if self.consumed.val() {
                self.used_q.d.next = self.used_q.q.val() + self.burst.val();
            }
        }
    }
}
