//! `MatchStage`: asks the lists about every message, ahead of time, and keeps places in the event ring for the answers.
//!
//! **Purpose.** Stands between the parser and the lookup stage. A head goes on at once; if it is the first of a message
//! for a portal entry with lists its request goes to [`ListUnit`](crate::lists::list_unit::ListUnit), whose results
//! admission takes in the order of the heads.
//!
//! ```text
//!   head            -->+------------+--> out                    (lookup stage)
//!   max_*_sizes      -->|            |
//!   has_lists, single  |            |--> request                (ListUnit)
//!   places, has_ring -->| MatchStage |--> hold, hold_context     (event rings)
//!   long_ended       -->|            |
//!   decided, delivered  |            |--> flow_held, in_flight
//!   flow_portals    -->+------------+
//! ```
//!
//! **Contract.** `out` is `head` with `lists` set if it is the first of its message, `has_lists` is up, it is no reply
//! and the portal entry is no single buffer (`single`: one bit per entry of
//! [`PortalTable`](crate::admission::portal_table::PortalTable)). A request is offered one cycle after its head, if no
//! other waits. With it up to three places of the event ring are held (`hold`), as many as there are; how many is in
//! the low bits of `handle` and in `event_room`. A message of several packets for which its context has no place
//! ([`LongMessages`]) is `crowded`. Its request waits until admission has taken (`taken`) all heads before it, so that
//! none is refused for a place that an older one may not take or gives back. Fewer than three are held only while no
//! other message is undecided (or there is no ring), so that no message is refused, or its events lost, for places that
//! an older one holds and may not need. Of a message at most `max_message_sizes` of its context move, of an atomic
//! `max_atomic_sizes`, or one datum where the operation takes an operand (`limit`). `decided` (pulse): admission took a
//! result; it gives back what it does not need. `flow_held`: places that are kept for PT_DISABLED, for each context the
//! largest number of enabled entries with flow control since no message was undecided; so the place of an entry that
//! was just disabled is not given away. `line` (pulse, with its context; one at a time of a context): from the next
//! cycle on `in_flight` of the context is up until all messages are delivered whose requests were made until then.
//! Nothing is held for `busy_context` in a cycle with `busy`. What happens to a portal entry while a head waits does
//! not matter for this head. `undecided`: one bit per context, requests of it were made whose results admission has not
//! taken.
//!
//! **Internals.** Two bits say which of the two ways a head has gone already; the request waits in a register. The
//! messages of a context have one of two colours, which travels in `handle` and comes back with `delivered`; a line
//! changes the colour, so those before it are those of the old one.

use crate::atomics::atomic_check::AtomicCheck;
use crate::bundle::{PulseIn, StreamIn, StreamOut};
use crate::codes::match_codes::MatchCodes;
use crate::leaf::context_counts::ContextCounts;
use crate::leaf::{Delay, Reg};
use crate::lists::long_messages::LongMessages;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::matching::MatchRequest;
use xtq_types::pipe::PacketHead;

/// Sends requests to the lists; a fourth of `2^I` messages of several packets for each context.
#[block]
pub struct MatchStage<const I: usize = 6> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// There are lists.
    pub has_lists: Signal<In, Bit>,
    /// From Registers: the most bytes of a message that move, 32 bits a context, context 0 lowest.
    pub max_message_sizes: Signal<In, Bits<128>>,
    /// The same of an atomic, 10 bits a context.
    pub max_atomic_sizes: Signal<In, Bits<40>>,
    /// From the parser: a packet's header.
    pub head: StreamIn<PacketHead>,
    /// To the lookup stage: the header.
    pub out: StreamOut<PacketHead>,
    /// To the trace: the header goes on (pulse).
    pub passes: Signal<Out, Bit>,
    /// To ListUnit: which entry takes the message?
    pub request: StreamOut<MatchRequest>,

    /// From PortalTable, one bit per entry {context 2, entry 4}: it is a single buffer.
    pub single: Signal<In, Bits<64>>,
    /// From EventRings: free places but those kept for PT_DISABLED, 0 to 3 (3: or more), two bits a context.
    pub places: Signal<In, Bits<8>>,
    /// From EventRings, one bit per context: it has a ring.
    pub has_ring: Signal<In, Bits<4>>,
    /// Admission counts on the places of `busy_context` that it saw.
    pub busy: Signal<In, Bit>,
    /// Context.
    pub busy_context: Signal<In, Bits<2>>,
    /// To EventRings: places that are held now.
    pub hold: Signal<Out, Bits<2>>,
    /// Context.
    pub hold_context: Signal<Out, Bits<2>>,
    /// A request is made in this cycle.
    pub holding: Signal<Out, Bit>,
    /// From ListUnit: enabled entries with flow control, 7 bits a context.
    pub flow_portals: Signal<In, Bits<28>>,
    /// To EventRings: places kept for PT_DISABLED, 7 bits a context.
    pub flow_held: Signal<Out, Bits<28>>,
    /// From Admission: a result is taken (pulse).
    pub decided: Signal<In, Bit>,
    /// Its context.
    pub decided_context: Signal<In, Bits<2>>,
    /// To EventMerge, one bit per context: messages are undecided, and may give back places.
    pub undecided: Signal<Out, Bits<4>>,
    /// From Completer: a message that the lists decided about is delivered or refused (pulse).
    pub delivered: Signal<In, Bit>,
    /// Its context.
    pub delivered_context: Signal<In, Bits<2>>,
    /// Its colour.
    pub delivered_colour: Signal<In, Bit>,
    /// From ListUnit: context in which a line is drawn.
    pub line: PulseIn<Bits<2>>,
    /// To ListUnit, one bit per context: messages from before the line are on their way.
    pub in_flight: Signal<Out, Bits<4>>,

    /// From Admission: a head is taken (pulse).
    pub taken: Signal<In, Bit>,
    /// From Admission: a message of several packets was refused or has ended (pulse).
    pub long_ended: Signal<In, Bit>,
    /// Its context.
    pub long_context: Signal<In, Bits<2>>,

    codes: MatchCodes,
    atomics: AtomicCheck,
    long: LongMessages<I>,
    /// Heads that went on and that admission has not taken.
    ahead_q: Reg<Bits<5>>,
    sent_q: Reg<Bit>,
    /// The head on `head` was there before, and whether it goes to the lists.
    waited_q: Delay<Bit>,
    wants_q: Reg<Bit>,
    passed_q: Reg<Bit>,
    request_q: Reg<MatchRequest>,
    request_valid_q: Reg<Bit>,
    /// Messages whose results admission has not taken.
    undecided_q: Reg<Bits<5>>,
    held_q: [Reg<Bits<7>>; 4],
    /// Requests made, and results taken, of each context.
    made: ContextCounts<5>,
    settled: ContextCounts<5>,
    /// Colour of new messages of each context.
    colour_q: Reg<Bits<4>>,
    /// Messages asked about, and those delivered, of each context, by colour. 256 may be on their way and 1,024 GETs
    /// wait for their reply.
    asked_0: ContextCounts<11>,
    asked_1: ContextCounts<11>,
    ended_0: ContextCounts<11>,
    ended_1: ContextCounts<11>,

    owner: Signal<Local, Bits<2>>,
    portal: Signal<Local, Bits<16>>,
    high: Signal<Local, Bits<12>>,
    low: Signal<Local, Bits<4>>,
    entry: Signal<Local, Bits<6>>,
    is_single: Signal<Local, Bit>,
    wants: Signal<Local, Bit>,
    room: Signal<Local, Bits<2>>,
    alone: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    sent: Signal<Local, Bit>,
    passed: Signal<Local, Bit>,
    both: Signal<Local, Bit>,
    marked: Signal<Local, PacketHead>,
    asked: Signal<Local, MatchRequest>,
    one: Signal<Local, Bits<4>>,
    colour: Signal<Local, Bit>,
    tag: Signal<Local, Bits<16>>,
    is_long: Signal<Local, Bit>,
    crowded: Signal<Local, Bit>,
    settled_before: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    busy_0: Signal<Local, Bits<4>>,
    busy_1: Signal<Local, Bits<4>>,
    flows: Signal<Local, Bits<7>>,
    longest: Signal<Local, Bits<32>>,
    longest_atomic: Signal<Local, Bits<10>>,
}

#[kernel]
impl<const I: usize> Logic for MatchStage<I> {
    fn update(&mut self) {
        // Who decides about it?
        self.owner.next = self.head.data.val().context;
        self.portal.next = self.head.data.val().portal_index;
        self.high.next = self.portal.val().get_bits::<12>(4);
        self.low.next = self.portal.val().get_bits::<4>(0);
        self.entry.next =
            (bit_cast::<6, 2>(self.owner.val()) << 4) | bit_cast::<6, 4>(self.low.val());
        self.is_single.next =
            !self.high.val().any() & self.single.val().get_bit(self.entry.val().index());
        self.wants.next =
            self.has_lists.val() & (self.head.data.val().first == 1) & !self.is_single.val();
        if self.head.data.val().reply == 1 {
            self.wants.next = false;
        }
        // What was decided when it came counts until it has left.
        if self.waited_q.q.val() {
            self.wants.next = self.wants_q.q.val();
        }
        self.wants_q.d.next = self.wants.val();
        self.wants_q.en.next = self.head.valid.val();
        self.marked.next = self.head.data.val();
        self.marked.next.lists = self.wants.val().into();
        self.out.data.next = self.marked.val();

        // A request, when places can be held for it.
        self.room.next = self.places.val().get_bits::<2>(0);
        match self.owner.val().index() {
            0 => self.room.next = self.places.val().get_bits::<2>(0),
            1 => self.room.next = self.places.val().get_bits::<2>(2),
            2 => self.room.next = self.places.val().get_bits::<2>(4),
            _ => self.room.next = self.places.val().get_bits::<2>(6),
        }
        self.alone.next = !self.undecided_q.q.val().any();
        self.may.next = !(self.busy.val() & (self.busy_context.val() == self.owner.val()))
            & (self.alone.val()
                | self.room.val().all()
                | !self.has_ring.val().get_bit(self.owner.val().index()));
        self.long.owner.next = self.owner.val();
        self.is_long.next = (self.head.data.val().first == 1) & (self.head.data.val().last == 0);
        self.crowded.next = self.is_long.val() & self.long.full.val();
        self.settled_before.next = !self.crowded.val() | !self.ahead_q.q.val().any();
        self.free.next = !self.request_valid_q.q.val() | self.request.ready.val();
        self.issue.next = self.head.valid.val()
            & self.wants.val()
            & !self.sent_q.q.val()
            & self.free.val()
            & self.settled_before.val()
            & self.may.val();
        self.holding.next = self.issue.val();
        self.hold_context.next = self.owner.val();
        self.hold.next = 0.into();
        if self.issue.val() {
            self.hold.next = self.room.val();
        }
        self.colour.next = self.colour_q.q.val().get_bit(self.owner.val().index());
        self.tag.next = bit_cast::<16, 2>(self.room.val());
        if self.colour.val() {
            self.tag.next = self.tag.val() | 4;
        }
        self.asked.next.crowded = self.crowded.val().into();
        self.asked.next.kind = self.codes.put.val().get_bits::<3>(0);
        if self.head.data.val().xtq == 1 {
            self.asked.next.kind = self.codes.xtq_put.val().get_bits::<3>(0);
        }
        if self.head.data.val().get == 1 {
            self.asked.next.kind = self.codes.get.val().get_bits::<3>(0);
        }
        if self.head.data.val().atomic == 1 {
            self.asked.next.kind = self.codes.atomic.val().get_bits::<3>(0);
            if self.head.data.val().fetch == 1 {
                self.asked.next.kind = self.codes.fetch.val().get_bits::<3>(0);
            }
            if self.head.data.val().swap == 1 {
                self.asked.next.kind = self.codes.swap.val().get_bits::<3>(0);
            }
        }
        self.asked.next.event_room = self.room.val();
        self.asked.next.context = self.owner.val();
        self.asked.next.portal_index = self.portal.val();
        self.asked.next.source_node = self.head.data.val().source_node;
        self.asked.next.source_context = self.head.data.val().source_context;
        self.asked.next.user_id = self.head.data.val().user_id;
        self.asked.next.match_bits = self.head.data.val().match_bits;
        self.asked.next.length = self.head.data.val().message_length;
        // The most that moves: what the process lets move of a message, of an atomic, or one datum.
        self.longest.next = self.max_message_sizes.val().get_bits::<32>(0);
        self.longest_atomic.next = self.max_atomic_sizes.val().get_bits::<10>(0);
        match self.owner.val().index() {
            0 => {
                self.longest.next = self.max_message_sizes.val().get_bits::<32>(0);
                self.longest_atomic.next = self.max_atomic_sizes.val().get_bits::<10>(0);
            }
            1 => {
                self.longest.next = self.max_message_sizes.val().get_bits::<32>(32);
                self.longest_atomic.next = self.max_atomic_sizes.val().get_bits::<10>(10);
            }
            2 => {
                self.longest.next = self.max_message_sizes.val().get_bits::<32>(64);
                self.longest_atomic.next = self.max_atomic_sizes.val().get_bits::<10>(20);
            }
            _ => {
                self.longest.next = self.max_message_sizes.val().get_bits::<32>(96);
                self.longest_atomic.next = self.max_atomic_sizes.val().get_bits::<10>(30);
            }
        }
        self.atomics.operation.next = self.head.data.val().operation;
        self.atomics.datatype.next = self.head.data.val().datatype;
        self.asked.next.limit = self.longest.val();
        if self.head.data.val().atomic == 1 {
            self.asked.next.limit = bit_cast::<32, 10>(self.longest_atomic.val());
            if self.atomics.single.val() {
                self.asked.next.limit = 8.into();
                if self.atomics.size.val() == 0 {
                    self.asked.next.limit = 1.into();
                }
                if self.atomics.size.val() == 1 {
                    self.asked.next.limit = 2.into();
                }
                if self.atomics.size.val() == 2 {
                    self.asked.next.limit = 4.into();
                }
            }
        }
        self.asked.next.remote_offset = self.head.data.val().remote_offset;
        self.asked.next.header_data = self.head.data.val().header_data;
        self.asked.next.handle = self.tag.val();
        self.request_q.d.next = self.asked.val();
        self.request_q.en.next = self.issue.val();
        self.request_valid_q.d.next = self.issue.val();
        self.request_valid_q.en.next = self.free.val();
        self.request.data.next = self.request_q.q.val();
        self.request.valid.next = self.request_valid_q.q.val();
        self.undecided_q.en.next = self.issue.val() != self.decided.val();
        self.undecided_q.d.next = self.undecided_q.q.val() + 1;
        if self.decided.val() {
            self.undecided_q.d.next = self.undecided_q.q.val() - 1;
        }

        // The head goes both ways, each once.
        self.sent.next = self.sent_q.q.val() | self.issue.val() | !self.wants.val();
        self.passed.next = self.passed_q.q.val() | self.out.ready.val();
        self.both.next = self.sent.val() & self.passed.val();
        self.waited_q.d.next = self.head.valid.val() & !self.both.val();
        self.out.valid.next = self.head.valid.val() & !self.passed_q.q.val();
        self.passes.next = self.head.valid.val() & !self.passed_q.q.val() & self.out.ready.val();
        self.head.ready.next = self.both.val();
        self.sent_q.d.next = self.sent.val() & !self.both.val();
        self.sent_q.en.next = self.head.valid.val();
        self.passed_q.d.next = self.passed.val() & !self.both.val();
        self.passed_q.en.next = self.head.valid.val();

        // Messages of several packets, also those that are not for the lists: they take their places at admission, in
        // order.
        self.enters.next = self.head.valid.val() & self.both.val();
        self.long.enters.next = self.enters.val() & self.is_long.val();
        self.long.leaves.next = self.long_ended.val();
        self.long.leave_context.next = self.long_context.val();
        self.ahead_q.en.next = self.enters.val() != self.taken.val();
        self.ahead_q.d.next = self.ahead_q.q.val() + 1;
        if self.taken.val() {
            self.ahead_q.d.next = self.ahead_q.q.val() - 1;
        }

        // Places for PT_DISABLED: a decrease waits until nothing is undecided.
        for i in 0..4 {
            self.flows.next = self.flow_portals.val().get_bits::<7>(i * 7);
            self.held_q[i].d.next = self.flows.val();
            self.held_q[i].en.next = self.alone.val() | (self.flows.val() > self.held_q[i].q.val());
        }
        self.flow_held.next = bit_cast::<28, 7>(self.held_q[0].q.val())
            | (bit_cast::<28, 7>(self.held_q[1].q.val()) << 7)
            | (bit_cast::<28, 7>(self.held_q[2].q.val()) << 14)
            | (bit_cast::<28, 7>(self.held_q[3].q.val()) << 21);

        self.made.owner.next = self.owner.val();
        self.made.up.next = self.issue.val();
        self.made.down.next = false;
        self.settled.owner.next = self.decided_context.val();
        self.settled.up.next = self.decided.val();
        self.settled.down.next = false;
        self.undecided.next =
            bit_cast::<4, 1>((self.made.count_0.val() != self.settled.count_0.val()).into())
                | (bit_cast::<4, 1>(
                    (self.made.count_1.val() != self.settled.count_1.val()).into(),
                ) << 1)
                | (bit_cast::<4, 1>(
                    (self.made.count_2.val() != self.settled.count_2.val()).into(),
                ) << 2)
                | (bit_cast::<4, 1>(
                    (self.made.count_3.val() != self.settled.count_3.val()).into(),
                ) << 3);

        // On their way, by colour. Both counts go round.
        self.one.next = 1.into();
        self.colour_q.d.next = self.colour_q.q.val() ^ (self.one.val() << self.line.data.val());
        self.colour_q.en.next = self.line.valid.val();
        self.asked_0.owner.next = self.owner.val();
        self.asked_0.up.next = self.issue.val() & !self.colour.val();
        self.asked_0.down.next = false;
        self.asked_1.owner.next = self.owner.val();
        self.asked_1.up.next = self.issue.val() & self.colour.val();
        self.asked_1.down.next = false;
        self.ended_0.owner.next = self.delivered_context.val();
        self.ended_0.up.next = self.delivered.val() & !self.delivered_colour.val();
        self.ended_0.down.next = false;
        self.ended_1.owner.next = self.delivered_context.val();
        self.ended_1.up.next = self.delivered.val() & self.delivered_colour.val();
        self.ended_1.down.next = false;
        self.busy_0.next =
            bit_cast::<4, 1>((self.asked_0.count_0.val() != self.ended_0.count_0.val()).into())
                | (bit_cast::<4, 1>(
                    (self.asked_0.count_1.val() != self.ended_0.count_1.val()).into(),
                ) << 1)
                | (bit_cast::<4, 1>(
                    (self.asked_0.count_2.val() != self.ended_0.count_2.val()).into(),
                ) << 2)
                | (bit_cast::<4, 1>(
                    (self.asked_0.count_3.val() != self.ended_0.count_3.val()).into(),
                ) << 3);
        self.busy_1.next =
            bit_cast::<4, 1>((self.asked_1.count_0.val() != self.ended_1.count_0.val()).into())
                | (bit_cast::<4, 1>(
                    (self.asked_1.count_1.val() != self.ended_1.count_1.val()).into(),
                ) << 1)
                | (bit_cast::<4, 1>(
                    (self.asked_1.count_2.val() != self.ended_1.count_2.val()).into(),
                ) << 2)
                | (bit_cast::<4, 1>(
                    (self.asked_1.count_3.val() != self.ended_1.count_3.val()).into(),
                ) << 3);
        // Those before the line have the other colour.
        self.in_flight.next = (self.busy_0.val() & self.colour_q.q.val())
            | (self.busy_1.val() & !self.colour_q.q.val());
    }
}
