//! Random inputs for any design, the same for every engine.
//!
//! Handshakes and counters are reached only if inputs hold still, are small, or repeat; so each input of each cycle is
//! drawn from a mix: as before, zero, ones, a small number, one bit flipped, or random.

use crate::{Direction, Port};

/// SplitMix64: small, and the same on every machine for ever.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.word() % limit
    }
}

/// Inputs cycle by cycle. `rst` is 1 in the first two cycles and in one of 500 later.
#[derive(Clone, Debug)]
pub struct Stimulus {
    random: Random,
    inputs: Vec<Input>,
    cycle: u64,
}

#[derive(Clone, Debug)]
struct Input {
    name: String,
    width: usize,
    words: Vec<u64>,
}

impl Stimulus {
    /// Random inputs for the inputs among `ports`.
    pub fn new(ports: &[Port], seed: u64) -> Self {
        let inputs = ports.iter().filter(|port| port.direction == Direction::In);
        Self {
            random: Random::new(seed),
            inputs: inputs
                .map(|port| Input {
                    name: port.name.clone(),
                    width: port.width,
                    words: vec![0; port.width.div_ceil(64)],
                })
                .collect(),
            cycle: 0,
        }
    }

    /// Draws the inputs of the next cycle.
    pub fn advance(&mut self) {
        let reset = self.cycle < 2 || self.random.below(500) == 0;
        for input in &mut self.inputs {
            match input.name.as_str() {
                "rst" => input.words[0] = reset.into(),
                _ => draw(&mut self.random, input.width, &mut input.words),
            }
        }
        self.cycle += 1;
    }

    /// Name, width and value of every input.
    pub fn values(&self) -> impl Iterator<Item = (&str, usize, &[u64])> {
        let inputs = self.inputs.iter();
        inputs.map(|input| (input.name.as_str(), input.width, input.words.as_slice()))
    }
}

fn draw(random: &mut Random, width: usize, words: &mut [u64]) {
    if width == 0 {
        return;
    }
    match random.below(8) {
        0 | 1 => {}
        2 => words.fill(0),
        3 if width > 1 => words.fill(u64::MAX),
        4 => {
            words.fill(0);
            words[0] = random.below(5);
        }
        5 => {
            let bit = random.below(width as u64) as usize;
            words[bit / 64] ^= 1 << (bit % 64);
        }
        _ => words.iter_mut().for_each(|word| *word = random.word()),
    }
    for (i, word) in words.iter_mut().enumerate() {
        *word &= crate::base::mask(width - 64 * i);
    }
}
