//! The experiment of figures 8b and 8c of LeBeane et al., PACT 2018: a GPU full of work-groups that call, served by
//! more and more threads of the command processor or of the host, and the energy of these threads.

mod energy;
mod parameters;
mod point;
mod report;
mod row;
mod run;
mod verdict;

pub use energy::{CoreEnergy, Energy};
pub use parameters::{Parameters, Sweep};
pub use point::{Point, Variant};
pub use report::Report;
pub use row::Row;
pub use run::{L2Use, Sample};
pub use verdict::statements;

use super::calls::{bank, million_cycles_of, round_ns};
use super::{Experiment, ExperimentError, Prepared, Progress, Shown, prepared, run_all};
use crate::compnet::design::served_by;
use crate::input::InputError;
use serde_json::Value;

/// The experiment.
pub struct CompnetThreads;

impl Experiment for CompnetThreads {
    fn name(&self) -> &'static str {
        "compnet-threads"
    }

    fn about(&self) -> &'static str {
        "Calls from a full GPU served by threads of its command processor, of an APU's host and of a host over PCIe, and the energy of these threads (ComP-Net, figures 8b and 8c)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../scenarios/experiments/compnet-threads.toml")
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
        let rounds = self.sweep.warm_up_rounds + self.sweep.window_rounds;
        let of = |point: &Point| {
            let (design, threads) = (point.calls.design, point.calls.threads);
            let system = served_by(&self.system, &self.host, design, threads);
            let ns = rounds * round_ns(&system, &self.host, &point.calls);
            million_cycles_of(&system, &point.calls, ns)
        };
        points.iter().map(of).sum::<f64>() * self.sweep.seeds.len() as f64
    }

    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError> {
        let (points, seeds) = (self.points(), &self.sweep.seeds);
        let bank = bank(&self.system)?;
        let runs = points.iter();
        let runs = runs.flat_map(|point| seeds.iter().map(move |seed| (point, *seed)));
        let runs: Vec<_> = runs.collect();
        let samples = run_all(&runs, progress, |(point, seed)| {
            run::measure(self, point, *seed, &bank)
        })?;
        let rows = points.iter().zip(samples.chunks(seeds.len()));
        let rows = rows.map(|(point, samples)| Row::new(self, point, samples));
        Ok(Box::new(Report::new(self, rows.collect())))
    }
}
