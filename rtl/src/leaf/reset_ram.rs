//! `ResetRam`: a small memory with one write port and one asynchronous read port, all words of which are zero after
//! reset.
//!
//! **Purpose.** Flags of many sets that reset must clear, as valid bits and locks. As registers each bit of a word
//! would need a multiplexer and a decoder of all words; here there is one of each for the whole word. As a [`LutRam`]
//! alone they would survive reset. Not for more than some hundred words.
//!
//! ```text
//!                 +----------+
//!   clk, rst   -->|          |
//!   write_addr -->|          |
//!   write_data -->| ResetRam |--> read_data
//!   write_en   -->|          |      (same cycle as read_addr)
//!   read_addr  -->|          |
//!                 +----------+
//! ```
//!
//! **Contract.** At a rising edge all words become zero with `rst`, else word `write_addr` becomes `write_data` if
//! `write_en`. `read_data` is word `read_addr` of the current contents at all times.
//!
//! **Internals.** A bit for each word says whether it was written since reset; one that was not reads as zero, whatever
//! the memory has.

use crate::leaf::{LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// `WORDS` = `2^A` words of `N` bits.
#[block]
#[check(
    WORDS == 1 << A,
    "ResetRam: {WORDS} words with addresses of {A} bits, must be {}",
    1usize << A
)]
pub struct ResetRam<const N: usize, const A: usize, const WORDS: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; all words become zero.
    pub rst: Signal<In, Bit>,
    /// Word to write.
    pub write_addr: Signal<In, Bits<A>>,
    /// Data to write.
    pub write_data: Signal<In, Bits<N>>,
    /// Write at this edge.
    pub write_en: Signal<In, Bit>,
    /// Word to read.
    pub read_addr: Signal<In, Bits<A>>,
    /// The word, in the same cycle.
    pub read_data: Signal<Out, Bits<N>>,
    words: LutRam<Bits<N>, A>,
    written_q: Reg<Bits<WORDS>>,
    #[value(1u64.to_bits())]
    one: Constant<Bits<WORDS>>,
    write_mask: Signal<Local, Bits<WORDS>>,
}

#[kernel]
impl<const N: usize, const A: usize, const WORDS: usize> Logic for ResetRam<N, A, WORDS> {
    fn update(&mut self) {
        self.words.write_addr.next = self.write_addr.val();
        self.words.write_data.next = self.write_data.val();
        self.words.write_en.next = self.write_en.val();
        self.words.read_addr.next = self.read_addr.val();

        self.write_mask.next = self.one.val() << self.write_addr.val();
        self.written_q.en.next = self.write_en.val();
        self.written_q.d.next = self.written_q.q.val() | self.write_mask.val();

        self.read_data.next = 0.into();
        if self.written_q.q.val().get_bit(self.read_addr.val().index()) {
            self.read_data.next = self.words.read_data.val();
        }
    }
}
