//! `IovecGather`: makes spans of messages whose bytes lie in lists of pieces.
//!
//! **Purpose.** Stands in front of [`GatherUnit`](crate::memory::gather_unit::GatherUnit), which knows spans only. A
//! message without lists passes; of one with lists each part is walked through, and every span is a job of the same
//! message.
//!
//! ```text
//!           +-------------+--> request  (to ReadPort)   <- result (pulse)
//!   job  -->| IovecGather |
//!           +-------------+--> spans    (to GatherUnit)
//! ```
//!
//! **Contract.** A message whose two parts have no `pieces` is one job, in the same cycle if none is before it; up to
//! eight wait. Else it is a job for each part without, and for each span of a part with, in order, all but the last
//! with `more`. Bytes of which nobody knows where they are, because the list cannot be read or is too short, are a job
//! with `unread`. Parts without bytes are left out, whatever their lists; there is at least one byte in all.
//!
//! **Internals.** A register for the job at hand and a FIFO for those after it, which a message without lists passes by
//! when nothing waits, so that a long list does not hold up who gives the jobs, and an [`IovecWalker`]. A job stays at
//! hand until its last span is taken. What its parts are like (`Kind`) is found out when it comes to hand.

use crate::bundle::{PulseIn, StreamIn, StreamOut};
use crate::leaf::{Fifo, Reg};
use crate::memory::iovec::iovec_walker::IovecWalker;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::memory::{BurstRequest, BurstResult};
use xtq_types::send::{GatherJob, IovecJob, IovecSpan, SpanJob};

/// Which parts of a job have bytes, and which have lists.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Kind {
    first_bytes: Bits<1>,
    first_listed: Bits<1>,
    second_bytes: Bits<1>,
    second_listed: Bits<1>,
}

/// The maker of spans.
#[block]
pub struct IovecGather {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; no line may be under way then.
    pub rst: Signal<In, Bit>,
    /// From CommandStage or ReplyUnit: the bytes of a message.
    pub job: StreamIn<GatherJob>,
    /// To the read port: lines of lists.
    pub request: StreamOut<BurstRequest>,
    /// From the read port: the next line.
    pub result: PulseIn<BurstResult>,
    /// To GatherUnit: where its bytes are.
    pub spans: StreamOut<SpanJob>,

    jobs: Fifo<GatherJob, 3, 4>,
    /// The job that waits longest.
    head_q: Reg<GatherJob>,
    kind_q: Reg<Kind>,
    /// There is one.
    waits_q: Reg<Bit>,
    /// Jobs that wait, with it.
    many_q: Reg<Bits<4>>,
    walker: IovecWalker,
    /// The first part is through.
    second_q: Reg<Bit>,
    /// The walker has the part at hand.
    walks_q: Reg<Bit>,
    plain: Signal<Local, Bit>,
    joins: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    coming: Signal<Local, GatherJob>,
    kind: Signal<Local, Kind>,
    head: Signal<Local, GatherJob>,
    head_valid: Signal<Local, Bit>,
    has_list: Signal<Local, Bit>,
    on_second: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    part: Signal<Local, IovecJob>,
    listed: Signal<Local, Bit>,
    span: Signal<Local, IovecSpan>,
    out: Signal<Local, SpanJob>,
    out_valid: Signal<Local, Bit>,
    part_ends: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    through: Signal<Local, Bit>,
}

#[kernel]
impl Logic for IovecGather {
    fn update(&mut self) {
        // A job that comes passes, or joins those that wait.
        self.plain.next =
            !self.job.data.val().first_pieces.any() & !self.job.data.val().second_pieces.any();
        self.job.ready.next = !self.many_q.q.val().get_bit(3);
        self.joins.next = self.job.valid.val()
            & !self.many_q.q.val().get_bit(3)
            & (self.waits_q.q.val() | !self.plain.val() | !self.spans.ready.val());

        // The job that goes on: the one at hand, or one without lists that comes.
        self.head.next = self.job.data.val();
        self.head_valid.next = self.job.valid.val() & self.plain.val();
        if self.waits_q.q.val() {
            self.head.next = self.head_q.q.val();
            self.head_valid.next = true;
        }

        // The part at hand.
        self.has_list.next = self.waits_q.q.val()
            & ((self.kind_q.q.val().first_listed == 1) | (self.kind_q.q.val().second_listed == 1));
        self.on_second.next = self.second_q.q.val() | (self.kind_q.q.val().first_bytes == 0);
        self.ends.next = self.on_second.val() | (self.kind_q.q.val().second_bytes == 0);
        self.listed.next = self.kind_q.q.val().first_listed == 1;
        if self.on_second.val() {
            self.listed.next = self.kind_q.q.val().second_listed == 1;
        }
        self.part.next.context = self.head_q.q.val().context;
        self.part.next.list = self.head_q.q.val().first_address;
        self.part.next.pieces = self.head_q.q.val().first_pieces;
        self.part.next.offset = self.head_q.q.val().first_offset;
        self.part.next.length = self.head_q.q.val().first_length;
        self.part.next.follows = 0.into();
        if self.on_second.val() {
            self.part.next.list = self.head_q.q.val().second_address;
            self.part.next.pieces = self.head_q.q.val().second_pieces;
            self.part.next.offset = self.head_q.q.val().second_offset;
            self.part.next.length = self.head_q.q.val().second_length;
        }

        // One with a list is walked through.
        self.walker.cancel.next = false;
        self.walker.job.data.next = self.part.val();
        self.offers.next = self.waits_q.q.val() & self.listed.val() & !self.walks_q.q.val();
        self.walker.job.valid.next = self.offers.val();
        connect!(self.walker.request => self.request);
        connect!(self.result => self.walker.result);
        self.span.next = self.walker.span.data.val();

        // What goes on: both parts at once, one of them, or a span.
        self.out.next.context = self.head.val().context;
        self.out.next.first_address = self.head.val().first_address;
        self.out.next.first_length = self.head.val().first_length;
        self.out.next.second_address = self.head.val().second_address;
        self.out.next.second_length = self.head.val().second_length;
        self.out.next.more = 0.into();
        self.out.next.unread = 0.into();
        self.out_valid.next = self.head_valid.val();
        self.part_ends.next = true;
        if self.has_list.val() {
            self.out.next.first_address = self.part.val().list;
            self.out.next.first_length = self.part.val().length;
            self.out.next.second_address = 0.into();
            self.out.next.second_length = 0.into();
            if self.listed.val() {
                self.out.next.first_address = self.span.val().address;
                self.out.next.first_length = self.span.val().length;
                self.out.next.unread = self.span.val().error;
                self.out_valid.next = self.walks_q.q.val() & self.walker.span.valid.val();
                self.part_ends.next = self.span.val().last == 1;
            }
            self.out.next.more = (!self.ends.val() | !self.part_ends.val()).into();
        }
        self.spans.data.next = self.out.val();
        self.spans.valid.next = self.out_valid.val();
        self.walker.span.ready.next = self.spans.ready.val() & self.walks_q.q.val();
        self.through.next = self.out_valid.val() & self.spans.ready.val() & self.part_ends.val();
        self.leaves.next =
            self.waits_q.q.val() & self.through.val() & (self.ends.val() | !self.has_list.val());
        self.second_q.d.next = !self.ends.val() & self.has_list.val();
        self.second_q.en.next = self.through.val();
        self.walks_q.d.next = !self.walks_q.q.val();
        self.walks_q.en.next = (self.walks_q.q.val() & self.through.val())
            | (self.offers.val() & self.walker.job.ready.val());

        // The next one comes to hand, or one more waits.
        self.takes.next = !self.waits_q.q.val() | self.leaves.val();
        self.jobs.write.data.next = self.job.data.val();
        self.jobs.write.valid.next =
            self.joins.val() & (self.jobs.read.valid.val() | !self.takes.val());
        self.jobs.read.ready.next = self.takes.val();
        self.many_q.d.next = self.many_q.q.val() + 1;
        if self.leaves.val() {
            self.many_q.d.next = self.many_q.q.val() - 1;
        }
        self.many_q.en.next = self.joins.val() ^ self.leaves.val();

        self.coming.next = self.job.data.val();
        if self.jobs.read.valid.val() {
            self.coming.next = self.jobs.read.data.val();
        }
        self.kind.next.first_bytes = self.coming.val().first_length.any().into();
        self.kind.next.first_listed = self.coming.val().first_pieces.any().into();
        self.kind.next.second_bytes = self.coming.val().second_length.any().into();
        self.kind.next.second_listed = self.coming.val().second_pieces.any().into();
        self.head_q.d.next = self.coming.val();
        self.head_q.en.next = self.takes.val();
        self.kind_q.d.next = self.kind.val();
        self.kind_q.en.next = self.takes.val();
        self.waits_q.d.next = self.jobs.read.valid.val() | self.joins.val();
        self.waits_q.en.next = self.takes.val();
    }
}
