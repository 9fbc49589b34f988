//! Runs all points.

use super::parameters::{Job, Parameters};
use super::report::Report;
use super::row::{Phases, Row};
use super::tasks::{Remote, stations};
use crate::costs::Costs;
use crate::machine::{Machine, MachineConfig};
use std::collections::BTreeMap;
use xtq_testbench::cluster::RunOptions;
use xtq_testbench::experiments::{ExperimentError, Progress, run_all};

/// Awake cycles of both NICs: of opening, of a task, and of each byte of its payload. Measured; `million_cycles` of the
/// report says how well they predict.
const OPENING: f64 = 1950.0;
const TASK: f64 = 136.0;
const BYTE: f64 = 0.15;

/// Awake cycles that the runs will take, in millions.
pub(super) fn predicted(parameters: &Parameters) -> f64 {
    let rounds = parameters.sweep.rounds as f64;
    let jobs = parameters.jobs();
    let of = |job: &Job| OPENING + rounds * (TASK + BYTE * job.payload as f64);
    jobs.iter().map(of).sum::<f64>() / 1e6
}

/// What a run gives: the phases of its first task, those of the others on average, and awake cycles.
struct Measured {
    cold: Phases,
    warm: Phases,
    awake: u64,
}

/// Runs everything. Errors: the first run that failed.
pub(super) fn run(parameters: &Parameters, progress: &Progress) -> Result<Report, ExperimentError> {
    let costs = Costs::counted();
    let jobs = parameters.jobs();
    let rounds = parameters.sweep.rounds;
    let measured = run_all(&jobs, progress, |job| {
        measure(job, rounds, &costs).map_err(|why| {
            let Job {
                way, payload, seed, ..
            } = job;
            let of = format!("{}, {payload} bytes, seed {seed}", way.name());
            ExperimentError::Failed(format!("{of}: {why}"))
        })
    })?;
    let awake: u64 = measured.iter().map(|run| run.awake).sum();
    let mut points: BTreeMap<usize, (&Job, [Vec<Phases>; 2])> = BTreeMap::new();
    let seeds = parameters.sweep.seeds.len();
    for (number, (job, run)) in jobs.iter().zip(&measured).enumerate() {
        let point = points.entry(number / seeds);
        let (_, [cold, warm]) = point.or_insert_with(|| (job, Default::default()));
        cold.push(run.cold);
        warm.push(run.warm);
    }
    let rows = points.into_values().flat_map(|(job, [cold, warm])| {
        let row = |warm, runs: &[Phases]| Row::new(&job.variant, job.way, job.payload, warm, runs);
        [row(false, &cold), row(true, &warm)]
    });
    let cycles = [predicted(parameters), awake as f64 / 1e6];
    Ok(Report::new(parameters, costs, rows.collect(), cycles))
}

/// One run. Errors: why it stopped, or what cannot be right.
fn measure(job: &Job, rounds: u64, costs: &Costs) -> Result<Measured, String> {
    let mut machine = Machine::new(&MachineConfig {
        system: job.system.clone(),
        costs: costs.clone(),
        seed: job.seed,
        keep_logs: true,
        ..MachineConfig::default()
    })
    .map_err(|error| error.to_string())?;
    let remote = Remote {
        way: job.way,
        payload: job.payload,
        rounds,
    };
    remote
        .set_up(&mut machine)
        .map_err(|error| error.to_string())?;
    remote.start(&mut machine);
    let options = RunOptions {
        until: machine.cycle_count() + rounds * 1_000_000,
        ..RunOptions::default()
    };
    machine.run(&options).map_err(|error| error.to_string())?;
    remote.check(&machine)?;
    let phases = stations(&machine, &remote)?;
    let warm = &phases[1..];
    let mean = |number: usize| {
        let sum: f64 = warm.iter().map(|phases| phases[number]).sum();
        sum / warm.len() as f64
    };
    Ok(Measured {
        cold: phases[0],
        warm: std::array::from_fn(mean),
        awake: machine.awake_cycles(),
    })
}
