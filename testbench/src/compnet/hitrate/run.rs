//! Runs all points of the experiment, on as many threads as the machine has.

use super::locks::LockTimes;
use super::parameters::{Parameters, Sweep};
use super::report::{Comparison, Report, Row};
use crate::compnet::access::Requester;
use crate::compnet::{Class, Load, Machine, MachineError, RtlBank, System, body};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;
use xtq_engine::Body;

/// Cycles without a completed call after which a run is given up.
const PATIENCE: u64 = 300_000;

/// Told after each run how many are done.
pub type Progress<'a> = dyn Fn(usize) + Sync + 'a;

/// Why there is no result.
#[derive(Debug, Error)]
pub enum HitRateError {
    /// The hardware could not be built.
    #[error(transparent)]
    Engine(#[from] xtq_engine::Error),
    /// A run stopped.
    #[error("{streaming} streaming work-groups, locking {locking}: {error}")]
    Machine {
        /// Of the run.
        streaming: u64,
        /// Of the run.
        locking: bool,
        /// Why.
        error: MachineError,
    },
    /// The hardware's counters and the model's differ.
    #[error(
        "{streaming} streaming work-groups, locking {locking}: the hardware counted {hardware} accesses of the CP, the model {model}, and {under_way} were under way"
    )]
    Counters {
        /// Of the run.
        streaming: u64,
        /// Of the run.
        locking: bool,
        /// Hits and misses together.
        hardware: u64,
        /// Hits and misses together.
        model: u64,
        /// What the two may differ by.
        under_way: u64,
    },
}

/// A run to do: the system, and what is on it.
struct Job<'a> {
    system: &'a System,
    load: Load,
}

/// Compiled banks by number of banks and sets.
type Bodies = BTreeMap<(usize, usize), Arc<Body>>;

/// Runs everything. Errors: the first run that failed.
pub fn run(parameters: &Parameters, progress: &Progress) -> Result<Report, HitRateError> {
    let sweep = &parameters.sweep;
    let load = |streaming, locking| Load {
        networking: sweep.networking,
        streaming,
        locking,
        seed: sweep.seed,
    };
    let mut jobs = Vec::new();
    for locking in [false, true] {
        let streaming = sweep.streaming.iter();
        jobs.extend(streaming.map(|streaming| Job {
            system: &parameters.system,
            load: load(*streaming, locking),
        }));
    }
    let most = sweep.streaming.last().copied().unwrap_or(0);
    for variant in &parameters.variants {
        let loads = [load(0, true), load(most, false), load(most, true)];
        let system = &variant.system;
        jobs.extend(loads.map(|load| Job { system, load }));
    }
    let mut rows = run_all(&jobs, sweep, progress)?.into_iter();
    let swept = rows.by_ref().take(2 * sweep.streaming.len()).collect();
    let compared = parameters.variants.iter().map_while(|variant| {
        Some(Comparison {
            name: variant.name.clone(),
            own_data: variant.system.cp.private_bytes > 0 || variant.system.cp.mutex,
            blocking: variant.system.calls.blocking,
            baseline: rows.next()?,
            unlocked: rows.next()?,
            locked: rows.next()?,
        })
    });
    let compared = compared.collect();
    Ok(Report::new(parameters, swept, compared))
}

/// Runs the jobs; the rows in their order.
fn run_all(jobs: &[Job], sweep: &Sweep, progress: &Progress) -> Result<Vec<Row>, HitRateError> {
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
fn measure(job: &Job, sweep: &Sweep, bodies: &Bodies) -> Result<Row, HitRateError> {
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
    let failed = |error| HitRateError::Machine {
        streaming: load.streaming,
        locking: load.locking,
        error,
    };
    machine
        .run(system.cycles(sweep.warm_up_ns), PATIENCE)
        .map_err(failed)?;
    let (cp_before, all_before, phases_before) = (
        machine.counts(is_cp),
        machine.counts(|_| true),
        machine.phases(),
    );
    let overflows = |machine: &Machine<RtlBank>| {
        machine
            .banks()
            .iter()
            .map(|bank| bank.counts().lock_overflows)
            .sum::<u64>()
    };
    let overflows_before = overflows(&machine);
    machine.take_lock_ends();
    let start = machine.now();
    machine
        .run(system.cycles(sweep.window_ns), PATIENCE)
        .map_err(failed)?;
    compare_counters(&machine, load)?;
    let phases = machine.phases().since(phases_before);
    let streamed = machine
        .counts(|_| true)
        .since(&all_before)
        .of(Class::Stream);
    let ns = system.ns(machine.now() - start);
    let counts = machine.counts(is_cp).since(&cp_before);
    Ok(Row {
        load,
        calls: counts.of(Class::PollFound).accesses(),
        call_ns: system.ns(phases.waited + phases.served) / phases.calls.max(1) as f64,
        streamed_gigabytes_per_second: streamed.accesses() as f64 * 64.0 / ns.max(1.0),
        hit_rate: counts.sum(&Class::ALL).rate(),
        found_hit_rate: counts.of(Class::PollFound).rate(),
        entry_hit_rate: counts.sum(&Class::ENTRIES).rate(),
        own_hit_rate: counts.sum(&Class::OWN).rate(),
        classes: Row::classes(&counts),
        locks: LockTimes::new(&machine.take_lock_ends(), system),
        lock_overflows: overflows(&machine) - overflows_before,
    })
}

fn is_cp(requester: Requester) -> bool {
    matches!(requester, Requester::CpThread(_))
}

/// The hardware counts hits and misses of the command processor itself; it must have counted what the cores did.
fn compare_counters(machine: &Machine<RtlBank>, load: Load) -> Result<(), HitRateError> {
    let hardware = machine
        .banks()
        .iter()
        .flat_map(|bank| bank.counts().cp)
        .sum::<u64>();
    let model = machine.counts(is_cp).sum(&Class::ALL).accesses();
    let under_way = machine.under_way(is_cp);
    match hardware.abs_diff(model) <= under_way {
        true => Ok(()),
        false => Err(HitRateError::Counters {
            streaming: load.streaming,
            locking: load.locking,
            hardware,
            model,
            under_way,
        }),
    }
}
