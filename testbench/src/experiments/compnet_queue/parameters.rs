//! The parameter file.

use crate::compnet::System;
use crate::compnet::design::{Design, Host};
use crate::experiments::calls::{Point, Times};
use crate::experiments::parameters::{are_seeds, in_range};
use crate::experiments::{Wrong, read_parameters};
use crate::input::InputError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest of the shortest times, in ns.
const LONGEST_NS: f64 = 1e7;
/// Most rounds.
const MOST_ROUNDS: f64 = 1000.0;
/// Most work-groups of a run.
const MOST_WORK_GROUPS: u64 = 2560;

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Work-groups of figure 4a, served by one thread.
    pub work_groups: Vec<u64>,
    /// Compute units of figure 4b.
    pub many_units: u8,
    /// Work-groups of figure 4b.
    pub many_work_groups: Vec<u64>,
    /// Service threads of figure 4b.
    pub threads: Vec<u8>,
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
    /// The GPU.
    pub system: System,
    /// The host, and PCIe.
    pub host: Host,
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
        sweep.work_groups.truncate(2);
        sweep.many_work_groups.truncate(1);
        sweep.threads.truncate(2);
        sweep.seeds.truncate(1);
        sweep.least_ns /= 4.0;
        self
    }

    /// All points, each with the letter of its figure.
    pub(super) fn points(&self) -> Vec<(char, Point)> {
        let sweep = &self.sweep;
        let point = |design, work_groups, threads| Point {
            design,
            work_groups,
            threads,
        };
        let mut points = Vec::new();
        for design in [Design::DgpuGpuQueue, Design::Dgpu] {
            let groups = sweep.work_groups.iter();
            points.extend(groups.map(|groups| ('a', point(design, *groups, 1))));
        }
        for groups in &sweep.many_work_groups {
            let threads = sweep.threads.iter();
            points.extend(threads.map(|threads| ('b', point(Design::Dgpu, *groups, *threads))));
        }
        points
    }

    /// The GPU of a figure.
    pub(super) fn system_of(&self, figure: char) -> System {
        let mut system = self.system.clone();
        if figure == 'b' {
            system.gpu.units = self.sweep.many_units;
        }
        system
    }

    pub(super) fn times(&self) -> Times {
        Times {
            warm_up_rounds: self.sweep.warm_up_rounds,
            window_rounds: self.sweep.window_rounds,
            least_ns: self.sweep.least_ns,
        }
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
        let sweep = &self.sweep;
        if !(1..=64).contains(&sweep.many_units) {
            return fault("sweep.many_units", "not from 1 to 64");
        }
        if self.system.gpu.units > 32 {
            return fault("system.gpu.units", "more than 32 share no L2");
        }
        for (key, list, units) in [
            (
                "sweep.work_groups",
                &sweep.work_groups,
                self.system.gpu.units,
            ),
            (
                "sweep.many_work_groups",
                &sweep.many_work_groups,
                sweep.many_units,
            ),
        ] {
            let most = (self.system.gpu.work_groups * u64::from(units)).min(MOST_WORK_GROUPS);
            let fits = list.iter().all(|groups| (1..=most).contains(groups));
            if list.is_empty() || !fits || !list.is_sorted_by(|a, b| a < b) {
                return fault(key, &format!("not a list upwards of 1 to {most}"));
            }
        }
        let threads = &sweep.threads;
        let fits = threads.iter().all(|threads| (1..=32).contains(threads));
        if threads.is_empty() || !fits || !threads.is_sorted_by(|a, b| a < b) {
            return fault("sweep.threads", "not a list upwards of 1 to 32");
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
            0.0..=MOST_ROUNDS,
        )?;
        in_range("sweep.least_ns", sweep.least_ns, 1.0..=LONGEST_NS)
    }
}
