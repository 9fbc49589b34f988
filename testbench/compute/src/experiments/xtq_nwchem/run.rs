//! A run: each rank does its accumulates in order, and serves the others meanwhile.

use super::trace::{Accumulate, ranks};
use crate::mpi::{self, HEAP, Mpi, Options, Way, Window};
use crate::{Combine, Costs, Library, Machine, MachineConfig, ProgramError, System};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use xtq_testbench::cluster::RunOptions;
use xtq_testbench::experiments::{ExperimentError, Interval};
use xtq_testbench::host::Datatype;

/// Bytes of a double.
const ELEMENT: u64 = 8;
/// Cycles after which a run that is not over is given up.
const LONGEST: u64 = 400_000_000;
/// Values are below this: integers, so that sums are exact in any order.
const VALUES: u64 = 1000;
/// Awake cycles of all NICs for each accumulate to another rank, and for each epoch: fitted (docs/experiments.md).
const CYCLES_EACH: f64 = 110.0;
const CYCLES_AN_EPOCH: f64 = 90.0;

/// A run.
#[derive(Clone, Debug)]
pub struct Job {
    /// Which system.
    pub(super) of: String,
    pub(super) system: System,
    /// What is played.
    pub(super) accumulates: Arc<Vec<Accumulate>>,
    /// Who combines, and who starts it.
    pub(super) way: Way,
    /// Accumulates of an epoch.
    pub(super) epoch: usize,
    /// Landing places that each rank has at each other.
    pub(super) slots: u64,
    /// Doubles of each rank's window.
    pub(super) window_elements: u64,
    /// From the element at which one accumulate begins to that of the next.
    pub(super) displacement_stride: u64,
    /// Of memory's latency and the programs' start.
    pub(super) seed: u64,
}

/// What a rank notes.
#[derive(Clone, Copy, Debug, Default)]
struct Lap {
    ns: f64,
    busy_ns: f64,
    own_ns: f64,
}

/// What came out of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    ns: f64,
    busy_ns: f64,
    progress_ns: f64,
    own_ns: f64,
    million_cycles: f64,
}

/// What runs of several seeds gave.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Which system.
    pub of: String,
    /// Who combines, and who starts it.
    pub way: Way,
    /// Accumulates of an epoch.
    pub epoch: usize,
    /// Runs, each with a seed of its own.
    pub seeds: usize,
    /// Accumulates to other ranks.
    pub remote: usize,
    /// Accumulates to the own rank.
    pub own: usize,
    /// From the first accumulate to the end of the last epoch, of the rank for which it is longest, ns.
    pub ns: Interval,
    /// Busy time of all application threads meanwhile, ns.
    pub busy_ns: Interval,
    /// Busy time of all progress threads, ns.
    pub progress_ns: f64,
    /// Time that accumulates to the own rank took all ranks, ns: it is part of the time above.
    pub own_ns: f64,
    /// Awake cycles of NICs of all its runs, in millions.
    pub million_cycles: f64,
    /// The same as predicted.
    pub predicted: f64,
}

impl Job {
    fn options(&self, library: Library) -> Options {
        let longest = self.accumulates.iter().map(elements).max();
        Options {
            way: self.way,
            combine: Combine::sum(Datatype::Double),
            window: Window {
                address: HEAP,
                bytes: self.window_elements * ELEMENT,
            },
            slots: self.slots,
            slot_bytes: longest.unwrap_or(1) * ELEMENT,
            library,
        }
    }

    fn remote(&self) -> usize {
        self.accumulates
            .iter()
            .filter(|one| one.rank != one.target)
            .count()
    }

    /// What the run will cost, in millions of cycles in which a NIC is awake.
    pub(super) fn million_cycles(&self) -> f64 {
        let each = CYCLES_EACH + CYCLES_AN_EPOCH / self.epoch as f64;
        self.remote() as f64 * each / 1e6
    }

    /// Where the memory that a rank's own accumulates change begins.
    fn own_window(&self) -> u64 {
        HEAP + self.window_elements * ELEMENT
    }

    /// Where what a rank adds begins.
    fn source(&self) -> u64 {
        self.own_window() + self.window_elements * ELEMENT
    }

    /// The element of the target's window at which accumulate `number` begins: spread over the window, as the recording
    /// does not say where.
    fn displacement(&self, number: usize, one: &Accumulate) -> u64 {
        let places = self.window_elements - elements(one) + 1;
        (number as u64 * self.displacement_stride) % places
    }
}

/// Doubles of an accumulate.
fn elements(one: &Accumulate) -> u64 {
    one.bytes.div_ceil(ELEMENT)
}

/// Element `place` of what a rank adds.
fn value(seed: u64, rank: usize, place: u64) -> f64 {
    ((place * 31 + rank as u64 * 7 + seed) % VALUES) as f64
}

fn failed(job: &Job, why: impl std::fmt::Display) -> ExperimentError {
    let (way, epoch) = (job.way.name(), job.epoch);
    ExperimentError::Failed(format!("{way}, epochs of {epoch}: {why}"))
}

/// Runs it and compares all memory with a serial reference. Errors: it does not end; memory is wrong.
pub fn measure(job: &Job) -> Result<Measured, ExperimentError> {
    let ranks = ranks(&job.accumulates);
    let config = MachineConfig {
        system: job.system.clone(),
        costs: Costs::counted(),
        nodes: ranks,
        seed: job.seed,
        ..MachineConfig::default()
    };
    let mut machine = Machine::new(&config).map_err(|error| failed(job, error))?;
    let options = job.options(job.system.mpi);
    let set_up = mpi::set_up(&mut machine, &options).map_err(|error| failed(job, error))?;
    let laps = Arc::new(Mutex::new(vec![Lap::default(); ranks]));
    for rank in 0..ranks {
        let places = 0..options.slot_bytes / ELEMENT;
        let source: Vec<u8> = places
            .flat_map(|place| value(job.seed, rank, place).to_le_bytes())
            .collect();
        machine.write(rank, job.source(), &source);
        let (own, laps) = (job.clone(), laps.clone());
        machine.start(rank, "rank", move |host| async move {
            let mut mpi = Mpi::new(host, &set_up);
            let lap = play(&mut mpi, &own).await?;
            laps.lock().unwrap_or_else(PoisonError::into_inner)[rank] = lap;
            mpi.finish().await
        });
        if job.way == Way::Xtq {
            machine.start(rank, "progress", mpi::acknowledge);
        }
    }
    let before = machine.awake_cycles();
    let options = RunOptions {
        until: LONGEST,
        ..RunOptions::default()
    };
    machine.run(&options).map_err(|error| failed(job, error))?;
    check(job, &machine, ranks)?;
    let laps = laps.lock().unwrap_or_else(PoisonError::into_inner);
    let progress = (0..ranks).flat_map(|node| machine.threads(node).into_iter().skip(1));
    Ok(Measured {
        ns: laps.iter().map(|lap| lap.ns).fold(0.0, f64::max),
        busy_ns: laps.iter().map(|lap| lap.busy_ns).sum(),
        progress_ns: progress.fold(0.0, |sum, thread| sum + thread.busy_ns),
        own_ns: laps.iter().map(|lap| lap.own_ns).sum(),
        million_cycles: (machine.awake_cycles() - before) as f64 / 1e6,
    })
}

/// The program of a rank.
async fn play(mpi: &mut Mpi, job: &Job) -> Result<Lap, ProgramError> {
    let rank = mpi.rank();
    mpi.open_window().await?;
    let (begin, busy) = (mpi.host().now(), mpi.host().busy_ns());
    let mut own_ns = 0.0;
    // Accumulates of the epoch that runs, and whom they went to.
    let (mut under_way, mut targets) = (0, Vec::new());
    for (number, one) in job.accumulates.iter().enumerate() {
        if one.rank != rank {
            continue;
        }
        let displacement = job.displacement(number, one);
        if one.target == rank {
            let start = mpi.host().now();
            let address = job.own_window() + displacement * ELEMENT;
            let combine = Combine::sum(Datatype::Double);
            let host = mpi.host().clone();
            host.combine(combine, address, job.source(), elements(one))
                .await?;
            own_ns += (host.now() - start) as f64;
            continue;
        }
        mpi.accumulate(one.target, displacement, job.source(), elements(one))
            .await?;
        under_way += 1;
        if !targets.contains(&one.target) {
            targets.push(one.target);
        }
        if under_way == job.epoch {
            for target in targets.drain(..) {
                mpi.flush(target).await?;
            }
            under_way = 0;
        }
    }
    for target in targets {
        mpi.flush(target).await?;
    }
    let host = mpi.host();
    Ok(Lap {
        ns: (host.now() - begin) as f64,
        busy_ns: host.busy_ns() - busy,
        own_ns,
    })
}

/// Errors: a rank's memory is not what one accumulate after the other makes of it.
fn check(job: &Job, machine: &Machine, ranks: usize) -> Result<(), ExperimentError> {
    let length = job.window_elements as usize;
    let mut windows = vec![vec![0.0; length]; 2 * ranks];
    for (number, one) in job.accumulates.iter().enumerate() {
        let own = usize::from(one.rank == one.target);
        let start = job.displacement(number, one);
        for place in 0..elements(one) {
            let element = &mut windows[2 * one.target + own][(start + place) as usize];
            *element += value(job.seed, one.rank, place);
        }
    }
    for rank in 0..ranks {
        for (own, address) in [HEAP, job.own_window()].into_iter().enumerate() {
            let found = machine.read(rank, address, length * ELEMENT as usize);
            let wanted = windows[2 * rank + own].iter();
            let wanted: Vec<u8> = wanted.flat_map(|value: &f64| value.to_le_bytes()).collect();
            if let Some(at) = found.iter().zip(&wanted).position(|(a, b)| a != b) {
                let element = at as u64 / ELEMENT;
                return Err(failed(
                    job,
                    format!("element {element} of rank {rank} is wrong"),
                ));
            }
        }
    }
    Ok(())
}

/// The runs of equal jobs, which follow each other but for the seed, as rows.
pub fn rows(jobs: &[Job], measured: &[Measured]) -> Vec<Row> {
    let runs: Vec<(&Job, &Measured)> = jobs.iter().zip(measured).collect();
    let same = |a: &(&Job, &Measured), b: &(&Job, &Measured)| {
        (&a.0.of, a.0.way, a.0.epoch) == (&b.0.of, b.0.way, b.0.epoch)
    };
    let of_runs = |runs: &[(&Job, &Measured)]| {
        let job = runs[0].0;
        let values =
            |of: fn(&Measured) -> f64| runs.iter().map(|run| of(run.1)).collect::<Vec<_>>();
        let interval = |of| Interval::of(&values(of)).unwrap_or_default();
        Row {
            of: job.of.clone(),
            way: job.way,
            epoch: job.epoch,
            seeds: runs.len(),
            remote: job.remote(),
            own: job.accumulates.len() - job.remote(),
            ns: interval(|run| run.ns),
            busy_ns: interval(|run| run.busy_ns),
            progress_ns: interval(|run| run.progress_ns).mean,
            own_ns: interval(|run| run.own_ns).mean,
            million_cycles: values(|run| run.million_cycles).iter().sum(),
            predicted: job.million_cycles() * runs.len() as f64,
        }
    };
    runs.chunk_by(same).map(of_runs).collect()
}
