//! `Pin`: a port of the design, resolved once.

use xtq_engine::{Direction, Engine, Error, PortId, Result};

/// Words of the widest port that is driven without a vector: a beat's. Models drive every port in every cycle.
const SHORT: usize = 8;

/// A port of the design with its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    id: PortId,
    width: usize,
}

impl Pin {
    /// The port `name`, of any direction, for a monitor. Errors: there is none.
    pub fn any(engine: &dyn Engine, name: &str) -> Result<Self> {
        let id = engine.port(name)?;
        let width = engine.ports()[id.position()].width;
        Ok(Self { id, width })
    }

    /// The port `name`, which the testbench drives. Errors: there is none, or the design drives it.
    pub fn input(engine: &dyn Engine, name: &str) -> Result<Self> {
        Self::directed(engine, name, Direction::In)
    }

    /// The port `name`, which the design drives. Errors: there is none, or the testbench drives it.
    pub fn output(engine: &dyn Engine, name: &str) -> Result<Self> {
        Self::directed(engine, name, Direction::Out)
    }

    fn directed(engine: &dyn Engine, name: &str, direction: Direction) -> Result<Self> {
        let pin = Self::any(engine, name)?;
        if engine.ports()[pin.id.position()].direction != direction {
            return Err(Error::BadPort {
                port: name.into(),
                reason: format!("expected direction {direction:?}"),
            });
        }
        Ok(pin)
    }

    /// Width in bits.
    pub fn width(self) -> usize {
        self.width
    }

    /// Number of 64-bit words that hold the value.
    pub fn words(self) -> usize {
        self.width.div_ceil(64)
    }

    /// This pin if it is `width` bits wide. Errors: it is not; `name` goes into the message.
    pub fn of_width(self, name: &str, width: usize) -> Result<Self> {
        if self.width == width {
            return Ok(self);
        }
        Err(Error::BadPort {
            port: name.into(),
            reason: format!("{} bits wide, expected {width}", self.width),
        })
    }

    /// The lowest 64 bits.
    pub fn get(self, engine: &dyn Engine) -> u64 {
        if self.words() == 1 {
            let mut word = [0];
            engine.get(self.id, &mut word);
            return word[0];
        }
        self.get_words(engine).first().copied().unwrap_or(0)
    }

    /// Whether the value is odd: the value of a one-bit pin.
    pub fn is_high(self, engine: &dyn Engine) -> bool {
        self.get(engine) & 1 == 1
    }

    /// The whole value.
    pub fn get_words(self, engine: &dyn Engine) -> Vec<u64> {
        let mut words = Vec::new();
        self.add_words(engine, &mut words);
        words
    }

    /// Adds the whole value to `words`.
    pub(super) fn add_words(self, engine: &dyn Engine, words: &mut Vec<u64>) {
        let first = words.len();
        words.resize(first + self.words(), 0);
        engine.get(self.id, &mut words[first..]);
    }

    /// Drives the whole value; missing words are zero, bits above the width are ignored. Errors: an output.
    pub fn set_words(self, engine: &mut dyn Engine, words: &[u64]) -> Result<()> {
        let (mut short, mut long) = ([0; SHORT], Vec::new());
        let value = match self.words() {
            count @ ..=SHORT => &mut short[..count],
            count => {
                long.resize(count, 0);
                &mut long[..]
            }
        };
        for (to, from) in value.iter_mut().zip(words) {
            *to = *from;
        }
        if let Some(top) = value.last_mut() {
            *top &= u64::MAX >> (64 * self.words() - self.width);
        }
        engine.set(self.id, value)
    }

    /// Drives a value of at most 64 bits. Errors: an output.
    pub fn set(self, engine: &mut dyn Engine, value: u64) -> Result<()> {
        match self.width {
            1..=64 => engine.set(self.id, &[value & u64::MAX >> (64 - self.width)]),
            _ => self.set_words(engine, &[value]),
        }
    }
}
