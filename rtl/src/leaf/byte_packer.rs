//! `BytePacker`: joins pieces of lines to a stream of full 64-byte beats, three cycles from piece to beat.
//!
//! **Purpose.** Memory is read in lines, of which a message needs only some bytes at its beginning and end, and where
//! it is gathered of two spans, in the middle. The packer puts byte after byte. To cut a stream again at the borders of
//! memory lines use [`ByteAligner`](super::ByteAligner).
//!
//! ```text
//!                  +------------+
//!   piece       -->|            |--> beat
//!   piece_valid -->| BytePacker |--> beat_valid
//!   piece_ready <--|            |<-- beat_ready
//!                  +------------+
//! ```
//!
//! **Contract.** A piece is `bytes` (1 to 64, the last one of a message also 0) bytes from lane `start` on, start +
//! bytes <= 64; `last` ends a message. The bytes of a message leave in order, lane 0 first, 64 in each beat but the
//! last, which has 1 to 64. A message of *n* bytes makes ceil(n / 64) beats, and one without bytes more if its last
//! piece has none and those before it fill theirs. A piece accepted in cycle *n* by an idle packer that completes a
//! beat is on `beat` in *n + 3*. One piece a cycle, but a last piece that does not fit into the beat it completes takes
//! one more. `error` of a beat: a piece of its message had `error` by then.
//!
//! **Internals.** `fill_q` is the lane where the next byte belongs, so a piece is turned by the difference to its
//! `start`: by words, then by bytes, a register after each. The last stage takes the lanes below `fill` from what was
//! left over and keeps what is beyond the beat.

use super::{Reg, Skid};
use crate::bundle::{StreamIn, StreamOut};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::send::{PackedBeat, Piece};

/// What travels beside a turned piece.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct PieceTag {
    /// Lanes that are filled by earlier pieces.
    fill: Bits<6>,
    /// Lanes filled in the beat that it gives.
    bytes: Bits<7>,
    /// It gives a beat.
    gives: Bits<1>,
    /// The beat is the last.
    last: Bits<1>,
    /// It is nothing but what was left over.
    rest: Bits<1>,
    error: Bits<1>,
}

/// A packer of bytes.
#[block]
pub struct BytePacker {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Bytes of a line.
    pub piece: StreamIn<Piece>,
    /// Bytes of a message.
    pub beat: StreamOut<PackedBeat>,

    // Stage 0: where the piece belongs.
    fill_q: Reg<Bits<6>>,
    /// The last piece left bytes over: their number; 0: none.
    rest_q: Reg<Bits<6>>,
    failed_q: Reg<Bits<1>>,
    incoming: Signal<Local, Piece>,
    step: Signal<Local, Bit>,
    flush: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    behind: Signal<Local, Bits<8>>,
    over: Signal<Local, Bit>,
    turn: Signal<Local, Bits<6>>,
    failed: Signal<Local, Bits<1>>,
    tag: Signal<Local, PieceTag>,

    // Stages 1 and 2: turned by words, by bytes.
    words_q: Reg<Bits<512>>,
    fine_q: Reg<Bits<3>>,
    tag_1_q: Reg<PieceTag>,
    valid_1_q: Reg<Bit>,
    bytes_q: Reg<Bits<512>>,
    keep_q: Reg<Bits<512>>,
    tag_2_q: Reg<PieceTag>,
    valid_2_q: Reg<Bit>,
    twice: Signal<Local, Bits<1024>>,
    word_turn: Signal<Local, Bits<3>>,
    words: Signal<Local, Bits<512>>,
    words_twice: Signal<Local, Bits<1024>>,
    tag_1: Signal<Local, PieceTag>,
    fill_bits: Signal<Local, Bits<9>>,
    ones: Signal<Local, Bits<512>>,

    // Stage 3: joined with what was left over.
    left_q: Reg<Bits<512>>,
    tag_2: Signal<Local, PieceTag>,
    joined: Signal<Local, Bits<512>>,
    out: Skid<PackedBeat>,
    given: Signal<Local, PackedBeat>,
}

#[kernel]
impl Logic for BytePacker {
    fn update(&mut self) {
        // Stage 0: a piece, or what the last one left over.
        self.step.next = self.out.write.ready.val();
        self.flush.next = self.rest_q.q.val().any();
        self.piece.ready.next = self.step.val() & !self.flush.val();
        self.accept.next = self.piece.valid.val() & self.step.val() & !self.flush.val();
        self.incoming.next = self.piece.data.val();
        self.behind.next =
            bit_cast::<8, 6>(self.fill_q.q.val()) + bit_cast::<8, 7>(self.incoming.val().bytes);
        self.over.next = (self.incoming.val().last == 1) & (self.behind.val() > 64);
        self.turn.next = self.incoming.val().start - self.fill_q.q.val();
        self.failed.next = self.failed_q.q.val() | self.incoming.val().error;

        self.tag.next.fill = self.fill_q.q.val();
        self.tag.next.gives = 0.into();
        self.tag.next.bytes = 64.into();
        self.tag.next.last = 0.into();
        self.tag.next.rest = 0.into();
        self.tag.next.error = self.failed.val();
        if self.behind.val() >= 64 {
            self.tag.next.gives = 1.into();
        }
        if (self.incoming.val().last == 1) & !self.over.val() {
            self.tag.next.gives = 1.into();
            self.tag.next.bytes = self.behind.val().get_bits::<7>(0);
            self.tag.next.last = 1.into();
        }
        if self.flush.val() {
            self.tag.next.gives = 1.into();
            self.tag.next.bytes = bit_cast::<7, 6>(self.rest_q.q.val());
            self.tag.next.last = 1.into();
            self.tag.next.rest = 1.into();
            self.tag.next.error = self.failed_q.q.val();
        }

        self.fill_q.d.next = self.behind.val().get_bits::<6>(0);
        self.failed_q.d.next = self.failed.val();
        if (self.incoming.val().last == 1) & !self.over.val() {
            self.failed_q.d.next = 0.into();
        }
        if self.incoming.val().last == 1 {
            self.fill_q.d.next = 0.into();
        }
        self.fill_q.en.next = self.accept.val();
        self.rest_q.d.next = 0.into();
        if self.accept.val() & self.over.val() {
            self.rest_q.d.next = self.behind.val().get_bits::<6>(0);
        }
        self.rest_q.en.next = self.step.val();
        self.failed_q.en.next = self.accept.val();
        if self.flush.val() & self.step.val() {
            self.failed_q.d.next = 0.into();
            self.failed_q.en.next = true;
        }

        // Stage 1: turned down by words.
        self.twice.next = bit_cast::<1024, 512>(self.incoming.val().data)
            | (bit_cast::<1024, 512>(self.incoming.val().data) << 512);
        self.word_turn.next = self.turn.val().get_bits::<3>(3);
        match self.word_turn.val().index() {
            0 => self.words.next = self.twice.val().get_bits::<512>(0),
            1 => self.words.next = self.twice.val().get_bits::<512>(64),
            2 => self.words.next = self.twice.val().get_bits::<512>(128),
            3 => self.words.next = self.twice.val().get_bits::<512>(192),
            4 => self.words.next = self.twice.val().get_bits::<512>(256),
            5 => self.words.next = self.twice.val().get_bits::<512>(320),
            6 => self.words.next = self.twice.val().get_bits::<512>(384),
            _ => self.words.next = self.twice.val().get_bits::<512>(448),
        }
        self.words_q.d.next = self.words.val();
        self.words_q.en.next = self.step.val();
        self.fine_q.d.next = self.turn.val().get_bits::<3>(0);
        self.fine_q.en.next = self.step.val();
        self.tag_1_q.d.next = self.tag.val();
        self.tag_1_q.en.next = self.step.val();
        self.valid_1_q.d.next = self.accept.val() | (self.step.val() & self.flush.val());
        self.valid_1_q.en.next = self.step.val();

        // Stage 2: turned down by bytes; the bits that are already filled.
        self.words_twice.next = bit_cast::<1024, 512>(self.words_q.q.val())
            | (bit_cast::<1024, 512>(self.words_q.q.val()) << 512);
        match self.fine_q.q.val().index() {
            0 => self.bytes_q.d.next = self.words_twice.val().get_bits::<512>(0),
            1 => self.bytes_q.d.next = self.words_twice.val().get_bits::<512>(8),
            2 => self.bytes_q.d.next = self.words_twice.val().get_bits::<512>(16),
            3 => self.bytes_q.d.next = self.words_twice.val().get_bits::<512>(24),
            4 => self.bytes_q.d.next = self.words_twice.val().get_bits::<512>(32),
            5 => self.bytes_q.d.next = self.words_twice.val().get_bits::<512>(40),
            6 => self.bytes_q.d.next = self.words_twice.val().get_bits::<512>(48),
            _ => self.bytes_q.d.next = self.words_twice.val().get_bits::<512>(56),
        }
        self.bytes_q.en.next = self.step.val();
        self.tag_1.next = self.tag_1_q.q.val();
        self.fill_bits.next = bit_cast::<9, 6>(self.tag_1.val().fill) << 3;
        self.ones.next = 0.into();
        self.keep_q.d.next = !(!self.ones.val() << self.fill_bits.val());
        self.keep_q.en.next = self.step.val();
        self.tag_2_q.d.next = self.tag_1_q.q.val();
        self.tag_2_q.en.next = self.step.val();
        self.valid_2_q.d.next = self.valid_1_q.q.val();
        self.valid_2_q.en.next = self.step.val();

        // Stage 3: the lanes below `fill` are those left over.
        self.tag_2.next = self.tag_2_q.q.val();
        self.joined.next = (self.left_q.q.val() & self.keep_q.q.val())
            | (self.bytes_q.q.val() & !self.keep_q.q.val());
        self.left_q.d.next = self.joined.val();
        if self.tag_2.val().gives == 1 {
            self.left_q.d.next = self.bytes_q.q.val();
        }
        self.left_q.en.next = self.step.val() & self.valid_2_q.q.val();
        self.given.next.data = self.joined.val();
        if self.tag_2.val().rest == 1 {
            self.given.next.data = self.left_q.q.val();
        }
        self.given.next.bytes = self.tag_2.val().bytes;
        self.given.next.last = self.tag_2.val().last;
        self.given.next.error = self.tag_2.val().error;
        self.out.write.data.next = self.given.val();
        self.out.write.valid.next = self.valid_2_q.q.val() & (self.tag_2.val().gives == 1);
        connect!(self.out.read => self.beat);
    }
}
