//! Runs all points of the experiment, on as many threads as the machine has.

use super::findings::{Comparison, Findings};
use super::locks::LockTimes;
use super::parameters::{Parameters, Sweep};
use super::report::Report;
use super::row::{Measured, Row, Snapshot, is_cp};
use crate::compnet::{Class, Load, Machine, RtlBank, System, body};
use crate::experiments::{ExperimentError, Progress};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use xtq_engine::Body;

/// Cycles without a completed call after which a run is given up.
const PATIENCE: u64 = 300_000;

/// A run to do: the system, and what is on it.
struct Job<'a> {
    system: &'a System,
    load: Load,
}

/// Compiled banks by number of banks and sets.
type Bodies = BTreeMap<(usize, usize), Arc<Body>>;

/// Runs everything. Errors: the first run that failed.
pub fn run(parameters: &Parameters, progress: &Progress) -> Result<Report, ExperimentError> {
    let sweep = &parameters.sweep;
    let load = |streaming, locking| Load {
        networking: sweep.networking,
        streaming,
        locking,
        seed: sweep.seed,
    };
    let (swept, by_lines) = (parameters.swept(), parameters.by_private_lines());
    let mut jobs = Vec::new();
    for system in &swept {
        for locking in [false, true] {
            let loads = sweep.streaming.iter().map(|number| load(*number, locking));
            jobs.extend(loads.map(|load| Job { system, load }));
        }
    }
    for variant in by_lines.iter().chain(&parameters.variants) {
        let most = variant.streaming;
        let ends = [(0, true), (most, false), (most, true)];
        jobs.extend(ends.map(|(streaming, locking)| Job {
            system: &variant.system,
            load: Load {
                networking: variant.networking,
                ..load(streaming, locking)
            },
        }));
    }
    let mut rows = run_all(&jobs, sweep, progress)?.into_iter();
    let mut findings = Findings {
        rows: rows
            .by_ref()
            .take(2 * swept.len() * sweep.streaming.len())
            .collect(),
        ..Findings::default()
    };
    for (into, variants) in [
        (&mut findings.by_private_lines, &by_lines),
        (&mut findings.variants, &parameters.variants),
    ] {
        into.extend(variants.iter().map_while(|variant| {
            Some(Comparison {
                name: variant.name.clone(),
                private_lines: variant.system.cp.private_lines,
                bare: is_bare(&variant.system),
                baseline: rows.next()?,
                unlocked: rows.next()?,
                locked: rows.next()?,
            })
        }));
    }
    Ok(Report::new(parameters, findings))
}

/// Whether the command processor has no data of its own, and the calls are those of the sweep.
fn is_bare(system: &System) -> bool {
    system.cp.private_bytes == 0 && !system.cp.mutex && system.calls.blocking == 0.0
}

/// Runs the jobs; the rows in their order.
fn run_all(jobs: &[Job], sweep: &Sweep, progress: &Progress) -> Result<Vec<Row>, ExperimentError> {
    let mut bodies = Bodies::new();
    for job in jobs {
        let key = (job.system.l2.banks, job.system.l2.sets);
        if let std::collections::btree_map::Entry::Vacant(entry) = bodies.entry(key) {
            entry.insert(body(job.system.l2.sets, job.system.bank_bits())?);
        }
    }
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..workers.min(jobs.len()) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(number) else {
                        return;
                    };
                    let row = measure(job, sweep, &bodies);
                    // After a failure nobody waits for the rest.
                    if row.is_err() {
                        next.store(jobs.len(), Ordering::Relaxed);
                    }
                    results
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((number, row));
                    progress(done.fetch_add(1, Ordering::Relaxed) + 1);
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, row)| row).collect()
}

/// One run.
fn measure(job: &Job, sweep: &Sweep, bodies: &Bodies) -> Result<Row, ExperimentError> {
    let Job { system, load } = *job;
    let body = &bodies[&(system.l2.banks, system.l2.sets)];
    let bank = |number| {
        RtlBank::new(
            body.clone(),
            system.memory_timing(number, load.seed),
            system.limits(),
        )
    };
    let banks = (0..system.l2.banks as u64)
        .map(bank)
        .collect::<xtq_engine::Result<Vec<_>>>()?;
    let mut machine = system.machine(banks, load);
    let failed = |error| failed(load, error);
    machine
        .run(system.cycles(sweep.warm_up_ns), PATIENCE)
        .map_err(failed)?;
    let before = Snapshot::of(&machine);
    machine.take_lock_ends();
    let mut range: Option<[f64; 2]> = None;
    let mut part = before.cp.clone();
    for _ in 0..sweep.parts {
        let cycles = system.cycles(sweep.window_ns / f64::from(sweep.parts));
        machine.run(cycles, PATIENCE).map_err(failed)?;
        let now = machine.counts(is_cp);
        if let Some(rate) = now.since(&part).sum(&Class::ALL).rate() {
            let [least, most] = range.unwrap_or([rate, rate]);
            range = Some([least.min(rate), most.max(rate)]);
        }
        part = now;
    }
    compare_counters(&machine, load)?;
    let after = Snapshot::of(&machine);
    Ok(Row::new(
        system,
        load,
        &before,
        &after,
        Measured {
            range,
            locks: LockTimes::new(&machine.take_lock_ends(), system),
        },
    ))
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
        streaming, locking, ..
    } = load;
    ExperimentError::Failed(format!(
        "{streaming} streaming work-groups, locking {locking}: {why}"
    ))
}
