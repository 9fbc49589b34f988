//! The states of a command, as the picture in [`ExactCommands`](super::ExactCommands) has them.

use super::{ExactCommands, State};
use xtq_kernel::kernel;

#[kernel]
impl<const E: usize> ExactCommands<E> {
    /// What each state does.
    pub(super) fn steps(&mut self) {
        self.state_q.d.next = State::Open;
        self.state_q.en.next = true;
        match self.state_q.q.val() {
            State::Open => {
                self.fair_q.en.next = self.accepted.val();
                self.state_q.d.next = State::Drain;
                self.state_q.en.next = self.command.valid.val()
                    & !self.clear.val()
                    & (self.fair_q.q.val() | !self.asked.val());
            }
            State::Drain => {
                self.hold_q.en.next = true;
                self.state_q.d.next = State::Look;
                self.state_q.en.next = self.hold_q.q.val() & self.quiet.val();
            }
            State::Look => {
                self.state_q.d.next = State::Check;
            }
            State::Check => {
                self.code_q.en.next = true;
                self.any_q.en.next = true;
                self.opens_q.en.next = true;
                self.state_q.d.next = State::Finish;
                if self.refused.val() {
                    self.code_q.d.next = self.match_codes.bad_command.val();
                } else if self.decode.is_unlink.val() {
                    if !self.there.val() {
                        self.code_q.d.next = self.match_codes.not_linked.val();
                    } else if !self.is_overflow.val() {
                        self.state_q.d.next = State::Table;
                    } else if self.needed.val() {
                        self.code_q.d.next = self.match_codes.in_use.val();
                    } else {
                        self.state_q.d.next = State::Unit;
                        self.gives.next = true;
                    }
                } else if !self.decode.is_append.val()
                    & !self.searches.val()
                    & !self.decode.is_free.val()
                {
                    // Those of portal entries, and those that are none.
                    self.state_q.d.next = State::Unit;
                    self.gives.next = true;
                } else if !self.owned.val() {
                    self.code_q.d.next = self.match_codes.bad_portal.val();
                } else if self.decode.is_append.val() & self.decode.no_entry.val() {
                    self.code_q.d.next = self.match_codes.no_space.val();
                } else if self.decode.is_append.val() & self.there.val() {
                    self.code_q.d.next = self.match_codes.id_busy.val();
                } else if self.over.val() {
                    self.state_q.d.next = State::Unit;
                    self.gives.next = true;
                } else {
                    self.state_q.d.next = State::Table;
                }
            }
            State::Table => {
                self.state_q.d.next = State::Answer;
                self.state_q.en.next = self.hash.ready.val();
            }
            State::Answer => {
                self.state_q.en.next = self.hash_answer.valid.val();
                self.state_q.d.next = State::Finish;
                self.code_q.en.next = self.hash_answer.valid.val();
                if self.opens_q.q.val() {
                    // The region is open; the code stays.
                    self.code_q.en.next = false;
                } else if self.decode.is_free.val() {
                    self.code_q.d.next = self.match_codes.portal_in_use.val();
                    if !self.fails.val() {
                        self.state_q.d.next = State::Unit;
                        self.gives.next = self.hash_answer.valid.val();
                    }
                } else if self.decode.is_unlink.val() {
                    self.code_q.d.next = self.match_codes.unlinked.val();
                    self.unlink.next = self.hash_answer.valid.val();
                } else if self.said.val() == self.codes.matched.val() {
                    self.code_q.en.next = false;
                    self.state_q.d.next = State::Read;
                } else if self.full.val() {
                    self.code_q.d.next = self.match_codes.no_space.val();
                } else if self.waits.val() {
                    self.code_q.d.next = self.match_codes.linked.val();
                    self.link.next = self.hash_answer.valid.val();
                    self.new_entry.valid.next = self.hash_answer.valid.val();
                } else {
                    self.code_q.d.next = self.match_codes.not_found.val();
                    if self.any_q.q.val() {
                        self.code_q.d.next = self.match_codes.found.val();
                    }
                }
            }
            State::Read => {
                self.state_q.d.next = State::Hit;
            }
            State::Hit => {
                self.responses.write.valid.next = true;
                self.state_q.en.next = self.responses.write.ready.val();
                self.any_q.d.next = true;
                self.any_q.en.next = true;
                self.remove.next = self.responses.write.ready.val() & !self.decode.is_only.val();
                self.drop.next = self.responses.write.ready.val() & !self.decode.is_only.val();
                self.code_q.d.next = self.match_codes.found.val();
                if self.decode.is_append.val() {
                    self.code_q.d.next = self.match_codes.consumed.val();
                }
                self.code_q.en.next = true;
                self.state_q.d.next = State::Table;
                if self.decode.is_append.val() | self.once.val() {
                    self.state_q.d.next = State::Finish;
                }
            }
            State::Unit => {
                self.state_q.en.next = self.done.val();
                self.state_q.d.next = State::Finish;
                self.code_q.d.next = self.unit_code.val();
                self.code_q.en.next = self.done.val();
                self.portals.write_en.next =
                    self.done.val() & (self.unit_code.val() == self.match_codes.ok.val());
                self.link.next =
                    self.done.val() & (self.unit_code.val() == self.match_codes.linked.val());
                self.unlink.next =
                    self.done.val() & (self.unit_code.val() == self.match_codes.unlinked.val());
                // A new region is opened, and one that could not be given up.
                if (self.decode.is_alloc.val()
                    & (self.unit_code.val() == self.match_codes.ok.val()))
                    | (self.decode.is_free.val()
                        & (self.unit_code.val() != self.match_codes.ok.val()))
                {
                    self.opens_q.d.next = true;
                    self.opens_q.en.next = self.done.val();
                    self.state_q.d.next = State::Table;
                }
            }
            State::Finish => {
                self.responses.write.valid.next = true;
                self.state_q.d.next = State::Done;
                self.state_q.en.next = self.responses.write.ready.val();
            }
            State::Done => {
                self.command.ready.next = true;
                self.fair_q.d.next = false;
                self.fair_q.en.next = true;
                self.hold_q.d.next = false;
                self.hold_q.en.next = true;
            }
            _ => {}
        }
    }
}
