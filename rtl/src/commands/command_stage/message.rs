//! What a command that sends gives to others: its spans, its jobs, and what it holds.

use super::{CommandStage, CommandStageState};
use rust_hdl::prelude::*;
use xtq_kernel::kernel;

#[kernel]
impl<const A: usize> CommandStage<A> {
    /// Spans: of an XTQ put packet and arguments, then the payload; of others the data; of an atomic that fetches
    /// then where the reply goes.
    pub(super) fn spans(&mut self) {
        self.second_turn.next = self.state_q.q.val() == CommandStageState::First;
        self.lookup.data.next.context = self.context_q.q.val();
        self.lookup.data.next.number = self.descriptor.val();
        self.lookup.data.next.offset = self.at_hand.val().start;
        self.lookup.data.next.length = self.length.val();
        if self.check.xtq.val() {
            self.lookup.data.next.length = bit_cast::<64, 16>(self.command_length.val());
        }
        if self.second_turn.val() {
            self.lookup.data.next.number = self.second_descriptor.val();
            self.lookup.data.next.offset = self.second_start.val();
            self.lookup.data.next.length = self.length.val();
        }
        // Of a GET where the reply goes.
        if self.check.get.val() {
            self.lookup.data.next.number = self.second_descriptor.val();
            self.lookup.data.next.offset = self.second_start.val();
        }
        self.lookup.valid.next = false;
        self.first_q.d.next = self.found.data.val();
        self.first_q.en.next =
            (self.state_q.q.val() == CommandStageState::First) & self.found.valid.val();
        self.second_q.d.next = self.found.data.val();
        self.second_q.en.next =
            (self.state_q.q.val() == CommandStageState::Second) & self.found.valid.val();
    }

    /// The jobs of a message.
    pub(super) fn message_jobs(&mut self) {
        self.jobs.command.next = self.at_hand.val();
        self.jobs.owner.next = self.context_q.q.val();
        self.jobs.user_ids.next = self.user_ids.val();
        self.total_q.d.next = self.check.total.val();
        self.jobs.total.next = self.total_q.q.val();
        self.jobs.xtq.next = self.check.xtq.val();
        self.jobs.get.next = self.check.get.val();
        self.jobs.fetch.next = self.check.fetch.val();
        self.jobs.single.next = self.check.single.val();
        self.jobs.two.next = self.check.two.val();
        self.jobs.first.next = self.first_q.q.val();
        self.jobs.second.next = self.second_q.q.val();
        self.jobs.open_handle.next = self.open_handle.val();
        self.gather.data.next = self.jobs.gather.val();
        self.send.data.next = self.jobs.send.val();
        self.open.data.next = self.jobs.open.val();
        self.has_body_q.d.next = self.jobs.has_body.val();
        // Each goes when its queue has room; the state ends when both are gone.
        self.sending.next = self.state_q.q.val() == CommandStageState::Send;
        self.send.valid.next = self.sending.val() & !self.sent_q.q.val();
        self.gather.valid.next =
            self.sending.val() & self.has_body_q.q.val() & !self.gathered_q.q.val();
        self.send_gone.next = self.sent_q.q.val() | self.send.ready.val();
        self.gather_gone.next =
            self.gathered_q.q.val() | self.gather.ready.val() | !self.has_body_q.q.val();
        self.both_gone.next = self.send_gone.val() & self.gather_gone.val();
        self.sent_q.d.next = self.send_gone.val() & !self.both_gone.val();
        self.sent_q.en.next = self.sending.val();
        self.gathered_q.d.next = self.gather_gone.val() & !self.both_gone.val();
        self.gathered_q.en.next = self.sending.val();
        // That it begins is told in the next cycle: what the message table makes of it is not in the way of who has
        // room.
        self.opens.next = self.sending.val() & !self.sent_q.q.val() & self.send.ready.val();
        self.open_q.d.next = self.opens.val();
        self.open.valid.next = self.open_q.q.val();
        self.held.next =
            (bit_cast::<10, 2>(self.context_q.q.val()) << 8) | bit_cast::<10, 8>(self.number.val());
        if self.check.get.val() {
            self.held.next = (bit_cast::<10, 2>(self.context_q.q.val()) << 8)
                | bit_cast::<10, 8>(self.second_number.val());
        }
        self.holds.next = self.opens.val();
    }
}
