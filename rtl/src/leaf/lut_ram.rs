//! `LutRam`: a small memory with one write port and one asynchronous read port.
//!
//! **Purpose.** Short FIFOs and tables that must answer in the same cycle. Infers distributed RAM. Not for more than
//! some hundred words: use [`Ram`](super::Ram).
//!
//! ```text
//!                 +--------+
//!   clk        -->|        |
//!   write_addr -->|        |
//!   write_data -->| LutRam |--> read_data
//!   write_en   -->|        |      (same cycle as read_addr)
//!   read_addr  -->|        |
//!                 +--------+
//! ```
//!
//! **Contract.** At a rising edge word `write_addr` becomes `write_data` if `write_en`. `read_data` is word `read_addr`
//! of the current contents at all times; a word written at an edge is seen right after it. Contents start at zero and
//! survive `rst`.
//!
//! **Internals.** A `reg` array with `initial` zeros, read by an `assign`.

use rust_hdl::core::timing::TimingInfo;
use rust_hdl::prelude::*;
use xtq_kernel::block;

/// A memory of `2^A` words of type `T`.
#[block]
pub struct LutRam<T: Synth, const A: usize> {
    /// Clock of the write port.
    pub clk: Signal<In, Clock>,
    /// Word to write.
    pub write_addr: Signal<In, Bits<A>>,
    /// Data to write.
    pub write_data: Signal<In, T>,
    /// Write at this edge.
    pub write_en: Signal<In, Bit>,
    /// Word to read.
    pub read_addr: Signal<In, Bits<A>>,
    /// The word, in the same cycle.
    pub read_data: Signal<Out, T>,
    #[value(vec![T::default(); 1 << A])]
    _words: Vec<T>,
}

impl<T: Synth, const A: usize> Logic for LutRam<T, A> {
    fn update(&mut self) {
        if self.clk.pos_edge() && self.write_en.val() {
            self._words[self.write_addr.val().index()] = self.write_data.val();
        }
        self.read_data.next = self._words[self.read_addr.val().index()];
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "xtq.lut_ram".into(),
            clock: "clk".into(),
            inputs: ["write_addr", "write_data", "write_en", "read_addr"]
                .map(String::from)
                .to_vec(),
            outputs: vec!["read_data".into()],
        }]
    }
}
