//! `PerContext`: a block for each context of the NIC.
//!
//! The NIC is built with a number of contexts `C`, 4 or, in the small configuration, 2. Numbers of contexts have two
//! bits all the same; a context that is not there has no registers, and nobody can open it. What such a context would
//! hold is in no `PerContext` of this NIC. In the Verilog it is an array of `C` modules, as `[B; C]` would be, which
//! has no default value for every `C`.

use rust_hdl::prelude::*;
use std::ops::{Index, IndexMut};
use xtq_kernel::{Clocked, Pin};

/// `C` blocks, those of context 0, 1, ...
#[derive(Clone, Debug)]
pub struct PerContext<B, const C: usize>([B; C]);

impl<B, const C: usize> PerContext<B, C> {
    /// One for each context, all made alike.
    pub fn of(make: impl Fn() -> B) -> Self {
        assert!(C == 2 || C == 4, "PerContext: {C} contexts, must be 2 or 4");
        Self(std::array::from_fn(|_| make()))
    }
}

impl<B: Default, const C: usize> Default for PerContext<B, C> {
    fn default() -> Self {
        Self::of(B::default)
    }
}

impl<B, const C: usize> Index<usize> for PerContext<B, C> {
    type Output = B;

    fn index(&self, context: usize) -> &B {
        &self.0[context]
    }
}

impl<B, const C: usize> IndexMut<usize> for PerContext<B, C> {
    fn index_mut(&mut self, context: usize) -> &mut B {
        &mut self.0[context]
    }
}

impl<B: Logic, const C: usize> Logic for PerContext<B, C> {
    fn update(&mut self) {}
}

impl<B: Block, const C: usize> Block for PerContext<B, C> {
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

impl<B: Clocked, const C: usize> Clocked for PerContext<B, C> {
    fn drive_clock(&mut self, clk: Option<Clock>, rst: Option<Bit>) {
        self.0.drive_clock(clk, rst);
    }

    fn connect_clock(&mut self, clk: bool, rst: bool) {
        self.0.connect_clock(clk, rst);
    }

    fn clock_pins(&self, name: &str, pins: &mut Vec<Pin>) {
        self.0.clock_pins(name, pins);
    }
}
