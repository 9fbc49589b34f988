//! `FreePlaces`: gives out the places of the store of triggered operations and takes them back.
//!
//! **Purpose.** Operations leave in any order, so the places that are free must be listed.
//!
//! ```text
//!                   +------------+
//!   given_back   -->|            |--> place
//!   back_valid   -->| FreePlaces |--> place_valid
//!                   |            |<-- take
//!                   +------------+
//! ```
//!
//! **Contract.** `place` is free while `place_valid`; it stays the same until `take`, which takes it at the edge. A place given back can be
//! given out two cycles later. Only places that were taken may be given back. Reset frees all.
//!
//! **Internals.** `fresh_q` counts up once through all places after reset; then those that came back, kept in a [`RamFifo`], are given out
//! again, so the memory needs no initial contents. `L` must be `S + 1`.

use crate::leaf::{RamFifo, Reg};
use rust_hdl::prelude::*;

/// The free ones of `2^S` places; `L` = `S + 1`.
#[derive(Clone, Debug, LogicBlock)]
pub struct FreePlaces<const S: usize, const L: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// A free place.
    pub place: Signal<Out, Bits<S>>,
    /// There is a free place.
    pub place_valid: Signal<Out, Bit>,
    /// Take it (pulse).
    pub take: Signal<In, Bit>,
    /// Place that becomes free.
    pub given_back: Signal<In, Bits<S>>,
    /// `given_back` is valid (pulse).
    pub back_valid: Signal<In, Bit>,
    fresh_q: Reg<Bits<L>>,
    used: RamFifo<Bits<S>, S>,
    fresh: Signal<Local, Bit>,
    places: Constant<Bits<L>>,
}

impl<const S: usize, const L: usize> Default for FreePlaces<S, L> {
    fn default() -> Self {
        assert!(
            L == S + 1,
            "FreePlaces: counts of {L} bits for 2^{S} places, must be {}",
            S + 1
        );
        Self {
            clk: Signal::default(),
            rst: Signal::default(),
            place: Signal::default(),
            place_valid: Signal::default(),
            take: Signal::default(),
            given_back: Signal::default(),
            back_valid: Signal::default(),
            fresh_q: Reg::default(),
            used: RamFifo::default(),
            fresh: Signal::default(),
            places: Constant::new((1u64 << S).to_bits()),
        }
    }
}

impl<const S: usize, const L: usize> Logic for FreePlaces<S, L> {
    #[hdl_gen]
    fn update(&mut self) {
        self.fresh_q.clk.next = self.clk.val();
        self.fresh_q.rst.next = self.rst.val();
        self.used.clk.next = self.clk.val();
        self.used.rst.next = self.rst.val();

        self.fresh.next = self.fresh_q.q.val() < self.places.val();
        self.used.write.next = self.given_back.val();
        self.used.write_valid.next = self.back_valid.val();

        self.place.next = self.used.read.val();
        self.place_valid.next = self.used.read_valid.val();
        self.used.read_ready.next = self.take.val();
        self.fresh_q.d.next = self.fresh_q.q.val() + 1;
        self.fresh_q.en.next = false;
        if self.fresh.val() {
            self.place.next = self.fresh_q.q.val().get_bits::<S>(0);
            self.place_valid.next = true;
            self.used.read_ready.next = false;
            self.fresh_q.en.next = self.take.val();
        }
    }
}
