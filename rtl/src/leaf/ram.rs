//! `Ram`: a memory with one write port and one synchronous read port.
//!
//! **Purpose.** Tables and the storage of deep FIFOs. Infers block RAM. Not for state that must reset: contents survive
//! `rst`. To write parts of a word use [`LaneRam`](super::LaneRam).
//!
//! ```text
//!                 +-------+
//!   clk        -->|       |
//!   write_addr -->|       |
//!   write_data -->|  Ram  |--> read_data
//!   write_en   -->|       |      (one cycle after read_addr)
//!   read_addr  -->|       |
//!                 +-------+
//! ```
//!
//! **Contract.** At a rising edge word `write_addr` becomes `write_data` if `write_en`, and `read_data` becomes word
//! `read_addr` as it was *before* the edge (read-during-write gives the **old** word). Contents start at zero,
//! and so does `read_data` in simulation of the Rust.
//!
//! **Internals.** A `reg` array with `initial` zeros in the style that Yosys maps to block RAM.

use rust_hdl::core::timing::TimingInfo;
use rust_hdl::prelude::*;
use xtq_kernel::block;

/// A memory of `2^A` words of type `T`.
#[block]
pub struct Ram<T: Synth, const A: usize> {
    /// Clock of both ports.
    pub clk: Signal<In, Clock>,
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
    #[value(vec![T::default(); 1 << A])]
    _words: Vec<T>,
}

impl<T: Synth, const A: usize> Logic for Ram<T, A> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            self.read_data.next = self._words[self.read_addr.val().index()];
            if self.write_en.val() {
                self._words[self.write_addr.val().index()] = self.write_data.val();
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "xtq.ram old_on_collision".into(),
            clock: "clk".into(),
            inputs: ["write_addr", "write_data", "write_en", "read_addr"]
                .map(String::from)
                .to_vec(),
            outputs: vec!["read_data".into()],
        }]
    }
}
