//! Messages: their spans are looked up here; the rest is done by [`MessagePipeline`].

use super::{CommandStage, CommandStageState};
use crate::commands::command_check::CommandKind;
use rust_hdl::prelude::*;
use xtq_kernel::kernel;

#[kernel]
impl<const A: usize> CommandStage<A> {
    /// Spans: of an XTQ put packet and arguments, then the payload; of others the data; of an atomic that fetches
    /// then where the reply goes.
    pub(super) fn spans(&mut self) {
        self.sends.next = (self.check.kind.val() == CommandKind::Send)
            & (self.check.status.val() == self.codes.ok.val());
        self.enters.next = (self.state_q.q.val() == CommandStageState::Check)
            & self.sends.val()
            & self.pipeline.room.val();
        self.second_turn.next = self.state_q.q.val() == CommandStageState::Second;
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
        self.lookup.valid.next = self.enters.val() | self.second_turn.val();
    }

    /// What enters the pipeline, and what it gives to others.
    pub(super) fn messages(&mut self) {
        self.pipeline.enter.next = self.enters.val();
        self.pipeline.command.next = self.command_q.q.val();
        self.facts.next.owner = self.context_q.q.val();
        self.facts.next.total = self.check.total.val();
        self.facts.next.xtq = self.check.xtq.val().into();
        self.facts.next.get = self.check.get.val().into();
        self.facts.next.fetch = self.check.fetch.val().into();
        self.facts.next.single = self.check.single.val().into();
        self.facts.next.two = self.check.two.val().into();
        self.pipeline.facts.next = self.facts.val();
        self.pipeline.user_ids.next = self.user_ids.val();
        self.pipeline.open_handle.next = self.open_handle.val();
        connect!(self.found => self.pipeline.found);
        connect!(self.pipeline.open => self.open);
        connect!(self.pipeline.hold => self.hold);
        connect!(self.pipeline.gather => self.gather);
        connect!(self.pipeline.send => self.send);
        // A context's message that is under way may take the last place.
        self.choice.room.next =
            self.room.val() & (!self.pipeline.under_way.val() | self.ample.val());
        self.choice.under_way.next = self.pipeline.under_way.val();
    }
}
