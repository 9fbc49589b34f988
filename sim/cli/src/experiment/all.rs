//! `xtq experiment all`: which parameters each experiment runs with, and the runs.

use super::page::{self, Ran};
use crate::error::CliError;
use crate::files::Files;
use crate::names::line;
use crate::output::{Output, write_file};
use crate::progress;
use clap::Args;
use std::path::PathBuf;
use xtq_compute::experiments::EXPERIMENTS;
use xtq_testbench::experiments::{Experiment, Prepared, statement};

/// What two cores do in half an hour, in millions of cycles in which a NIC is awake (docs/experiments.md).
const BUDGET: f64 = 330.0;
/// Comes whole before cheaper ones: the result on which the papers' claims rest most, on up to 64 nodes.
const FIRST: &str = "xtq-allreduce";

/// Run all experiments, as much of each as two cores do in half an hour, and write one page of what came out
///
/// The page is HTML that needs no network: beside each figure what the paper says, its number, ours, the difference and
/// its reason. An experiment that does not fit runs as with `--quick`; the page gives the command of each.
#[derive(Args)]
pub struct AllOptions {
    /// Of all only what `--quick` runs: to see that it works; the figures mean nothing
    #[arg(long)]
    quick: bool,
    /// The page
    #[arg(long, value_name = "FILE", default_value = "experiments.html")]
    html: PathBuf,
}

/// An experiment with the parameters that fit.
struct Chosen {
    experiment: &'static dyn Experiment,
    prepared: Box<dyn Prepared>,
    quick: bool,
}

/// The whole of each experiment as far as the budget goes, [`FIRST`] and then the cheapest; of the others what
/// `--quick` runs. With `quick` that of all. In the order of the list. Errors: built-in parameters that cannot be read.
fn choose(quick: bool) -> Result<Vec<Chosen>, CliError> {
    let prepare = |experiment: &dyn Experiment, quick| {
        let file = super::built_in(experiment.name());
        experiment.prepare(&file, experiment.parameters(), quick)
    };
    let mut chosen = Vec::new();
    for experiment in EXPERIMENTS {
        chosen.push(Chosen {
            experiment: *experiment,
            prepared: prepare(*experiment, true)?,
            quick: true,
        });
    }
    let mut whole = Vec::new();
    for (number, one) in chosen.iter().enumerate().filter(|_| !quick) {
        let prepared = prepare(one.experiment, false)?;
        whole.push((number, prepared.million_cycles(), prepared));
    }
    let later = |number: usize| EXPERIMENTS[number].name() != FIRST;
    whole.sort_by(|a, b| later(a.0).cmp(&later(b.0)).then(a.1.total_cmp(&b.1)));
    let mut left = BUDGET;
    for (number, cost, prepared) in whole {
        if cost <= left {
            left -= cost;
            chosen[number].prepared = prepared;
            chosen[number].quick = false;
        }
    }
    Ok(chosen)
}

/// Runs them one after the other and writes the page. Errors: the first that failed; the page cannot be written.
pub fn run(options: &AllOptions, output: &mut Output) -> Result<(), CliError> {
    Files::default()
        .writes("--html", [&options.html])
        .check(output)?;
    let mut ran = Vec::new();
    for Chosen {
        experiment,
        prepared,
        quick,
    } in choose(options.quick)?
    {
        let name = experiment.name();
        let bar = progress::bar(output, name, Some(prepared.runs() as u64));
        let shown = prepared.run(&|done| bar.set_position(done as u64));
        bar.finish_and_clear();
        let shown = shown?;
        let verdict = statement::line(shown.statements());
        let of = if quick {
            " (of the smallest form, which proves nothing)"
        } else {
            ""
        };
        output.text(&format!("{name}: {}{of}\n", line(&verdict)));
        let option = if quick { " --quick" } else { "" };
        ran.push(Ran {
            name,
            about: experiment.about(),
            command: format!("xtq experiment {name}{option}"),
            quick,
            shown,
        });
    }
    let page = page::html(&ran).map_err(|error| CliError::Shown(error.to_string()))?;
    write_file(&options.html, page.as_bytes())
}
