//! MPI on the simulated nodes: two-sided messages, one-sided accumulates, reduce and allreduce, each in three ways.
//!
//! | way | a message goes | who combines | who starts it |
//! |---|---|---|---|
//! | CPU | two-sided | the application thread | itself, when it makes progress |
//! | HSA | two-sided | the GPU | the application thread: an AQL packet |
//! | XTQ | as an XTQ put | the GPU | the target's NIC |
//!
//! These are the configurations of section V-A of LeBeane et al., SC 2016. A rank is a node. Its application thread has
//! one [`Mpi`]; matching is done by the NIC's lists, progress by the thread whenever it waits.
//!
//! ```text
//!   collective --> exchange --> point_to_point, task --> progress --> HostThread
//!   window -------------------------^                       |
//!                                                           v
//!                                                    apply: CPU or GPU
//! ```

mod apply;
mod codes;
mod collective;
mod exchange;
mod layout;
mod point_to_point;
mod progress;
mod requests;
mod set_up;
mod steps;
mod task;
mod window;

pub use collective::Ongoing;
pub use layout::{HEADERS, HEAP, MOST_SLOTS};
pub use progress::Background;
pub use requests::{Request, Status};
pub use set_up::set_up;
pub use window::acknowledge;

use crate::{Combine, HostThread, Library, ProgramError};
use apply::Kernels;
use collective::Outstanding;
use progress::Inbox;
use requests::Requests;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use task::Tasks;
use window::Epochs;
use xtq_testbench::host::HostQueue;

/// Who carries out what a message brings.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// The target's CPU.
    Cpu,
    /// The target's GPU, started by its CPU.
    Hsa,
    /// The target's GPU, started by its NIC.
    Xtq,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Hsa, Self::Xtq];

    /// The name that the paper uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Hsa => "HSA",
            Self::Xtq => "XTQ",
        }
    }
}

/// What messages of all ranks change: the result of a reduction, or the window of accumulates. It has the same place on
/// every node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Address of its first byte.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
}

/// What all ranks of a job agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Who carries out what messages bring.
    pub way: Way,
    /// What is done with the elements.
    pub combine: Combine,
    /// What is changed.
    pub window: Window,
    /// Landing places that each rank has at each other: messages to be combined that it may have under way there. At
    /// most [`MOST_SLOTS`].
    pub slots: u64,
    /// Most bytes of data of such a message.
    pub slot_bytes: u64,
    /// What the library decides.
    pub library: Library,
}

/// What a job's ranks know when they begin: [`set_up`](set_up()) gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    options: Options,
    /// The queue of each node's GPU.
    queue: HostQueue,
}

/// The library as one rank's application thread has it.
pub struct Mpi {
    host: HostThread,
    job: Job,
    requests: Requests,
    inbox: Inbox,
    kernels: Kernels,
    epochs: Epochs,
    tasks: Tasks,
    outstanding: Outstanding,
    background: Background,
    /// Collectives begun: their messages are distinguished by it.
    collectives: u32,
}

impl Mpi {
    /// The library of the node on which the thread runs.
    pub fn new(host: HostThread, job: &Job) -> Self {
        let ranks = host.nodes();
        Self {
            host,
            job: *job,
            requests: Requests::default(),
            inbox: Inbox::default(),
            kernels: Kernels::default(),
            epochs: Epochs::new(ranks),
            tasks: Tasks::new(ranks),
            outstanding: Outstanding::default(),
            background: Background::default(),
            collectives: 0,
        }
    }

    /// Its number among the ranks.
    pub fn rank(&self) -> usize {
        self.host.node()
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.host.nodes()
    }

    /// The thread that it runs on.
    pub fn host(&self) -> &HostThread {
        &self.host
    }

    /// Bytes of an element. Errors: there are no vectors of the datatype.
    fn element(&self) -> Result<u64, ProgramError> {
        self.job.options.combine.bytes().map_err(ProgramError::new)
    }
}
