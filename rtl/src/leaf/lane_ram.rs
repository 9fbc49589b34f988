//! `LaneRam`: a memory with one write port with write lanes (byte enables) and one synchronous read port.
//!
//! **Purpose.** Tables of which parts are written. Infers block RAM. Without lanes use [`Ram`](super::Ram). Contents
//! survive `rst`.
//!
//! ```text
//!                 +-------+
//!   clk        -->|       |
//!   write_addr -->|       |
//!   write_data -->|LaneRam|--> read_data
//!   write_en   -->|       |      (one cycle after read_addr)
//!   write_mask -->|       |
//!   read_addr  -->|       |
//!                 +-------+
//! ```
//!
//! **Contract.** At a rising edge: bit *i* of word `write_addr` becomes bit *i* of `write_data` if `write_en` and bit
//! `i / L` of `write_mask`, where `L = ceil(D / M)` is the lane width. `read_data` becomes word `read_addr`
//! as it was *before* the edge (read-during-write gives the **old** word). At power-up the first words are those of
//! [`LaneRam::with_contents`], the others are zero, as is `read_data` in simulation of the Rust.
//!
//! **Internals.** A `reg` array with `initial` contents in the style that Yosys maps to block RAM.

use rust_hdl::core::timing::TimingInfo;
use rust_hdl::prelude::*;
use xtq_kernel::block;

/// A memory of `2^A` words of `D` bits with `M` write lanes; lane `i` covers bits `i * D / M ..`. `D` must be a
/// multiple of `M`.
#[block]
#[check( M > 0 && D.is_multiple_of(M), "LaneRam: {D} data bits do not divide into {M} lanes" )]
pub struct LaneRam<const D: usize, const A: usize, const M: usize> {
    /// Clock of both ports.
    pub clk: Signal<In, Clock>,
    /// Word to write.
    pub write_addr: Signal<In, Bits<A>>,
    /// Data to write.
    pub write_data: Signal<In, Bits<D>>,
    /// Write at this edge.
    pub write_en: Signal<In, Bit>,
    /// Lanes to write.
    pub write_mask: Signal<In, Bits<M>>,
    /// Word to read.
    pub read_addr: Signal<In, Bits<A>>,
    /// Word read at the last edge.
    pub read_data: Signal<Out, Bits<D>>,
    /// First words at power-up; the others are zero.
    pub contents: Vec<Constant<Bits<D>>>,
    #[value(vec![Bits::default(); 1 << A])]
    _words: Vec<Bits<D>>,
}

impl<const D: usize, const A: usize, const M: usize> LaneRam<D, A, M> {
    /// A memory whose first words are `initial` and whose others are zero.
    ///
    /// # Panics
    /// If `D` is not a multiple of `M`, or there are more than `2^A` initial words.
    pub fn with_contents(initial: &[Bits<D>]) -> Self {
        assert!(
            initial.len() <= 1 << A,
            "LaneRam: {} initial words, room for {}",
            initial.len(),
            1usize << A
        );
        let mut words = initial.to_vec();
        words.resize(1 << A, Bits::default());
        Self {
            contents: initial.iter().map(|word| Constant::new(*word)).collect(),
            _words: words,
            ..Self::default()
        }
    }
}

impl<const D: usize, const A: usize, const M: usize> Logic for LaneRam<D, A, M> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            self.read_data.next = self._words[self.read_addr.val().index()];
            if self.write_en.val() {
                let (mask, data) = (self.write_mask.val(), self.write_data.val());
                let word = &mut self._words[self.write_addr.val().index()];
                if mask.all() {
                    *word = data;
                } else {
                    for bit in 0..D {
                        if mask.get_bit(bit / (D / M)) {
                            *word = word.replace_bit(bit, data.get_bit(bit));
                        }
                    }
                }
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: format!("xtq.lane_ram old_on_collision lanes={M}"),
            clock: "clk".into(),
            inputs: [
                "write_addr",
                "write_data",
                "write_en",
                "write_mask",
                "read_addr",
            ]
            .map(String::from)
            .to_vec(),
            outputs: vec!["read_data".into()],
        }]
    }
}
