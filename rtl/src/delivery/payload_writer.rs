//! `PayloadWriter`: writes packets to any byte address and says when a message is in memory.
//!
//! **Purpose.** Takes the beats of rewritten packets, cuts them again at memory lines, joins what waits into AXI
//! bursts, and counts acknowledgements per message. It is the only block that writes to receive buffers.
//!
//! ```text
//!            +---------------+--> payload         (to WritePort)
//!   beat  -->| PayloadWriter |<-- payload_done, payload_error
//!            |               |--> done            (to Enqueuer, through AtomicFork)
//!            +---------------+--> quiet           (to AtomicFork)
//! ```
//!
//! **Contract.** *n* bytes at lane *o* of a line make `ceil((o + n) / 64)` lines, a last beat without bytes at lane 0
//! makes one line without strobes. One beat a cycle; a packet whose last beat spills into another line takes one cycle
//! more. A beat accepted in cycle *n* by an idle writer is offered in *n + 3*. A burst has the lines of its packet that
//! waited when it was first offered, and ends at 4 KiB; no burst waits for a line. `quiet`: no beat that was taken is
//! on its way, no line waits, no burst is unacknowledged. `done`, its room and its outcome are the business of
//! [`PayloadTracker`](crate::delivery::payload_tracker::PayloadTracker).
//!
//! **Internals.** Stage 0 takes the beat and finds lane and line; stages 1 and 2 are those of the
//! [`ByteAligner`](crate::leaf::ByteAligner), with the strobes made beside it; stage 2 writes `lines`, a ring of 64.
//! `ends` holds the numbers of the lines that close a burst (packet end, 4 KiB), so that the length of the next burst
//! is one subtraction. Whether it is one line is known before, as `notes` says of each line if it closes one. The
//! pipeline moves while `lines` has room.
//!
//! ```text
//! cycle    n        n+1      n+2      n+3      n+4
//! beat     accept   coarse   fine     payload  W on the pins (WritePort)
//! ```

use crate::bundle::{StreamIn, StreamOut};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

use crate::delivery::payload_tracker::PayloadTracker;
use crate::leaf::{ByteAligner, Delay, Fifo, LutRam, Reg};
use xtq_types::memory::WriteRequest;
use xtq_types::pipe::WriteBeat;
use xtq_types::queue::PayloadDone;

/// What travels beside a line and is the same in its extra line.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct LineTag {
    slot: Bits<8>,
    context: Bits<2>,
    message_last: Bits<1>,
    bad: Bits<1>,
    lost: Bits<1>,
}

/// Where the bytes of a line lie.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct LineShape {
    /// First lane that is written.
    low: Bits<6>,
    /// First lane after it that is not, 0 to 64.
    high: Bits<7>,
    /// Last line of the packet.
    packet_last: Bits<1>,
}

/// What the end of a burst needs to know of a line.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct LineNote {
    slot: Bits<8>,
    message_last: Bits<1>,
    bad: Bits<1>,
    lost: Bits<1>,
    burst_last: Bits<1>,
}

/// A line without its data.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct LineInfo {
    slot: Bits<8>,
    context: Bits<2>,
    /// Last line of the message's last packet.
    message_last: Bits<1>,
    /// Last line of a packet of the wrong length.
    bad: Bits<1>,
    /// Last line of a packet of which bytes have no place.
    lost: Bits<1>,
    /// Last line of the packet, or in front of a 4 KiB border.
    burst_last: Bits<1>,
    /// Address / 64.
    number: Bits<58>,
    strobe: Bits<64>,
}

/// A line that waits for the port.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Line {
    context: Bits<2>,
    number: Bits<58>,
    strobe: Bits<64>,
    data: Bits<512>,
}

/// Address of a line as it goes to the port.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct LineAddress {
    zero: Bits<6>,
    number: Bits<58>,
}

/// The writer of receive buffers.
#[block]
pub struct PayloadWriter {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From IovecScatter: the next bytes of a packet.
    pub beat: StreamIn<WriteBeat>,

    /// To the write port: a line.
    pub payload: StreamOut<WriteRequest>,
    /// Pulse from the write port: the oldest burst is acknowledged.
    pub payload_done: Signal<In, Bit>,
    /// With `payload_done`: it failed.
    pub payload_error: Signal<In, Bit>,

    /// To the enqueuer: a message is in memory, or failed.
    pub done: StreamOut<PayloadDone>,
    /// All that was taken is in memory, or failed.
    pub quiet: Signal<Out, Bit>,

    // Stage 0: the beat on the stream.
    flush_q: Reg<Bit>,
    offset_q: Reg<Bits<6>>,
    over_q: Reg<Bits<6>>,
    line_q: Reg<Bits<58>>,
    step: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    incoming: Signal<Local, WriteBeat>,
    address: Signal<Local, Bits<64>>,
    offset: Signal<Local, Bits<6>>,
    lane: Signal<Local, Bits<6>>,
    bytes: Signal<Local, Bits<7>>,
    behind: Signal<Local, Bits<8>>,
    spills: Signal<Local, Bit>,
    tag: Signal<Local, LineTag>,
    shape: Signal<Local, LineShape>,

    // Stage 1: words are chosen.
    aligner: ByteAligner,
    stage1_valid_q: Reg<Bit>,
    tag_q: Reg<LineTag>,
    shape_q: Reg<LineShape>,
    tag_out: Signal<Local, LineTag>,
    shape_out: Signal<Local, LineShape>,
    ones: Signal<Local, Bits<64>>,
    from_low: Signal<Local, Bits<64>>,
    from_high: Signal<Local, Bits<64>>,
    high: Signal<Local, Bits<7>>,
    low: Signal<Local, Bits<6>>,
    high_lane: Signal<Local, Bits<6>>,
    in_page: Signal<Local, Bits<6>>,
    info: Signal<Local, LineInfo>,

    // Stage 2: bytes are chosen.
    stage2_valid_q: Reg<Bit>,
    info_q: Reg<LineInfo>,
    info_out: Signal<Local, LineInfo>,
    note_in: Signal<Local, LineNote>,
    line_in: Signal<Local, Line>,
    write_line: Signal<Local, Bit>,

    // Lines that wait, and bursts.
    lines: LutRam<Line, 6>,
    /// Of the same lines; apart, as the way through so narrow a memory is short.
    notes: LutRam<LineNote, 6>,
    ends: Fifo<Bits<7>, 6, 7>,
    /// Numbers of the next line that is written
    written_q: Reg<Bits<7>>,
    /// and of the next one that is read;
    read_q: Reg<Bits<7>>,
    /// the difference.
    waiting_q: Reg<Bits<7>>,
    /// A first line was offered and not taken,
    held_q: Delay<Bit>,
    /// of a burst of this many lines, less one;
    length_q: Reg<Bits<7>>,
    /// of one line.
    alone_q: Reg<Bit>,
    /// Lines of the burst that were not sent; there are some.
    left_q: Reg<Bits<7>>,
    inside_q: Reg<Bit>,
    note: Signal<Local, LineNote>,
    line: Signal<Local, Line>,
    line_address: Signal<Local, LineAddress>,
    first: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    valid: Signal<Local, Bit>,
    sent: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    to_end: Signal<Local, Bits<7>>,
    length: Signal<Local, Bits<7>>,

    tracker: PayloadTracker,
}

#[kernel]
impl Logic for PayloadWriter {
    fn update(&mut self) {
        // Stage 0: a beat, or the extra line of the packet whose last beat was just taken.
        self.step.next = !self.waiting_q.q.val().get_bit(6);
        self.beat.ready.next = self.step.val() & !self.flush_q.q.val();
        self.accept.next = self.beat.valid.val() & self.step.val() & !self.flush_q.q.val();
        self.take.next = self.accept.val() | (self.step.val() & self.flush_q.q.val());
        self.incoming.next = self.beat.data.val();
        self.address.next = self.incoming.val().address;
        self.offset.next = self.offset_q.q.val();
        self.line_q.d.next = self.line_q.q.val() + 1;
        self.shape.next.low = 0.into();
        if !self.flush_q.q.val() & self.incoming.val().first.any() {
            self.offset.next = self.address.val().get_bits::<6>(0);
            self.line_q.d.next = self.address.val().get_bits::<58>(6);
            self.shape.next.low = self.address.val().get_bits::<6>(0);
        }
        self.line_q.en.next = self.take.val();
        self.offset_q.d.next = self.offset.val();
        self.offset_q.en.next = self.accept.val();
        self.bytes.next = self.incoming.val().bytes;
        // Where the beat ends; does not wait for `flush_q`, as nothing looks at it then.
        self.lane.next = self.offset_q.q.val();
        if self.incoming.val().first.any() {
            self.lane.next = self.address.val().get_bits::<6>(0);
        }
        self.behind.next = bit_cast::<8, 6>(self.lane.val()) + bit_cast::<8, 7>(self.bytes.val());
        self.spills.next = self.incoming.val().last.any()
            & (self.behind.val().get_bit(7)
                | (self.behind.val().get_bit(6) & self.behind.val().get_bits::<6>(0).any()));
        self.over_q.d.next = self.behind.val().get_bits::<6>(0);
        self.over_q.en.next = self.accept.val();
        self.flush_q.d.next = self.accept.val() & self.spills.val();
        self.flush_q.en.next = self.step.val();

        self.tag.next.slot = self.incoming.val().slot;
        self.tag.next.context = self.incoming.val().context;
        self.tag.next.message_last = self.incoming.val().message_last;
        self.tag.next.bad = self.incoming.val().bad;
        self.tag.next.lost = self.incoming.val().lost;
        self.shape.next.high = 64.into();
        self.shape.next.packet_last = 0.into();
        if self.incoming.val().last.any() & !self.spills.val() {
            self.shape.next.high = self.behind.val().get_bits::<7>(0);
            self.shape.next.packet_last = 1.into();
        }
        if self.flush_q.q.val() {
            self.shape.next.high = bit_cast::<7, 6>(self.over_q.q.val());
            self.shape.next.packet_last = 1.into();
        }
        self.tag_q.d.next = self.tag.val();
        self.tag_q.en.next = self.accept.val();
        self.shape_q.d.next = self.shape.val();
        self.shape_q.en.next = self.take.val();
        self.stage1_valid_q.d.next = self.take.val();
        self.stage1_valid_q.en.next = self.step.val();
        self.aligner.en.next = self.step.val();
        self.aligner.keep.next = self.accept.val();
        self.aligner.data.next = self.incoming.val().data;
        self.aligner.offset.next = self.offset.val();

        // Stage 1: strobes are ones from lane `low` on, less those from lane `high` on.
        self.tag_out.next = self.tag_q.q.val();
        self.shape_out.next = self.shape_q.q.val();
        self.low.next = self.shape_out.val().low;
        self.high.next = self.shape_out.val().high;
        self.high_lane.next = self.high.val().get_bits::<6>(0);
        self.ones.next = 0xFFFF_FFFF_FFFF_FFFF_u64.into();
        self.from_low.next = self.ones.val() << self.low.val();
        self.from_high.next = self.ones.val() << self.high_lane.val();
        if self.high.val().get_bit(6) {
            self.from_high.next = 0.into();
        }
        self.info.next.slot = self.tag_out.val().slot;
        self.info.next.context = self.tag_out.val().context;
        self.info.next.message_last =
            self.tag_out.val().message_last & self.shape_out.val().packet_last;
        self.info.next.bad = self.tag_out.val().bad & self.shape_out.val().packet_last;
        self.info.next.lost = self.tag_out.val().lost & self.shape_out.val().packet_last;
        self.info.next.burst_last = self.shape_out.val().packet_last;
        self.in_page.next = self.line_q.q.val().get_bits::<6>(0);
        if self.in_page.val().all() {
            self.info.next.burst_last = 1.into();
        }
        self.info.next.number = self.line_q.q.val();
        self.info.next.strobe = self.from_low.val() & !self.from_high.val();
        self.info_q.d.next = self.info.val();
        self.info_q.en.next = self.step.val();
        self.stage2_valid_q.d.next = self.stage1_valid_q.q.val();
        self.stage2_valid_q.en.next = self.step.val();

        // Stage 2: into `lines`, which are numbered modulo 128.
        self.info_out.next = self.info_q.q.val();
        self.write_line.next = self.stage2_valid_q.q.val() & self.step.val();
        self.note_in.next.slot = self.info_out.val().slot;
        self.note_in.next.message_last = self.info_out.val().message_last;
        self.note_in.next.bad = self.info_out.val().bad;
        self.note_in.next.lost = self.info_out.val().lost;
        self.note_in.next.burst_last = self.info_out.val().burst_last;
        self.notes.write_addr.next = self.written_q.q.val().get_bits::<6>(0);
        self.notes.write_data.next = self.note_in.val();
        self.notes.write_en.next = self.write_line.val();
        self.line_in.next.context = self.info_out.val().context;
        self.line_in.next.number = self.info_out.val().number;
        self.line_in.next.strobe = self.info_out.val().strobe;
        self.line_in.next.data = self.aligner.line.val();
        self.lines.write_addr.next = self.written_q.q.val().get_bits::<6>(0);
        self.lines.write_data.next = self.line_in.val();
        self.lines.write_en.next = self.write_line.val();
        self.ends.write.data.next = self.written_q.q.val();
        self.ends.write.valid.next = self.write_line.val() & self.info_out.val().burst_last.any();
        self.written_q.d.next = self.written_q.q.val() + 1;
        self.written_q.en.next = self.write_line.val();

        // The next burst: to the first end that waits, or to the newest line; fixed when it is first offered.
        self.lines.read_addr.next = self.read_q.q.val().get_bits::<6>(0);
        self.line.next = self.lines.read_data.val();
        self.notes.read_addr.next = self.read_q.q.val().get_bits::<6>(0);
        self.note.next = self.notes.read_data.val();
        self.first.next = !self.inside_q.q.val();
        self.to_end.next = self.ends.read.data.val() - self.read_q.q.val();
        self.length.next = self.waiting_q.q.val() - 1;
        if self.ends.read.valid.val() {
            self.length.next = self.to_end.val();
        }
        self.last.next = (self.note.val().burst_last == 1) | (self.waiting_q.q.val() == 1);
        if self.held_q.q.val() {
            self.length.next = self.length_q.q.val();
            self.last.next = self.alone_q.q.val();
        }
        if self.inside_q.q.val() {
            self.last.next = self.left_q.q.val() == 1;
        }
        self.waits.next = self.waiting_q.q.val().any();
        self.valid.next = self.waits.val() & (self.tracker.room.val() | self.inside_q.q.val());
        self.sent.next = self.valid.val() & self.payload.ready.val();
        self.held_q.d.next = self.valid.val() & self.first.val() & !self.payload.ready.val();
        self.length_q.d.next = self.length.val();
        self.length_q.en.next = self.valid.val() & self.first.val();
        self.alone_q.d.next = self.last.val();
        self.alone_q.en.next = self.valid.val() & self.first.val();
        self.left_q.d.next = self.left_q.q.val() - 1;
        if self.first.val() {
            self.left_q.d.next = self.length.val();
        }
        self.left_q.en.next = self.sent.val();
        self.inside_q.d.next = !self.last.val();
        self.inside_q.en.next = self.sent.val();
        self.waiting_q.d.next = self.waiting_q.q.val() + 1;
        if self.sent.val() {
            self.waiting_q.d.next = self.waiting_q.q.val() - 1;
        }
        self.waiting_q.en.next = self.write_line.val() ^ self.sent.val();
        self.read_q.d.next = self.read_q.q.val() + 1;
        self.read_q.en.next = self.sent.val();
        self.ends.read.ready.next = self.sent.val() & (self.note.val().burst_last == 1);

        self.line_address.next.zero = 0.into();
        self.line_address.next.number = self.line.val().number;
        self.payload.data.next.first = 0.into();
        self.payload.data.next.last = 0.into();
        self.payload.data.next.length = 0.into();
        if self.first.val() {
            self.payload.data.next.first = 1.into();
            self.payload.data.next.length = bit_cast::<8, 7>(self.length.val());
        }
        if self.last.val() {
            self.payload.data.next.last = 1.into();
        }
        self.payload.data.next.atomic = 0.into();
        self.payload.data.next.context = self.line.val().context;
        self.payload.data.next.address = self.line_address.val().into();
        self.payload.data.next.strobe = self.line.val().strobe;
        self.payload.data.next.data = self.line.val().data;
        self.payload.valid.next = self.valid.val();

        // Bursts under way: counted from the first line, remembered from the last.
        self.tracker.slot.next = self.note.val().slot;
        self.tracker.message_last.next = self.note.val().message_last;
        self.tracker.bad.next = self.note.val().bad;
        self.tracker.lost.next = self.note.val().lost;
        self.tracker.first_sent.next = self.sent.val() & self.first.val();
        self.tracker.last_sent.next = self.sent.val() & self.last.val();
        self.tracker.payload_done.next = self.payload_done.val();
        self.tracker.payload_error.next = self.payload_error.val();
        connect!(self.tracker.done => self.done);
        self.quiet.next = !self.flush_q.q.val()
            & !self.stage1_valid_q.q.val()
            & !self.stage2_valid_q.q.val()
            & !self.waits.val()
            & self.tracker.settled.val();
    }
}
