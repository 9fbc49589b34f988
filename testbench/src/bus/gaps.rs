//! `Gaps`: random pauses from an explicit seed; `Ready`: a ready pin that pauses.

use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_engine::{Engine, Result};

use super::Pin;
use crate::saved::saved;

/// Distance between the seeds of the channels of one model.
pub(super) const SEED_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Decides, cycle by cycle, whether a side of a handshake pauses; the same seed gives the same pauses.
#[derive(Clone, Debug)]
pub struct Gaps {
    probability: f64,
    rng: ChaCha8Rng,
}

saved!(Gaps { rng; keeps probability });

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

/// A ready pin that the testbench drives.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    pin: Pin,
    gaps: Gaps,
}

saved!(Ready { gaps; keeps pin });

impl Ready {
    pub(super) fn new(engine: &dyn Engine, name: &str, gaps: Gaps) -> Result<Self> {
        let pin = Pin::input(engine, name)?.of_width(name, 1)?;
        Ok(Self { pin, gaps })
    }

    /// Ready if there is room and no pause.
    pub(super) fn drive(&mut self, engine: &mut dyn Engine, room: bool) -> Result<()> {
        let ready = room && !self.gaps.pause();
        self.pin.set(engine, ready.into())
    }
}
