//! `ContextFlags`: enable, error causes and interrupt of one context.
//!
//! **Purpose.** The registers of a context that are more than a word to keep.
//!
//! ```text
//!   column, write ->+--------------+--> enable
//!   event_visible ->| ContextFlags |--> word
//!   event_failed -->|              |--> irq
//!   event_lost ---->|              |
//!   memory_failed ->|              |
//!   bad_tail     -->+--------------+
//! ```
//!
//! **Contract.** Causes are sticky: set by their pulse, cleared by a write of 1; a pulse in the cycle of the clearing
//! write wins. `word` is the register `column`. `irq` is high while a cause is pending that IRQ_MASK lets through.
//!
//! **Internals.** Four registers.

use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Flags of a context.
#[block]
pub struct ContextFlags {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Data of the writes.
    pub data: Signal<In, Bits<32>>,
    /// Which register: ENABLE (0), ERROR_CAUSE (1), IRQ_MASK (2), IRQ_STATUS (3).
    pub column: Signal<In, Bits<2>>,
    /// Write it; ones clear causes.
    pub write: Signal<In, Bit>,
    /// An event became visible.
    pub event_visible: Signal<In, Bit>,
    /// An event could not be written.
    pub event_failed: Signal<In, Bit>,
    /// An event was lost.
    pub event_lost: Signal<In, Bit>,
    /// A message failed with a memory error.
    pub memory_failed: Signal<In, Bit>,
    /// A doorbell of the command ring was impossible.
    pub bad_tail: Signal<In, Bit>,
    /// The context takes messages.
    pub enable: Signal<Out, Bit>,
    /// Its value.
    pub word: Signal<Out, Bits<32>>,
    /// Interrupt.
    pub irq: Signal<Out, Bit>,
    enable_q: Reg<Bit>,
    error_q: Delay<Bits<4>>,
    mask_q: Reg<Bits<2>>,
    status_q: Delay<Bits<2>>,
    on: Signal<Local, Bits<1>>,
    error: Signal<Local, Bits<4>>,
    kept_error: Signal<Local, Bits<4>>,
    kept_status: Signal<Local, Bits<2>>,
    new_status: Signal<Local, Bits<2>>,
    pending: Signal<Local, Bits<2>>,
}

#[kernel]
impl Logic for ContextFlags {
    fn update(&mut self) {
        self.enable_q.en.next = self.write.val() & (self.column.val() == 0);
        self.enable_q.d.next = self.data.val().get_bit(0);
        self.mask_q.en.next = self.write.val() & (self.column.val() == 2);
        self.mask_q.d.next = self.data.val().get_bits::<2>(0);

        self.error.next = bit_cast::<4, 1>(self.event_failed.val().into())
            | (bit_cast::<4, 1>(self.event_lost.val().into()) << 1)
            | (bit_cast::<4, 1>(self.memory_failed.val().into()) << 2)
            | (bit_cast::<4, 1>(self.bad_tail.val().into()) << 3);
        self.kept_error.next = self.error_q.q.val();
        if self.write.val() & (self.column.val() == 1) {
            self.kept_error.next = self.error_q.q.val() & !self.data.val().get_bits::<4>(0);
        }
        self.error_q.d.next = self.kept_error.val() | self.error.val();

        self.kept_status.next = self.status_q.q.val();
        if self.write.val() & (self.column.val() == 3) {
            self.kept_status.next = self.status_q.q.val() & !self.data.val().get_bits::<2>(0);
        }
        self.new_status.next = 0.into();
        if self.event_visible.val() {
            self.new_status.next = 1.into();
        }
        if self.error.val().any() {
            self.new_status.next = self.new_status.val() | 2;
        }
        self.status_q.d.next = self.kept_status.val() | self.new_status.val();

        self.enable.next = self.enable_q.q.val();
        self.on.next = self.enable_q.q.val().into();
        match self.column.val().index() {
            0 => self.word.next = bit_cast::<32, 1>(self.on.val()),
            1 => self.word.next = bit_cast::<32, 4>(self.error_q.q.val()),
            2 => self.word.next = bit_cast::<32, 2>(self.mask_q.q.val()),
            _ => self.word.next = bit_cast::<32, 2>(self.status_q.q.val()),
        }
        self.pending.next = self.status_q.q.val() & self.mask_q.q.val();
        self.irq.next = self.pending.val().any();
    }
}
