//! A block of the hardware whose pins are driven and read by name, cycle by cycle, and values of its packed formats.
//!
//! Each access looks its pin up: for tests of a block alone. What runs for long keeps a [`Pin`](crate::bus::Pin).

use xtq_engine::{Engine, EngineKind, blocks};
use xtq_types::Field;

use crate::bus::Pin;

/// The block. Its methods panic on a name that it does not have and on wires that do not settle.
///
/// ```
/// use xtq_catalogue as _; // links the hardware
/// use xtq_testbench::by_name::Hardware;
///
/// let mut skid = Hardware::block("skid");
/// skid.drive("write_valid", true);
/// skid.step();
/// assert!(skid.high("read_valid"));
/// ```
pub struct Hardware(pub Box<dyn Engine>);

impl Hardware {
    /// The block of this name, compiled, after two cycles of reset if it has one; its inputs are 0. Panics: there is
    /// none.
    pub fn block(name: &str) -> Self {
        Self::reset(blocks::engine(name, EngineKind::Jit).expect("is a block"))
    }

    /// The block that this engine runs, after two cycles of reset if it has one.
    pub fn new(engine: impl Engine + 'static) -> Self {
        Self::reset(Box::new(engine))
    }

    fn reset(mut engine: Box<dyn Engine>) -> Self {
        if engine.port("rst").is_ok() {
            engine.reset(2).expect("has rst");
        }
        Self(engine)
    }

    /// Drives an input with words, the lowest first.
    pub fn set(&mut self, name: &str, words: &[u64]) {
        let pin = Pin::input(&*self.0, name).expect("is an input");
        pin.set_words(&mut *self.0, words).expect("is an input");
    }

    /// Drives an input of at most 64 bits.
    pub fn drive(&mut self, name: &str, value: impl Into<u64>) {
        self.set(name, &[value.into()]);
    }

    /// An output as words, the lowest first.
    pub fn get(&self, name: &str) -> Vec<u64> {
        let pin = Pin::output(&*self.0, name).expect("is an output");
        pin.get_words(&*self.0)
    }

    /// The lowest 64 bits of an output.
    pub fn word(&self, name: &str) -> u64 {
        self.get(name)[0]
    }

    /// Whether an output of one bit is 1.
    pub fn high(&self, name: &str) -> bool {
        self.word(name) == 1
    }

    /// Lets the outputs follow the inputs.
    pub fn eval(&mut self) {
        self.0.eval().expect("settles");
    }

    /// The clock edge.
    pub fn step(&mut self) {
        self.0.step().expect("settles");
    }
}

/// A packed format with these values, the other fields 0. Fields have at most 64 bits. Panics: there is no such field.
pub fn pack(fields: &[Field], values: &[(&str, u64)]) -> Vec<u64> {
    let bits = fields.iter().map(|f| f.offset + f.width).max().unwrap_or(0);
    let mut words = vec![0; bits.div_ceil(64)];
    for (name, value) in values {
        let field = named(fields, name);
        for i in 0..field.width.min(64) {
            words[(field.offset + i) / 64] |= (value >> i & 1) << ((field.offset + i) % 64);
        }
    }
    words
}

/// The low 64 bits of a field. Panics: there is no such field.
pub fn field(fields: &[Field], words: &[u64], name: &str) -> u64 {
    let field = named(fields, name);
    let bit = |i: usize| words[i / 64] >> (i % 64) & 1;
    (0..field.width.min(64)).fold(0, |value, i| value | bit(field.offset + i) << i)
}

fn named<'a>(fields: &'a [Field], name: &str) -> &'a Field {
    let field = fields.iter().find(|field| field.name == name);
    field.unwrap_or_else(|| panic!("there is no field '{name}'"))
}
