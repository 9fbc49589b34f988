//! The compiler: from a graph to what each rank posts.
//!
//! ```text
//!   check, matching -> open, net -> tasks -> protocol (pass 1) -> fuse (5) -> streams (3) -> gates (2, 4) -> Schedule
//!                                         +------------ literal: a counter and an entry for each vertex ----^
//! ```
//!
//! The literal lowering is figures 5 to 8 of the paper as they are, and the reference for the passes; a NIC has hardly
//! room for it beyond 16 ranks. Each pass states in the head of its file what makes it right.

mod fuse;
mod gates;
mod handshake;
mod literal;
mod lower;
mod net;
mod open;
mod protocol;
mod start;
mod streams;
mod tasks;

use crate::arithmetic::{Datatype, Operation};
use crate::check::check;
use crate::error::GraphError;
use crate::graph::{Graph, Kind, VertexId};
use crate::schedule::{SCHEDULE_TAGS, Schedule};
use net::Net;

/// How messages that may come too early are sent, and whether the passes run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// All passes; what cannot be direct is eager up to the threshold, and a rendezvous above.
    #[default]
    Auto,
    /// All messages eager (figure 7), then the passes.
    Eager,
    /// All messages with rendezvous (figure 5), then the passes.
    Rendezvous,
    /// All messages by get: the receiver fetches when the sender has reported that it has started (figure 4).
    Get,
    /// Figure 6, and no pass: entries are appended when a vertex starts, and whoever comes second gets a report.
    Unmatched,
    /// No pass: eager up to the threshold and rendezvous above, a counter and an entry for each vertex.
    Literal,
}

impl Protocol {
    fn is_literal(self) -> bool {
        matches!(self, Self::Literal | Self::Unmatched)
    }
}

/// How to compile.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Protocols and passes.
    pub protocol: Protocol,
    /// Bytes up to which a message is eager (section IV.D: often around 4 KB).
    pub eager: u64,
    /// Whether the schedule has a start barrier of its own (section IV.B): nothing is done before all hosts have
    /// started. Without, the hosts meet before they start, and have their data by then. What waits for messages only
    /// may be done before its own host has started: the first message proves that all have met.
    pub barrier: bool,
    /// Schedule tag of the match bits.
    pub schedule: u64,
    /// Whether ranks have a GPU, and which operations are its tasks.
    pub gpu: Option<GpuTasks>,
    /// A fault that tests put in.
    pub flaw: Option<Flaw>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            protocol: Protocol::Auto,
            eager: 4096,
            barrier: false,
            schedule: 0,
            gpu: None,
            flaw: None,
        }
    }
}

/// Which operations are tasks of the GPU: those that it knows and the NIC does not, and long ones.
#[derive(Clone, Copy, Debug)]
pub struct GpuTasks {
    /// Bytes from which an operation is a task that the NIC could do too.
    pub from: u64,
    /// Whether the GPU has a kernel for it.
    pub knows: fn(Operation, Datatype) -> bool,
}

/// Bytes from which a task is faster than what the NIC does slowly (measured: `docs/collectives.md`).
const SLOW_BYTES: u64 = 128;

impl GpuTasks {
    fn takes(&self, (operation, datatype): (Operation, Datatype), bytes: u64) -> bool {
        let slow = operation.is_slow_in_hardware(datatype) && bytes >= SLOW_BYTES;
        (self.knows)(operation, datatype)
            && (bytes >= self.from || slow || !operation.is_in_hardware(datatype))
    }
}

/// A fault in a pass: each makes some schedule wrong, and the tests find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Pass 1: every message is direct.
    AlwaysDirect,
    /// Pass 2: the offset is left out.
    NoOffset,
    /// Pass 3: all messages of a pair of ranks are one stream.
    OneStream,
    /// Pass 4: something that is waited for is not counted.
    DropsCount,
    /// Pass 4: the threshold of several things is one less.
    LowThreshold,
    /// Pass 4: what an earlier one waits for is not waited for.
    ForgetsEarlier,
    /// Pass 5: also operations that wait for something else.
    FusesAll,
    /// Start barrier: its last round counts where data count.
    RoundOnStart,
    /// Any source: the entries of receives are in the list the wrong way round.
    ListOrder,
    /// Any source: a receive does not wait for what an earlier one waits for.
    NoStartOrder,
    /// Any source: an entry takes messages of any rank and tag, whatever its receive says.
    TakesAll,
    /// Any source: an entry takes messages of any length.
    AnyLength,
    /// Any source: a receive's entry stays when it has taken a message.
    TakesMore,
    /// Figure 6: a receive does not say again that it is ready when it hears of the sender.
    SaysOnce,
    /// Figure 6: a send does not say that it is ready.
    DoesNotAsk,
    /// Figure 6: a receive says that it is ready before its entry for the data is there.
    SaysEarly,
    /// Tasks: an operation that is one does not make others into the same bytes tasks.
    SomeTasks,
}

/// Compiles a graph. Errors: of the graph; an operation that the NIC has not; a schedule tag that there is not;
/// rendezvous in a circle.
pub fn compile(graph: &Graph, options: &Options) -> Result<Schedule, GraphError> {
    if options.schedule >= SCHEDULE_TAGS {
        return Err(GraphError::NoTag {
            tag: options.schedule,
            limit: SCHEDULE_TAGS,
        });
    }
    let matching = check(graph)?;
    for (number, vertex) in graph.vertices().iter().enumerate() {
        if let Kind::Local {
            arithmetic: Some((operation, datatype)),
            ..
        } = vertex.kind
        {
            let by_gpu = options
                .gpu
                .is_some_and(|gpu| (gpu.knows)(operation, datatype));
            if !operation.is_in_hardware(datatype) && !by_gpu {
                return Err(GraphError::NotInHardware {
                    vertex: graph.describe(VertexId(number)),
                    operation,
                    datatype,
                });
            }
        }
    }
    let mut classes = open::classes(graph, &matching, options);
    let mut net = loop {
        let mut net = Net::new(graph, &matching, &classes, options.schedule);
        open::order_starts(&mut net, options);
        match protocol::too_long(&net, options)? {
            None => break net,
            Some(class) => {
                drop(net);
                classes.remove(class);
            }
        }
    };
    if let Some(gpu) = options.gpu {
        tasks::apply(&mut net, gpu, options);
    }
    protocol::apply(&mut net, options)?;
    let programs = match options.protocol {
        Protocol::Literal | Protocol::Unmatched => literal::lower(&net, options)?,
        _ => {
            fuse::apply(&mut net, options);
            lower::lower(&net, options)?
        }
    };
    let mut schedule = Schedule {
        programs,
        memory: net.memory,
        barrier: options.barrier,
        starts: 1,
    };
    if options.barrier {
        start::add_barrier(&mut schedule, options);
    }
    Ok(schedule)
}
