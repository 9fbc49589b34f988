//! `Skid`: a register stage for a stream that cuts the paths of valid, data *and* ready.
//!
//! **Purpose.** Between two blocks whose handshakes would make a long path. Adds one cycle, costs no throughput.
//!
//! ```text
//!                  +------+
//!   write       -->|      |--> read
//!   write_valid -->| Skid |--> read_valid
//!   write_ready <--|      |<-- read_ready
//!                  +------+
//! ```
//!
//! **Contract.** Words leave in the order they came, one a cycle; a word accepted in cycle *n* is on `read` in cycle
//! *n + 1*. All outputs come from registers. Two words fit. Reset empties it.
//!
//! **Internals.** `out_q` holds the word on `read`; `spare_q` takes the word that arrives in the cycle in which the
//! reader stalls; it follows `write` while it is free, so that its word does not wait for `write_valid`. `write_ready`
//! is "the spare is free".

use super::Reg;
use crate::bundle::{StreamIn, StreamOut};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// A two-word register stage for words of type `T`.
#[block]
pub struct Skid<T: Synth> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Word to store.
    pub write: StreamIn<T>,
    /// Oldest word.
    pub read: StreamOut<T>,
    out_q: Reg<T>,
    out_valid_q: Reg<Bit>,
    spare_q: Reg<T>,
    spare_valid_q: Reg<Bit>,
    out_free: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
}

#[kernel]
impl<T: Synth> Logic for Skid<T> {
    fn update(&mut self) {
        self.out_free.next = !self.out_valid_q.q.val() | self.read.ready.val();
        self.accept.next = self.write.valid.val() & !self.spare_valid_q.q.val();

        self.write.ready.next = !self.spare_valid_q.q.val();
        self.read.data.next = self.out_q.q.val();
        self.read.valid.next = self.out_valid_q.q.val();

        // The spare word goes first; a new one may arrive only when the spare is free.
        self.out_q.en.next = self.out_free.val();
        self.out_q.d.next = self.write.data.val();
        self.out_valid_q.en.next = self.out_free.val();
        self.out_valid_q.d.next = self.accept.val();
        if self.spare_valid_q.q.val() {
            self.out_q.d.next = self.spare_q.q.val();
            self.out_valid_q.d.next = true;
        }
        self.spare_q.d.next = self.write.data.val();
        self.spare_q.en.next = !self.spare_valid_q.q.val();
        self.spare_valid_q.d.next = self.accept.val() & !self.out_free.val();
        self.spare_valid_q.en.next = self.out_free.val() | self.accept.val();
    }
}
