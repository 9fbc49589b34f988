//! The parameter file.

use super::energy::Energy;
use crate::compnet::System;
use crate::compnet::design::Host;
use crate::experiments::parameters::{are_seeds, in_range};
use crate::experiments::{Wrong, read_parameters};
use crate::input::InputError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most rounds.
const MOST_ROUNDS: f64 = 1000.0;

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Work-groups that call.
    pub work_groups: u64,
    /// Service threads.
    pub threads: Vec<u8>,
    /// Service threads with which ComP-Net is also run with queues one after the other.
    pub dense_threads: Vec<u8>,
    /// Service threads with which all designs are also run without the mutex of the network library.
    pub no_mutex_threads: Vec<u8>,
    /// Cores that table 1 gives the command processor: points with more are marked.
    pub cp_cores: u8,
    /// Seeds of every draw: a run with each.
    pub seeds: Vec<u64>,
    /// Rounds before anything is counted. In a round a call is found of as many work-groups as there are.
    pub warm_up_rounds: f64,
    /// Rounds in which it is.
    pub window_rounds: f64,
}

impl Sweep {
    /// Calls that are found before anything is counted, and while it is.
    pub fn calls(&self) -> [u64; 2] {
        let rounds = [self.warm_up_rounds, self.window_rounds];
        rounds.map(|rounds| (rounds * self.work_groups as f64).round() as u64)
    }
}

/// Parameters of the experiment.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// What is swept.
    pub sweep: Sweep,
    /// The GPU and its command processor.
    pub system: System,
    /// The host, and what is between.
    pub host: Host,
    /// Energy of service threads.
    pub energy: Energy,
}

/// JSON Schema of a file of parameters.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Parameters).to_value()
}

impl Parameters {
    /// Reads `text`; `file` names it in errors.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        read_parameters(file, text, Self::check)
    }

    /// The same on few, short runs: to see that everything works, not to see a result.
    pub fn quick(mut self) -> Self {
        let sweep = &mut self.sweep;
        sweep.threads.truncate(2);
        sweep.seeds.truncate(1);
        sweep.dense_threads.truncate(1);
        sweep.no_mutex_threads.truncate(1);
        sweep.work_groups = sweep.work_groups.min(24);
        self
    }

    /// What makes no sense: the key, and why.
    fn check(&self) -> Result<(), Wrong> {
        let fault = |key: &str, why: &str| Err((key.to_owned(), why.to_owned()));
        if let Err((key, message)) = self.system.check() {
            return fault(&format!("system.{key}"), &message);
        }
        if let Err((key, message)) = self.host.check() {
            return fault(&format!("host.{key}"), &message);
        }
        if let Err((key, message)) = self.energy.check() {
            return fault(&format!("energy.{key}"), &message);
        }
        let sweep = &self.sweep;
        let gpu = &self.system.gpu;
        if gpu.units > 16 {
            return fault(
                "system.gpu.units",
                "more than 16 do not share an L2 with the CP",
            );
        }
        let most = gpu.work_groups * u64::from(gpu.units);
        if !(1..=most).contains(&sweep.work_groups) {
            return fault("sweep.work_groups", &format!("not from 1 to {most}"));
        }
        for (key, threads) in [
            ("sweep.threads", &sweep.threads),
            ("sweep.dense_threads", &sweep.dense_threads),
            ("sweep.no_mutex_threads", &sweep.no_mutex_threads),
        ] {
            let fits = threads.iter().all(|threads| (1..=32).contains(threads));
            if !fits || !threads.is_sorted_by(|a, b| a < b) {
                return fault(key, "not a list upwards of 1 to 32");
            }
        }
        if self.points().is_empty() {
            return fault("sweep.threads", "no point with any number of threads");
        }
        are_seeds("sweep.seeds", &sweep.seeds)?;
        in_range(
            "sweep.warm_up_rounds",
            sweep.warm_up_rounds,
            0.0..=MOST_ROUNDS,
        )?;
        in_range(
            "sweep.window_rounds",
            sweep.window_rounds,
            1.0..=MOST_ROUNDS,
        )
    }
}
