//! Epochs of accumulates on a machine, measured and checked.

use crate::mpi::{self, HEAP, Mpi, Options, Way, Window, acknowledge};
use crate::{Combine, Costs, HostThread, Machine, MachineConfig, ProgramError, System};
use std::sync::{Arc, Mutex, PoisonError};
use xtq_testbench::cluster::RunOptions;
use xtq_testbench::host::Datatype;

/// Who accumulates, and into whose window.
const ORIGIN: usize = 0;
const TARGET: usize = 1;
/// Bytes of an element: a float.
const ELEMENT: u64 = 4;
/// Cycles after which a run that is not over is given up.
const LONGEST: u64 = 100_000_000;
/// Awake cycles of both NICs: of a run, of an epoch, of an accumulate, of a byte. Fitted to runs of all sizes.
const RUN: f64 = 4600.0;
const EPOCH: f64 = 700.0;
const EACH: f64 = 85.0;
const BYTE: f64 = 0.15;

/// A run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Job {
    pub(super) way: Way,
    /// Bytes of the vector.
    pub(super) bytes: u64,
    /// Most bytes of an accumulate.
    pub(super) segment_bytes: u64,
    pub(super) slots: u64,
    /// Epochs.
    pub(super) rounds: u64,
    pub(super) seed: u64,
}

/// A point of a sweep.
#[derive(Clone, Debug)]
pub(super) struct Point<'a> {
    /// Which sweep it belongs to.
    pub(super) of: String,
    pub(super) system: &'a System,
    /// The run with the first seed.
    pub(super) job: Job,
    pub(super) seeds: u64,
}

/// What a run gives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measured {
    /// From the first accumulate to the end of the epoch, ns.
    pub(super) ns: f64,
    /// Time in which the target's CPUs were busy in an epoch, ns.
    pub(super) busy_ns: f64,
    /// Awake cycles of NICs, in millions.
    pub(super) million_cycles: f64,
}

/// Awake cycles that the runs of a point will take, in millions.
pub(super) fn predicted(point: &Point) -> f64 {
    let Job {
        bytes,
        segment_bytes,
        rounds,
        ..
    } = point.job;
    let parts = bytes.div_ceil(segment_bytes) as f64;
    let epoch = EPOCH + parts * EACH + BYTE * bytes as f64;
    point.seeds as f64 * (RUN + rounds as f64 * epoch) / 1e6
}

/// What the programs note.
#[derive(Debug, Default)]
struct Notes {
    /// Of each epoch, ns.
    epochs: Vec<f64>,
    /// Of the target's application thread while it served, ns.
    served_ns: f64,
}

/// Element `number` of the vector.
fn element(number: u64) -> f32 {
    (number % 1000 + 1) as f32
}

/// One run. Errors: why it stopped; the window does not hold what it should.
pub(super) fn measure(job: &Job, system: &System, costs: &Costs) -> Result<Measured, String> {
    let text = |error: crate::MachineError| error.to_string();
    let mut machine = Machine::new(&MachineConfig {
        system: system.clone(),
        costs: costs.clone(),
        seed: job.seed,
        ..MachineConfig::default()
    })
    .map_err(text)?;
    let options = Options {
        way: job.way,
        combine: Combine::sum(Datatype::Float),
        window: Window {
            address: HEAP,
            bytes: job.bytes,
        },
        slots: job.slots,
        slot_bytes: job.segment_bytes,
        library: system.mpi,
    };
    let set_up = mpi::set_up(&mut machine, &options).map_err(text)?;
    let elements = job.bytes / ELEMENT;
    let vector = (0..elements).flat_map(|number| element(number).to_le_bytes());
    machine.write(ORIGIN, job.source(), &vector.collect::<Vec<u8>>());
    let notes = Arc::new(Mutex::new(Notes::default()));
    let (own, of_target) = (notes.clone(), notes.clone());
    let job = *job;
    machine.start(ORIGIN, "origin", move |host| async move {
        let epochs = job.accumulate(Mpi::new(host, &set_up)).await?;
        own.lock().unwrap_or_else(PoisonError::into_inner).epochs = epochs;
        Ok(())
    });
    machine.start(TARGET, "target", move |host| async move {
        let ns = job.serve(host.clone(), Mpi::new(host, &set_up)).await?;
        let mut notes = of_target.lock().unwrap_or_else(PoisonError::into_inner);
        notes.served_ns = ns;
        Ok(())
    });
    machine.start(TARGET, "progress", acknowledge);
    let options = RunOptions {
        until: machine.cycle_count() + LONGEST,
        ..RunOptions::default()
    };
    machine.run(&options).map_err(text)?;
    job.check(&machine)?;
    let threads = machine.threads(TARGET);
    let progress = threads.iter().find(|thread| thread.name == "progress");
    let progress = progress.map_or(0.0, |thread| thread.busy_ns);
    let notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
    let warm = &notes.epochs[usize::from(job.rounds > 1)..];
    Ok(Measured {
        ns: warm.iter().sum::<f64>() / warm.len().max(1) as f64,
        busy_ns: (notes.served_ns + progress) / job.rounds as f64,
        million_cycles: machine.awake_cycles() as f64 / 1e6,
    })
}

impl Job {
    /// Where the vector lies at the origin: after the window.
    fn source(&self) -> u64 {
        HEAP + self.bytes.next_multiple_of(4096)
    }

    /// The origin's program; what each epoch took, ns.
    async fn accumulate(self, mut mpi: Mpi) -> Result<Vec<f64>, ProgramError> {
        mpi.open_window().await?;
        let mut epochs = Vec::new();
        for _ in 0..self.rounds {
            let begin = mpi.host().now();
            let mut done = 0;
            while done < self.bytes {
                let bytes = self.segment_bytes.min(self.bytes - done);
                let (displacement, source) = (done / ELEMENT, self.source() + done);
                mpi.accumulate(TARGET, displacement, source, bytes / ELEMENT)
                    .await?;
                done += bytes;
            }
            mpi.flush(TARGET).await?;
            epochs.push((mpi.host().now() - begin) as f64);
        }
        mpi.finish().await?;
        Ok(epochs)
    }

    /// The target's program: it does nothing else; how long it was busy with that, ns.
    async fn serve(self, host: HostThread, mut mpi: Mpi) -> Result<f64, ProgramError> {
        mpi.open_window().await?;
        let before = host.busy_ns();
        mpi.serve(self.rounds).await?;
        // What comes after an epoch that ended within another belongs to it.
        mpi.finish().await?;
        Ok(host.busy_ns() - before)
    }

    /// Errors: the window does not hold the vector as often as it was added.
    fn check(&self, machine: &Machine) -> Result<(), String> {
        let found = machine.read(TARGET, HEAP, self.bytes as usize);
        for (number, bytes) in (0..).zip(found.chunks_exact(ELEMENT as usize)) {
            let mut word = [0; ELEMENT as usize];
            word.copy_from_slice(bytes);
            let mut wanted = 0.0;
            for _ in 0..self.rounds {
                wanted += element(number);
            }
            let found = f32::from_le_bytes(word);
            if found != wanted {
                return Err(format!("element {number} is {found}, not {wanted}"));
            }
        }
        Ok(())
    }
}
