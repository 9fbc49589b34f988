//! The parameter file.

use crate::experiments::{Wrong, read_parameters};
use crate::input::InputError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rounds of posts and arrivals that no program has made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Synthetic {
    /// Receives of a round.
    pub lengths: Vec<usize>,
    /// Rounds of each.
    pub rounds: usize,
    /// Senders.
    pub peers: u32,
    /// Messages that come before their receive, in per cent.
    pub unexpected: u32,
    /// Seed of the random orders.
    pub seed: u64,
}

/// Parameters of the experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Names of traces that are built in, or files and folders.
    pub traces: Vec<String>,
    /// First posts and arrivals of each load that go through whole NICs too; 0: none.
    pub nic_events: usize,
    /// What is made up.
    pub synthetic: Synthetic,
    /// Only the first posts and arrivals of each trace.
    #[serde(skip)]
    pub first: Option<usize>,
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

    /// The same with the beginning of one trace, and short rounds.
    pub fn quick(mut self) -> Self {
        self.traces.truncate(1);
        self.first = Some(400);
        self.nic_events = self.nic_events.min(100);
        self.synthetic.lengths.truncate(1);
        self.synthetic.rounds = 1;
        self
    }

    fn check(&self) -> Result<(), Wrong> {
        let Synthetic {
            lengths,
            rounds,
            peers,
            unexpected,
            ..
        } = &self.synthetic;
        let fault = |key: String, what: String| Err((key, what));
        for (at, length) in lengths.iter().enumerate() {
            if !(1..=1024).contains(length) {
                return fault(
                    format!("synthetic.lengths[{at}]"),
                    format!("{length}: a round has 1 to 1,024 receives"),
                );
            }
        }
        if !(1..=1000).contains(rounds) {
            return fault(
                "synthetic.rounds".into(),
                format!("{rounds}: there are 1 to 1,000 rounds"),
            );
        }
        if !(1..=65_535).contains(peers) {
            return fault(
                "synthetic.peers".into(),
                format!("{peers}: there are 1 to 65,535 senders"),
            );
        }
        if *unexpected > 100 {
            return fault(
                "synthetic.unexpected".into(),
                format!("{unexpected}: at most 100 per cent"),
            );
        }
        Ok(())
    }
}
