//! `ContextBank`: the [`ContextFlags`] of all contexts.
//!
//! **Purpose.** Gives each pulse and each access to the flags of its context, so that no process sees or changes
//! another's.
//!
//! ```text
//!   owner, column ---->+-------------+--> word
//!   write, data     -->| ContextBank |--> context_enabled
//!   event_*, memory -->|             |--> irq
//!                      +-------------+
//! ```
//!
//! **Contract.** `word` is register `column` of context `owner`, in the same cycle; `write` counts at the edge. Pulses
//! of all kinds may come in one cycle. `irq` is high while any context interrupts. A context that is not there is never
//! enabled.
//!
//! **Internals.** A [`ContextFlags`] for each context.

use crate::bundle::PulseIn;
use crate::host::context_flags::ContextFlags;
use crate::leaf::per_context::PerContext;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Flags of `C` contexts.
#[block]
pub struct ContextBank<const C: usize = 4> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Context that is accessed.
    pub owner: Signal<In, Bits<2>>,
    /// Which register, see [`ContextFlags`].
    pub column: Signal<In, Bits<2>>,
    /// Write it.
    pub write: Signal<In, Bit>,
    /// Value to write.
    pub data: Signal<In, Bits<32>>,
    /// Its value.
    pub word: Signal<Out, Bits<32>>,
    /// An event became visible: context.
    pub event_visible: PulseIn<Bits<2>>,
    /// An event could not be written: context.
    pub event_failed: PulseIn<Bits<2>>,
    /// An event was lost: context.
    pub event_lost: PulseIn<Bits<2>>,
    /// A message failed with a memory error: context.
    pub memory_failed: PulseIn<Bits<2>>,
    /// What a message of this node sends could not be read: context.
    pub gather_failed: PulseIn<Bits<2>>,
    /// An impossible doorbell of a command ring: context.
    pub bad_tail: PulseIn<Bits<2>>,
    /// One bit per context: takes messages.
    pub context_enabled: Signal<Out, Bits<4>>,
    /// Interrupt.
    pub irq: Signal<Out, Bit>,
    flags: PerContext<ContextFlags, C>,
    one: Signal<Local, Bits<4>>,
    hot: Signal<Local, Bits<4>>,
    visible: Signal<Local, Bits<4>>,
    failed: Signal<Local, Bits<4>>,
    lost: Signal<Local, Bits<4>>,
    memory: Signal<Local, Bits<4>>,
    gather: Signal<Local, Bits<4>>,
    tail: Signal<Local, Bits<4>>,
    enables: Signal<Local, Bits<4>>,
    interrupts: Signal<Local, Bits<4>>,
}

#[kernel]
impl<const C: usize> Logic for ContextBank<C> {
    fn update(&mut self) {
        self.one.next = 1.into();
        self.hot.next = self.one.val() << self.owner.val();
        self.visible.next = 0.into();
        if self.event_visible.valid.val() {
            self.visible.next = self.one.val() << self.event_visible.data.val();
        }
        self.failed.next = 0.into();
        if self.event_failed.valid.val() {
            self.failed.next = self.one.val() << self.event_failed.data.val();
        }
        self.lost.next = 0.into();
        if self.event_lost.valid.val() {
            self.lost.next = self.one.val() << self.event_lost.data.val();
        }
        self.memory.next = 0.into();
        if self.memory_failed.valid.val() {
            self.memory.next = self.one.val() << self.memory_failed.data.val();
        }
        self.gather.next = 0.into();
        if self.gather_failed.valid.val() {
            self.gather.next = self.one.val() << self.gather_failed.data.val();
        }
        self.tail.next = 0.into();
        if self.bad_tail.valid.val() {
            self.tail.next = self.one.val() << self.bad_tail.data.val();
        }
        self.word.next = 0.into();
        self.enables.next = 0.into();
        self.interrupts.next = 0.into();
        for i in 0..C {
            self.flags[i].data.next = self.data.val();
            self.flags[i].column.next = self.column.val();
            self.flags[i].write.next = self.write.val() & self.hot.val().get_bit(i);
            self.flags[i].event_visible.next = self.visible.val().get_bit(i);
            self.flags[i].event_failed.next = self.failed.val().get_bit(i);
            self.flags[i].event_lost.next = self.lost.val().get_bit(i);
            self.flags[i].memory_failed.next =
                self.memory.val().get_bit(i) | self.gather.val().get_bit(i);
            self.flags[i].bad_tail.next = self.tail.val().get_bit(i);
            if self.hot.val().get_bit(i) {
                self.word.next = self.flags[i].word.val();
            }
            self.enables.next = self
                .enables
                .val()
                .replace_bit(i, self.flags[i].enable.val());
            self.interrupts.next = self
                .interrupts
                .val()
                .replace_bit(i, self.flags[i].irq.val());
        }
        self.context_enabled.next = self.enables.val();
        self.irq.next = self.interrupts.val().any();
    }
}
