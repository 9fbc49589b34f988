//! `CommandChoice`: whose command is next.
//!
//! **Purpose.** The part of [`CommandStage`](crate::commands::command_stage::CommandStage) that takes commands: of the
//! rings in turn, and those that have fired.
//!
//! ```text
//!   waiting, command    -->+---------------+--> choose, choose_next, take  (CommandRing)
//!   room, epoch_clear   -->| CommandChoice |--> fence, fence_context  (MessageTable)
//!   fired, fired_waits  -->|               |--> fired_ready, fired_pass
//!   away, under_way     -->|               |
//!   idle                -->+---------------+--> next_command, next_context, unread, taken
//! ```
//!
//! **Contract.** While `idle`, what is taken in this cycle is `next_command` with `taken`. What has fired goes first;
//! after one that will wait again (`rearms`) the rings have a turn of one cycle. It waits only if it is a message and
//! its context has no place for one, a command of lists and one of its context is `away`, or a FENCE. Meanwhile
//! `fired_pass` asks for what has fired of other contexts (but not while a FENCE is about to draw its line). Then the
//! rings: those contexts of which no command is `away`, and of which nothing that has fired waits, in turn. A message
//! is taken only if its context has a place for one, anything else, also a triggered message that is only posted,
//! without. What cannot be taken does not hold up the other contexts. A FENCE draws its line (`fence`, in
//! `fence_context`, only while `epoch_clear`) and stays where it is until `epoch_clear`; meanwhile no other command of
//! its context is taken, but what fires beside one of a ring. One that is only posted draws none. A line is drawn only
//! while no message of its context is `under_way`; other contexts do not wait for that. A command of a ring is taken in
//! the cycle after that in which its bit of `waiting` is first seen, or later, or in that cycle if it is of the context
//! whose turn was last. `take` is in the cycle after, with the same `choose`. In the cycle after `taken` `idle` must be
//! low.
//!
//! **Internals.** Two steps, with a register between them: a round-robin arbiter says whose command is looked at next
//! (`candidate_q`), and what the command is decides whether it is taken. A candidate stays until its turn has come
//! (`fresh_q`), so that none starves, and what may have changed since it was chosen is asked again. After its turn it
//! stays while no other is found. `fencing_q` has a bit for each context whose FENCE in the ring has drawn its line,
//! `fired_fencing_q` one for each whose FENCE has fired and has.

use crate::bundle::StreamIn;
use crate::codes::command_codes::CommandCodes;
use crate::commands::command_class::CommandClass;
use crate::leaf::{Delay, Reg, RoundRobin};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::counter::FiredCommand;
use xtq_types::send::RingCommand;

/// Chooses the next command.
#[block]
pub struct CommandChoice {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// A command can be taken.
    pub idle: Signal<In, Bit>,
    /// From CommandRing, one bit per context: a command is there.
    pub waiting: Signal<In, Bits<4>>,
    /// To CommandRing: whose command.
    pub choose: Signal<Out, Bits<2>>,
    /// To CommandRing: whose command in the next cycle.
    pub choose_next: Signal<Out, Bits<2>>,
    /// It, in the same cycle.
    pub command: Signal<In, RingCommand>,
    /// To CommandRing: that of `choose` was taken in the cycle before.
    pub take: Signal<Out, Bit>,
    /// From CounterUnit: a command that has fired.
    pub fired: StreamIn<FiredCommand>,
    /// To CounterUnit: it cannot be taken now, that of another context may.
    pub fired_pass: Signal<Out, Bit>,
    /// From CounterUnit, one bit per context: a command that fires once has fired and is not taken, or is being posted.
    pub fired_waits: Signal<In, Bits<4>>,
    /// From MessageTable, one bit per context: a place is free.
    pub room: Signal<In, Bits<4>>,
    /// From MessageTable, one bit per context: the messages before the line have ended.
    pub epoch_clear: Signal<In, Bits<4>>,
    /// From ListEnds, one bit per context: a command of lists has not ended.
    pub away: Signal<In, Bits<4>>,
    /// To MessageTable: draw a line after the messages of `fence_context`.
    pub fence: Signal<Out, Bit>,
    /// Context.
    pub fence_context: Signal<Out, Bits<2>>,
    /// From MessagePipeline, one bit per context: a message of it is under way, and may not be counted yet.
    pub under_way: Signal<In, Bits<4>>,
    /// A command is taken.
    pub taken: Signal<Out, Bit>,
    /// It.
    pub next_command: Signal<Out, Bits<1024>>,
    /// Its context.
    pub next_context: Signal<Out, Bits<2>>,
    /// It could not be read.
    pub unread: Signal<Out, Bit>,

    codes: CommandCodes,
    ring_class: CommandClass,
    fired_class: CommandClass,
    arbiter: RoundRobin<4>,
    /// Whose command is looked at, one bit per context: none or one.
    candidate_q: Reg<Bits<4>>,
    /// The candidate has been chosen and has not had its turn.
    fresh_q: Reg<Bit>,
    context_q: Reg<Bits<2>>,
    take_q: Delay<Bit>,
    /// What was taken last had fired and will wait again: now the rings have a turn.
    yield_q: Reg<Bit>,
    fencing_q: Reg<Bits<4>>,
    fired_fencing_q: Reg<Bits<4>>,
    one: Signal<Local, Bits<4>>,
    offered: Signal<Local, Bits<1024>>,
    offered_operation: Signal<Local, Bits<8>>,
    offered_flags: Signal<Local, Bits<8>>,
    offered_posted: Signal<Local, Bit>,
    offered_fence: Signal<Local, Bit>,
    offered_unread: Signal<Local, Bit>,
    eligible: Signal<Local, Bits<4>>,
    offers: Signal<Local, Bit>,
    search: Signal<Local, Bit>,
    sought: Signal<Local, Bits<4>>,
    finds: Signal<Local, Bit>,
    grant: Signal<Local, Bits<4>>,
    chosen: Signal<Local, Bits<2>>,
    fenced: Signal<Local, Bit>,
    fired_context: Signal<Local, Bits<2>>,
    fired_command: Signal<Local, Bits<1024>>,
    ring_room: Signal<Local, Bit>,
    fired_room: Signal<Local, Bit>,
    fired_bit: Signal<Local, Bits<4>>,
    fired_fence: Signal<Local, Bit>,
    fired_fenced: Signal<Local, Bit>,
    fired_clear: Signal<Local, Bit>,
    fired_line: Signal<Local, Bit>,
    fired_draws: Signal<Local, Bit>,
    ring_line: Signal<Local, Bit>,
    fired_free: Signal<Local, Bit>,
    fires: Signal<Local, Bit>,
    ring_turn: Signal<Local, Bit>,
    taking: Signal<Local, Bit>,
}

#[kernel]
impl Logic for CommandChoice {
    fn update(&mut self) {
        // What has fired goes first.
        self.fired_context.next = self.fired.data.val().context;
        self.fired_command.next = self.fired.data.val().command;
        self.fired_class.operation.next = self.fired_command.val().get_bits::<8>(0);
        self.fired_room.next = !self.fired_class.sends.val()
            | self.room.val().get_bit(self.fired_context.val().index());
        self.one.next = 1.into();
        self.fired_bit.next = self.one.val() << self.fired_context.val();
        self.fired_fence.next = self.fired_class.operation.val() == self.codes.fence.val();
        self.fired_fenced.next = (self.fired_fencing_q.q.val() & self.fired_bit.val()).any();
        self.fired_clear.next = (self.epoch_clear.val() & self.fired_bit.val()).any();
        self.fired_free.next = self.fired_room.val()
            & (!self.fired_fence.val() | (self.fired_fenced.val() & self.fired_clear.val()))
            & (!self.fired_class.lists.val()
                | !self.away.val().get_bit(self.fired_context.val().index()));
        self.fires.next = self.fired.valid.val() & self.fired_free.val() & !self.yield_q.q.val();
        self.fired.ready.next = self.idle.val() & self.fired_free.val() & !self.yield_q.q.val();
        self.yield_q.d.next = self.fires.val() & (self.fired.data.val().rearms == 1);
        self.yield_q.en.next = self.idle.val();
        // A line is drawn when the messages that were taken before it are counted. A FENCE that can draw its line stays
        // on offer until that is done: else it might be there only in cycles in which no command can be taken.
        self.fired_line.next = self.fired.valid.val()
            & self.fired_fence.val()
            & !self.fired_fenced.val()
            & self.fired_clear.val()
            & !(self.under_way.val() & self.fired_bit.val()).any();
        self.fired_pass.next =
            self.fired.valid.val() & !self.fired_free.val() & !self.fired_line.val();

        self.fired_draws.next = self.idle.val() & self.fired_line.val() & !self.yield_q.q.val();
        self.fired_fencing_q.en.next =
            self.fired_draws.val() | (self.idle.val() & self.fires.val() & self.fired_fence.val());
        self.fired_fencing_q.d.next = self.fired_fencing_q.q.val() | self.fired_bit.val();
        if self.fires.val() {
            self.fired_fencing_q.d.next = self.fired_fencing_q.q.val() & !self.fired_bit.val();
        }

        // The rings. A context whose fence waits, of the ring or fired, is left alone until its messages have ended.
        // What the candidate's command is decides whether it is taken.
        self.eligible.next = self.waiting.val()
            & !self.away.val()
            & !self.fired_waits.val()
            & !self.fired_fencing_q.q.val()
            & (!self.fencing_q.q.val() | self.epoch_clear.val());
        self.offers.next = (self.eligible.val() & self.candidate_q.q.val()).any();
        self.choose.next = self.context_q.q.val();
        self.offered.next = self.command.val().command;
        self.offered_unread.next = self.command.val().error == 1;
        self.offered_operation.next = self.offered.val().get_bits::<8>(0);
        self.offered_flags.next = self.offered.val().get_bits::<8>(8);
        self.offered_posted.next = (self.offered_flags.val() & self.codes.triggered.val()).any();
        self.ring_class.operation.next = self.offered_operation.val();
        self.offered_fence.next = (self.offered_operation.val() == self.codes.fence.val())
            & !self.offered_unread.val()
            & !self.offered_posted.val();
        self.fenced.next = (self.fencing_q.q.val() & self.candidate_q.q.val()).any();
        self.ring_line.next = self.offers.val()
            & self.offered_fence.val()
            & !self.fenced.val()
            & !(self.under_way.val() & self.candidate_q.q.val()).any();
        self.ring_turn.next = self.idle.val() & !self.fires.val() & !self.fired_draws.val();
        self.ring_room.next = !self.ring_class.sends.val()
            | self.offered_posted.val()
            | (self.room.val() & self.candidate_q.q.val()).any();
        self.taking.next = self.ring_turn.val()
            & self.offers.val()
            & self.ring_room.val()
            & (!self.offered_fence.val() | self.fenced.val());
        self.take_q.d.next = self.taking.val();
        self.take.next = self.take_q.q.val();
        self.fence.next = self.fired_draws.val() | (self.ring_turn.val() & self.ring_line.val());
        self.fence_context.next = self.context_q.q.val();
        if self.fired_draws.val() {
            self.fence_context.next = self.fired_context.val();
        }
        self.fencing_q.d.next = self.fencing_q.q.val() | self.candidate_q.q.val();
        if self.taking.val() {
            self.fencing_q.d.next = self.fencing_q.q.val() & !self.candidate_q.q.val();
        }
        self.fencing_q.en.next =
            self.ring_turn.val() & (self.ring_line.val() | (self.offers.val() & self.fenced.val()));

        // Whose command is looked at next: a candidate that has had its turn makes room for another, or stays while
        // there is none. In the cycle of `take` it is not known what is left of its own.
        self.search.next = !self.taking.val() & (self.ring_turn.val() | !self.fresh_q.q.val());
        self.sought.next = self.eligible.val();
        if self.take_q.q.val() {
            self.sought.next = self.eligible.val() & !self.candidate_q.q.val();
        }
        self.arbiter.request.next = self.sought.val();
        self.arbiter.advance.next = self.search.val();
        self.grant.next = self.arbiter.grant.val();
        self.chosen.next = 0.into();
        if self.grant.val().get_bit(1) {
            self.chosen.next = 1.into();
        }
        if self.grant.val().get_bit(2) {
            self.chosen.next = 2.into();
        }
        if self.grant.val().get_bit(3) {
            self.chosen.next = 3.into();
        }
        self.finds.next = self.search.val() & self.sought.val().any();
        self.candidate_q.d.next = self.grant.val();
        self.candidate_q.en.next = self.finds.val();
        self.context_q.d.next = self.chosen.val();
        self.context_q.en.next = self.finds.val();
        self.choose_next.next = self.context_q.q.val();
        if self.finds.val() {
            self.choose_next.next = self.chosen.val();
        }
        self.fresh_q.d.next = self.finds.val();
        self.fresh_q.en.next = self.finds.val() | self.ring_turn.val();

        self.taken.next = self.taking.val() | (self.idle.val() & self.fires.val());
        self.next_command.next = self.offered.val();
        self.next_context.next = self.context_q.q.val();
        self.unread.next = self.offered_unread.val();
        if self.fires.val() {
            self.next_command.next = self.fired_command.val();
            self.next_context.next = self.fired_context.val();
            self.unread.next = false;
        }
    }
}
