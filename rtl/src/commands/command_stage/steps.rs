//! What the stage does after what: its states.

use super::{CommandStage, CommandStageState};
use crate::commands::command_check::CommandKind;
use xtq_kernel::kernel;

#[kernel]
impl<const A: usize> CommandStage<A> {
    /// A state for each thing that others do; how each ends goes to the status of the command.
    pub(super) fn steps(&mut self) {
        self.status_q.d.next = self.codes.ok.val();
        self.status_q.en.next = false;
        self.working.next = (self.state_q.q.val() != CommandStageState::Idle)
            | self.ends.away.val().any()
            | !self.pipeline.empty.val();
        self.state_q.d.next = self.state_q.q.val();
        match self.state_q.q.val() {
            CommandStageState::Idle => {
                if self.choice.taken.val() {
                    self.state_q.d.next = CommandStageState::Check;
                }
            }
            CommandStageState::Check => {
                self.status_q.d.next = self.check.status.val();
                self.status_q.en.next = true;
                self.state_q.d.next = CommandStageState::Done;
                if self.check.status.val() == self.codes.ok.val() {
                    // No match: Yosys would make a ROM of it.
                    if self.check.kind.val() == CommandKind::Bind {
                        self.state_q.d.next = CommandStageState::Bind;
                    }
                    if self.check.kind.val() == CommandKind::Release {
                        self.state_q.d.next = CommandStageState::Release;
                    }
                    if self.check.kind.val() == CommandKind::Register {
                        self.state_q.d.next = CommandStageState::Register;
                    }
                    if self.check.kind.val() == CommandKind::Count {
                        self.state_q.d.next = CommandStageState::Count;
                    }
                    if self.check.kind.val() == CommandKind::List {
                        self.state_q.d.next = CommandStageState::List;
                        if self.is_single.val() {
                            self.status_q.d.next = self.codes.in_use.val();
                            self.state_q.d.next = CommandStageState::Done;
                        }
                    }
                    if self.check.iovec.val() {
                        self.state_q.d.next = CommandStageState::Add;
                    }
                    if self.check.kind.val() == CommandKind::Cancel {
                        self.state_q.d.next = CommandStageState::Wait;
                    }
                    if self.check.kind.val() == CommandKind::Wait {
                        self.state_q.d.next = CommandStageState::Wait;
                    }
                }
                // Nothing else begins while messages are under way.
                if !self.pipeline.empty.val() {
                    self.state_q.d.next = CommandStageState::Check;
                }
                if self.sends.val() {
                    self.state_q.d.next = CommandStageState::Check;
                    if self.pipeline.room.val() {
                        self.state_q.d.next = CommandStageState::Idle;
                        if self.check.two.val() {
                            self.state_q.d.next = CommandStageState::Second;
                        }
                    }
                }
            }
            CommandStageState::Second => {
                self.state_q.d.next = CommandStageState::Idle;
            }
            CommandStageState::Add => {
                if self.adder.job.ready.val() {
                    self.state_q.d.next = CommandStageState::Adding;
                }
            }
            CommandStageState::Adding => {
                if self.adder.done.val() {
                    self.status_q.en.next = true;
                    self.state_q.d.next = CommandStageState::List;
                    if self.check.kind.val() == CommandKind::Bind {
                        self.state_q.d.next = CommandStageState::Bind;
                    }
                    if self.adder.overflow.val() {
                        self.status_q.d.next = self.codes.pieces_overflow.val();
                        self.state_q.d.next = CommandStageState::Done;
                    }
                    if self.adder.unread.val() {
                        self.status_q.d.next = self.codes.memory_error.val();
                        self.state_q.d.next = CommandStageState::Done;
                    }
                }
            }
            CommandStageState::Bind => {
                if self.bind_md.ready.val() {
                    self.state_q.d.next = CommandStageState::Binding;
                }
            }
            CommandStageState::Binding => {
                if self.bound.val() {
                    self.status_q.d.next = self.bind_status.val();
                    self.status_q.en.next = true;
                    self.state_q.d.next = CommandStageState::Done;
                }
            }
            CommandStageState::Release => {
                if self.release_md.ready.val() {
                    self.state_q.d.next = CommandStageState::Releasing;
                }
            }
            CommandStageState::Releasing => {
                if self.released.val() {
                    self.status_q.d.next = self.release_status.val();
                    self.status_q.en.next = true;
                    self.state_q.d.next = CommandStageState::Done;
                }
            }
            CommandStageState::Register => {
                if self.register.ready.val() {
                    self.state_q.d.next = CommandStageState::Registering;
                }
            }
            CommandStageState::Registering => {
                if self.registered.val() {
                    self.status_q.d.next = self.register_status.val();
                    self.status_q.en.next = true;
                    self.state_q.d.next = CommandStageState::Done;
                }
            }
            CommandStageState::Count => {
                if self.act.ready.val() {
                    self.state_q.d.next = CommandStageState::Counting;
                }
            }
            CommandStageState::Counting => {
                if self.acted.valid.val() {
                    self.status_q.d.next = self.told_status.val();
                    self.status_q.en.next = true;
                    self.state_q.d.next = CommandStageState::Done;
                }
            }
            CommandStageState::List => {
                if self.list_command.ready.val() {
                    self.state_q.d.next = CommandStageState::Idle;
                }
            }
            CommandStageState::Wait => {
                if self.request.ready.val() {
                    self.state_q.d.next = CommandStageState::Waiting;
                }
            }
            CommandStageState::Waiting => {
                if self.decided.val() {
                    self.status_q.d.next = self.told_status.val();
                    self.status_q.en.next = true;
                    self.state_q.d.next = CommandStageState::Done;
                }
            }
            _ => {
                if self.dones.first.ready.val() | !self.tells.val() {
                    self.state_q.d.next = CommandStageState::Idle;
                }
            }
        }
    }
}
