//! Runs all points of the experiment with all seeds, on as many threads as the machine has.

use super::findings::{Findings, LoadTimes, Point};
use super::parameters::{Parameters, Sweep};
use super::report::Report;
use super::row::{Row, Snapshot, Window, is_cp};
use super::verdict::lock_middle_ns;
use crate::compnet::{Class, Load, Machine, RtlBank, System, body};
use crate::experiments::{ExperimentError, Progress, run_all};
use std::collections::BTreeMap;
use std::sync::Arc;
use xtq_engine::Body;

/// Cycles without a completed call after which a run is given up.
const PATIENCE: u64 = 300_000;

/// What a row is of: a system, what is on it, and the seeds with which it is run.
#[derive(Clone, PartialEq)]
struct Job<'a> {
    system: &'a System,
    /// Its seed is the first one.
    load: Load,
    seeds: &'a [u64],
}

/// Jobs, each once.
#[derive(Default)]
struct Jobs<'a>(Vec<Job<'a>>);

impl<'a> Jobs<'a> {
    /// The number of a job, which is added if it is new.
    fn number(&mut self, job: Job<'a>) -> usize {
        if let Some(number) = self.0.iter().position(|one| *one == job) {
            return number;
        }
        self.0.push(job);
        self.0.len() - 1
    }

    /// The rows of a ratio: without streams, with them, with them and locking.
    fn point(
        &mut self,
        system: &'a System,
        [networking, streaming]: [u64; 2],
        seeds: &'a [u64],
    ) -> [usize; 3] {
        let ends = [(0, false), (streaming, false), (streaming, true)];
        ends.map(|(streaming, locking)| {
            let load = Load {
                networking,
                streaming,
                locking,
                seed: seeds.first().copied().unwrap_or(0),
            };
            self.number(Job {
                system,
                load,
                seeds,
            })
        })
    }
}

/// All jobs, and which rows are whose.
struct Plan<'a> {
    jobs: Jobs<'a>,
    points: Vec<[usize; 3]>,
    loads: Vec<Vec<usize>>,
    variants: Vec<[usize; 3]>,
}

impl<'a> Plan<'a> {
    /// Of the parameters.
    fn new(parameters: &'a Parameters) -> Self {
        let (sweep, mut jobs) = (&parameters.sweep, Jobs::default());
        let first = &sweep.seeds[..sweep.seeds.len().min(1)];
        let ratios = parameters.ratios();
        let mut point = |system, ratio| jobs.point(system, ratio, &sweep.seeds);
        let points = ratios.iter().map(|ratio| point(&parameters.system, *ratio));
        let points = points.collect();
        let variants = parameters.variants.iter();
        let variants = variants.map(|one| point(&one.system, [one.networking, one.streaming]));
        let variants = variants.collect();
        let loads = parameters.loads.iter().map(|one| {
            let rows = ratios.iter().map(|[networking, streaming]| {
                let load = Load {
                    networking: *networking,
                    streaming: *streaming,
                    locking: true,
                    seed: first.first().copied().unwrap_or(0),
                };
                jobs.number(Job {
                    system: &one.system,
                    load,
                    seeds: first,
                })
            });
            rows.collect()
        });
        Self {
            points,
            variants,
            loads: loads.collect(),
            jobs,
        }
    }

    /// Cycles of banks in all runs.
    fn bank_cycles(&self, sweep: &Sweep) -> u64 {
        let cycles = self.jobs.0.iter().map(|job| {
            let cycles = [sweep.warm_up_ns, sweep.window_ns].map(|ns| job.system.cycles(ns));
            (job.seeds.len() * job.system.l2.banks) as u64 * cycles.iter().sum::<u64>()
        });
        cycles.sum()
    }
}

/// Runs to do, and cycles of banks in them.
pub fn work(parameters: &Parameters) -> (usize, u64) {
    let plan = Plan::new(parameters);
    let runs = plan.jobs.0.iter().map(|job| job.seeds.len());
    (runs.sum(), plan.bank_cycles(&parameters.sweep))
}

/// Runs everything. Errors: the first run that failed.
pub fn run(parameters: &Parameters, progress: &Progress) -> Result<Report, ExperimentError> {
    let sweep = &parameters.sweep;
    let plan = Plan::new(parameters);
    let rows = rows(&plan.jobs.0, sweep, progress)?;
    let point = |name: &str, rows_of: &[usize; 3]| {
        let [baseline, unlocked, locked] = rows_of.map(|number| rows[number].clone());
        Point {
            name: name.to_owned(),
            baseline,
            unlocked,
            locked,
        }
    };
    let times = plan.loads.iter().zip(&parameters.loads);
    let times = times.map(|(numbers, load)| {
        let medians = numbers.iter().map(|number| rows[*number].locks.median_ns);
        let is_own = load.system == parameters.system;
        LoadTimes::new(&load.name, is_own, medians.collect(), lock_middle_ns())
    });
    let variants = parameters.variants.iter().zip(&plan.variants);
    let findings = Findings {
        points: plan.points.iter().map(|rows| point("", rows)).collect(),
        loads: times.collect(),
        variants: variants.map(|(one, rows)| point(&one.name, rows)).collect(),
    };
    Ok(Report::new(parameters, findings, plan.bank_cycles(sweep)))
}

/// Compiled banks by what is asked for.
type Bodies = BTreeMap<(usize, usize, usize), Arc<Body>>;

fn key(system: &System) -> (usize, usize, usize) {
    (system.l2.banks, system.l2.sets, system.l2.writes)
}

/// Runs the jobs with all seeds; the rows in their order.
fn rows(jobs: &[Job], sweep: &Sweep, progress: &Progress) -> Result<Vec<Row>, ExperimentError> {
    let mut bodies = Bodies::new();
    for Job { system, .. } in jobs {
        if let std::collections::btree_map::Entry::Vacant(entry) = bodies.entry(key(system)) {
            let bank_bits = system.bank_bits();
            entry.insert(body(system.l2.sets, system.l2.writes, bank_bits)?);
        }
    }
    let runs = jobs.iter().enumerate();
    let runs = runs.flat_map(|(number, job)| job.seeds.iter().map(move |seed| (number, *seed)));
    let runs: Vec<(usize, u64)> = runs.collect();
    let mut windows = run_all(&runs, progress, |(job, seed)| {
        measure(&jobs[*job], *seed, sweep, &bodies)
    })?;
    let rows = jobs.iter().map(|job| {
        let rest = windows.split_off(job.seeds.len());
        let own = std::mem::replace(&mut windows, rest);
        Row::new(job.system, job.load, &own)
    });
    Ok(rows.collect())
}

/// One run.
fn measure(
    job: &Job,
    seed: u64,
    sweep: &Sweep,
    bodies: &Bodies,
) -> Result<Window, ExperimentError> {
    let system = job.system;
    let load = Load { seed, ..job.load };
    let banks = system.banks(&bodies[&key(system)], seed)?;
    let mut machine = system.machine(banks, load);
    let failed = |error| failed(load, error);
    machine
        .run(system.cycles(sweep.warm_up_ns), PATIENCE)
        .map_err(failed)?;
    let before = Snapshot::of(&machine);
    machine.take_lock_ends();
    machine
        .run(system.cycles(sweep.window_ns), PATIENCE)
        .map_err(failed)?;
    compare_counters(&machine, load)?;
    let after = Snapshot::of(&machine);
    Ok(Window::between(&before, &after, machine.take_lock_ends()))
}

/// The hardware counts hits and misses of the command processor itself; it must have counted what the cores did.
fn compare_counters(machine: &Machine<RtlBank>, load: Load) -> Result<(), ExperimentError> {
    let mut hardware = [0; 2];
    for bank in machine.banks() {
        let [hits, misses] = bank.counts().cp;
        hardware = [hardware[0] + hits, hardware[1] + misses];
    }
    let model = machine.counts(is_cp).sum(&Class::ALL);
    let model = [model.hits, model.misses];
    let under_way = machine.under_way(is_cp);
    let same = |number: usize| hardware[number].abs_diff(model[number]) <= under_way;
    match same(0) && same(1) {
        true => Ok(()),
        false => Err(failed(
            load,
            format!(
                "the hardware counted {hardware:?} hits and misses of the CP, the model {model:?}, and {under_way} were under way"
            ),
        )),
    }
}

/// The error of a run.
fn failed(load: Load, why: impl std::fmt::Display) -> ExperimentError {
    let Load {
        networking,
        streaming,
        locking,
        seed,
    } = load;
    ExperimentError::Failed(format!(
        "{streaming} streaming and {networking} networking work-groups, locking {locking}, seed {seed}: {why}"
    ))
}
