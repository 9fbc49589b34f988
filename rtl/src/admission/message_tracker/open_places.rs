//! `OpenPlaces`: who has which of the places that a context has for open messages.
//!
//! **Purpose.** A context's part of [`OpenMessages`](crate::admission::message_tracker::open_messages::OpenMessages):
//! it finds the place of a message by its source.
//!
//! ```text
//!   source        -->+------------+--> hits   (same cycle)
//!   owner, stores -->| OpenPlaces |--> used
//!   closes        -->|            |
//!                    +------------+
//! ```
//!
//! **Contract.** `hits`: a bit for each place of `source`; the caller sees to it that there is one at most. At an edge
//! the places in `stores` are given to `owner`, those in `closes` become free; a place is not in both. Reset: all are
//! free.
//!
//! **Internals.** A register of a source for each, all compared at once, and a bit that says which of them count: to
//! free a place, which is known late in the cycle, changes no more than its bit.

use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// The `N` places of a context.
#[block]
pub struct OpenPlaces<const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Whose message: {reply 1, source node 16, source context 8}.
    pub source: Signal<In, Bits<25>>,
    /// Places of `source`.
    pub hits: Signal<Out, Bits<N>>,
    /// Places that somebody has.
    pub used: Signal<Out, Bits<N>>,
    /// Who gets the places in `stores`, as `source`.
    pub owner: Signal<In, Bits<25>>,
    /// Places to give away.
    pub stores: Signal<In, Bits<N>>,
    /// Places to free.
    pub closes: Signal<In, Bits<N>>,
    #[value(vec![Reg::default(); N])]
    owner_q: Vec<Reg<Bits<25>>>,
    used_q: Delay<Bits<N>>,
    hits_now: Signal<Local, Bits<N>>,
}

#[kernel]
impl<const N: usize> Logic for OpenPlaces<N> {
    fn update(&mut self) {
        self.hits_now.next = 0.into();
        for i in 0..N {
            self.hits_now.next = self
                .hits_now
                .val()
                .replace_bit(i, self.owner_q[i].q.val() == self.source.val());
            self.owner_q[i].en.next = self.stores.val().get_bit(i);
            self.owner_q[i].d.next = self.owner.val();
        }
        self.used_q.d.next = (self.used_q.q.val() | self.stores.val()) & !self.closes.val();
        self.hits.next = self.hits_now.val() & self.used_q.q.val();
        self.used.next = self.used_q.q.val();
    }
}
