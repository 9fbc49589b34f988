//! `AtomicFork`: where atomics leave the way of the puts to memory, and come back to it.
//!
//! **Purpose.** Puts go to the payload writer, atomics to the atomic unit; both write and both end in one order. The fork lets one of the two work at a time, so that memory is as if messages had been
//! written one after the other. It knows of an atomic what admission noted by slot, and no more.
//!
//! ```text
//!                       +------------+--> plain              (PayloadWriter)  <- quiet
//!   note             -->|            |--> job, operand       (AtomicUnit)     <- busy
//!   beat             -->| AtomicFork |
//!   plain_done       -->|            |--> done               (Enqueuer, HeaderWriter)
//!   unit_done        -->|            |
//!   plain_write      -->|            |--> write              (WritePort)
//!   unit_write       -->|            |
//!   write_done       -->+------------+--> plain_write_done, unit_write_done
//! ```
//!
//! **Contract.** Packets come whole, one after the other. Those of a slot that is noted as `atomic` (one packet each) go to the unit: behind the first cycle in which the payload writer is `quiet` the `job` is offered, and behind the job the beats pass. The others are on `plain`
//! in the cycle in which they come, but while the unit is `busy` nothing passes. So at no time have both something to write, and `write` is that of the one at work; acknowledgements go to it.
//! `done`: that of the payload writer first, as the unit can only be through when the payload writer has given all of its own. A note counts from the next cycle on.
//!
//! **Internals.** A memory of notes; one bit, whether the job of the packet at hand is taken.

use crate::leaf::{LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::atomic::{AtomicDone, AtomicJob};
use xtq_types::pipe::{AtomicNote, BodyBeat, PayloadDone, WriteBeat, WriteRequest};

/// Parts atomics from puts.
#[block]
pub struct AtomicFork {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; payload writer and unit are reset with it.
    pub rst: Signal<In, Bit>,

    /// From Admission: what the message of `note_slot` is.
    pub note: Signal<In, AtomicNote>,
    /// Its slot.
    pub note_slot: Signal<In, Bits<8>>,
    /// `note` is valid (pulse).
    pub note_valid: Signal<In, Bit>,

    /// From BodyCut: the next bytes of a packet.
    pub beat: Signal<In, WriteBeat>,
    /// `beat` is valid.
    pub beat_valid: Signal<In, Bit>,
    /// It is taken.
    pub beat_ready: Signal<Out, Bit>,

    /// To PayloadWriter: bytes that are written as they are.
    pub plain: Signal<Out, WriteBeat>,
    /// `plain` is valid.
    pub plain_valid: Signal<Out, Bit>,
    /// It is taken.
    pub plain_ready: Signal<In, Bit>,
    /// From PayloadWriter: all that it took is in memory, or failed.
    pub quiet: Signal<In, Bit>,

    /// To AtomicUnit: an atomic.
    pub job: Signal<Out, AtomicJob>,
    /// `job` is valid.
    pub job_valid: Signal<Out, Bit>,
    /// It is taken.
    pub job_ready: Signal<In, Bit>,
    /// To AtomicUnit: the atomic's bytes.
    pub operand: Signal<Out, BodyBeat>,
    /// `operand` is valid.
    pub operand_valid: Signal<Out, Bit>,
    /// It is taken.
    pub operand_ready: Signal<In, Bit>,
    /// From AtomicUnit: an atomic is under way.
    pub busy: Signal<In, Bit>,

    /// From PayloadWriter: a message is in memory, or failed.
    pub plain_done: Signal<In, PayloadDone>,
    /// `plain_done` is valid.
    pub plain_done_valid: Signal<In, Bit>,
    /// It is taken.
    pub plain_done_ready: Signal<Out, Bit>,
    /// From AtomicUnit: an atomic is done, or failed.
    pub unit_done: Signal<In, AtomicDone>,
    /// `unit_done` is valid.
    pub unit_done_valid: Signal<In, Bit>,
    /// It is taken.
    pub unit_done_ready: Signal<Out, Bit>,
    /// To Enqueuer and HeaderWriter: a message is in memory, or failed; in the order of the messages' last beats.
    pub done: Signal<Out, PayloadDone>,
    /// `done` is valid.
    pub done_valid: Signal<Out, Bit>,
    /// It is taken.
    pub done_ready: Signal<In, Bit>,

    /// From PayloadWriter: a line.
    pub plain_write: Signal<In, WriteRequest>,
    /// `plain_write` is valid.
    pub plain_write_valid: Signal<In, Bit>,
    /// It is taken.
    pub plain_write_ready: Signal<Out, Bit>,
    /// To PayloadWriter: a burst of it is acknowledged (pulse).
    pub plain_write_done: Signal<Out, Bit>,
    /// From AtomicUnit: a line.
    pub unit_write: Signal<In, WriteRequest>,
    /// `unit_write` is valid.
    pub unit_write_valid: Signal<In, Bit>,
    /// It is taken.
    pub unit_write_ready: Signal<Out, Bit>,
    /// To AtomicUnit: a line of it is acknowledged (pulse).
    pub unit_write_done: Signal<Out, Bit>,
    /// To WritePort: a line.
    pub write: Signal<Out, WriteRequest>,
    /// `write` is valid.
    pub write_valid: Signal<Out, Bit>,
    /// It is taken.
    pub write_ready: Signal<In, Bit>,
    /// From WritePort: a burst is acknowledged (pulse).
    pub write_done: Signal<In, Bit>,

    notes: LutRam<AtomicNote, 8>,
    /// The unit has the job of the packet at hand.
    taken_q: Reg<Bit>,
    at_hand: Signal<Local, AtomicNote>,
    is_atomic: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    limit: Signal<Local, Bits<13>>,
    bytes: Signal<Local, BodyBeat>,
    asked: Signal<Local, AtomicJob>,
    ended: Signal<Local, PayloadDone>,
}

#[kernel]
impl Logic for AtomicFork {
    fn update(&mut self) {
        self.notes.write_addr.next = self.note_slot.val();
        self.notes.write_data.next = self.note.val();
        self.notes.write_en.next = self.note_valid.val();
        self.notes.read_addr.next = self.beat.val().slot;
        self.at_hand.next = self.notes.read_data.val();
        self.is_atomic.next = self.at_hand.val().atomic == 1;

        // Puts: a wire, while no atomic is under way.
        self.free.next = !self.is_atomic.val() & !self.busy.val();
        self.plain.next = self.beat.val();
        self.plain_valid.next = self.beat_valid.val() & self.free.val();

        // An atomic: its job when all puts before it are in memory, then its bytes.
        self.offers.next =
            self.beat_valid.val() & self.is_atomic.val() & !self.taken_q.q.val() & self.quiet.val();
        self.limit.next = self.beat.val().limit;
        self.asked.next.slot = self.beat.val().slot;
        self.asked.next.context = self.beat.val().context;
        self.asked.next.fetch = self.at_hand.val().fetch;
        self.asked.next.operation = self.at_hand.val().operation;
        self.asked.next.datatype = self.at_hand.val().datatype;
        self.asked.next.address = self.beat.val().address;
        self.asked.next.length = self.limit.val().get_bits::<10>(0);
        self.asked.next.operand = self.beat.val().data.get_bits::<64>(64);
        self.job.next = self.asked.val();
        self.job_valid.next = self.offers.val();
        self.bytes.next.data = self.beat.val().data;
        self.bytes.next.bytes = self.beat.val().bytes;
        self.bytes.next.last = self.beat.val().last;
        self.bytes.next.bad = self.beat.val().bad;
        self.operand.next = self.bytes.val();
        self.operand_valid.next =
            self.beat_valid.val() & self.is_atomic.val() & self.taken_q.q.val();
        self.passes.next = self.operand_valid.val() & self.operand_ready.val();
        self.taken_q.d.next = self.offers.val();
        self.taken_q.en.next = (self.offers.val() & self.job_ready.val())
            | (self.passes.val() & (self.beat.val().last == 1));
        self.beat_ready.next = (self.free.val() & self.plain_ready.val()) | self.passes.val();

        // Ends, in one order.
        self.ended.next.error = self.unit_done.val().error;
        self.ended.next.bad = self.unit_done.val().bad;
        self.ended.next.refused = self.unit_done.val().refused;
        self.done.next = self.ended.val();
        if self.plain_done_valid.val() {
            self.done.next = self.plain_done.val();
        }
        self.done_valid.next = self.plain_done_valid.val() | self.unit_done_valid.val();
        self.plain_done_ready.next = self.done_ready.val();
        self.unit_done_ready.next = self.done_ready.val() & !self.plain_done_valid.val();

        // One of the two has something to write.
        self.write.next = self.plain_write.val();
        self.write_valid.next = self.plain_write_valid.val();
        if self.busy.val() {
            self.write.next = self.unit_write.val();
            self.write_valid.next = self.unit_write_valid.val();
        }
        self.plain_write_ready.next = self.write_ready.val() & !self.busy.val();
        self.unit_write_ready.next = self.write_ready.val() & self.busy.val();
        self.plain_write_done.next = self.write_done.val() & !self.busy.val();
        self.unit_write_done.next = self.write_done.val() & self.busy.val();
    }
}
