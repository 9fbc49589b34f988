//! `ListUnit`: the match lists of the NIC, with the commands that change them and what they tell.
//!
//! **Purpose.** Joins [`MatchUnit`](crate::lists::match_unit::MatchUnit) with those who give it commands and with the block that makes events out of its answers. It stands beside the target pipeline and the initiator.
//!
//! ```text
//!   request                 -->+----------+--> result, flow_portals, count_*   (TargetPipeline)
//!   stop, in_flight, ended  -->|          |--> enabled, line                   (TargetPipeline)
//!                              | ListUnit |
//!   command                 -->|          |--> done, done_status               (CommandStage)
//!                              +----------+--> own, count                      (Initiator)
//! ```
//!
//! **Contract.** Requests and results are those of the match unit. A command of the host is taken when it has changed the lists; its events, counts and `done` follow, those that speak of messages ([`ListWaits`]) when these are delivered:
//! the messages whose requests were accepted before `line` (pulse, with the context). `in_flight` of the context is from then on (two cycles later at the latest) 1 until the last of them has its event. One command of a context at a time: its next
//! one is offered after `done`; so `line` of a context comes when all messages before its last one are delivered. Commands of other contexts go on meanwhile. `stop` is done in turns with commands and never waits for messages to be delivered. `ended` comes for each message that left an unexpected header, no later than
//! `in_flight` tells that it is delivered.
//!
//! **Internals.** [`ListResponses`] takes all responses that a command can have (65: a header and an AUTO_FREE for each of a context's 32 headers, and FINAL; 513 in the large configuration), so that the match unit goes on with requests and with `stop` while a
//! response waits for its messages; a message of which packets are still to come, behind another's request, would else never end. What answers a `stop` is thrown away.

use crate::codes::match_codes::MatchCodes;
use crate::leaf::{Ram, Reg};
use crate::lists::list_arbiter::ListArbiter;
use crate::lists::list_completer::ListCompleter;
use crate::lists::list_responses::ListResponses;
use crate::lists::list_waits::ListWaits;
use crate::lists::match_unit::MatchUnit;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::matching::{MatchCommand, MatchRequest, MatchResponse, MatchResult};
use xtq_types::pipe::HeaderOutcome;
use xtq_types::send::{CounterCount, OwnEvent};

/// Match lists, with commands and events: `2^E` entries and `2^H` headers, as in [`MatchUnit`]; `EN` = `E + 1`, `HN` = `H + 1`, `R` = `H + 2`.
#[block]
pub struct ListUnit<
    const E: usize,
    const EN: usize,
    const H: usize,
    const HN: usize,
    const R: usize,
> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; forgets all entries, headers and portal entries.
    pub rst: Signal<In, Bit>,

    /// From TargetPipeline: a message's header.
    pub request: Signal<In, MatchRequest>,
    /// `request` is valid.
    pub request_valid: Signal<In, Bit>,
    /// It is taken.
    pub request_ready: Signal<Out, Bit>,
    /// To TargetPipeline: what becomes of it.
    pub result: Signal<Out, MatchResult>,
    /// `result` is valid.
    pub result_valid: Signal<Out, Bit>,
    /// It is taken.
    pub result_ready: Signal<In, Bit>,
    /// To TargetPipeline: enabled portal entries with flow control, 7 bits a context, context 0 lowest.
    pub flow_portals: Signal<Out, Bits<28>>,
    /// To Registers: a request was dropped, or refused by a disabled portal entry (pulse).
    pub count_drop: Signal<Out, Bit>,
    /// To Registers: an entry was for another user (pulse).
    pub count_permission: Signal<Out, Bit>,
    /// To Registers: an entry did not allow the operation (pulse).
    pub count_operation: Signal<Out, Bit>,
    /// Context of these pulses.
    pub count_context: Signal<Out, Bits<2>>,
    /// From TargetPipeline: disable {context 2, portal entry 6}.
    pub stop: Signal<In, Bits<8>>,
    /// `stop` is valid.
    pub stop_valid: Signal<In, Bit>,
    /// It is done.
    pub stop_ready: Signal<Out, Bit>,
    /// To TargetPipeline: {context 2, portal entry 6} takes messages, the host says.
    pub enabled: Signal<Out, Bits<8>>,
    /// `enabled` is valid (pulse).
    pub enabled_valid: Signal<Out, Bit>,
    /// To TargetPipeline: `in_flight` of this context is asked about what was accepted until now.
    pub line: Signal<Out, Bits<2>>,
    /// `line` is valid (pulse).
    pub line_valid: Signal<Out, Bit>,
    /// From TargetPipeline, a bit a context: a message whose request was accepted before `line` is not delivered yet.
    pub in_flight: Signal<In, Bits<4>>,
    /// From TargetPipeline: what became of a message that left an unexpected header.
    pub ended: Signal<In, HeaderOutcome>,
    /// It is delivered (pulse).
    pub ended_valid: Signal<In, Bit>,
    /// {context 2, name of the header 11}.
    pub ended_header: Signal<In, Bits<13>>,

    /// From CommandStage: a command.
    pub command: Signal<In, MatchCommand>,
    /// `command` is valid.
    pub command_valid: Signal<In, Bit>,
    /// It has changed the lists.
    pub command_ready: Signal<Out, Bit>,
    /// To CommandStage: all that follows from it is told (pulse).
    pub done: Signal<Out, Bit>,
    /// With `done`: whose.
    pub done_context: Signal<Out, Bits<2>>,
    /// With `done`: how it ended, see [`command_status`](xtq_types::command::command_status).
    pub done_status: Signal<Out, Bits<8>>,
    /// To Initiator: an event.
    pub own: Signal<Out, OwnEvent>,
    /// `own` is valid.
    pub own_valid: Signal<Out, Bit>,
    /// It is taken.
    pub own_ready: Signal<In, Bit>,
    /// To Initiator: what counts.
    pub count: Signal<Out, CounterCount>,
    /// `count` is valid.
    pub count_valid: Signal<Out, Bit>,
    /// It is taken.
    pub count_ready: Signal<In, Bit>,

    codes: MatchCodes,
    lists: MatchUnit<E, EN, H, HN>,
    arbiter: ListArbiter,
    responses: ListResponses<H, R>,
    completer: ListCompleter,
    /// What became of messages: of each context, by name of their headers.
    outcomes: [Ram<HeaderOutcome, HN>; 4],
    waits: ListWaits,
    /// A response of the command at hand has come.
    inside_q: Reg<Bit>,
    response: Signal<Local, MatchResponse>,
    handle: Signal<Local, Bits<16>>,
    kind: Signal<Local, Bits<4>>,
    hosts: Signal<Local, Bit>,
    kept: Signal<Local, Bit>,
    portal: Signal<Local, Bits<6>>,
    owner: Signal<Local, Bits<2>>,
    op: Signal<Local, Bits<4>>,
    ended_name: Signal<Local, Bits<11>>,
    ended_context: Signal<Local, Bits<2>>,
}

#[kernel]
impl<const E: usize, const EN: usize, const H: usize, const HN: usize, const R: usize> Logic
    for ListUnit<E, EN, H, HN, R>
{
    fn update(&mut self) {
        // Requests.
        self.lists.request.next = self.request.val();
        self.lists.request_valid.next = self.request_valid.val();
        self.request_ready.next = self.lists.request_ready.val();
        self.result.next = self.lists.result.val();
        self.result_valid.next = self.lists.result_valid.val();
        self.lists.result_ready.next = self.result_ready.val();
        self.flow_portals.next = self.lists.flow_portals.val();
        self.count_drop.next = self.lists.count_drop.val();
        self.count_permission.next = self.lists.count_permission.val();
        self.count_operation.next = self.lists.count_operation.val();
        self.count_context.next = self.lists.count_context.val();

        // Commands.
        self.arbiter.command.next = self.command.val();
        self.arbiter.command_valid.next = self.command_valid.val();
        self.command_ready.next = self.arbiter.command_ready.val();
        self.arbiter.stop.next = self.stop.val();
        self.arbiter.stop_valid.next = self.stop_valid.val();
        self.stop_ready.next = self.arbiter.stop_ready.val();
        self.lists.command.next = self.arbiter.job.val();
        self.lists.command_valid.next = self.arbiter.job_valid.val();
        self.arbiter.job_ready.next = self.lists.command_ready.val();

        // The host's responses wait for their messages.
        self.response.next = self.lists.response.val();
        self.handle.next = self.response.val().handle;
        self.kind.next = bit_cast::<4, 2>(self.response.val().kind);
        self.hosts.next = !self.handle.val().get_bit(15);
        self.lists.response_ready.next = self.responses.response_ready.val() | !self.hosts.val();
        self.responses.response.next = self.response.val();
        self.responses.response_valid.next = self.lists.response_valid.val() & self.hosts.val();
        self.responses.in_flight.next = self.in_flight.val();
        self.kept.next = self.lists.response_valid.val()
            & self.hosts.val()
            & self.responses.response_ready.val();
        self.inside_q.d.next = self.kind.val() != self.codes.last.val();
        self.inside_q.en.next = self.kept.val();
        self.line.next = self.response.val().context;
        self.waits.response.next = self.response.val();
        self.line_valid.next = self.kept.val() & self.waits.waits.val() & !self.inside_q.q.val();

        // A portal entry is open from now on: no request is under way at the end of a command.
        self.portal.next = self.response.val().portal;
        self.owner.next = self.response.val().context;
        self.op.next = self.handle.val().get_bits::<4>(0);
        self.enabled.next =
            (bit_cast::<8, 2>(self.owner.val()) << 6) | bit_cast::<8, 6>(self.portal.val());
        self.enabled_valid.next = self.kept.val()
            & (self.kind.val() == self.codes.last.val())
            & (self.response.val().code == self.codes.ok.val())
            & ((self.op.val() == self.codes.pt_alloc.val())
                | (self.op.val() == self.codes.pt_enable.val()));

        // What became of unexpected messages: written before what speaks of them can be told.
        self.ended_name.next = self.ended_header.val().get_bits::<11>(0);
        self.ended_context.next = self.ended_header.val().get_bits::<2>(11);
        for i in 0..4 {
            self.outcomes[i].write_addr.next = bit_cast::<HN, 11>(self.ended_name.val());
            self.outcomes[i].write_data.next = self.ended.val();
            self.outcomes[i].write_en.next = false;
            self.outcomes[i].read_addr.next = bit_cast::<HN, 11>(self.completer.header.val());
        }
        match self.ended_context.val().index() {
            0 => self.outcomes[0].write_en.next = self.ended_valid.val(),
            1 => self.outcomes[1].write_en.next = self.ended_valid.val(),
            2 => self.outcomes[2].write_en.next = self.ended_valid.val(),
            _ => self.outcomes[3].write_en.next = self.ended_valid.val(),
        }
        match self.completer.header_context.val().index() {
            0 => self.completer.outcome.next = self.outcomes[0].read_data.val(),
            1 => self.completer.outcome.next = self.outcomes[1].read_data.val(),
            2 => self.completer.outcome.next = self.outcomes[2].read_data.val(),
            _ => self.completer.outcome.next = self.outcomes[3].read_data.val(),
        }

        // What is told.
        self.completer.response.next = self.responses.told.val();
        self.completer.response_valid.next = self.responses.told_valid.val();
        self.responses.told_ready.next = self.completer.response_ready.val();
        self.own.next = self.completer.own.val();
        self.own_valid.next = self.completer.own_valid.val();
        self.completer.own_ready.next = self.own_ready.val();
        self.count.next = self.completer.count.val();
        self.count_valid.next = self.completer.count_valid.val();
        self.completer.count_ready.next = self.count_ready.val();
        self.done.next = self.completer.done.val();
        self.done_context.next = self.completer.done_context.val();
        self.done_status.next = self.completer.done_status.val();
    }
}
