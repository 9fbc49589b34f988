//! A run, and what it was.

use crate::experiments::Interval;
use serde::Serialize;

/// Which sweep a run belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Series {
    /// Lengths of the queue.
    Length,
    /// Numbers of senders.
    Sources,
    /// Shares of equal messages.
    Multiplicity,
}

/// Who waits when the time begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Messages wait, receives are posted: the dissertation's benchmark.
    Messages,
    /// Receives wait, messages arrive.
    Receives,
}

impl Side {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Messages, Self::Receives];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages wait",
            Self::Receives => "receives wait",
        }
    }
}

/// In which order partners come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// The same: each is found at the head.
    Best,
    /// Random.
    Average,
    /// Reversed: each is found at the tail.
    Worst,
}

impl Order {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Best, Self::Average, Self::Worst];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Average => "average",
            Self::Worst => "worst",
        }
    }
}

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its sweep.
    pub series: Series,
    /// The matcher.
    pub matcher: &'static str,
    /// Who waits.
    pub side: Side,
    /// The order.
    pub order: Order,
    /// Entries of the queue.
    pub length: usize,
    /// Senders.
    pub sources: usize,
    /// Equal messages in per cent.
    pub multiplicity: u32,
    /// Cycles until all of the first side waited; one for each seed of the order, if that is random.
    pub fill_cycles: Vec<u64>,
    /// Cycles until all of the second side had their partners.
    pub match_cycles: Vec<u64>,
    /// Clock after placing in MHz, if the block was placed.
    pub placed_mhz: Option<f64>,
}

impl Row {
    /// Matches in 1,000 cycles of the second side: millions a second at 1 GHz.
    pub fn interval(&self) -> Interval {
        let rate = |cycles: &u64| 1000.0 * self.length as f64 / *cycles as f64;
        let rates: Vec<f64> = self.match_cycles.iter().map(rate).collect();
        Interval::of(&rates).unwrap_or_default()
    }

    /// Their mean.
    pub fn at_1_ghz(&self) -> f64 {
        self.interval().mean
    }

    /// Millions of matches a second at the placed clock.
    pub fn at_placed(&self) -> Option<f64> {
        Some(self.at_1_ghz() * self.placed_mhz? / 1000.0)
    }

    /// Millions of matches a second at 1 GHz, if both sides are counted.
    pub fn both_at_1_ghz(&self) -> f64 {
        let cycles: u64 = self.fill_cycles.iter().chain(&self.match_cycles).sum();
        1000.0 * (self.length * self.match_cycles.len()) as f64 / cycles as f64
    }
}
