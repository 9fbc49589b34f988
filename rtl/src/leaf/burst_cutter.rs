//! `BurstCutter`: makes bursts of the lines of a span.
//!
//! **Purpose.** Asks for lines: for [`GatherUnit`](crate::memory::gather_unit::GatherUnit), and for the old lines of
//! an atomic.
//!
//! ```text
//!                 +-------------+
//!   span       -->|             |--> request
//!   span_valid -->| BurstCutter |--> request_valid
//!   span_ready <--|             |<-- request_ready
//!   room       -->|             |
//!                 +-------------+
//! ```
//!
//! **Contract.** A burst has up to 16 lines and ends at the end of the span or at an address that is a multiple of 1
//! KiB, whichever comes first; after the last address comes address 0. A span accepted in cycle *n* is a request in
//! *n + 1* if there is `room`; one burst a cycle, also from span to span. `room` may fall only after an edge at which a
//! request is taken.
//!
//! **Internals.** `line_q` and `left_q` are the next line and how many come after it. After a burst that does not end
//! its span the next line begins 1 KiB: an increment of 54 bits without carry from below.
#![allow(missing_docs)] // the derive macro makes undocumented accessors

use super::Reg;
use crate::bundle::{StreamIn, StreamOut};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::memory::BurstRequest;
use xtq_types::send::LineSpan;

/// Cuts spans.
#[block]
pub struct BurstCutter {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Lines to ask for.
    pub span: StreamIn<LineSpan>,
    /// There is room for 16 lines.
    pub room: Signal<In, Bit>,
    /// A burst.
    pub request: StreamOut<BurstRequest>,
    active_q: Reg<Bit>,
    context_q: Reg<Bits<2>>,
    line_q: Reg<Bits<58>>,
    left_q: Reg<Bits<27>>,
    incoming: Signal<Local, LineSpan>,
    line_in_kib: Signal<Local, Bits<4>>,
    to_border: Signal<Local, Bits<4>>,
    /// `left_q` if it is less than 16.
    rest: Signal<Local, Bits<4>>,
    block: Signal<Local, Bits<54>>,
    next_block: Signal<Local, Bits<54>>,
    length: Signal<Local, Bits<4>>,
    fits: Signal<Local, Bit>,
    sent: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
}

#[kernel]
impl Logic for BurstCutter {
    fn update(&mut self) {
        // Lengths are less one, as in the request: 15 less the place in 1 KiB.
        self.line_in_kib.next = self.line_q.q.val().get_bits::<4>(0);
        self.to_border.next = !self.line_in_kib.val();
        self.rest.next = self.left_q.q.val().get_bits::<4>(0);
        self.fits.next = (self.rest.val() <= self.to_border.val())
            & !self.left_q.q.val().get_bits::<23>(4).any();
        self.length.next = self.to_border.val();
        if self.fits.val() {
            self.length.next = self.rest.val();
        }
        self.request.data.next.address = bit_cast::<64, 58>(self.line_q.q.val()) << 6;
        self.request.data.next.context = self.context_q.q.val();
        self.request.data.next.length = bit_cast::<8, 4>(self.length.val());
        self.request.valid.next = self.active_q.q.val() & self.room.val();
        self.sent.next = self.active_q.q.val() & self.room.val() & self.request.ready.val();
        self.free.next = !self.active_q.q.val() | (self.sent.val() & self.fits.val());
        self.span.ready.next = self.free.val();

        self.incoming.next = self.span.data.val();
        self.active_q.d.next = self.span.valid.val();
        self.active_q.en.next = self.free.val();
        self.context_q.d.next = self.incoming.val().context;
        self.context_q.en.next = self.free.val();
        self.block.next = self.line_q.q.val().get_bits::<54>(4);
        self.next_block.next = self.block.val() + 1;
        self.line_q.d.next = bit_cast::<58, 54>(self.next_block.val()) << 4;
        // 16 - `line_in_kib` less.
        self.left_q.d.next = self.left_q.q.val()
            + (bit_cast::<27, 4>(self.line_in_kib.val()) | bits::<27>(0x7FF_FFF0));
        if self.free.val() {
            self.line_q.d.next = self.incoming.val().line;
            self.left_q.d.next = self.incoming.val().lines_less_one;
        }
        self.line_q.en.next = self.free.val() | self.sent.val();
        self.left_q.en.next = self.free.val() | self.sent.val();
    }
}
