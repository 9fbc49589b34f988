//! `ListCompleter`: reports to the process what its commands did to its lists.
//!
//! **Purpose.** Makes events, counts and the end of a command out of the match unit's responses.
//!
//! ```text
//!                 +---------------+--> own, count           (Initiator)
//!   response   -->| ListCompleter |--> done                 (CommandStage)
//!   outcome    -->|               |--> header, header_context (ListUnit)
//!                 +---------------+
//! ```
//!
//! **Contract.** `outcome` is what became of the message of `header` of `header_context`, one cycle later; both stay
//! until the response is reported. One response at a time, in order: its event, if it has one, then its count, then, of
//! FINAL, `done`. Taken in cycle *n*: event in *n + 2*, count in *n + 3*; the next one is taken in *n + 4*. The low
//! four bits of the handle are the operation.
//!
//! **Internals.** Events and counts by rules 3 of `docs/portals-model.md`: a header found is *_OVERFLOW (unless
//! OVER_DISABLE), or SEARCH if it stays (unless COMM_DISABLE), and counts with CT_OVERFLOW. One whose message failed
//! says so (SEARCH by its status alone), with no bytes, and counts a failure; a search that ends counts a failure,
//! unless it was to find one header and did.

use crate::bundle::{StreamIn, StreamOut};
use crate::codes::list_codes::ListCodes;
use crate::codes::match_codes::MatchCodes;
use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::counter::CounterCount;
use xtq_types::event::Event;
use xtq_types::matching::MatchResponse;
use xtq_types::pipe::HeaderOutcome;
use xtq_types::send::OwnEvent;

/// States of [`ListCompleter`].
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum ListCompleterState {
    /// Takes a response.
    Idle,
    /// Adds up where the message landed.
    Place,
    /// Offers the event.
    Tell,
    /// Counts, and ends the command.
    Count,
}

/// Says what became of commands of lists.
#[block]
pub struct ListCompleter {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// From ListResponses: what a command did, the messages it speaks of are delivered.
    pub response: StreamIn<MatchResponse>,
    /// To ListUnit: name of the response's header.
    pub header: Signal<Out, Bits<13>>,
    /// Whose.
    pub header_context: Signal<Out, Bits<2>>,
    /// What became of its message, one cycle later.
    pub outcome: Signal<In, HeaderOutcome>,
    /// To Initiator: an event.
    pub own: StreamOut<OwnEvent>,
    /// To Initiator: what counts.
    pub count: StreamOut<CounterCount>,
    /// To CommandStage: a command ended (pulse).
    pub done: Signal<Out, Bit>,
    /// With `done`: whose.
    pub done_context: Signal<Out, Bits<2>>,
    /// With `done`: how, see [`command_status`](xtq_types::command::command_status).
    pub done_status: Signal<Out, Bits<8>>,

    codes: ListCodes,
    ops: MatchCodes,
    state_q: Delay<ListCompleterState>,
    response_q: Reg<MatchResponse>,
    address_q: Reg<Bits<64>>,
    idle: Signal<Local, Bit>,
    told: Signal<Local, MatchResponse>,
    handle: Signal<Local, Bits<16>>,
    op: Signal<Local, Bits<4>>,
    kind: Signal<Local, Bits<4>>,
    request_kind: Signal<Local, Bits<3>>,
    portal: Signal<Local, Bits<6>>,
    owner: Signal<Local, Bits<2>>,
    options: Signal<Local, Bits<20>>,
    is_hit: Signal<Local, Bit>,
    failed: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    searches: Signal<Local, Bit>,
    found_none: Signal<Local, Bit>,
    posts: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
    record: Signal<Local, Event>,
    posted: Signal<Local, OwnEvent>,
    amount: Signal<Local, CounterCount>,
    ends: Signal<Local, Bit>,
}

#[kernel]
impl Logic for ListCompleter {
    fn update(&mut self) {
        self.idle.next = self.state_q.q.val() == ListCompleterState::Idle;
        self.response.ready.next = self.idle.val();
        self.response_q.d.next = self.response.data.val();
        self.response_q.en.next = self.idle.val();
        self.told.next = self.response_q.q.val();
        self.handle.next = self.told.val().handle;
        self.op.next = self.handle.val().get_bits::<4>(0);
        self.kind.next = bit_cast::<4, 2>(self.told.val().kind);
        self.owner.next = self.told.val().context;
        self.portal.next = self.told.val().portal;
        self.options.next = self.told.val().options;
        self.request_kind.next = self.told.val().request_kind;
        self.is_hit.next = self.kind.val() == self.ops.hit.val();
        self.is_last.next = self.kind.val() == self.ops.last.val();
        self.searches.next = (self.op.val() == self.ops.me_search_only.val())
            | (self.op.val() == self.ops.me_search_delete.val());
        self.found_none.next = self.is_last.val()
            & self.searches.val()
            & (self.told.val().code == self.ops.not_found.val());
        self.address_q.d.next = self.told.val().start + self.told.val().offset;
        self.address_q.en.next = self.state_q.q.val() == ListCompleterState::Place;

        // What became of the message of a header.
        self.header.next = self.told.val().header;
        self.header_context.next = self.owner.val();
        self.failed.next = self.is_hit.val() & (self.outcome.val().ni_fail != 0);

        // Its event: of a header all that the message carried, else what the entry is.
        self.record.next.kind = self.codes.search.val();
        self.record.next.status = self.codes.ok.val();
        self.record.next.access = self.codes.none.val();
        self.record.next.ni_fail = self.codes.ni_ok.val();
        self.record.next.source_node = 0.into();
        self.record.next.portal_index = bit_cast::<16, 6>(self.portal.val());
        self.record.next.user_id = 0.into();
        self.record.next.queue_index = 0.into();
        self.record.next.source_context = 0.into();
        self.record.next.dropped = 0.into();
        self.record.next.match_bits = 0.into();
        self.record.next.header_data = 0.into();
        self.record.next.start = 0.into();
        self.record.next.requested_length = 0.into();
        self.record.next.delivered_length = 0.into();
        self.record.next.remote_offset = 0.into();
        self.record.next.packet_id = self.told.val().user_ptr;
        self.posts.next = false;
        if self.is_hit.val() {
            self.record.next.source_node = self.told.val().source_node;
            self.record.next.user_id = self.told.val().user_id;
            self.record.next.queue_index = 1.into();
            self.record.next.source_context = self.told.val().source_context;
            self.record.next.match_bits = self.told.val().match_bits;
            self.record.next.header_data = self.told.val().header_data;
            self.record.next.start = self.address_q.q.val();
            self.record.next.requested_length = self.told.val().length;
            self.record.next.delivered_length = self.told.val().mlength;
            if self.failed.val() {
                self.record.next.delivered_length = 0.into();
            }
            self.record.next.remote_offset = self.told.val().remote_offset;
            self.record.next.status = self.outcome.val().status;
            self.record.next.access = self.outcome.val().access;
            if self.op.val() == self.ops.me_search_only.val() {
                self.posts.next = !self.options.val().get_bit(8);
            } else {
                self.posts.next = !self.options.val().get_bit(11);
                self.record.next.ni_fail = self.outcome.val().ni_fail;
                match self.request_kind.val().index() {
                    1 => self.record.next.kind = self.codes.get_overflow.val(),
                    2 => self.record.next.kind = self.codes.atomic_overflow.val(),
                    3 => self.record.next.kind = self.codes.fetch_overflow.val(),
                    4 => self.record.next.kind = self.codes.fetch_overflow.val(),
                    _ => self.record.next.kind = self.codes.put_overflow.val(),
                }
            }
        }
        if self.kind.val() == self.ops.auto_free.val() {
            self.record.next.kind = self.codes.auto_free.val();
            self.record.next.start = self.told.val().start;
            self.posts.next = !self.options.val().get_bit(12);
        }
        if self.found_none.val() {
            self.record.next.ni_fail = self.codes.ni_no_match.val();
            self.posts.next = !self.options.val().get_bit(8);
        }
        if self.is_last.val() & (self.told.val().code == self.ops.linked.val()) {
            self.record.next.kind = self.codes.link.val();
            self.posts.next = !self.options.val().get_bit(7);
        }
        if self.is_last.val() & (self.told.val().code == self.ops.consumed.val()) {
            self.record.next.kind = self.codes.auto_unlink.val();
            self.posts.next = !self.options.val().get_bit(12);
        }
        self.posted.next.context = self.owner.val();
        self.posted.next.event = self.record.val().into();
        self.own.data.next = self.posted.val();
        self.own.valid.next = (self.state_q.q.val() == ListCompleterState::Tell) & self.posts.val();

        // What counts: a header, or the end of a search.
        self.counts.next = self.options.val().get_bit(14)
            & (self.is_hit.val()
                | self.found_none.val()
                | (self.is_last.val()
                    & self.searches.val()
                    & (self.told.val().code == self.ops.found.val())
                    & !self.options.val().get_bit(3)));
        self.amount.next.context = self.owner.val();
        self.amount.next.counter = self.told.val().counter;
        self.amount.next.success = 1.into();
        self.amount.next.failure = 0.into();
        if self.options.val().get_bit(15) {
            self.amount.next.success = bit_cast::<64, 32>(self.told.val().mlength);
        }
        if self.is_last.val() | self.failed.val() {
            self.amount.next.success = 0.into();
            self.amount.next.failure = 1.into();
        }
        self.count.data.next = self.amount.val();
        self.count.valid.next =
            (self.state_q.q.val() == ListCompleterState::Count) & self.counts.val();

        // The end of a command.
        self.done_context.next = self.owner.val();
        self.done_status.next = self.codes.done.val();
        if (self.told.val().code == self.ops.in_use.val())
            | (self.told.val().code == self.ops.portal_in_use.val())
        {
            self.done_status.next = self.codes.in_use.val();
        }
        if (self.told.val().code == self.ops.id_busy.val())
            | (self.told.val().code == self.ops.no_space.val())
        {
            self.done_status.next = self.codes.bad_entry.val();
        }
        if self.told.val().code == self.ops.not_found.val() {
            self.done_status.next = self.codes.not_found.val();
        }
        if self.told.val().code == self.ops.bad_portal.val() {
            self.done_status.next = self.codes.bad_portal.val();
        }
        if self.told.val().code == self.ops.bad_command.val() {
            self.done_status.next = self.codes.bad_operation.val();
        }
        self.ends.next = (self.state_q.q.val() == ListCompleterState::Count)
            & (self.count.ready.val() | !self.counts.val())
            & self.is_last.val();
        self.done.next = self.ends.val();

        self.state_q.d.next = self.state_q.q.val();
        match self.state_q.q.val() {
            ListCompleterState::Idle => {
                if self.response.valid.val() & self.idle.val() {
                    self.state_q.d.next = ListCompleterState::Place;
                }
            }
            ListCompleterState::Place => {
                self.state_q.d.next = ListCompleterState::Tell;
            }
            ListCompleterState::Tell => {
                if self.own.ready.val() | !self.posts.val() {
                    self.state_q.d.next = ListCompleterState::Count;
                }
            }
            _ => {
                if self.count.ready.val() | !self.counts.val() {
                    self.state_q.d.next = ListCompleterState::Idle;
                }
            }
        }
    }
}
