//! `ByteAligner`: shifts a stream of 64-byte beats by 0 to 63 bytes, two cycles from beat to line.
//!
//! **Purpose.** A packet that starts at any byte address: its beats are cut again at the borders of memory lines. It
//! moves bytes only; who uses it knows which bytes of a line are valid, and gives one more step for what is left over.
//!
//! ```text
//!              +-------------+
//!   en      -->|             |
//!   keep    -->|             |
//!   data    -->| ByteAligner |--> line
//!   offset  -->|             |      (two enabled cycles later)
//!              +-------------+
//! ```
//!
//! **Contract.** At a rising edge with `en` a step is taken. Two steps later `line` holds its result: byte *j* of the
//! line is byte *j - offset* of `data`, and for *j < offset* byte *64 + j - offset* of the last beat before it that was
//! taken with `keep`. Without `en` nothing changes. One beat a step, no bubbles. Whatever is in the pipeline after
//! reset is meaningless.
//!
//! **Internals.** A rotation with the seam already closed. The two beats side by side are 16 words of 8 bytes: the
//! first stage picks the 9 words that the line touches (8 choices each), the second picks 64 of their 72 bytes (8
//! choices each). A register stands after each choice, so that no path has more than one 8:1 multiplexer.

use super::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Two beats side by side.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct BeatPair {
    low: Bits<512>,
    high: Bits<512>,
}

/// A shifter for 64-byte beats, in steps of 8 bytes, then of single bytes.
#[block]
pub struct ByteAligner {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Take a step at this edge.
    pub en: Signal<In, Bit>,
    /// `data` is a beat of the stream: the next line continues it.
    pub keep: Signal<In, Bit>,
    /// 64 bytes, lane 0 first.
    pub data: Signal<In, Bits<512>>,
    /// Lane where byte 0 goes, 0 to 63.
    pub offset: Signal<In, Bits<6>>,
    /// 64 bytes of memory, lane 0 first.
    pub line: Signal<Out, Bits<512>>,
    before_q: Reg<Bits<512>>,
    words_q: Reg<Bits<576>>,
    fine_q: Reg<Bits<3>>,
    line_q: Reg<Bits<512>>,
    pair: Signal<Local, BeatPair>,
    both: Signal<Local, Bits<1024>>,
    coarse: Signal<Local, Bits<3>>,
}

#[kernel]
impl Logic for ByteAligner {
    fn update(&mut self) {
        self.before_q.d.next = self.data.val();
        self.before_q.en.next = self.en.val() & self.keep.val();

        // Words -1 to 7 of the line, where word 0 is word 8 - coarse of the pair.
        self.pair.next.low = self.before_q.q.val();
        self.pair.next.high = self.data.val();
        self.both.next = self.pair.val().into();
        self.coarse.next = self.offset.val().get_bits::<3>(3);
        self.words_q.en.next = self.en.val();
        match self.coarse.val().index() {
            0 => self.words_q.d.next = self.both.val().get_bits::<576>(448),
            1 => self.words_q.d.next = self.both.val().get_bits::<576>(384),
            2 => self.words_q.d.next = self.both.val().get_bits::<576>(320),
            3 => self.words_q.d.next = self.both.val().get_bits::<576>(256),
            4 => self.words_q.d.next = self.both.val().get_bits::<576>(192),
            5 => self.words_q.d.next = self.both.val().get_bits::<576>(128),
            6 => self.words_q.d.next = self.both.val().get_bits::<576>(64),
            _ => self.words_q.d.next = self.both.val().get_bits::<576>(0),
        }
        self.fine_q.d.next = self.offset.val().get_bits::<3>(0);
        self.fine_q.en.next = self.en.val();

        self.line_q.en.next = self.en.val();
        match self.fine_q.q.val().index() {
            0 => self.line_q.d.next = self.words_q.q.val().get_bits::<512>(64),
            1 => self.line_q.d.next = self.words_q.q.val().get_bits::<512>(56),
            2 => self.line_q.d.next = self.words_q.q.val().get_bits::<512>(48),
            3 => self.line_q.d.next = self.words_q.q.val().get_bits::<512>(40),
            4 => self.line_q.d.next = self.words_q.q.val().get_bits::<512>(32),
            5 => self.line_q.d.next = self.words_q.q.val().get_bits::<512>(24),
            6 => self.line_q.d.next = self.words_q.q.val().get_bits::<512>(16),
            _ => self.line_q.d.next = self.words_q.q.val().get_bits::<512>(8),
        }
        self.line.next = self.line_q.q.val();
    }
}
