//! `Gaps`: random pauses from an explicit seed.

use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Decides, cycle by cycle, whether a side of a handshake pauses; the same seed gives the same pauses.
#[derive(Clone, Debug)]
pub struct Gaps {
    probability: f64,
    rng: ChaCha8Rng,
}

impl Gaps {
    /// Never pauses.
    pub fn none() -> Self {
        Self::random(0.0, 0)
    }

    /// Pauses in a cycle with `probability` (clamped to 0..=1), drawn from `seed`.
    pub fn random(probability: f64, seed: u64) -> Self {
        Self {
            probability: probability.clamp(0.0, 1.0),
            rng: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// The same source of noise without pauses.
    pub(super) fn without_pauses(&self) -> Self {
        Self {
            probability: 0.0,
            rng: self.rng.clone(),
        }
    }

    /// Draws: does this cycle pause?
    pub fn pause(&mut self) -> bool {
        self.probability > 0.0 && self.rng.random_bool(self.probability)
    }

    /// Draws a word of noise, for payload pins while nothing is valid.
    pub fn noise(&mut self) -> u64 {
        self.rng.next_u64()
    }
}
