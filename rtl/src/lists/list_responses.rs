//! `ListResponses`: keeps what the match unit answers to commands until the messages it speaks of are delivered.
//!
//! **Purpose.** A response that speaks of messages may wait long. Meanwhile the match unit goes on, and so do the
//! commands of other contexts: each context has a queue of its own.
//!
//! ```text
//!                 +---------------+
//!   response   -->|               |--> told    (ListCompleter)
//!   in_flight  -->| ListResponses |
//!                 +---------------+
//! ```
//!
//! **Contract.** The responses of a context leave in the order they came; 2^P - 1 of each fit (127; in the large
//! configuration 4,095), and one command has at most 2^P / 2 + 1. One that speaks of messages ([`ListWaits`]) leaves
//! when the bit of its context in `in_flight` is 0, which is looked at two cycles after `response` at the earliest.
//! Contexts that have something take turns. Accepted in cycle *n* by an empty block: on `told` in *n + 2*; while others
//! wait, up to two cycles later for each of them; then one every two cycles.
//!
//! **Internals.** Four queues in one [`Ram`]. The oldest response of one context after the other is read and offered;
//! if it must wait, the next context's is read.

use crate::bundle::{StreamIn, StreamOut};
use crate::leaf::{Delay, Ram, Reg, RoundRobin};
use crate::lists::list_waits::ListWaits;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::matching::MatchResponse;

/// Responses of the match unit, by context: room for `2^P` - 1 of each; `A` = `P + 2`.
#[block]
#[check(A == P + 2, "ListResponses: addresses of {A} bits, must be {}", P + 2)]
pub struct ListResponses<const P: usize, const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// From MatchUnit: what a command did.
    pub response: StreamIn<MatchResponse>,
    /// From TargetPipeline, one bit per context: messages are not delivered yet.
    pub in_flight: Signal<In, Bits<4>>,
    /// To ListCompleter: what can be reported.
    pub told: StreamOut<MatchResponse>,
    words: Ram<MatchResponse, A>,
    heads_q: [Reg<Bits<P>>; 4],
    tails_q: [Reg<Bits<P>>; 4],
    turns: RoundRobin<4>,
    waits: ListWaits,
    /// The oldest response of `owner_q` is read.
    read_q: Delay<Bit>,
    owner_q: Delay<Bits<2>>,
    writer: Signal<Local, Bits<2>>,
    tail: Signal<Local, Bits<P>>,
    used: Signal<Local, Bits<P>>,
    full: Signal<Local, Bit>,
    kept: Signal<Local, Bit>,
    one: Signal<Local, Bits<4>>,
    kept_hot: Signal<Local, Bits<4>>,
    gone_hot: Signal<Local, Bits<4>>,
    there: Signal<Local, Bits<4>>,
    grant: Signal<Local, Bits<4>>,
    chosen: Signal<Local, Bits<2>>,
    head: Signal<Local, Bits<P>>,
    delivered: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
}

#[kernel]
impl<const P: usize, const A: usize> Logic for ListResponses<P, A> {
    fn update(&mut self) {
        self.one.next = 1.into();

        // What comes.
        self.writer.next = self.response.data.val().context;
        self.tail.next = self.tails_q[0].q.val();
        self.used.next = self.tails_q[0].q.val() - self.heads_q[0].q.val();
        match self.writer.val().index() {
            1 => {
                self.tail.next = self.tails_q[1].q.val();
                self.used.next = self.tails_q[1].q.val() - self.heads_q[1].q.val();
            }
            2 => {
                self.tail.next = self.tails_q[2].q.val();
                self.used.next = self.tails_q[2].q.val() - self.heads_q[2].q.val();
            }
            3 => {
                self.tail.next = self.tails_q[3].q.val();
                self.used.next = self.tails_q[3].q.val() - self.heads_q[3].q.val();
            }
            _ => {}
        }
        self.full.next = self.used.val().all();
        self.response.ready.next = !self.full.val();
        self.kept.next = self.response.valid.val() & !self.full.val();
        self.words.write_addr.next =
            (bit_cast::<A, P>(self.tail.val()) << 2) | bit_cast::<A, 2>(self.writer.val());
        self.words.write_data.next = self.response.data.val();
        self.words.write_en.next = self.kept.val();
        self.kept_hot.next = 0.into();
        if self.kept.val() {
            self.kept_hot.next = self.one.val() << self.writer.val();
        }

        // What is read next, unless what is read can be reported.
        self.there.next = 0.into();
        if self.heads_q[0].q.val() != self.tails_q[0].q.val() {
            self.there.next = self.there.val() | 1;
        }
        if self.heads_q[1].q.val() != self.tails_q[1].q.val() {
            self.there.next = self.there.val() | 2;
        }
        if self.heads_q[2].q.val() != self.tails_q[2].q.val() {
            self.there.next = self.there.val() | 4;
        }
        if self.heads_q[3].q.val() != self.tails_q[3].q.val() {
            self.there.next = self.there.val() | 8;
        }
        self.turns.request.next = self.there.val();
        self.turns.advance.next = !self.read_q.q.val() & self.there.val().any();
        self.grant.next = self.turns.grant.val();
        self.chosen.next = 0.into();
        self.head.next = self.heads_q[0].q.val();
        if self.grant.val().get_bit(1) {
            self.chosen.next = 1.into();
            self.head.next = self.heads_q[1].q.val();
        }
        if self.grant.val().get_bit(2) {
            self.chosen.next = 2.into();
            self.head.next = self.heads_q[2].q.val();
        }
        if self.grant.val().get_bit(3) {
            self.chosen.next = 3.into();
            self.head.next = self.heads_q[3].q.val();
        }
        if self.read_q.q.val() {
            self.chosen.next = self.owner_q.q.val();
            match self.owner_q.q.val().index() {
                0 => self.head.next = self.heads_q[0].q.val(),
                1 => self.head.next = self.heads_q[1].q.val(),
                2 => self.head.next = self.heads_q[2].q.val(),
                _ => self.head.next = self.heads_q[3].q.val(),
            }
        }
        self.words.read_addr.next =
            (bit_cast::<A, P>(self.head.val()) << 2) | bit_cast::<A, 2>(self.chosen.val());
        self.owner_q.d.next = self.chosen.val();

        // What leaves.
        self.waits.response.next = self.words.read_data.val();
        self.delivered.next =
            !self.waits.waits.val() | !self.in_flight.val().get_bit(self.owner_q.q.val().index());
        self.told.data.next = self.words.read_data.val();
        self.told.valid.next = self.read_q.q.val() & self.delivered.val();
        self.keeps.next = self.delivered.val() & !self.told.ready.val();
        self.read_q.d.next = self.there.val().any();
        if self.read_q.q.val() {
            self.read_q.d.next = self.keeps.val();
        }
        self.gone_hot.next = 0.into();
        if self.read_q.q.val() & self.delivered.val() & self.told.ready.val() {
            self.gone_hot.next = self.one.val() << self.owner_q.q.val();
        }
        for i in 0..4 {
            self.tails_q[i].d.next = self.tails_q[i].q.val() + 1;
            self.tails_q[i].en.next = self.kept_hot.val().get_bit(i);
            self.heads_q[i].d.next = self.heads_q[i].q.val() + 1;
            self.heads_q[i].en.next = self.gone_hot.val().get_bit(i);
        }
    }
}
