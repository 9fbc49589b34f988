//! From a block with numbered pins to an [`Oracle`](crate::Oracle): one copy of the oracle's code for all blocks of a
//! list.

use rust_hdl::prelude::{Block, Logic, Probe};

use super::Entry;
use crate::{Engine, Oracle, Result};

/// A block whose pins have numbers.
pub trait Pinned: Block + Send {
    /// The same block in the same state.
    fn copy(&self) -> Box<dyn Pinned>;
    /// Sets the clock.
    fn clock(&mut self, level: bool);
    /// Sets the input of this number from little-endian words.
    fn drive(&mut self, pin: usize, words: &[u64]);
    /// Fills the words, which are zero, from the output of this number.
    fn sample(&self, pin: usize, words: &mut [u64]);
}

/// A block, and functions that reach its pins.
pub struct Pins<D> {
    /// The block.
    pub design: Box<D>,
    /// Sets the clock; does nothing if there is none.
    pub clock: fn(&mut D, bool),
    /// See [`Pinned::drive`].
    pub drive: fn(&mut D, usize, &[u64]),
    /// See [`Pinned::sample`].
    pub sample: fn(&D, usize, &mut [u64]),
}

impl<D> Logic for Pins<D> {
    fn update(&mut self) {}
}

impl<D: Block> Block for Pins<D> {
    fn connect_all(&mut self) {
        self.design.connect_all();
    }

    fn update_all(&mut self) {
        self.design.update_all();
    }

    fn has_changed(&self) -> bool {
        self.design.has_changed()
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.design.accept(name, probe);
    }
}

impl<D: Block + Clone + Send + 'static> Pinned for Pins<D> {
    fn copy(&self) -> Box<dyn Pinned> {
        Box::new(Self {
            design: self.design.clone(),
            ..*self
        })
    }

    fn clock(&mut self, level: bool) {
        (self.clock)(&mut self.design, level);
    }

    fn drive(&mut self, pin: usize, words: &[u64]) {
        (self.drive)(&mut self.design, pin, words);
    }

    fn sample(&self, pin: usize, words: &mut [u64]) {
        (self.sample)(&self.design, pin, words);
    }
}

/// Any block of a list, for the oracle, which wants a type.
struct Any(Box<dyn Pinned>);

impl Clone for Any {
    fn clone(&self) -> Self {
        Self(self.0.copy())
    }
}

impl Logic for Any {
    fn update(&mut self) {}
}

impl Block for Any {
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

/// The block on rust-hdl's own loop, with the pins of its entry. Errors: of the oracle.
pub(super) fn oracle(design: Box<dyn Pinned>, entry: &Entry) -> Result<Box<dyn Engine>> {
    let mut builder = Oracle::builder(Any(design));
    if entry.clocked {
        builder = builder.clock(|design, level| design.0.clock(level));
    }
    for (pin, name) in entry.inputs.iter().enumerate() {
        builder = builder.input(name, move |design, words| design.0.drive(pin, words));
    }
    for (pin, name) in entry.outputs.iter().enumerate() {
        builder = builder.output(name, move |design, words| design.0.sample(pin, words));
    }
    Ok(Box::new(builder.build()?))
}
