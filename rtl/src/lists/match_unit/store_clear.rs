//! `StoreClear`: counts through the memories of the match unit after a reset, so that they begin empty.
//!
//! **Purpose.** Memories keep their contents over a reset; what says that an entry exists or that a list has one must
//! be written once.
//!
//! ```text
//!          +------------+--> clearing
//!   rst -->| StoreClear |--> index
//!          +------------+
//! ```
//!
//! **Contract.** From reset on `clearing` is up while `index` counts from 0 to the last index of entries (`2^E`) and
//! lists (512), whichever are more; then it stays low.
//!
//! **Internals.** A counter, and a register that stops it.

use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// The counter for a store of `2^E` entries.
#[block]
pub struct StoreClear<const E: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset: begin.
    pub rst: Signal<In, Bit>,
    /// Write what `index` names.
    pub clearing: Signal<Out, Bit>,
    /// Index, of which each memory takes as many low bits as it needs.
    pub index: Signal<Out, Bits<12>>,
    index_q: Reg<Bits<12>>,
    done_q: Reg<Bit>,
    #[value((((1u64 << E) - 1).max(511)).to_bits())]
    last: Constant<Bits<12>>,
}

#[kernel]
impl<const E: usize> Logic for StoreClear<E> {
    fn update(&mut self) {
        self.clearing.next = !self.done_q.q.val();
        self.index.next = self.index_q.q.val();
        self.index_q.d.next = self.index_q.q.val() + 1;
        self.index_q.en.next = !self.done_q.q.val();
        self.done_q.d.next = true;
        self.done_q.en.next = self.index_q.q.val() == self.last.val();
    }
}
