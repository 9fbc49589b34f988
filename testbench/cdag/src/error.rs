//! What can be wrong with a graph, or with a graph and a NIC. Messages name rank and vertex.

use crate::arithmetic::{Datatype, Operation};
use thiserror::Error;

/// What is wrong with a graph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)] // The messages say what the fields are.
pub enum GraphError {
    #[error("rank {rank} does not exist: the graph has ranks 0 to {last}", last = ranks - 1)]
    NoRank { rank: usize, ranks: usize },
    #[error("{what}: bytes {at} to {end} are outside the {size} bytes of rank {rank}")]
    Outside {
        what: &'static str,
        at: u64,
        end: u64,
        size: u64,
        rank: usize,
    },
    #[error("rank {rank}: a {what} with itself; bytes of one rank are moved by a copy")]
    ToItself { rank: usize, what: &'static str },
    #[error("rank {rank}: an edge from vertex {from} to vertex {to}, of which one does not exist")]
    NoVertex { rank: usize, from: usize, to: usize },
    #[error(
        "{from} and {to} are of different ranks: an edge connects vertices of one rank, a message two ranks"
    )]
    EdgeAcrossRanks { from: String, to: String },
    #[error("rank {rank}: source and target of an operation have {from} and {into} bytes")]
    DifferentLengths { rank: usize, from: u64, into: u64 },
    #[error("rank {rank}: {length} bytes are no whole number of {name} values", name = datatype.name())]
    NotWhole {
        rank: usize,
        length: u64,
        datatype: Datatype,
    },
    #[error("rank {rank}: the target of an operation at {at} is at no multiple of a {}", datatype.name())]
    NotAligned {
        rank: usize,
        at: u64,
        datatype: Datatype,
    },
    #[error("rank {rank}: source and target of an operation overlap")]
    Overlaps { rank: usize },
    #[error("there is no {} of {} values", operation.name(), datatype.name())]
    NoSuchOperation {
        operation: Operation,
        datatype: Datatype,
    },
    #[error("the graph cannot end: {0}")]
    Stuck(String),
    #[error("{send} and {recv} match, but not in their lengths")]
    LengthMismatch { send: String, recv: String },
    #[error("{first} and {second} use the same bytes, one writes them, and nothing orders the two")]
    Race { first: String, second: String },
    #[error(
        "with a rendezvous of each message that cannot wait in a buffer the graph cannot end: {0}; a higher eager threshold helps"
    )]
    RendezvousStuck(String),
    #[error(
        "{0} has to be in an earlier round than a message that has to be in an earlier round than it"
    )]
    NoRounds(String),
    #[error("{vertex}: the NIC does no {} of {} values (docs/limits.md)", operation.name(), datatype.name())]
    NotInHardware {
        vertex: String,
        operation: Operation,
        datatype: Datatype,
    },
    #[error(
        "a scenario has no GPU whose kernels combine, and the schedule has {tasks} tasks for one"
    )]
    NeedsGpu { tasks: usize },
    #[error(
        "hosts do the operations of a schedule in one order, and without matching beforehand there is none: whoever comes second is told"
    )]
    NoHostOrder,
    #[error(
        "a schedule that is posted in windows, or has entries that are used once, has to be posted for each use"
    )]
    OnlyOnce,
    #[error("rank {rank} needs {needed} {what}, a context of the NIC has {limit}")]
    TooLarge {
        rank: usize,
        what: &'static str,
        needed: usize,
        limit: usize,
    },
    #[error("{vertices} vertices on {ranks} ranks are too many to be ordered")]
    TooManyVertices { vertices: usize, ranks: usize },
    #[error("there is no such tree with k = {k}: a k-nomial one needs 2 or more, a k-ary one 1")]
    NoTree { k: usize },
    #[error("all {limit} schedule tags are taken")]
    NoFreeTag { limit: u64 },
    #[error("schedule tag {tag} is not below {limit}")]
    NoTag { tag: u64, limit: u64 },
    #[error("two outstanding schedules have the tag {tag}")]
    SameTag { tag: u64 },
    #[error("outstanding schedules are of {first} and of {second} ranks")]
    OtherRanks { first: usize, second: usize },
}
