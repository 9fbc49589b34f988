//! `Digest`: what happened at a node, as one number.
//!
//! Two runs of which the digests agree did the same things in the same cycles. It grows with events only, so a cycle in
//! which nothing happens may be left out.

use serde::{Deserialize, Serialize};

/// A chain over events and their cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    value: u64,
    last: Option<u64>,
}

impl Default for Digest {
    fn default() -> Self {
        Self {
            value: 0xcbf2_9ce4_8422_2325,
            last: None,
        }
    }
}

impl Digest {
    /// An event of a kind in `cycle`, with what it is about.
    pub fn note(&mut self, cycle: u64, kind: u64, words: impl IntoIterator<Item = u64>) {
        self.last = Some(cycle);
        for word in [cycle, kind].into_iter().chain(words) {
            let mixed = (self.value ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.value = mixed ^ (mixed >> 29);
        }
    }

    /// The number.
    pub fn value(&self) -> u64 {
        self.value
    }

    /// Cycle of the last event.
    pub fn last(&self) -> Option<u64> {
        self.last
    }

    /// The number of these bytes.
    pub fn of_bytes(bytes: &[u8]) -> u64 {
        let mut digest = Self::default();
        digest.note(bytes.len() as u64, 0, words(bytes));
        digest.value
    }

    /// One number of several digests, in this order.
    ///
    /// ```
    /// use xtq_testbench::node::Digest;
    ///
    /// let mut early = Digest::default();
    /// early.note(7, 0, [1]);
    /// let mut late = Digest::default();
    /// late.note(8, 0, [1]);
    /// assert_ne!(Digest::of_all([early, late]), Digest::of_all([late, early]));
    /// ```
    pub fn of_all(digests: impl IntoIterator<Item = Self>) -> u64 {
        let mut all = Self::default();
        for digest in digests {
            all.note(0, 0, [digest.value]);
        }
        all.value
    }
}

/// The eight words of 64 bytes, or of fewer.
pub(super) fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let word = |chunk: &[u8]| {
        let bytes = chunk.iter().rev();
        bytes.fold(0, |value, byte| value << 8 | u64::from(*byte))
    };
    bytes.chunks(8).map(word)
}
