//! `Completer`: tells host and initiator how a message ended, and frees its slot.
//!
//! **Purpose.** The last stage of the pipeline. All writes of a message are acknowledged when its completion arrives here,
//! so event and acknowledgement may leave at once.
//!
//! ```text
//!                    +-----------+--> event  (write port)    <- event_write_done, event_write_error
//!   completion    -->|           |--> ack    (network)
//!   info (by slot)-->| Completer |--> post, unreserve, visible  (event rings)
//!   node          -->|           |--> late   (portal table)    <- late_flow, late_enabled
//!                    |           |--> count  (counters)        <- count_ready
//!                    |           |--> freed  (admission)
//!                    +-----------+--> memory_error, event_failed, count_*  (registers)
//! ```
//!
//! **Contract.** Messages in order, one every 2 cycles; `slot` is the completion's, `info` is valid one cycle later.
//! An event is posted for success, failure or the disabling of a portal entry, as `info` asks for, if a place was reserved; a place reserved for an event
//! that is not due is given back. A shared queue that was found full disables the portal entry first, if it has flow control and is still enabled: `late_valid` until
//! `late_ready`, or until someone else disabled it. Up to 64 events wait for their acknowledgement; each becomes visible at its `event_write_done`, in order,
//! also if its write failed: then `event_failed` says that the ring holds a place without an event. `freed` comes when event and
//! acknowledgement are in their output registers.
//!
//! A message that a match entry took may have more to tell, one after the other behind its event: what it counts (a failure 1 failure, else bytes or 1), that the entry is unlinked, that its buffer is free; the
//! acknowledgement comes last. Each takes a cycle more. `delivered`: a message that the lists decided about is done with.
//!
//! **Internals.** Two states: look up, decide; `part_q` says what of a message is next. [`Outcome`] says what is told. A FIFO keeps the contexts of the events under way.

use crate::leaf::{Fifo, Reg};
use crate::outcome::Outcome;
use crate::types::event::Event;
use crate::types::pipe::{Completion, MessageInfo, WriteRequest};
use crate::types::send::CounterCount;
use crate::types::wire_header::WireHeader;
use rust_hdl::prelude::*;

/// What of a message is told next.
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
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct Completer {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// This node's number.
    pub node: Signal<In, Bits<16>>,

    /// From DoorbellWriter: a message's outcome.
    pub completion: Signal<In, Completion>,
    /// `completion` is valid.
    pub completion_valid: Signal<In, Bit>,
    /// It is taken.
    pub completion_ready: Signal<Out, Bit>,
    /// To the memory of MessageInfo: slot to read.
    pub slot: Signal<Out, Bits<8>>,
    /// What it holds, one cycle later.
    pub info: Signal<In, MessageInfo>,

    /// To WritePort: an event.
    pub event_write: Signal<Out, WriteRequest>,
    /// `event` is valid.
    pub event_write_valid: Signal<Out, Bit>,
    /// It is taken.
    pub event_write_ready: Signal<In, Bit>,
    /// From WritePort: the oldest event is acknowledged.
    pub event_write_done: Signal<In, Bit>,
    /// With `event_write_done`: its write failed.
    pub event_write_error: Signal<In, Bit>,

    /// To the network: an acknowledgement packet.
    pub ack: Signal<Out, WireHeader>,
    /// `ack` is valid.
    pub ack_valid: Signal<Out, Bit>,
    /// It is taken.
    pub ack_ready: Signal<In, Bit>,

    /// To PortalStop: entry of the message at hand, {context 2, portal 6}.
    pub late: Signal<Out, Bits<8>>,
    /// It has lists.
    pub late_lists: Signal<Out, Bit>,
    /// With `late_lists`: it has flow control.
    pub late_flow_lists: Signal<Out, Bit>,
    /// It has flow control, same cycle.
    pub late_flow: Signal<In, Bit>,
    /// It is enabled, same cycle.
    pub late_enabled: Signal<In, Bit>,
    /// Disable it: its queue was found full.
    pub late_valid: Signal<Out, Bit>,
    /// It is done at the edge.
    pub late_ready: Signal<In, Bit>,

    /// To Admission: slot `freed` is free.
    pub freed_valid: Signal<Out, Bit>,
    /// Slot.
    pub freed: Signal<Out, Bits<8>>,

    /// To EventRings: context of the message at hand.
    pub post_context: Signal<Out, Bits<2>>,
    /// Where its event goes, in the same cycle.
    pub post_address: Signal<In, Bits<64>>,
    /// Events lost before it, in the same cycle.
    pub post_dropped: Signal<In, Bits<8>>,
    /// The event takes its place.
    pub post: Signal<Out, Bit>,
    /// The place held in context `unreserve` is not needed.
    pub unreserve_valid: Signal<Out, Bit>,
    /// Context.
    pub unreserve: Signal<Out, Bits<2>>,
    /// An event of context `visible` is in memory.
    pub visible_valid: Signal<Out, Bit>,
    /// Context.
    pub visible: Signal<Out, Bits<2>>,

    /// To Registers: the write of an event of context `event_failed` failed.
    pub event_failed_valid: Signal<Out, Bit>,
    /// Context.
    pub event_failed: Signal<Out, Bits<2>>,
    /// To Registers: a message of context `memory_error` failed for a memory error.
    pub memory_error_valid: Signal<Out, Bit>,
    /// Context.
    pub memory_error: Signal<Out, Bits<2>>,
    /// To CounterUnit: what the message counts.
    pub count: Signal<Out, CounterCount>,
    /// `count` is valid.
    pub count_valid: Signal<Out, Bit>,
    /// It is taken.
    pub count_ready: Signal<In, Bit>,
    /// To MatchStage: a message of the lists, of context `post_context`, is done with.
    pub delivered: Signal<Out, Bit>,
    /// Its colour.
    pub delivered_colour: Signal<Out, Bit>,

    /// To Registers: a message was delivered.
    pub count_ok: Signal<Out, Bit>,
    /// To Registers: a message failed.
    pub count_failed: Signal<Out, Bit>,

    decide_q: Reg<Bit>,
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
    reply: Signal<Local, WireHeader>,
}

impl Logic for Completer {
    #[hdl_gen]
    fn update(&mut self) {
        self.decide_q.clk.next = self.clk.val();
        self.decide_q.rst.next = self.rst.val();
        self.part_q.clk.next = self.clk.val();
        self.part_q.rst.next = self.rst.val();
        self.disabled_q.clk.next = self.clk.val();
        self.disabled_q.rst.next = self.rst.val();
        self.event_q.clk.next = self.clk.val();
        self.event_q.rst.next = self.rst.val();
        self.event_valid_q.clk.next = self.clk.val();
        self.event_valid_q.rst.next = self.rst.val();
        self.count_q.clk.next = self.clk.val();
        self.count_q.rst.next = self.rst.val();
        self.count_valid_q.clk.next = self.clk.val();
        self.count_valid_q.rst.next = self.rst.val();
        self.ack_q.clk.next = self.clk.val();
        self.ack_q.rst.next = self.rst.val();
        self.ack_valid_q.clk.next = self.clk.val();
        self.ack_valid_q.rst.next = self.rst.val();
        self.contexts.clk.next = self.clk.val();
        self.contexts.rst.next = self.rst.val();

        // What is due for the message at hand.
        self.slot.next = self.completion.val().slot;
        self.portal.next = self.info.val().portal_index;
        self.portal_low.next = self.portal.val().get_bits::<6>(0);
        self.late.next = (bit_cast::<8, 2>(self.completion.val().context) << 6)
            | bit_cast::<8, 6>(self.portal_low.val());
        self.late_lists.next = self.info.val().lists == 1;
        self.late_flow_lists.next = self.info.val().flow_control == 1;
        self.outcome.found.next = self.completion.val().status;
        self.outcome.early.next = self.info.val().portal_disabled == 1;
        self.outcome.done.next = self.disabled_q.q.val();
        self.outcome.flow.next = self.late_flow.val();
        self.outcome.enabled.next = self.late_enabled.val();
        self.outcome.xtq.next = self.info.val().xtq == 1;
        self.wants_event.next = (self.outcome.ok.val() & (self.info.val().event_success == 1))
            | (!self.outcome.ok.val() & (self.info.val().event_failure == 1))
            | self.outcome.disabled.val();
        self.reserved.next = self.info.val().event_reserved == 1;
        self.wants_ack.next = self.info.val().ack_request != 0;

        // Its parts, one after the other.
        self.comm.next = self.part_q.q.val() == Part::Comm;
        self.counts.next = (self.info.val().counted == 1) & !self.outcome.disabled.val();
        self.unlinks.next = self.info.val().tells_unlink == 1;
        self.frees.next = self.info.val().tells_free == 1;
        self.last.next = true;
        self.part_q.d.next = Part::Comm;
        self.due.next = false;
        match self.part_q.q.val() {
            Part::Comm => {
                self.due.next = self.wants_event.val() & self.reserved.val();
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
            !self.due.val() | (!self.event_valid_q.q.val() & self.contexts.write_ready.val());
        self.can_ack.next = !self.wants_ack.val() | !self.ack_valid_q.q.val() | !self.last.val();
        self.late_valid.next = self.decide_q.q.val() & self.outcome.disabling.val();
        self.step.next = self.decide_q.q.val()
            & self.can_post.val()
            & self.can_ack.val()
            & (!self.count_valid_q.q.val() | (self.part_q.q.val() != Part::Count))
            & !self.outcome.disabling.val();
        self.part_q.en.next = self.step.val();
        self.go.next = self.step.val() & self.last.val();
        self.posts.next = self.step.val() & self.due.val();
        self.delivered_colour.next = self.info.val().colour == 1;
        self.delivered.next = self.go.val() & (self.info.val().lists == 1);
        self.amount.next.context = self.completion.val().context;
        self.amount.next.counter = self.info.val().counter;
        self.amount.next.success = 1.into();
        self.amount.next.failure = 0.into();
        if self.info.val().counts_bytes == 1 {
            self.amount.next.success = bit_cast::<64, 32>(self.info.val().delivered_length);
        }
        if !self.outcome.ok.val() {
            self.amount.next.success = 0.into();
            self.amount.next.failure = 1.into();
        }
        self.counting.next = self.step.val() & (self.part_q.q.val() == Part::Count);
        self.count_q.d.next = self.amount.val();
        self.count_q.en.next = self.counting.val();
        self.count_valid_q.d.next = self.counting.val();
        self.count_valid_q.en.next = !self.count_valid_q.q.val() | self.count_ready.val();
        self.count.next = self.count_q.q.val();
        self.count_valid.next = self.count_valid_q.q.val();
        self.disabled_q.en.next = self.go.val() | (self.late_valid.val() & self.late_ready.val());
        self.disabled_q.d.next = self.late_valid.val();
        self.decide_q.en.next = true;
        self.decide_q.d.next = self.completion_valid.val() & !self.go.val();
        self.completion_ready.next = self.go.val();
        self.freed_valid.next = self.go.val();
        self.freed.next = self.completion.val().slot;
        self.count_ok.next = self.go.val() & self.outcome.ok.val();
        self.count_failed.next = self.go.val() & !self.outcome.ok.val();
        self.memory_error_valid.next = self.go.val() & self.outcome.memory_error.val();
        self.memory_error.next = self.completion.val().context;

        // The place in the event ring.
        self.post_context.next = self.completion.val().context;
        self.post.next = self.posts.val();
        self.unreserve_valid.next =
            self.step.val() & self.comm.val() & self.reserved.val() & !self.wants_event.val();
        self.unreserve.next = self.completion.val().context;
        self.contexts.write.next = self.completion.val().context;
        self.contexts.write_valid.next = self.posts.val();
        self.contexts.read_ready.next = self.event_write_done.val();
        self.visible.next = self.contexts.read.val();
        self.visible_valid.next = self.event_write_done.val() & self.contexts.read_valid.val();
        self.event_failed.next = self.contexts.read.val();
        self.event_failed_valid.next = self.event_write_done.val()
            & self.event_write_error.val()
            & self.contexts.read_valid.val();

        // The event.
        self.landed.next = self.info.val().start;
        self.used.next = self.info.val().offset;
        self.entry_start.next = self.landed.val() - self.used.val();
        self.zero.next = 0.into();
        self.delivered_length.next = 0.into();
        self.delivered_offset.next = 0.into();
        if self.outcome.ok.val() {
            self.delivered_length.next = self.info.val().delivered_length;
            self.delivered_offset.next = self.info.val().offset;
        }
        self.record.next.kind = self.outcome.kind.val();
        self.record.next.status = self.outcome.told.val();
        self.record.next.access = self.completion.val().access;
        self.record.next.ni_fail = self.outcome.ni_fail.val();
        self.record.next.source_node = self.info.val().source_node;
        self.record.next.portal_index = self.info.val().portal_index;
        self.record.next.user_id = self.info.val().user_id;
        self.record.next.queue_index = self.info.val().queue_index;
        self.record.next.source_context = self.info.val().source_context;
        self.record.next.dropped = self.post_dropped.val();
        self.record.next.match_bits = self.info.val().match_bits;
        self.record.next.header_data = self.info.val().header_data;
        self.record.next.start = self.info.val().start;
        self.record.next.requested_length = self.info.val().message_length;
        self.record.next.delivered_length = self.delivered_length.val();
        self.record.next.remote_offset = self.info.val().remote_offset;
        self.record.next.packet_id = self.completion.val().packet_id;
        if self.info.val().lists == 1 {
            if self.info.val().xtq == 1 {
                self.record.next.remote_offset = self.info.val().user_pointer;
            } else {
                self.record.next.queue_index = bit_cast::<16, 1>(self.info.val().list);
                self.record.next.packet_id = self.info.val().user_pointer;
            }
        }
        if !self.comm.val() {
            self.record.next.kind = self.outcome.auto_unlink.val();
            if self.part_q.q.val() == Part::Free {
                self.record.next.kind = self.outcome.auto_free.val();
            }
            self.record.next.status = self.outcome.success.val();
            self.record.next.access = 0.into();
            self.record.next.ni_fail = self.outcome.no_fail.val();
            self.record.next.packet_id = self.info.val().user_pointer;
            self.record.next.source_node = 0.into();
            self.record.next.source_context = 0.into();
            self.record.next.user_id = 0.into();
            self.record.next.queue_index = 0.into();
            self.record.next.match_bits = 0.into();
            self.record.next.header_data = 0.into();
            self.record.next.remote_offset = 0.into();
            self.record.next.requested_length = 0.into();
            self.record.next.delivered_length = 0.into();
            self.record.next.start = 0.into();
            if self.part_q.q.val() == Part::Free {
                self.record.next.start = self.entry_start.val();
            }
        }
        self.write.next.first = 1.into();
        self.write.next.last = 1.into();
        self.write.next.atomic = 0.into();
        self.write.next.context = self.completion.val().context;
        self.write.next.length = 0.into();
        self.write.next.address = self.post_address.val();
        self.write.next.strobe = !self.zero.val();
        self.write.next.data = self.record.val().into();
        self.event_q.d.next = self.write.val();
        self.event_q.en.next = self.posts.val();
        self.event_valid_q.d.next = self.posts.val();
        self.event_valid_q.en.next = !self.event_valid_q.q.val() | self.event_write_ready.val();
        self.event_write.next = self.event_q.q.val();
        self.event_write_valid.next = self.event_valid_q.q.val();

        // The acknowledgement.
        self.reply.next.version = self.outcome.version.val();
        self.reply.next.opcode = self.outcome.opcode.val();
        self.reply.next.ack_request = bit_cast::<8, 1>(self.info.val().ack_silent);
        self.reply.next.ni_fail = self.outcome.ni_fail.val();
        self.reply.next.source_node = self.node.val();
        self.reply.next.target_node = self.info.val().source_node;
        self.reply.next.source_context = bit_cast::<8, 2>(self.completion.val().context);
        self.reply.next.target_context = self.info.val().source_context;
        self.reply.next.portal_index = self.info.val().portal_index;
        self.reply.next.user_id = 0.into();
        self.reply.next.match_bits = 0.into();
        self.reply.next.remote_offset = self.delivered_offset.val();
        self.reply.next.header_data = 0.into();
        self.reply.next.message_length = self.delivered_length.val();
        self.reply.next.packet_offset = 0.into();
        self.reply.next.message_id = self.info.val().message_id;
        self.reply.next.command_length = 0.into();
        self.reply.next.sequence = 0.into();
        self.reply.next.cumulative_ack = 0.into();
        self.reply.next.initiator_handle = self.info.val().initiator_handle;
        self.reply.next.operation = self.outcome.told.val();
        self.reply.next.datatype = 0.into();
        self.reply.next.header_crc = 0.into();
        self.ack_q.d.next = self.reply.val();
        self.ack_q.en.next = self.go.val() & self.wants_ack.val();
        self.ack_valid_q.d.next = self.go.val() & self.wants_ack.val();
        self.ack_valid_q.en.next = !self.ack_valid_q.q.val() | self.ack_ready.val();
        self.ack.next = self.ack_q.q.val();
        self.ack_valid.next = self.ack_valid_q.q.val();
    }
}
