//! `IovecScatter`: parts packets that go to a list of pieces.
//!
//! **Purpose.** Stands in front of [`PayloadWriter`](crate::delivery::payload_writer::PayloadWriter), which writes a
//! packet to addresses that lie one after the other. A packet of a message that goes to one place passes; one that goes
//! to a list becomes a packet for each span of the list.
//!
//! ```text
//!   note  -->+--------------+--> request  (to ReadPort)   <- result (pulse)
//!   beat  -->| IovecScatter |--> placed   (to PayloadWriter)
//!            +--------------+--> quiet    (to AtomicFork)
//! ```
//!
//! **Contract.** A note says of a slot whether its message goes to a list; it counts from the next cycle on. A packet
//! of a slot without list passes, each beat in the cycle in which it comes, when what was before it has left. Of one
//! with a list, `address` of the first beat is the offset in the list and `limit` the number of its bytes, if it is
//! whole. It leaves as packets without gap between each other's bytes, of which the last alone has `message_last` and
//! `bad`. A packet without bytes leaves as one beat without bytes, for the line of the list. So does, after the bytes
//! that have their place, one whose other bytes have none because the list cannot be read or is too short: it has
//! `lost`. A piece takes two cycles or more, a beat as many as it meets pieces. A message's next packet goes on where
//! the last one ended, if no packet with a list came between them. `quiet`: nothing is here but what is on `beat`.
//!
//! **Internals.** An [`IovecWalker`] says where bytes go; a beat is taken apart at the ends of spans, and
//! [`BytePacker`] makes full beats of the parts. Where a span ends is counted from lane 0 of the beat at hand, so that
//! it is compared with the bytes of the beat as they come. Which slots have lists stands in a memory of its own. What
//! their packets have beside the bytes waits in two FIFOs.
//!
//! ```text
//!   Idle -> Walk -> Idle
//!           Walk -> Drain -> Mark -> Idle     the list cannot be read
//!   Idle -> Mark -> Idle                      no bytes
//! ```

use crate::bundle::{PulseIn, StreamIn, StreamOut};
use crate::leaf::{BytePacker, Delay, Fifo, LutRam, Reg};
use crate::memory::iovec::iovec_walker::IovecWalker;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::memory::{BurstRequest, BurstResult};
use xtq_types::pipe::{IovecNote, WriteBeat};
use xtq_types::send::{IovecJob, IovecSpan, PackedBeat, Piece};

/// States of [`IovecScatter`].
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum IovecScatterState {
    /// Between two packets.
    Idle,
    /// A packet is parted.
    Walk,
    /// The rest of a packet is thrown away.
    Drain,
    /// A beat without bytes ends a packet.
    Mark,
}

/// A packet that leaves, as it begins.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Head {
    slot: Bits<8>,
    context: Bits<2>,
    address: Bits<64>,
}

/// A packet that leaves, as it ends.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct End {
    message_last: Bits<1>,
    bad: Bits<1>,
}

/// The parter of packets.
#[block]
pub struct IovecScatter {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; no line may be under way then.
    pub rst: Signal<In, Bit>,
    /// From Admission: where the message of `note_slot` goes.
    pub note: PulseIn<IovecNote>,
    /// Its slot.
    pub note_slot: Signal<In, Bits<8>>,
    /// From AtomicFork: the next bytes of a packet.
    pub beat: StreamIn<WriteBeat>,
    /// To the read port: lines of lists.
    pub request: StreamOut<BurstRequest>,
    /// From the read port: the next line.
    pub result: PulseIn<BurstResult>,
    /// To PayloadWriter: the next bytes of a packet that goes to one place.
    pub placed: StreamOut<WriteBeat>,
    /// Nothing waits here.
    pub quiet: Signal<Out, Bit>,

    notes: LutRam<IovecNote, 8>,
    /// Slots whose messages go to lists.
    lists: LutRam<Bits<1>, 8>,
    walker: IovecWalker,
    packer: BytePacker,
    heads: Fifo<Head, 3, 4>,
    ends: Fifo<End, 3, 4>,
    state_q: Delay<IovecScatterState>,
    /// Bytes of the beat that have gone.
    used_q: Reg<Bits<7>>,
    /// A span is being filled,
    filling_q: Reg<Bit>,
    /// its packet has begun,
    begun_q: Reg<Bit>,
    /// it ends that many bytes after lane 0 of the beat,
    reach_q: Reg<Bits<14>>,
    /// and takes that many bytes more, modulo 128.
    room_q: Reg<Bits<7>>,
    span_q: Reg<IovecSpan>,
    /// The walker stands after the last packet of `slot_q`.
    follows_q: Reg<Bit>,
    slot_q: Reg<Bits<8>>,
    /// The beat without bytes.
    mark_q: Reg<WriteBeat>,
    /// Beats of the packet that leaves have left.
    leaving_q: Reg<Bit>,
    at_hand: Signal<Local, IovecNote>,
    listed: Signal<Local, Bit>,
    empty: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    has_bytes: Signal<Local, Bit>,
    beat_last: Signal<Local, Bit>,
    limit: Signal<Local, Bits<13>>,
    job: Signal<Local, IovecJob>,
    job_valid: Signal<Local, Bit>,
    span: Signal<Local, IovecSpan>,
    span_length: Signal<Local, Bits<32>>,
    beat_bytes: Signal<Local, Bits<14>>,
    there: Signal<Local, Bits<7>>,
    bytes: Signal<Local, Bits<7>>,
    uses_up: Signal<Local, Bit>,
    fills: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,
    part_ends: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    piece: Signal<Local, Piece>,
    head: Signal<Local, Head>,
    closing: Signal<Local, End>,
    mark: Signal<Local, WriteBeat>,
    full_beat: Signal<Local, PackedBeat>,
    left: Signal<Local, WriteBeat>,
    leaves: Signal<Local, Bit>,
    marks: Signal<Local, Bit>,
}

#[kernel]
impl Logic for IovecScatter {
    fn update(&mut self) {
        // Does it go to a list?
        self.notes.write_addr.next = self.note_slot.val();
        self.notes.write_data.next = self.note.data.val();
        self.notes.write_en.next = self.note.valid.val();
        self.notes.read_addr.next = self.beat.data.val().slot;
        self.at_hand.next = self.notes.read_data.val();
        self.lists.write_addr.next = self.note_slot.val();
        self.lists.write_data.next = self.note.data.val().pieces.any().into();
        self.lists.write_en.next = self.note.valid.val();
        self.lists.read_addr.next = self.beat.data.val().slot;
        self.listed.next = self.lists.read_data.val() == 1;
        self.empty.next = !self.heads.read.valid.val();
        self.quiet.next = (self.state_q.q.val() == IovecScatterState::Idle) & self.empty.val();
        self.passes.next = (self.state_q.q.val() == IovecScatterState::Idle)
            & self.empty.val()
            & !self.listed.val();

        // A packet for a list: the walker begins, if there are bytes.
        self.beat_last.next = self.beat.data.val().last == 1;
        self.has_bytes.next = self.beat.data.val().bytes.any();
        self.starts.next = (self.state_q.q.val() == IovecScatterState::Idle)
            & self.beat.valid.val()
            & self.listed.val();
        self.limit.next = self.beat.data.val().limit;
        self.job.next.context = self.beat.data.val().context;
        self.job.next.list = self.at_hand.val().list;
        self.job.next.pieces = self.at_hand.val().pieces;
        self.job.next.offset = self.beat.data.val().address;
        self.job.next.length = bit_cast::<32, 13>(self.limit.val());
        self.job.next.follows =
            (self.follows_q.q.val() & (self.slot_q.q.val() == self.beat.data.val().slot)).into();
        self.job_valid.next = self.starts.val() & self.has_bytes.val();
        self.walker.job.data.next = self.job.val();
        self.walker.job.valid.next = self.job_valid.val();
        connect!(self.walker.request => self.request);
        connect!(self.result => self.walker.result);
        self.span.next = self.walker.span.data.val();
        self.span_length.next = self.span.val().length;
        self.walker.span.ready.next =
            (self.state_q.q.val() == IovecScatterState::Walk) & !self.filling_q.q.val();

        // Bytes of the beat go to the span at hand: to the end of the one or of the other.
        self.there.next = self.beat.data.val().bytes - self.used_q.q.val();
        self.beat_bytes.next = bit_cast::<14, 7>(self.beat.data.val().bytes);
        self.uses_up.next = self.beat_bytes.val() <= self.reach_q.q.val();
        self.fills.next = self.reach_q.q.val() <= self.beat_bytes.val();
        self.bytes.next = self.there.val();
        if self.fills.val() {
            self.bytes.next = self.room_q.q.val();
        }
        self.finishes.next = self.uses_up.val() & self.beat_last.val();
        self.part_ends.next = self.fills.val() | self.finishes.val();
        self.may.next = (self.state_q.q.val() == IovecScatterState::Walk)
            & self.filling_q.q.val()
            & self.beat.valid.val()
            & (self.begun_q.q.val() | self.heads.write.ready.val())
            & (!self.part_ends.val() | self.ends.write.ready.val());
        self.goes.next = self.may.val() & self.packer.piece.ready.val();
        self.piece.next.data = self.beat.data.val().data;
        self.piece.next.start = self.used_q.q.val().get_bits::<6>(0);
        self.piece.next.bytes = self.bytes.val();
        self.piece.next.last = self.part_ends.val().into();
        self.piece.next.error = 0.into();
        self.packer.piece.data.next = self.piece.val();
        self.packer.piece.valid.next = self.may.val();
        self.head.next.slot = self.beat.data.val().slot;
        self.head.next.context = self.beat.data.val().context;
        self.head.next.address = self.span_q.q.val().address;
        self.heads.write.data.next = self.head.val();
        self.heads.write.valid.next = self.goes.val() & !self.begun_q.q.val();
        self.closing.next.message_last = 0.into();
        self.closing.next.bad = 0.into();
        if self.finishes.val() {
            self.closing.next.message_last = self.beat.data.val().message_last;
            self.closing.next.bad = self.beat.data.val().bad;
        }
        self.ends.write.data.next = self.closing.val();
        self.ends.write.valid.next = self.goes.val() & self.part_ends.val();
        self.used_q.d.next = self.reach_q.q.val().get_bits::<7>(0);
        self.used_q.en.next = self.goes.val() | (self.state_q.q.val() != IovecScatterState::Walk);
        if self.uses_up.val() | (self.state_q.q.val() != IovecScatterState::Walk) {
            self.used_q.d.next = 0.into();
        }
        self.begun_q.d.next = !self.part_ends.val();
        self.begun_q.en.next = self.goes.val();
        self.span_q.d.next = self.span.val();
        self.span_q.en.next = !self.filling_q.q.val();
        // The span goes on in the next beat, or the next span begins in this one.
        self.reach_q.d.next = self.reach_q.q.val() - self.beat_bytes.val();
        self.reach_q.en.next = self.goes.val() | !self.filling_q.q.val();
        self.room_q.d.next = self.room_q.q.val() - self.there.val();
        self.room_q.en.next = self.goes.val() | !self.filling_q.q.val();
        if !self.filling_q.q.val() {
            self.reach_q.d.next =
                self.span_length.val().get_bits::<14>(0) + bit_cast::<14, 7>(self.used_q.q.val());
            self.room_q.d.next = self.span_length.val().get_bits::<7>(0);
        }
        self.filling_q.d.next = !self.filling_q.q.val();
        self.filling_q.en.next = self.goes.val() & self.part_ends.val();

        // The packet is through: did the walker come to the end too?
        self.whole.next = self.fills.val() & (self.span_q.q.val().last == 1);
        self.walker.cancel.next = self.goes.val() & self.finishes.val() & !self.whole.val();
        self.follows_q.d.next =
            self.goes.val() & self.whole.val() & (self.beat.data.val().message_last == 0);
        self.follows_q.en.next = (self.goes.val() & self.finishes.val())
            | (self.state_q.q.val() == IovecScatterState::Mark);
        self.slot_q.d.next = self.beat.data.val().slot;
        self.slot_q.en.next = self.goes.val();

        // A beat without bytes.
        self.mark.next = self.beat.data.val();
        self.mark.next.first = 1.into();
        self.mark.next.bytes = 0.into();
        self.mark.next.address = self.at_hand.val().list;
        self.mark.next.limit = 0.into();
        self.mark.next.data = 0.into();
        self.mark.next.lost = 0.into();
        if self.state_q.q.val() == IovecScatterState::Drain {
            self.mark.next.lost = 1.into();
        }
        self.mark_q.d.next = self.mark.val();
        self.mark_q.en.next = self.state_q.q.val() != IovecScatterState::Mark;

        // What leaves: what came, what was packed, or the beat without bytes.
        self.full_beat.next = self.packer.beat.data.val();
        self.left.next.slot = self.heads.read.data.val().slot;
        self.left.next.context = self.heads.read.data.val().context;
        self.left.next.limit = 0.into();
        self.left.next.first = (!self.leaving_q.q.val()).into();
        self.left.next.last = self.full_beat.val().last;
        self.left.next.message_last =
            self.ends.read.data.val().message_last & self.full_beat.val().last;
        self.left.next.bad = self.ends.read.data.val().bad & self.full_beat.val().last;
        self.left.next.lost = 0.into();
        self.left.next.bytes = self.full_beat.val().bytes;
        self.left.next.address = self.heads.read.data.val().address;
        self.left.next.data = self.full_beat.val().data;
        self.marks.next = (self.state_q.q.val() == IovecScatterState::Mark) & self.empty.val();
        self.placed.data.next = self.beat.data.val();
        self.placed.valid.next = self.beat.valid.val() & self.passes.val();
        if !self.empty.val() {
            self.placed.data.next = self.left.val();
            self.placed.valid.next = self.packer.beat.valid.val();
        } else if self.marks.val() {
            self.placed.data.next = self.mark_q.q.val();
            self.placed.valid.next = true;
        }
        self.packer.beat.ready.next = self.placed.ready.val() & !self.empty.val();
        self.leaves.next =
            self.packer.beat.valid.val() & self.placed.ready.val() & !self.empty.val();
        self.leaving_q.d.next = self.full_beat.val().last == 0;
        self.leaving_q.en.next = self.leaves.val();
        self.heads.read.ready.next = self.leaves.val() & (self.full_beat.val().last == 1);
        self.ends.read.ready.next = self.leaves.val() & (self.full_beat.val().last == 1);

        self.beat.ready.next =
            (self.passes.val() & self.placed.ready.val()) | (self.goes.val() & self.uses_up.val());
        self.state_q.d.next = self.state_q.q.val();
        match self.state_q.q.val() {
            IovecScatterState::Idle => {
                if self.starts.val() {
                    if !self.has_bytes.val() {
                        self.beat.ready.next = true;
                        self.state_q.d.next = IovecScatterState::Mark;
                    } else if self.walker.job.ready.val() {
                        self.state_q.d.next = IovecScatterState::Walk;
                    }
                }
            }
            IovecScatterState::Walk => {
                if !self.filling_q.q.val() & self.walker.span.valid.val() {
                    self.filling_q.en.next = true;
                    if self.span.val().error == 1 {
                        self.filling_q.en.next = false;
                        self.state_q.d.next = IovecScatterState::Drain;
                    }
                }
                if self.goes.val() & self.finishes.val() {
                    self.state_q.d.next = IovecScatterState::Idle;
                }
            }
            IovecScatterState::Drain => {
                self.beat.ready.next = true;
                if self.beat.valid.val() & self.beat_last.val() {
                    self.state_q.d.next = IovecScatterState::Mark;
                }
            }
            _ => {
                if self.marks.val() & self.placed.ready.val() {
                    self.state_q.d.next = IovecScatterState::Idle;
                }
            }
        }
    }
}
