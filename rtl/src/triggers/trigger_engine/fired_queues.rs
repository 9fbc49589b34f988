//! `FiredQueues`: what has fired and not left, a queue for each context.
//!
//! **Purpose.** Commands of a context leave in the order in which they fired, those of different contexts need not wait
//! for each other. It keeps places, not commands: who reads the store gets the place to read.
//!
//! ```text
//!   fired_valid, fired   -->+-------------+--> place                 (to be read now)
//!   fired_context        -->| FiredQueues |--> offers, offered, offered_context
//!   fired_rearms         -->|             |--> offered_rearms
//!   leaves, pass         -->|             |--> waits
//!                           +-------------+
//! ```
//!
//! **Contract.** `fired` can come in any cycle, at most `2^S / 4` of a context that have not left. While `offers`, the
//! word at `offered` is what a memory gives that read `place` in the cycle before. It stays until `leaves`, which takes
//! it, or until `pass`, which says that it cannot leave now: then the oldest of another context is offered, if there is
//! one, and this one later. What fires while nothing waits is on offer in the next cycle, also instead of one that is
//! passed; else one command every two cycles. Contexts come in turn. `waits`: one bit per context, from the cycle after
//! `fired` until the last one has left, of those that do not re-arm (`fired_rearms`). Reset empties all.
//!
//! **Internals.** One memory with a ring for each context. What is on offer stays the oldest of its ring until it
//! leaves. `onces` counts what does not re-arm.
//!
//! ```text
//!   Empty   nothing is there      --> Fetch, or Offer what fires now
//!   Fetch   its place is read     --> Offer
//!   Offer   until it leaves or is passed: Fetch, Offer what fires now, or Empty
//! ```

use crate::bundle::PulseIn;
use crate::leaf::{Ram, Reg, RoundRobin};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// What is done in a cycle.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum State {
    Empty,
    Fetch,
    Offer,
}

/// Queues for four contexts that share `2^S` places.
#[block]
#[check(S >= 3, "FiredQueues: 2^{S} places for four contexts, must be 8 or more")]
pub struct FiredQueues<const S: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// The place of an operation that fires.
    pub fired: PulseIn<Bits<S>>,
    /// Context that posted it.
    pub fired_context: Signal<In, Bits<2>>,
    /// It will wait again.
    pub fired_rearms: Signal<In, Bit>,
    /// Place whose command is to be read now.
    pub place: Signal<Out, Bits<S>>,
    /// A command is on offer.
    pub offers: Signal<Out, Bit>,
    /// Its place.
    pub offered: Signal<Out, Bits<S>>,
    /// Its context.
    pub offered_context: Signal<Out, Bits<2>>,
    /// It will wait again.
    pub offered_rearms: Signal<Out, Bit>,
    /// It leaves; only with `offers`.
    pub leaves: Signal<In, Bit>,
    /// It cannot leave now; only with `offers`, not with `leaves`.
    pub pass: Signal<In, Bit>,
    /// One bit per context: something that does not wait again has fired and not left.
    pub waits: Signal<Out, Bits<4>>,

    state_q: Reg<State>,
    places: Ram<Bits<S>, S>,
    rearms: Ram<Bits<1>, S>,
    heads: [Reg<Bits<S>>; 4],
    tails: [Reg<Bits<S>>; 4],
    counts: [Reg<Bits<S>>; 4],
    onces: [Reg<Bits<S>>; 4],
    #[value([0_u64, 1, 2, 3].map(|i| Constant::new((i << (S - 2)).to_bits())))]
    bases: [Constant<Bits<S>>; 4],
    #[value(((1_u64 << (S - 2)) - 1).to_bits())]
    low: Constant<Bits<S>>,
    arbiter: RoundRobin<4>,
    offered_q: Reg<Bits<S>>,
    context_q: Reg<Bits<2>>,
    rearms_q: Reg<Bits<1>>,
    one: Signal<Local, Bits<4>>,
    own: Signal<Local, Bits<4>>,
    enters: Signal<Local, Bits<4>>,
    exits: Signal<Local, Bits<4>>,
    once_enters: Signal<Local, Bits<4>>,
    once_exits: Signal<Local, Bits<4>>,
    held: Signal<Local, Bits<4>>,
    entry: Signal<Local, Bits<S>>,
    oldest: Signal<Local, Bits<S>>,
    loads: Signal<Local, Bit>,
    some: Signal<Local, Bits<4>>,
    more: Signal<Local, Bits<4>>,
    ready: Signal<Local, Bits<4>>,
    grant: Signal<Local, Bits<4>>,
    chosen: Signal<Local, Bits<2>>,
    chooses: Signal<Local, Bit>,
    direct: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
}

#[kernel]
impl<const S: usize> Logic for FiredQueues<S> {
    fn update(&mut self) {
        // The rings. What fires enters always, what is on offer is the oldest of its ring.
        self.one.next = 1.into();
        self.own.next = self.one.val() << self.context_q.q.val();
        self.enters.next = 0.into();
        if self.fired.valid.val() {
            self.enters.next = self.one.val() << self.fired_context.val();
        }
        self.exits.next = 0.into();
        if self.leaves.val() {
            self.exits.next = self.own.val();
        }
        self.once_enters.next = 0.into();
        if !self.fired_rearms.val() {
            self.once_enters.next = self.enters.val();
        }
        self.once_exits.next = 0.into();
        if !self.rearms_q.q.val().any() {
            self.once_exits.next = self.exits.val();
        }
        self.some.next = 0.into();
        self.more.next = 0.into();
        self.held.next = 0.into();
        self.entry.next = self.low.val();
        self.places.write_data.next = self.fired.data.val();
        self.places.write_en.next = self.fired.valid.val();
        for i in 0..4 {
            self.heads[i].d.next = (self.heads[i].q.val() + 1) & self.low.val();
            self.heads[i].en.next = self.exits.val().get_bit(i);
            self.tails[i].d.next = (self.tails[i].q.val() + 1) & self.low.val();
            self.tails[i].en.next = self.enters.val().get_bit(i);
            self.counts[i].d.next = self.counts[i].q.val() + 1;
            if self.exits.val().get_bit(i) {
                self.counts[i].d.next = self.counts[i].q.val() - 1;
            }
            self.counts[i].en.next = self.enters.val().get_bit(i) ^ self.exits.val().get_bit(i);
            if self.enters.val().get_bit(i) {
                self.entry.next = self.bases[i].val() | self.tails[i].q.val();
            }
            self.some.next = self.some.val().replace_bit(i, self.counts[i].q.val().any());
            self.more.next = self.more.val().replace_bit(i, self.counts[i].q.val() > 1);
            self.onces[i].d.next = self.onces[i].q.val() + 1;
            if self.once_exits.val().get_bit(i) {
                self.onces[i].d.next = self.onces[i].q.val() - 1;
            }
            self.onces[i].en.next =
                self.once_enters.val().get_bit(i) ^ self.once_exits.val().get_bit(i);
            self.held.next = self.held.val().replace_bit(i, self.onces[i].q.val().any());
        }
        self.waits.next = self.held.val();
        self.places.write_addr.next = self.entry.val();
        self.rearms.write_addr.next = self.entry.val();
        self.rearms.write_data.next = self.fired_rearms.val().into();
        self.rearms.write_en.next = self.fired.valid.val();

        // Who is next: of the context on offer one that comes after it, if it leaves.
        self.ready.next = self.some.val();
        if self.leaves.val() {
            self.ready.next = self.some.val() & (!self.own.val() | self.more.val());
        }
        if self.pass.val() {
            self.ready.next = self.some.val() & !self.own.val();
        }
        self.arbiter.request.next = self.ready.val();
        self.grant.next = self.arbiter.grant.val();
        self.chosen.next = 0.into();
        self.oldest.next = self.bases[0].val() | self.heads[0].q.val();
        for i in 0..4 {
            if self.grant.val().get_bit(i) {
                self.oldest.next = self.bases[i].val() | self.heads[i].q.val();
                if self.exits.val().get_bit(i) {
                    self.oldest.next =
                        self.bases[i].val() | ((self.heads[i].q.val() + 1) & self.low.val());
                }
            }
        }
        if self.grant.val().get_bit(1) {
            self.chosen.next = 1.into();
        }
        if self.grant.val().get_bit(2) {
            self.chosen.next = 2.into();
        }
        if self.grant.val().get_bit(3) {
            self.chosen.next = 3.into();
        }
        self.direct.next = self.fired.valid.val()
            & (!self.pass.val() | (self.fired_context.val() != self.context_q.q.val()));

        self.offers.next = self.state_q.q.val() == State::Offer;
        self.offered.next = self.offered_q.q.val();
        self.offered_context.next = self.context_q.q.val();
        self.offered_rearms.next = self.rearms_q.q.val().any();
        self.chooses.next = self.state_q.q.val() == State::Empty;
        if self.leaves.val() | self.pass.val() {
            self.chooses.next = true;
        }
        self.arbiter.advance.next = self.chooses.val();
        // Only what is on offer in the next cycle matters here.
        self.keeps.next = (self.state_q.q.val() == State::Offer)
            & !self.leaves.val()
            & !(self.pass.val() & self.direct.val());
        self.place.next = self.fired.data.val();
        if self.keeps.val() {
            self.place.next = self.offered_q.q.val();
        }
        self.offered_q.d.next = self.fired.data.val();
        self.loads.next = false;
        self.rearms_q.d.next = self.fired_rearms.val().into();
        self.context_q.d.next = self.chosen.val();
        self.context_q.en.next = false;
        self.state_q.d.next = State::Empty;
        self.state_q.en.next = false;
        if self.state_q.q.val() == State::Fetch {
            self.place.next = self.places.read_data.val();
            self.offered_q.d.next = self.places.read_data.val();
            self.rearms_q.d.next = self.rearms.read_data.val();
            self.loads.next = true;
            self.state_q.d.next = State::Offer;
            self.state_q.en.next = true;
        }
        if self.chooses.val() {
            if self.ready.val().any() {
                self.context_q.en.next = true;
                self.state_q.d.next = State::Fetch;
                self.state_q.en.next = true;
            } else if self.direct.val() {
                self.loads.next = true;
                self.context_q.d.next = self.fired_context.val();
                self.context_q.en.next = true;
                self.state_q.d.next = State::Offer;
                self.state_q.en.next = true;
            } else {
                self.state_q.en.next = self.leaves.val();
            }
        }
        self.offered_q.en.next = self.loads.val();
        self.rearms_q.en.next = self.loads.val();
        self.places.read_addr.next = self.oldest.val();
        self.rearms.read_addr.next = self.oldest.val();
    }
}
