//! `EventRings`: the event ring of each context, as counts and addresses.
//!
//! **Purpose.** Admission reserves a place in the ring before it accepts a message that will post an event, so that no
//! unread event is ever overwritten; the completer asks where the event goes. The events themselves are written by the
//! completer; nothing of a ring but its counts is kept here.
//!
//! ```text
//!                      +------------+
//!   cfg_*           -->|            |--> room, room_flow
//!   flow_portals    -->|            |--> post_address, post_dropped  (same cycle)
//!   hold, reserve,  -->| EventRings |--> places, has_ring
//!   lost, give_back -->|            |--> status_data                 (next cycle)
//!   unreserve, post -->|            |
//!   visible         -->|            |
//!                      +------------+
//! ```
//!
//! **Contract.** `room` bit *c*: context *c* has a place that is neither filled nor reserved, besides one for each of
//! its enabled flow-control portal entries; `room_flow`: the same without that exception. Both are exact in every
//! cycle, except that a consumer's step counts two cycles after the window write. `places`: how many places `room`
//! speaks of, 3 for three or more. `hold` takes up to three of them, `give_back` gives up to three back. `reserve`
//! takes a place that `room` or `room_flow` showed, `unreserve` gives it back, `post` fills it; each is done at the
//! edge, all may come together. `post` without a reservation and `reserve` without room are faults of the caller.
//! `lost`, 0 to 3, counts into the next event's `dropped` (at most 255). Writing SIZE empties the ring and starts it at
//! BASE with all counts 0; a SIZE that is not a power of two is taken as 0, no ring. BASE is 64-byte aligned and
//! changes only before SIZE is written; SIZE is written only while nothing of the context is under way. A CONSUMER
//! beyond the visible events is ignored. Window writes are at least two cycles apart. Counts run modulo 2^32. Reset: no
//! ring.
//!
//! **Internals.** One `EventRing` a context. It keeps the number of free places itself (`free_q`), so that `room` needs
//! no subtraction, and the address of the next place, so that `post_address` needs no addition.

use crate::bundle::{PulseIn, ReadBackIn, WindowIn};
use crate::leaf::per_context::PerContext;
use crate::leaf::{Delay, Reg, RingSize};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// The ring of one context.
#[block]
struct EventRing {
    clk: Signal<In, Clock>,
    rst: Signal<In, Bit>,
    cfg_write: Signal<In, Bit>,
    cfg_word: Signal<In, Bits<2>>,
    cfg_data: Signal<In, Bits<32>>,
    status_word: Signal<In, Bits<3>>,
    /// The word, in the same cycle.
    status_data: Signal<Out, Bits<32>>,
    flow_portals: Signal<In, Bits<8>>,
    hold: Signal<In, Bits<2>>,
    give_back: Signal<In, Bits<2>>,
    reserve: Signal<In, Bit>,
    unreserve: Signal<In, Bit>,
    lost: Signal<In, Bits<2>>,
    post: Signal<In, Bit>,
    visible: Signal<In, Bit>,
    room: Signal<Out, Bit>,
    places: Signal<Out, Bits<2>>,
    exists: Signal<Out, Bit>,
    room_flow: Signal<Out, Bit>,
    address: Signal<Out, Bits<64>>,
    dropped: Signal<Out, Bits<8>>,

    base_low_q: Reg<Bits<32>>,
    base_high_q: Reg<Bits<32>>,
    size_q: Reg<Bits<32>>,
    /// Index of the last place, size - 1.
    last_q: Reg<Bits<32>>,
    consumer_q: Reg<Bits<32>>,
    producer_q: Reg<Bits<32>>,
    /// Visible events that are not taken: producer - consumer.
    unread_q: Delay<Bits<32>>,
    /// Places neither filled nor reserved.
    free_q: Delay<Bits<32>>,
    /// Where the next event goes: address and index in the ring.
    address_q: Reg<Bits<64>>,
    index_q: Reg<Bits<32>>,
    dropped_q: Delay<Bits<8>>,
    /// A written CONSUMER and its step, to be tested.
    step_valid_q: Delay<Bit>,
    step_q: Reg<Bits<32>>,
    base: Signal<Local, Bits<64>>,
    restart: Signal<Local, Bit>,
    ring: RingSize,
    accepted: Signal<Local, Bit>,
    moved: Signal<Local, Bits<32>>,
    moved_stepped: Signal<Local, Bits<32>>,
    seen: Signal<Local, Bits<32>>,
    seen_stepped: Signal<Local, Bits<32>>,
    free_high: Signal<Local, Bits<22>>,
    free_low: Signal<Local, Bits<10>>,
    spare: Signal<Local, Bits<11>>,
    spare_low: Signal<Local, Bits<10>>,
    spare_many: Signal<Local, Bits<8>>,
    up: Signal<Local, Bits<3>>,
    down: Signal<Local, Bits<3>>,
    dropped_now: Signal<Local, Bits<9>>,
    at_end: Signal<Local, Bit>,
}

#[kernel]
impl Logic for EventRing {
    fn update(&mut self) {
        self.restart.next = self.cfg_write.val() & (self.cfg_word.val() == 2);
        self.consumer_q.rst.next = self.rst.val() | self.restart.val();
        self.producer_q.rst.next = self.rst.val() | self.restart.val();

        // Window.
        self.base.next = (bit_cast::<64, 32>(self.base_high_q.q.val()) << 32)
            | bit_cast::<64, 32>(self.base_low_q.q.val());
        self.base_low_q.d.next = self.cfg_data.val();
        self.base_low_q.en.next = self.cfg_write.val() & (self.cfg_word.val() == 0);
        self.base_high_q.d.next = self.cfg_data.val();
        self.base_high_q.en.next = self.cfg_write.val() & (self.cfg_word.val() == 1);
        self.ring.wanted.next = self.cfg_data.val();
        self.size_q.d.next = self.ring.size.val();
        self.size_q.en.next = self.restart.val();
        self.last_q.d.next = self.ring.last.val();
        self.last_q.en.next = self.restart.val();

        // A consumer's step counts if it stays within the visible events. What the counts are with it and without it is
        // found beside that comparison.
        self.step_q.d.next = self.cfg_data.val() - self.consumer_q.q.val();
        self.step_q.en.next = self.cfg_write.val() & (self.cfg_word.val() == 3);
        self.step_valid_q.d.next = self.cfg_write.val() & (self.cfg_word.val() == 3);
        self.accepted.next =
            self.step_valid_q.q.val() & (self.step_q.q.val() <= self.unread_q.q.val());
        self.consumer_q.d.next = self.consumer_q.q.val() + self.step_q.q.val();
        self.consumer_q.en.next = self.accepted.val();

        // Counts.
        self.up.next = bit_cast::<3, 2>(self.give_back.val());
        if self.unreserve.val() {
            self.up.next = bit_cast::<3, 2>(self.give_back.val()) + 1;
        }
        self.down.next = bit_cast::<3, 2>(self.hold.val());
        if self.reserve.val() {
            self.down.next = bit_cast::<3, 2>(self.hold.val()) + 1;
        }
        self.moved.next = self.free_q.q.val() + bit_cast::<32, 3>(self.up.val())
            - bit_cast::<32, 3>(self.down.val());
        self.moved_stepped.next =
            self.free_q.q.val() + self.step_q.q.val() + bit_cast::<32, 3>(self.up.val())
                - bit_cast::<32, 3>(self.down.val());
        self.seen.next = self.unread_q.q.val() + bit_cast::<32, 1>(self.visible.val().into());
        self.seen_stepped.next = self.unread_q.q.val() - self.step_q.q.val()
            + bit_cast::<32, 1>(self.visible.val().into());
        self.free_q.d.next = self.moved.val();
        self.unread_q.d.next = self.seen.val();
        if self.accepted.val() {
            self.free_q.d.next = self.moved_stepped.val();
            self.unread_q.d.next = self.seen_stepped.val();
        }
        self.producer_q.d.next = self.producer_q.q.val() + 1;
        self.producer_q.en.next = self.visible.val();

        // The next place.
        self.at_end.next = self.index_q.q.val() == self.last_q.q.val();
        self.address_q.d.next = self.address_q.q.val() + 64;
        self.address_q.en.next = self.post.val();
        self.index_q.d.next = self.index_q.q.val() + 1;
        self.index_q.en.next = self.post.val();
        if self.at_end.val() {
            self.address_q.d.next = self.base.val();
            self.index_q.d.next = 0.into();
        }
        self.dropped_now.next =
            bit_cast::<9, 8>(self.dropped_q.q.val()) + bit_cast::<9, 2>(self.lost.val());
        self.dropped_q.d.next = self.dropped_now.val().get_bits::<8>(0);
        if self.dropped_now.val().get_bit(8) {
            self.dropped_q.d.next = 255.into();
        }
        if self.post.val() {
            self.dropped_q.d.next = bit_cast::<8, 2>(self.lost.val());
        }

        if self.restart.val() {
            self.free_q.d.next = self.ring.size.val();
            self.unread_q.d.next = 0.into();
            self.address_q.d.next = self.base.val();
            self.address_q.en.next = true;
            self.index_q.d.next = 0.into();
            self.index_q.en.next = true;
            self.dropped_q.d.next = 0.into();
        }

        self.free_high.next = self.free_q.q.val().get_bits::<22>(10);
        self.free_low.next = self.free_q.q.val().get_bits::<10>(0);
        self.spare.next =
            bit_cast::<11, 10>(self.free_low.val()) - bit_cast::<11, 8>(self.flow_portals.val());
        self.spare_low.next = self.spare.val().get_bits::<10>(0);
        self.spare_many.next = self.spare.val().get_bits::<8>(2);
        self.places.next = self.spare.val().get_bits::<2>(0);
        if self.spare_many.val().any() {
            self.places.next = 3.into();
        }
        if self.spare.val().get_bit(10) {
            self.places.next = 0.into();
        }
        if self.free_high.val().any() {
            self.places.next = 3.into();
        }
        self.room.next = self.free_high.val().any()
            | (!self.spare.val().get_bit(10) & self.spare_low.val().any());
        self.exists.next = self.size_q.q.val().any();
        self.room_flow.next = self.free_q.q.val().any();
        self.address.next = self.address_q.q.val();
        self.dropped.next = self.dropped_q.q.val();

        self.status_data.next = bit_cast::<32, 8>(self.dropped_q.q.val());
        match self.status_word.val().index() {
            0 => self.status_data.next = self.base_low_q.q.val(),
            1 => self.status_data.next = self.base_high_q.q.val(),
            2 => self.status_data.next = self.size_q.q.val(),
            3 => self.status_data.next = self.consumer_q.q.val(),
            4 => self.status_data.next = self.producer_q.q.val(),
            _ => self.status_data.next = bit_cast::<32, 8>(self.dropped_q.q.val()),
        }
    }
}

/// The event rings of `C` contexts. One that is not there has no ring, and no place in it.
#[block]
pub struct EventRings<const C: usize = 4> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From Registers: window, {context 2, word 2}: 0 BASE_LO, 1 BASE_HI, 2 SIZE in events, 3 CONSUMER.
    pub cfg: WindowIn<4>,
    /// From Registers: word to read, {context 2, word 3}: 0 to 3 as in the window, 4 PRODUCER, 5 DROPPED.
    pub status: ReadBackIn<5>,

    /// From PortalTable: enabled flow-control entries, 5 bits a context.
    pub flow_portals: Signal<In, Bits<20>>,
    /// From MatchStage: places kept for flow-control entries with lists, 7 bits a context.
    pub flow_held: Signal<In, Bits<28>>,
    /// From MatchStage: places of context `hold_context` that are held now.
    pub hold: Signal<In, Bits<2>>,
    /// Context.
    pub hold_context: Signal<In, Bits<2>>,
    /// From Admission: places of context `lost` that were held and are not needed.
    pub give_back: Signal<In, Bits<2>>,
    /// To MatchStage: free places besides those kept for flow control, 3: three or more; two bits a context.
    pub places: Signal<Out, Bits<8>>,
    /// To MatchStage, one bit per context: it has a ring.
    pub has_ring: Signal<Out, Bits<4>>,
    /// From Admission: the context in whose ring a place is to be held.
    pub reserve: PulseIn<Bits<2>>,
    /// Events of context `lost` that find no room.
    pub lost_count: Signal<In, Bits<2>>,
    /// Context; also that of `give_back`.
    pub lost: Signal<In, Bits<2>>,
    /// To Admission, one bit per context: a place is free, besides those kept for flow control.
    pub room: Signal<Out, Bits<4>>,
    /// To Admission, one bit per context: a place is free.
    pub room_flow: Signal<Out, Bits<4>>,

    /// From Completer: the context of a held place that is given back.
    pub unreserve: PulseIn<Bits<2>>,
    /// From Completer: context of the next event.
    pub post_context: Signal<In, Bits<2>>,
    /// Where it goes, in the same cycle.
    pub post_address: Signal<Out, Bits<64>>,
    /// Events lost before it, in the same cycle.
    pub post_dropped: Signal<Out, Bits<8>>,
    /// From Completer: the event of `post_context` takes its place.
    pub post: Signal<In, Bit>,
    /// From Completer: the context whose oldest posted event is in memory now.
    pub visible: PulseIn<Bits<2>>,

    rings: PerContext<EventRing, C>,
    status_q: Delay<Bits<32>>,
    one: Signal<Local, Bits<4>>,
    cfg_hot: Signal<Local, Bits<4>>,
    reserve_hot: Signal<Local, Bits<4>>,
    lost_hot: Signal<Local, Bits<4>>,
    unreserve_hot: Signal<Local, Bits<4>>,
    hold_hot: Signal<Local, Bits<4>>,
    single_flow: Signal<Local, Bits<5>>,
    lists_flow: Signal<Local, Bits<7>>,
    post_hot: Signal<Local, Bits<4>>,
    visible_hot: Signal<Local, Bits<4>>,
    cfg_context: Signal<Local, Bits<2>>,
    status_context: Signal<Local, Bits<2>>,
    status_hot: Signal<Local, Bits<4>>,
    rooms: Signal<Local, Bits<4>>,
    rooms_flow: Signal<Local, Bits<4>>,
    exist: Signal<Local, Bits<4>>,
    all_places: Signal<Local, Bits<8>>,
}

impl<const C: usize> EventRings<C> {
    /// Rings whose running counts start at `first` instead of 0: for tests of the wrap at 2^32. `first` must be a
    /// multiple of every SIZE used, so that a count still names its place.
    pub fn counting_from(first: u32) -> Self {
        Self {
            rings: PerContext::of(|| EventRing {
                producer_q: Reg::new(u64::from(first).to_bits()),
                consumer_q: Reg::new(u64::from(first).to_bits()),
                ..EventRing::default()
            }),
            ..Self::default()
        }
    }
}

#[kernel]
impl<const C: usize> Logic for EventRings<C> {
    fn update(&mut self) {
        self.one.next = 1.into();
        self.cfg_context.next = self.cfg.addr.val().get_bits::<2>(2);
        self.cfg_hot.next = self.one.val() << self.cfg_context.val();
        self.reserve_hot.next = self.one.val() << self.reserve.data.val();
        self.lost_hot.next = self.one.val() << self.lost.val();
        self.unreserve_hot.next = self.one.val() << self.unreserve.data.val();
        self.hold_hot.next = self.one.val() << self.hold_context.val();
        self.post_hot.next = self.one.val() << self.post_context.val();
        self.visible_hot.next = self.one.val() << self.visible.data.val();
        self.status_context.next = self.status.addr.val().get_bits::<2>(3);
        self.status_hot.next = self.one.val() << self.status_context.val();
        self.rooms.next = 0.into();
        self.rooms_flow.next = 0.into();
        self.exist.next = 0.into();
        self.all_places.next = 0.into();
        self.post_address.next = 0.into();
        self.post_dropped.next = 0.into();
        self.status_q.d.next = 0.into();
        for i in 0..C {
            self.rings[i].cfg_write.next = self.cfg.write.val() & self.cfg_hot.val().get_bit(i);
            self.rings[i].cfg_word.next = self.cfg.addr.val().get_bits::<2>(0);
            self.rings[i].cfg_data.next = self.cfg.data.val();
            self.rings[i].status_word.next = self.status.addr.val().get_bits::<3>(0);
            self.single_flow.next = self.flow_portals.val().get_bits::<5>(i * 5);
            self.lists_flow.next = self.flow_held.val().get_bits::<7>(i * 7);
            self.rings[i].flow_portals.next =
                bit_cast::<8, 5>(self.single_flow.val()) + bit_cast::<8, 7>(self.lists_flow.val());
            self.rings[i].reserve.next =
                self.reserve.valid.val() & self.reserve_hot.val().get_bit(i);
            self.rings[i].lost.next = 0.into();
            self.rings[i].give_back.next = 0.into();
            if self.lost_hot.val().get_bit(i) {
                self.rings[i].lost.next = self.lost_count.val();
                self.rings[i].give_back.next = self.give_back.val();
            }
            self.rings[i].unreserve.next =
                self.unreserve.valid.val() & self.unreserve_hot.val().get_bit(i);
            self.rings[i].hold.next = 0.into();
            if self.hold_hot.val().get_bit(i) {
                self.rings[i].hold.next = self.hold.val();
            }
            self.rings[i].post.next = self.post.val() & self.post_hot.val().get_bit(i);
            self.rings[i].visible.next =
                self.visible.valid.val() & self.visible_hot.val().get_bit(i);
            self.rooms.next = self.rooms.val().replace_bit(i, self.rings[i].room.val());
            self.rooms_flow.next = self
                .rooms_flow
                .val()
                .replace_bit(i, self.rings[i].room_flow.val());
            self.exist.next = self.exist.val().replace_bit(i, self.rings[i].exists.val());
            for bit in 0..2 {
                self.all_places.next = self
                    .all_places
                    .val()
                    .replace_bit(i * 2 + bit, self.rings[i].places.val().get_bit(bit));
            }
            if self.post_hot.val().get_bit(i) {
                self.post_address.next = self.rings[i].address.val();
                self.post_dropped.next = self.rings[i].dropped.val();
            }
            if self.status_hot.val().get_bit(i) {
                self.status_q.d.next = self.rings[i].status_data.val();
            }
        }
        self.room.next = self.rooms.val();
        self.room_flow.next = self.rooms_flow.val();
        self.has_ring.next = self.exist.val();
        self.places.next = self.all_places.val();
        self.status.data.next = self.status_q.q.val();
    }
}
