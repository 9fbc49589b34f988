//! `OldLines`: reads the lines of an atomic message and keeps them.
//!
//! **Purpose.** The part of [`AtomicUnit`](super::AtomicUnit) in front of the read port. The lines are needed twice:
//! for the new ones, and for the reply.
//!
//! ```text
//!   fresh, reads, span -->+----------+--> request   (to ReadPort)
//!   index              -->| OldLines |<-- result    (pulse)
//!   line               <--+----------+--> complete, failed
//! ```
//!
//! **Contract.** `fresh` (pulse) forgets the lines before and, with `reads`, asks for those of `span`, at most 16; the
//! lines before must have come. `complete`: all have come; `failed`: one of them could not be read. `line` is line
//! `index` of the span, from 0, in the same cycle. `fresh` in cycle *n* is a request in *n + 1*; a line that comes in
//! cycle *m* counts in *m + 1*.
//!
//! **Internals.** A [`BurstCutter`]; lines come in the order in which they are asked for and are counted.

use crate::bundle::{PulseIn, StreamOut};
use crate::leaf::{BurstCutter, LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::memory::{BurstRequest, BurstResult};
use xtq_types::send::LineSpan;

/// Reads and keeps the lines of a message.
#[block]
pub struct OldLines {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset. No line may be under way then.
    pub rst: Signal<In, Bit>,
    /// A message begins.
    pub fresh: Signal<In, Bit>,
    /// With `fresh`: there is something to read.
    pub reads: Signal<In, Bit>,
    /// With `fresh`: its lines.
    pub span: Signal<In, LineSpan>,
    /// To the read port: lines.
    pub request: StreamOut<BurstRequest>,
    /// From the read port: the next line; `last` is not looked at.
    pub result: PulseIn<BurstResult>,
    /// All lines have come.
    pub complete: Signal<Out, Bit>,
    /// One of them could not be read.
    pub failed: Signal<Out, Bit>,
    /// Number of a line.
    pub index: Signal<In, Bits<4>>,
    /// The line.
    pub line: Signal<Out, Bits<512>>,
    cutter: BurstCutter,
    lines: LutRam<Bits<512>, 4>,
    came_q: Reg<Bits<5>>,
    wanted_q: Reg<Bits<5>>,
    failed_q: Reg<Bit>,
    incoming: Signal<Local, BurstResult>,
    lines_less_one: Signal<Local, Bits<27>>,
}

#[kernel]
impl Logic for OldLines {
    fn update(&mut self) {
        // The cutter is empty by now: all lines before have come.
        self.cutter.span.data.next = self.span.val();
        self.cutter.span.valid.next = self.fresh.val() & self.reads.val();
        self.cutter.room.next = true;
        connect!(self.cutter.request => self.request);
        self.lines_less_one.next = self.span.val().lines_less_one;
        self.wanted_q.en.next = self.fresh.val();
        self.wanted_q.d.next = 0.into();
        if self.reads.val() {
            self.wanted_q.d.next = bit_cast::<5, 4>(self.lines_less_one.val().get_bits::<4>(0)) + 1;
        }

        self.incoming.next = self.result.data.val();
        self.lines.write_addr.next = self.came_q.q.val().get_bits::<4>(0);
        self.lines.write_data.next = self.incoming.val().data;
        self.lines.write_en.next = self.result.valid.val();
        self.came_q.en.next = self.fresh.val() | self.result.valid.val();
        self.came_q.d.next = self.came_q.q.val() + 1;
        if self.fresh.val() {
            self.came_q.d.next = 0.into();
        }
        self.failed_q.en.next =
            self.fresh.val() | (self.result.valid.val() & self.incoming.val().error.any());
        self.failed_q.d.next = !self.fresh.val();
        self.complete.next = self.came_q.q.val() == self.wanted_q.q.val();
        self.failed.next = self.failed_q.q.val();

        self.lines.read_addr.next = self.index.val();
        self.line.next = self.lines.read_data.val();
    }
}
