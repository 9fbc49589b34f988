//! `Completer`: reports to host and initiator how a message ended, and frees its slot.
//!
//! **Purpose.** The last stage of the pipeline. All writes of a message are acknowledged when its completion arrives
//! here, so event and acknowledgement may leave at once.
//!
//! ```text
//!                    +-----------+--> event  (write port)    <- event_write_done, event_write_error
//!   completion    -->|           |--> ack    (network)
//!   info (by slot)-->| Completer |--> post, unreserve, visible  (event rings)
//!   node          -->|           |--> late   (portal table)    <- late_flow, late_enabled
//!   replied       -->|           |--> get    (reply unit)
//!                    |           |--> closed, fetch_closed  (request gate)
//!                    |           |--> reply  (initiator)
//!                    |           |--> count  (counters)        <- count_ready
//!                    |           |--> freed  (admission)
//!                    +-----------+--> memory_error, event_failed, count_*  (registers)
//! ```
//!
//! **Contract.** Messages in order, one every 2 cycles; `slot` is the completion's, `info` is valid one cycle later. An
//! event is posted for success, failure or the disabling of a portal entry, as `info` asks for, if a place was
//! reserved; a place reserved for an event that is not due is given back. A shared queue that was found full disables
//! the portal entry first, if it has flow control and is still enabled: `late_valid` until `late_ready`, or until
//! someone else disabled it. Up to 64 events wait for their acknowledgement; each becomes visible at its
//! `event_write_done`, in order, also if its write failed: then `event_failed` says that the ring holds a place without
//! an event. `freed` comes when event and acknowledgement are in their output registers.
//!
//! A message that a match entry took may have more to report, one after the other after its event: what it counts (a
//! failure 1 failure, else bytes or 1), that the entry is unlinked, that its buffer is free. The acknowledgement comes
//! last. Each takes a cycle more. `delivered`: a message that the lists decided about is done with. In the same cycle
//! `ended` says what became of it, if it left an unexpected header, and `count_late_drop` that an entry took it and it
//! was dropped all the same.
//!
//! A GET, and an atomic that fetches, is not reported when it comes out of the pipeline: it goes to
//! [`ReplyUnit`](crate::messages::reply_unit::ReplyUnit) and its slot is free. When it comes back as `replied` it is
//! reported like any other message, before what waits in the pipeline. While there is no room for another GET
//! (`get_ready`) no message of the pipeline is looked at. While GETs or fetches of a context wait there, the buffer of
//! a match entry may still be read. A message of it that says AUTO_UNLINK or AUTO_FREE posts its event and counts, and
//! its *rest* follows them (`get` with what is left to report). These events, the acknowledgement and `delivered` come
//! when it is back. A REPLY to a message of this node is handed to the initiator, which reports it; one of wrong
//! length was one that its source could not read (SEGV).
//!
//! `closed`, in the cycle after: a request is done with and no acknowledgement of it follows; `fetch_closed`: its old
//! bytes have left. One that is acknowledged is done with when its acknowledgement has left. Where
//! [`RequestGate`](crate::network::request_gate::RequestGate) admits, `get` and `ack` never wait for room.
//!
//! **Internals.** Two states: look up, decide; `part_q` says what of a message is next. [`Outcome`] says what is
//! reported. A FIFO keeps the contexts of the events under way. `event` and `answers` make what is reported.

mod answers;
mod event;

use crate::bundle::{PulseOut, StreamIn, StreamOut};
use crate::leaf::context_counts::ContextCounts;
use crate::leaf::{Delay, Fifo, Outcome, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::counter::CounterCount;
use xtq_types::event::{Event, status};
use xtq_types::memory::WriteRequest;
use xtq_types::pipe::{HeaderOutcome, MessageInfo, ReplyEnd, ReplyOutcome};
use xtq_types::queue::Completion;
use xtq_types::wire_header::{WireHeader, ni_fail};

constants! {
    /// Codes that [`Completer`] needs beside those of [`Outcome`].
    pub struct CompleterCodes : 8 {
        /// [`status::BAD_LENGTH`].
        bad_length / bad_length_code = status::BAD_LENGTH;
        /// [`ni_fail::SEGV`].
        segv / segv_code = ni_fail::SEGV;
        /// [`ni_fail::DROPPED`].
        dropped / dropped_code = ni_fail::DROPPED;
        /// [`ni_fail::PT_DISABLED`].
        pt_disabled / pt_disabled_code = ni_fail::PT_DISABLED;
    }
}

/// What of a message is reported next.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Part {
    /// Its event.
    Comm,
    /// What it counts.
    Count,
    /// Its match entry is unlinked.
    Unlink,
    /// The buffer of that entry is free.
    Free,
}

/// Events, acknowledgements and the freed of message slots.
#[block]
pub struct Completer {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// This node's number.
    pub node: Signal<In, Bits<16>>,

    /// From DoorbellWriter: a message's outcome.
    pub completion: StreamIn<Completion>,
    /// To the memory of MessageInfo: slot to read.
    pub slot: Signal<Out, Bits<8>>,
    /// What it holds, one cycle later.
    pub info: Signal<In, MessageInfo>,

    /// To WritePort: an event.
    pub event_write: StreamOut<WriteRequest>,
    /// From WritePort: the oldest event is acknowledged.
    pub event_write_done: Signal<In, Bit>,
    /// With `event_write_done`: its write failed.
    pub event_write_error: Signal<In, Bit>,

    /// To the network: an acknowledgement packet.
    pub ack: StreamOut<WireHeader>,

    /// To RequestGate: a request is done with, and no acknowledgement follows (pulse).
    pub closed: Signal<Out, Bit>,
    /// To RequestGate: a request that fetches is done with (pulse).
    pub fetch_closed: Signal<Out, Bit>,

    /// To ReplyUnit: a GET or fetch that is to be answered, or the rest of a message that follows them; `get_valid`
    /// comes only with `get_ready`.
    pub get: StreamOut<MessageInfo>,
    /// With `get`: what the pipeline found.
    pub get_outcome: Signal<Out, ReplyOutcome>,
    /// From ReplyUnit: a GET or fetch that was answered. It is taken when it is reported.
    pub replied: StreamIn<MessageInfo>,
    /// With `replied`: what became of it.
    pub replied_outcome: Signal<In, ReplyOutcome>,
    /// To InitiatorCompleter: a reply is in memory, or failed.
    pub reply: StreamOut<ReplyEnd>,

    /// To PortalStop: entry of the message at hand, {context 2, portal 6}. With `late_valid` it is disabled, because
    /// its queue was found full; with `late_ready` that is done at the edge.
    pub late: StreamOut<Bits<8>>,
    /// It has lists.
    pub late_lists: Signal<Out, Bit>,
    /// With `late_lists`: it has flow control.
    pub late_flow_lists: Signal<Out, Bit>,
    /// It has flow control, same cycle.
    pub late_flow: Signal<In, Bit>,
    /// It is enabled, same cycle.
    pub late_enabled: Signal<In, Bit>,

    /// To Admission: the slot that is free now.
    pub freed: PulseOut<Bits<8>>,

    /// To EventRings: context of the message at hand.
    pub post_context: Signal<Out, Bits<2>>,
    /// Where its event goes, in the same cycle.
    pub post_address: Signal<In, Bits<64>>,
    /// Events lost before it, in the same cycle.
    pub post_dropped: Signal<In, Bits<8>>,
    /// The event takes its place.
    pub post: Signal<Out, Bit>,
    /// To the trace: that event reports the message at hand (pulse).
    pub told: Signal<Out, Bit>,
    /// With `told`: its source node.
    pub told_source: Signal<Out, Bits<16>>,
    /// With `told`: its message id.
    pub told_message: Signal<Out, Bits<16>>,
    /// To EventRings: the context in which a held place is not needed.
    pub unreserve: PulseOut<Bits<2>>,
    /// To EventRings: the context of an event that is in memory now.
    pub visible: PulseOut<Bits<2>>,

    /// To Registers: the context of an event whose write failed.
    pub event_failed: PulseOut<Bits<2>>,
    /// To Registers: the context of a message that failed for a memory error.
    pub memory_error: PulseOut<Bits<2>>,
    /// To CounterUnit: what the message counts.
    pub count: StreamOut<CounterCount>,
    /// To MatchStage: a message of the lists, of context `post_context`, is done with.
    pub delivered: Signal<Out, Bit>,
    /// Its colour.
    pub delivered_colour: Signal<Out, Bit>,
    /// To ListUnit: what became of a message that left an unexpected header.
    pub ended: PulseOut<HeaderOutcome>,
    /// {context 2, name of that header 13}.
    pub ended_header: Signal<Out, Bits<15>>,
    /// To Registers: a match entry took it, and it was dropped or met a disabled portal entry (pulse).
    pub count_late_drop: Signal<Out, Bit>,

    /// To Registers: a message was delivered.
    pub count_ok: Signal<Out, Bit>,
    /// To Registers: a message failed.
    pub count_failed: Signal<Out, Bit>,

    codes: CompleterCodes,
    closed_q: Delay<Bit>,
    fetch_closed_q: Delay<Bit>,
    decide_q: Delay<Bit>,
    /// The message at hand is a GET that was answered.
    answered_q: Reg<Bit>,
    part_q: Reg<Part>,
    /// The message at hand has disabled its entry.
    disabled_q: Reg<Bit>,
    event_q: Reg<WriteRequest>,
    event_valid_q: Reg<Bit>,
    ack_q: Reg<WireHeader>,
    ack_valid_q: Reg<Bit>,
    count_q: Reg<CounterCount>,
    count_valid_q: Reg<Bit>,
    contexts: Fifo<Bits<2>, 6, 7>,
    /// What has gone to ReplyUnit and is not reported yet, of each context.
    waiting: ContextCounts<11>,
    outcome: Outcome,
    delivered_length: Signal<Local, Bits<32>>,
    delivered_offset: Signal<Local, Bits<64>>,
    portal: Signal<Local, Bits<16>>,
    portal_low: Signal<Local, Bits<6>>,
    comm: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
    unlinks: Signal<Local, Bit>,
    frees: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    posts: Signal<Local, Bit>,
    counting: Signal<Local, Bit>,
    entry_start: Signal<Local, Bits<64>>,
    landed: Signal<Local, Bits<64>>,
    used: Signal<Local, Bits<64>>,
    amount: Signal<Local, CounterCount>,
    wants_event: Signal<Local, Bit>,
    wants_ack: Signal<Local, Bit>,
    reserved: Signal<Local, Bit>,
    due: Signal<Local, Bit>,
    can_post: Signal<Local, Bit>,
    can_ack: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    zero: Signal<Local, Bits<64>>,
    record: Signal<Local, Event>,
    write: Signal<Local, WriteRequest>,
    answer: Signal<Local, WireHeader>,
    at_hand: Signal<Local, MessageInfo>,
    found: Signal<Local, Completion>,
    ending: Signal<Local, ReplyEnd>,
    is_get: Signal<Local, Bit>,
    is_reply: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    of_lists: Signal<Local, Bit>,
    follows: Signal<Local, Bit>,
    is_rest: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Completer {
    fn update(&mut self) {
        // The message at hand: one that comes out of the pipeline, or a GET that was answered.
        self.slot.next = self.completion.data.val().slot;
        self.at_hand.next = self.info.val();
        self.found.next = self.completion.data.val();
        if self.answered_q.q.val() {
            self.at_hand.next = self.replied.data.val();
            self.found.next.slot = 0.into();
            self.found.next.context = self.replied_outcome.val().context;
            self.found.next.status = self.replied_outcome.val().status;
            self.found.next.access = self.replied_outcome.val().access;
            self.found.next.packet_id = 0.into();
        }
        // A GET or fetch out of the pipeline goes to be answered, a reply is reported by the initiator: both leave as
        // they are.
        self.is_get.next = !self.answered_q.q.val()
            & ((self.at_hand.val().get == 1) | (self.at_hand.val().fetch == 1));
        self.is_reply.next = !self.answered_q.q.val() & (self.at_hand.val().reply == 1);
        self.passes.next = self.is_get.val() | self.is_reply.val();
        // The rest of a message goes after the GETs of its context.
        self.is_rest.next = self.answered_q.q.val()
            & (self.at_hand.val().get == 0)
            & (self.at_hand.val().fetch == 0);
        self.waiting.owner.next = self.found.val().context;
        self.follows.next = !self.answered_q.q.val()
            & !self.passes.val()
            & ((self.at_hand.val().tells_unlink == 1) | (self.at_hand.val().tells_free == 1))
            & self.waiting.count.val().any();

        // What is due for it.
        self.portal.next = self.at_hand.val().portal_index;
        self.portal_low.next = self.portal.val().get_bits::<6>(0);
        self.late.data.next = (bit_cast::<8, 2>(self.found.val().context) << 6)
            | bit_cast::<8, 6>(self.portal_low.val());
        self.late_lists.next = self.at_hand.val().lists == 1;
        self.late_flow_lists.next = self.at_hand.val().flow_control == 1;
        self.outcome.found.next = self.found.val().status;
        self.outcome.early.next = self.at_hand.val().portal_disabled == 1;
        self.outcome.done.next = self.disabled_q.q.val();
        self.outcome.flow.next = self.late_flow.val();
        self.outcome.enabled.next = self.late_enabled.val();
        self.outcome.xtq.next = self.at_hand.val().xtq == 1;
        self.outcome.get.next = self.at_hand.val().get == 1;
        self.outcome.atomic.next = self.at_hand.val().atomic == 1;
        self.outcome.fetch.next = self.at_hand.val().fetch == 1;
        self.wants_event.next = (self.outcome.ok.val() & (self.at_hand.val().event_success == 1))
            | (!self.outcome.ok.val() & (self.at_hand.val().event_failure == 1))
            | self.outcome.disabled.val();
        self.reserved.next = self.at_hand.val().event_reserved == 1;
        self.wants_ack.next = (self.at_hand.val().ack_request != 0) & !self.follows.val();

        // Its parts, one after the other.
        self.comm.next = self.part_q.q.val() == Part::Comm;
        self.counts.next = (self.at_hand.val().counted == 1) & !self.outcome.disabled.val();
        self.unlinks.next = self.at_hand.val().tells_unlink == 1;
        self.frees.next = self.at_hand.val().tells_free == 1;
        if self.passes.val() {
            self.counts.next = false;
        }
        if self.passes.val() | self.follows.val() {
            self.unlinks.next = false;
            self.frees.next = false;
        }
        self.last.next = true;
        self.part_q.d.next = Part::Comm;
        self.due.next = false;
        match self.part_q.q.val() {
            Part::Comm => {
                self.due.next = self.wants_event.val() & self.reserved.val() & !self.passes.val();
                if self.counts.val() {
                    self.last.next = false;
                    self.part_q.d.next = Part::Count;
                } else if self.unlinks.val() {
                    self.last.next = false;
                    self.part_q.d.next = Part::Unlink;
                } else if self.frees.val() {
                    self.last.next = false;
                    self.part_q.d.next = Part::Free;
                }
            }
            Part::Count => {
                if self.unlinks.val() {
                    self.last.next = false;
                    self.part_q.d.next = Part::Unlink;
                } else if self.frees.val() {
                    self.last.next = false;
                    self.part_q.d.next = Part::Free;
                }
            }
            Part::Unlink => {
                self.due.next = true;
                if self.frees.val() {
                    self.last.next = false;
                    self.part_q.d.next = Part::Free;
                }
            }
            _ => {
                self.due.next = true;
            }
        }

        // It is done with when event and acknowledgement have a register to go to; the entry is disabled before.
        self.can_post.next =
            !self.due.val() | (!self.event_valid_q.q.val() & self.contexts.write.ready.val());
        self.can_ack.next = !self.wants_ack.val() | !self.ack_valid_q.q.val() | !self.last.val();
        self.late.valid.next = self.decide_q.q.val() & self.outcome.disabling.val();
        self.step.next = self.decide_q.q.val()
            & (self.reply.ready.val() | !self.is_reply.val())
            & self.can_post.val()
            & self.can_ack.val()
            & (!self.count_valid_q.q.val() | (self.part_q.q.val() != Part::Count))
            & !self.outcome.disabling.val();
        self.part_q.en.next = self.step.val();
        self.go.next = self.step.val() & self.last.val();
        self.posts.next = self.step.val() & self.due.val();
        self.delivered_colour.next = self.at_hand.val().colour == 1;
        self.of_lists.next = self.go.val()
            & (self.at_hand.val().lists == 1)
            & !self.passes.val()
            & !self.follows.val();
        self.delivered.next = self.of_lists.val();
        self.ended.data.next.status = self.outcome.told.val();
        self.ended.data.next.access = self.found.val().access;
        self.ended.data.next.ni_fail = self.outcome.ni_fail.val();
        self.ended.valid.next = self.of_lists.val() & (self.at_hand.val().unexpected == 1);
        self.ended_header.next = (bit_cast::<15, 2>(self.found.val().context) << 13)
            | bit_cast::<15, 13>(self.at_hand.val().header);
        self.count_late_drop.next = self.of_lists.val()
            & (self.at_hand.val().matched == 1)
            & ((self.outcome.ni_fail.val() == self.codes.dropped.val())
                | (self.outcome.ni_fail.val() == self.codes.pt_disabled.val()));
        self.amount.next.context = self.found.val().context;
        self.amount.next.counter = self.at_hand.val().counter;
        self.amount.next.success = 1.into();
        self.amount.next.failure = 0.into();
        if self.at_hand.val().counts_bytes == 1 {
            self.amount.next.success = bit_cast::<64, 32>(self.at_hand.val().delivered_length);
        }
        if !self.outcome.ok.val() {
            self.amount.next.success = 0.into();
            self.amount.next.failure = 1.into();
        }
        self.counting.next = self.step.val() & (self.part_q.q.val() == Part::Count);
        self.count_q.d.next = self.amount.val();
        self.count_q.en.next = self.counting.val();
        self.count_valid_q.d.next = self.counting.val();
        self.count_valid_q.en.next = !self.count_valid_q.q.val() | self.count.ready.val();
        self.count.data.next = self.count_q.q.val();
        self.count.valid.next = self.count_valid_q.q.val();
        self.disabled_q.en.next = self.go.val() | (self.late.valid.val() & self.late.ready.val());
        self.disabled_q.d.next = self.late.valid.val();
        // What is looked at next: a GET that was answered before a message of the pipeline, which is looked at only if
        // there is room for it among those that wait for their answer. So they never wait for each other.
        self.begins.next =
            self.replied.valid.val() | (self.completion.valid.val() & self.get.ready.val());
        self.answered_q.en.next = !self.decide_q.q.val();
        self.answered_q.d.next = self.replied.valid.val();
        self.decide_q.d.next = self.begins.val();
        if self.decide_q.q.val() {
            self.decide_q.d.next = !self.go.val();
        }
        self.completion.ready.next = self.go.val() & !self.answered_q.q.val();
        self.replied.ready.next = self.go.val() & self.answered_q.q.val();
        self.freed.valid.next = self.go.val() & !self.answered_q.q.val();
        self.freed.data.next = self.completion.data.val().slot;
        self.count_ok.next =
            self.go.val() & self.outcome.ok.val() & !self.passes.val() & !self.is_rest.val();
        self.count_failed.next =
            self.go.val() & !self.outcome.ok.val() & !self.passes.val() & !self.is_rest.val();
        self.closed_q.d.next =
            self.go.val() & !self.passes.val() & !self.follows.val() & !self.wants_ack.val();
        self.closed.next = self.closed_q.q.val();
        self.fetch_closed_q.d.next =
            self.go.val() & self.answered_q.q.val() & (self.at_hand.val().fetch == 1);
        self.fetch_closed.next = self.fetch_closed_q.q.val();
        self.memory_error.valid.next = self.go.val()
            & self.outcome.memory_error.val()
            & !self.is_get.val()
            & !self.is_rest.val();
        self.memory_error.data.next = self.found.val().context;

        self.place();
        self.event();
        self.acknowledgement();
        self.gets_and_replies();
    }
}
