//! `ListEnds`: how commands of lists end that have left the command stage.
//!
//! **Purpose.** A command of lists may have to wait for messages. It waits here, so that the command stage goes on with
//! the commands of other contexts.
//!
//! ```text
//!                 +----------+--> away          (CommandChoice)
//!   leave      -->| ListEnds |
//!   list_done  -->|          |--> done          (InitiatorCompleter)
//!                 +----------+
//! ```
//!
//! **Contract.** `leave` (pulse): a command of its context is with ListUnit; `left` says what its end reports (the
//! status is not looked at). From the next cycle on `away` has the bit of the context, until its end is reported: it
//! failed or `wanted` a completion, else when `list_done` came. No second command of the context leaves meanwhile. Ends
//! are reported, one every two cycles at most, contexts in turn.
//!
//! **Internals.** Two small memories by context: what is reported, and how it ended; a register holds the end that is
//! offered.

use crate::bundle::StreamOut;
use crate::codes::command_codes::CommandCodes;
use crate::leaf::{Delay, LutRam, Reg, RoundRobin};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::send::CommandDone;

/// Commands of lists that are waited for.
#[block]
pub struct ListEnds {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// From CommandStage: what the end of a command reports.
    pub left: Signal<In, CommandDone>,
    /// It asks for a completion.
    pub wanted: Signal<In, Bit>,
    /// Its command is with ListUnit (pulse).
    pub leave: Signal<In, Bit>,
    /// From ListUnit: the command of `list_context` ended (pulse).
    pub list_done: Signal<In, Bit>,
    /// Its context.
    pub list_context: Signal<In, Bits<2>>,
    /// How.
    pub list_status: Signal<In, Bits<8>>,
    /// One bit per context: its command has not ended.
    pub away: Signal<Out, Bits<4>>,
    /// To InitiatorCompleter: how a command ended.
    pub done: StreamOut<CommandDone>,
    codes: CommandCodes,
    commands: LutRam<CommandDone, 2>,
    states: LutRam<Bits<8>, 2>,
    turns: RoundRobin<4>,
    /// With ListUnit, or not reported yet.
    away_q: Delay<Bits<4>>,
    /// Ended, and not chosen.
    ended_q: Delay<Bits<4>>,
    /// Its completion is asked for.
    wanted_q: Reg<Bits<4>>,
    offered_q: Reg<CommandDone>,
    offered_valid_q: Reg<Bit>,
    one: Signal<Local, Bits<4>>,
    leaver: Signal<Local, Bits<2>>,
    left_hot: Signal<Local, Bits<4>>,
    ended_hot: Signal<Local, Bits<4>>,
    free: Signal<Local, Bit>,
    chosen_hot: Signal<Local, Bits<4>>,
    chosen: Signal<Local, Bits<2>>,
    tells: Signal<Local, Bit>,
    silent_hot: Signal<Local, Bits<4>>,
    offered: Signal<Local, CommandDone>,
    teller: Signal<Local, Bits<2>>,
    told_hot: Signal<Local, Bits<4>>,
}

#[kernel]
impl Logic for ListEnds {
    fn update(&mut self) {
        self.one.next = 1.into();

        // A command leaves; a command ends.
        self.leaver.next = self.left.val().context;
        self.commands.write_addr.next = self.leaver.val();
        self.commands.write_data.next = self.left.val();
        self.commands.write_en.next = self.leave.val();
        self.left_hot.next = 0.into();
        if self.leave.val() {
            self.left_hot.next = self.one.val() << self.leaver.val();
        }
        self.wanted_q.d.next = self.wanted_q.q.val() & !self.left_hot.val();
        if self.wanted.val() {
            self.wanted_q.d.next = self.wanted_q.q.val() | self.left_hot.val();
        }
        self.wanted_q.en.next = self.leave.val();
        self.states.write_addr.next = self.list_context.val();
        self.states.write_data.next = self.list_status.val();
        self.states.write_en.next = self.list_done.val();
        self.ended_hot.next = 0.into();
        if self.list_done.val() {
            self.ended_hot.next = self.one.val() << self.list_context.val();
        }

        // One end at a time is offered, or forgotten if nobody wants to know.
        self.free.next = !self.offered_valid_q.q.val();
        self.turns.request.next = self.ended_q.q.val();
        self.turns.advance.next = self.free.val() & self.ended_q.q.val().any();
        self.chosen_hot.next = 0.into();
        if self.free.val() {
            self.chosen_hot.next = self.turns.grant.val();
        }
        self.chosen.next = 0.into();
        if self.chosen_hot.val().get_bit(1) {
            self.chosen.next = 1.into();
        }
        if self.chosen_hot.val().get_bit(2) {
            self.chosen.next = 2.into();
        }
        if self.chosen_hot.val().get_bit(3) {
            self.chosen.next = 3.into();
        }
        self.commands.read_addr.next = self.chosen.val();
        self.states.read_addr.next = self.chosen.val();
        self.tells.next = self.wanted_q.q.val().get_bit(self.chosen.val().index())
            | (self.states.read_data.val() != self.codes.ok.val());
        self.silent_hot.next = self.chosen_hot.val();
        if self.tells.val() {
            self.silent_hot.next = 0.into();
        }
        self.offered.next = self.commands.read_data.val();
        self.offered.next.status = self.states.read_data.val();
        self.offered_q.d.next = self.offered.val();
        self.offered_q.en.next = self.free.val();
        self.offered_valid_q.d.next = self.chosen_hot.val().any() & self.tells.val();
        self.offered_valid_q.en.next = self.free.val() | self.done.ready.val();
        self.done.data.next = self.offered_q.q.val();
        self.done.valid.next = self.offered_valid_q.q.val();
        self.teller.next = self.offered_q.q.val().context;
        self.told_hot.next = 0.into();
        if self.offered_valid_q.q.val() & self.done.ready.val() {
            self.told_hot.next = self.one.val() << self.teller.val();
        }

        self.ended_q.d.next =
            (self.ended_q.q.val() | self.ended_hot.val()) & !self.chosen_hot.val();
        self.away_q.d.next = (self.away_q.q.val() | self.left_hot.val())
            & !self.silent_hot.val()
            & !self.told_hot.val();
        self.away.next = self.away_q.q.val();
    }
}
