//! `Admission`: decides about one packet after the other; the only block that admits anything.
//!
//! **Purpose.** For the first packet of a message: may it be delivered, and where to? For the others: where do they go
//! on? Everything that changes with a message (local offset, queue slot promised, message slot, place in the event
//! ring, entry disabled) changes here, in one cycle, so a message that is refused leaves no trace. Later only the
//! completer changes a portal entry: it disables one whose shared queue is found full after the payload.
//!
//! ```text
//!                      +-----------+--> lookup, commit*       (portal table)
//!   head, entries ---->|           |--> admit      <- admitted (queue admission)
//!   entry        ----->| Admission |--> reserve, lost <- room  (event rings)
//!   slot, enabled----->|           |--> write_info, info, queue_info, note  (by slot)
//!   result       ----->|           |--> stop   <- stopped       (portal stop)
//!                      |           |--> job     (rewrite engine)
//!                      +-----------+--> record  (enqueuer)
//! ```
//!
//! **Contract.** Packets in order. A plain put takes 2 cycles, a later packet 3, an XTQ put 5 (warm queue); the packet
//! after one that opened or advanced a message waits one more. Errors are tested in the order NO_PORTAL, PT_DISABLED,
//! BUFFER_TOO_SMALL, no place in the event ring, NO_MESSAGE_SLOT, those of [`TaskCheck`], then the queue's. Exhaustion
//! (buffer, queue, event ring, message places) disables an entry with flow control. The packets after the first of a
//! refused message find no open message and are discarded (`drop_stray`). A first packet, or one that does not continue
//! the open message of its source, ends that message with BAD_LENGTH. So does the host when it disables the context
//! (`enabled`): these messages go before the next packet, each in 2 cycles. A head with `lists` waits for its `result`,
//! which stands in the place of the portal entry ([`PortalCheck`]).
//!
//! **Internals.** [`AdmissionSteps`] goes through the decision; [`PortalCheck`], [`TaskCheck`] and [`MessageTracker`]
//! report to it what portal entry, table entries and open messages say; [`AdmissionOutput`] puts together what is sent
//! on. `job` and `record` leave through FIFOs, so that when both have room (and a slot is free) everything happens at
//! one edge ([`AdmissionCommit`]). Words of jobs lie beside their FIFO, so they need not wait for the decision.

use crate::admission::admission_commit::AdmissionCommit;
use crate::admission::admission_output::AdmissionOutput;
use crate::admission::admission_steps::AdmissionSteps;
use crate::admission::message_tracker::MessageTracker;
use crate::admission::portal_check::PortalCheck;
use crate::admission::task_check::TaskCheck;
use crate::bundle::{PortalCommitOut, PulseIn, StreamIn, StreamOut};
use crate::leaf::{Fifo, LutRam, NumberPool, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::matching::MatchResult;
use xtq_types::pipe::{AtomicNote, IovecNote, MessageInfo, PacketHead, PortalEntry, RewriteJob};
use xtq_types::queue::{MessageRecord, QueueInfo};
use xtq_types::send::ReplyTarget;
use xtq_types::tables::{FunctionEntryUnpack, KernelEntryUnpack, QueueEntryUnpack};

/// The decision about every packet.
#[block]
pub struct Admission<
    const C: usize = 4,
    const P: usize = 4,
    const N: usize = 16,
    const I: usize = 6,
    const T: usize = 64,
> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Packet, from the lookup stage. `head_valid` is also that of what belongs to it; it is taken when it is done
    /// with.
    pub head: StreamIn<PacketHead>,
    /// Its AQL packet.
    pub head_aql: Signal<In, Bits<512>>,
    /// `head` is the next packet; its table entries may not be there yet (if it has none, `head_valid` comes with it).
    pub head_there: Signal<In, Bit>,
    /// It is dropped, because it belongs to no open message (pulse).
    pub drop_stray: Signal<Out, Bit>,
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
    /// The entry asked for was read as enabled and must not be set up again: its message is being decided.
    pub hold: Signal<Out, Bit>,
    /// To PortalTable: store the landing of the message at hand.
    pub commit: PortalCommitOut,
    /// Ask a queue for a place.
    pub admit: StreamOut<QueueInfo>,
    /// Context of the queue.
    pub admit_context: Signal<Out, Bits<2>>,
    /// The queue's answer (pulse).
    pub admitted: Signal<In, Bit>,
    /// The answer.
    pub admit_status: Signal<In, Bits<8>>,
    /// Memory access that failed.
    pub admit_access: Signal<In, Bits<8>>,
    /// From ListUnit: what the lists say about the next message with `lists`. It is taken with the last of its
    /// message's decisions.
    pub result: StreamIn<MatchResult>,
    /// To PortalStop: portal entry of the message at hand, {context 2, portal 6}.
    pub asked: Signal<Out, Bits<8>>,
    /// It is stopped, same cycle.
    pub stopped: Signal<In, Bit>,
    /// Stop it (pulse).
    pub stop: Signal<Out, Bit>,
    /// The lists have disabled it themselves (pulse).
    pub mark: Signal<Out, Bit>,
    /// Event ring has a place for an ordinary event, one bit per context.
    pub room: Signal<In, Bits<4>>,
    /// Event ring has a place at all.
    pub room_flow: Signal<In, Bits<4>>,
    /// Context in which a place is reserved, or an event lost.
    pub event_context: Signal<Out, Bits<2>>,
    /// Reserve a place (pulse).
    pub reserve: Signal<Out, Bit>,
    /// Events that are lost now.
    pub lost: Signal<Out, Bits<2>>,
    /// Places held by MatchStage that are not needed.
    pub give_back: Signal<Out, Bits<2>>,
    /// Slot that is written, with `write_info`.
    pub info_slot: Signal<Out, Bits<8>>,
    /// Write `info`, `queue_info` and the notes (pulse).
    pub write_info: Signal<Out, Bit>,
    /// What event and acknowledgement need.
    pub info: Signal<Out, MessageInfo>,
    /// The queue.
    pub queue_info: Signal<Out, QueueInfo>,
    /// To AtomicFork: what is done with its bytes.
    pub note: Signal<Out, AtomicNote>,
    /// To IovecScatter: where its bytes go.
    pub iovec_note: Signal<Out, IovecNote>,
    /// Outcome so far, with `write_info` (trace).
    pub decided: Signal<Out, Bits<8>>,
    /// To the rewrite engine.
    pub job: StreamOut<RewriteJob>,
    /// To the enqueuer.
    pub record: StreamOut<MessageRecord>,
    /// To MatchStage: a message of several packets was refused or has ended (pulse).
    pub long_ended: Signal<Out, Bit>,
    /// Its context.
    pub long_context: Signal<Out, Bits<2>>,
    /// To MessageTable: place that the reply at hand names.
    pub reply_place: Signal<Out, Bits<8>>,
    /// From MessageTable: what it is held against, one cycle later.
    pub reply_target: Signal<In, ReplyTarget>,
    /// To MessageTable: the reply to the message of `reply_place` is taken (pulse).
    pub reply_claim: Signal<Out, Bit>,
    /// One bit per context: takes messages. When it falls the open messages of the context are ended.
    pub enabled: Signal<In, Bits<4>>,
    /// Logarithm to base 2 of the cycles in which a message must go on; 0: for ever.
    pub timeout: Signal<In, Bits<5>>,
    /// A slot becomes free.
    pub freed: PulseIn<Bits<8>>,

    steps: AdmissionSteps,
    portals: PortalCheck,
    tasks: TaskCheck,
    messages: MessageTracker<C, P, N, I, T>,
    commits: AdmissionCommit,
    slots: NumberPool<8, 9>,
    kernel: KernelEntryUnpack,
    agent_entry: FunctionEntryUnpack,
    queue: QueueEntryUnpack,
    outgoing: AdmissionOutput,
    /// Whether a job's bytes are discarded; its order and count are those of the jobs.
    jobs: Fifo<Bit, 2, 3>,
    /// The rest of each job, by the numbers of the oldest and of the next one.
    job_words: LutRam<RewriteJob, 2>,
    job_head_q: Reg<Bits<2>>,
    job_tail_q: Reg<Bits<2>>,
    records: Fifo<MessageRecord, 2, 3>,
    has_body_q: Reg<Bit>,

    owner: Signal<Local, Bits<2>>,
    first: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    command: Signal<Local, Bit>,
    portal: Signal<Local, Bits<16>>,
    portal_low: Signal<Local, Bits<4>>,
    portal_list: Signal<Local, Bits<6>>,
    lists: Signal<Local, Bit>,
    answered: Signal<Local, Bit>,
    is_reply: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    handle: Signal<Local, Bits<16>>,
    wanted_generation: Signal<Local, Bits<8>>,
    landing: Signal<Local, Bits<64>>,
    place: Signal<Local, Bits<64>>,
    written: Signal<Local, Bits<32>>,
    body_bytes: Signal<Local, Bits<13>>,
    with_body: Signal<Local, Bit>,
    finish: Signal<Local, Bit>,
    aborting: Signal<Local, Bit>,
    can: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    delivered: Signal<Local, Bit>,
}

#[kernel]
impl<const C: usize, const P: usize, const N: usize, const I: usize, const T: usize> Logic
    for Admission<C, P, N, I, T>
{
    fn update(&mut self) {
        // The packet.
        self.owner.next = self.head.data.val().context;
        self.first.next = self.head.data.val().first == 1;
        self.last.next = self.head.data.val().last == 1;
        self.command.next = self.first.val() & (self.head.data.val().xtq == 1);
        self.portal.next = self.head.data.val().portal_index;
        self.portal_low.next = self.portal.val().get_bits::<4>(0);
        self.portal_list.next = self.portal.val().get_bits::<6>(0);
        self.lists.next = self.head.data.val().lists == 1;
        self.answered.next = !self.lists.val() | self.result.valid.val();
        self.body_bytes.next = self.head.data.val().body_bytes;
        self.with_body.next = self.body_bytes.val().any();
        if self.command.val() {
            self.with_body.next = self.body_bytes.val() != 64;
        }
        self.has_body_q.en.next = self.steps.checking.val();
        self.has_body_q.d.next = self.with_body.val();

        // A reply must be the one that an open message of its context waits for, and no longer than was asked for.
        self.is_reply.next = self.head.data.val().reply == 1;
        self.handle.next = self.head.data.val().initiator_handle;
        self.wanted_generation.next = self.handle.val().get_bits::<8>(8);
        self.reply_place.next = self.handle.val().get_bits::<8>(0);
        self.fits.next = (self.reply_target.val().waits == 1)
            & (self.reply_target.val().generation == self.wanted_generation.val())
            & (self.reply_target.val().context == self.owner.val())
            & (self.reply_target.val().target_node == self.head.data.val().source_node)
            & (self.reply_target.val().target_context == self.head.data.val().source_context)
            & (self.head.data.val().message_length <= self.reply_target.val().length);
        self.reply_claim.next = self.commits.opening.val() & self.is_reply.val();
        // Where its bytes go, and how many: none of a GET.
        self.landing.next = self.portals.landing.val();
        self.written.next = self.portals.delivered_length.val();
        if self.is_reply.val() {
            self.landing.next = self.reply_target.val().address;
        }
        if self.head.data.val().get == 1 {
            self.written.next = 0.into();
        }
        // In a list of pieces, where in the list.
        self.place.next = self.landing.val();
        if self.outgoing.iovec_note.val().pieces.any() {
            self.place.next = self.portals.offset.val();
            if self.is_reply.val() {
                self.place.next = self.reply_target.val().offset;
            }
        }

        // What the portal entry says. A commit may follow only for an entry that was read as enabled.
        self.lookup.next =
            (bit_cast::<6, 2>(self.owner.val()) << 4) | bit_cast::<6, 4>(self.portal_low.val());
        self.hold.next =
            !self.steps.checking.val() & (self.portals.kept.val().enabled == 1) & !self.lists.val();
        self.asked.next =
            (bit_cast::<8, 2>(self.owner.val()) << 6) | bit_cast::<8, 6>(self.portal_list.val());
        self.portals.checking.next = self.steps.checking.val();
        self.portals.deciding.next = self.steps.deciding.val();
        self.portals.sending.next = self.steps.sending.val();
        self.portals.waiting.next = self.steps.waiting.val();
        self.portals.head.next = self.head.data.val();
        self.portals.entry.next = self.entry.val();
        self.portals.result.next = self.result.data.val();
        self.portals.stopped.next = self.stopped.val();
        self.portals.open_free.next = self.messages.open_free.val();
        self.portals.enabled.next = self.enabled.val();
        self.portals.room.next = self.room.val();
        self.portals.room_flow.next = self.room_flow.val();

        // What the table entries say.
        self.kernel.raw.next = self.task_entry.val();
        self.agent_entry.raw.next = self.task_entry.val();
        self.queue.raw.next = self.queue_entry.val();
        self.tasks.type_ok.next = self.type_ok.val();
        self.tasks.agent.next = self.agent.val();
        self.tasks.misaligned.next = self.portals.misaligned.val();
        self.tasks.command_length.next = self.head.data.val().command_length;
        self.tasks.task_found.next = self.task_found.val();
        self.tasks.task_error.next = self.task_error.val();
        self.tasks.kernel.next = self.kernel.fields.val();
        self.tasks.agent_entry.next = self.agent_entry.fields.val();
        self.tasks.queue_found.next = self.queue_found.val();
        self.tasks.queue_error.next = self.queue_error.val();
        self.tasks.queue_index.next = self.queue_index.val();
        self.tasks.queue.next = self.queue.fields.val();

        // The steps. Both FIFOs and, for a new message, a slot must be there.
        self.finish.next = self.steps.finish.val();
        self.aborting.next = self.steps.aborting.val();
        self.can.next = self.jobs.write.ready.val()
            & self.records.write.ready.val()
            & (self.slots.number.valid.val() | !self.first.val() | self.aborting.val());
        // Orphans (disabled contexts, messages that did not go on in time) end before the next packet is looked at.
        self.steps.head_there.next =
            self.head_there.val() & self.answered.val() & !self.messages.pending.val();
        self.steps.head_valid.next = self.head.valid.val() & self.answered.val();
        self.steps.first.next = self.first.val();
        self.steps.xtq.next = self.head.data.val().xtq == 1;
        self.steps.open_hit.next = self.messages.open_hit.val();
        self.steps.continues.next = self.messages.continues.val();
        self.steps.orphan.next = self.messages.orphan.val();
        self.steps.unasked.next = self.is_reply.val() & self.first.val() & !self.fits.val();
        self.steps.early.next = self.portals.early.val();
        self.steps.task_status.next = self.tasks.status.val();
        self.steps.task_access.next = self.tasks.access.val();
        self.steps.admit_ready.next = self.admit.ready.val();
        self.steps.admitted.next = self.admitted.val();
        self.steps.admit_status.next = self.admit_status.val();
        self.steps.admit_access.next = self.admit_access.val();
        self.steps.can.next = self.can.val();

        // Everything happens at once.
        self.commits.finish.next = self.finish.val();
        self.commits.stray.next = self.steps.stray.val();
        self.commits.aborting.next = self.aborting.val();
        self.commits.can.next = self.can.val();
        self.commits.first.next = self.first.val();
        self.commits.status.next = self.steps.status.val();
        self.commits.length.next = self.head.data.val().message_length;
        self.commits.entry.next = self.portals.kept.val();
        self.commits.lists.next = self.lists.val();
        self.commits.result.next = self.result.data.val();
        self.commits.enabled_now.next = self.entry.val().enabled == 1;
        if self.lists.val() {
            self.commits.enabled_now.next = !self.stopped.val();
        }
        self.commits.usable.next = self.portals.usable.val();
        self.commits.wants_event.next = self.portals.wants_event.val();
        self.commits.room_now.next = self.portals.room_now.val();
        self.commits.room_flow_now.next = self.portals.room_flow_now.val();
        self.commits.offset.next = self.portals.offset.val();
        self.commits.left.next = self.portals.left.val();
        self.go.next = self.commits.go.val();
        self.delivered.next = self.commits.delivered.val();
        self.head.ready.next = self.go.val() & !self.aborting.val();
        self.drop_stray.next = self.go.val() & self.steps.stray.val();
        connect!(self.freed => self.slots.freed);
        self.slots.take.next = self.commits.opening.val();
        self.event_context.next = self.owner.val();
        self.reserve.next = self.commits.reserve.val();
        self.lost.next = self.commits.lost.val();
        self.give_back.next = self.commits.give_back.val();
        self.result.ready.next = self.commits.decided.val();
        self.stop.next = self.commits.stop.val();
        self.mark.next = self.commits.mark.val();
        self.commit.data.next = self.commits.commit.val();
        self.commit.index.next = self.lookup.val();
        self.commit.offset.next = self.commits.commit_offset.val();
        self.commit.remaining.next = self.commits.commit_remaining.val();
        self.commit.disable.next = self.commits.disabling.val();
        self.messages.checking.next = self.steps.checking.val();
        self.messages.timeout.next = self.timeout.val();
        self.messages.orphaning.next = self.steps.orphaning.val();
        self.messages.enabled.next = self.enabled.val();
        self.messages.head.next = self.head.data.val();
        self.messages.new_slot.next = self.slots.number.data.val();
        self.messages.landing.next = self.place.val();
        self.messages.new_left.next = self.written.val();
        self.messages.go.next = self.go.val();
        self.messages.finish.next = self.finish.val();
        self.messages.delivered.next = self.delivered.val();
        self.messages.aborting.next = self.aborting.val();
        self.long_ended.next = self.messages.ended.val();
        self.long_context.next = self.messages.owner.val();

        // By slot: what event, acknowledgement and enqueuer need.
        self.outgoing.head.next = self.head.data.val();
        self.outgoing.aql.next = self.head_aql.val();
        self.outgoing.agent.next = self.agent.val();
        self.outgoing.kernel.next = self.kernel.fields.val();
        self.outgoing.agent_entry.next = self.agent_entry.fields.val();
        self.outgoing.queue.next = self.queue.fields.val();
        self.outgoing.queue_index.next = self.queue_index.val();
        self.outgoing.entry.next = self.portals.kept.val();
        self.outgoing.owner.next = self.messages.owner.val();
        self.outgoing.slot.next = self.messages.slot.val();
        self.outgoing.message_xtq.next = self.messages.xtq.val();
        self.outgoing.landing.next = self.landing.val();
        self.outgoing.offset.next = self.portals.offset.val();
        self.outgoing.address.next = self.messages.address.val();
        self.outgoing.payload_address.next = self.portals.payload_address.val();
        self.outgoing.patch.next = self.tasks.patch.val();
        self.outgoing.has_body.next = self.has_body_q.q.val();
        self.outgoing.discard.next = self.steps.stray.val()
            | (self.finish.val() & (!self.delivered.val() | !self.messages.writes.val()));
        self.outgoing.result.next = self.result.data.val();
        self.outgoing.tells_unlink.next = self.commits.tells_unlink.val();
        self.outgoing.tells_free.next = self.commits.tells_free.val();
        self.outgoing.counted.next = self.commits.counted.val();
        self.outgoing.usable.next = self.portals.usable.val();
        self.outgoing.delivered_length.next = self.portals.delivered_length.val();
        self.outgoing.left.next = self.messages.left.val();
        self.outgoing.writes.next = self.messages.writes.val();
        self.outgoing.aborting.next = self.aborting.val();
        self.outgoing.place.next = self.commits.place.val();
        self.outgoing.disabling.next = self.commits.disabling.val();
        self.outgoing.status.next = self.commits.outcome.val();
        self.outgoing.access.next = self.steps.access.val();
        self.write_info.next = self.commits.opening.val();
        self.info_slot.next = self.slots.number.data.val();
        self.decided.next = self.commits.outcome.val();
        self.info.next = self.outgoing.info.val();
        self.queue_info.next = self.outgoing.queue_info.val();
        self.note.next = self.outgoing.note.val();
        self.outgoing.reply_target.next = self.reply_target.val();
        self.iovec_note.next = self.outgoing.iovec_note.val();
        self.admit.data.next = self.outgoing.queue_info.val();
        self.admit_context.next = self.owner.val();
        self.admit.valid.next = self.steps.admit_valid.val();

        // To the rewrite engine: every packet with bytes, and the end of an aborted message.
        self.jobs.write.valid.next = self.go.val()
            & (self.has_body_q.q.val()
                | self.aborting.val()
                | (self.finish.val() & self.delivered.val() & self.command.val()));
        self.jobs.write.data.next = self.outgoing.job.val().discard == 1;
        self.job.valid.next = self.jobs.read.valid.val();
        self.jobs.read.ready.next = self.job.ready.val();
        // Whether there is a job is known late: its word is written in any case, after the others, where nobody looks.
        // `go` comes only with room in `jobs`, so these pointers and those of `jobs` move together.
        self.job_words.write_addr.next = self.job_tail_q.q.val();
        self.job_words.write_data.next = self.outgoing.job.val();
        self.job_words.write_en.next = self.jobs.write.ready.val();
        self.job_tail_q.en.next = self.jobs.write.valid.val();
        self.job_tail_q.d.next = self.job_tail_q.q.val() + 1;
        self.job_words.read_addr.next = self.job_head_q.q.val();
        self.job_head_q.en.next = self.jobs.read.valid.val() & self.job.ready.val();
        self.job_head_q.d.next = self.job_head_q.q.val() + 1;
        self.job.data.next = self.job_words.read_data.val();
        self.job.data.next.discard = self.jobs.read.data.val().into();

        // To the enqueuer: a message that is refused, complete or aborted.
        self.records.write.valid.next = self.go.val()
            & ((self.finish.val() & (self.last.val() | !self.delivered.val()))
                | self.aborting.val());
        self.records.write.data.next = self.outgoing.record.val();
        connect!(self.records.read => self.record);
    }
}
