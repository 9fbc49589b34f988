//! A block whose pins are set and read by name, cycle by cycle.

use xtq_engine::Engine;
use xtq_testbench::bus::Pin;

/// The block.
pub struct Hardware(pub Box<dyn Engine>);

impl Hardware {
    /// Resets for two cycles if there is a reset.
    pub fn new(engine: impl Engine + 'static) -> Self {
        let mut engine: Box<dyn Engine> = Box::new(engine);
        if engine.port("rst").is_ok() {
            engine.reset(2).expect("has rst");
        }
        Self(engine)
    }

    pub fn set(&mut self, name: &str, words: &[u64]) {
        let pin = Pin::input(&*self.0, name).expect("is an input");
        pin.set_words(&mut *self.0, words).expect("is an input");
    }

    pub fn get(&self, name: &str) -> Vec<u64> {
        Pin::output(&*self.0, name)
            .expect("is an output")
            .get_words(&*self.0)
    }

    pub fn eval(&mut self) {
        self.0.eval().expect("settles");
    }

    pub fn step(&mut self) {
        self.0.step().expect("settles");
    }
}
