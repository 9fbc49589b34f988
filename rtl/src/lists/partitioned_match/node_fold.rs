//! `NodeFold`: the match unit that a sender's messages and receives belong to.
//!
//! **Purpose.** The partition of [`PartitionedMatch`](super::PartitionedMatch), which needs it of every request and of
//! every command that names a sender.
//!
//! ```text
//!   node -->+----------+--> part
//!           | NodeFold |
//!           +----------+
//! ```
//!
//! **Contract.** Combinational. `part` is the exclusive or of the eight pairs of bits of `node`: any four neighbours,
//! the first of them a multiple of four, are in four parts.
//!
//! **Internals.** Halved three times.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// A number below 4 of a node.
#[block]
pub struct NodeFold {
    /// Sender's node.
    pub node: Signal<In, Bits<16>>,
    /// Its part.
    pub part: Signal<Out, Bits<2>>,
    of_8: Signal<Local, Bits<8>>,
    of_4: Signal<Local, Bits<4>>,
}

#[kernel]
impl Logic for NodeFold {
    fn update(&mut self) {
        self.of_8.next = self.node.val().get_bits::<8>(0) ^ self.node.val().get_bits::<8>(8);
        self.of_4.next = self.of_8.val().get_bits::<4>(0) ^ self.of_8.val().get_bits::<4>(4);
        self.part.next = self.of_4.val().get_bits::<2>(0) ^ self.of_4.val().get_bits::<2>(2);
    }
}
