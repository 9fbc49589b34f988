//! `ForwardRam`: a memory with one write port and one synchronous read port; a read of the word being written gives the
//! new word.
//!
//! **Purpose.** State that is read for one message in the cycle in which it is written for the message before. Where
//! that cannot happen use [`Ram`](crate::leaf::Ram).
//!
//! ```text
//!                 +------------+
//!   write_addr -->|            |
//!   write_data -->| ForwardRam |--> read_data
//!   write_en   -->|            |      (one cycle after read_addr)
//!   read_addr  -->|            |
//!                 +------------+
//! ```
//!
//! **Contract.** At a rising edge word `write_addr` becomes `write_data` if `write_en`, and `read_data` becomes word
//! `read_addr` as it is *after* the edge. Contents start at zero and survive `rst`.
//!
//! **Internals.** A [`Ram`](crate::leaf::Ram), which gives the old word, and the word written last, chosen for one
//! cycle if the addresses were equal.

use crate::leaf::{Delay, Ram, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// A memory of `2^A` words of type `T`.
#[block]
pub struct ForwardRam<T: Synth, const A: usize> {
    /// Clock of both ports.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; the contents stay.
    pub rst: Signal<In, Bit>,
    /// Word to write.
    pub write_addr: Signal<In, Bits<A>>,
    /// Data to write.
    pub write_data: Signal<In, T>,
    /// Write at this edge.
    pub write_en: Signal<In, Bit>,
    /// Word to read.
    pub read_addr: Signal<In, Bits<A>>,
    /// Word read at the last edge.
    pub read_data: Signal<Out, T>,
    mem: Ram<T, A>,
    same_q: Delay<Bit>,
    written_q: Reg<T>,
    same: Signal<Local, Bit>,
}

#[kernel]
impl<T: Synth, const A: usize> Logic for ForwardRam<T, A> {
    fn update(&mut self) {
        self.mem.write_addr.next = self.write_addr.val();
        self.mem.write_data.next = self.write_data.val();
        self.mem.write_en.next = self.write_en.val();
        self.mem.read_addr.next = self.read_addr.val();
        self.same.next = self.write_en.val() & (self.write_addr.val() == self.read_addr.val());
        self.same_q.d.next = self.same.val();
        self.written_q.d.next = self.write_data.val();
        self.written_q.en.next = self.write_en.val();
        self.read_data.next = self.mem.read_data.val();
        if self.same_q.q.val() {
            self.read_data.next = self.written_q.q.val();
        }
    }
}
