//! `ListTable`: where the list of each counter begins and ends.
//!
//! **Purpose.** The words of the lists of [`TriggerLists`](super::TriggerLists) that are read and written together.
//!
//! ```text
//!                     +-----------+
//!   counter        -->|           |--> head, tail, rise, floor  (one cycle later)
//!   write          -->| ListTable |
//!   write_counter, -->|           |
//!   write_head, ..    |           |
//!                     +-----------+
//! ```
//!
//! **Contract.** The words of `counter` as they were before the edge; `write` replaces those of `write_counter` at the
//! edge. Contents start at zero (nothing is pending) and survive `rst`.
//!
//! **Internals.** A memory for each word.

use crate::leaf::Ram;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::counter::Floor;

/// The lists of `2^A` counters with `2^S` places.
#[block]
pub struct ListTable<const A: usize, const S: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Counter to read.
    pub counter: Signal<In, Bits<A>>,
    /// Place of the oldest entry, one cycle later.
    pub head: Signal<Out, Bits<S>>,
    /// Place of the newest entry, one cycle later.
    pub tail: Signal<Out, Bits<S>>,
    /// Place from which on thresholds do not fall, one cycle later.
    pub rise: Signal<Out, Bits<S>>,
    /// Lowest threshold, if there is an entry; one cycle later.
    pub floor: Signal<Out, Floor>,
    /// Write all words of a counter (pulse).
    pub write: Signal<In, Bit>,
    /// Its number.
    pub write_counter: Signal<In, Bits<A>>,
    /// Place of the oldest entry.
    pub write_head: Signal<In, Bits<S>>,
    /// Place of the newest entry.
    pub write_tail: Signal<In, Bits<S>>,
    /// Place from which on thresholds do not fall.
    pub write_rise: Signal<In, Bits<S>>,
    /// Lowest threshold, if there is an entry.
    pub write_floor: Signal<In, Floor>,
    heads: Ram<Bits<S>, A>,
    tails: Ram<Bits<S>, A>,
    rises: Ram<Bits<S>, A>,
    floors: Ram<Floor, A>,
}

#[kernel]
impl<const A: usize, const S: usize> Logic for ListTable<A, S> {
    fn update(&mut self) {
        self.heads.read_addr.next = self.counter.val();
        self.heads.write_addr.next = self.write_counter.val();
        self.heads.write_data.next = self.write_head.val();
        self.heads.write_en.next = self.write.val();
        self.head.next = self.heads.read_data.val();

        self.tails.read_addr.next = self.counter.val();
        self.tails.write_addr.next = self.write_counter.val();
        self.tails.write_data.next = self.write_tail.val();
        self.tails.write_en.next = self.write.val();
        self.tail.next = self.tails.read_data.val();

        self.rises.read_addr.next = self.counter.val();
        self.rises.write_addr.next = self.write_counter.val();
        self.rises.write_data.next = self.write_rise.val();
        self.rises.write_en.next = self.write.val();
        self.rise.next = self.rises.read_data.val();

        self.floors.read_addr.next = self.counter.val();
        self.floors.write_addr.next = self.write_counter.val();
        self.floors.write_data.next = self.write_floor.val();
        self.floors.write_en.next = self.write.val();
        self.floor.next = self.floors.read_data.val();
    }
}
