//! The parameter file.

use super::energy::Energy;
use crate::compnet::System;
use crate::compnet::design::{Design, Host};
use crate::experiments::calls::{Point, Times};
use crate::input::{InputError, read_toml, wrong_value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The page that explains the keys.
const PAGE: &str = "docs/experiments.md explains the parameters";
/// Longest of the shortest times, in ns.
const LONGEST_NS: f64 = 1e7;
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
    /// Cores that table 1 gives the command processor: points with more are marked.
    pub cp_cores: u8,
    /// Seeds of every draw: a run with each.
    pub seeds: Vec<u64>,
    /// Rounds of the service threads before anything is counted.
    pub warm_up_rounds: f64,
    /// Rounds in which it is.
    pub window_rounds: f64,
    /// Shortest time of each of these.
    pub least_ns: f64,
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
        let parameters: Self = read_toml(file, text, PAGE)?;
        match parameters.check() {
            Ok(()) => Ok(parameters),
            Err((key, why)) => Err(wrong_value(file, text, &key, why, PAGE)),
        }
    }

    /// The same on few, short runs: to see that everything works, not to see a result.
    pub fn quick(mut self) -> Self {
        let sweep = &mut self.sweep;
        sweep.threads.truncate(2);
        sweep.seeds.truncate(1);
        sweep.work_groups = sweep.work_groups.min(48);
        sweep.least_ns /= 4.0;
        self
    }

    /// All points.
    pub(super) fn points(&self) -> Vec<Point> {
        let designs = [
            Design::DgpuGpuQueue,
            Design::Dgpu,
            Design::Apu,
            Design::CompNet,
        ];
        let points = designs.into_iter().flat_map(|design| {
            self.sweep.threads.iter().map(move |threads| Point {
                design,
                work_groups: self.sweep.work_groups,
                threads: *threads,
            })
        });
        points.collect()
    }

    pub(super) fn times(&self) -> Times {
        Times {
            warm_up_rounds: self.sweep.warm_up_rounds,
            window_rounds: self.sweep.window_rounds,
            least_ns: self.sweep.least_ns,
        }
    }

    /// What makes no sense: the key, and why.
    fn check(&self) -> Result<(), (String, String)> {
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
        let threads = &sweep.threads;
        let fits = threads.iter().all(|threads| (1..=32).contains(threads));
        if threads.is_empty() || !fits || !threads.is_sorted_by(|a, b| a < b) {
            return fault("sweep.threads", "not a list upwards of 1 to 32");
        }
        if sweep.seeds.is_empty() || !sweep.seeds.is_sorted_by(|a, b| a < b) {
            return fault("sweep.seeds", "not a list upwards of different seeds");
        }
        for (key, number, range) in [
            (
                "sweep.warm_up_rounds",
                sweep.warm_up_rounds,
                0.0..=MOST_ROUNDS,
            ),
            (
                "sweep.window_rounds",
                sweep.window_rounds,
                0.0..=MOST_ROUNDS,
            ),
            ("sweep.least_ns", sweep.least_ns, 1.0..=LONGEST_NS),
        ] {
            if !range.contains(&number) {
                let (least, most) = range.into_inner();
                return fault(
                    key,
                    &format!("{number:?} is not from {least:?} to {most:?}"),
                );
            }
        }
        Ok(())
    }
}
