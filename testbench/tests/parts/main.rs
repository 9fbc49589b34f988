//! Parts of larger blocks, each alone on the JIT against a naive model.

use xtq_catalogue as _;
#[path = "../by_name/mod.rs"]
mod by_name;
mod index_swap;
mod lookup_tags;
mod miss_tracker;
mod payload_tracker;
mod queue_states;

use std::sync::Arc;

use by_name::Hardware;
use xtq_engine::blocks;
use xtq_engine::{Backend, Body, Compiled};

/// A block whose pins are driven and read by name, most of them narrow.
pub struct Part(Hardware);

impl Part {
    /// The block of this name, out of reset, all inputs 0.
    pub fn new(name: &str) -> Self {
        let design = blocks::design(name).expect("is a block");
        let body = Body::new(design.as_ref(), Backend::Jit).expect("compiles");
        Self(Hardware::new(Compiled::new(Arc::new(body))))
    }

    /// Drives an input.
    pub fn set(&mut self, name: &str, value: impl Into<u64>) {
        self.0.set(name, &[value.into()]);
    }

    /// Drives an input of any width.
    pub fn set_words(&mut self, name: &str, words: &[u64]) {
        self.0.set(name, words);
    }

    /// Lets the outputs follow the inputs.
    pub fn settle(&mut self) {
        self.0.eval();
    }

    /// The lowest 64 bits of an output.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name)[0]
    }

    /// All of an output.
    pub fn words(&self, name: &str) -> Vec<u64> {
        self.0.get(name)
    }

    /// Whether a one-bit output is 1.
    pub fn high(&self, name: &str) -> bool {
        self.get(name) == 1
    }

    /// The clock edge.
    pub fn step(&mut self) {
        self.0.step();
    }
}
