//! `QueueKey`: the number of a queue among the 256 that the target knows.
//!
//! **Purpose.** Wherever something is kept for each queue, this is its place. Only queue indices below 64 are admitted.
//!
//! ```text
//!            +----------+
//!   owner -->|          |
//!   index -->| QueueKey |--> key
//!            +----------+
//! ```
//!
//! **Contract.** Combinational: `key` is {context 2, index 6}; the upper bits of `index` do not count.
//!
//! **Internals.** Wires.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Combinational: {context 2, index 6}.
#[block]
pub struct QueueKey {
    /// Context.
    pub owner: Signal<In, Bits<2>>,
    /// Queue table index.
    pub index: Signal<In, Bits<16>>,
    /// Place of the queue, 0 to 255.
    pub key: Signal<Out, Bits<8>>,
}

#[kernel]
impl Logic for QueueKey {
    fn update(&mut self) {
        self.key.next = (bit_cast::<8, 2>(self.owner.val()) << 6)
            | bit_cast::<8, 6>(self.index.val().get_bits::<6>(0));
    }
}
