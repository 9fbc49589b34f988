//! `ExactJoin`: puts the results of an exact matcher in the order of the requests, and keeps unexpected headers.
//!
//! **Purpose.** Messages of [`ExactMatch`](super::ExactMatch) that have found their receive are answered at once, the
//! others by the match unit of the overflow entries. This joins both, and lets the table know the headers that wait.
//!
//! ```text
//!   turn*, request         -->+-----------+--> result*, count_*
//!   hit*, over*            -->|           |--> ask*          (table)
//!   answer*                -->| ExactJoin |--> entry, unlink, keep
//!   keeps                  -->|           |--> owner, keep, new_header
//!   header_*               -->+-----------+--> quiet
//! ```
//!
//! **Contract.** A word of `turn` for each request says whether its result is the next of `hit` (1) or of `over` (0,
//! with the request). Results leave in that order. `keeps` says of overflow entry `entry` of the cycle before that its
//! messages leave headers. Such a message needs a free header and a place for its key in the table; else it ends as
//! dropped, and nothing of it waits. `quiet`: no request has its result outstanding.
//!
//! **Internals.** A result of `hit` takes a cycle. One of `over` is looked at (`Look`); if a header is to be kept, the
//! table is asked (`Ask`), and its answer decides (`Settle`). The next result waits meanwhile, so headers are kept in
//! order.

use crate::bundle::{PulseIn, RefusalsOut, StreamIn, StreamOut};
use crate::codes::hash_codes::HashCodes;
use crate::codes::match_codes::MatchCodes;
use crate::leaf::{Fifo, Reg, Skid};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::exact_match::ExactHeader;
use xtq_types::hash_match::{HashRequest, HashResult};
use xtq_types::matching::{MatchRequest, MatchResult};

/// What it is doing.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum State {
    Pass,
    Look,
    Ask,
    Answer,
    Settle,
}

/// The results of an exact matcher.
#[block]
pub struct ExactJoin {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Whose result is next: 1 of `hit`, 0 of `over`.
    pub turn: StreamIn<Bits<1>>,
    /// With 0: the request.
    pub request: Signal<In, MatchRequest>,
    /// Results of priority entries.
    pub hit: StreamIn<MatchResult>,
    /// Results of the match unit.
    pub over: StreamIn<MatchResult>,
    /// Results in the order of the requests.
    pub result: StreamOut<MatchResult>,
    /// Requests that were refused (pulses).
    pub count: RefusalsOut,
    /// Every request that came has its result.
    pub quiet: Signal<Out, Bit>,

    /// To the table: a header that is to wait.
    pub ask: StreamOut<HashRequest>,
    /// What the table says.
    pub answer: PulseIn<HashResult>,

    /// Entry of the next result, {id 10, context 2}.
    pub entry: Signal<Out, Bits<12>>,
    /// A cycle later: an overflow entry whose messages leave headers.
    pub keeps: Signal<In, Bit>,
    /// The entry is unlinked.
    pub unlink: Signal<Out, Bit>,
    /// The message leaves a header: one more needs the entry.
    pub keep: Signal<Out, Bit>,
    /// Whose header it would be.
    pub owner: Signal<Out, Bits<2>>,
    /// There is one for it.
    pub header_free: Signal<In, Bit>,
    /// Its number.
    pub header_number: Signal<In, Bits<12>>,
    /// Its name.
    pub header_name: Signal<In, Bits<13>>,
    /// Its facts, without the name.
    pub new_header: Signal<Out, ExactHeader>,

    match_codes: MatchCodes,
    codes: HashCodes,
    turns: Fifo<Bits<1>, 4, 5>,
    requests: Fifo<MatchRequest, 4, 5>,
    results: Skid<MatchResult>,
    state_q: Reg<State>,
    full_q: Reg<Bit>,
    is_hit: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    from: Signal<Local, MatchResult>,
    told: Signal<Local, MatchResult>,
    options: Signal<Local, Bits<20>>,
    asked: Signal<Local, MatchRequest>,
    index: Signal<Local, Bits<16>>,
    is_matched: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    kept: Signal<Local, Bit>,
    keeps_now: Signal<Local, Bit>,
    joins: Signal<Local, Bit>,
    outcome: Signal<Local, Bits<4>>,
    said: Signal<Local, Bits<4>>,
    /// All options but UNEXPECTED_HDR_DISABLE, which the match unit has for all entries.
    #[value(0xF_FFDFu64.to_bits())]
    keeping: Constant<Bits<20>>,
}

#[kernel]
impl Logic for ExactJoin {
    fn update(&mut self) {
        connect!(self.turn => self.turns.write);
        self.requests.write.data.next = self.request.val();
        self.requests.write.valid.next =
            self.turn.valid.val() & self.turns.write.ready.val() & !self.turn.data.val().any();
        self.quiet.next = !self.turns.read.valid.val();

        // The next result.
        self.is_hit.next = self.turns.read.data.val().any();
        self.free.next = self.results.write.ready.val();
        self.asked.next = self.requests.read.data.val();
        self.from.next = self.over.data.val();
        if self.is_hit.val() {
            self.from.next = self.hit.data.val();
        }
        self.entry.next = (bit_cast::<12, 10>(self.from.val().entry_id) << 2)
            | bit_cast::<12, 2>(self.from.val().context);
        self.owner.next = self.from.val().context;
        self.is_matched.next =
            bit_cast::<4, 3>(self.from.val().outcome) == self.match_codes.matched.val();
        self.keeps_now.next = self.keeps.val() & !self.is_hit.val();

        // Its header.
        self.ask.data.next.op = self.codes.arrive.val().get_bits::<2>(0);
        self.ask.data.next.mode = self.codes.mode_wait.val().get_bits::<2>(0);
        self.ask.data.next.number = self.header_number.val();
        self.ask.data.next.context = self.asked.val().context;
        self.index.next = self.asked.val().portal_index;
        self.ask.data.next.portal = self.index.val().get_bits::<6>(0);
        self.ask.data.next.source_node = self.asked.val().source_node;
        self.ask.data.next.source_context = self.asked.val().source_context;
        self.ask.data.next.match_bits = self.asked.val().match_bits;
        self.new_header.next.entry = self.from.val().entry_id;
        self.new_header.next.start = self.from.val().start;
        self.new_header.next.offset = self.from.val().offset;
        self.new_header.next.mlength = self.from.val().mlength;
        self.new_header.next.kind = self.asked.val().kind;
        self.new_header.next.user_id = self.asked.val().user_id;
        self.new_header.next.length = self.asked.val().length;
        self.new_header.next.remote_offset = self.asked.val().remote_offset;
        self.new_header.next.header_data = self.asked.val().header_data;
        self.new_header.next.name = 0.into();

        // Steps.
        self.joins.next = false;
        self.drops.next = false;
        self.kept.next = false;
        self.ask.valid.next = false;
        self.said.next = bit_cast::<4, 3>(self.answer.data.val().outcome);
        self.full_q.d.next = self.said.val() == self.codes.no_space.val();
        self.full_q.en.next = self.answer.valid.val();
        self.state_q.d.next = State::Pass;
        self.state_q.en.next = true;
        match self.state_q.q.val() {
            State::Pass => {
                if self.is_hit.val() {
                    self.joins.next =
                        self.turns.read.valid.val() & self.hit.valid.val() & self.free.val();
                } else {
                    self.state_q.d.next = State::Look;
                    self.state_q.en.next = self.turns.read.valid.val() & self.over.valid.val();
                }
            }
            State::Look => {
                if self.keeps_now.val() & self.is_matched.val() & self.header_free.val() {
                    self.state_q.d.next = State::Ask;
                } else {
                    self.drops.next = self.keeps_now.val() & self.is_matched.val();
                    self.joins.next = self.free.val();
                    self.state_q.en.next = self.free.val();
                }
            }
            State::Ask => {
                self.ask.valid.next = true;
                self.state_q.d.next = State::Answer;
                self.state_q.en.next = self.ask.ready.val();
            }
            State::Answer => {
                self.state_q.d.next = State::Settle;
                self.state_q.en.next = self.answer.valid.val();
            }
            State::Settle => {
                self.drops.next = self.full_q.q.val();
                self.kept.next = self.free.val() & !self.full_q.q.val();
                self.joins.next = self.free.val();
                self.state_q.en.next = self.free.val();
            }
            _ => {}
        }

        // What leaves.
        self.keep.next = self.kept.val();
        self.turns.read.ready.next = self.joins.val();
        self.requests.read.ready.next = self.joins.val() & !self.is_hit.val();
        self.hit.ready.next = self.joins.val() & self.is_hit.val();
        self.over.ready.next = self.joins.val() & !self.is_hit.val();
        self.options.next = self.from.val().options;
        self.told.next = self.from.val();
        if self.keeps_now.val() {
            self.told.next.options = self.options.val() & self.keeping.val();
        }
        if self.drops.val() {
            self.told.next.outcome = self.match_codes.dropped.val().get_bits::<3>(0);
        }
        if self.kept.val() {
            self.told.next.unexpected = 1.into();
            self.told.next.header = self.header_name.val();
        }
        self.unlink.next = self.joins.val() & self.told.val().auto_unlink.any();
        self.results.write.data.next = self.told.val();
        self.results.write.valid.next = self.joins.val();
        connect!(self.results.read => self.result);
        self.outcome.next = bit_cast::<4, 3>(self.told.val().outcome);
        self.count.drop.next = self.joins.val()
            & ((self.outcome.val() == self.match_codes.no_portal.val())
                | (self.outcome.val() == self.match_codes.dropped.val())
                | (self.outcome.val() == self.match_codes.disabled.val()));
        self.count.permission.next =
            self.joins.val() & (self.outcome.val() == self.match_codes.permission.val());
        self.count.operation.next =
            self.joins.val() & (self.outcome.val() == self.match_codes.operation.val());
        self.count.context.next = self.told.val().context;
    }
}
