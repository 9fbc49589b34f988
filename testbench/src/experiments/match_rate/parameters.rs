//! The parameter file.

use crate::experiments::{Wrong, read_parameters};
use crate::input::InputError;
use crate::matchers::Kind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most entries of a queue.
const MOST: usize = 1024;

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Entries of a queue.
    pub lengths: Vec<usize>,
    /// Senders among which the messages are dealt out in turn.
    pub sources: Vec<usize>,
    /// Messages and receives that are equal, in per cent.
    pub multiplicity: Vec<u32>,
    /// Entries of a queue in the runs with several senders and with equal messages.
    pub length: usize,
    /// Seeds of the random orders: as many runs of each point.
    pub seeds: Vec<u64>,
}

/// Clocks after placing, in MHz; none where the block was not placed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlacedMhz {
    /// Of the list.
    pub list: Option<f64>,
    /// Of the partitioned matcher.
    pub partitioned: Option<f64>,
    /// Of the hash matcher.
    pub hash: Option<f64>,
    /// Of the exact matcher.
    pub exact: Option<f64>,
    /// Of the NIC.
    #[serde(rename = "NIC")]
    pub nic: Option<f64>,
}

impl PlacedMhz {
    /// Of this matcher.
    pub fn of(&self, kind: Kind) -> Option<f64> {
        match kind {
            Kind::List => self.list,
            Kind::Partitioned => self.partitioned,
            Kind::Hash => self.hash,
            Kind::Exact => self.exact,
            Kind::Nic => self.nic,
        }
    }
}

/// Parameters of the experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// What is swept.
    pub sweep: Sweep,
    /// Clocks after placing.
    pub placed_mhz: PlacedMhz,
}

/// JSON Schema of a file of parameters.
pub fn parameters_schema() -> serde_json::Value {
    schemars::schema_for!(Parameters).to_value()
}

impl Parameters {
    /// Reads `text`; `file` names it in errors.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        read_parameters(file, text, Self::check)
    }

    /// The same with both ends of each sweep.
    pub fn quick(mut self) -> Self {
        fn ends<T: Copy>(values: &mut Vec<T>) {
            values.truncate(2);
        }
        ends(&mut self.sweep.lengths);
        ends(&mut self.sweep.sources);
        ends(&mut self.sweep.multiplicity);
        self.sweep.seeds.truncate(1);
        self.sweep.length = self.sweep.length.min(16);
        self
    }

    fn check(&self) -> Result<(), Wrong> {
        let Sweep {
            lengths,
            sources,
            multiplicity,
            length,
            seeds,
        } = &self.sweep;
        let fault = |key: String, what: String| Err((key, what));
        for (key, empty) in [
            ("lengths", lengths.is_empty()),
            ("sources", sources.is_empty()),
            ("multiplicity", multiplicity.is_empty()),
            ("seeds", seeds.is_empty()),
        ] {
            if empty {
                return fault(format!("sweep.{key}"), "must have a value".into());
            }
        }
        for (at, value) in lengths.iter().enumerate() {
            if !(1..=MOST).contains(value) {
                return fault(
                    format!("sweep.lengths[{at}]"),
                    format!("{value}: a queue has 1 to {MOST} entries"),
                );
            }
        }
        if !(1..=MOST).contains(length) {
            return fault(
                "sweep.length".into(),
                format!("{length}: a queue has 1 to {MOST} entries"),
            );
        }
        for (at, value) in sources.iter().enumerate() {
            if !(1..=65_536).contains(value) {
                return fault(
                    format!("sweep.sources[{at}]"),
                    format!("{value}: there are 1 to 65,536 senders"),
                );
            }
        }
        for (at, value) in multiplicity.iter().enumerate() {
            if *value > 100 {
                return fault(
                    format!("sweep.multiplicity[{at}]"),
                    format!("{value}: at most 100 per cent"),
                );
            }
        }
        for (at, seed) in seeds.iter().enumerate() {
            if seeds[..at].contains(seed) {
                return fault(
                    format!("sweep.seeds[{at}]"),
                    format!("{seed}: it is there twice"),
                );
            }
        }
        for kind in Kind::ALL {
            let Some(clock) = self.placed_mhz.of(kind) else {
                continue;
            };
            if !(1.0..=10_000.0).contains(&clock) {
                return fault(
                    format!("placed_mhz.{}", kind.name()),
                    format!("{clock}: a clock has 1 to 10,000 MHz"),
                );
            }
        }
        Ok(())
    }
}
