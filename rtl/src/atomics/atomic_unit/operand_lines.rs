//! `OperandLines`: the bytes of an atomic message, in the lanes of the memory lines that they meet.
//!
//! **Purpose.** A message comes packed from lane 0 on; memory has it from any lane on. Also, whether the packet has the
//! right length is known with its last beat only, and nothing may be written before. So
//! [`AtomicUnit`](super::AtomicUnit) keeps the message here until it is complete.
//!
//! ```text
//!   fresh -->+--------------+--> complete, bad
//!   beat  -->| OperandLines |
//!   shape -->|              |--> line
//!   start -->+--------------+
//! ```
//!
//! **Contract.** `fresh` (pulse) forgets the message before and admits beats, up to the one with `last`. The first 512
//! bytes are kept. When it is `complete`, each `shape` taken is a `line` two cycles later at the earliest, from the
//! first line of the message on; `start` is steady meanwhile. One line a cycle. All shapes are taken before the next
//! `fresh`.
//!
//! **Internals.** A memory of eight beats, read in order, then a [`ByteAligner`]; masks are made beside its first step.
//! Lanes outside the mask mean nothing.
#![allow(missing_docs)] // the derive macro makes undocumented accessors

use crate::bundle::{StreamIn, StreamOut};
use crate::leaf::{ByteAligner, LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::pipe::BodyBeat;
use xtq_types::send::LineShape;

/// A line of the message.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct OperandLine {
    /// Number of the line, from 0.
    pub index: Bits<4>,
    /// Bytes that the message meets.
    pub mask: Bits<64>,
    /// The message's bytes, memory lanes.
    pub source: Bits<512>,
}

/// What goes beside the aligner's second step.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct LineMask {
    index: Bits<4>,
    mask: Bits<64>,
}

/// Keeps a message and aligns it.
#[block]
pub struct OperandLines {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// A message begins.
    pub fresh: Signal<In, Bit>,
    /// Its bytes.
    pub beat: StreamIn<BodyBeat>,
    /// All beats have come.
    pub complete: Signal<Out, Bit>,
    /// The packet had the wrong length.
    pub bad: Signal<Out, Bit>,
    /// Lane of the first byte.
    pub start: Signal<In, Bits<6>>,
    /// Bytes of the next line that count; `last` is not looked at.
    pub shape: StreamIn<LineShape>,
    /// The next line.
    pub line: StreamOut<OperandLine>,
    beats: LutRam<Bits<512>, 3>,
    aligner: ByteAligner,
    open_q: Reg<Bit>,
    bad_q: Reg<Bit>,
    count_q: Reg<Bits<4>>,
    index_q: Reg<Bits<4>>,
    index_1_q: Reg<Bits<4>>,
    shape_1_q: Reg<LineShape>,
    valid_1_q: Reg<Bit>,
    mask_q: Reg<LineMask>,
    valid_2_q: Reg<Bit>,
    incoming: Signal<Local, BodyBeat>,
    accept: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    shaped: Signal<Local, LineShape>,
    low: Signal<Local, Bits<6>>,
    high: Signal<Local, Bits<7>>,
    high_lane: Signal<Local, Bits<6>>,
    ones: Signal<Local, Bits<64>>,
    from_low: Signal<Local, Bits<64>>,
    from_high: Signal<Local, Bits<64>>,
    masked: Signal<Local, LineMask>,
    aligned: Signal<Local, OperandLine>,
}

#[kernel]
impl Logic for OperandLines {
    fn update(&mut self) {
        // Beats in; what is beyond the eighth is let go.
        self.incoming.next = self.beat.data.val();
        self.beat.ready.next = self.open_q.q.val();
        self.accept.next = self.beat.valid.val() & self.open_q.q.val();
        self.open_q.en.next = self.fresh.val() | self.accept.val();
        self.open_q.d.next = self.fresh.val() | !self.incoming.val().last.any();
        self.bad_q.en.next = self.accept.val();
        self.bad_q.d.next = self.incoming.val().bad.any();
        self.count_q.en.next = self.fresh.val() | self.accept.val();
        self.count_q.d.next = self.count_q.q.val() + 1;
        if self.count_q.q.val() == 8 {
            self.count_q.d.next = 8.into();
        }
        if self.fresh.val() {
            self.count_q.d.next = 0.into();
        }
        self.beats.write_addr.next = self.count_q.q.val().get_bits::<3>(0);
        self.beats.write_data.next = self.incoming.val().data;
        self.beats.write_en.next = self.accept.val() & (self.count_q.q.val() < 8);
        self.complete.next = !self.open_q.q.val();
        self.bad.next = self.bad_q.q.val();

        // Step 1: a beat, or after the last one the line into which it spills.
        self.step.next = !self.valid_2_q.q.val() | self.line.ready.val();
        self.shape.ready.next = self.step.val();
        self.take.next = self.shape.valid.val() & self.step.val();
        self.beats.read_addr.next = self.index_q.q.val().get_bits::<3>(0);
        self.aligner.en.next = self.step.val();
        self.aligner.keep.next = self.shape.valid.val();
        self.aligner.data.next = self.beats.read_data.val();
        self.aligner.offset.next = self.start.val();
        self.index_q.en.next = self.fresh.val() | self.take.val();
        self.index_q.d.next = self.index_q.q.val() + 1;
        if self.fresh.val() {
            self.index_q.d.next = 0.into();
        }
        self.index_1_q.en.next = self.step.val();
        self.index_1_q.d.next = self.index_q.q.val();
        self.shape_1_q.en.next = self.step.val();
        self.shape_1_q.d.next = self.shape.data.val();
        self.valid_1_q.en.next = self.step.val();
        self.valid_1_q.d.next = self.shape.valid.val();

        // Step 2: ones from the first lane on, less those after the last.
        self.shaped.next = self.shape_1_q.q.val();
        self.low.next = self.shaped.val().start;
        self.high.next = bit_cast::<7, 6>(self.low.val()) + self.shaped.val().bytes;
        self.high_lane.next = self.high.val().get_bits::<6>(0);
        self.ones.next = 0xFFFF_FFFF_FFFF_FFFF_u64.into();
        self.from_low.next = self.ones.val() << self.low.val();
        self.from_high.next = self.ones.val() << self.high_lane.val();
        if self.high.val().get_bit(6) {
            self.from_high.next = 0.into();
        }
        self.masked.next.index = self.index_1_q.q.val();
        self.masked.next.mask = self.from_low.val() & !self.from_high.val();
        self.mask_q.en.next = self.step.val();
        self.mask_q.d.next = self.masked.val();
        self.valid_2_q.en.next = self.step.val();
        self.valid_2_q.d.next = self.valid_1_q.q.val();

        self.aligned.next.index = self.mask_q.q.val().index;
        self.aligned.next.mask = self.mask_q.q.val().mask;
        self.aligned.next.source = self.aligner.line.val();
        self.line.data.next = self.aligned.val();
        self.line.valid.next = self.valid_2_q.q.val();
    }
}
