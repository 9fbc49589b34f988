//! `TagArray`: which lines a bank holds, where, and which of them are dirty.
//!
//! **Purpose.** The directory of [`L2Bank`](super::L2Bank). It knows no locks.
//!
//! ```text
//!                        +----------+
//!   set, line         -->|          |--> hit_ways, valid_ways, dirty_ways   of the set
//!   install, forget   -->| TagArray |--> shown_line                         of `shown`
//!   soil, clean       -->|          |      (same cycle)
//!   way, shown        -->+----------+
//! ```
//!
//! **Contract.** Commands act at the edge on way `way` (one-hot) of `set`: `install` makes it hold `line`, clean;
//! `forget` makes it hold nothing; `soil` and `clean` set and clear its dirty bit, `soil` also together with `install`.
//! Reset forgets all lines.
//!
//! **Internals.** A word of bits for each set, one for each way: whether it holds a line, which reset clears, and
//! whether that is dirty, which counts only then. The tag is the whole line number. Invariant (kept by the bank, which
//! installs only lines that miss): `hit_ways` has at most one bit.

use crate::leaf::{LutRam, ResetRam};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Tags of `SETS` = `2^S` sets of `W` ways.
#[block]
#[check(SETS == 1 << S, "TagArray: {SETS} sets with names of {S} bits, must be {}", 1usize << S)]
pub struct TagArray<const W: usize, const S: usize, const SETS: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; forgets all lines.
    pub rst: Signal<In, Bit>,
    /// Set looked at.
    pub set: Signal<In, Bits<S>>,
    /// Line looked for, and installed.
    pub line: Signal<In, Bits<58>>,
    /// Way that commands act on, one-hot or zero.
    pub way: Signal<In, Bits<W>>,
    /// Hold `line`.
    pub install: Signal<In, Bit>,
    /// Hold nothing.
    pub forget: Signal<In, Bit>,
    /// It is dirty.
    pub soil: Signal<In, Bit>,
    /// It is clean.
    pub clean: Signal<In, Bit>,
    /// Way whose line is shown, one-hot.
    pub shown: Signal<In, Bits<W>>,
    /// Way that holds `line`, one-hot or zero.
    pub hit_ways: Signal<Out, Bits<W>>,
    /// Ways that hold a line.
    pub valid_ways: Signal<Out, Bits<W>>,
    /// Ways that hold a dirty line.
    pub dirty_ways: Signal<Out, Bits<W>>,
    /// Line of way `shown`.
    pub shown_line: Signal<Out, Bits<58>>,
    #[value(vec![LutRam::default(); W])]
    tags: Vec<LutRam<Bits<58>, S>>,
    valids: ResetRam<W, S, SETS>,
    dirties: LutRam<Bits<W>, S>,
    #[value((0..W).map(|way| Constant::new((1u64 << way).to_bits())).collect())]
    hot: Vec<Constant<Bits<W>>>,
    hits: Signal<Local, Bits<W>>,
    valid: Signal<Local, Bits<W>>,
    dirty: Signal<Local, Bits<W>>,
    found: Signal<Local, Bits<58>>,
}

#[kernel]
impl<const W: usize, const S: usize, const SETS: usize> Logic for TagArray<W, S, SETS> {
    fn update(&mut self) {
        // What there is.
        self.valids.read_addr.next = self.set.val();
        self.dirties.read_addr.next = self.set.val();
        self.valid.next = self.valids.read_data.val();
        self.dirty.next = self.valids.read_data.val() & self.dirties.read_data.val();
        self.hits.next = 0.into();
        self.found.next = 0.into();
        for i in 0..W {
            self.tags[i].read_addr.next = self.set.val();
            if (self.valid.val() & self.hot[i].val()).any()
                & (self.tags[i].read_data.val() == self.line.val())
            {
                self.hits.next = self.hits.val() | self.hot[i].val();
            }
            if (self.shown.val() & self.hot[i].val()).any() {
                self.found.next = self.tags[i].read_data.val();
            }
        }
        self.hit_ways.next = self.hits.val();
        self.valid_ways.next = self.valid.val();
        self.dirty_ways.next = self.dirty.val();
        self.shown_line.next = self.found.val();

        // What changes at the edge.
        for i in 0..W {
            self.tags[i].write_addr.next = self.set.val();
            self.tags[i].write_data.next = self.line.val();
            self.tags[i].write_en.next =
                self.install.val() & (self.way.val() & self.hot[i].val()).any();
        }
        self.valids.write_addr.next = self.set.val();
        self.valids.write_en.next = self.install.val() | self.forget.val();
        self.valids.write_data.next = self.valid.val() | self.way.val();
        if self.forget.val() {
            self.valids.write_data.next = self.valid.val() & !self.way.val();
        }
        self.dirties.write_addr.next = self.set.val();
        self.dirties.write_en.next =
            self.install.val() | self.forget.val() | self.clean.val() | self.soil.val();
        self.dirties.write_data.next = self.dirty.val() & !self.way.val();
        if self.soil.val() {
            self.dirties.write_data.next = self.dirty.val() | self.way.val();
        }
    }
}
