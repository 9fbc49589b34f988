//! The experiment of figure 10 of LeBeane et al., SC 2016: how much faster deep learning on 8 nodes becomes when its
//! allreduce is combined by GPUs. It is a projection, as in the paper: "We simulate allreduce calls of the same sizes
//! [...] We then project the communications performance improvement into the time taken to perform the allreduce".
//!
//! The paper's profiles are not published. So what is asked is which share of the time in allreduce, and which size,
//! give the improvements that it reports.

mod parameters;
mod projection;
mod verdict;

use parameters::PLAIN;
pub use parameters::{Parameters, Profile, Sweep};
pub use projection::{Parts, Projection};
pub use verdict::statements;

use super::mpi_runs::{self, Row};
use crate::Costs;
use projection::{project, projected_table};
use serde::Serialize;
use serde_json::Value;
use xtq_testbench::experiments::{
    Chart, Colour, Curve, Experiment, ExperimentError, Kind, Part, Prepared, Progress, Shown,
    Statement, prepared, statement,
};
use xtq_testbench::input::InputError;

/// The experiment.
pub struct XtqCntk;

impl Experiment for XtqCntk {
    fn name(&self) -> &'static str {
        "xtq-cntk"
    }

    fn about(&self) -> &'static str {
        "Deep learning on 8 nodes, projected from allreduce over CPU, HSA and XTQ: which share and size of allreduce give the paper's improvements (XTQ, figure 10)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../../scenarios/experiments/xtq-cntk.toml")
    }

    fn schema(&self) -> Value {
        mpi_runs::schema::<Sweep>()
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
        self.points().iter().map(|point| point.seeds as usize).sum()
    }

    fn million_cycles(&self) -> f64 {
        self.points().iter().map(mpi_runs::predicted).sum()
    }

    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError> {
        let rows = mpi_runs::run(&self.points(), &Costs::counted(), progress)?;
        let projections = project(&self.sweep, &rows);
        Ok(Box::new(Report {
            sweep: self.sweep.clone(),
            statements: statements(&projections),
            projections,
            rows,
        }))
    }
}

/// What came out.
#[derive(Serialize)]
struct Report {
    sweep: Sweep,
    rows: Vec<Row>,
    projections: Vec<Projection>,
    statements: Vec<Statement>,
}

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        vec![
            Part::Table(mpi_runs::table(&self.rows)),
            Part::Line("Projected from these, in a hundred:".to_owned()),
            Part::Table(projected_table(&self.projections)),
            Part::Table(statement::table(&self.statements)),
        ]
    }

    fn csv(&self) -> Vec<Vec<String>> {
        mpi_runs::csv(&self.rows)
    }

    fn plot(&self) -> Vec<Chart> {
        let colours = [
            Colour::Black,
            Colour::Blue,
            Colour::Red,
            Colour::Cyan,
            Colour::Magenta,
        ];
        let chart = |title: &str, value: fn(&Projection) -> f64| {
            let curves: Vec<Curve> = self
                .sweep
                .bytes
                .iter()
                .zip(colours.into_iter().cycle())
                .map(|(bytes, colour)| {
                    let own = self.projections.iter().filter(|one| one.bytes == *bytes);
                    let own = own.filter(|one| one.of == PLAIN && one.profile.is_empty());
                    let own = own.enumerate();
                    Curve {
                        name: format!("{} KiB", bytes >> 10),
                        points: own.map(|(place, one)| (place as f64, value(one))).collect(),
                        colour,
                        main: true,
                    }
                })
                .collect();
            let heights = curves.iter().flat_map(|curve| &curve.points);
            let top = heights.fold(1.0, |top: f64, (_, y)| top.max(*y)) * 1.1;
            let shares = self.sweep.shares.iter();
            Chart {
                title: title.to_owned(),
                tenths: 5,
                below: "share of the time in allreduce, %".to_owned(),
                beside: "% faster".to_owned(),
                kind: Kind::Curves {
                    places: shares
                        .map(|share| format!("{:.0}", share * 100.0))
                        .collect(),
                    top,
                    curves,
                },
            }
        };
        vec![
            chart("HSA over the CPU", |one| one.hsa_over_cpu.mean),
            chart("XTQ over HSA", |one| one.xtq_over_hsa.mean),
        ]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
