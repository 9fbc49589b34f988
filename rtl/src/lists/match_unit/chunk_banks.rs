//! `ChunkBanks`: the contents of chunks of four slots, one chunk read in a cycle.
//!
//! **Purpose.** The keys that a list is searched by. Which slots are in use, and how chunks are chained, is kept in
//! [`ChunkLinks`](super::chunk_links::ChunkLinks).
//!
//! ```text
//!                  +------------+
//!   chunk       -->|            |--> slot_0 .. slot_3
//!   write_chunk -->| ChunkBanks |      (one cycle after chunk)
//!   write_slot  -->|            |
//!   write_data  -->|            |
//!   write_en    -->|            |
//!                  +------------+
//! ```
//!
//! **Contract.** At a rising edge slot `write_slot` of chunk `write_chunk` becomes `write_data` if `write_en`; `slot_0`
//! to `slot_3` become those of `chunk` as they were before the edge. Contents survive `rst`.
//!
//! **Internals.** A memory for each slot.

use crate::leaf::Ram;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// `2^C` chunks of four words of type `T`.
#[block]
pub struct ChunkBanks<T: Synth, const C: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Chunk to read.
    pub chunk: Signal<In, Bits<C>>,
    /// Its slot 0, a cycle later.
    pub slot_0: Signal<Out, T>,
    /// Its slot 1.
    pub slot_1: Signal<Out, T>,
    /// Its slot 2.
    pub slot_2: Signal<Out, T>,
    /// Its slot 3.
    pub slot_3: Signal<Out, T>,
    /// Chunk to write.
    pub write_chunk: Signal<In, Bits<C>>,
    /// Slot to write.
    pub write_slot: Signal<In, Bits<2>>,
    /// Word to write.
    pub write_data: Signal<In, T>,
    /// Write at this edge.
    pub write_en: Signal<In, Bit>,
    banks: [Ram<T, C>; 4],
}

#[kernel]
impl<T: Synth, const C: usize> Logic for ChunkBanks<T, C> {
    fn update(&mut self) {
        for i in 0..4 {
            self.banks[i].read_addr.next = self.chunk.val();
            self.banks[i].write_addr.next = self.write_chunk.val();
            self.banks[i].write_data.next = self.write_data.val();
            self.banks[i].write_en.next = false;
        }
        if self.write_en.val() {
            match self.write_slot.val().index() {
                0 => self.banks[0].write_en.next = true,
                1 => self.banks[1].write_en.next = true,
                2 => self.banks[2].write_en.next = true,
                _ => self.banks[3].write_en.next = true,
            }
        }
        self.slot_0.next = self.banks[0].read_data.val();
        self.slot_1.next = self.banks[1].read_data.val();
        self.slot_2.next = self.banks[2].read_data.val();
        self.slot_3.next = self.banks[3].read_data.val();
    }
}
