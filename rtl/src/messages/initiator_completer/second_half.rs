//! What is done with what was decided: the event, the count, and what the message held.

use super::{InitiatorCompleter, InitiatorCompleterState, Told};
use rust_hdl::prelude::*;
use xtq_kernel::kernel;

#[kernel]
impl InitiatorCompleter {
    /// A state for each thing, of which those are left out that are not wanted.
    pub(super) fn second_half(&mut self) {
        self.telling.next = self.state_q.q.val() == InitiatorCompleterState::Tell;
        self.doing.next = self.state_q.q.val() != InitiatorCompleterState::Idle;
        self.decided.next = self.decided_note_q.q.val();
        self.decided_context.next = self.decided.val().context;
        self.two.next = self.decided.val().two == 1;
        self.ends.next = self.decided_ends_q.q.val();

        // Without an event it is counted at once.
        self.told.next.context = self.context_q.q.val();
        self.told.next.event = self.event_q.q.val().into();
        self.own.data.next = self.told.val();
        self.own.valid.next = self.telling.val() & self.posts_q.q.val();
        self.counting.next = (self.telling.val() & !self.posts_q.q.val())
            | (self.state_q.q.val() == InitiatorCompleterState::Count);
        self.count.data.next = self.count_q.q.val();
        self.count.valid.next = self.counting.val() & self.counts_q.q.val();
        self.told_now.next = self.telling.val() & self.posts_q.q.val() & self.own.ready.val();
        self.counted_now.next =
            self.counting.val() & (self.count.ready.val() | !self.counts_q.q.val());

        // What the message held.
        self.second_number.next = self.decided.val().second_descriptor;
        self.unhold.data.next = (bit_cast::<10, 2>(self.decided_context.val()) << 8)
            | bit_cast::<10, 8>(self.decided.val().descriptor);
        self.unhold.valid.next = self.state_q.q.val() == InitiatorCompleterState::Drop;
        if self.state_q.q.val() == InitiatorCompleterState::DropSecond {
            self.unhold.data.next = (bit_cast::<10, 2>(self.decided_context.val()) << 8)
                | bit_cast::<10, 8>(self.second_number.val());
            self.unhold.valid.next = true;
        }

        // A message has got so far when everything about it is reported, counted and given back.
        self.reported.next =
            self.counted_now.val() | (self.told_now.val() & !self.counts_q.q.val());
        self.over.next = (self.reported.val() & !self.ends.val())
            | ((self.state_q.q.val() == InitiatorCompleterState::Drop) & !self.two.val())
            | (self.state_q.q.val() == InitiatorCompleterState::DropSecond);
        self.accepts.next = !self.doing.val() | self.over.val();
        self.place.next = self.decided_place_q.q.val();
        self.sent_place.next = self.over.val() & (self.decided_q.q.val() == Told::Sent);
        self.answered.next = self.over.val()
            & ((self.decided_q.q.val() == Told::Answer) | (self.decided_q.q.val() == Told::Reply));

        self.state_q.d.next = self.state_q.q.val();
        if self.told_now.val() {
            self.state_q.d.next = InitiatorCompleterState::Count;
        }
        if self.reported.val() {
            self.state_q.d.next = InitiatorCompleterState::Drop;
        }
        if (self.state_q.q.val() == InitiatorCompleterState::Drop) & self.two.val() {
            self.state_q.d.next = InitiatorCompleterState::DropSecond;
        }
        if self.over.val() {
            self.state_q.d.next = InitiatorCompleterState::Idle;
        }
    }
}
