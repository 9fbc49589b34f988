//! `PartitionCommands`: gives each command to the match units that it concerns, and makes one answer of theirs.
//!
//! **Purpose.** The commands of [`PartitionedMatch`](super::PartitionedMatch): which units, whether all of them can do
//! it, and what is to be undone in some if not.
//!
//! ```text
//!   command*    -->+-------------------+--> response*
//!   asked, ...  -->|                   |--> hold_requests, looks   (requests and results)
//!   result, ... -->| PartitionCommands |--> order, ask             (commands of the units)
//!   answered, ..-->|                   |--> take, asked_units      (their responses)
//!                  +-------------------+
//! ```
//!
//! **Contract.** Commands are executed in order, with the responses of a match unit. One that concerns all units begins
//! when no request is inside, and none is accepted until it ends; so does an append with a number that seems to be in
//! use. Between two commands a request that waits is accepted. A command that is refused leaves all units as they were.
//!
//! **Internals.** A state machine.
//! ```text
//!   Open -+-> Drain -> Look -> Check -+-> Ask -> (Undo ->) Done -> Open
//!         +------------^  ^      |    +-> Refuse ----------^
//!                         +-- Drain: a number that seems to be in use
//! ```
//! Units differ only in their priority lists and headers; so of the commands for all of them only two could end
//! differently. *Unlink* of an overflow entry: [`EntryPlaces`](super::entry_places::EntryPlaces) counts the headers
//! that need it, and it is refused here. *PT_FREE* where some units have something in the portal entry: those that were
//! free to do it get it back, empty as it was and enabled or not as before.

use super::entry_places::EntryPlaces;
use super::node_fold::NodeFold;
use crate::bundle::{StreamIn, StreamOut};
use crate::codes::match_codes::MatchCodes;
use crate::leaf::{LutRam, Reg, Skid};
use crate::lists::match_unit::command_decode::CommandDecode;
use crate::lists::match_unit::store_clear::StoreClear;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::match_lists::PortalState;
use xtq_types::matching::{MatchCommand, MatchResponse, MatchResult};

/// What it is doing.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum State {
    Open,
    Drain,
    Look,
    Check,
    Ask,
    Undo,
    Refuse,
    Done,
}

/// The commands of units of `2^E` entries.
#[block]
pub struct PartitionCommands<const E: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From the command processor: a command. It is taken when it is done.
    pub command: StreamIn<MatchCommand>,
    /// To the command processor: what it did.
    pub response: StreamOut<MatchResponse>,

    /// A request is offered.
    pub asked: Signal<In, Bit>,
    /// A request is accepted.
    pub accepted: Signal<In, Bit>,
    /// There is no request whose result has not joined.
    pub quiet: Signal<In, Bit>,
    /// Accept no requests.
    pub hold_requests: Signal<Out, Bit>,
    /// Units for which none is accepted: they are at a command.
    pub closed: Signal<Out, Bits<4>>,
    /// The result that may join.
    pub result: Signal<In, MatchResult>,
    /// It joins.
    pub joins: Signal<In, Bit>,
    /// No result may join.
    pub looks: Signal<Out, Bit>,

    /// Command for the units.
    pub order: Signal<Out, MatchCommand>,
    /// Units to which it is offered.
    pub ask: Signal<Out, Bits<4>>,
    /// Units that take it, if it is offered.
    pub taken: Signal<In, Bits<4>>,
    /// Units of which a response is wanted.
    pub asked_units: Signal<Out, Bits<4>>,
    /// Units that have one.
    pub answered: Signal<In, Bits<4>>,
    /// Units of which the response would say PORTAL_IN_USE.
    pub in_use: Signal<In, Bits<4>>,
    /// Response of one of `asked_units`.
    pub answer: Signal<In, MatchResponse>,
    /// Units whose response is taken.
    pub take: Signal<Out, Bits<4>>,

    codes: MatchCodes,
    decode: CommandDecode<E>,
    fold: NodeFold,
    clear: StoreClear<E>,
    places: EntryPlaces<E>,
    enabled: LutRam<Bits<1>, 8>,
    responses: Skid<MatchResponse>,
    state_q: Reg<State>,
    /// A request was accepted since the last command.
    fair_q: Reg<Bit>,
    hold_q: Reg<Bit>,
    ask_q: Reg<Bits<4>>,
    units_q: Reg<Bits<4>>,
    code_q: Reg<Bits<4>>,
    #[value(PortalState { allocated: 1u64.to_bits(), enabled: 1u64.to_bits(), flow_control: 0u64.to_bits(), matching: 1u64.to_bits() })]
    matching: Constant<PortalState>,
    options: Signal<Local, Bits<20>>,
    op: Signal<Local, Bits<4>>,
    names_sender: Signal<Local, Bit>,
    everywhere: Signal<Local, Bit>,
    names_entry: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    for_all: Signal<Local, Bit>,
    linked: Signal<Local, Bit>,
    needed: Signal<Local, Bit>,
    own_unit: Signal<Local, Bits<4>>,
    its_unit: Signal<Local, Bits<4>>,
    units: Signal<Local, Bits<4>>,
    one: Signal<Local, Bits<4>>,
    ready: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    kind: Signal<Local, Bits<2>>,
    is_final: Signal<Local, Bit>,
    is_hit: Signal<Local, Bit>,
    code: Signal<Local, Bits<4>>,
    mixed: Signal<Local, Bits<4>>,
    told: Signal<Local, MatchResponse>,
    index: Signal<Local, Bits<16>>,
    given_id: Signal<Local, Bits<16>>,
    result_id: Signal<Local, Bits<12>>,
    answer_id: Signal<Local, Bits<12>>,
    undo_options: Signal<Local, Bits<20>>,
}

#[kernel]
impl<const E: usize> Logic for PartitionCommands<E> {
    fn update(&mut self) {
        // The command, and whether several units could not agree about it.
        self.decode.command.next = self.command.data.val();
        self.decode.state.next = self.matching.val();
        self.fold.node.next = self.command.data.val().source_node;
        self.options.next = self.command.data.val().options;
        self.op.next = self.command.data.val().op;
        self.everywhere.next = self.decode.is_append.val() & (self.command.data.val().list == 1);
        self.names_sender.next = (self.decode.is_append.val() & !self.everywhere.val())
            | self.decode.is_only.val()
            | self.decode.is_delete.val();
        self.names_entry.next = (self.decode.is_append.val() | self.decode.is_unlink.val())
            & !self.decode.no_entry.val();
        self.refused.next = (self.names_sender.val() & (self.command.data.val().any_node == 1))
            | (self.everywhere.val()
                & (self.options.val().get_bit(3) | self.options.val().get_bit(16)))
            | (self.decode.is_alloc.val()
                & (self.options.val().get_bit(0) | !self.options.val().get_bit(1)));
        self.for_all.next = self.everywhere.val()
            | self.decode.is_unlink.val()
            | self.decode.is_alloc.val()
            | self.decode.is_free.val()
            | self.decode.is_enable.val()
            | self.decode.is_close.val();

        // The units that it concerns.
        self.one.next = 1.into();
        self.linked.next = self.names_entry.val() & self.places.linked.val();
        self.needed.next =
            self.linked.val() & self.decode.is_unlink.val() & self.places.needed.val();
        self.own_unit.next = self.one.val() << self.fold.part.val();
        self.its_unit.next = self.one.val() << self.places.part.val();
        self.units.next = self.one.val();
        if self.names_sender.val() {
            self.units.next = self.own_unit.val();
        }
        if self.for_all.val() {
            self.units.next = 15.into();
        }
        if self.decode.is_unlink.val() & !self.linked.val() {
            self.units.next = self.one.val();
        }
        // A number in use: who has it says so.
        if self.linked.val() {
            self.units.next = self.its_unit.val();
            if self.places.everywhere.val() {
                self.units.next = self.one.val();
                if self.decode.is_unlink.val() {
                    self.units.next = 15.into();
                }
            }
        }

        // Their responses: of one unit each, of several when all have answered.
        self.ready.next = self.responses.write.ready.val()
            & ((self.answered.val() & self.units_q.q.val()) == self.units_q.q.val());
        self.goes.next = self.ready.val() & (self.state_q.q.val() == State::Ask);
        self.kind.next = self.answer.val().kind;
        self.code.next = self.answer.val().code;
        self.is_final.next = self.kind.val() == self.codes.last.val().get_bits::<2>(0);
        self.is_hit.next = self.kind.val() == self.codes.hit.val().get_bits::<2>(0);
        self.mixed.next = 0.into();
        if self.decode.is_free.val() & (self.in_use.val() & self.units_q.q.val()).any() {
            self.mixed.next = self.units_q.q.val() & !self.in_use.val();
            self.code.next = self.codes.portal_in_use.val();
        }
        self.index.next = self.command.data.val().portal_index;
        self.given_id.next = self.command.data.val().id;
        self.told.next = self.answer.val();
        self.told.next.code = self.code.val();
        if self.state_q.q.val() == State::Refuse {
            self.told.next.handle = self.command.data.val().handle;
            self.told.next.kind = self.codes.last.val().get_bits::<2>(0);
            self.told.next.code = self.code_q.q.val();
            self.told.next.context = self.command.data.val().context;
            self.told.next.portal = self.index.val().get_bits::<6>(0);
            self.told.next.entry_id = self.given_id.val().get_bits::<10>(0);
            self.told.next.options = self.options.val();
            self.told.next.counter = self.command.data.val().counter;
            self.told.next.user_ptr = self.command.data.val().user_ptr;
        }
        self.responses.write.data.next = self.told.val();
        connect!(self.responses.read => self.response);

        // What the units are given: the command, or what gives a portal entry back.
        self.enabled.read_addr.next = self.decode.portal.val();
        self.enabled.write_addr.next = self.decode.portal.val();
        self.enabled.write_data.next = 1.into();
        if self.decode.is_close.val() | (self.decode.is_alloc.val() & self.options.val().get_bit(2))
        {
            self.enabled.write_data.next = 0.into();
        }
        self.enabled.write_en.next = self.goes.val()
            & (self.decode.is_alloc.val()
                | self.decode.is_enable.val()
                | self.decode.is_close.val())
            & (self.code.val() == self.codes.ok.val());
        self.order.next = self.command.data.val();
        self.undo_options.next = 2.into();
        if !self.enabled.read_data.val().any() {
            self.undo_options.next = 6.into();
        }
        if self.state_q.q.val() == State::Undo {
            self.order.next.op = self.codes.pt_alloc.val();
            self.order.next.options = self.undo_options.val();
        }
        self.ask.next = self.ask_q.q.val();
        self.asked_units.next = self.units_q.q.val();

        // Where the entries are.
        self.places.clear.next = self.clear.clearing.val();
        self.places.clear_index.next = self.clear.index.val().get_bits::<E>(0);
        self.places.look_at.next = self.decode.id.val().get_bits::<E>(0);
        self.result_id.next = (bit_cast::<12, 10>(self.result.val().entry_id) << 2)
            | bit_cast::<12, 2>(self.result.val().context);
        self.answer_id.next = (bit_cast::<12, 10>(self.answer.val().entry_id) << 2)
            | bit_cast::<12, 2>(self.answer.val().context);
        self.places.id.next = self.result_id.val().get_bits::<E>(0);
        if self.goes.val() {
            self.places.id.next = self.answer_id.val().get_bits::<E>(0);
        }
        self.places.link_part.next = self.fold.part.val();
        self.places.link_everywhere.next = self.everywhere.val();
        self.places.link.next = self.goes.val()
            & self.is_final.val()
            & self.decode.is_append.val()
            & (self.code.val() == self.codes.linked.val());
        self.places.unlink.next = (self.joins.val() & (self.result.val().auto_unlink == 1))
            | (self.goes.val()
                & self.is_final.val()
                & self.decode.is_unlink.val()
                & (self.code.val() == self.codes.unlinked.val()));
        self.places.keep.next = self.joins.val() & (self.result.val().unexpected == 1);
        self.places.drop.next = self.goes.val() & self.is_hit.val() & !self.decode.is_only.val();
        self.looks.next = self.goes.val() | (self.state_q.q.val() == State::Look);

        // States.
        self.take.next = 0.into();
        self.responses.write.valid.next = false;
        self.command.ready.next = false;
        self.hold_requests.next = self.hold_q.q.val();
        self.closed.next = 0.into();
        if (self.state_q.q.val() == State::Ask) | (self.state_q.q.val() == State::Done) {
            self.closed.next = self.units_q.q.val();
        }
        self.fair_q.d.next = true;
        self.fair_q.en.next = false;
        self.hold_q.d.next = true;
        self.hold_q.en.next = false;
        self.ask_q.d.next = self.ask_q.q.val() & !self.taken.val();
        self.ask_q.en.next = true;
        self.units_q.d.next = self.units.val();
        self.units_q.en.next = false;
        self.code_q.d.next = self.codes.bad_command.val();
        self.code_q.en.next = false;
        self.state_q.d.next = State::Open;
        self.state_q.en.next = true;
        match self.state_q.q.val() {
            State::Open => {
                self.fair_q.en.next = self.accepted.val();
                self.state_q.d.next = State::Look;
                if self.for_all.val() {
                    self.state_q.d.next = State::Drain;
                }
                self.state_q.en.next = self.command.valid.val()
                    & !self.clear.clearing.val()
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
                self.units_q.en.next = true;
                self.code_q.en.next = true;
                self.ask_q.d.next = self.units.val();
                self.state_q.d.next = State::Ask;
                if self.refused.val() {
                    self.ask_q.d.next = 0.into();
                    self.state_q.d.next = State::Refuse;
                } else if self.linked.val() & !self.hold_q.q.val() {
                    self.ask_q.d.next = 0.into();
                    self.state_q.d.next = State::Drain;
                } else if self.needed.val() {
                    self.code_q.d.next = self.codes.in_use.val();
                    self.ask_q.d.next = 0.into();
                    self.state_q.d.next = State::Refuse;
                }
            }
            State::Ask => {
                self.responses.write.valid.next = self.ready.val();
                self.state_q.en.next = self.ready.val() & self.is_final.val();
                self.state_q.d.next = State::Done;
                if self.ready.val() {
                    self.take.next = self.units_q.q.val();
                }
                if self.mixed.val().any() {
                    self.state_q.d.next = State::Undo;
                    if self.ready.val() {
                        self.ask_q.d.next = self.mixed.val();
                        self.units_q.d.next = self.mixed.val();
                        self.units_q.en.next = true;
                    }
                }
            }
            State::Undo => {
                self.state_q.d.next = State::Done;
                self.state_q.en.next = self.ready.val();
                if self.ready.val() {
                    self.take.next = self.units_q.q.val();
                }
            }
            State::Refuse => {
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
