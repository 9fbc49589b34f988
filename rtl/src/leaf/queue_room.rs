//! `QueueRoom`: whether a queue has room, out of a register.
//!
//! **Purpose.** A decision that waits for room in a [`Fifo`](crate::leaf::Fifo), and all that starts with it, need not
//! wait for the comparison of the pointers by which the FIFO itself says it.
//!
//! ```text
//!   come  -->+-----------+
//!   leave -->| QueueRoom |--> free
//!            +-----------+
//! ```
//!
//! **Contract.** `come`: a word is offered; it goes in at the edge if `free`. `leave`: one goes out at the edge; there
//! must be one. `free` is there while fewer than `2^(N - 1)` are in: it is `write_ready` of a FIFO with pointers of `N`
//! bits, `come` its `write_valid`, and `leave` its `read_valid` and `read_ready`. Reset empties it.
//!
//! **Internals.** The number of words, and whether the queue is full, which is made from the number before.

use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Room in a queue of `2^(N - 1)` words.
#[block]
pub struct QueueRoom<const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// A word is offered.
    pub come: Signal<In, Bit>,
    /// One goes out.
    pub leave: Signal<In, Bit>,
    /// There is room.
    pub free: Signal<Out, Bit>,
    count_q: Reg<Bits<N>>,
    full_q: Reg<Bit>,
    comes: Signal<Local, Bit>,
    /// One less than a full queue.
    #[value(((1u64 << (N - 1)) - 1).to_bits())]
    last: Constant<Bits<N>>,
}

#[kernel]
impl<const N: usize> Logic for QueueRoom<N> {
    fn update(&mut self) {
        self.comes.next = self.come.val() & !self.full_q.q.val();
        self.count_q.d.next = self.count_q.q.val() + 1;
        if self.leave.val() {
            self.count_q.d.next = self.count_q.q.val() - 1;
        }
        self.count_q.en.next = self.comes.val() ^ self.leave.val();
        self.full_q.d.next = self.comes.val() & (self.count_q.q.val() == self.last.val());
        self.full_q.en.next = self.comes.val() ^ self.leave.val();
        self.free.next = !self.full_q.q.val();
    }
}
