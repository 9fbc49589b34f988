//! `ExactMatch`: a match unit whose receives name source and tag, which finds them in a hash table.
//!
//! **Purpose.** [`MatchUnit`](super::match_unit::MatchUnit) for portal entries without wildcards, as the unordered
//! regions of Klenk's dissertation (7.2.3): a message finds its receive, and a receive its message, in a time that does
//! not depend on how many wait. Where priority entries have wildcards, ignore bits or stay after a message, use a match
//! unit.
//!
//! ```text
//!                 +------------+
//!   request    -->|            |--> result
//!   command    -->| ExactMatch |--> response
//!                 |            |--> count_drop, count_permission, count_operation, count_context
//!                 +------------+
//! ```
//!
//! **Contract.** That of a match unit, with these differences.
//! * BAD_COMMAND ends what a table of keys cannot have, and nothing has changed then. *Append to the priority list*:
//!   `any_node`, `any_context`, ignore bits, NO_TRUNCATE; without USE_ONCE, OP_PUT or `any_user`; with OP_GET, IOVEC or
//!   MANAGE_LOCAL. *Append to the overflow list*: USE_ONCE, and MANAGE_LOCAL with `min_free`. *Searches*: `any_node`,
//!   `any_context`, ignore bits, NO_TRUNCATE; ME_SEARCH_ONLY without USE_ONCE. *PT_ALLOC*: FLOW_CONTROL, or without
//!   MATCHING.
//! * GET, FETCH and SWAP end as OP_VIOLATION without a search: no priority entry allows them.
//! * NO_SPACE, too, if the table has no place for the key of an append. A message that would leave a header is dropped
//!   if the table has no place for its key; it has used its room of an overflow entry with MANAGE_LOCAL then, as one
//!   that is dropped because its context has no header left.
//! * `count` pulses with the result instead of with the decision.
//!
//! Results come in the order of the requests, at most 32 of which are inside. A command waits until none is.
//!
//! **Cost model.** A message that finds its receive has its result 9 cycles after its request, one a cycle, whatever
//! keys follow each other. An unexpected message takes 8 cycles of its own. An append takes 11 cycles, or 13 if it
//! finds its message; an unlink 11, and one more for each other entry with the same key.
//!
//! **Internals.**
//! ```text
//!   request --> HashMatch (take) --+--> ExactEntries --------------------------+--> ExactJoin --> result
//!                                  +--> MatchUnit of the overflow entries -----+       |
//!                                                                                      v
//!   command --> ExactCommands <--> HashMatch, MatchUnit             ExactHeaders, HashMatch (wait)
//!                   +--> response
//! ```
//! The match unit has only overflow entries, with UNEXPECTED_HDR_DISABLE: it keeps no headers. A message without a
//! receive goes through it first and into the table last, so nothing in the table is ever taken back.
//! [`EntryPlaces`] has what each entry number stands for, and how many headers need it.

pub mod exact_commands;
pub mod exact_entries;
pub mod exact_headers;
pub mod exact_join;

use super::hash_match::HashMatch;
use super::match_unit::MatchUnit;
use super::match_unit::store_clear::StoreClear;
use super::partitioned_match::entry_places::EntryPlaces;
use crate::bundle::{RefusalsOut, StreamIn, StreamOut};
use crate::codes::hash_codes::HashCodes;
use crate::codes::match_codes::MatchCodes;
use crate::leaf::Fifo;
use exact_commands::ExactCommands;
use exact_entries::ExactEntries;
use exact_headers::ExactHeaders;
use exact_join::ExactJoin;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::matching::{MatchCommand, MatchRequest, MatchResponse, MatchResult};

/// An exact matcher of `2^E` entries and `2^H` unexpected headers, a fourth of them for each context, with a table of
/// 2 x `2^B` buckets of `W` slots and a stash of `S`; `EN` = `E + 1`, `HN` = `H + 1`.
#[block]
#[check(H <= E, "ExactMatch: 2^{H} headers and 2^{E} entries, must not be more headers")]
#[check(
    EN == E + 1 && HN == H + 1,
    "ExactMatch: pointers of {EN} and {HN} bits, must be {} and {}",
    E + 1,
    H + 1
)]
pub struct ExactMatch<
    const B: usize,
    const W: usize,
    const S: usize,
    const E: usize,
    const EN: usize,
    const H: usize,
    const HN: usize,
> {
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

    match_codes: MatchCodes,
    codes: HashCodes,
    clear: StoreClear<E>,
    hash: HashMatch<B, W, S, EN, 8>,
    unit: MatchUnit<E, EN, 2, 3>,
    places: EntryPlaces<E>,
    entries: ExactEntries<E>,
    headers: ExactHeaders<H, HN>,
    results: ExactJoin,
    commands: ExactCommands<E>,
    /// Requests that the table is asked about, and whether it is: {refused, direct}.
    asked: Fifo<MatchRequest, 4, 5>,
    kinds: Fifo<Bits<2>, 4, 5>,
    /// What it says of them: {partner 12, matched}.
    found: Fifo<Bits<13>, 4, 5>,
    index: Signal<Local, Bits<16>>,
    wide_portal: Signal<Local, Bits<8>>,
    kind: Signal<Local, Bits<4>>,
    direct: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    plain: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    outcome: Signal<Local, Bits<4>>,
    of_header: Signal<Local, Bit>,
    looked_up: Signal<Local, Bit>,
    there: Signal<Local, Bit>,
    hit: Signal<Local, Bit>,
    hits: Signal<Local, Bit>,
    misses: Signal<Local, Bit>,
    partner: Signal<Local, Bits<13>>,
    commanding: Signal<Local, Bit>,
    keeps: Signal<Local, Bits<1>>,
}

#[kernel]
impl<
    const B: usize,
    const W: usize,
    const S: usize,
    const E: usize,
    const EN: usize,
    const H: usize,
    const HN: usize,
> Logic for ExactMatch<B, W, S, E, EN, H, HN>
{
    fn update(&mut self) {
        self.commanding.next = self.commands.commanding.val();

        // A request: the table is asked, unless the portal entry takes none, or no entry could take this one.
        self.index.next = self.request.data.val().portal_index;
        self.wide_portal.next = (bit_cast::<8, 6>(self.index.val().get_bits::<6>(0)) << 2)
            | bit_cast::<8, 2>(self.request.data.val().context);
        self.commands.portal_of.next = self.wide_portal.val();
        self.kind.next = bit_cast::<4, 3>(self.request.data.val().kind);
        self.direct.next = self.index.val().get_bits::<10>(6).any() | !self.commands.enabled.val();
        self.refused.next = !self.direct.val()
            & ((self.kind.val() == self.match_codes.get.val())
                | (self.kind.val() == self.match_codes.fetch.val())
                | (self.kind.val() == self.match_codes.swap.val()));
        self.plain.next = !self.direct.val() & !self.refused.val();
        self.free.next = self.asked.write.ready.val()
            & !self.commands.hold_requests.val()
            & !self.clear.clearing.val();
        self.takes.next = self.free.val()
            & (!self.plain.val() | (self.hash.request.ready.val() & !self.results.ask.valid.val()));
        self.request.ready.next = self.takes.val();
        self.asked.write.data.next = self.request.data.val();
        self.asked.write.valid.next = self.request.valid.val() & self.takes.val();
        self.kinds.write.data.next = 0.into();
        if self.direct.val() {
            self.kinds.write.data.next = 1.into();
        }
        if self.refused.val() {
            self.kinds.write.data.next = 2.into();
        }
        self.kinds.write.valid.next = self.request.valid.val() & self.takes.val();

        // The table is asked by a command, for a header that is to wait, or for a request.
        self.hash.request.data.next.op = self.codes.arrive.val().get_bits::<2>(0);
        self.hash.request.data.next.mode = self.codes.mode_take.val().get_bits::<2>(0);
        if self.request.data.val().crowded.any() {
            self.hash.request.data.next.mode = self.codes.mode_look.val().get_bits::<2>(0);
        }
        self.hash.request.data.next.number = 0.into();
        self.hash.request.data.next.context = self.request.data.val().context;
        self.hash.request.data.next.portal = self.index.val().get_bits::<6>(0);
        self.hash.request.data.next.source_node = self.request.data.val().source_node;
        self.hash.request.data.next.source_context = self.request.data.val().source_context;
        self.hash.request.data.next.match_bits = self.request.data.val().match_bits;
        self.hash.request.valid.next =
            self.request.valid.val() & self.free.val() & self.plain.val();
        self.results.ask.ready.next = self.hash.request.ready.val();
        if self.results.ask.valid.val() {
            self.hash.request.data.next = self.results.ask.data.val();
            self.hash.request.valid.next = true;
        }
        self.commands.hash.ready.next = self.hash.request.ready.val();
        if self.commanding.val() {
            self.hash.request.data.next = self.commands.hash.data.val();
            self.hash.request.valid.next = self.commands.hash.valid.val();
        }

        // What it says. Only a header that is to wait can wait, or find no space.
        self.hash.result.ready.next = true;
        self.outcome.next = bit_cast::<4, 3>(self.hash.result.data.val().outcome);
        self.of_header.next = (self.outcome.val() == self.codes.waits.val())
            | (self.outcome.val() == self.codes.no_space.val());
        self.commands.hash_answer.data.next = self.hash.result.data.val();
        self.commands.hash_answer.valid.next = self.hash.result.valid.val() & self.commanding.val();
        self.results.answer.data.next = self.hash.result.data.val();
        self.results.answer.valid.next =
            self.hash.result.valid.val() & !self.commanding.val() & self.of_header.val();
        self.found.write.data.next = bit_cast::<13, 12>(self.hash.result.data.val().partner) << 1;
        if self.outcome.val() == self.codes.matched.val() {
            self.found.write.data.next =
                (bit_cast::<13, 12>(self.hash.result.data.val().partner) << 1) | 1;
        }
        self.found.write.valid.next =
            self.hash.result.valid.val() & !self.commanding.val() & !self.of_header.val();

        // Then it goes to its entry, or to the match unit.
        self.looked_up.next = !self.kinds.read.data.val().any();
        self.there.next = self.asked.read.valid.val()
            & self.results.turn.ready.val()
            & (!self.looked_up.val() | self.found.read.valid.val());
        self.partner.next = self.found.read.data.val();
        self.hit.next = self.kinds.read.data.val().get_bit(1)
            | (self.looked_up.val() & self.partner.val().get_bit(0));
        self.hits.next = self.there.val() & self.hit.val() & self.entries.free.val();
        self.unit.request.data.next = self.asked.read.data.val();
        self.unit.request.valid.next = self.there.val() & !self.hit.val();
        self.misses.next = self.there.val() & !self.hit.val() & self.unit.request.ready.val();
        self.entries.go.next = self.hits.val();
        self.entries.request.next = self.asked.read.data.val();
        self.entries.refused.next = !self.looked_up.val();
        self.results.turn.data.next = self.hits.val().into();
        self.results.turn.valid.next = self.hits.val() | self.misses.val();
        self.results.request.next = self.asked.read.data.val();
        self.asked.read.ready.next = self.hits.val() | self.misses.val();
        self.kinds.read.ready.next = self.hits.val() | self.misses.val();
        self.found.read.ready.next = (self.hits.val() | self.misses.val()) & self.looked_up.val();

        // Results.
        connect!(self.entries.result => self.results.hit);
        connect!(self.unit.result => self.results.over);
        connect!(self.results.result => self.result);
        connect!(self.results.count => self.count);
        self.results.header_free.next = self.headers.free.val();
        self.results.header_number.next = self.headers.number.val();
        self.results.header_name.next = self.headers.name.val();
        self.results.keeps.next = self.places.part.val().get_bit(0);

        // Commands.
        connect!(self.command => self.commands.command);
        connect!(self.commands.response => self.response);
        connect!(self.commands.unit_command => self.unit.command);
        connect!(self.unit.response => self.commands.unit_answer);
        self.commands.clear.next = self.clear.clearing.val();
        self.commands.clear_index.next = self.clear.index.val().get_bits::<8>(0);
        self.commands.asked.next = self.request.valid.val();
        self.commands.accepted.next = self.request.valid.val() & self.takes.val();
        self.commands.quiet.next = !self.asked.read.valid.val() & self.results.quiet.val();
        self.commands.linked.next = self.places.linked.val();
        self.commands.is_overflow.next = self.places.everywhere.val();
        self.commands.needed.next = self.places.needed.val();
        self.commands.facts.next = self.entries.facts.val();
        self.commands.header.next = self.headers.facts.val();

        // Memories.
        self.places.clear.next = self.clear.clearing.val();
        self.places.clear_index.next = self.clear.index.val().get_bits::<E>(0);
        self.places.look_at.next = bit_cast::<E, 12>(self.results.entry.val());
        self.places.id.next = bit_cast::<E, 12>(self.results.entry.val());
        self.keeps.next = self.commands.link_keeps.val().into();
        self.places.link.next = self.commands.link.val();
        self.places.link_part.next = bit_cast::<2, 1>(self.keeps.val());
        self.places.link_everywhere.next = self.commands.link_overflow.val();
        self.places.unlink.next = self.commands.unlink.val() | self.results.unlink.val();
        self.places.keep.next = self.results.keep.val();
        self.places.drop.next = self.commands.drop.val();
        self.entries.entry.next = self.partner.val().get_bits::<12>(1);
        connect!(self.commands.new_entry => self.entries.new_entry);
        self.headers.owner.next = self.results.owner.val();
        self.headers.keep.next = self.results.keep.val();
        self.headers.new_facts.next = self.results.new_header.val();
        self.headers.look_at.next = self.commands.header_of.val();
        self.headers.remove.next = self.commands.remove.val();
        if self.commanding.val() {
            self.places.look_at.next = bit_cast::<E, 12>(self.commands.entry.val());
            self.places.id.next = bit_cast::<E, 12>(self.commands.entry.val());
            self.entries.entry.next = self.commands.entry.val();
            self.headers.owner.next = self.command.data.val().context;
        }
    }
}
