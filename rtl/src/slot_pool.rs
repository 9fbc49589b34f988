//! `SlotPool`: gives out the 256 message slots and takes them back.
//!
//! **Purpose.** Names messages in flight. Slots come back in any order, because messages of several packets finish
//! later than short ones that came after them.
//!
//! ```text
//!                  +----------+
//!   freed     -->|          |--> slot
//!   freed_valid->| SlotPool |--> slot_valid
//!                  |          |<-- slot_ready
//!                  +----------+
//! ```
//!
//! **Contract.** `slot` is free while `slot_valid`; `slot_ready` at an edge takes it. A released slot can be given out two
//! cycles later. Only slots that were taken may be released. Reset frees all.
//!
//! **Internals.** `fresh_q` counts up once through all slots after reset; then the released ones, kept in a FIFO, are
//! given out again, so the FIFO needs no initial contents.

use crate::leaf::{Fifo, Reg};
use rust_hdl::prelude::*;

/// The pool of message slots.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct SlotPool {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// A free slot.
    pub slot: Signal<Out, Bits<8>>,
    /// There is a free slot.
    pub slot_valid: Signal<Out, Bit>,
    /// Take it.
    pub slot_ready: Signal<In, Bit>,
    /// Slot that becomes free.
    pub freed: Signal<In, Bits<8>>,
    /// `freed` is valid.
    pub freed_valid: Signal<In, Bit>,
    fresh_q: Reg<Bits<9>>,
    used: Fifo<Bits<8>, 8, 9>,
    fresh: Signal<Local, Bit>,
}

impl Logic for SlotPool {
    #[hdl_gen]
    fn update(&mut self) {
        self.fresh_q.clk.next = self.clk.val();
        self.fresh_q.rst.next = self.rst.val();
        self.used.clk.next = self.clk.val();
        self.used.rst.next = self.rst.val();

        self.fresh.next = !self.fresh_q.q.val().get_bit(8);
        self.used.write.next = self.freed.val();
        self.used.write_valid.next = self.freed_valid.val();

        self.slot.next = self.used.read.val();
        self.slot_valid.next = self.used.read_valid.val();
        self.used.read_ready.next = self.slot_ready.val();
        self.fresh_q.d.next = self.fresh_q.q.val() + 1;
        self.fresh_q.en.next = false;
        if self.fresh.val() {
            self.slot.next = self.fresh_q.q.val().get_bits::<8>(0);
            self.slot_valid.next = true;
            self.used.read_ready.next = false;
            self.fresh_q.en.next = self.slot_ready.val();
        }
    }
}
