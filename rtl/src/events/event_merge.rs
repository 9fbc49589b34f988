//! `EventMerge`: events of the initiator into the event rings, between those of the completer.
//!
//! **Purpose.** The completer holds a place in the ring for each event that it will post; what the initiator reports
//! (sent, acknowledged, command done) has none. Both write through one requester of the write port, so that the events
//! of a ring become visible in their order.
//!
//! ```text
//!                       +------------+
//!   own              -->|            |--> event_write     (write port)   <- event_write_done, _error
//!   held_write       -->|            |--> held_done, held_error          (completer)
//!   held_post        -->| EventMerge |--> claim, lost, post_context, post  (event rings)
//!   room             -->|            |<-- post_address, post_dropped
//!   reserving, losing-->|            |--> visible, event_failed
//!                       +------------+
//! ```
//!
//! **Contract.** `held_write` and `held_post` pass in the same cycle. An own event is posted when its ring has room,
//! besides what flow control keeps, in a cycle in which neither the completer posts nor admission reserves (or is about
//! to) nor an event of the completer waits for the write port. Without room it is lost, and `lost` says so, but not
//! while the lists may still give back places (`undecided`): then it waits. An event of the completer that comes
//! meanwhile waits until the own event is with the write port. So the writes of a ring leave in the order of its
//! places. `visible` and `event_failed` report both, in order. Up to 64 events of the completer (it sees to that) and
//! 32 own ones wait for their acknowledgement.
//!
//! **Internals.** `order` remembers whose write each is; `contexts` the contexts of the own ones.

use crate::bundle::{PulseIn, PulseOut, StreamIn, StreamOut};
use crate::leaf::{Fifo, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::event::{Event, EventUnpack};
use xtq_types::memory::WriteRequest;
use xtq_types::send::OwnEvent;

/// Own events beside those of the completer.
#[block]
pub struct EventMerge {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From InitiatorCompleter: an event. It is taken when it is posted or lost.
    pub own: StreamIn<OwnEvent>,

    /// From Completer: context of its next event.
    pub held_context: Signal<In, Bits<2>>,
    /// From Completer: its event takes its place.
    pub held_post: Signal<In, Bit>,
    /// From Completer: the event.
    pub held_write: StreamIn<WriteRequest>,
    /// To Completer: its oldest event is acknowledged.
    pub held_done: Signal<Out, Bit>,
    /// From Completer: an event of context `held_visible` is in memory.
    pub held_visible: PulseIn<Bits<2>>,

    /// From Admission: it reserves a place in this cycle, or has looked for one and not decided.
    pub reserving: Signal<In, Bit>,
    /// From Admission: it loses an event in this cycle.
    pub losing: Signal<In, Bit>,
    /// From EventRings, one bit per context: there is a place.
    pub room: Signal<In, Bits<4>>,
    /// From MatchStage, one bit per context: places are held that may be given back.
    pub undecided: Signal<In, Bits<4>>,
    /// To EventRings: hold a place of `own_context`, as Admission does.
    pub claim: Signal<Out, Bit>,
    /// To EventRings and Registers: an event of `own_context` is lost.
    pub lost: Signal<Out, Bit>,
    /// Context of the own event.
    pub own_context: Signal<Out, Bits<2>>,
    /// To EventRings: context of the next event.
    pub post_context: Signal<Out, Bits<2>>,
    /// Where it goes, in the same cycle.
    pub post_address: Signal<In, Bits<64>>,
    /// Events lost before it, in the same cycle.
    pub post_dropped: Signal<In, Bits<8>>,
    /// To EventRings: it takes its place.
    pub post: Signal<Out, Bit>,
    /// To EventRings and Registers: the context of an event that is in memory now.
    pub visible: PulseOut<Bits<2>>,
    /// To Registers: the write of an own event failed, of context `visible`.
    pub own_failed: Signal<Out, Bit>,

    /// To WritePort: an event.
    pub event_write: StreamOut<WriteRequest>,
    /// From WritePort: the oldest event is acknowledged.
    pub event_write_done: Signal<In, Bit>,
    /// With `event_write_done`: its write failed.
    pub event_write_error: Signal<In, Bit>,

    unpack: EventUnpack,
    own_q: Reg<WriteRequest>,
    own_valid_q: Reg<Bit>,
    /// Whose writes are under way: 1 own.
    order: Fifo<Bit, 7, 8>,
    contexts: Fifo<Bits<2>, 5, 6>,
    owner: Signal<Local, Bits<2>>,
    has_room: Signal<Local, Bit>,
    can_post: Signal<Local, Bit>,
    claiming: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    losing_own: Signal<Local, Bit>,
    own_done: Signal<Local, Bit>,
    zero: Signal<Local, Bits<64>>,
    record: Signal<Local, Event>,
    write: Signal<Local, WriteRequest>,
}

#[kernel]
impl Logic for EventMerge {
    fn update(&mut self) {
        // An own event takes a place, or is lost.
        self.owner.next = self.own.data.val().context;
        self.own_context.next = self.own.data.val().context;
        self.has_room.next = self.room.val().get_bit(self.owner.val().index());
        self.can_post.next = !self.own_valid_q.q.val()
            & !self.held_post.val()
            & !self.held_write.valid.val()
            & self.contexts.write.ready.val();
        self.claiming.next = self.own.valid.val()
            & self.has_room.val()
            & self.can_post.val()
            & !self.reserving.val();
        self.full.next = !self.has_room.val()
            & !self.undecided.val().get_bit(self.owner.val().index())
            & !self.losing.val();
        self.losing_own.next = self.own.valid.val() & self.full.val();
        self.own.ready.next =
            (self.has_room.val() & self.can_post.val() & !self.reserving.val()) | self.full.val();
        self.claim.next = self.claiming.val();
        self.lost.next = self.losing_own.val();

        // The place.
        self.post_context.next = self.held_context.val();
        if self.claiming.val() {
            self.post_context.next = self.owner.val();
        }
        self.post.next = self.held_post.val() | self.claiming.val();
        self.contexts.write.data.next = self.owner.val();
        self.contexts.write.valid.next = self.claiming.val();

        // Its write.
        self.zero.next = 0.into();
        self.unpack.raw.next = self.own.data.val().event;
        self.record.next = self.unpack.fields.val();
        self.record.next.dropped = self.post_dropped.val();
        self.write.next.first = 1.into();
        self.write.next.last = 1.into();
        self.write.next.atomic = 0.into();
        self.write.next.context = self.owner.val();
        self.write.next.length = 0.into();
        self.write.next.address = self.post_address.val();
        self.write.next.strobe = !self.zero.val();
        self.write.next.data = self.record.val().into();
        self.own_q.d.next = self.write.val();
        self.own_q.en.next = self.claiming.val();
        self.own_valid_q.d.next = self.claiming.val();
        self.own_valid_q.en.next =
            self.claiming.val() | (self.event_write.ready.val() & self.order.write.ready.val());

        // One stream of writes: the own event that waits is older than any that comes from the completer.
        self.event_write.data.next = self.held_write.data.val();
        self.event_write.valid.next = self.held_write.valid.val() & self.order.write.ready.val();
        if self.own_valid_q.q.val() {
            self.event_write.data.next = self.own_q.q.val();
            self.event_write.valid.next = self.order.write.ready.val();
        }
        self.held_write.ready.next =
            self.event_write.ready.val() & self.order.write.ready.val() & !self.own_valid_q.q.val();
        self.order.write.data.next = self.own_valid_q.q.val();
        self.order.write.valid.next =
            self.event_write.ready.val() & (self.own_valid_q.q.val() | self.held_write.valid.val());

        // Acknowledgements in the order of the writes.
        self.order.read.ready.next = self.event_write_done.val();
        self.own_done.next =
            self.event_write_done.val() & self.order.read.valid.val() & self.order.read.data.val();
        self.held_done.next = self.event_write_done.val() & !self.own_done.val();
        self.contexts.read.ready.next = self.own_done.val();
        self.visible.valid.next = self.held_visible.valid.val() | self.own_done.val();
        self.visible.data.next = self.held_visible.data.val();
        if self.own_done.val() {
            self.visible.data.next = self.contexts.read.data.val();
        }
        self.own_failed.next = self.own_done.val() & self.event_write_error.val();
    }
}
