//! `OpenPlaces`: who has which of the 16 places that a context has for open messages.
//!
//! **Purpose.** A context's part of [`OpenMessages`](crate::open_messages::OpenMessages): it finds the place of a message by its source.
//!
//! ```text
//!   source        -->+------------+--> hits   (same cycle)
//!   owner, stores -->| OpenPlaces |--> used
//!   closes        -->|            |
//!                    +------------+
//! ```
//!
//! **Contract.** `hits`: a bit for each place of `source`; the caller sees to it that there is one at most. At an edge the places in `stores` are given to `owner`, those in `closes` become free; a place is not in both. Reset:
//! all are free.
//!
//! **Internals.** 16 registers of valid and source, all compared at once.

use crate::leaf::Reg;
use rust_hdl::prelude::*;

/// The places of a context.
#[derive(Clone, Debug, LogicBlock)]
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
    owner_q: Vec<Reg<Bits<25>>>,
    wanted: Signal<Local, Bits<25>>,
    stored: Signal<Local, Bits<25>>,
    hits_now: Signal<Local, Bits<16>>,
    used_now: Signal<Local, Bits<16>>,
    top: Constant<Bits<25>>,
}

impl Default for OpenPlaces {
    fn default() -> Self {
        Self {
            clk: Signal::default(),
            rst: Signal::default(),
            source: Signal::default(),
            hits: Signal::default(),
            used: Signal::default(),
            stores: Signal::default(),
            closes: Signal::default(),
            owner: Signal::default(),
            owner_q: vec![Reg::default(); 16],
            wanted: Signal::default(),
            stored: Signal::default(),
            hits_now: Signal::default(),
            used_now: Signal::default(),
            top: Constant::new((1u64 << 24).to_bits()),
        }
    }
}

impl Logic for OpenPlaces {
    #[hdl_gen]
    fn update(&mut self) {
        self.wanted.next = bit_cast::<25, 24>(self.source.val()) | self.top.val();
        self.stored.next = bit_cast::<25, 24>(self.owner.val()) | self.top.val();
        self.hits_now.next = 0.into();
        self.used_now.next = 0.into();
        for i in 0..16 {
            self.hits_now.next = self
                .hits_now
                .val()
                .replace_bit(i, self.owner_q[i].q.val() == self.wanted.val());
            self.used_now.next = self
                .used_now
                .val()
                .replace_bit(i, self.owner_q[i].q.val().get_bit(24));
            self.owner_q[i].clk.next = self.clk.val();
            self.owner_q[i].rst.next = self.rst.val();
            self.owner_q[i].en.next = self.stores.val().get_bit(i) | self.closes.val().get_bit(i);
            self.owner_q[i].d.next = self.stored.val();
            if self.closes.val().get_bit(i) {
                self.owner_q[i].d.next = 0.into();
            }
        }
        self.hits.next = self.hits_now.val();
        self.used.next = self.used_now.val();
    }
}
