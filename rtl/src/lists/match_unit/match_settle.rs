//! `MatchSettle`: decides what becomes of a request for which the walk has ended.
//!
//! **Purpose.** Steps 1 and 3 to 8 of a Portals target, in their order: portal entry, exhaustion, permissions, header,
//! length, local offset, unlinking. Step 2, the search, is [`MatchWalk`](super::match_walk::MatchWalk)'s.
//!
//! ```text
//!   found*         -->+-------------+--> free, consume, retry, stall, last   (walk)
//!   request, wanted-->|             |--> settle_of, retire                   (window)
//!   portal         -->| MatchSettle |--> close
//!   facts, fill,      |             |--> test, act, unlink, keep,            (stores)
//!   hold           -->|             |    new_fill*, new_hold*
//!   header_valid   -->|             |--> result*, count_*
//!                     +-------------+
//! ```
//!
//! **Contract.** Facts and fill of entry `last.id` are there from the cycle after `found_valid` on; a fill that is
//! written is read back in the next cycle. A `crowded` request is exhaustion, whatever was found. A request takes two
//! cycles (`test`, `act`), an XTQ put three. What changes, changes in the cycle of `act`, which waits for
//! `result_ready`; the stores are asked to look it up in the last cycle of `test`. With `retry` instead nothing
//! changes.
//!
//! **Internals.** `test` looks at everything and keeps the answers in a bit each; `act` puts them in order. The
//! arithmetic is [`Landing`](super::landing::Landing)'s. Events are counted so that no message is admitted whose events
//! have no room: its own unless COMM_DISABLE, AUTO_UNLINK if it may be the last and not UNLINK_DISABLE, and with it
//! AUTO_FREE of an overflow entry that keeps no headers.

use super::landing::Landing;
use crate::bundle::{PulseIn, PulseOut, RefusalsOut, StreamOut};
use crate::codes::match_codes::MatchCodes;
use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::match_lists::{EntryFacts, EntryFill, EntryHold, FoundEntry, PortalState};
use xtq_types::matching::{MatchRequest, MatchResult};

/// What it is doing.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Step {
    Idle,
    Test,
    Act,
}

/// The decision about a request.
#[block]
pub struct MatchSettle {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From the walk: what was found.
    pub found: PulseIn<FoundEntry>,
    /// To the walk: it can be.
    pub free: Signal<Out, Bit>,
    /// It waits for `result_ready`.
    pub stall: Signal<Out, Bit>,
    /// Entry `last` is used up by its request.
    pub consume: Signal<Out, Bit>,
    /// Entry `last` does not match after all.
    pub retry: Signal<Out, Bit>,
    /// What was handed over last.
    pub last: Signal<Out, FoundEntry>,

    /// To the window: place of the request.
    pub settle_of: Signal<Out, Bits<2>>,
    /// From it: the request.
    pub request: Signal<In, MatchRequest>,
    /// Bytes that may move.
    pub wanted: Signal<In, Bits<32>>,
    /// It ends at this edge.
    pub retire: Signal<Out, Bit>,

    /// State of its portal entry.
    pub portal: Signal<In, PortalState>,
    /// Disable it.
    pub close: Signal<Out, Bit>,
    /// Facts of entry `last.id`.
    pub facts: Signal<In, EntryFacts>,
    /// Its fill.
    pub fill: Signal<In, EntryFill>,
    /// Its hold.
    pub hold: Signal<In, EntryHold>,
    /// The context may have one more header.
    pub header_valid: Signal<In, Bit>,
    /// Name that it would get.
    pub new_header: Signal<In, Bits<13>>,

    /// Prepare the changes.
    pub test: Signal<Out, Bit>,
    /// Remove the entry from its list.
    pub unlink: Signal<Out, Bit>,
    /// Keep an unexpected header.
    pub keep: Signal<Out, Bit>,
    /// The fill to be written.
    pub new_fill: PulseOut<EntryFill>,
    /// The hold to be written.
    pub new_hold: PulseOut<EntryHold>,
    /// Offset at which the message lands.
    pub offset: Signal<Out, Bits<64>>,
    /// Bytes that move.
    pub mlength: Signal<Out, Bits<32>>,

    /// What becomes of the request.
    pub result: StreamOut<MatchResult>,
    /// Requests that were refused (pulses).
    pub count: RefusalsOut,

    landing: Landing,
    step_q: Reg<Step>,
    last_q: Reg<FoundEntry>,
    no_portal_q: Reg<Bit>,
    disabled_q: Reg<Bit>,
    flow_q: Reg<Bit>,
    permission_q: Reg<Bit>,
    operation_q: Reg<Bit>,
    exhausted_q: Reg<Bit>,
    used_q: Reg<Bit>,
    keeps_q: Reg<Bit>,
    codes: MatchCodes,

    pointer: Signal<Local, Bits<3>>,
    xtq: Signal<Local, Bit>,
    tests: Signal<Local, Bit>,
    tested: Signal<Local, Bit>,
    options: Signal<Local, Bits<20>>,
    is_local: Signal<Local, Bit>,
    matched: Signal<Local, Bit>,
    kind: Signal<Local, Bits<4>>,
    index: Signal<Local, Bits<16>>,
    carries: Signal<Local, Bit>,
    indivisible: Signal<Local, Bit>,
    wants: Signal<Local, Bit>,
    is_overflow: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    may_unlink: Signal<Local, Bit>,
    comm_event: Signal<Local, Bits<2>>,
    unlink_events: Signal<Local, Bits<2>>,
    events: Signal<Local, Bits<2>>,
    no_room: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    again: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    lands: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    headers: Signal<Local, Bits<11>>,
    one_more: Signal<Local, Bits<11>>,
    lingers: Signal<Local, Bit>,
    disables: Signal<Local, Bit>,
    outcome: Signal<Local, Bits<4>>,
    entry: Signal<Local, Bits<12>>,
}

#[kernel]
impl Logic for MatchSettle {
    fn update(&mut self) {
        // Steps.
        self.pointer.next = self.last_q.q.val().pointer;
        self.settle_of.next = self.pointer.val().get_bits::<2>(0);
        self.matched.next = self.last_q.q.val().matched == 1;
        self.kind.next = bit_cast::<4, 3>(self.request.val().kind);
        self.xtq.next = self.kind.val() == self.codes.xtq_put.val();
        self.tests.next = self.step_q.q.val() == Step::Test;
        self.tested.next = self.landing.tested.val();
        self.acts.next = self.step_q.q.val() == Step::Act;
        self.last_q.d.next = self.found.data.val();
        self.last_q.en.next = self.found.valid.val();
        self.last.next = self.last_q.q.val();
        self.test.next = self.tested.val();

        // Lengths.
        self.options.next = self.facts.val().options;
        self.is_local.next = self.options.val().get_bit(16);
        self.landing.test.next = self.tests.val();
        self.landing.xtq.next = self.xtq.val();
        self.landing.facts.next = self.facts.val();
        self.landing.fill.next = self.fill.val();
        self.landing.length.next = self.request.val().length;
        self.landing.wanted.next = self.wanted.val();
        self.landing.remote_offset.next = self.request.val().remote_offset;
        self.offset.next = self.landing.offset.val();
        self.mlength.next = self.landing.mlength.val();
        self.new_fill.data.next = self.landing.new_fill.val();

        // Test: portal entry, permissions, header, events.
        self.index.next = self.request.val().portal_index;
        self.no_portal_q.d.next =
            self.index.val().get_bits::<10>(6).any() | (self.portal.val().allocated == 0);
        self.no_portal_q.en.next = self.tested.val();
        self.disabled_q.d.next = self.portal.val().enabled == 0;
        self.disabled_q.en.next = self.tested.val();
        self.flow_q.d.next = self.portal.val().flow_control == 1;
        self.flow_q.en.next = self.tested.val();
        self.permission_q.d.next = self.matched.val()
            & (self.facts.val().any_user == 0)
            & (self.facts.val().user_id != self.request.val().user_id);
        self.permission_q.en.next = self.tested.val();
        self.carries.next = self.kind.val() != self.codes.get.val();
        self.wants.next = (self.kind.val() == self.codes.get.val())
            | (self.kind.val() == self.codes.fetch.val())
            | (self.kind.val() == self.codes.swap.val());
        // A list of pieces takes what can lie anywhere, in any parts.
        self.indivisible.next =
            (self.kind.val() != self.codes.put.val()) & (self.kind.val() != self.codes.get.val());
        self.operation_q.d.next = self.matched.val()
            & ((self.carries.val() & !self.options.val().get_bit(1))
                | (self.wants.val() & !self.options.val().get_bit(2))
                | (self.indivisible.val() & self.options.val().get_bit(0)));
        self.operation_q.en.next = self.tested.val();
        self.is_overflow.next = self.facts.val().list == 1;
        self.keeps.next = self.is_overflow.val() & !self.options.val().get_bit(5);
        self.keeps_q.d.next = self.keeps.val();
        self.keeps_q.en.next = self.tested.val();
        self.may_unlink.next = self.options.val().get_bit(3) | (self.facts.val().has_min_free == 1);
        self.comm_event.next = 1.into();
        if self.options.val().get_bit(8) {
            self.comm_event.next = 0.into();
        }
        self.unlink_events.next = 0.into();
        if self.may_unlink.val() & !self.options.val().get_bit(12) {
            self.unlink_events.next = 1.into();
            if self.is_overflow.val() & !self.keeps.val() {
                self.unlink_events.next = 2.into();
            }
        }
        self.events.next = self.comm_event.val() + self.unlink_events.val();
        self.no_room.next = (self.portal.val().flow_control == 1)
            & (self.request.val().event_room < self.events.val());
        self.exhausted_q.d.next = !self.matched.val()
            | (self.keeps.val() & !self.header_valid.val())
            | (self.request.val().crowded == 1)
            | self.no_room.val();
        self.exhausted_q.en.next = self.tested.val();
        self.used_q.d.next = self.options.val().get_bit(3);
        self.used_q.en.next = self.tested.val();

        // Act: what becomes of it.
        self.refused.next = self.no_portal_q.q.val() | self.disabled_q.q.val();
        self.again.next =
            self.acts.val() & !self.refused.val() & self.matched.val() & self.landing.exceeds.val();
        self.lands.next = self.acts.val()
            & !self.refused.val()
            & !self.permission_q.q.val()
            & !self.operation_q.q.val()
            & !self.exhausted_q.q.val()
            & !self.landing.exceeds.val();
        self.done.next = self.acts.val() & !self.again.val() & self.result.ready.val();
        self.disables.next = !self.refused.val()
            & !self.permission_q.q.val()
            & !self.operation_q.q.val()
            & self.exhausted_q.q.val()
            & self.flow_q.q.val();
        self.consume.next = self.lands.val() & (self.used_q.q.val() | self.landing.over.val());
        self.free.next = self.done.val() | (self.step_q.q.val() == Step::Idle);
        self.retry.next = self.again.val();
        self.stall.next = self.acts.val() & !self.again.val() & !self.result.ready.val();
        self.retire.next = self.done.val();
        self.close.next = self.done.val() & self.disables.val();
        self.unlink.next = self.done.val() & self.consume.val();
        self.keep.next = self.done.val() & self.lands.val() & self.keeps_q.q.val();

        // The next step.
        self.step_q.d.next = Step::Idle;
        self.step_q.en.next = false;
        match self.step_q.q.val() {
            Step::Test => {
                self.step_q.d.next = Step::Act;
                self.step_q.en.next = self.tested.val();
            }
            Step::Act => {
                self.step_q.en.next = self.done.val() | self.again.val();
            }
            _ => {}
        }
        if self.found.valid.val() {
            self.step_q.d.next = Step::Test;
            self.step_q.en.next = true;
        }

        // Act: the entry.
        self.one_more.next = 0.into();
        if self.keeps_q.q.val() {
            self.one_more.next = 1.into();
        }
        self.headers.next = self.hold.val().headers + self.one_more.val();
        self.lingers.next =
            self.consume.val() & (self.keeps_q.q.val() | self.hold.val().headers.any());
        self.new_fill.valid.next = self.done.val() & self.lands.val() & self.is_local.val();
        self.new_hold.valid.next = self.done.val() & self.lands.val();
        self.new_hold.data.next.linked = (!self.consume.val()).into();
        self.new_hold.data.next.lingering = self.lingers.val().into();
        self.new_hold.data.next.headers = self.headers.val();

        // Act: the result.
        self.outcome.next = self.codes.matched.val();
        if self.no_portal_q.q.val() {
            self.outcome.next = self.codes.no_portal.val();
        } else if self.disabled_q.q.val() {
            self.outcome.next = self.codes.disabled.val();
        } else if self.permission_q.q.val() {
            self.outcome.next = self.codes.permission.val();
        } else if self.operation_q.q.val() {
            self.outcome.next = self.codes.operation.val();
        } else if self.exhausted_q.q.val() {
            self.outcome.next = self.codes.dropped.val();
            if self.flow_q.q.val() {
                self.outcome.next = self.codes.disabled.val();
            }
        }
        self.result.valid.next = self.acts.val() & !self.again.val();
        self.result.data.next.handle = self.request.val().handle;
        self.result.data.next.outcome = self.outcome.val().get_bits::<3>(0);
        self.result.data.next.context = self.request.val().context;
        self.result.data.next.portal = self.index.val().get_bits::<6>(0);
        self.result.data.next.portal_disabled = self.disables.val().into();
        self.result.data.next.flow_control = self.flow_q.q.val().into();
        self.result.data.next.crowded =
            (self.matched.val() & (self.request.val().crowded == 1)).into();
        self.entry.next = self.last_q.q.val().id;
        self.result.data.next.entry_id = self.entry.val().get_bits::<10>(2);
        self.result.data.next.list = self.facts.val().list;
        self.result.data.next.options = 0.into();
        if self.matched.val() & !self.refused.val() {
            self.result.data.next.options = self.options.val();
        }
        self.result.data.next.counter = self.facts.val().counter;
        self.result.data.next.user_ptr = self.facts.val().user_ptr;
        self.result.data.next.start = self.facts.val().start;
        self.result.data.next.pieces = self.facts.val().pieces;
        self.result.data.next.offset = self.landing.offset.val();
        self.result.data.next.mlength = self.landing.mlength.val();
        self.result.data.next.auto_unlink = self.consume.val().into();
        self.result.data.next.auto_free =
            (self.consume.val() & (self.facts.val().list == 1) & !self.lingers.val()).into();
        self.result.data.next.unexpected = (self.lands.val() & self.keeps_q.q.val()).into();
        self.result.data.next.header = self.new_header.val();
        self.count.context.next = self.request.val().context;
        self.count.drop.next = self.done.val()
            & ((self.outcome.val() == self.codes.no_portal.val())
                | (self.outcome.val() == self.codes.dropped.val())
                | (self.outcome.val() == self.codes.disabled.val()));
        self.count.permission.next =
            self.done.val() & (self.outcome.val() == self.codes.permission.val());
        self.count.operation.next =
            self.done.val() & (self.outcome.val() == self.codes.operation.val());
    }
}
