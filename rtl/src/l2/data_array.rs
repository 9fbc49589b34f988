//! `DataArray`: all memories of a bank that are a line wide.
//!
//! **Purpose.** The lines, the fetched lines that are not installed yet, and the operands of requests that wait.
//! [`L2Bank`](super::L2Bank) names the place in one cycle and has the old line and the operand in the next.
//!
//! ```text
//!   place, from_fill, entry            -->+-----------+--> old       line, or fetched line of `entry`
//!   operand, strobe, from_entry, keep  -->|           |--> line      line at `place`
//!   write, write_place, write_line     -->| DataArray |--> argument, argument_strobe
//!   fetched, fetched_entry             -->+-----------+      (one cycle later)
//! ```
//!
//! **Contract.** A cycle after `place`: `line` is the line there, with all writes up to and including those of the
//! cycle in which `line` was asked for. `old` is the same, or the fetched line of `entry` if `from_fill`. `argument`
//! and its strobe are `operand` and `strobe`, or with `from_entry` those that were kept for `entry`. `keep` stores
//! `operand` and `strobe` for `keep_entry`. Contents survive `rst`.
//!
//! **Internals.** A [`ForwardRam`] for the lines: a write and a read of one line in one cycle give the new line, so one
//! access a cycle to one line needs no pause. The other two are never read in the cycle in which they are written.

use crate::leaf::forward_ram::ForwardRam;
use crate::leaf::{Delay, Ram};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// `2^A` lines of `D` bits (`B` bytes), and `2^E` of requests that wait.
#[block]
pub struct DataArray<const A: usize, const E: usize, const D: usize, const B: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; contents stay.
    pub rst: Signal<In, Bit>,
    /// Line to read.
    pub place: Signal<In, Bits<A>>,
    /// Request that waited.
    pub entry: Signal<In, Bits<E>>,
    /// `old` is its fetched line.
    pub from_fill: Signal<In, Bit>,
    /// The operand is the one kept for it.
    pub from_entry: Signal<In, Bit>,
    /// Operand of a request that did not wait.
    pub operand: Signal<In, Bits<D>>,
    /// Its bytes.
    pub strobe: Signal<In, Bits<B>>,
    /// Keep them.
    pub keep: Signal<In, Bit>,
    /// For this one.
    pub keep_entry: Signal<In, Bits<E>>,
    /// The line before the access.
    pub old: Signal<Out, Bits<D>>,
    /// The line at `place`.
    pub line: Signal<Out, Bits<D>>,
    /// The operand.
    pub argument: Signal<Out, Bits<D>>,
    /// Its bytes.
    pub argument_strobe: Signal<Out, Bits<B>>,
    /// Write a line.
    pub write: Signal<In, Bit>,
    /// Where.
    pub write_place: Signal<In, Bits<A>>,
    /// The line.
    pub write_line: Signal<In, Bits<D>>,
    /// A line was fetched.
    pub fetched: Signal<In, Bit>,
    /// For this one.
    pub fetched_entry: Signal<In, Bits<E>>,
    /// The line.
    pub fetched_line: Signal<In, Bits<D>>,
    lines: ForwardRam<Bits<D>, A>,
    fills: Ram<Bits<D>, E>,
    operands: Ram<Bits<D>, E>,
    strobes: Ram<Bits<B>, E>,
    operand_q: Delay<Bits<D>>,
    strobe_q: Delay<Bits<B>>,
    from_fill_q: Delay<Bit>,
    from_entry_q: Delay<Bit>,
}

#[kernel]
impl<const A: usize, const E: usize, const D: usize, const B: usize> Logic
    for DataArray<A, E, D, B>
{
    fn update(&mut self) {
        self.lines.read_addr.next = self.place.val();
        self.lines.write_addr.next = self.write_place.val();
        self.lines.write_data.next = self.write_line.val();
        self.lines.write_en.next = self.write.val();
        self.fills.read_addr.next = self.entry.val();
        self.fills.write_addr.next = self.fetched_entry.val();
        self.fills.write_data.next = self.fetched_line.val();
        self.fills.write_en.next = self.fetched.val();
        self.operands.read_addr.next = self.entry.val();
        self.operands.write_addr.next = self.keep_entry.val();
        self.operands.write_data.next = self.operand.val();
        self.operands.write_en.next = self.keep.val();
        self.strobes.read_addr.next = self.entry.val();
        self.strobes.write_addr.next = self.keep_entry.val();
        self.strobes.write_data.next = self.strobe.val();
        self.strobes.write_en.next = self.keep.val();
        self.operand_q.d.next = self.operand.val();
        self.strobe_q.d.next = self.strobe.val();
        self.from_fill_q.d.next = self.from_fill.val();
        self.from_entry_q.d.next = self.from_entry.val();

        self.line.next = self.lines.read_data.val();
        self.old.next = self.lines.read_data.val();
        if self.from_fill_q.q.val() {
            self.old.next = self.fills.read_data.val();
        }
        self.argument.next = self.operand_q.q.val();
        self.argument_strobe.next = self.strobe_q.q.val();
        if self.from_entry_q.q.val() {
            self.argument.next = self.operands.read_data.val();
            self.argument_strobe.next = self.strobes.read_data.val();
        }
    }
}
