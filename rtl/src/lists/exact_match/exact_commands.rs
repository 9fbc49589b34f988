//! `ExactCommands`: the commands of an exact matcher, one at a time, while no request is inside.
//!
//! **Purpose.** Which commands of a match unit [`ExactMatch`](super::ExactMatch) can do, and what each asks of its
//! table and of the match unit of its overflow entries.
//!
//! ```text
//!   command*       -->+---------------+--> response*
//!   asked, ...     -->|               |--> hold_requests, commanding
//!   portal_of      -->|               |--> enabled
//!   unit_answer*   -->| ExactCommands |--> unit_command*   (overflow entries)
//!   hash_answer*   -->|               |--> hash*           (table)
//!   facts          -->|               |--> entry, new_entry*
//!   header         -->|               |--> header_of, remove
//!   linked, ...    -->+---------------+--> link, unlink, drop
//! ```
//!
//! **Contract.** A command begins when no request is inside, and none is accepted until it ends. Between two commands a
//! request that waits is accepted. While `commanding`, table and memories are its. Responses are those of a match unit.
//! BAD_COMMAND ends what the table cannot have, and changes nothing (the list is that of the block's page). `enabled`
//! says that portal entry `portal_of` takes messages.
//!
//! **Internals.** A state machine.
//! ```text
//!   Open -> Drain -> Look -> Check -+-> Unit -----+-> Finish -> Done -> Open
//!                                   +-> Table ----+
//!                                   +-------------+
//! ```
//! PT_FREE closes the region, then asks the match unit; what it cannot do is undone by opening the region again. A
//! search that takes all headers of its key asks the table until there is none.

mod steps;

use crate::bundle::{PulseIn, PulseOut, StreamIn, StreamOut};
use crate::codes::hash_codes::HashCodes;
use crate::codes::match_codes::MatchCodes;
use crate::leaf::{LutRam, Reg, Skid};
use crate::lists::match_unit::command_decode::CommandDecode;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::exact_match::{ExactEntry, ExactHeader};
use xtq_types::hash_match::{HashRequest, HashResult};
use xtq_types::match_lists::PortalState;
use xtq_types::matching::{MatchCommand, MatchResponse};

/// What it is doing.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum State {
    Open,
    Drain,
    Look,
    Check,
    Table,
    Answer,
    Read,
    Hit,
    Unit,
    Finish,
    Done,
}

/// The commands of an exact matcher of `2^E` entries.
#[block]
pub struct ExactCommands<const E: usize> {
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
    /// No request is inside.
    pub quiet: Signal<In, Bit>,
    /// Accept no requests.
    pub hold_requests: Signal<Out, Bit>,
    /// Table and memories are the command's.
    pub commanding: Signal<Out, Bit>,
    /// Portal entry of a request, {index 6, context 2}.
    pub portal_of: Signal<In, Bits<8>>,
    /// It takes messages.
    pub enabled: Signal<Out, Bit>,
    /// Empty the portal table.
    pub clear: Signal<In, Bit>,
    /// Portal entry to empty.
    pub clear_index: Signal<In, Bits<8>>,

    /// To the match unit of the overflow entries.
    pub unit_command: StreamOut<MatchCommand>,
    /// From it.
    pub unit_answer: StreamIn<MatchResponse>,
    /// To the table.
    pub hash: StreamOut<HashRequest>,
    /// From it.
    pub hash_answer: PulseIn<HashResult>,

    /// Entry of the command, {id 10, context 2}; with `drop` that of the header.
    pub entry: Signal<Out, Bits<12>>,
    /// A cycle later: it is linked.
    pub linked: Signal<In, Bit>,
    /// It is an overflow entry.
    pub is_overflow: Signal<In, Bit>,
    /// Headers need it.
    pub needed: Signal<In, Bit>,
    /// Facts of a priority entry.
    pub facts: Signal<In, ExactEntry>,
    /// The entry is linked now.
    pub link: Signal<Out, Bit>,
    /// With `link`: as an overflow entry.
    pub link_overflow: Signal<Out, Bit>,
    /// With `link`: its messages leave headers.
    pub link_keeps: Signal<Out, Bit>,
    /// It is unlinked now.
    pub unlink: Signal<Out, Bit>,
    /// A header less needs it.
    pub drop: Signal<Out, Bit>,
    /// Facts to write.
    pub new_entry: PulseOut<ExactEntry>,

    /// Header to read.
    pub header_of: Signal<Out, Bits<12>>,
    /// Its facts, a cycle later.
    pub header: Signal<In, ExactHeader>,
    /// Give its number back.
    pub remove: Signal<Out, Bit>,

    match_codes: MatchCodes,
    codes: HashCodes,
    decode: CommandDecode<E>,
    /// {enabled, allocated} of each portal entry.
    portals: LutRam<Bits<2>, 8>,
    responses: Skid<MatchResponse>,
    state_q: Reg<State>,
    /// A request was accepted since the last command.
    fair_q: Reg<Bit>,
    hold_q: Reg<Bit>,
    code_q: Reg<Bits<4>>,
    /// The command is with the match unit.
    given_q: Reg<Bit>,
    /// The region is to be opened, then the command ends.
    opens_q: Reg<Bit>,
    any_q: Reg<Bit>,
    partner_q: Reg<Bits<12>>,
    #[value(PortalState { allocated: 1u64.to_bits(), enabled: 1u64.to_bits(), flow_control: 0u64.to_bits(), matching: 1u64.to_bits() })]
    matching: Constant<PortalState>,
    options: Signal<Local, Bits<20>>,
    index: Signal<Local, Bits<16>>,
    given_id: Signal<Local, Bits<16>>,
    searches: Signal<Local, Bit>,
    receives: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    inexact: Signal<Local, Bit>,
    unfit: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    state: Signal<Local, Bits<2>>,
    owned: Signal<Local, Bit>,
    there: Signal<Local, Bit>,
    once: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    said: Signal<Local, Bits<4>>,
    unit_code: Signal<Local, Bits<4>>,
    done: Signal<Local, Bit>,
    gives: Signal<Local, Bit>,
    told: Signal<Local, MatchResponse>,
    header_id: Signal<Local, Bits<12>>,
    region: Signal<Local, Bits<4>>,
}

#[kernel]
impl<const E: usize> Logic for ExactCommands<E> {
    fn update(&mut self) {
        // The command, and whether the table can have it.
        self.decode.command.next = self.command.data.val();
        self.decode.state.next = self.matching.val();
        self.options.next = self.command.data.val().options;
        self.index.next = self.command.data.val().portal_index;
        self.given_id.next = self.command.data.val().id;
        self.over.next = self.decode.is_append.val() & self.command.data.val().list.any();
        self.receives.next = self.decode.is_append.val() & !self.command.data.val().list.any();
        self.searches.next = self.decode.is_only.val() | self.decode.is_delete.val();
        self.once.next = self.options.val().get_bit(3);
        self.inexact.next = self.command.data.val().any_node.any()
            | self.command.data.val().any_context.any()
            | self.command.data.val().ignore_bits.any()
            | self.options.val().get_bit(17);
        self.unfit.next = !self.command.data.val().any_user.any()
            | self.options.val().get_bit(0)
            | !self.options.val().get_bit(1)
            | self.options.val().get_bit(2)
            | !self.once.val()
            | self.options.val().get_bit(16);
        self.refused.next = ((self.receives.val() | self.searches.val()) & self.inexact.val())
            | (self.receives.val() & self.unfit.val())
            | (self.decode.is_only.val() & !self.once.val())
            | (self.over.val()
                & (self.once.val()
                    | (self.options.val().get_bit(16) & self.command.data.val().min_free.any())))
            | (self.decode.is_alloc.val()
                & (self.options.val().get_bit(0) | !self.options.val().get_bit(1)));
        self.there.next = self.linked.val() & !self.decode.no_entry.val();

        // Portal entries.
        self.portals.read_addr.next = self.portal_of.val();
        if self.hold_q.q.val() {
            self.portals.read_addr.next = self.decode.portal.val();
        }
        self.state.next = self.portals.read_data.val();
        self.enabled.next = self.state.val().get_bit(1);
        self.owned.next = self.state.val().get_bit(0) & !self.decode.beyond.val();
        self.portals.write_addr.next = self.decode.portal.val();
        self.portals.write_data.next = 3.into();
        if self.decode.is_close.val() | (self.decode.is_alloc.val() & self.options.val().get_bit(2))
        {
            self.portals.write_data.next = 1.into();
        }
        if self.decode.is_free.val() {
            self.portals.write_data.next = 0.into();
        }
        self.portals.write_en.next = false;

        // To the match unit: overflow entries leave no headers there.
        self.unit_command.data.next = self.command.data.val();
        if self.over.val() {
            self.unit_command.data.next.options = self.options.val() | 32;
        }
        self.unit_command.valid.next = self.given_q.q.val();
        self.unit_code.next = self.unit_answer.data.val().code;
        self.done.next = (self.state_q.q.val() == State::Unit) & self.unit_answer.valid.val();
        self.unit_answer.ready.next = self.done.val();

        // To the table.
        self.region.next = self.codes.close.val();
        if self.opens_q.q.val() {
            self.region.next = self.codes.open.val();
        }
        self.hash.data.next.op = self.codes.post.val().get_bits::<2>(0);
        if self.decode.is_free.val() | self.decode.is_alloc.val() {
            self.hash.data.next.op = self.region.val().get_bits::<2>(0);
        }
        self.hash.data.next.mode = self.codes.mode_wait.val().get_bits::<2>(0);
        if self.decode.is_only.val() {
            self.hash.data.next.mode = self.codes.mode_look.val().get_bits::<2>(0);
        }
        if self.decode.is_delete.val() {
            self.hash.data.next.mode = self.codes.mode_take.val().get_bits::<2>(0);
        }
        self.hash.data.next.number = self.decode.id.val();
        self.hash.data.next.context = self.command.data.val().context;
        self.hash.data.next.portal = self.index.val().get_bits::<6>(0);
        self.hash.data.next.source_node = self.command.data.val().source_node;
        self.hash.data.next.source_context = self.command.data.val().source_context;
        self.hash.data.next.match_bits = self.command.data.val().match_bits;
        if self.decode.is_unlink.val() {
            self.hash.data.next.mode = self.codes.mode_cancel.val().get_bits::<2>(0);
            self.hash.data.next.portal = self.facts.val().portal;
            self.hash.data.next.source_node = self.facts.val().source_node;
            self.hash.data.next.source_context = self.facts.val().source_context;
            self.hash.data.next.match_bits = self.facts.val().match_bits;
        }
        self.hash.valid.next = self.state_q.q.val() == State::Table;
        self.said.next = bit_cast::<4, 3>(self.hash_answer.data.val().outcome);
        self.waits.next = self.said.val() == self.codes.waits.val();
        self.fails.next = self.said.val() == self.codes.in_use.val();
        self.full.next = self.said.val() == self.codes.no_space.val();
        self.partner_q.d.next = self.hash_answer.data.val().partner;
        self.partner_q.en.next = self.hash_answer.valid.val();
        self.header_of.next = self.partner_q.q.val();

        // The entry.
        self.header_id.next = (bit_cast::<12, 10>(self.header.val().entry) << 2)
            | bit_cast::<12, 2>(self.command.data.val().context);
        self.entry.next = self.decode.id.val();
        if self.state_q.q.val() == State::Hit {
            self.entry.next = self.header_id.val();
        }
        self.link.next = false;
        self.link_overflow.next = self.over.val();
        self.link_keeps.next = !self.options.val().get_bit(5);
        self.unlink.next = false;
        self.drop.next = false;
        self.remove.next = false;
        self.new_entry.data.next.portal = self.index.val().get_bits::<6>(0);
        self.new_entry.data.next.source_node = self.command.data.val().source_node;
        self.new_entry.data.next.source_context = self.command.data.val().source_context;
        self.new_entry.data.next.match_bits = self.command.data.val().match_bits;
        self.new_entry.data.next.options = self.options.val();
        self.new_entry.data.next.start = self.command.data.val().start;
        self.new_entry.data.next.length = self.command.data.val().length;
        self.new_entry.data.next.counter = self.command.data.val().counter;
        self.new_entry.data.next.user_ptr = self.command.data.val().user_ptr;
        self.new_entry.valid.next = false;

        // The response.
        self.told.next.handle = self.command.data.val().handle;
        self.told.next.kind = self.match_codes.last.val().get_bits::<2>(0);
        self.told.next.code = self.code_q.q.val();
        self.told.next.context = self.command.data.val().context;
        self.told.next.portal = self.index.val().get_bits::<6>(0);
        self.told.next.entry_id = self.given_id.val().get_bits::<10>(0);
        self.told.next.options = self.options.val();
        self.told.next.counter = self.command.data.val().counter;
        self.told.next.user_ptr = self.command.data.val().user_ptr;
        self.told.next.start = self.header.val().start;
        self.told.next.offset = self.header.val().offset;
        self.told.next.mlength = self.header.val().mlength;
        self.told.next.request_kind = self.header.val().kind;
        self.told.next.source_node = self.command.data.val().source_node;
        self.told.next.source_context = self.command.data.val().source_context;
        self.told.next.user_id = self.header.val().user_id;
        self.told.next.match_bits = self.command.data.val().match_bits;
        self.told.next.length = self.header.val().length;
        self.told.next.remote_offset = self.header.val().remote_offset;
        self.told.next.header_data = self.header.val().header_data;
        self.told.next.header = self.header.val().name;
        if self.state_q.q.val() == State::Hit {
            self.told.next.kind = self.match_codes.hit.val().get_bits::<2>(0);
            self.told.next.code = 0.into();
            self.told.next.entry_id = self.header.val().entry;
        }
        self.responses.write.data.next = self.told.val();
        self.responses.write.valid.next = false;
        connect!(self.responses.read => self.response);

        // States.
        self.command.ready.next = false;
        self.hold_requests.next = self.hold_q.q.val();
        self.commanding.next =
            (self.state_q.q.val() != State::Open) & (self.state_q.q.val() != State::Drain);
        self.fair_q.d.next = true;
        self.fair_q.en.next = false;
        self.hold_q.d.next = true;
        self.hold_q.en.next = false;
        self.gives.next = false;
        self.opens_q.d.next = false;
        self.opens_q.en.next = false;
        self.any_q.d.next = false;
        self.any_q.en.next = false;
        self.code_q.d.next = self.match_codes.bad_command.val();
        self.code_q.en.next = false;
        self.steps();
        self.given_q.d.next = self.gives.val();
        self.given_q.en.next = self.gives.val() | self.unit_command.ready.val();
        if self.clear.val() {
            self.portals.write_addr.next = self.clear_index.val();
            self.portals.write_data.next = 0.into();
            self.portals.write_en.next = true;
        }
    }
}
