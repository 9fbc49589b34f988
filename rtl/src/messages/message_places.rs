//! `MessagePlaces`: the message places of one context: which are free, what the others still wait for, and the fence.
//!
//! **Purpose.** [`MessageTable`](crate::messages::message_table::MessageTable) has one for each context, so no process
//! takes a place of another. What a message was is not kept here.
//!
//! ```text
//!                    +---------------+
//!   open, limit   -->|               |--> room, ample, place, generation
//!   open_answered -->|               |--> used
//!   sent          -->| MessagePlaces |--> epoch_clear
//!   answered      -->|               |--> is_open, look_sent, look_answered   (same cycle as look)
//!   fence         -->|               |
//!   look          -->|               |
//!   check, claim  -->|               |--> check_waits   (same cycle as check)
//!                    +---------------+
//! ```
//!
//! **Contract.** `open` (only with `room`): a message takes `place` with `generation` at the edge; with `open_answered`
//! it waits for no answer. `room`: a place is free, and fewer than `limit` messages wait for an answer. `ample`: so it
//! is for eight messages more. `sent` and `answered`: what they say; the place whose message is both is free from the
//! next cycle on. `check_waits`: the message of place `check` is open, not answered, and no reply has come; `claim`: a
//! reply has come for that place. Both may come in one cycle, for one place or two. For a place that is not open, or
//! that has had the same before, they do nothing. `generation` is 0 for the first message of a place since reset, then
//! one more each time, modulo 2^8. Places come in the order of [`PlaceQueue`]; of two that become free in one cycle
//! that of `sent` comes first. `epoch_clear`: every message that was opened before or in the cycle of the last `fence`
//! has ended. `fence` only while it is high. Reset: all places free, all generations 0.
//!
//! **Internals.** The generation of a place's next message waits with it in the [`PlaceQueue`]; while it is taken two
//! memories have it, one for each way in which a message ends. `awaiting_q` counts the messages that wait for an
//! answer. One bit per place for open, sent, answered, claimed and the colour. A fence turns the context's colour:
//! messages opened from then on have the new one, and `old_q` counts down those that have not; it takes its count in
//! the cycle after the fence (`fenced_q`).

use crate::bundle::PulseIn;
use crate::leaf::{Delay, LutRam, Reg};
use crate::messages::place_queue::PlaceQueue;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// The message places of one context.
#[block]
pub struct MessagePlaces {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Messages that may wait for an answer at once.
    pub limit: Signal<In, Bits<7>>,
    /// There is a free place, and `limit` allows another message.
    pub room: Signal<Out, Bit>,
    /// The same for eight of them.
    pub ample: Signal<Out, Bit>,
    /// The next one.
    pub place: Signal<Out, Bits<6>>,
    /// Generation of its next message.
    pub generation: Signal<Out, Bits<8>>,
    /// A message takes it (pulse).
    pub open: Signal<In, Bit>,
    /// With `open`: the message waits for no answer.
    pub open_answered: Signal<In, Bit>,
    /// Place whose message was sent.
    pub sent: PulseIn<Bits<6>>,
    /// Place whose message was answered.
    pub answered: PulseIn<Bits<6>>,
    /// Place to look at.
    pub look: Signal<In, Bits<6>>,
    /// It has a message, in the same cycle.
    pub is_open: Signal<Out, Bit>,
    /// That message was sent, in the same cycle.
    pub look_sent: Signal<Out, Bit>,
    /// That message was answered or waits for no answer, in the same cycle.
    pub look_answered: Signal<Out, Bit>,
    /// Place whose reply has come.
    pub check: Signal<In, Bits<6>>,
    /// Its message waits for a reply.
    pub check_waits: Signal<Out, Bit>,
    /// The reply of `check` is taken (pulse).
    pub claim: Signal<In, Bit>,
    /// Places with a message, 0 to 64.
    pub used: Signal<Out, Bits<7>>,
    /// Messages from now on are not waited for (pulse).
    pub fence: Signal<In, Bit>,
    /// All messages before the last fence have ended.
    pub epoch_clear: Signal<Out, Bit>,

    queue: PlaceQueue,
    /// Generation of the next message of each place, for the one that is `sent`.
    sent_generations: LutRam<Bits<8>, 6>,
    /// The same for the one that is `answered`.
    answered_generations: LutRam<Bits<8>, 6>,
    open_q: Delay<Bits<64>>,
    sent_q: Delay<Bits<64>>,
    answered_q: Delay<Bits<64>>,
    /// Messages that wait for an answer.
    awaiting_q: Delay<Bits<7>>,
    claimed_q: Delay<Bits<64>>,
    /// Colour of each place's message, and of the context.
    colours_q: Delay<Bits<64>>,
    colour_q: Reg<Bit>,
    /// Messages before the last fence that have not ended,
    old_q: Delay<Bits<7>>,
    /// but for the cycle after the fence, when they are all that there are.
    fenced_q: Delay<Bit>,
    asks: Signal<Local, Bit>,
    told: Signal<Local, Bit>,
    old: Signal<Local, Bits<7>>,
    one: Signal<Local, Bits<64>>,
    opens: Signal<Local, Bits<64>>,
    sends: Signal<Local, Bits<64>>,
    answers: Signal<Local, Bits<64>>,
    claims: Signal<Local, Bits<64>>,
    waiting: Signal<Local, Bits<64>>,
    is_open_now: Signal<Local, Bits<64>>,
    is_sent: Signal<Local, Bits<64>>,
    is_answered: Signal<Local, Bits<64>>,
    ends: Signal<Local, Bits<64>>,
    same: Signal<Local, Bit>,
    by_sent: Signal<Local, Bit>,
    by_answer: Signal<Local, Bit>,
    old_sent: Signal<Local, Bit>,
    old_answer: Signal<Local, Bit>,
    next_generation: Signal<Local, Bits<8>>,
}

#[kernel]
impl Logic for MessagePlaces {
    fn update(&mut self) {
        // A message begins.
        self.room.next = self.queue.room.val() & (self.awaiting_q.q.val() < self.limit.val());
        self.ample.next =
            (self.queue.used.val() < 57) & (self.awaiting_q.q.val() + 7 < self.limit.val());
        self.place.next = self.queue.place.val();
        self.queue.take.next = self.open.val();
        self.generation.next = self.queue.generation.val();
        self.next_generation.next = self.queue.generation.val() + 1;
        self.sent_generations.write_addr.next = self.queue.place.val();
        self.sent_generations.write_data.next = self.next_generation.val();
        self.sent_generations.write_en.next = self.open.val();
        self.answered_generations.write_addr.next = self.queue.place.val();
        self.answered_generations.write_data.next = self.next_generation.val();
        self.answered_generations.write_en.next = self.open.val();

        // The pulses as one bit per place; only those of places that are open count.
        self.one.next = 1.into();
        self.is_open_now.next = self.open_q.q.val();
        self.opens.next = 0.into();
        if self.open.val() {
            self.opens.next = self.one.val() << self.queue.place.val();
        }
        self.sends.next = 0.into();
        if self.sent.valid.val() {
            self.sends.next = (self.one.val() << self.sent.data.val()) & self.is_open_now.val();
        }
        self.answers.next = 0.into();
        if self.answered.valid.val() {
            self.answers.next =
                (self.one.val() << self.answered.data.val()) & self.is_open_now.val();
        }
        self.is_sent.next = self.sent_q.q.val() | self.sends.val();
        self.is_answered.next = self.answered_q.q.val() | self.answers.val();
        self.ends.next = self.is_sent.val() & self.is_answered.val();
        // Whether one ends is found by its number, beside the vectors. What is sent or answered is open.
        self.same.next = self.sent.valid.val()
            & self.answered.valid.val()
            & (self.sent.data.val() == self.answered.data.val());
        self.by_sent.next = self.sent.valid.val()
            & (self
                .answered_q
                .q
                .val()
                .get_bit(self.sent.data.val().index())
                | (self.same.val() & self.is_open_now.val().get_bit(self.sent.data.val().index())));
        self.by_answer.next = self.answered.valid.val()
            & self
                .sent_q
                .q
                .val()
                .get_bit(self.answered.data.val().index())
            & !self.same.val();

        // Those that wait for an answer.
        self.asks.next = self.open.val() & !self.open_answered.val();
        self.told.next = self.answers.val().any()
            & !self
                .answered_q
                .q
                .val()
                .get_bit(self.answered.data.val().index());
        self.awaiting_q.d.next = self.awaiting_q.q.val();
        if self.asks.val() & !self.told.val() {
            self.awaiting_q.d.next = self.awaiting_q.q.val() + 1;
        }
        if self.told.val() & !self.asks.val() {
            self.awaiting_q.d.next = self.awaiting_q.q.val() - 1;
        }

        // The states.
        self.open_q.d.next = (self.is_open_now.val() | self.opens.val()) & !self.ends.val();
        self.sent_q.d.next = self.is_sent.val() & !self.ends.val();
        self.answered_q.d.next = self.is_answered.val() & !self.ends.val();
        if self.open_answered.val() {
            self.answered_q.d.next = (self.is_answered.val() & !self.ends.val()) | self.opens.val();
        }
        self.claims.next = 0.into();
        if self.claim.val() {
            self.claims.next = self.one.val() << self.check.val();
        }
        self.claimed_q.d.next = (self.claimed_q.q.val() | self.claims.val()) & !self.opens.val();
        self.waiting.next =
            self.is_open_now.val() & !self.answered_q.q.val() & !self.claimed_q.q.val();
        self.check_waits.next = self.waiting.val().get_bit(self.check.val().index());
        self.is_open.next = self.is_open_now.val().get_bit(self.look.val().index());
        self.look_sent.next = self.sent_q.q.val().get_bit(self.look.val().index());
        self.look_answered.next = self.answered_q.q.val().get_bit(self.look.val().index());
        self.queue.give_a.data.next = self.sent.data.val();
        self.sent_generations.read_addr.next = self.sent.data.val();
        self.queue.give_a_generation.next = self.sent_generations.read_data.val();
        self.queue.give_a.valid.next = self.by_sent.val();
        self.queue.give_b.data.next = self.answered.data.val();
        self.answered_generations.read_addr.next = self.answered.data.val();
        self.queue.give_b_generation.next = self.answered_generations.read_data.val();
        self.queue.give_b.valid.next = self.by_answer.val();
        self.used.next = self.queue.used.val();

        // The fence: the messages that are open then become old.
        self.colours_q.d.next = self.colours_q.q.val() & !self.opens.val();
        if self.colour_q.q.val() {
            self.colours_q.d.next = self.colours_q.q.val() | self.opens.val();
        }
        self.colour_q.d.next = !self.colour_q.q.val();
        self.colour_q.en.next = self.fence.val();
        self.old_sent.next = self.by_sent.val()
            & (self.colours_q.q.val().get_bit(self.sent.data.val().index())
                ^ self.colour_q.q.val());
        self.old_answer.next = self.by_answer.val()
            & (self
                .colours_q
                .q
                .val()
                .get_bit(self.answered.data.val().index())
                ^ self.colour_q.q.val());
        self.fenced_q.d.next = self.fence.val();
        self.old.next = self.old_q.q.val();
        if self.fenced_q.q.val() {
            self.old.next = self.queue.used.val();
        }
        self.old_q.d.next = self.old.val();
        if self.old_sent.val() & self.old_answer.val() {
            self.old_q.d.next = self.old.val() - 2;
        } else if self.old_sent.val() | self.old_answer.val() {
            self.old_q.d.next = self.old.val() - 1;
        }
        self.epoch_clear.next = !self.old.val().any();
    }
}
