//! `OpenPlaces`: who has which of the 16 places that a context has for open messages.
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
//! **Internals.** 16 registers of a source, all compared at once, and one of 16 bits that says which of them count: to
//! free a place, which is known late in the cycle, changes no more than its bit.

use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// The places of a context.
#[block]
pub struct OpenPlaces {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Whose message: {source node 16, source context 8}.
    pub source: Signal<In, Bits<24>>,
    /// Places of `source`.
    pub hits: Signal<Out, Bits<16>>,
    /// Places that somebody has.
    pub used: Signal<Out, Bits<16>>,
    /// Who gets the places in `stores`, as `source`.
    pub owner: Signal<In, Bits<24>>,
    /// Places to give away.
    pub stores: Signal<In, Bits<16>>,
    /// Places to free.
    pub closes: Signal<In, Bits<16>>,
    owner_q: [Reg<Bits<24>>; 16],
    used_q: Delay<Bits<16>>,
    hits_now: Signal<Local, Bits<16>>,
}

#[kernel]
impl Logic for OpenPlaces {
    fn update(&mut self) {
        self.hits_now.next = 0.into();
        for i in 0..16 {
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
