//! `LineWalker`: says which bytes of each line count.
//!
//! **Purpose.** Follows the lines of a span, ahead of their data: of what
//! [`GatherUnit`](crate::memory::gather_unit::GatherUnit) reads, and of what an atomic changes.
//!
//! ```text
//!                 +------------+
//!   note       -->|            |--> shape
//!   note_valid -->| LineWalker |--> shape_valid
//!   note_ready <--|            |<-- shape_ready
//!                 +------------+
//! ```
//!
//! **Contract.** A span of *n* lines makes *n* shapes, one a cycle, also from span to span: the first begins at
//! `start`, the last ends with lane `end_lane`, all others are whole. A note offered in cycle *n* to an idle walker is
//! a shape in *n + 1*.
//!
//! **Internals.** `index_q` counts the lines of the span that are through. Shapes leave through a [`Skid`], so that
//! they come from a register and the packer's arithmetic begins with a fresh cycle.
#![allow(missing_docs)] // the derive macro makes undocumented accessors

use super::{Reg, Skid};
use crate::bundle::{StreamIn, StreamOut};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::send::{LineShape, SpanNote};

/// Walks through spans line by line.
#[block]
pub struct LineWalker {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// The next span. It is taken when it is through.
    pub note: StreamIn<SpanNote>,
    /// The next line.
    pub shape: StreamOut<LineShape>,
    index_q: Reg<Bits<27>>,
    begun_q: Reg<Bit>,
    span: Signal<Local, SpanNote>,
    final_line: Signal<Local, Bit>,
    walk: Signal<Local, Bit>,
    start: Signal<Local, Bits<6>>,
    end_lane: Signal<Local, Bits<6>>,
    next_shape: Signal<Local, LineShape>,
    shapes: Skid<LineShape>,
}

#[kernel]
impl Logic for LineWalker {
    fn update(&mut self) {
        self.span.next = self.note.data.val();
        self.final_line.next = self.index_q.q.val() == self.span.val().lines_less_one;
        self.start.next = self.span.val().start;
        if self.begun_q.q.val() {
            self.start.next = 0.into();
        }
        self.end_lane.next = 63.into();
        self.next_shape.next.last = 0.into();
        if self.final_line.val() {
            self.end_lane.next = self.span.val().end_lane;
            self.next_shape.next.last = self.span.val().last;
        }
        self.next_shape.next.unread = self.span.val().unread;
        self.next_shape.next.start = self.start.val();
        self.next_shape.next.bytes =
            bit_cast::<7, 6>(self.end_lane.val()) - bit_cast::<7, 6>(self.start.val()) + 1;

        self.walk.next = self.note.valid.val() & self.shapes.write.ready.val();
        self.note.ready.next = self.walk.val() & self.final_line.val();
        self.begun_q.d.next = !self.final_line.val();
        self.begun_q.en.next = self.walk.val();
        self.index_q.d.next = self.index_q.q.val() + 1;
        if self.final_line.val() {
            self.index_q.d.next = 0.into();
        }
        self.index_q.en.next = self.walk.val();
        self.shapes.write.data.next = self.next_shape.val();
        self.shapes.write.valid.next = self.note.valid.val();
        connect!(self.shapes.read => self.shape);
    }
}
