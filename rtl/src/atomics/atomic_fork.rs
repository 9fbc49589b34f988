//! `AtomicFork`: where atomics leave the way of the puts to memory, and come back to it.
//!
//! **Purpose.** Puts go to the payload writer, atomics to the atomic unit; both write and both end in one order. The
//! fork lets one of the two work at a time, so that memory is as if messages had been written one after the other. It
//! knows of an atomic what admission noted by slot, and no more.
//!
//! ```text
//!                       +------------+--> plain              (PayloadWriter)  <- quiet, scatter_quiet
//!   note             -->|            |--> job, operand       (AtomicUnit)     <- busy
//!   beat             -->| AtomicFork |
//!   plain_done       -->|            |--> enqueue_done       (Enqueuer)
//!   unit_done        -->|            |--> header_done        (HeaderWriter)
//!   plain_write      -->|            |--> write              (WritePort)
//!   unit_write       -->|            |
//!   write_done       -->+------------+--> plain_write_done, unit_write_done
//! ```
//!
//! **Contract.** Packets come whole, one after the other. Those of a slot that is noted as `atomic` (one packet each)
//! go to the unit: after the first cycle in which all before them is quiet (`quiet` and `scatter_quiet`) the `job` is
//! offered, and after the job the beats pass. The others are on `plain` in the cycle in which they come, but while the
//! unit is `busy` nothing passes. So at no time have both something to write, and `write` is that of the one at work;
//! acknowledgements go to it. What has ended is offered to both takers, and is gone when one of them takes it; they see
//! to it that it is not both. That of the payload writer comes first, as the unit can only be through when the payload
//! writer has given all of its own. A note counts from the next cycle on.
//!
//! **Internals.** A memory of notes; one bit, whether the job of the packet at hand is taken.

use crate::bundle::{PulseIn, StreamIn, StreamOut};
use crate::leaf::{LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::atomic::{AtomicDone, AtomicJob};
use xtq_types::memory::WriteRequest;
use xtq_types::pipe::{AtomicNote, BodyBeat, WriteBeat};
use xtq_types::queue::PayloadDone;

/// Parts atomics from puts.
#[block]
pub struct AtomicFork {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; payload writer and unit are reset with it.
    pub rst: Signal<In, Bit>,

    /// From Admission: what the message of `note_slot` is.
    pub note: PulseIn<AtomicNote>,
    /// Its slot.
    pub note_slot: Signal<In, Bits<8>>,

    /// From BodyCut: the next bytes of a packet.
    pub beat: StreamIn<WriteBeat>,

    /// To PayloadWriter: bytes that are written as they are.
    pub plain: StreamOut<WriteBeat>,
    /// From PayloadWriter: all that it took is in memory, or failed.
    pub quiet: Signal<In, Bit>,
    /// From IovecScatter: it holds nothing of a packet.
    pub scatter_quiet: Signal<In, Bit>,

    /// To AtomicUnit: an atomic.
    pub job: StreamOut<AtomicJob>,
    /// To AtomicUnit: the atomic's bytes.
    pub operand: StreamOut<BodyBeat>,
    /// From AtomicUnit: an atomic is under way.
    pub busy: Signal<In, Bit>,

    /// From PayloadWriter: a message is in memory, or failed.
    pub plain_done: StreamIn<PayloadDone>,
    /// From AtomicUnit: an atomic is done, or failed.
    pub unit_done: StreamIn<AtomicDone>,
    /// To Enqueuer: a message is in memory, or failed; in the order of the messages' last beats.
    pub enqueue_done: StreamOut<PayloadDone>,
    /// To HeaderWriter: the same one, at the same time.
    pub header_done: StreamOut<PayloadDone>,

    /// From PayloadWriter: a line.
    pub plain_write: StreamIn<WriteRequest>,
    /// To PayloadWriter: a burst of it is acknowledged (pulse).
    pub plain_write_done: Signal<Out, Bit>,
    /// From AtomicUnit: a line.
    pub unit_write: StreamIn<WriteRequest>,
    /// To AtomicUnit: a line of it is acknowledged (pulse).
    pub unit_write_done: Signal<Out, Bit>,
    /// To WritePort: a line.
    pub write: StreamOut<WriteRequest>,
    /// From WritePort: a burst is acknowledged (pulse).
    pub write_done: Signal<In, Bit>,

    notes: LutRam<AtomicNote, 8>,
    /// The unit has the job of the packet at hand.
    taken_q: Reg<Bit>,
    at_hand: Signal<Local, AtomicNote>,
    is_atomic: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    quiet_all: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    limit: Signal<Local, Bits<13>>,
    bytes: Signal<Local, BodyBeat>,
    asked: Signal<Local, AtomicJob>,
    ended: Signal<Local, PayloadDone>,
    told: Signal<Local, PayloadDone>,
    told_valid: Signal<Local, Bit>,
    told_taken: Signal<Local, Bit>,
}

#[kernel]
impl Logic for AtomicFork {
    fn update(&mut self) {
        self.notes.write_addr.next = self.note_slot.val();
        self.notes.write_data.next = self.note.data.val();
        self.notes.write_en.next = self.note.valid.val();
        self.notes.read_addr.next = self.beat.data.val().slot;
        self.at_hand.next = self.notes.read_data.val();
        self.is_atomic.next = self.at_hand.val().atomic == 1;

        // Puts: a wire, while no atomic is under way.
        self.free.next = !self.is_atomic.val() & !self.busy.val();
        self.plain.data.next = self.beat.data.val();
        self.plain.valid.next = self.beat.valid.val() & self.free.val();

        // An atomic: its job when all puts before it are in memory, then its bytes.
        self.quiet_all.next = self.quiet.val() & self.scatter_quiet.val();
        self.offers.next = self.beat.valid.val()
            & self.is_atomic.val()
            & !self.taken_q.q.val()
            & self.quiet_all.val();
        self.limit.next = self.beat.data.val().limit;
        self.asked.next.slot = self.beat.data.val().slot;
        self.asked.next.context = self.beat.data.val().context;
        self.asked.next.fetch = self.at_hand.val().fetch;
        self.asked.next.operation = self.at_hand.val().operation;
        self.asked.next.datatype = self.at_hand.val().datatype;
        self.asked.next.address = self.beat.data.val().address;
        self.asked.next.length = self.limit.val().get_bits::<10>(0);
        self.asked.next.operand = self.beat.data.val().data.get_bits::<64>(64);
        self.job.data.next = self.asked.val();
        self.job.valid.next = self.offers.val();
        self.bytes.next.data = self.beat.data.val().data;
        self.bytes.next.bytes = self.beat.data.val().bytes;
        self.bytes.next.last = self.beat.data.val().last;
        self.bytes.next.bad = self.beat.data.val().bad;
        self.operand.data.next = self.bytes.val();
        self.operand.valid.next =
            self.beat.valid.val() & self.is_atomic.val() & self.taken_q.q.val();
        self.passes.next = self.operand.valid.val() & self.operand.ready.val();
        self.taken_q.d.next = self.offers.val();
        self.taken_q.en.next = (self.offers.val() & self.job.ready.val())
            | (self.passes.val() & (self.beat.data.val().last == 1));
        self.beat.ready.next = (self.free.val() & self.plain.ready.val()) | self.passes.val();

        // Ends, in one order.
        self.ended.next.error = self.unit_done.data.val().error;
        self.ended.next.bad = self.unit_done.data.val().bad;
        self.ended.next.refused = self.unit_done.data.val().refused;
        self.told.next = self.ended.val();
        if self.plain_done.valid.val() {
            self.told.next = self.plain_done.data.val();
        }
        self.told_valid.next = self.plain_done.valid.val() | self.unit_done.valid.val();
        self.told_taken.next = self.enqueue_done.ready.val() | self.header_done.ready.val();
        self.enqueue_done.data.next = self.told.val();
        self.enqueue_done.valid.next = self.told_valid.val();
        self.header_done.data.next = self.told.val();
        self.header_done.valid.next = self.told_valid.val();
        self.plain_done.ready.next = self.told_taken.val();
        self.unit_done.ready.next = self.told_taken.val() & !self.plain_done.valid.val();

        // One of the two has something to write.
        self.write.data.next = self.plain_write.data.val();
        self.write.valid.next = self.plain_write.valid.val();
        if self.busy.val() {
            self.write.data.next = self.unit_write.data.val();
            self.write.valid.next = self.unit_write.valid.val();
        }
        self.plain_write.ready.next = self.write.ready.val() & !self.busy.val();
        self.unit_write.ready.next = self.write.ready.val() & self.busy.val();
        self.plain_write_done.next = self.write_done.val() & !self.busy.val();
        self.unit_write_done.next = self.write_done.val() & self.busy.val();
    }
}
