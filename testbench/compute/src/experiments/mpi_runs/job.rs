//! A reduction on a machine, measured and checked.

use crate::mpi::{self, Background, HEADERS, HEAP, Mpi, Options, Way, Window};
use crate::{Combine, Costs, Library, Machine, MachineConfig, ProgramError, System};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};
use xtq_testbench::cluster::RunOptions;
use xtq_testbench::experiments::ExperimentError;
use xtq_testbench::host::Datatype;

/// Bytes of an element: a float.
const ELEMENT: u64 = 4;
/// Cycles after which a run that is not over is given up.
const LONGEST: u64 = 400_000_000;
/// Values are below this, so that sums of 64 of them over two rounds are exact in a float.
const VALUES: u64 = 17;

/// A collective of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Collective {
    /// To rank 0.
    Reduce,
    /// To all.
    Allreduce,
}

/// How a part of a vector goes to another rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pipeline {
    /// Landing places at each rank.
    pub slots: u64,
    /// Most bytes of a segment; 0: the part goes whole.
    pub segment_bytes: u64,
}

/// A run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Job {
    /// Who combines, and who starts it.
    pub way: Way,
    /// What is done.
    pub collective: Collective,
    /// Ranks.
    pub nodes: usize,
    /// Bytes of each rank's vector.
    pub bytes: u64,
    /// Segments.
    pub pipeline: Pipeline,
    /// Bytes of a round before the one that is measured, over the first part of the vector; 0: none. Then tables and
    /// rings are in the caches, and of the vector what that round has left there.
    pub warm: u64,
    /// Work of the application meanwhile.
    pub overlap: Background,
    /// Of memory's latency and the programs' start.
    pub seed: u64,
}

/// What came out of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// From the last rank's call to the last rank's return, ns.
    pub ns: f64,
    /// Time in which the CPU of rank 0 was busy meanwhile, ns: it is the root of a reduce.
    pub busy_ns: f64,
    /// Cycles in which a NIC was awake, in millions.
    pub million_cycles: f64,
}

/// What a rank notes of its call: cycles of begin and end, busy time.
#[derive(Clone, Copy, Debug, Default)]
struct Lap {
    begin: u64,
    end: u64,
    busy_ns: f64,
}

impl Job {
    fn options(&self, library: Library) -> Options {
        let Pipeline {
            slots,
            segment_bytes,
        } = self.pipeline;
        Options {
            way: self.way,
            combine: Combine::sum(Datatype::Float),
            window: Window {
                address: HEAP,
                bytes: self.bytes,
            },
            slots,
            slot_bytes: match segment_bytes {
                0 => self.bytes,
                bytes => bytes.min(self.bytes),
            },
            library,
        }
    }

    /// Errors: so many segments go without asking that some find no room.
    fn check_segments(&self, system: &System) -> Result<(), String> {
        let (segment, eager) = (self.pipeline.segment_bytes, system.mpi.eager_bytes);
        let asked = segment == 0 || segment > eager || self.way == Way::Xtq;
        match asked || self.bytes.div_ceil(segment) <= HEADERS {
            true => Ok(()),
            false => Err(format!(
                "pipeline.segment_bytes = {segment} is not above system.mpi.eager_bytes = {eager}: more than \
                 {HEADERS} segments would go without asking"
            )),
        }
    }

    /// What the run will cost, in millions of cycles in which a NIC is awake: fitted to runs of all sizes
    /// (docs/experiments.md).
    pub fn million_cycles(&self) -> f64 {
        let (nodes, bytes) = (self.nodes as f64, self.bytes as f64);
        // While a rank's link is in use, this much of the vector crosses it, in so many messages.
        let (moved, messages) = match self.collective {
            Collective::Reduce => (2.0 * (nodes - 1.0) / nodes, 1.0),
            Collective::Allreduce if self.nodes.is_power_of_two() => {
                (2.0 * (nodes - 1.0) / nodes, 2.0 * nodes.log2())
            }
            Collective::Allreduce => (2.0 * (nodes - 1.0) / nodes, 2.0 * (nodes - 1.0)),
        };
        // Messages that are combined go in segments.
        let cut = match self.pipeline.segment_bytes {
            0 => 0.0,
            segment => bytes * (nodes - 1.0) / nodes / segment as f64,
        };
        let warm = self.warm.min(self.bytes) as f64;
        let rounds = 1.0 + f64::from(u8::from(warm > 0.0));
        let each = messages * CYCLES_A_MESSAGE + cut * CYCLES_A_SEGMENT;
        let cycles = moved * (bytes + warm) * CYCLES_A_BYTE + rounds * each;
        nodes * cycles / 1e6
    }
}

/// Awake cycles of a NIC for each byte of a link in use: 12.5 bytes cross it in a cycle.
const CYCLES_A_BYTE: f64 = 0.08;
/// Awake cycles of a NIC for each message that its rank sends, and what it answers.
const CYCLES_A_MESSAGE: f64 = 182.0;
/// The same for each segment but the first.
const CYCLES_A_SEGMENT: f64 = 84.0;

/// Element `number` of a rank's vector.
fn value(job: &Job, rank: usize, number: u64) -> f32 {
    ((number * 7 + rank as u64 * 13 + job.seed % VALUES * 5) % VALUES) as f32
}

/// How often an element of a rank's vector is in the result: once; if a round went before, in which inner ranks of the
/// tree kept partial sums, once for each rank on its way to the root.
fn weight(job: &Job, rank: usize, number: u64) -> f32 {
    match job.collective {
        _ if number >= job.warm.min(job.bytes) / ELEMENT => 1.0,
        Collective::Reduce => (rank.count_ones() + 1) as f32,
        Collective::Allreduce => job.nodes as f32,
    }
}

/// The result, computed one element after the other.
fn reference(job: &Job) -> Vec<u8> {
    let elements = 0..job.bytes / ELEMENT;
    let sum = |number| -> f32 {
        let ranks = 0..job.nodes;
        ranks
            .map(|rank| weight(job, rank, number) * value(job, rank, number))
            .sum()
    };
    elements
        .flat_map(|number| sum(number).to_le_bytes())
        .collect()
}

fn failed(job: &Job, why: impl std::fmt::Display) -> ExperimentError {
    let Job {
        way, nodes, bytes, ..
    } = job;
    let way = way.name();
    ExperimentError::Failed(format!("{way}, {nodes} nodes, {bytes} bytes: {why}"))
}

/// Runs it and compares the result with a serial reference. Errors: it does not end; the result is wrong.
pub fn measure(job: &Job, system: &System, costs: &Costs) -> Result<Measured, ExperimentError> {
    job.check_segments(system).map_err(|why| failed(job, why))?;
    let config = MachineConfig {
        system: system.clone(),
        costs: costs.clone(),
        nodes: job.nodes,
        seed: job.seed,
        ..MachineConfig::default()
    };
    let mut machine = Machine::new(&config).map_err(|error| failed(job, error))?;
    let options = job.options(system.mpi);
    let set_up = mpi::set_up(&mut machine, &options).map_err(|error| failed(job, error))?;
    let mut late = ChaCha8Rng::seed_from_u64(job.seed);
    let laps = Arc::new(Mutex::new(vec![Lap::default(); job.nodes]));
    for rank in 0..job.nodes {
        let elements = 0..job.bytes / ELEMENT;
        let vector: Vec<u8> = elements
            .flat_map(|number| value(job, rank, number).to_le_bytes())
            .collect();
        machine.write(rank, HEAP, &vector);
        let (job, laps) = (*job, laps.clone());
        let late_ns = late.random_range(0..=system.mpi.late_ns);
        machine.start(rank, "rank", move |host| async move {
            let mut mpi = Mpi::new(host, &set_up);
            let lap = play(&mut mpi, &job, late_ns).await?;
            laps.lock().unwrap_or_else(PoisonError::into_inner)[rank] = lap;
            mpi.finish().await
        });
    }
    let before = machine.awake_cycles();
    let options = RunOptions {
        until: LONGEST,
        ..RunOptions::default()
    };
    machine.run(&options).map_err(|error| failed(job, error))?;
    check(job, &machine)?;
    let laps = laps.lock().unwrap_or_else(PoisonError::into_inner);
    // A rank that is late is not waited for before its call.
    let begin = laps.iter().map(|lap| lap.begin).max().unwrap_or_default();
    let end = laps.iter().map(|lap| lap.end).max().unwrap_or_default();
    Ok(Measured {
        ns: end.saturating_sub(begin) as f64,
        busy_ns: laps.first().map_or(0.0, |lap| lap.busy_ns),
        million_cycles: (machine.awake_cycles() - before) as f64 / 1e6,
    })
}

/// The program of a rank: perhaps a round to warm up, then the one that is measured, which it begins so late.
async fn play(mpi: &mut Mpi, job: &Job, late_ns: u64) -> Result<Lap, ProgramError> {
    let warm = job.warm.min(job.bytes);
    if warm > 0 {
        mpi.barrier().await?;
        reduce(mpi, job.collective, warm).await?;
    }
    mpi.barrier().await?;
    mpi.host().pause(late_ns).await;
    let (begin, busy) = (mpi.host().now(), mpi.host().busy_ns());
    mpi.overlap(job.overlap);
    reduce(mpi, job.collective, job.bytes).await?;
    mpi.finish_work().await;
    Ok(Lap {
        begin,
        end: mpi.host().now(),
        busy_ns: mpi.host().busy_ns() - busy,
    })
}

async fn reduce(mpi: &mut Mpi, collective: Collective, bytes: u64) -> Result<(), ProgramError> {
    match collective {
        Collective::Reduce => mpi.reduce(0, bytes).await,
        Collective::Allreduce => mpi.allreduce(bytes).await,
    }
}

/// Errors: a rank that should have the result has another.
fn check(job: &Job, machine: &Machine) -> Result<(), ExperimentError> {
    let wanted = reference(job);
    let holders = match job.collective {
        Collective::Reduce => 1,
        Collective::Allreduce => job.nodes,
    };
    for rank in 0..holders {
        let found = machine.read(rank, HEAP, job.bytes as usize);
        if let Some(at) = found.iter().zip(&wanted).position(|(a, b)| a != b) {
            let element = at as u64 / ELEMENT;
            let why = format!("element {element} of rank {rank} is not that of the reference");
            return Err(failed(job, why));
        }
    }
    Ok(())
}
