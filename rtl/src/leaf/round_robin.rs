//! `RoundRobin`: grants one of `N` requests, fairly.
//!
//! **Purpose.** Several requesters for one resource, none of which may starve. Where the order of urgency is fixed
//! write the priority out in the kernel instead.
//!
//! ```text
//!               +------------+
//!   request  -->|            |--> grant  (one-hot, or zero if nobody asks)
//!   advance  -->| RoundRobin |
//!               +------------+
//! ```
//!
//! **Contract.** `grant` is combinational from `request`: the first request at or above the place after the last grant
//! that was taken, wrapping round. `advance` at an edge says that the grant was used. A request held is granted after
//! at most `N - 1` other grants. While `advance` is low and `request` does not change, `grant` does not change.
//!
//! **Internals.** `mask_q` has ones above the last grant. [`Lowest`] of `request & mask_q`, or of `request` if there is
//! none.

use super::{Lowest, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// A round-robin arbiter for `N` requesters.
#[block]
pub struct RoundRobin<const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; requester 0 comes first again.
    pub rst: Signal<In, Bit>,
    /// Who asks.
    pub request: Signal<In, Bits<N>>,
    /// The grant is used at this edge.
    pub advance: Signal<In, Bit>,
    /// Who is served.
    pub grant: Signal<Out, Bits<N>>,
    mask_q: Reg<Bits<N>>,
    masked: Signal<Local, Bits<N>>,
    chosen: Signal<Local, Bits<N>>,
    search: Lowest<N>,
}

#[kernel]
impl<const N: usize> Logic for RoundRobin<N> {
    fn update(&mut self) {
        self.masked.next = self.request.val() & self.mask_q.q.val();
        self.chosen.next = self.request.val();
        if self.masked.val().any() {
            self.chosen.next = self.masked.val();
        }
        self.search.bits.next = self.chosen.val();
        self.grant.next = self.search.first.val();

        self.mask_q.d.next = self.search.above.val();
        self.mask_q.en.next = self.advance.val() & self.request.val().any();
    }
}
