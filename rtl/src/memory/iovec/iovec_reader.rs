//! `IovecReader`: reads a list of pieces, one piece after the other.
//!
//! **Purpose.** A Portals buffer with the option IOVEC is a list in memory: 16 bytes a piece, its address and its
//! length, as C's `ptl_iovec_t` lies there. This block knows how such a list lies in memory and nothing of what it is
//! good for.
//!
//! ```text
//!   job    -->+-------------+--> request  (to ReadPort)   <- result (pulse)
//!   stop   -->| IovecReader |
//!   wanted -->+-------------+--> piece
//! ```
//!
//! **Contract.** A job is a list at a multiple of 8 with 0 to 1,024 pieces; its pieces come in order, at most one every
//! two cycles. `error` of a piece: a line of the list up to it could not be read. The list is read in bursts of whole
//! lines, up to 16, that end at 1 KiB and at the end of the list, one at a time. Only lines of the list are read, and
//! after the first burst only when a piece is `wanted`. A job accepted in cycle *n* is a request in *n + 1*. `stop`
//! (pulse): what is left of the list is forgotten; `piece_valid` falls, `job_ready` comes when no line is under way any
//! more; a job that is taken in the same cycle is not meant. A new job is taken when the last word of the list has been
//! taken out of its line and used.
//!
//! **Internals.** A burst is asked for when the lines of the one before are used up and a piece is wanted, so there is
//! room for all of it. Lines are taken apart into words of 8 bytes, one a cycle: first a piece's address, which waits
//! in `start_q`, then its length. A word goes from its line into `word_q` first, so that nothing stands between the
//! registers that say where it lies and the memory, nor between `stop` and the memory. `stop` hides the pieces in `out`
//! in the next cycle, in which they are thrown away. A line lies at the number of lines that come after it in its
//! burst.
//!
//! ```text
//!   Idle -> Ask -> Take -> Pause -> Ask ...   the next burst of the list
//!                  Take, Pause -> Idle        its end, or that of the wish for it
//! ```

use crate::bundle::{PulseIn, StreamIn, StreamOut};
use crate::leaf::{Delay, LutRam, Reg, Skid};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::memory::{BurstRequest, BurstResult};
use xtq_types::send::{IovecJob, IovecPiece};

/// States of [`IovecReader`].
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum IovecReaderState {
    /// There is no list.
    Idle,
    /// Asks for a burst.
    Ask,
    /// Takes its lines apart.
    Take,
    /// Waits until the next burst is wanted.
    Pause,
}

/// A line as it waits.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Line {
    error: Bits<1>,
    data: Bits<512>,
}

/// The reader of lists of pieces.
#[block]
pub struct IovecReader {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; no line may be under way then.
    pub rst: Signal<In, Bit>,
    /// A list; `offset`, `length` and `follows` are not looked at.
    pub job: StreamIn<IovecJob>,
    /// Forget the rest of the list (pulse).
    pub stop: Signal<In, Bit>,
    /// Somebody waits for a piece.
    pub wanted: Signal<In, Bit>,
    /// To the read port: lines of the list.
    pub request: StreamOut<BurstRequest>,
    /// From the read port: the next line; `last` is not looked at.
    pub result: PulseIn<BurstResult>,
    /// The next piece.
    pub piece: StreamOut<IovecPiece>,

    state_q: Delay<IovecReaderState>,
    /// The rest is forgotten.
    stopping_q: Reg<Bit>,
    /// So is what waits in `out`.
    dropping_q: Delay<Bit>,
    context_q: Reg<Bits<2>>,
    /// Address of the next word / 8.
    next_q: Reg<Bits<61>>,
    /// Words of the list that were not taken out.
    left_q: Reg<Bits<12>>,
    /// Lines of the list from the next burst on, less one.
    lines_q: Reg<Bits<9>>,
    /// Lines of the burst that were not taken apart,
    burst_q: Reg<Bits<5>>,
    /// and those that have not come.
    coming_q: Reg<Bits<5>>,
    failed_q: Reg<Bits<1>>,
    /// The word that was taken out last, whether all up to it could be read, and whether it is still here.
    word_q: Reg<Bits<64>>,
    bad_q: Reg<Bits<1>>,
    held_q: Reg<Bit>,
    /// It is a length.
    half_q: Reg<Bit>,
    start_q: Reg<Bits<64>>,
    lines: LutRam<Line, 4>,
    out: Skid<IovecPiece>,
    list: Signal<Local, Bits<64>>,
    arriving: Signal<Local, Line>,
    came: Signal<Local, BurstResult>,
    begins: Signal<Local, Bit>,
    lane: Signal<Local, Bits<3>>,
    line_in_kib: Signal<Local, Bits<4>>,
    to_border: Signal<Local, Bits<4>>,
    first: Signal<Local, Bits<3>>,
    behind: Signal<Local, Bits<12>>,
    /// `lines_q` if it is less than 16.
    rest: Signal<Local, Bits<4>>,
    /// Lines of the next burst, less one; all.
    length: Signal<Local, Bits<4>>,
    burst_lines: Signal<Local, Bits<5>>,
    drops: Signal<Local, Bit>,
    line: Signal<Local, Line>,
    shift: Signal<Local, Bits<9>>,
    shifted: Signal<Local, Bits<512>>,
    word: Signal<Local, Bits<64>>,
    failed: Signal<Local, Bits<1>>,
    given: Signal<Local, IovecPiece>,
    here: Signal<Local, Bit>,
    uses: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    used_up: Signal<Local, Bit>,
}

#[kernel]
impl Logic for IovecReader {
    fn update(&mut self) {
        // What waits to be taken is forgotten with the rest.
        self.drops.next = self.stopping_q.q.val() | self.stop.val();
        self.dropping_q.d.next = self.stop.val();
        self.out.rst.next = self.rst.val() | self.dropping_q.q.val();
        self.held_q.rst.next = self.rst.val() | self.drops.val();

        // A list begins.
        self.job.ready.next =
            (self.state_q.q.val() == IovecReaderState::Idle) & !self.held_q.q.val();
        self.begins.next = self.job.valid.val()
            & (self.state_q.q.val() == IovecReaderState::Idle)
            & !self.held_q.q.val();
        self.list.next = self.job.data.val().list;
        self.context_q.d.next = self.job.data.val().context;
        self.context_q.en.next = self.begins.val();

        // The next burst: to a multiple of 1 KiB, or to the end of the list.
        self.lane.next = self.next_q.q.val().get_bits::<3>(0);
        self.line_in_kib.next = self.next_q.q.val().get_bits::<4>(3);
        self.to_border.next = !self.line_in_kib.val();
        self.rest.next = self.lines_q.q.val().get_bits::<4>(0);
        self.length.next = self.to_border.val();
        self.burst_lines.next = bit_cast::<5, 4>(self.to_border.val()) + 1;
        if (self.rest.val() < self.to_border.val()) & !self.lines_q.q.val().get_bits::<5>(4).any() {
            self.length.next = self.rest.val();
            self.burst_lines.next = bit_cast::<5, 4>(self.rest.val()) + 1;
        }
        // Where the list goes on after this burst, its lines go up to the multiple: 16 - `line_in_kib` less.
        self.lines_q.d.next =
            self.lines_q.q.val() + (bit_cast::<9, 4>(self.line_in_kib.val()) | bits::<9>(0x1F0));
        self.lines_q.en.next = self.begins.val()
            | ((self.state_q.q.val() == IovecReaderState::Ask) & self.request.ready.val());
        self.first.next = self.list.val().get_bits::<3>(3);
        self.behind.next = (bit_cast::<12, 11>(self.job.data.val().pieces) << 1)
            + bit_cast::<12, 3>(self.first.val())
            - 1;
        if self.begins.val() {
            self.lines_q.d.next = self.behind.val().get_bits::<9>(3);
        }
        self.request.data.next.address = (bit_cast::<64, 61>(self.next_q.q.val()) >> 3) << 6;
        self.request.data.next.context = self.context_q.q.val();
        self.request.data.next.length = bit_cast::<8, 4>(self.length.val());
        self.request.valid.next = self.state_q.q.val() == IovecReaderState::Ask;

        // Its lines.
        self.came.next = self.result.data.val();
        self.arriving.next.error = self.came.val().error;
        self.arriving.next.data = self.came.val().data;
        self.lines.write_addr.next = self.coming_q.q.val().get_bits::<4>(0);
        self.lines.write_data.next = self.arriving.val();
        self.lines.write_en.next = self.result.valid.val();
        self.lines.read_addr.next = self.burst_q.q.val().get_bits::<4>(0);
        self.line.next = self.lines.read_data.val();
        self.shift.next = bit_cast::<9, 3>(self.lane.val()) << 6;
        self.shifted.next = self.line.val().data >> self.shift.val();
        self.word.next = self.shifted.val().get_bits::<64>(0);
        self.failed.next = self.failed_q.q.val() | self.line.val().error;

        // A word is taken out of its line when the one before is used.
        self.here.next = self.burst_q.q.val() != self.coming_q.q.val();
        self.uses.next = self.held_q.q.val() & (!self.half_q.q.val() | self.out.write.ready.val());
        self.step.next = self.here.val()
            & (self.state_q.q.val() == IovecReaderState::Take)
            & (!self.held_q.q.val() | self.uses.val());
        self.ends.next = self.left_q.q.val() == 1;
        self.used_up.next = self.step.val() & (self.lane.val().all() | self.ends.val());
        self.word_q.d.next = self.word.val();
        self.word_q.en.next = self.step.val();
        self.bad_q.d.next = self.failed.val();
        self.bad_q.en.next = self.step.val();
        self.held_q.d.next = self.step.val();
        self.held_q.en.next = self.step.val() | self.uses.val();
        self.failed_q.d.next = self.failed.val();
        self.failed_q.en.next = self.step.val() | self.begins.val();
        if self.begins.val() {
            self.failed_q.d.next = 0.into();
        }
        self.next_q.d.next = self.next_q.q.val() + 1;
        self.next_q.en.next = self.step.val() | self.begins.val();
        self.left_q.d.next = self.left_q.q.val() - 1;
        self.left_q.en.next = self.step.val() | self.begins.val();
        if self.begins.val() {
            self.next_q.d.next = self.list.val().get_bits::<61>(3);
            self.left_q.d.next = bit_cast::<12, 11>(self.job.data.val().pieces) << 1;
        }

        // It is the address of a piece, or its length.
        self.start_q.d.next = self.word_q.q.val();
        self.start_q.en.next = self.uses.val() & !self.half_q.q.val();
        self.half_q.d.next = !self.half_q.q.val();
        self.half_q.en.next = self.uses.val() | self.begins.val();
        if self.begins.val() {
            self.half_q.d.next = false;
        }
        self.given.next.start = self.start_q.q.val();
        self.given.next.length = self.word_q.q.val();
        self.given.next.error = self.bad_q.q.val();
        self.out.write.data.next = self.given.val();
        self.out.write.valid.next = self.held_q.q.val() & self.half_q.q.val();
        self.piece.data.next = self.out.read.data.val();
        self.piece.valid.next = self.out.read.valid.val() & !self.dropping_q.q.val();
        self.out.read.ready.next = self.piece.ready.val();

        self.burst_q.d.next = self.burst_q.q.val() - 1;
        self.burst_q.en.next = self.used_up.val();
        self.coming_q.d.next = self.coming_q.q.val() - 1;
        self.coming_q.en.next = self.result.valid.val();
        self.stopping_q.d.next = self.stop.val();
        self.stopping_q.en.next = self.stop.val();
        self.state_q.d.next = self.state_q.q.val();
        match self.state_q.q.val() {
            IovecReaderState::Idle => {
                self.stopping_q.d.next = false;
                self.stopping_q.en.next = true;
                if self.begins.val() & self.job.data.val().pieces.any() {
                    self.state_q.d.next = IovecReaderState::Ask;
                }
            }
            IovecReaderState::Ask => {
                self.burst_q.d.next = self.burst_lines.val();
                self.burst_q.en.next = self.request.ready.val();
                self.coming_q.d.next = self.burst_lines.val();
                self.coming_q.en.next = self.request.ready.val();
                if self.request.ready.val() {
                    self.state_q.d.next = IovecReaderState::Take;
                }
            }
            IovecReaderState::Take => {
                if self.drops.val() {
                    if !self.coming_q.q.val().any() {
                        self.state_q.d.next = IovecReaderState::Idle;
                    }
                } else if self.used_up.val() & (self.burst_q.q.val() == 1) {
                    self.state_q.d.next = IovecReaderState::Pause;
                    if self.ends.val() {
                        self.state_q.d.next = IovecReaderState::Idle;
                    }
                }
            }
            _ => {
                if self.drops.val() {
                    self.state_q.d.next = IovecReaderState::Idle;
                } else if self.wanted.val() & !self.held_q.q.val() {
                    self.state_q.d.next = IovecReaderState::Ask;
                }
            }
        }
    }
}
