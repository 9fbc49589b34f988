//! `HalfPicker`: the half words of a beat that are still to be computed, one after the other.
//!
//! **Purpose.** The list of what [`SerialUnit`](super::SerialUnit) has to do.
//!
//! ```text
//!   load, single, mask -->+------------+--> waiting
//!                         | HalfPicker |
//!   take               -->+------------+--> index
//! ```
//!
//! **Contract.** `load` puts down every half word (4 bytes) that has a byte in `mask`; without `single` whole words,
//! each as its lower half. From the next cycle on `waiting` says that some are left and `index` is one of them; `take`
//! takes it off the list.
//!
//! **Internals.** One bit per half word; the highest goes first.

use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// A list of half words.
#[block]
pub struct HalfPicker {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset: nothing waits.
    pub rst: Signal<In, Bit>,
    /// Put a beat on the list.
    pub load: Signal<In, Bit>,
    /// Half words (else words).
    pub single: Signal<In, Bit>,
    /// Bytes that take part.
    pub mask: Signal<In, Bits<64>>,
    /// Take `index` off the list.
    pub take: Signal<In, Bit>,
    /// The list is not empty.
    pub waiting: Signal<Out, Bit>,
    /// One of the list.
    pub index: Signal<Out, Bits<4>>,
    todo_q: Reg<Bits<16>>,
    /// The numbers 0 to 15, for the kernel, which has no loop index as a value.
    #[value(std::array::from_fn(|number| Constant::new((number as u64).to_bits())))]
    number: [Constant<Bits<4>>; 16],
    touched: Signal<Local, Bits<16>>,
    chosen: Signal<Local, Bits<4>>,
}

#[kernel]
impl Logic for HalfPicker {
    fn update(&mut self) {
        self.touched.next = 0.into();
        for i in 0..16 {
            self.touched.next = self
                .touched
                .val()
                .replace_bit(i, self.mask.val().get_bits::<4>(i * 4).any());
        }
        self.chosen.next = 0.into();
        for i in 0..16 {
            if self.todo_q.q.val().get_bit(i) {
                self.chosen.next = self.number[i].val();
            }
        }
        self.waiting.next = self.todo_q.q.val().any();
        self.index.next = self.chosen.val();

        self.todo_q.en.next = self.load.val() | self.take.val();
        self.todo_q.d.next = self.todo_q.q.val() & !(bits::<16>(1) << self.chosen.val());
        if self.load.val() {
            self.todo_q.d.next = (self.touched.val() | (self.touched.val() >> 1)) & 0x5555;
            if self.single.val() {
                self.todo_q.d.next = self.touched.val();
            }
        }
    }
}
