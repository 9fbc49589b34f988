//! `PacketMerge`: two streams of packets on one, a packet at a time.
//!
//! **Purpose.** Answers and admitted requests go through one pipeline.
//!
//! ```text
//!   first  -->+-------------+--> out, of_second
//!   second -->| PacketMerge |
//!             +-------------+
//! ```
//!
//! **Contract.** Round robin by packet: where both wait for the beginning of a packet, who was not served last goes
//! first. A packet that has been offered stays, and goes out whole. `of_second`: `out` is a beat of `second`. Adds no
//! cycle; one beat a cycle, no bubble between packets. `out` and its valid do not depend on its ready.
//!
//! **Internals.** `second_q` says whose packet was on `out` last, `held_q` that it is not through.

use crate::bundle::{AxiStreamIn, AxiStreamOut};
use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Joins two streams of packets.
#[block]
pub struct PacketMerge {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; where both wait, `second` comes first again.
    pub rst: Signal<In, Bit>,
    /// Packets.
    pub first: AxiStreamIn,
    /// Other packets.
    pub second: AxiStreamIn,
    /// Both.
    pub out: AxiStreamOut,
    /// With `out`: it is of `second`.
    pub of_second: Signal<Out, Bit>,

    second_q: Reg<Bit>,
    held_q: Reg<Bit>,
    chooses_second: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

#[kernel]
impl Logic for PacketMerge {
    fn update(&mut self) {
        self.chooses_second.next =
            self.second.valid.val() & (!self.first.valid.val() | !self.second_q.q.val());
        if self.held_q.q.val() {
            self.chooses_second.next = self.second_q.q.val();
        }
        self.out.data.next = self.first.data.val();
        self.out.keep.next = self.first.keep.val();
        self.ends.next = self.first.last.val();
        self.offered.next = self.first.valid.val();
        if self.chooses_second.val() {
            self.out.data.next = self.second.data.val();
            self.out.keep.next = self.second.keep.val();
            self.ends.next = self.second.last.val();
            self.offered.next = self.second.valid.val();
        }
        self.out.last.next = self.ends.val();
        self.out.valid.next = self.offered.val();
        self.of_second.next = self.chooses_second.val();
        self.first.ready.next = self.out.ready.val() & !self.chooses_second.val();
        self.second.ready.next = self.out.ready.val() & self.chooses_second.val();

        self.second_q.d.next = self.chooses_second.val();
        self.second_q.en.next = self.offered.val();
        self.held_q.d.next = !(self.out.ready.val() & self.ends.val());
        self.held_q.en.next = self.offered.val();
    }
}
