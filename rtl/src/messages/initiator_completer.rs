//! `InitiatorCompleter`: reports to the process what became of its messages and commands.
//!
//! **Purpose.** A message was sent, an acknowledgement or a reply came, a command ended: each becomes an event of the
//! process that asked, and gives back what the message held.
//!
//! ```text
//!                      +--------------------+--> read     (MessageTable)  <- note, note_*, generation
//!   sent            -->|                    |--> sent_place, answered
//!   answer          -->| InitiatorCompleter |--> read_md  (MdTable)       <- md
//!   reply           -->|                    |--> drop
//!   done            -->|                    |
//!                      +--------------------+--> own      (EventMerge), count (CounterUnit)
//!                                           +--> count_stray, memory_error
//! ```
//!
//! **Contract.** One after the other, and none of the four waits for ever: what was sent takes turns with the others,
//! and an acknowledgement, a reply and a command's end with each other. While something that was sent is on offer, an
//! acknowledgement or a reply waits until its own message is known as sent; so SEND comes before ACK, unless the
//! target refuses a message before its last packet has left. An acknowledgement counts only if its handle names an
//! open message that waits for one, by place and generation, is for the context that sent it, and comes from the node
//! and context that it went to. Any other is thrown away (`count_stray`), also one for a message that waits for a
//! reply. A reply was held against its message by the target pipeline before it was written. Of a GET nothing is
//! reported or counted when it is sent; its REPLY is reported, not with SUCCESS_DISABLE unless it failed, and counted
//! with CT_REPLY. A FETCH_ATOMIC or SWAP is reported twice: SEND by the descriptor of its data, REPLY by that of the
//! reply. Events as the options of the descriptor say (Portals): none without EVENTS; SEND not with SEND_DISABLE or
//! SUCCESS_DISABLE unless it failed. ACK only for messages that asked for a full acknowledgement, not for one that the
//! target keeps silent (nor is it counted), not with SUCCESS_DISABLE unless it failed. A command's end is always
//! reported. Counters as the options say: CT_SEND what is sent, CT_ACK what is acknowledged (however it was asked
//! for), with CT_BYTES bytes, a failure 1 failure (of an OC acknowledgement 1 success, whatever became of the
//! message); after the event. Descriptors are dropped when the message has ended. Accepted in cycle *n*: event in *n +
//! 3*, count in *n + 4*, or in *n + 3* if there is no event. The next one is taken in *n + 2*, or later: event, count
//! beside an event, and each descriptor that is dropped take a cycle, all together one at least; and what concerns a
//! message that is under way here waits until that is over.
//!
//! **Internals.** Two halves. In the first the note of a message is read, then its descriptor, and it is decided what
//! is reported (`event`) and counted. The second does that, a state for each thing, while the first reads the next one.
//! In the cycle in which a note arrives the table is asked whether the message of the answer or reply that waits was
//! sent (`turn`).

mod event;
mod second_half;
mod turn;

use crate::bundle::{PulseOut, StreamIn, StreamOut};
use crate::codes::initiator_codes::InitiatorCodes;
use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::counter::CounterCount;
use xtq_types::event::Event;
use xtq_types::pipe::ReplyEnd;
use xtq_types::send::{CommandDone, MdInfo, MessageNote, OwnEvent, SentNote};
use xtq_types::wire_header::WireHeader;

/// States of the second half of [`InitiatorCompleter`].
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum InitiatorCompleterState {
    /// Nothing is to be done.
    Idle,
    /// Offers the event; counts if there is none.
    Tell,
    /// Counts.
    Count,
    /// Drops the first descriptor.
    Drop,
    /// Drops the second one.
    DropSecond,
}

/// What is reported.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum Told {
    /// A message was sent.
    Sent,
    /// It was acknowledged.
    Answer,
    /// Its reply came.
    Reply,
    /// A command ended.
    Command,
}

/// Says what became of messages and commands.
#[block]
pub struct InitiatorCompleter {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// From Packetiser: a message is with the link.
    pub sent: StreamIn<SentNote>,
    /// From the network: an acknowledgement.
    pub answer: StreamIn<WireHeader>,
    /// From the target pipeline: a reply is in memory, or failed.
    pub reply: StreamIn<ReplyEnd>,
    /// From CommandStage: a command ended.
    pub done: StreamIn<CommandDone>,

    /// To MessageTable: place to read.
    pub read: Signal<Out, Bits<8>>,
    /// What it holds, one cycle later.
    pub note: Signal<In, MessageNote>,
    /// Its generation, one cycle later.
    pub generation: Signal<In, Bits<8>>,
    /// It has not ended, one cycle later.
    pub note_open: Signal<In, Bit>,
    /// It was sent, one cycle later.
    pub note_sent: Signal<In, Bit>,
    /// It was answered or waits for no answer, one cycle later.
    pub note_answered: Signal<In, Bit>,
    /// To MessageTable: place of a message.
    pub place: Signal<Out, Bits<8>>,
    /// The message of `place` was sent (pulse).
    pub sent_place: Signal<Out, Bit>,
    /// The message of `place` was answered (pulse).
    pub answered: Signal<Out, Bit>,
    /// To MdTable: descriptor to read.
    pub read_md: Signal<Out, Bits<10>>,
    /// What it holds, one cycle later.
    pub md: Signal<In, MdInfo>,
    /// To MdTable: a message does not use it any more.
    pub unhold: PulseOut<Bits<10>>,

    /// To EventMerge: an event.
    pub own: StreamOut<OwnEvent>,
    /// To CounterUnit: what the message counts.
    pub count: StreamOut<CounterCount>,
    /// To Registers: an acknowledgement that nobody waits for (pulse).
    pub count_stray: Signal<Out, Bit>,
    /// To Registers: the context of a message that could not be read.
    pub memory_error: PulseOut<Bits<2>>,
    /// Something is being done.
    pub working: Signal<Out, Bit>,

    codes: InitiatorCodes,
    /// Whose turn it is: what was taken last was sent; a reply, a command's end goes before an acknowledgement.
    sent_last_q: Reg<Bit>,
    reply_turn_q: Reg<Bit>,
    done_turn_q: Reg<Bit>,
    /// The table was asked in the cycle before, of a reply; the message that it was asked about was sent.
    probed_q: Delay<Bit>,
    probed_reply_q: Reg<Bit>,
    known_q: Reg<Bit>,
    /// First half: the note is here, the descriptor is read; the descriptor is here.
    noting_q: Delay<Bit>,
    deciding_q: Delay<Bit>,
    told_q: Reg<Told>,
    place_q: Reg<Bits<8>>,
    failed_q: Reg<Bit>,
    answer_q: Reg<WireHeader>,
    reply_q: Reg<ReplyEnd>,
    done_q: Reg<CommandDone>,
    note_q: Reg<MessageNote>,
    event_q: Reg<Event>,
    context_q: Reg<Bits<2>>,
    posts_q: Reg<Bit>,
    counts_q: Reg<Bit>,
    count_q: Reg<CounterCount>,
    /// With this the message has ended.
    ends_q: Reg<Bit>,
    /// Second half: of what was decided.
    state_q: Delay<InitiatorCompleterState>,
    decided_q: Reg<Told>,
    decided_place_q: Reg<Bits<8>>,
    decided_note_q: Reg<MessageNote>,
    decided_ends_q: Reg<Bit>,
    idle: Signal<Local, Bit>,
    deciding: Signal<Local, Bit>,
    held: Signal<Local, Bit>,
    accepts: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    clash: Signal<Local, Bit>,
    message: Signal<Local, Bit>,
    telling: Signal<Local, Bit>,
    doing: Signal<Local, Bit>,
    told_now: Signal<Local, Bit>,
    counting: Signal<Local, Bit>,
    reported: Signal<Local, Bit>,
    decided: Signal<Local, MessageNote>,
    decided_context: Signal<Local, Bits<2>>,
    noted: Signal<Local, MessageNote>,
    first_reply: Signal<Local, Bit>,
    first_answer: Signal<Local, Bit>,
    first_done: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    due: Signal<Local, Bit>,
    chosen: Signal<Local, Told>,
    asked: Signal<Local, Bits<8>>,
    chosen_place: Signal<Local, Bits<8>>,
    reply_handle: Signal<Local, Bits<16>>,
    landed: Signal<Local, ReplyEnd>,
    is_get: Signal<Local, Bit>,
    failed: Signal<Local, Bit>,
    answer_handle: Signal<Local, Bits<16>>,
    at_hand: Signal<Local, WireHeader>,
    command: Signal<Local, CommandDone>,
    kept: Signal<Local, MessageNote>,
    handle: Signal<Local, Bits<16>>,
    source_context: Signal<Local, Bits<8>>,
    asked_context: Signal<Local, Bits<8>>,
    target_context: Signal<Local, Bits<2>>,
    fits: Signal<Local, Bit>,
    number: Signal<Local, Bits<8>>,
    second_number: Signal<Local, Bits<8>>,
    note_context: Signal<Local, Bits<2>>,
    noted_context: Signal<Local, Bits<2>>,
    kept_context: Signal<Local, Bits<2>>,
    options: Signal<Local, Bits<16>>,
    events: Signal<Local, Bit>,
    wanted: Signal<Local, Bit>,
    counted: Signal<Local, Bit>,
    wants_count: Signal<Local, Bit>,
    count_failed: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<32>>,
    amount: Signal<Local, CounterCount>,
    record: Signal<Local, Event>,
    told: Signal<Local, OwnEvent>,
    two: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    counted_now: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
}

#[kernel]
impl Logic for InitiatorCompleter {
    fn update(&mut self) {
        self.second_half();
        self.deciding.next = self.deciding_q.q.val() & self.accepts.val();
        self.held.next = self.deciding_q.q.val() & !self.accepts.val();

        // One of four. What is known of a message here is not yet in its table.
        self.turn();
        self.asks.next = self.sent.valid.val() | self.answer.valid.val() | self.reply.valid.val();
        self.clash.next = self.asks.val()
            & (((self.chosen_place.val() == self.place_q.q.val()) & self.deciding_q.q.val())
                | ((self.chosen_place.val() == self.decided_place_q.q.val()) & self.doing.val()));
        self.idle.next = !self.noting_q.q.val() & !self.held.val() & !self.clash.val();
        self.take();
        self.told_q.d.next = self.chosen.val();
        self.told_q.en.next = self.idle.val();
        self.place_q.d.next = self.chosen_place.val();
        self.place_q.en.next = self.idle.val();
        self.failed.next = self.sent.data.val().error == 1;
        self.failed_q.d.next = self.failed.val();
        self.failed_q.en.next = self.idle.val();
        self.answer_q.d.next = self.answer.data.val();
        self.answer_q.en.next = self.idle.val();
        self.reply_q.d.next = self.reply.data.val();
        self.reply_q.en.next = self.idle.val();
        self.done_q.d.next = self.done.data.val();
        self.done_q.en.next = self.idle.val();

        // The note of the message.
        self.at_hand.next = self.answer_q.q.val();
        self.command.next = self.done_q.q.val();
        self.note_q.d.next = self.note.val();
        self.note_q.en.next = self.noting_q.q.val();
        self.note_context.next = self.note.val().context;
        self.asked_context.next = self.at_hand.val().target_context;
        self.target_context.next = self.asked_context.val().get_bits::<2>(0);
        self.handle.next = self.at_hand.val().initiator_handle;
        self.source_context.next = self.at_hand.val().source_context;
        self.fits.next = self.note_open.val()
            & !self.note_answered.val()
            & (self.note.val().replies == 0)
            & (self.handle.val().get_bits::<8>(8) == self.generation.val())
            & (self.at_hand.val().source_node == self.note.val().target_node)
            & (self.source_context.val() == self.note.val().target_context)
            & (self.target_context.val() == self.note_context.val());
        // What is counted and reported of a reply is for the descriptor that it goes to.
        self.noted.next = self.note.val();
        if self.held.val() {
            self.noted.next = self.note_q.q.val();
        }
        self.noted_context.next = self.noted.val().context;
        self.number.next = self.noted.val().descriptor;
        if (self.told_q.q.val() == Told::Reply) & (self.noted.val().two == 1) {
            self.number.next = self.noted.val().second_descriptor;
        }
        self.read_md.next = (bit_cast::<10, 2>(self.noted_context.val()) << 8)
            | bit_cast::<10, 8>(self.number.val());
        self.message.next = (self.told_q.q.val() != Told::Answer) | self.fits.val();
        self.count_stray.next = self.noting_q.q.val() & !self.message.val();
        self.noting_q.d.next = self.takes.val();
        self.deciding_q.d.next = (self.noting_q.q.val() & self.message.val()) | self.held.val();

        self.event();
        // What it counts: a failure 1, else bytes or 1.
        self.counted.next = self.md.val().counted == 1;
        self.wants_count.next = false;
        self.count_failed.next = self.failed_q.q.val();
        self.bytes.next = self.kept.val().length;
        if self.told_q.q.val() == Told::Sent {
            self.wants_count.next =
                self.counted.val() & self.options.val().get_bit(1) & !self.is_get.val();
        }
        if self.told_q.q.val() == Told::Answer {
            self.wants_count.next = self.counted.val()
                & self.options.val().get_bit(3)
                & (self.at_hand.val().ack_request == 0);
            // An OC acknowledgement counts operations, whatever became of them.
            self.count_failed.next = (self.at_hand.val().ni_fail != self.codes.ni_ok.val())
                & (self.kept.val().ack_request != 3);
            self.bytes.next = self.at_hand.val().message_length;
        }
        if self.told_q.q.val() == Told::Reply {
            self.wants_count.next = self.counted.val() & self.options.val().get_bit(2);
            self.count_failed.next = self.landed.val().ni_fail != self.codes.ni_ok.val();
            self.bytes.next = self.landed.val().delivered_length;
        }
        self.amount.next.context = self.kept_context.val();
        self.amount.next.counter = self.md.val().counter;
        self.amount.next.success = 1.into();
        self.amount.next.failure = 0.into();
        if self.options.val().get_bit(15)
            & ((self.told_q.q.val() == Told::Sent) | (self.kept.val().ack_request != 3))
        {
            self.amount.next.success = bit_cast::<64, 32>(self.bytes.val());
        }
        if self.count_failed.val() {
            self.amount.next.success = 0.into();
            self.amount.next.failure = 1.into();
        }
        self.counts_q.d.next = self.wants_count.val();
        self.counts_q.en.next = self.deciding.val();
        self.count_q.d.next = self.amount.val();
        self.count_q.en.next = self.deciding.val();

        // With this the message has ended.
        self.ends_q.d.next = self.note_sent.val();
        if self.told_q.q.val() == Told::Sent {
            self.ends_q.d.next = self.note_answered.val();
        }
        self.ends_q.en.next = self.noting_q.q.val();
        self.decided_q.d.next = self.told_q.q.val();
        self.decided_q.en.next = self.deciding.val();
        self.decided_place_q.d.next = self.place_q.q.val();
        self.decided_place_q.en.next = self.deciding.val();
        self.decided_note_q.d.next = self.note_q.q.val();
        self.decided_note_q.en.next = self.deciding.val();
        self.decided_ends_q.d.next = self.ends_q.q.val() & (self.told_q.q.val() != Told::Command);
        self.decided_ends_q.en.next = self.deciding.val();
        if self.deciding.val() {
            self.state_q.d.next = InitiatorCompleterState::Tell;
        }
        self.working.next = self.noting_q.q.val() | self.deciding_q.q.val() | self.doing.val();
    }
}
