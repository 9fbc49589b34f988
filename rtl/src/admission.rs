//! `Admission`: decides about one packet after the other; the only block that commits anything.
//!
//! **Purpose.** For the first packet of a message: may it be delivered, and where to? For the others: where do they go on? Everything
//! that changes with a message (local offset, queue slot promised, message slot, place in the event ring, entry disabled) changes here, in
//! one cycle, so a message that is refused leaves no trace.
//!
//! ```text
//!                      +-----------+--> lookup, commit*       (portal table)
//!   head, entries ---->|           |--> admit      <- admitted (queue admission)
//!   entry        ----->| Admission |--> reserve, lost <- room  (event rings)
//!   slot         ----->|           |--> write_info, info, queue_info  (by slot)
//!                      |           |--> job     (rewrite engine)
//!                      +-----------+--> record  (enqueuer)
//! ```
//!
//! **Contract.** Packets in order. A plain put takes 2 cycles, an XTQ put 5 (warm queue). Errors are tested in the order NO_PORTAL, PT_DISABLED, BUFFER_TOO_SMALL,
//! no place in the event ring, NO_MESSAGE_SLOT, those of [`TaskCheck`], then the queue's. Exhaustion (buffer, queue, event ring, message
//! places) disables an entry with flow control. The packets behind the first of a refused message find no open message and are discarded.
//! A first packet, or one that does not continue the open message of its source, ends that message with BAD_LENGTH.
//!
//! **Internals.** States: `Check` latches the portal entry and the open message of the source and computes how much room is left; `Decide` finishes everything but
//! XTQ puts; `Send` asks the queue; `Wait` finishes with its answer; `Finish` finishes what was refused or had to wait. `Abort` ends an open message. One 65-bit
//! subtractor and one 64-bit adder are shared by the states. `job` and `record` leave through FIFOs, so that both and all commits happen at once (`go`).

use crate::admission_output::AdmissionOutput;
use crate::leaf::{Fifo, Reg};
use crate::open_messages::OpenMessages;
use crate::slot_pool::SlotPool;
use crate::status_codes::StatusCodes;
use crate::task_check::TaskCheck;
use crate::types::pipe::{
    AdmissionFacts, MessageInfo, MessageRecord, OpenMessage, PacketHead, PortalEntry, QueueInfo,
    RewriteJob,
};
use crate::types::tables::{FunctionEntryUnpack, KernelEntryUnpack, QueueEntryUnpack};
use rust_hdl::prelude::*;

/// States of [`Admission`].
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum AdmissionState {
    /// Wait for a packet; latch what it needs.
    Check,
    /// Finish a plain put or a later packet; go on with an XTQ put.
    Decide,
    /// Ask the queue.
    Send,
    /// Wait for the queue's answer.
    Wait,
    /// Finish with the latched status.
    Finish,
    /// End the open message of this source.
    Abort,
}

/// The decision about every packet.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct Admission {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Packet, from the lookup stage.
    pub head: Signal<In, PacketHead>,
    /// Its AQL packet.
    pub head_aql: Signal<In, Bits<512>>,
    /// `head` is the next packet; its table entries may not be there yet (if it has none, `head_valid` comes with it).
    pub head_there: Signal<In, Bit>,
    /// `head` and what belongs to it are valid.
    pub head_valid: Signal<In, Bit>,
    /// The packet is done with.
    pub head_ready: Signal<Out, Bit>,
    /// AQL type is 2 or 4.
    pub type_ok: Signal<In, Bit>,
    /// AQL type is 4.
    pub agent: Signal<In, Bit>,
    /// Task index in range.
    pub task_found: Signal<In, Bit>,
    /// Task entry unreadable.
    pub task_error: Signal<In, Bit>,
    /// Task entry.
    pub task_entry: Signal<In, Bits<512>>,
    /// Queue index in range.
    pub queue_found: Signal<In, Bit>,
    /// Queue entry unreadable.
    pub queue_error: Signal<In, Bit>,
    /// Queue entry.
    pub queue_entry: Signal<In, Bits<512>>,
    /// Queue index, low bits.
    pub queue_index: Signal<In, Bits<16>>,
    /// Portal entry asked for: {context, entry}.
    pub lookup: Signal<Out, Bits<6>>,
    /// The entry, same cycle.
    pub entry: Signal<In, PortalEntry>,
    /// The entry asked for was read as enabled and must not be set up anew: its message is being decided.
    pub hold: Signal<Out, Bit>,
    /// Write the portal entry (pulse).
    pub commit: Signal<Out, Bit>,
    /// Which.
    pub commit_index: Signal<Out, Bits<6>>,
    /// New local offset.
    pub commit_offset: Signal<Out, Bits<64>>,
    /// New room.
    pub commit_remaining: Signal<Out, Bits<64>>,
    /// Disable the entry.
    pub commit_disable: Signal<Out, Bit>,
    /// Ask a queue for a place.
    pub admit: Signal<Out, QueueInfo>,
    /// Context of the queue.
    pub admit_context: Signal<Out, Bits<2>>,
    /// `admit` is valid.
    pub admit_valid: Signal<Out, Bit>,
    /// It was taken.
    pub admit_ready: Signal<In, Bit>,
    /// The queue's answer (pulse).
    pub admitted: Signal<In, Bit>,
    /// The answer.
    pub admit_status: Signal<In, Bits<8>>,
    /// Memory access that failed.
    pub admit_access: Signal<In, Bits<8>>,
    /// Event ring has a place for an ordinary event, a bit a context.
    pub room: Signal<In, Bits<4>>,
    /// Event ring has a place at all.
    pub room_flow: Signal<In, Bits<4>>,
    /// Context in which a place is reserved, or an event lost.
    pub event_context: Signal<Out, Bits<2>>,
    /// Reserve a place (pulse).
    pub reserve: Signal<Out, Bit>,
    /// An event is lost (pulse).
    pub lost: Signal<Out, Bit>,
    /// Slot that is written, with `write_info`.
    pub info_slot: Signal<Out, Bits<8>>,
    /// Write `info` and `queue_info` (pulse).
    pub write_info: Signal<Out, Bit>,
    /// What event and acknowledgement need.
    pub info: Signal<Out, MessageInfo>,
    /// The queue.
    pub queue_info: Signal<Out, QueueInfo>,
    /// Outcome so far, with `write_info` (trace).
    pub decided: Signal<Out, Bits<8>>,
    /// To the rewrite engine.
    pub job: Signal<Out, RewriteJob>,
    /// `job` is valid.
    pub job_valid: Signal<Out, Bit>,
    /// It was taken.
    pub job_ready: Signal<In, Bit>,
    /// To the enqueuer.
    pub record: Signal<Out, MessageRecord>,
    /// `record` is valid.
    pub record_valid: Signal<Out, Bit>,
    /// It was taken.
    pub record_ready: Signal<In, Bit>,
    /// A slot becomes free.
    pub freed: Signal<In, Bits<8>>,
    /// `freed` is valid (pulse).
    pub freed_valid: Signal<In, Bit>,

    state_q: Reg<AdmissionState>,
    entry_q: Reg<PortalEntry>,
    facts_q: Reg<AdmissionFacts>,
    open_q: Reg<OpenMessage>,
    left_q: Reg<Bits<65>>,
    offset_q: Reg<Bits<64>>,
    landing_q: Reg<Bits<64>>,
    payload_q: Reg<Bits<64>>,
    status_q: Reg<Bits<8>>,
    access_q: Reg<Bits<8>>,
    room_q: Reg<Bit>,
    room_flow_q: Reg<Bit>,

    slots: SlotPool,
    open: OpenMessages,
    check: TaskCheck,
    kernel: KernelEntryUnpack,
    agent_entry: FunctionEntryUnpack,
    queue: QueueEntryUnpack,
    jobs: Fifo<RewriteJob, 2, 3>,
    records: Fifo<MessageRecord, 2, 3>,

    owner: Signal<Local, Bits<2>>,
    xtq: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    portal: Signal<Local, Bits<16>>,
    portal_low: Signal<Local, Bits<4>>,
    source_node: Signal<Local, Bits<16>>,
    source_context: Signal<Local, Bits<8>>,
    source: Signal<Local, Bits<26>>,
    length: Signal<Local, Bits<32>>,
    command_length: Signal<Local, Bits<16>>,
    offset_now: Signal<Local, Bits<64>>,
    offset_low: Signal<Local, Bits<6>>,
    start_low: Signal<Local, Bits<6>>,
    pad: Signal<Local, Bits<6>>,
    minuend: Signal<Local, Bits<65>>,
    subtrahend: Signal<Local, Bits<65>>,
    difference: Signal<Local, Bits<65>>,
    addend: Signal<Local, Bits<64>>,
    augend: Signal<Local, Bits<64>>,
    sum: Signal<Local, Bits<64>>,
    fits: Signal<Local, Bit>,
    room_now: Signal<Local, Bit>,
    room_flow_now: Signal<Local, Bit>,
    wants_event: Signal<Local, Bit>,
    early: Signal<Local, Bits<8>>,
    continues: Signal<Local, Bit>,
    stray: Signal<Local, Bit>,
    finish: Signal<Local, Bit>,
    final_status: Signal<Local, Bits<8>>,
    final_access: Signal<Local, Bits<8>>,
    delivered: Signal<Local, Bit>,
    exhausted: Signal<Local, Bit>,
    usable: Signal<Local, Bit>,
    disabling: Signal<Local, Bit>,
    place: Signal<Local, Bit>,
    can: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    body_bytes: Signal<Local, Bits<13>>,
    next_base: Signal<Local, Bits<64>>,
    with_body: Signal<Local, Bit>,
    facts: Signal<Local, AdmissionFacts>,
    need_then: Signal<Local, Bits<33>>,
    pad_then: Signal<Local, Bits<6>>,
    landing_base: Signal<Local, Bits<64>>,
    remaining: Signal<Local, Bits<64>>,
    expected_here: Signal<Local, Bit>,
    same_message: Signal<Local, Bit>,
    aborting: Signal<Local, Bit>,
    opening: Signal<Local, Bit>,
    slot: Signal<Local, Bits<8>>,
    message_xtq: Signal<Local, Bit>,
    next_expected: Signal<Local, Bits<32>>,
    codes: StatusCodes,
    outgoing: AdmissionOutput,
}

impl Logic for Admission {
    #[hdl_gen]
    fn update(&mut self) {
        self.state_q.clk.next = self.clk.val();
        self.state_q.rst.next = self.rst.val();
        self.state_q.en.next = false;
        self.state_q.d.next = self.state_q.q.val();
        self.entry_q.clk.next = self.clk.val();
        self.entry_q.rst.next = self.rst.val();
        self.entry_q.en.next = false;
        self.entry_q.d.next = self.entry_q.q.val();
        self.open_q.clk.next = self.clk.val();
        self.open_q.rst.next = self.rst.val();
        self.open_q.en.next = false;
        self.open_q.d.next = self.open_q.q.val();
        self.facts_q.clk.next = self.clk.val();
        self.facts_q.rst.next = self.rst.val();
        self.facts_q.en.next = false;
        self.left_q.clk.next = self.clk.val();
        self.left_q.rst.next = self.rst.val();
        self.left_q.en.next = false;
        self.left_q.d.next = self.left_q.q.val();
        self.offset_q.clk.next = self.clk.val();
        self.offset_q.rst.next = self.rst.val();
        self.offset_q.en.next = false;
        self.offset_q.d.next = self.offset_q.q.val();
        self.landing_q.clk.next = self.clk.val();
        self.landing_q.rst.next = self.rst.val();
        self.landing_q.en.next = false;
        self.landing_q.d.next = self.landing_q.q.val();
        self.payload_q.clk.next = self.clk.val();
        self.payload_q.rst.next = self.rst.val();
        self.payload_q.en.next = false;
        self.payload_q.d.next = self.payload_q.q.val();
        self.status_q.clk.next = self.clk.val();
        self.status_q.rst.next = self.rst.val();
        self.status_q.en.next = false;
        self.status_q.d.next = self.status_q.q.val();
        self.access_q.clk.next = self.clk.val();
        self.access_q.rst.next = self.rst.val();
        self.access_q.en.next = false;
        self.access_q.d.next = self.access_q.q.val();
        self.room_q.clk.next = self.clk.val();
        self.room_q.rst.next = self.rst.val();
        self.room_q.en.next = false;
        self.room_q.d.next = self.room_q.q.val();
        self.room_flow_q.clk.next = self.clk.val();
        self.room_flow_q.rst.next = self.rst.val();
        self.room_flow_q.en.next = false;
        self.room_flow_q.d.next = self.room_flow_q.q.val();
        self.slots.clk.next = self.clk.val();
        self.slots.rst.next = self.rst.val();
        self.open.clk.next = self.clk.val();
        self.open.rst.next = self.rst.val();
        self.jobs.clk.next = self.clk.val();
        self.jobs.rst.next = self.rst.val();
        self.records.clk.next = self.clk.val();
        self.records.rst.next = self.rst.val();

        // The packet and where it comes from.
        self.owner.next = self.head.val().context;
        self.xtq.next = self.head.val().xtq == 1;
        self.first.next = self.head.val().first == 1;
        self.last.next = self.head.val().last == 1;
        self.portal.next = self.head.val().portal_index;
        self.portal_low.next = self.portal.val().get_bits::<4>(0);
        self.source_node.next = self.head.val().source_node;
        self.source_context.next = self.head.val().source_context;
        self.source.next = (bit_cast::<26, 16>(self.source_node.val()) << 10)
            | (bit_cast::<26, 8>(self.source_context.val()) << 2)
            | bit_cast::<26, 2>(self.owner.val());
        self.length.next = self.head.val().message_length;
        self.command_length.next = self.head.val().command_length;
        self.body_bytes.next = self.head.val().body_bytes;
        self.open.source.next = self.source.val();
        self.lookup.next =
            (bit_cast::<6, 2>(self.owner.val()) << 4) | bit_cast::<6, 4>(self.portal_low.val());

        // A commit may follow only for an entry that was read as enabled.
        self.hold.next =
            (self.state_q.q.val() != AdmissionState::Check) & (self.entry_q.q.val().enabled == 1);

        // The tests of packet and table entries; start_low is the landing's alignment, as offsets are rounded up.
        self.kernel.raw.next = self.task_entry.val();
        self.agent_entry.raw.next = self.task_entry.val();
        self.queue.raw.next = self.queue_entry.val();
        self.landing_base.next = self.entry.val().start;
        self.start_low.next = self.landing_base.val().get_bits::<6>(0);
        self.check.type_ok.next = self.type_ok.val();
        self.check.agent.next = self.agent.val();
        self.check.misaligned.next = self.facts_q.q.val().misaligned == 1;
        self.check.command_length.next = self.command_length.val();
        self.check.task_found.next = self.task_found.val();
        self.check.task_error.next = self.task_error.val();
        self.check.kernel.next = self.kernel.fields.val();
        self.check.agent_entry.next = self.agent_entry.fields.val();
        self.check.queue_found.next = self.queue_found.val();
        self.check.queue_error.next = self.queue_error.val();
        self.check.queue_index.next = self.queue_index.val();
        self.check.queue.next = self.queue.fields.val();

        // Bytes the message needs: an XTQ put first rounds the local offset up to 64.
        self.offset_now.next = self.entry.val().offset;
        self.offset_low.next = self.offset_now.val().get_bits::<6>(0);
        self.pad.next = 0.into();
        if self.xtq.val() {
            self.pad.next = !self.offset_low.val();
            self.pad.next = self.pad.val() + 1;
        }

        // What `Check` latches.
        self.with_body.next = self.body_bytes.val().any();
        if self.xtq.val() & self.first.val() {
            self.with_body.next = self.body_bytes.val() != 64;
        }
        self.facts.next.no_portal = (self.portal.val() >= 16).into();
        self.facts.next.has_body = self.with_body.val().into();
        self.facts.next.open_hit = self.open.hit.val().into();
        self.facts.next.full = (!self.open.free.val()).into();
        self.facts.next.misaligned = self.start_low.val().any().into();
        self.facts.next.pad = self.pad.val();
        self.facts.next.need =
            bit_cast::<33, 32>(self.length.val()) + bit_cast::<33, 6>(self.pad.val());
        self.facts_q.d.next = self.facts.val();
        self.need_then.next = self.facts_q.q.val().need;
        self.pad_then.next = self.facts_q.q.val().pad;

        // One subtractor: room left. One adder: offset, then landing address, then payload address.
        self.remaining.next = self.entry.val().remaining;
        self.minuend.next = bit_cast::<65, 64>(self.remaining.val());
        self.subtrahend.next = bit_cast::<65, 32>(self.length.val());
        self.augend.next = self.landing_base.val();
        self.addend.next = self.offset_now.val();
        match self.state_q.q.val() {
            AdmissionState::Decide => {
                self.remaining.next = self.entry_q.q.val().remaining;
                self.minuend.next = bit_cast::<65, 64>(self.remaining.val());
                self.subtrahend.next = bit_cast::<65, 33>(self.need_then.val());
                self.augend.next = self.entry_q.q.val().offset;
                self.addend.next = bit_cast::<64, 6>(self.pad_then.val());
            }
            AdmissionState::Send => {
                self.augend.next = self.entry_q.q.val().start;
                self.addend.next = self.offset_q.q.val();
            }
            AdmissionState::Wait => {
                self.augend.next = self.landing_q.q.val();
                self.addend.next = bit_cast::<64, 16>(self.command_length.val());
            }
            _ => {}
        }
        self.difference.next = self.minuend.val() - self.subtrahend.val();
        self.sum.next = self.augend.val() + self.addend.val();

        // What the latched portal entry and the event ring say.
        self.fits.next = !self.left_q.q.val().get_bit(64);
        self.wants_event.next =
            (self.entry_q.q.val().event_success == 1) | (self.entry_q.q.val().event_failure == 1);
        self.room_now.next = self.room_q.q.val();
        self.room_flow_now.next = self.room_flow_q.q.val();
        if self.state_q.q.val() == AdmissionState::Decide {
            self.room_now.next = self.room.val().get_bit(self.owner.val().index());
            self.room_flow_now.next = self.room_flow.val().get_bit(self.owner.val().index());
        }
        self.usable.next =
            (self.facts_q.q.val().no_portal == 0) & (self.entry_q.q.val().enabled == 1);
        self.early.next = self.codes.ok.val();
        if (self.facts_q.q.val().full == 1) & !self.last.val() {
            self.early.next = self.codes.no_message_slot.val();
        }
        if (self.entry_q.q.val().flow_control == 1) & self.wants_event.val() & !self.room_now.val()
        {
            self.early.next = self.codes.pt_disabled.val();
        }
        if !self.fits.val() {
            self.early.next = self.codes.buffer_too_small.val();
        }
        if self.entry_q.q.val().enabled == 0 {
            self.early.next = self.codes.pt_disabled.val();
        }
        if self.facts_q.q.val().no_portal == 1 {
            self.early.next = self.codes.no_portal.val();
        }
        self.expected_here.next = self.open_q.q.val().expected == self.head.val().packet_offset;
        self.same_message.next = self.open_q.q.val().message_id == self.head.val().message_id;
        self.continues.next = (self.facts_q.q.val().open_hit == 1)
            & self.expected_here.val()
            & self.same_message.val();

        // Both FIFOs and a slot must be there.
        self.slots.freed.next = self.freed.val();
        self.slots.freed_valid.next = self.freed_valid.val();
        self.can.next = self.jobs.write_ready.val()
            & self.records.write_ready.val()
            & (self.slots.slot_valid.val()
                | !self.first.val()
                | (self.state_q.q.val() == AdmissionState::Abort));

        // The state machine; `finish` asks for the commit with final_status, `stray` for discarding the packet.
        self.finish.next = false;
        self.stray.next = false;
        self.final_status.next = self.status_q.q.val();
        self.final_access.next = self.access_q.q.val();
        self.admit_valid.next = false;
        self.aborting.next = false;
        match self.state_q.q.val() {
            AdmissionState::Check => {
                self.entry_q.en.next = true;
                self.entry_q.d.next = self.entry.val();
                self.facts_q.en.next = true;
                self.open_q.en.next = true;
                self.open_q.d.next = self.open.message.val();
                self.left_q.en.next = true;
                self.left_q.d.next = self.difference.val();
                self.offset_q.en.next = true;
                self.offset_q.d.next = self.offset_now.val();
                self.landing_q.en.next = true;
                self.landing_q.d.next = self.sum.val();
                self.access_q.en.next = true;
                self.access_q.d.next = self.codes.none.val();
                if self.head_there.val() {
                    self.state_q.en.next = true;
                    self.state_q.d.next = AdmissionState::Decide;
                }
            }
            AdmissionState::Decide => {
                self.room_q.en.next = true;
                self.room_q.d.next = self.room_now.val();
                self.room_flow_q.en.next = true;
                self.room_flow_q.d.next = self.room_flow_now.val();
                self.state_q.en.next = true;
                if (self.facts_q.q.val().open_hit == 1) & (self.first.val() | !self.continues.val())
                {
                    self.state_q.d.next = AdmissionState::Abort;
                } else if !self.first.val() {
                    self.finish.next = self.continues.val();
                    self.stray.next = !self.continues.val();
                    self.final_status.next = self.codes.ok.val();
                    self.state_q.en.next = self.can.val();
                    self.state_q.d.next = AdmissionState::Check;
                } else if self.xtq.val() {
                    self.left_q.en.next = true;
                    self.left_q.d.next = self.difference.val();
                    self.offset_q.en.next = true;
                    self.offset_q.d.next = self.sum.val();
                    self.state_q.d.next = AdmissionState::Send;
                } else {
                    self.finish.next = true;
                    self.final_status.next = self.early.val();
                    self.state_q.en.next = self.can.val();
                    self.state_q.d.next = AdmissionState::Check;
                }
            }
            AdmissionState::Send => {
                self.landing_q.en.next = true;
                self.landing_q.d.next = self.sum.val();
                self.state_q.en.next = true;
                self.status_q.en.next = true;
                if self.early.val().any() {
                    self.status_q.d.next = self.early.val();
                    self.state_q.d.next = AdmissionState::Finish;
                    self.state_q.en.next = self.head_valid.val();
                } else if self.check.status.val().any() {
                    self.status_q.d.next = self.check.status.val();
                    self.access_q.en.next = true;
                    self.access_q.d.next = self.check.access.val();
                    self.state_q.en.next = self.head_valid.val();
                    self.state_q.d.next = AdmissionState::Finish;
                } else {
                    self.admit_valid.next = self.head_valid.val();
                    self.state_q.en.next = self.head_valid.val() & self.admit_ready.val();
                    self.state_q.d.next = AdmissionState::Wait;
                }
            }
            AdmissionState::Wait => {
                self.payload_q.en.next = true;
                self.payload_q.d.next = self.sum.val();
                self.status_q.en.next = true;
                self.status_q.d.next = self.admit_status.val();
                self.access_q.en.next = true;
                self.access_q.d.next = self.admit_access.val();
                self.final_status.next = self.admit_status.val();
                self.final_access.next = self.admit_access.val();
                self.finish.next = self.admitted.val();
                self.state_q.en.next = self.admitted.val();
                self.state_q.d.next = AdmissionState::Finish;
                if self.can.val() {
                    self.state_q.d.next = AdmissionState::Check;
                }
            }
            AdmissionState::Finish => {
                self.finish.next = true;
                self.state_q.en.next = self.can.val();
                self.state_q.d.next = AdmissionState::Check;
            }
            AdmissionState::Abort => {
                self.aborting.next = true;
                self.state_q.en.next = self.can.val();
                self.state_q.d.next = AdmissionState::Check;
            }
            _ => {}
        }

        // Everything happens at once.
        self.go.next =
            (self.finish.val() | self.stray.val() | self.aborting.val()) & self.can.val();
        self.delivered.next = !self.final_status.val().any();
        self.exhausted.next = (self.final_status.val() == self.codes.queue_full.val())
            | (self.final_status.val() == self.codes.buffer_too_small.val())
            | (self.final_status.val() == self.codes.no_message_slot.val())
            | (self.final_status.val() == self.codes.pt_disabled.val());
        self.opening.next = self.go.val() & self.finish.val() & self.first.val();
        self.disabling.next =
            self.usable.val() & (self.entry_q.q.val().flow_control == 1) & self.exhausted.val();
        // An ordinary message takes an ordinary place; the one that disables the entry the place kept for that.
        self.place.next = self.usable.val() & self.wants_event.val() & self.room_now.val();
        if self.disabling.val() {
            self.place.next = self.room_flow_now.val();
        }
        self.head_ready.next = self.go.val() & !self.aborting.val();
        self.slots.slot_ready.next = self.opening.val();
        self.event_context.next = self.owner.val();
        self.reserve.next = self.opening.val() & self.place.val();
        self.lost.next =
            self.opening.val() & self.usable.val() & self.wants_event.val() & !self.place.val();

        self.commit.next = self.opening.val() & (self.delivered.val() | self.disabling.val());
        self.commit_index.next = self.lookup.val();
        self.commit_disable.next = self.disabling.val();
        self.commit_offset.next = self.entry_q.q.val().offset;
        self.commit_remaining.next = self.entry_q.q.val().remaining;
        if self.delivered.val() {
            self.commit_offset.next = self.offset_q.q.val() + bit_cast::<64, 32>(self.length.val());
            self.commit_remaining.next = self.left_q.q.val().get_bits::<64>(0);
        }

        // The open message: opened, advanced, closed or aborted.
        self.open.store.next =
            self.go.val() & self.finish.val() & self.delivered.val() & !self.last.val();
        self.open.close.next =
            (self.go.val() & self.finish.val() & !self.first.val() & self.last.val())
                | (self.go.val() & self.aborting.val());
        self.open.store_index.next = self.open.index.val();
        self.next_base.next = self.open_q.q.val().address;
        self.slot.next = self.open_q.q.val().slot;
        self.message_xtq.next = self.open_q.q.val().xtq == 1;
        if self.first.val() & !self.aborting.val() {
            self.open.store_index.next = self.open.free_index.val();
            self.next_base.next = self.landing_q.q.val();
            self.slot.next = self.slots.slot.val();
            self.message_xtq.next = self.xtq.val();
        }
        self.open.new_message.next.slot = self.slot.val();
        self.open.new_message.next.xtq = self.message_xtq.val().into();
        self.open.new_message.next.message_id = self.head.val().message_id;
        self.next_expected.next = self.head.val().packet_offset;
        self.next_expected.next = self.next_expected.val() + 4096;
        self.open.new_message.next.expected = self.next_expected.val();
        self.open.new_message.next.address = self.next_base.val() + 4096;

        // By slot: what event, acknowledgement and enqueuer need.
        self.write_info.next = self.opening.val();
        self.info_slot.next = self.slots.slot.val();
        self.decided.next = self.final_status.val();
        self.outgoing.head.next = self.head.val();
        self.outgoing.aql.next = self.head_aql.val();
        self.outgoing.agent.next = self.agent.val();
        self.outgoing.kernel.next = self.kernel.fields.val();
        self.outgoing.agent_entry.next = self.agent_entry.fields.val();
        self.outgoing.queue.next = self.queue.fields.val();
        self.outgoing.queue_index.next = self.queue_index.val();
        self.outgoing.entry.next = self.entry_q.q.val();
        self.outgoing.slot.next = self.slot.val();
        self.outgoing.message_xtq.next = self.message_xtq.val();
        self.outgoing.landing.next = self.landing_q.q.val();
        self.outgoing.offset.next = self.offset_q.q.val();
        self.outgoing.address.next = self.next_base.val();
        // The queue may answer in the cycle in which the address is computed.
        self.outgoing.payload_address.next = self.payload_q.q.val();
        if self.state_q.q.val() == AdmissionState::Wait {
            self.outgoing.payload_address.next = self.sum.val();
        }
        self.outgoing.patch.next = self.check.patch.val();
        self.outgoing.has_body.next = self.facts_q.q.val().has_body == 1;
        self.outgoing.discard.next = self.stray.val() | (self.finish.val() & !self.delivered.val());
        self.outgoing.aborting.next = self.aborting.val();
        self.outgoing.place.next = self.place.val();
        self.outgoing.disabling.next = self.disabling.val();
        self.outgoing.status.next = self.final_status.val();
        self.outgoing.access.next = self.final_access.val();
        self.info.next = self.outgoing.info.val();
        self.queue_info.next = self.outgoing.queue_info.val();
        self.admit.next = self.outgoing.queue_info.val();
        self.admit_context.next = self.owner.val();

        // To the rewrite engine: every packet with bytes, and the end of an aborted message.
        self.jobs.write_valid.next = self.go.val()
            & ((self.facts_q.q.val().has_body == 1)
                | self.aborting.val()
                | (self.finish.val() & self.delivered.val() & self.first.val() & self.xtq.val()));
        self.jobs.write.next = self.outgoing.job.val();
        self.job.next = self.jobs.read.val();
        self.job_valid.next = self.jobs.read_valid.val();
        self.jobs.read_ready.next = self.job_ready.val();

        // To the enqueuer: a message that is refused, complete or aborted.
        self.records.write_valid.next = self.go.val()
            & ((self.finish.val() & (self.last.val() | !self.delivered.val()))
                | self.aborting.val());
        self.records.write.next = self.outgoing.record.val();
        self.record.next = self.records.read.val();
        self.record_valid.next = self.records.read_valid.val();
        self.records.read_ready.next = self.record_ready.val();
    }
}
