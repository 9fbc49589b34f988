//! A compiled communication ([`xtq_cdag`]) on nodes that compute: operations that the NIC does not do are tasks of the
//! node's own GPU, and no host acts between start and end.
//!
//! ```text
//!   counter reaches its threshold
//!        |
//!   triggered XTQ put of the rank to itself: packet and arguments, no payload
//!        |                                        the NIC writes both and rings the queue of the GPU
//!   kernel: into = into op from
//!        |                                        end of the kernel: the signal's event goes to CT_INC
//!   counter of the task: what waited for the operation fires
//! ```

mod commands;

use crate::gpu::{self, InPlaceKernel, Kernel, KernelRun, Span, custom};
use crate::{Combine, Machine, MachineConfig, MachineError, Operation, ProgramError};
use commands::Rank;
use std::sync::Arc;
use thiserror::Error;
use xtq_cdag::arithmetic;
use xtq_cdag::compile::GpuTasks;
use xtq_cdag::plan::Plan;
use xtq_cdag::schedule::{Action, Schedule};
use xtq_testbench::cluster::RunOptions;
use xtq_testbench::host::{CounterValue, Ct, Datatype, ptl_ct_inc};

/// Names of the instants of a program.
const START: &str = "start";
const END: &str = "end";

/// Why a schedule cannot be run on nodes that compute.
#[derive(Debug, Error)]
pub enum CollectiveError {
    /// Of the nodes.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// More operations than may wait.
    #[error(
        "rank {rank} has {needed} triggered operations; {limit} can wait beside the one that tells of the end"
    )]
    TooMany {
        /// The rank.
        rank: usize,
        /// Its operations.
        needed: usize,
        /// How many can wait.
        limit: usize,
    },
    /// Hosts have to do something between start and end.
    #[error(
        "rank {rank}: its host would have to work, and here no host acts between start and end"
    )]
    HostWorks {
        /// The rank.
        rank: usize,
    },
}

/// What a rank did.
#[derive(Clone, Debug)]
pub struct RankRun {
    /// Cycle in which its host called the start.
    pub started: u64,
    /// Cycle in which its host saw the end.
    pub ended: u64,
    /// Its memory at the end, with what the compiler added.
    pub memory: Vec<u8>,
    /// Tasks of its GPU.
    pub kernels: Vec<KernelRun>,
    /// Events that its host saw: the one of the end, if nothing else happened.
    pub events: usize,
    /// Time in which its host was busy, ns: the start, and the look at the end.
    pub busy_ns: f64,
}

impl RankRun {
    /// Cycles (ns) in which its GPU did tasks that have ended.
    pub fn gpu_busy(&self) -> u64 {
        let times = self.kernels.iter().filter_map(|kernel| {
            let (started, ended) = (kernel.started?, kernel.ended?);
            Some(ended - started)
        });
        times.sum()
    }
}

/// From the start of the last rank to the end of the last, in cycles (ns).
pub fn latency(ranks: &[RankRun]) -> u64 {
    let started = ranks.iter().map(|rank| rank.started).max().unwrap_or(0);
    let ended = ranks.iter().map(|rank| rank.ended).max().unwrap_or(0);
    ended.saturating_sub(started)
}

/// What the GPU does of a collective: operations of at least `from` bytes, and all that the NIC does not do.
pub fn gpu_tasks(from: u64) -> GpuTasks {
    GpuTasks {
        from,
        knows: |operation, datatype| kernel(operation, datatype).is_some(),
    }
}

/// The kernel for an operation, if there is one.
fn kernel(
    operation: arithmetic::Operation,
    datatype: arithmetic::Datatype,
) -> Option<Arc<dyn Kernel>> {
    match operation {
        arithmetic::Operation::Own(own) => Some(own_kernel(own, datatype)),
        _ => Some(Arc::new(InPlaceKernel(combine(operation, datatype)?))),
    }
}

/// The kernel for an operation that a program defines: arguments as of [`InPlaceKernel`].
fn own_kernel(own: arithmetic::Own, datatype: arithmetic::Datatype) -> Arc<dyn Kernel> {
    custom(own.name, move |launch| {
        let bytes = launch.argument(2).saturating_mul(datatype.bytes());
        let [target, source] = [3, 4].map(|word| Span {
            address: launch.argument(0).wrapping_add(launch.argument(word)),
            bytes,
        });
        Ok(gpu::Plan {
            reads: vec![target, source],
            writes: vec![target],
            instructions: own.instructions,
            effect: Box::new(move |read| {
                let mut result = read[0].clone();
                (own.combine)(datatype, &mut result, &read[1]);
                Ok(vec![result])
            }),
        })
    })
}

/// What a kernel that is there does, if there is one for it.
fn combine(operation: arithmetic::Operation, datatype: arithmetic::Datatype) -> Option<Combine> {
    use arithmetic::{Datatype as D, Operation as O};
    Some(Combine {
        operation: match operation {
            O::Sum => Operation::Sum,
            O::Prod => Operation::Prod,
            O::Min => Operation::Min,
            O::Max => Operation::Max,
            O::Band | O::Bor | O::Bxor | O::Own(_) => return None,
        },
        datatype: match datatype {
            D::Int32 => Datatype::Int32,
            D::Uint32 => Datatype::Uint32,
            D::Int64 => Datatype::Int64,
            D::Uint64 => Datatype::Uint64,
            D::Float => Datatype::Float,
            D::Double => Datatype::Double,
            D::Int8 | D::Uint8 | D::Int16 | D::Uint16 => return None,
            D::FloatComplex | D::DoubleComplex => return None,
        },
    })
}

/// Runs a schedule, a node for each rank, on memories that hold this at first. Everything is posted before; then each
/// host starts its rank and sleeps until the end is reported to it, for [`RunOptions::until`] cycles at most. Gives the
/// machine too, to look into. Errors: more operations than may wait at once; hosts would have to work; of the nodes.
pub fn run(
    schedule: &Schedule,
    plan: &Plan,
    memory: &[Vec<u8>],
    config: &MachineConfig,
    options: &RunOptions,
) -> Result<(Vec<RankRun>, Machine), CollectiveError> {
    check(schedule, plan)?;
    let nodes = schedule.programs.len();
    let mut machine = Machine::new(&MachineConfig {
        nodes,
        ..config.clone()
    })?;
    for (number, how) in commands::kernels(schedule).into_iter().enumerate() {
        if let Some(kernel) = kernel(how.0, how.1) {
            machine.add_kernel(commands::handle(number), kernel);
        }
    }
    for rank in 0..nodes {
        let own = Rank::new(schedule, rank);
        let queue = machine.create_queue(rank, commands::QUEUE)?;
        for (address, bytes) in own.contents(memory.get(rank).map_or(&[][..], Vec::as_slice)) {
            machine.write(rank, address, &bytes);
        }
        machine.set_up(rank, &own.commands(&queue))?;
        let start = Ct(schedule.programs[rank].start as u16);
        let starts = schedule.starts;
        machine.start(rank, "rank", move |host| async move {
            host.mark(START);
            let all = CounterValue {
                success: starts,
                failure: 0,
            };
            host.post(&[ptl_ct_inc(start, all)]).await?;
            loop {
                let event = host.event().await?;
                host.mark(END);
                match event.result() {
                    Some(Ok(())) => return Ok(()),
                    Some(Err(why)) => {
                        return Err(ProgramError::new(format!("a command was refused: {why}")));
                    }
                    None => {}
                }
            }
        });
    }
    let until = machine.cycle_count().saturating_add(options.until);
    machine.run(&RunOptions { until, ..*options })?;
    let ranks = (0..nodes).map(|rank| of_rank(&machine, schedule, rank));
    Ok((ranks.collect(), machine))
}

/// Errors: not all can be posted before the start, or a host has to act after it.
fn check(schedule: &Schedule, plan: &Plan) -> Result<(), CollectiveError> {
    for (rank, program) in schedule.programs.iter().enumerate() {
        let mut actions = program.triggered.iter().map(|one| one.action);
        if actions.any(|action| matches!(action, Action::Work { .. })) {
            return Err(CollectiveError::HostWorks { rank });
        }
        if plan.first_window(rank) < program.triggered.len() {
            return Err(CollectiveError::TooMany {
                rank,
                needed: program.triggered.len(),
                limit: plan.one_posting,
            });
        }
    }
    Ok(())
}

fn of_rank(machine: &Machine, schedule: &Schedule, rank: usize) -> RankRun {
    let threads = machine.threads(rank);
    let marks = threads.iter().flat_map(|thread| &thread.marks);
    let at = |name: &str| {
        let named = marks.clone().filter(|(mark, _)| mark == name);
        named.map(|(_, cycle)| *cycle).collect::<Vec<u64>>()
    };
    let ends = at(END);
    RankRun {
        started: at(START).first().copied().unwrap_or(0),
        ended: ends.last().copied().unwrap_or(0),
        memory: machine.read(rank, commands::BASE, schedule.memory[rank] as usize),
        kernels: machine.kernels(rank),
        events: ends.len(),
        busy_ns: threads.iter().map(|thread| thread.busy_ns).sum(),
    }
}
