//! `ReplyUnit`: answers GETs and atomics that fetch, one after the other.
//!
//! **Purpose.** The target pipeline decides about a GET and lets it through its queue of messages, so that what came
//! before it is in memory. Then the GET leaves the pipeline and waits here until its bytes can be read and sent. So a
//! pipeline never stands still because a reply cannot leave: two nodes that get from each other would wait for each
//! other for ever.
//!
//! ```text
//!                    +-----------+--> send     (Packetiser of replies)
//!   get, outcome  -->|           |--> gather   (GatherUnit of replies)
//!   sent          -->| ReplyUnit |
//!                    |           |--> replied, replied_outcome  (Completer)
//!                    +-----------+--> busy
//! ```
//!
//! **Contract.** What comes without `get` and `fetch` is the rest of a message that waits for the GETs before it: it is
//! sent nothing and goes back after them. At least `2^W - 1` GETs may wait, besides eight of which the reply is under
//! way: as many as [`RequestGate`](crate::network::request_gate::RequestGate) admits, so that `get` is always ready.
//! Replies leave in the order of the GETs. A GET that was admitted is answered with `delivered_length` bytes from
//! `start` of its context's memory (with `pieces`: from `offset` of the list at `start` - `offset`), one that was
//! refused, or asks for nothing, with a bare header. The header says which, by `ni_fail` and status. When the reply is
//! with the link (`sent`, in order) the GET goes back to the completer, which reports to its process: with
//! MEMORY_ERROR, access GATHER, if its bytes could not be read. An accepted GET is a job in two cycles.
//!
//! The old bytes of an atomic are not in memory any more, but wait in front of
//! [`Packetiser`](crate::network::packetiser::Packetiser) in the order of the messages: its reply offers no `gather`,
//! and its `send` says that the bytes are `kept`. Else it is answered like a GET.
//!
//! **Internals.** Three [`RamFifo`]s that move together hold those that wait, the third says what each needs, which is
//! found as it comes; two FIFOs hold those under way.

use crate::bundle::{StreamIn, StreamOut};
use crate::leaf::{Fifo, Outcome, RamFifo, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::event::{access, status};
use xtq_types::pipe::{MessageInfo, ReplyOutcome};
use xtq_types::send::{GatherJob, SendJob, SentNote};
use xtq_types::wire_header::opcode;

constants! {
    /// Codes that [`ReplyUnit`] needs.
    pub struct ReplyCodes : 8 {
        /// [`opcode::REPLY`].
        reply / reply_code = opcode::REPLY;
        /// [`status::MEMORY_ERROR`].
        memory_error / memory_error_code = status::MEMORY_ERROR;
        /// [`access::GATHER`].
        gather / gather_code = access::GATHER;
    }
}

/// What who waits here needs.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Needs {
    /// Headers are sent.
    reply: Bits<1>,
    /// Bytes are sent.
    body: Bits<1>,
    /// They are read from memory.
    gather: Bits<1>,
}

/// Answers GETs, of which `2^W - 1` may wait; `W` is 10 at most.
#[block]
pub struct ReplyUnit<const W: usize = 10> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; what waits is lost.
    pub rst: Signal<In, Bit>,

    /// From Completer: a GET or fetch.
    pub get: StreamIn<MessageInfo>,
    /// What the pipeline found.
    pub get_outcome: Signal<In, ReplyOutcome>,

    /// To Packetiser: headers of the reply.
    pub send: StreamOut<SendJob>,
    /// To GatherUnit: its bytes.
    pub gather: StreamOut<GatherJob>,
    /// From Packetiser: the oldest reply under way is with the link.
    pub sent: StreamIn<SentNote>,

    /// To Completer: a GET that was answered. It is taken when it is reported.
    pub replied: StreamOut<MessageInfo>,
    /// What became of it.
    pub replied_outcome: Signal<Out, ReplyOutcome>,
    /// A GET is here.
    pub busy: Signal<Out, Bit>,

    codes: ReplyCodes,
    waiting: RamFifo<MessageInfo, W>,
    waiting_outcomes: RamFifo<ReplyOutcome, W>,
    waiting_needs: RamFifo<Needs, W>,
    leaving: Fifo<MessageInfo, 3, 4>,
    leaving_outcomes: Fifo<ReplyOutcome, 3, 4>,
    outcome: Outcome,
    get_result: Outcome,
    /// The headers of the reply are with the packetiser.
    sent_q: Reg<Bit>,
    /// Its span is with the gather unit.
    gathered_q: Reg<Bit>,
    /// GETs that are here.
    here_q: Reg<Bits<11>>,
    at_hand: Signal<Local, MessageInfo>,
    found: Signal<Local, ReplyOutcome>,
    get_replies: Signal<Local, Bit>,
    get_length: Signal<Local, Bits<32>>,
    get_body: Signal<Local, Bit>,
    get_needs: Signal<Local, Needs>,
    needs: Signal<Local, Needs>,
    replies: Signal<Local, Bit>,
    left: Signal<Local, MessageInfo>,
    was_sent: Signal<Local, Bit>,
    is_back: Signal<Local, Bit>,
    ended: Signal<Local, ReplyOutcome>,
    length: Signal<Local, Bits<32>>,
    offset: Signal<Local, Bits<64>>,
    gathers: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    send_gone: Signal<Local, Bit>,
    gather_gone: Signal<Local, Bit>,
    both_gone: Signal<Local, Bit>,
    comes: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize> Logic for ReplyUnit<W> {
    fn update(&mut self) {
        // Those that wait.
        self.get_replies.next = (self.get.data.val().get == 1) | (self.get.data.val().fetch == 1);
        self.get_result.found.next = self.get_outcome.val().status;
        self.get_result.early.next = self.get.data.val().portal_disabled == 1;
        self.get_result.done.next = false;
        self.get_result.flow.next = false;
        self.get_result.enabled.next = false;
        self.get_result.xtq.next = false;
        self.get_result.get.next = true;
        self.get_result.atomic.next = false;
        self.get_result.fetch.next = false;
        self.get_length.next = self.get.data.val().delivered_length;
        self.get_body.next =
            self.get_result.ok.val() & self.get_length.val().any() & self.get_replies.val();
        self.get_needs.next.reply = self.get_replies.val().into();
        self.get_needs.next.body = self.get_body.val().into();
        self.get_needs.next.gather =
            (self.get_body.val() & (self.get.data.val().fetch == 0)).into();
        self.waiting_needs.write.data.next = self.get_needs.val();
        self.waiting_needs.write.valid.next = self.get.valid.val();
        connect!(self.get => self.waiting.write);
        self.waiting_outcomes.write.data.next = self.get_outcome.val();
        self.waiting_outcomes.write.valid.next = self.get.valid.val();
        self.comes.next = self.get.valid.val() & self.waiting.write.ready.val();

        // The reply of the oldest.
        self.at_hand.next = self.waiting.read.data.val();
        self.found.next = self.waiting_outcomes.read.data.val();
        self.needs.next = self.waiting_needs.read.data.val();
        self.replies.next = self.needs.val().reply == 1;
        self.outcome.found.next = self.found.val().status;
        self.outcome.early.next = self.at_hand.val().portal_disabled == 1;
        self.outcome.done.next = false;
        self.outcome.flow.next = false;
        self.outcome.enabled.next = false;
        self.outcome.xtq.next = false;
        self.outcome.get.next = true;
        self.outcome.atomic.next = false;
        self.outcome.fetch.next = false;
        self.length.next = 0.into();
        self.offset.next = 0.into();
        if self.outcome.ok.val() {
            self.length.next = self.at_hand.val().delivered_length;
            self.offset.next = self.at_hand.val().offset;
        }
        self.send.data.next.opcode = self.codes.reply.val();
        self.send.data.next.ack_request = 0.into();
        self.send.data.next.ni_fail = self.outcome.ni_fail.val();
        self.send.data.next.context = self.found.val().context;
        self.send.data.next.user_id = 0.into();
        self.send.data.next.target_node = self.at_hand.val().source_node;
        self.send.data.next.target_context = self.at_hand.val().source_context;
        self.send.data.next.portal_index = self.at_hand.val().portal_index;
        self.send.data.next.match_bits = 0.into();
        self.send.data.next.remote_offset = self.offset.val();
        self.send.data.next.header_data = 0.into();
        self.send.data.next.length = self.length.val();
        self.send.data.next.has_body = self.needs.val().body;
        self.send.data.next.command_length = 0.into();
        self.send.data.next.initiator_handle = self.at_hand.val().initiator_handle;
        self.send.data.next.operation = self.outcome.told.val();
        self.send.data.next.datatype = 0.into();
        self.send.data.next.single = 0.into();
        self.send.data.next.operand = 0.into();
        self.send.data.next.kept = self.at_hand.val().fetch;
        self.gathers.next = self.needs.val().gather == 1;
        self.gather.data.next.context = self.found.val().context;
        self.gather.data.next.first_address = self.at_hand.val().start;
        if self.at_hand.val().pieces.any() {
            self.gather.data.next.first_address =
                self.at_hand.val().start - self.at_hand.val().offset;
        }
        self.gather.data.next.first_pieces = self.at_hand.val().pieces;
        self.gather.data.next.first_offset = self.at_hand.val().offset;
        self.gather.data.next.first_length = self.length.val();
        self.gather.data.next.second_address = 0.into();
        self.gather.data.next.second_length = 0.into();
        self.gather.data.next.second_pieces = 0.into();
        self.gather.data.next.second_offset = 0.into();

        // Each job goes when its queue has room; the reply is under way when both are gone.
        self.offers.next = self.waiting.read.valid.val() & self.leaving.write.ready.val();
        self.send.valid.next = self.offers.val() & self.replies.val() & !self.sent_q.q.val();
        self.gather.valid.next = self.offers.val() & self.gathers.val() & !self.gathered_q.q.val();
        self.send_gone.next = self.sent_q.q.val() | self.send.ready.val() | !self.replies.val();
        self.gather_gone.next =
            self.gathered_q.q.val() | self.gather.ready.val() | !self.gathers.val();
        self.both_gone.next = self.offers.val() & self.send_gone.val() & self.gather_gone.val();
        self.sent_q.d.next = self.send_gone.val() & !self.both_gone.val();
        self.sent_q.en.next = self.offers.val();
        self.gathered_q.d.next = self.gather_gone.val() & !self.both_gone.val();
        self.gathered_q.en.next = self.offers.val();
        self.waiting.read.ready.next = self.both_gone.val();
        self.waiting_outcomes.read.ready.next = self.both_gone.val();
        self.waiting_needs.read.ready.next = self.both_gone.val();
        self.leaving.write.data.next = self.at_hand.val();
        self.leaving.write.valid.next = self.both_gone.val();
        self.leaving_outcomes.write.data.next = self.found.val();
        self.leaving_outcomes.write.valid.next = self.both_gone.val();

        // It is with the link; the rest of a message waits for nothing more.
        self.left.next = self.leaving.read.data.val();
        self.was_sent.next = (self.left.val().get == 1) | (self.left.val().fetch == 1);
        self.is_back.next =
            self.leaving.read.valid.val() & (self.sent.valid.val() | !self.was_sent.val());
        self.ended.next = self.leaving_outcomes.read.data.val();
        if self.was_sent.val() & (self.sent.data.val().error == 1) {
            self.ended.next.status = self.codes.memory_error.val();
            self.ended.next.access = self.codes.gather.val();
        }
        self.replied.data.next = self.left.val();
        self.replied_outcome.next = self.ended.val();
        self.replied.valid.next = self.is_back.val();
        self.sent.ready.next =
            self.replied.ready.val() & self.leaving.read.valid.val() & self.was_sent.val();
        self.goes.next = self.is_back.val() & self.replied.ready.val();
        self.leaving.read.ready.next = self.goes.val();
        self.leaving_outcomes.read.ready.next = self.goes.val();

        self.here_q.en.next = self.comes.val() != self.goes.val();
        self.here_q.d.next = self.here_q.q.val() + 1;
        if self.goes.val() {
            self.here_q.d.next = self.here_q.q.val() - 1;
        }
        self.busy.next = self.here_q.q.val().any();
    }
}
