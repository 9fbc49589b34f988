//! `PartitionedMatch`: four match units, among which the senders are shared out.
//!
//! **Purpose.** [`MatchUnit`](super::match_unit::MatchUnit) for portal entries whose receives name their sender
//! (Klenk's dissertation, 6.3.2.3): messages of four senders are searched for side by side, and each list has a fourth
//! of the entries. Where receives from any sender are needed use a match unit alone.
//!
//! ```text
//!                 +------------------+
//!   request    -->|                  |--> result
//!   command    -->| PartitionedMatch |--> response
//!                 |                  |--> count_drop, count_permission, count_operation, count_context
//!                 +------------------+
//! ```
//!
//! **Contract.** That of a match unit in which lists are as long as four of them have room for, with these
//! differences.
//! * BAD_COMMAND ends what could concern several units at once: an append to the priority list and a search with
//!   `any_node`; an append to the overflow list with USE_ONCE or MANAGE_LOCAL; PT_ALLOC with FLOW_CONTROL or without
//!   MATCHING. Nothing has changed then.
//! * Each unit has a fourth of its headers for a context, and an entry number is one of a context in all units: any
//!   unit may hold all entries of a context.
//! * The name of a header (`header`) is one of the unit; together with the sender's node it names the header.
//! * `count` pulses with the result instead of with the decision.
//!
//! Results come in the order of the requests, at most 16 of which are inside. An entry of the overflow list is in all
//! units, and is one entry to the outside.
//!
//! **Cost model.** One result a cycle if senders of two or more parts take turns, one every two cycles of one part; a
//! first-entry hit comes 7 cycles after its request. A command of one unit stops only that unit's requests; one of all
//! units waits until no request is inside.
//!
//! **Internals.**
//! ```text
//!   request --> NodeFold --+--> 4 x MatchUnit --+--> join, in the order of `order` --> result
//!                          +----> order --------+           |
//!   command --> PartitionCommands <--> 4 x MatchUnit    EntryPlaces (in PartitionCommands)
//!                    +--> response
//! ```

pub mod entry_places;
pub mod node_fold;
pub mod partition_commands;

use super::match_unit::MatchUnit;
use crate::bundle::{RefusalsOut, StreamIn, StreamOut};
use crate::codes::match_codes::MatchCodes;
use crate::leaf::{Fifo, Skid};
use node_fold::NodeFold;
use partition_commands::PartitionCommands;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::matching::{MatchCommand, MatchRequest, MatchResponse, MatchResult};

/// Four match units of `2^E` entries and `2^H` unexpected headers each; `EN` = `E + 1`, `HN` = `H + 1`.
#[block]
pub struct PartitionedMatch<const E: usize, const EN: usize, const H: usize, const HN: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; forgets all entries, headers and portal entries.
    pub rst: Signal<In, Bit>,

    /// From the parser: a message's header.
    pub request: StreamIn<MatchRequest>,
    /// To deliver: what becomes of it.
    pub result: StreamOut<MatchResult>,

    /// From the command processor: a command. It is taken when it is done.
    pub command: StreamIn<MatchCommand>,
    /// To the command processor: what it did.
    pub response: StreamOut<MatchResponse>,

    /// Requests that were refused (pulses).
    pub count: RefusalsOut,

    codes: MatchCodes,
    fold: NodeFold,
    #[value((0..4).map(|_| MatchUnit::default()).collect())]
    units: Vec<MatchUnit<E, EN, H, HN>>,
    order: Fifo<Bits<2>, 4, 5>,
    results: Skid<MatchResult>,
    commands: PartitionCommands<E>,
    #[value((0..4u64).map(|unit| Constant::new(unit.to_bits())).collect())]
    numbers: Vec<Constant<Bits<2>>>,
    #[value((0..4).map(|unit| Constant::new((1u64 << unit).to_bits())).collect())]
    hot: Vec<Constant<Bits<4>>>,
    open: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    there: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    joins: Signal<Local, Bit>,
    told: Signal<Local, MatchResult>,
    outcome: Signal<Local, Bits<4>>,
    commands_taken: Signal<Local, Bits<4>>,
    answered: Signal<Local, Bits<4>>,
    in_use: Signal<Local, Bits<4>>,
    said: Signal<Local, MatchResponse>,
    answer: Signal<Local, MatchResponse>,
}

#[kernel]
impl<const E: usize, const EN: usize, const H: usize, const HN: usize> Logic
    for PartitionedMatch<E, EN, H, HN>
{
    fn update(&mut self) {
        // A request goes to the unit of its sender, whose number waits in the order.
        self.fold.node.next = self.request.data.val().source_node;
        self.open.next = self.order.write.ready.val() & !self.commands.hold_requests.val();
        self.taken.next = false;
        for i in 0..4 {
            self.units[i].request.data.next = self.request.data.val();
            self.units[i].request.valid.next = false;
            if (self.fold.part.val() == self.numbers[i].val())
                & !(self.commands.closed.val() & self.hot[i].val()).any()
            {
                self.units[i].request.valid.next = self.request.valid.val() & self.open.val();
                self.taken.next = self.units[i].request.ready.val();
            }
        }
        self.request.ready.next = self.taken.val() & self.open.val();
        self.accept.next = self.request.valid.val() & self.taken.val() & self.open.val();
        self.order.write.data.next = self.fold.part.val();
        self.order.write.valid.next = self.accept.val();

        // A result goes when its number is the oldest.
        self.free.next = self.order.read.valid.val()
            & self.results.write.ready.val()
            & !self.commands.looks.val();
        self.there.next = false;
        self.told.next = self.units[0].result.data.val();
        for i in 0..4 {
            self.units[i].result.ready.next = false;
            if self.order.read.data.val() == self.numbers[i].val() {
                self.units[i].result.ready.next = self.free.val();
                self.there.next = self.units[i].result.valid.val();
                self.told.next = self.units[i].result.data.val();
            }
        }
        self.joins.next = self.free.val() & self.there.val();
        self.order.read.ready.next = self.joins.val();
        self.results.write.data.next = self.told.val();
        self.results.write.valid.next = self.joins.val();
        connect!(self.results.read => self.result);
        self.outcome.next = bit_cast::<4, 3>(self.told.val().outcome);
        self.count.drop.next = self.joins.val()
            & ((self.outcome.val() == self.codes.no_portal.val())
                | (self.outcome.val() == self.codes.dropped.val())
                | (self.outcome.val() == self.codes.disabled.val()));
        self.count.permission.next =
            self.joins.val() & (self.outcome.val() == self.codes.permission.val());
        self.count.operation.next =
            self.joins.val() & (self.outcome.val() == self.codes.operation.val());
        self.count.context.next = self.told.val().context;

        // Commands.
        connect!(self.command => self.commands.command);
        connect!(self.commands.response => self.response);
        self.commands.asked.next = self.request.valid.val();
        self.commands.accepted.next = self.accept.val();
        self.commands.quiet.next = !self.order.read.valid.val();
        self.commands.result.next = self.told.val();
        self.commands.joins.next = self.joins.val();
        self.commands_taken.next = 0.into();
        self.answered.next = 0.into();
        self.in_use.next = 0.into();
        self.answer.next = self.units[0].response.data.val();
        for i in 0..4 {
            self.units[i].command.data.next = self.commands.order.val();
            self.units[i].command.valid.next = (self.commands.ask.val() & self.hot[i].val()).any();
            self.units[i].response.ready.next =
                (self.commands.take.val() & self.hot[i].val()).any();
            if self.units[i].command.ready.val() {
                self.commands_taken.next = self.commands_taken.val() | self.hot[i].val();
            }
            if self.units[i].response.valid.val() {
                self.answered.next = self.answered.val() | self.hot[i].val();
            }
            self.said.next = self.units[i].response.data.val();
            if self.said.val().code == self.codes.portal_in_use.val() {
                self.in_use.next = self.in_use.val() | self.hot[i].val();
            }
            if (self.commands.asked_units.val() & self.hot[i].val()).any() {
                self.answer.next = self.said.val();
            }
        }
        self.commands.taken.next = self.commands_taken.val();
        self.commands.answered.next = self.answered.val();
        self.commands.in_use.next = self.in_use.val();
        self.commands.answer.next = self.answer.val();
    }
}
