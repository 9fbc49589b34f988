//! Whose turn it is.

use super::{InitiatorCompleter, Told};
use xtq_kernel::kernel;

#[kernel]
impl InitiatorCompleter {
    /// Chooses one of the four that are on offer, and asks the table about an answer or a reply that has to wait.
    pub(super) fn turn(&mut self) {
        // Of those that were not sent: in turn.
        self.first_reply.next =
            self.reply.valid.val() & (!self.answer.valid.val() | self.reply_turn_q.q.val());
        self.first_answer.next = self.answer.valid.val() & !self.first_reply.val();
        self.first_done.next = self.done.valid.val()
            & ((!self.answer.valid.val() & !self.reply.valid.val()) | self.done_turn_q.q.val());
        self.answer_handle.next = self.answer.data.val().initiator_handle;
        self.reply_handle.next = self.reply.data.val().handle;
        self.asked.next = self.answer_handle.val().get_bits::<8>(0);
        if self.first_reply.val() {
            self.asked.next = self.reply_handle.val().get_bits::<8>(0);
        }

        // In the cycle of a note the table is free. A message that it does not know is not waited for.
        self.probed_q.d.next =
            self.noting_q.q.val() & (self.first_reply.val() | self.first_answer.val());
        self.probed_reply_q.d.next = self.first_reply.val();
        self.probed_reply_q.en.next = self.noting_q.q.val();
        self.known.next = self.known_q.q.val();
        if self.probed_q.q.val() {
            self.known.next = self.note_sent.val() | !self.note_open.val();
        }

        // What was sent goes first, but not twice while another is due.
        self.due.next = self.sent_last_q.q.val()
            & (self.first_done.val()
                | (self.known.val()
                    & (self.first_reply.val() | self.first_answer.val())
                    & (self.probed_reply_q.q.val() == self.first_reply.val())));
        self.chosen.next = Told::Command;
        if self.first_answer.val() & !self.first_done.val() {
            self.chosen.next = Told::Answer;
        }
        if self.first_reply.val() & !self.first_done.val() {
            self.chosen.next = Told::Reply;
        }
        if self.sent.valid.val() & !self.due.val() {
            self.chosen.next = Told::Sent;
        }
        self.chosen_place.next = self.asked.val();
        if self.chosen.val() == Told::Sent {
            self.chosen_place.next = self.sent.data.val().place;
        }
        self.read.next = self.chosen_place.val();
        if self.noting_q.q.val() {
            self.read.next = self.asked.val();
        }
    }

    /// Takes it, if something can be taken, and notes whose turn is next.
    pub(super) fn take(&mut self) {
        self.sent.ready.next = self.idle.val() & (self.chosen.val() == Told::Sent);
        self.answer.ready.next = self.idle.val() & (self.chosen.val() == Told::Answer);
        self.reply.ready.next = self.idle.val() & (self.chosen.val() == Told::Reply);
        self.done.ready.next = self.idle.val() & (self.chosen.val() == Told::Command);
        self.takes.next = self.idle.val()
            & (self.sent.valid.val()
                | self.answer.valid.val()
                | self.reply.valid.val()
                | self.done.valid.val());
        self.known_q.d.next = self.known.val() & !self.takes.val();
        self.known_q.en.next = self.probed_q.q.val() | self.takes.val();
        self.sent_last_q.d.next = self.chosen.val() == Told::Sent;
        self.sent_last_q.en.next = self.takes.val();
        self.reply_turn_q.d.next = self.chosen.val() == Told::Answer;
        self.reply_turn_q.en.next = self.takes.val()
            & ((self.chosen.val() == Told::Answer) | (self.chosen.val() == Told::Reply));
        self.done_turn_q.d.next = self.chosen.val() != Told::Command;
        self.done_turn_q.en.next = self.takes.val() & (self.chosen.val() != Told::Sent);
    }
}
