//! `PlaceShares`: how many places of the store of triggered operations each context has.
//!
//! **Purpose.** The store is divided among the four contexts, so that none can take the places of another. Which place
//! is whose is not its business: it counts.
//!
//! ```text
//!                              +-------------+
//!   asker                   -->|             |--> room, last (same cycle)
//!   take, take_context      -->| PlaceShares |
//!   back, back_context      -->|             |
//!   occupied_context        -->|             |--> occupied (same cycle)
//!                              +-------------+
//! ```
//!
//! **Contract.** `room`: `asker` has fewer than a quarter of the places; `last`: one fewer. `take` and `back` count at
//! the edge and may come together. `take` only with `room` for its context, `back` only for a place that was taken.
//! Reset: nobody has any.
//!
//! **Internals.** A count a context, `L` bits wide for `2^(L - 1)` places.

use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Counts for four contexts that share `2^(L - 1)` places.
#[block]
#[check(L >= 4, "PlaceShares: {} places for four contexts, must be 8 or more", (1usize << L) / 2)]
pub struct PlaceShares<const L: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Context that asks for a place.
    pub asker: Signal<In, Bits<2>>,
    /// It may have one.
    pub room: Signal<Out, Bit>,
    /// It may have one and no more.
    pub last: Signal<Out, Bit>,
    /// A place is taken (pulse).
    pub take: Signal<In, Bit>,
    /// Context that takes it.
    pub take_context: Signal<In, Bits<2>>,
    /// A place becomes free (pulse).
    pub back: Signal<In, Bit>,
    /// Context that had it.
    pub back_context: Signal<In, Bits<2>>,
    /// Context whose places are asked for.
    pub occupied_context: Signal<In, Bits<2>>,
    /// Places that it has.
    pub occupied: Signal<Out, Bits<L>>,
    counts: [Reg<Bits<L>>; 4],
    one: Signal<Local, Bits<4>>,
    taken: Signal<Local, Bits<4>>,
    given: Signal<Local, Bits<4>>,
    asking: Signal<Local, Bits<4>>,
    asked: Signal<Local, Bits<4>>,
    #[value((1u64 << (L - 3)).to_bits())]
    share: Constant<Bits<L>>,
    #[value(((1u64 << (L - 3)) - 1).to_bits())]
    nearly: Constant<Bits<L>>,
}

#[kernel]
impl<const L: usize> Logic for PlaceShares<L> {
    fn update(&mut self) {
        self.one.next = 1.into();
        self.taken.next = 0.into();
        if self.take.val() {
            self.taken.next = self.one.val() << self.take_context.val();
        }
        self.given.next = 0.into();
        if self.back.val() {
            self.given.next = self.one.val() << self.back_context.val();
        }
        self.asking.next = self.one.val() << self.asker.val();
        self.asked.next = self.one.val() << self.occupied_context.val();
        self.room.next = false;
        self.last.next = false;
        self.occupied.next = 0.into();
        for i in 0..4 {
            self.counts[i].d.next = self.counts[i].q.val() + 1;
            if self.given.val().get_bit(i) {
                self.counts[i].d.next = self.counts[i].q.val() - 1;
            }
            self.counts[i].en.next = self.taken.val().get_bit(i) ^ self.given.val().get_bit(i);
            if self.asking.val().get_bit(i) {
                self.room.next = self.counts[i].q.val() != self.share.val();
                self.last.next = self.counts[i].q.val() == self.nearly.val();
            }
            if self.asked.val().get_bit(i) {
                self.occupied.next = self.counts[i].q.val();
            }
        }
    }
}
