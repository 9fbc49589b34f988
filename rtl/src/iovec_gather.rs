//! `IovecGather`: makes spans of messages whose bytes lie in lists of pieces.
//!
//! **Purpose.** Stands in front of [`GatherUnit`](crate::gather_unit::GatherUnit), which knows spans only. A message without lists passes; of one with lists each part is walked through, and every span is a job of the same message.
//!
//! ```text
//!           +-------------+--> request  (to ReadPort)   <- result (pulse)
//!   job  -->| IovecGather |
//!           +-------------+--> spans    (to GatherUnit)
//! ```
//!
//! **Contract.** A message whose two parts have no `pieces` is one job, in the same cycle if none is before it; up to eight wait. Else it is a job for each part without, and for each span of a part with, in order, all but the last with `more`. Bytes of which nobody knows where they are,
//! because the list cannot be read or is too short, are a job with `unread`. Parts without bytes are left out, whatever their lists; there is at least one byte in all.
//!
//! **Internals.** A FIFO, which a message without lists passes by when it is empty, so that a long list does not hold up who gives the jobs, and an [`IovecWalker`]; a job stays in the FIFO until its last span is taken.

use crate::iovec_walker::IovecWalker;
use crate::leaf::{Fifo, Reg};
use crate::types::send::{BurstRequest, BurstResult, GatherJob, IovecJob, IovecSpan, SpanJob};
use rust_hdl::prelude::*;

/// The maker of spans.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct IovecGather {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; no line may be under way then.
    pub rst: Signal<In, Bit>,
    /// From SendArbiter: the bytes of a message.
    pub job: Signal<In, GatherJob>,
    /// `job` is valid.
    pub job_valid: Signal<In, Bit>,
    /// `job` is taken.
    pub job_ready: Signal<Out, Bit>,
    /// To the read port: lines of lists.
    pub request: Signal<Out, BurstRequest>,
    /// `request` is valid.
    pub request_valid: Signal<Out, Bit>,
    /// `request` is taken.
    pub request_ready: Signal<In, Bit>,
    /// From the read port: the next line.
    pub result: Signal<In, BurstResult>,
    /// Pulse.
    pub result_valid: Signal<In, Bit>,
    /// To GatherUnit: where its bytes are.
    pub spans: Signal<Out, SpanJob>,
    /// `spans` is valid.
    pub spans_valid: Signal<Out, Bit>,
    /// `spans` is taken.
    pub spans_ready: Signal<In, Bit>,

    jobs: Fifo<GatherJob, 3, 4>,
    walker: IovecWalker,
    /// The first part is through.
    second_q: Reg<Bit>,
    /// The walker has the part at hand.
    walks_q: Reg<Bit>,
    plain: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
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

impl Logic for IovecGather {
    #[hdl_gen]
    fn update(&mut self) {
        self.walker.clk.next = self.clk.val();
        self.walker.rst.next = self.rst.val();
        self.second_q.clk.next = self.clk.val();
        self.second_q.rst.next = self.rst.val();
        self.walks_q.clk.next = self.clk.val();
        self.walks_q.rst.next = self.rst.val();

        // The job at hand: the one that waits longest, or one without lists that comes.
        self.jobs.clk.next = self.clk.val();
        self.jobs.rst.next = self.rst.val();
        self.plain.next = !self.job.val().first_pieces.any() & !self.job.val().second_pieces.any();
        self.waits.next = self.jobs.read_valid.val();
        self.head.next = self.job.val();
        self.head_valid.next = self.job_valid.val() & self.plain.val();
        if self.waits.val() {
            self.head.next = self.jobs.read.val();
            self.head_valid.next = true;
        }
        self.jobs.write.next = self.job.val();
        self.jobs.write_valid.next =
            self.job_valid.val() & (self.waits.val() | !self.plain.val() | !self.spans_ready.val());
        self.job_ready.next = self.jobs.write_ready.val();

        // The part at hand.
        self.has_list.next =
            self.head.val().first_pieces.any() | self.head.val().second_pieces.any();
        self.on_second.next = self.second_q.q.val() | !self.head.val().first_length.any();
        self.ends.next = self.on_second.val() | !self.head.val().second_length.any();
        self.part.next.context = self.head.val().context;
        self.part.next.list = self.head.val().first_address;
        self.part.next.pieces = self.head.val().first_pieces;
        self.part.next.offset = self.head.val().first_offset;
        self.part.next.length = self.head.val().first_length;
        self.part.next.follows = 0.into();
        if self.on_second.val() {
            self.part.next.list = self.head.val().second_address;
            self.part.next.pieces = self.head.val().second_pieces;
            self.part.next.offset = self.head.val().second_offset;
            self.part.next.length = self.head.val().second_length;
        }
        self.listed.next = self.part.val().pieces.any();

        // One with a list is walked through.
        self.walker.cancel.next = false;
        self.walker.job.next = self.part.val();
        self.offers.next = self.head_valid.val() & self.listed.val() & !self.walks_q.q.val();
        self.walker.job_valid.next = self.offers.val();
        self.request.next = self.walker.request.val();
        self.request_valid.next = self.walker.request_valid.val();
        self.walker.request_ready.next = self.request_ready.val();
        self.walker.result.next = self.result.val();
        self.walker.result_valid.next = self.result_valid.val();
        self.span.next = self.walker.span.val();

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
                self.out_valid.next = self.walks_q.q.val() & self.walker.span_valid.val();
                self.part_ends.next = self.span.val().last == 1;
            }
            self.out.next.more = (!self.ends.val() | !self.part_ends.val()).into();
        }
        self.spans.next = self.out.val();
        self.spans_valid.next = self.out_valid.val();
        self.walker.span_ready.next = self.spans_ready.val() & self.walks_q.q.val();
        self.through.next = self.out_valid.val() & self.spans_ready.val() & self.part_ends.val();
        self.jobs.read_ready.next = self.through.val() & (self.ends.val() | !self.has_list.val());
        self.second_q.d.next = !self.ends.val() & self.has_list.val();
        self.second_q.en.next = self.through.val();
        self.walks_q.d.next = !self.walks_q.q.val();
        self.walks_q.en.next = (self.walks_q.q.val() & self.through.val())
            | (self.offers.val() & self.walker.job_ready.val());
    }
}
