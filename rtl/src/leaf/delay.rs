//! `Delay`: a register that takes its input at every edge.
//!
//! **Purpose.** Values that are wanted a cycle later, and state whose next value is always known. Use
//! [`Reg`](super::Reg) where a value is to stay.
//!
//! ```text
//!            +-------+
//!   d     -->| Delay |--> q
//!            +-------+
//! ```
//!
//! **Contract.** That of a `Reg` with `en` at one, which it is in the Verilog, too.
//!
//! **Internals.** A `Reg`; `#[kernel]` drives `en` as it drives clock and reset.

use super::Reg;
use rust_hdl::prelude::*;
use std::ops::{Deref, DerefMut};
use xtq_kernel::{Clocked, Pin, Value};

/// A register of type `T` without enable.
#[derive(Clone, Debug)]
pub struct Delay<T: Synth>(Reg<T>);

impl<T: Synth> Default for Delay<T> {
    fn default() -> Self {
        Self(Reg::default())
    }
}

impl<T: Synth> Deref for Delay<T> {
    type Target = Reg<T>;

    fn deref(&self) -> &Reg<T> {
        &self.0
    }
}

impl<T: Synth> DerefMut for Delay<T> {
    fn deref_mut(&mut self) -> &mut Reg<T> {
        &mut self.0
    }
}

impl<T: Synth> Clocked for Delay<T> {
    fn drive_clock(&mut self, clk: Option<Clock>, rst: Option<Bit>) {
        self.0.drive_clock(clk, rst);
        self.0.en.next = true;
    }

    fn connect_clock(&mut self, clk: bool, rst: bool) {
        self.0.connect_clock(clk, rst);
        self.0.en.connect();
    }

    fn clock_pins(&self, name: &str, pins: &mut Vec<Pin>) {
        self.0.clock_pins(name, pins);
        pins.push(Pin {
            name: format!("{name}$en"),
            value: Value::High,
        });
    }
}

impl<T: Synth> Logic for Delay<T> {
    fn update(&mut self) {}
}

impl<T: Synth> Block for Delay<T> {
    fn connect_all(&mut self) {
        self.0.connect_all();
    }

    fn update_all(&mut self) {
        self.0.update_all();
    }

    fn has_changed(&self) -> bool {
        self.0.has_changed()
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.0.accept(name, probe);
    }
}
