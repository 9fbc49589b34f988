//! `VictimSelect`: the way of a set that a new line takes: pseudo-LRU that skips locked ways.
//!
//! **Purpose.** Replacement of [`L2Bank`](super::L2Bank). It keeps no locks and no valid bits; both are inputs.
//!
//! ```text
//!                    +--------------+
//!   set, valid    -->|              |--> victim   one-hot, or zero
//!   locked,closed -->| VictimSelect |      (same cycle)
//!   used          -->|              |
//!                    +--------------+
//! ```
//!
//! **Contract.** `victim` is an open way of `set`, which is one that is neither locked nor closed to this access: the
//! lowest that is not valid, else the lowest that was not used lately, else the lowest. It is zero if and only if no
//! way is open. `used` (one-hot or zero) notes at the edge that this way of `set` was used.
//!
//! **Internals.** A bit for each way: used lately. When all open ways of a set would have it, all but the one just used
//! lose it. Closed ways keep theirs: how others use them is not for this access to forget. The bits survive reset, they
//! are only a hint. Invariant, combinational: `victim & (locked | closed) = 0`, at most one bit.

use crate::leaf::{Lowest, LutRam};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Victims among `W` ways of `2^S` sets.
#[block]
pub struct VictimSelect<const W: usize, const S: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Set looked at.
    pub set: Signal<In, Bits<S>>,
    /// Ways that hold a line.
    pub valid: Signal<In, Bits<W>>,
    /// Ways that are locked.
    pub locked: Signal<In, Bits<W>>,
    /// Ways that this access may not take.
    pub closed: Signal<In, Bits<W>>,
    /// Way that is used, one-hot or zero.
    pub used: Signal<In, Bits<W>>,
    /// Way to replace, one-hot or zero.
    pub victim: Signal<Out, Bits<W>>,
    recent: LutRam<Bits<W>, S>,
    #[value((u64::MAX >> (64 - W)).to_bits())]
    all: Constant<Bits<W>>,
    open: Signal<Local, Bits<W>>,
    free: Signal<Local, Bits<W>>,
    old: Signal<Local, Bits<W>>,
    first_free: Lowest<W>,
    first_old: Lowest<W>,
    first_left: Lowest<W>,
    noted: Signal<Local, Bits<W>>,
    covered: Signal<Local, Bits<W>>,
}

#[kernel]
impl<const W: usize, const S: usize> Logic for VictimSelect<W, S> {
    fn update(&mut self) {
        self.recent.read_addr.next = self.set.val();

        self.open.next = !self.locked.val() & !self.closed.val();
        self.free.next = self.open.val() & !self.valid.val();
        self.old.next = self.open.val() & !self.recent.read_data.val();
        // The lowest of each kind at the same time, as which kind it is is known late.
        self.first_free.bits.next = self.free.val();
        self.first_old.bits.next = self.old.val();
        self.first_left.bits.next = self.open.val();
        self.victim.next = self.first_left.first.val();
        if self.old.val().any() {
            self.victim.next = self.first_old.first.val();
        }
        if self.free.val().any() {
            self.victim.next = self.first_free.first.val();
        }

        self.noted.next = self.recent.read_data.val() | self.used.val();
        self.covered.next = self.noted.val() | !self.open.val();
        self.recent.write_addr.next = self.set.val();
        self.recent.write_en.next = self.used.val().any();
        self.recent.write_data.next = self.noted.val();
        if self.covered.val() == self.all.val() {
            self.recent.write_data.next =
                self.used.val() | (self.recent.read_data.val() & self.closed.val());
        }
    }
}
