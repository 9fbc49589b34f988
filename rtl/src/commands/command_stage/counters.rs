//! Counters, and commands that wait for them: what is asked, and how it ended.

use super::{CommandStage, CommandStageState};
use crate::commands::command_check::CommandKind;
use rust_hdl::prelude::*;
use xtq_kernel::kernel;

#[kernel]
impl<const A: usize> CommandStage<A> {
    /// Counters, and what waits for them.
    pub(super) fn counters(&mut self) {
        self.counter_low.next = self.counter.val().get_bits::<8>(0);
        self.act.data.next.code = self.check.act.val();
        self.act.data.next.context = self.context_q.q.val();
        self.act.data.next.counter = self.counter_low.val();
        self.act.data.next.success = self.at_hand.val().ignore_bits;
        self.act.data.next.failure = self.at_hand.val().remote_offset;
        self.act.valid.next = self.state_q.q.val() == CommandStageState::Count;
        self.trigger.next = self.at_hand.val().trigger_counter;
        self.trigger_low.next = self.trigger.val().get_bits::<8>(0);
        self.one.next = 1.into();
        // The flags that it waits, and waits again.
        self.waits.next = self.command_q.q.val() & !(self.one.val() << 8) & !(self.one.val() << 10);
        self.asked_counter.next = self.trigger_low.val();
        self.request.data.next.cancel = 0.into();
        self.request.data.next.context = self.context_q.q.val();
        self.threshold.next = self.at_hand.val().threshold;
        self.period.next = 0.into();
        if self.check.rearms.val() {
            self.threshold.next = bit_cast::<64, 48>(self.command_q.q.val().get_bits::<48>(64));
            self.period.next = self.command_q.q.val().get_bits::<16>(112);
        }
        self.request.data.next.threshold = self.threshold.val();
        self.request.data.next.period = self.period.val();
        self.request.data.next.command = self.waits.val();
        if self.check.kind.val() == CommandKind::Cancel {
            self.request.data.next.cancel = 1.into();
            self.asked_counter.next = self.counter_low.val();
        }
        self.asked_counter_q.d.next = self.asked_counter.val();
        self.request.data.next.counter = self.asked_counter_q.q.val();
        self.request.valid.next = self.state_q.q.val() == CommandStageState::Wait;
        // Nothing unless this command has counted: what another context's counter answered must not be reported.
        self.answer.next = self.acted.data.val();
        self.value_q.en.next = self.acted.valid.val();
        if self.state_q.q.val() == CommandStageState::Check {
            self.answer.next.success = 0.into();
            self.answer.next.failure = 0.into();
            self.value_q.en.next = true;
        }
        self.value_q.d.next = self.answer.val();
        self.value.next = self.value_q.q.val();
        self.told.next = self.decided_status.val();
        if self.state_q.q.val() == CommandStageState::Counting {
            self.told.next = self.acted.data.val().status;
        }
        self.told_status.next = self.codes.bad_counter.val();
        if self.told.val() == self.counter_codes.ok.val() {
            self.told_status.next = self.codes.ok.val();
        }
        if self.told.val() == self.counter_codes.argument_invalid.val() {
            self.told_status.next = self.codes.bad_argument.val();
        }
        if self.told.val() == self.counter_codes.in_use.val() {
            self.told_status.next = self.codes.in_use.val();
        }
        if self.told.val() == self.counter_codes.no_space.val() {
            self.told_status.next = self.codes.no_space.val();
        }
    }
}
