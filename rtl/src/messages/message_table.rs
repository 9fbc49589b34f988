//! `MessageTable`: what is kept of a message that was sent until it has ended.
//!
//! **Purpose.** Acknowledgements and replies name the message they belong to by its handle; here is what the initiator
//! must know then: whose it was, what is counted and reported, where a reply goes. It also knows when all messages of a
//! context before a fence have ended. It keeps no bytes of a message.
//!
//! ```text
//!                   +--------------+
//!   open, limit  -->|              |--> room, ample
//!   open_info    -->|              |--> open_handle       (same cycle)
//!   read         -->| MessageTable |--> read_note, read_generation, read_open, _sent, _answered  (next cycle)
//!   sent         -->|              |--> used
//!   answered     -->|              |--> epoch_clear
//!   fence        -->|              |
//!   check, claim -->|              |--> reply_target         (next cycle)
//!                   +--------------+
//! ```
//!
//! **Contract.** A place is {context 2, number 6}; each context has its 64. `room` bit *c*: context *c* has a free one,
//! and fewer than `limit` messages that wait for an answer; of `ample`: so it is for eight messages more. `open` (only
//! with room): the message of `open_info` gets a place of its context at the edge; its handle {generation 8, place 8}
//! is on `open_handle` in the cycle before. A message whose `ack_request` is 0 waits for no answer. `sent` and
//! `answered` name places; a place whose message is sent and answered is free from the next cycle on. Both pulses may
//! come in one cycle, for one place or two; for a place that is not open they do nothing. Places are given in the order
//! in which they became free, never used ones first; the generation of a place goes up by one with each message, modulo
//! 2^8. `read_note` and `read_generation` are those of the last message of place `read`, `read_open`, `read_sent` and
//! `read_answered` say how far it is. `reply_target`: what a reply that names place `check` is held against; `claim`
//! (pulse): the reply of `check` is taken, so that no other is. `epoch_clear` bit *c*: all messages of context *c* that
//! were opened before or in the cycle of its last `fence` have ended; `fence` only then. Ready in the first cycle after
//! reset: all places free, all generations 0.
//!
//! **Internals.** One [`MessagePlaces`] a context; memories with the notes, the generations, and what replies are held
//! against.

use crate::bundle::PulseIn;
use crate::leaf::per_context::PerContext;
use crate::leaf::{Delay, Ram};
use crate::messages::message_places::MessagePlaces;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::send::{MessageNote, ReplyTarget};

/// 64 messages of each of `C` contexts. One that is not there has no room.
#[block]
pub struct MessageTable<const C: usize = 4> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; all places are free.
    pub rst: Signal<In, Bit>,

    /// Messages of a context that may wait for an answer at once.
    pub limit: Signal<In, Bits<7>>,
    /// To CommandStage, one bit per context: a place is free.
    pub room: Signal<Out, Bits<4>>,
    /// To CommandStage, one bit per context: eight places are free.
    pub ample: Signal<Out, Bits<4>>,
    /// From CommandStage: the message of `open_info` begins (pulse).
    pub open: Signal<In, Bit>,
    /// The message.
    pub open_info: Signal<In, MessageNote>,
    /// Its handle {generation 8, place 8}, in the same cycle.
    pub open_handle: Signal<Out, Bits<16>>,

    /// From InitiatorCompleter: place.
    pub read: Signal<In, Bits<8>>,
    /// Its last message, one cycle later.
    pub read_note: Signal<Out, MessageNote>,
    /// Generation of that message, one cycle later.
    pub read_generation: Signal<Out, Bits<8>>,
    /// That message has not ended, one cycle later.
    pub read_open: Signal<Out, Bit>,
    /// It was sent, one cycle later.
    pub read_sent: Signal<Out, Bit>,
    /// It was answered or waits for no answer, one cycle later.
    pub read_answered: Signal<Out, Bit>,

    /// From InitiatorCompleter: place whose message was sent.
    pub sent: PulseIn<Bits<8>>,
    /// From InitiatorCompleter: place whose message was answered.
    pub answered: PulseIn<Bits<8>>,

    /// From Admission: place that a reply names.
    pub check: Signal<In, Bits<8>>,
    /// To Admission: what the reply is held against, one cycle later.
    pub reply_target: Signal<Out, ReplyTarget>,
    /// From Admission: the reply of `check` is taken (pulse).
    pub claim: Signal<In, Bit>,

    /// Places in use, 7 bits a context, context 0 lowest.
    pub used: Signal<Out, Bits<28>>,
    /// To CommandStage, one bit per context: all messages before the last fence have ended.
    pub epoch_clear: Signal<Out, Bits<4>>,
    /// From CommandStage: a fence begins in this context.
    pub fence: PulseIn<Bits<2>>,

    contexts: PerContext<MessagePlaces, C>,
    notes: Ram<MessageNote, 8>,
    generations: Ram<Bits<8>, 8>,
    targets: Ram<ReplyTarget, 8>,
    waits_q: Delay<Bit>,
    check_context: Signal<Local, Bits<2>>,
    claim_hot: Signal<Local, Bits<4>>,
    target: Signal<Local, ReplyTarget>,
    found: Signal<Local, ReplyTarget>,
    read_open_q: Delay<Bit>,
    read_sent_q: Delay<Bit>,
    read_answered_q: Delay<Bit>,
    one: Signal<Local, Bits<4>>,
    open_context: Signal<Local, Bits<2>>,
    open_hot: Signal<Local, Bits<4>>,
    answers: Signal<Local, Bits<2>>,
    sent_context: Signal<Local, Bits<2>>,
    sent_hot: Signal<Local, Bits<4>>,
    answered_context: Signal<Local, Bits<2>>,
    answered_hot: Signal<Local, Bits<4>>,
    fence_hot: Signal<Local, Bits<4>>,
    read_context: Signal<Local, Bits<2>>,
    number: Signal<Local, Bits<6>>,
    generation: Signal<Local, Bits<8>>,
    place: Signal<Local, Bits<8>>,
    open_one: Signal<Local, Bits<4>>,
    check_one: Signal<Local, Bits<4>>,
    read_one: Signal<Local, Bits<4>>,
    rooms: Signal<Local, Bits<4>>,
    amples: Signal<Local, Bits<4>>,
    epochs: Signal<Local, Bits<4>>,
    all_used: Signal<Local, Bits<28>>,
}

#[kernel]
impl<const C: usize> Logic for MessageTable<C> {
    fn update(&mut self) {
        self.one.next = 1.into();
        self.open_context.next = self.open_info.val().context;
        self.open_hot.next = 0.into();
        if self.open.val() {
            self.open_hot.next = self.one.val() << self.open_context.val();
        }
        self.sent_context.next = self.sent.data.val().get_bits::<2>(6);
        self.sent_hot.next = 0.into();
        if self.sent.valid.val() {
            self.sent_hot.next = self.one.val() << self.sent_context.val();
        }
        self.answered_context.next = self.answered.data.val().get_bits::<2>(6);
        self.answered_hot.next = 0.into();
        if self.answered.valid.val() {
            self.answered_hot.next = self.one.val() << self.answered_context.val();
        }
        self.fence_hot.next = 0.into();
        if self.fence.valid.val() {
            self.fence_hot.next = self.one.val() << self.fence.data.val();
        }
        self.answers.next = self.open_info.val().ack_request;
        self.check_context.next = self.check.val().get_bits::<2>(6);
        self.claim_hot.next = 0.into();
        if self.claim.val() {
            self.claim_hot.next = self.one.val() << self.check_context.val();
        }
        self.read_context.next = self.read.val().get_bits::<2>(6);
        self.open_one.next = self.one.val() << self.open_context.val();
        self.check_one.next = self.one.val() << self.check_context.val();
        self.read_one.next = self.one.val() << self.read_context.val();
        self.rooms.next = 0.into();
        self.amples.next = 0.into();
        self.epochs.next = 0.into();
        self.all_used.next = 0.into();
        self.number.next = 0.into();
        self.generation.next = 0.into();
        self.waits_q.d.next = false;
        self.read_open_q.d.next = false;
        self.read_sent_q.d.next = false;
        self.read_answered_q.d.next = false;
        for i in 0..C {
            self.contexts[i].open.next = self.open_hot.val().get_bit(i);
            self.contexts[i].open_answered.next = !self.answers.val().any();
            self.contexts[i].sent.data.next = self.sent.data.val().get_bits::<6>(0);
            self.contexts[i].sent.valid.next = self.sent_hot.val().get_bit(i);
            self.contexts[i].answered.data.next = self.answered.data.val().get_bits::<6>(0);
            self.contexts[i].answered.valid.next = self.answered_hot.val().get_bit(i);
            self.contexts[i].look.next = self.read.val().get_bits::<6>(0);
            self.contexts[i].fence.next = self.fence_hot.val().get_bit(i);
            self.contexts[i].check.next = self.check.val().get_bits::<6>(0);
            self.contexts[i].claim.next = self.claim_hot.val().get_bit(i);
            self.contexts[i].limit.next = self.limit.val();
            self.rooms.next = self.rooms.val().replace_bit(i, self.contexts[i].room.val());
            self.amples.next = self
                .amples
                .val()
                .replace_bit(i, self.contexts[i].ample.val());
            self.epochs.next = self
                .epochs
                .val()
                .replace_bit(i, self.contexts[i].epoch_clear.val());
            for bit in 0..7 {
                self.all_used.next = self
                    .all_used
                    .val()
                    .replace_bit(i * 7 + bit, self.contexts[i].used.val().get_bit(bit));
            }
            if self.open_one.val().get_bit(i) {
                self.number.next = self.contexts[i].place.val();
                self.generation.next = self.contexts[i].generation.val();
            }
            if self.check_one.val().get_bit(i) {
                self.waits_q.d.next = self.contexts[i].check_waits.val();
            }
            if self.read_one.val().get_bit(i) {
                self.read_open_q.d.next = self.contexts[i].is_open.val();
                self.read_sent_q.d.next = self.contexts[i].look_sent.val();
                self.read_answered_q.d.next = self.contexts[i].look_answered.val();
            }
        }
        self.room.next = self.rooms.val();
        self.ample.next = self.amples.val();
        self.epoch_clear.next = self.epochs.val();
        self.used.next = self.all_used.val();

        self.place.next =
            (bit_cast::<8, 2>(self.open_context.val()) << 6) | bit_cast::<8, 6>(self.number.val());
        self.open_handle.next =
            (bit_cast::<16, 8>(self.generation.val()) << 8) | bit_cast::<16, 8>(self.place.val());
        self.notes.write_addr.next = self.place.val();
        self.notes.write_data.next = self.open_info.val();
        self.notes.write_en.next = self.open.val();
        self.generations.write_addr.next = self.place.val();
        self.generations.write_data.next = self.generation.val();
        self.generations.write_en.next = self.open.val();

        // What a reply to it is held against.
        self.target.next.waits = self.open_info.val().replies;
        self.target.next.context = self.open_context.val();
        self.target.next.generation = self.generation.val();
        self.target.next.target_node = self.open_info.val().target_node;
        self.target.next.target_context = self.open_info.val().target_context;
        self.target.next.length = self.open_info.val().length;
        self.target.next.address = self.open_info.val().address;
        self.target.next.pieces = self.open_info.val().pieces;
        self.target.next.offset = self.open_info.val().offset;
        self.targets.write_addr.next = self.place.val();
        self.targets.write_data.next = self.target.val();
        self.targets.write_en.next = self.open.val();
        self.targets.read_addr.next = self.check.val();
        self.found.next = self.targets.read_data.val();
        if !self.waits_q.q.val() {
            self.found.next.waits = 0.into();
        }
        self.reply_target.next = self.found.val();

        // It is looked up.
        self.notes.read_addr.next = self.read.val();
        self.read_note.next = self.notes.read_data.val();
        self.generations.read_addr.next = self.read.val();
        self.read_generation.next = self.generations.read_data.val();
        self.read_open.next = self.read_open_q.q.val();
        self.read_sent.next = self.read_sent_q.q.val();
        self.read_answered.next = self.read_answered_q.q.val();
    }
}
