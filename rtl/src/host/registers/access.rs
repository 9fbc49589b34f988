//! An access from the bus: what is read, and what happens until it is answered.

use super::{Registers, RegistersState};
use crate::host::register_decoder::RegisterKind;
use rust_hdl::prelude::*;
use xtq_kernel::kernel;

#[kernel]
impl<const C: usize> Registers<C> {
    /// What is read.
    pub(super) fn read(&mut self) {
        self.slave.value.next = 0.into();
        match self.decoder.kind.val() {
            RegisterKind::Version => self.slave.value.next = self.identity.version.val(),
            RegisterKind::Build => self.slave.value.next = self.identity.build.val(),
            RegisterKind::Node => self.slave.value.next = bit_cast::<32, 16>(self.node_q.q.val()),
            RegisterKind::MessageTimeout => {
                self.slave.value.next = bit_cast::<32, 5>(self.timeout_q.q.val())
            }
            RegisterKind::LinkChecked => self.slave.value.next = 1.into(),
            RegisterKind::Counter => self.slave.value.next = self.counted.val(),
            RegisterKind::Flag => self.slave.value.next = self.contexts.word.val(),
            RegisterKind::EventRing => self.slave.value.next = self.ring_status.data.val(),
            RegisterKind::CommandRing => self.slave.value.next = self.command_status.data.val(),
            RegisterKind::StatusCount => self.slave.value.next = self.statuses.word.val(),
            RegisterKind::SizeLimit => self.slave.value.next = self.limits.word.val(),
            RegisterKind::MessageLimit => {
                self.slave.value.next = bit_cast::<32, 7>(self.message_limit.val())
            }
            RegisterKind::UserId => self.slave.value.next = self.user_word.val(),
            RegisterKind::LookupTable => {
                self.slave.value.next = self.shadow.read_data.val();
                if (self.column.val() == 2)
                    & !self.sized_q.q.val().get_bit(self.place.val().index())
                {
                    self.slave.value.next = 0.into();
                }
            }
            RegisterKind::Portal => self.slave.value.next = self.portal_status.data.val(),
            _ => self.slave.value.next = 0.into(),
        }
        if !self.decoder.readable.val() {
            self.slave.value.next = 0.into();
        }
    }

    /// What happens.
    pub(super) fn perform(&mut self) {
        self.state_q.d.next = self.state_q.q.val();
        self.slave.done.next = false;
        self.slave.response.next = self.codes.okay.val();
        match self.state_q.q.val() {
            RegistersState::Act => {
                if self.slave.active.val() {
                    self.slave.done.next = true;
                    if self.decoder.kind.val() == RegisterKind::Undefined {
                        self.slave.response.next = self.codes.unknown.val();
                    } else if self.slave.write.val() {
                        if !self.act_write.val() {
                            self.slave.response.next = self.codes.refused.val();
                        } else if self.decoder.kind.val() == RegisterKind::Portal {
                            self.slave.done.next = false;
                            self.state_q.d.next = RegistersState::Portal;
                        } else if self.decoder.kind.val() == RegisterKind::TableInvalidate {
                            if self.kind.val() == 3 {
                                self.slave.response.next = self.codes.refused.val();
                            } else {
                                self.slave.done.next = false;
                                self.state_q.d.next = RegistersState::Invalidate;
                            }
                        } else if self.decoder.kind.val() == RegisterKind::Increment {
                            self.slave.done.next = false;
                            self.state_q.d.next = RegistersState::Increment;
                        }
                    } else if !self.decoder.readable.val() {
                        self.slave.response.next = self.codes.refused.val();
                    } else if (self.decoder.kind.val() == RegisterKind::EventRing)
                        | (self.decoder.kind.val() == RegisterKind::CommandRing)
                        | (self.decoder.kind.val() == RegisterKind::LookupTable)
                        | (self.decoder.kind.val() == RegisterKind::Portal)
                    {
                        self.slave.done.next = false;
                        self.state_q.d.next = RegistersState::Fetch;
                    }
                }
            }
            RegistersState::Portal => {
                if self.portal_cfg_ready.val() {
                    self.state_q.d.next = RegistersState::PortalWait;
                    if self.portal_cfg_refused.val() {
                        self.slave.done.next = true;
                        self.slave.response.next = self.codes.refused.val();
                        self.state_q.d.next = RegistersState::Act;
                    }
                }
            }
            RegistersState::PortalWait => {
                if self.portal_cfg_ready.val() {
                    self.slave.done.next = true;
                    self.state_q.d.next = RegistersState::Act;
                }
            }
            RegistersState::Invalidate => {
                if self.invalidate.ready.val() {
                    self.state_q.d.next = RegistersState::Forgetting;
                }
            }
            RegistersState::Forgetting => {
                if self.invalidated.val() {
                    self.slave.done.next = true;
                    self.state_q.d.next = RegistersState::Act;
                }
            }
            RegistersState::Increment => {
                if self.increment.ready.val() {
                    self.slave.done.next = true;
                    self.state_q.d.next = RegistersState::Act;
                }
            }
            RegistersState::Fetch => {
                self.slave.done.next = true;
                self.state_q.d.next = RegistersState::Act;
            }
            _ => {
                self.state_q.d.next = RegistersState::Act;
            }
        }
    }
}
