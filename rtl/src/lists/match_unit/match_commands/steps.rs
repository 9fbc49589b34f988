//! The states of a command, as the picture in [`MatchCommands`](super::MatchCommands) has them.

use super::{MatchCommands, State};
use rust_hdl::prelude::*;
use xtq_kernel::kernel;

#[kernel]
impl<const E: usize, const H: usize> MatchCommands<E, H> {
    /// What each state does.
    pub(super) fn steps(&mut self) {
        self.state_q.d.next = State::Open;
        self.state_q.en.next = true;
        match self.state_q.q.val() {
            State::Open => {
                self.hold_requests.next = self.clearing.val();
                self.commanding.next = false;
                self.fair_q.d.next = true;
                self.fair_q.en.next = true;
                self.state_q.d.next = State::Drain;
                self.state_q.en.next = self.command.valid.val()
                    & !self.clearing.val()
                    & (self.fair_q.q.val() | !self.asked.val());
            }
            State::Drain => {
                self.commanding.next = false;
                self.state_q.d.next = State::Read;
                self.state_q.en.next = self.idle.val();
            }
            State::Read => {
                self.portal_q.en.next = true;
                self.state_q.d.next = State::Check;
            }
            State::Check => {
                self.fill.start.next = true;
                self.any_q.d.next = false;
                self.any_q.en.next = true;
                self.code_q.en.next = true;
                self.state_q.d.next = State::Finish;
                if self.decode.is_unlink.val() {
                    self.code_q.d.next = self.codes.not_linked.val();
                    if self.mine.val() & self.hold.val().headers.any() {
                        self.code_q.d.next = self.codes.in_use.val();
                    } else if self.mine.val() {
                        self.state_q.d.next = State::UnlinkLook;
                    }
                } else if self.decode.is_alloc.val() {
                    self.new_portal.next.enabled = !self.given.val().get_bits::<1>(2);
                    self.new_portal.next.flow_control = self.given.val().get_bits::<1>(0);
                    self.new_portal.next.matching = self.given.val().get_bits::<1>(1);
                    if self.decode.beyond.val() {
                        self.code_q.d.next = self.codes.bad_portal.val();
                    } else if self.portal_q.q.val().allocated == 1 {
                        self.code_q.d.next = self.codes.portal_in_use.val();
                    } else {
                        self.write_portal.next = true;
                    }
                } else if !self.decode.is_append.val()
                    & !self.decode.is_only.val()
                    & !self.decode.is_delete.val()
                    & !self.decode.is_free.val()
                    & !self.decode.is_enable.val()
                    & !self.decode.is_close.val()
                {
                    self.code_q.d.next = self.codes.bad_command.val();
                } else if !self.decode.owned.val() {
                    self.code_q.d.next = self.codes.bad_portal.val();
                } else if self.decode.is_append.val() {
                    if self.decode.no_entry.val() {
                        self.code_q.d.next = self.codes.no_space.val();
                    } else if self.busy.val() {
                        self.code_q.d.next = self.codes.id_busy.val();
                    } else if self.command.data.val().list == 1 {
                        self.state_q.d.next = State::LinkLook;
                    } else {
                        self.state_q.d.next = State::Head;
                    }
                } else if self.decode.is_free.val() {
                    self.state_q.d.next = State::FreeLists;
                } else if self.decode.is_enable.val() {
                    self.new_portal.next.enabled = 1.into();
                    self.write_portal.next = true;
                } else if self.decode.is_close.val() {
                    self.new_portal.next.enabled = 0.into();
                    self.write_portal.next = true;
                } else {
                    self.state_q.d.next = State::Head;
                }
            }
            State::FreeLists => {
                self.e_list.next = bit_cast::<9, 8>(self.decode.portal.val());
                self.code_q.d.next = self.codes.portal_in_use.val();
                self.code_q.en.next = self.linked.val() | self.some.val();
                self.state_q.d.next = State::FreeHeaders;
                if self.linked.val() | self.some.val() {
                    self.state_q.d.next = State::Finish;
                }
            }
            State::FreeHeaders => {
                self.e_list.next = self.decode.overflow_list.val();
                self.code_q.d.next = self.codes.portal_in_use.val();
                self.code_q.en.next = self.linked.val();
                self.new_portal.next.allocated = 0.into();
                self.write_portal.next = !self.linked.val();
                self.state_q.d.next = State::Finish;
            }
            State::Head => {
                self.chunk_q.d.next = self.head.val();
                self.chunk_q.en.next = true;
                self.skip_q.en.next = true;
                self.state_q.d.next = State::Fetch;
                self.searching.next = !self.some.val();
            }
            State::Fetch => {
                self.state_q.d.next = State::Compare;
            }
            State::Compare => {
                self.state_q.d.next = State::Hits;
            }
            State::Hits => {
                self.hits_q.en.next = true;
                self.state_q.d.next = State::Judge;
            }
            State::Judge => {
                self.slot_q.en.next = true;
                self.slot.next = self.slot_now.val();
                self.state_q.d.next = State::Look;
                if !self.hits_q.q.val().any() {
                    self.chunk_q.en.next = true;
                    self.skip_q.en.next = true;
                    self.state_q.d.next = State::Fetch;
                    self.searching.next = !self.more.val();
                }
            }
            State::Look => {
                self.any_q.en.next = true;
                self.entry.next = self.record.val().entry;
                self.entry_q.d.next = self.record.val().entry;
                self.h_look.next = true;
                self.state_q.d.next = State::Hit;
            }
            State::Hit => {
                self.entry.next = self.entry_q.q.val();
                self.entry_q.d.next = self.record.val().entry;
                self.new_hold.next.linked = self.hold.val().linked;
                self.new_hold.next.headers = self.one_less.val();
                if !self.is_last.val() {
                    self.new_hold.next.lingering = self.hold.val().lingering;
                }
                self.told.next.kind = self.codes.hit.val().get_bits::<2>(0);
                self.told.next.code = 0.into();
                self.told.next.entry_id = self.overflow_id.val().get_bits::<10>(2);
                self.response.valid.next = true;
                self.state_q.en.next = self.response.ready.val();
                self.h_remove.next = !self.decode.is_only.val() & self.response.ready.val();
                self.e_write_hold.next = !self.decode.is_only.val() & self.response.ready.val();
                self.skip_q.d.next =
                    self.skip_q.q.val() | (self.slot_one.val() << self.slot_q.q.val());
                self.skip_q.en.next = self.response.ready.val();
                self.fill.take.next = self.counts_headers.val() & self.response.ready.val();
                self.state_q.d.next = State::Fetch;
                if self.ends.val() {
                    self.code_q.d.next = self.codes.found.val();
                    if self.decode.is_append.val() {
                        self.code_q.d.next = self.codes.consumed.val();
                    }
                    self.code_q.en.next = self.response.ready.val();
                    self.state_q.d.next = State::Finish;
                }
                if self.is_last.val() {
                    self.state_q.d.next = State::Freed;
                }
            }
            State::Freed => {
                self.entry.next = self.entry_q.q.val();
                self.entry_q.d.next = self.record.val().entry;
                self.told.next.kind = self.codes.auto_free.val().get_bits::<2>(0);
                self.told.next.code = 0.into();
                self.told.next.entry_id = self.overflow_id.val().get_bits::<10>(2);
                self.told.next.options = self.facts.val().options;
                self.told.next.counter = self.facts.val().counter;
                self.told.next.user_ptr = self.facts.val().user_ptr;
                self.response.valid.next = true;
                self.state_q.en.next = self.response.ready.val();
                self.state_q.d.next = State::Fetch;
                if (self.code_q.q.val() == self.codes.consumed.val())
                    | (self.code_q.q.val() == self.codes.found.val())
                {
                    self.state_q.d.next = State::Finish;
                }
            }
            State::LinkLook => {
                self.e_look.next = true;
                self.state_q.d.next = State::Link;
            }
            State::Link => {
                self.e_append.next = true;
                self.e_write_hold.next = true;
                self.new_hold.next.linked = 1.into();
                self.code_q.d.next = self.codes.linked.val();
                self.code_q.en.next = true;
                self.state_q.d.next = State::Finish;
            }
            State::UnlinkLook => {
                self.e_look.next = true;
                self.e_list.next = self.owner_list.val();
                self.state_q.d.next = State::Unlink;
            }
            State::Unlink => {
                self.e_remove.next = true;
                self.e_list.next = self.owner_list.val();
                self.e_write_hold.next = true;
                self.code_q.d.next = self.codes.unlinked.val();
                self.code_q.en.next = true;
                self.state_q.d.next = State::Finish;
            }
            State::Finish => {
                self.response.valid.next = true;
                self.command.ready.next = self.response.ready.val();
                self.fair_q.d.next = false;
                self.fair_q.en.next = true;
                self.state_q.en.next = self.response.ready.val();
            }
            _ => {}
        }
    }
}
