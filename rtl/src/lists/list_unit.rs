//! `ListUnit`: the match lists of the NIC, with the commands that change them and what they report.
//!
//! **Purpose.** Joins [`MatchUnit`](crate::lists::match_unit::MatchUnit) with those who give it commands and with the
//! block that makes events out of its answers. It stands beside the target pipeline and the initiator.
//!
//! ```text
//!   request                 -->+----------+--> result, flow_portals, count_*   (TargetPipeline)
//!   stop, in_flight, ended  -->|          |--> enabled, line                   (TargetPipeline)
//!                              | ListUnit |
//!   command                 -->|          |--> done, done_status               (CommandStage)
//!                              +----------+--> own, count                      (Initiator)
//! ```
//!
//! **Contract.** Requests and results are those of the match unit. A command of the host is taken when it has changed
//! the lists. Its events, counts and `done` follow, those that speak of messages ([`ListWaits`]) when these are
//! delivered: the messages whose requests were accepted before `line` (pulse, with the context). `in_flight` of the
//! context is from then on (two cycles later at the latest) 1 until the last of them has its event. One command of a
//! context at a time: its next one is offered after `done`; so `line` of a context comes when all messages before its
//! last one are delivered. Commands of other contexts go on meanwhile. `stop` is done in turns with commands and never
//! waits for messages to be delivered. `ended` comes for each message that left an unexpected header, no later than
//! `in_flight` says that it is delivered.
//!
//! **Internals.** [`ListResponses`] takes all responses that a command can have (65: a header and an AUTO_FREE for each
//! of a context's 32 headers, and FINAL; 2,049 in the large configuration). So the match unit goes on with requests and
//! with `stop` while a response waits for its messages. A message of which packets are still to come, after another's
//! request, would else never end. What answers a `stop` is thrown away.

use crate::bundle::{PulseIn, PulseOut, StreamIn, StreamOut};
use crate::codes::match_codes::MatchCodes;
use crate::leaf::{Ram, Reg};
use crate::lists::list_arbiter::ListArbiter;
use crate::lists::list_completer::ListCompleter;
use crate::lists::list_responses::ListResponses;
use crate::lists::list_waits::ListWaits;
use crate::lists::match_unit::MatchUnit;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::counter::CounterCount;
use xtq_types::matching::{MatchCommand, MatchRequest, MatchResponse, MatchResult};
use xtq_types::pipe::HeaderOutcome;
use xtq_types::send::OwnEvent;

/// Match lists, with commands and events: `2^E` entries and `2^H` headers, as in [`MatchUnit`]; `EN` = `E + 1`, `HN` =
/// `H + 1`, `R` = `H + 2`.
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
    pub request: StreamIn<MatchRequest>,
    /// To TargetPipeline: what becomes of it.
    pub result: StreamOut<MatchResult>,
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
    /// From TargetPipeline: disable {context 2, portal entry 6}. It is taken when that is done.
    pub stop: StreamIn<Bits<8>>,
    /// To TargetPipeline: {context 2, portal entry 6} takes messages, the host says.
    pub enabled: PulseOut<Bits<8>>,
    /// To TargetPipeline: `in_flight` of this context is asked about what was accepted until now.
    pub line: PulseOut<Bits<2>>,
    /// From TargetPipeline, one bit per context: a message whose request was accepted before `line` is not delivered
    /// yet.
    pub in_flight: Signal<In, Bits<4>>,
    /// From TargetPipeline: what became of a message that left an unexpected header.
    pub ended: PulseIn<HeaderOutcome>,
    /// {context 2, name of the header 13}.
    pub ended_header: Signal<In, Bits<15>>,

    /// From CommandStage: a command. It is taken when it has changed the lists.
    pub command: StreamIn<MatchCommand>,
    /// To CommandStage: all that follows from it is reported (pulse).
    pub done: Signal<Out, Bit>,
    /// With `done`: whose.
    pub done_context: Signal<Out, Bits<2>>,
    /// With `done`: how it ended, see [`command_status`](xtq_types::command::command_status).
    pub done_status: Signal<Out, Bits<8>>,
    /// To Initiator: an event.
    pub own: StreamOut<OwnEvent>,
    /// To Initiator: what counts.
    pub count: StreamOut<CounterCount>,

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
    ended_name: Signal<Local, Bits<13>>,
    ended_context: Signal<Local, Bits<2>>,
}

#[kernel]
impl<const E: usize, const EN: usize, const H: usize, const HN: usize, const R: usize> Logic
    for ListUnit<E, EN, H, HN, R>
{
    fn update(&mut self) {
        // Requests.
        connect!(self.request => self.lists.request);
        connect!(self.lists.result => self.result);
        self.flow_portals.next = self.lists.flow_portals.val();
        self.count_drop.next = self.lists.count.drop.val();
        self.count_permission.next = self.lists.count.permission.val();
        self.count_operation.next = self.lists.count.operation.val();
        self.count_context.next = self.lists.count.context.val();

        // Commands.
        connect!(self.command => self.arbiter.command);
        connect!(self.stop => self.arbiter.stop);
        connect!(self.arbiter.job => self.lists.command);

        // The host's responses wait for their messages.
        self.response.next = self.lists.response.data.val();
        self.handle.next = self.response.val().handle;
        self.kind.next = bit_cast::<4, 2>(self.response.val().kind);
        self.hosts.next = !self.handle.val().get_bit(15);
        self.lists.response.ready.next = self.responses.response.ready.val() | !self.hosts.val();
        self.responses.response.data.next = self.response.val();
        self.responses.response.valid.next = self.lists.response.valid.val() & self.hosts.val();
        self.responses.in_flight.next = self.in_flight.val();
        self.kept.next = self.lists.response.valid.val()
            & self.hosts.val()
            & self.responses.response.ready.val();
        self.inside_q.d.next = self.kind.val() != self.codes.last.val();
        self.inside_q.en.next = self.kept.val();
        self.line.data.next = self.response.val().context;
        self.waits.response.next = self.response.val();
        self.line.valid.next = self.kept.val() & self.waits.waits.val() & !self.inside_q.q.val();

        // A portal entry is open from now on: no request is under way at the end of a command.
        self.portal.next = self.response.val().portal;
        self.owner.next = self.response.val().context;
        self.op.next = self.handle.val().get_bits::<4>(0);
        self.enabled.data.next =
            (bit_cast::<8, 2>(self.owner.val()) << 6) | bit_cast::<8, 6>(self.portal.val());
        self.enabled.valid.next = self.kept.val()
            & (self.kind.val() == self.codes.last.val())
            & (self.response.val().code == self.codes.ok.val())
            & ((self.op.val() == self.codes.pt_alloc.val())
                | (self.op.val() == self.codes.pt_enable.val()));

        // What became of unexpected messages: written before what speaks of them can be reported.
        self.ended_name.next = self.ended_header.val().get_bits::<13>(0);
        self.ended_context.next = self.ended_header.val().get_bits::<2>(13);
        for i in 0..4 {
            self.outcomes[i].write_addr.next = bit_cast::<HN, 13>(self.ended_name.val());
            self.outcomes[i].write_data.next = self.ended.data.val();
            self.outcomes[i].write_en.next = false;
            self.outcomes[i].read_addr.next = bit_cast::<HN, 13>(self.completer.header.val());
        }
        match self.ended_context.val().index() {
            0 => self.outcomes[0].write_en.next = self.ended.valid.val(),
            1 => self.outcomes[1].write_en.next = self.ended.valid.val(),
            2 => self.outcomes[2].write_en.next = self.ended.valid.val(),
            _ => self.outcomes[3].write_en.next = self.ended.valid.val(),
        }
        match self.completer.header_context.val().index() {
            0 => self.completer.outcome.next = self.outcomes[0].read_data.val(),
            1 => self.completer.outcome.next = self.outcomes[1].read_data.val(),
            2 => self.completer.outcome.next = self.outcomes[2].read_data.val(),
            _ => self.completer.outcome.next = self.outcomes[3].read_data.val(),
        }

        // What is reported.
        connect!(self.responses.told => self.completer.response);
        connect!(self.completer.own => self.own);
        connect!(self.completer.count => self.count);
        self.done.next = self.completer.done.val();
        self.done_context.next = self.completer.done_context.val();
        self.done_status.next = self.completer.done_status.val();
    }
}
