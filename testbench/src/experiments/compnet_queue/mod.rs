//! The experiment of figure 4 of LeBeane et al., PACT 2018: how long a work-group waits for a service thread of the
//! host, with its queue in the GPU's memory and in the host's, and with more threads.

mod parameters;
mod report;
mod row;
mod verdict;

pub use parameters::{Parameters, Sweep};
pub use report::Report;
pub use row::Row;
pub use verdict::statements;

use super::calls::{bank, measure, million_cycles};
use super::{Experiment, ExperimentError, Prepared, Progress, Shown, prepared, run_all};
use crate::input::InputError;
use serde_json::Value;

/// The experiment.
pub struct CompnetQueue;

impl Experiment for CompnetQueue {
    fn name(&self) -> &'static str {
        "compnet-queue"
    }

    fn about(&self) -> &'static str {
        "How long calls from a GPU kernel wait for service threads of the host over PCIe, with queues on either side (ComP-Net, figure 4)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../scenarios/experiments/compnet-queue.toml")
    }

    fn schema(&self) -> Value {
        parameters::schema()
    }

    fn prepare(
        &self,
        file: &str,
        text: &str,
        quick: bool,
    ) -> Result<Box<dyn Prepared>, InputError> {
        prepared(Parameters::parse(file, text), quick, Parameters::quick)
    }
}

impl Prepared for Parameters {
    fn runs(&self) -> usize {
        self.points().len() * self.sweep.seeds.len()
    }

    fn million_cycles(&self) -> f64 {
        let points = self.points();
        let cycles = points.iter().map(|(figure, point)| {
            million_cycles(&self.system_of(*figure), &self.host, point, self.times())
        });
        cycles.sum::<f64>() * self.sweep.seeds.len() as f64
    }

    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError> {
        let (points, seeds) = (self.points(), &self.sweep.seeds);
        let bank = bank(&self.system)?;
        let runs = points.iter().flat_map(|(figure, point)| {
            let system = self.system_of(*figure);
            seeds.iter().map(move |seed| (system.clone(), point, *seed))
        });
        let runs: Vec<_> = runs.collect();
        let samples = run_all(&runs, progress, |(system, point, seed)| {
            measure(system, &self.host, point, *seed, self.times(), &bank)
        })?;
        let rows = points.iter().zip(samples.chunks(seeds.len()));
        let rows = rows.map(|((figure, point), samples)| Row::new(*figure, point, samples));
        Ok(Box::new(Report::new(self, rows.collect())))
    }
}
