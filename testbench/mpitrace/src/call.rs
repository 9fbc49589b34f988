//! A trace: the MPI calls of all ranks in one order.

use std::collections::{BTreeMap, BTreeSet};

/// Most ranks of a trace.
pub const MOST_RANKS: u32 = 65_536;

/// A message as its sender names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// World rank of the receiver.
    pub to: u32,
    /// Tag.
    pub tag: i32,
    /// Communicator; 0 is MPI_COMM_WORLD. Other numbers are those of the rank, taken as equal on all ranks.
    pub comm: u64,
    /// Length in bytes; `None`: not in the trace.
    pub bytes: Option<u64>,
    /// Length in elements; `None`: not in the trace.
    pub elements: Option<u64>,
    /// The call returns only when the buffer can be used again.
    pub blocking: bool,
}

/// A posted receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receive {
    /// World rank of the sender; `None`: MPI_ANY_SOURCE.
    pub from: Option<u32>,
    /// Tag; `None`: MPI_ANY_TAG.
    pub tag: Option<i32>,
    /// Communicator, as for [`Message`].
    pub comm: u64,
    /// The call returns only when the message has come.
    pub blocking: bool,
}

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Sends a message.
    Send(Message),
    /// Posts a receive.
    Receive(Receive),
    /// Waits for this many requests.
    Wait(u32),
    /// A collective, with the caller's own contribution in bytes; `None`: not in the trace.
    Collective(&'static str, Option<u64>),
    /// An access to another rank's window, with its length in bytes; `None`: not in the trace.
    OneSided(&'static str, Option<u64>),
}

/// Where a call stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Which of [`Trace::files`].
    pub file: u32,
    /// The line, from 1.
    pub line: u64,
}

/// One call of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// When it began, in ns since a time of the trace's own. Only the order counts where the format says so.
    pub time_ns: u64,
    /// World rank of the caller.
    pub rank: u32,
    /// What it does.
    pub op: Op,
    /// Where it stands.
    pub place: Place,
}

/// Where a trace comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `t_ns, rank, op, peer, tag, comm, bytes`, one row a call, all ranks in one file.
    Csv,
    /// What `dumpi2ascii` of the SST suite writes, a file for each rank.
    Dumpi,
    /// What liballprof of LogGOPSim writes, a file for each rank.
    Allprof,
}

impl Format {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Dumpi => "DUMPI text",
            Self::Allprof => "liballprof",
        }
    }

    /// What it does not record.
    pub fn lacks(self) -> &'static [&'static str] {
        match self {
            Self::Csv => &[
                "datatypes",
                "times that can be used for more than order",
                "probes and cancelled receives",
            ],
            Self::Dumpi => &[
                "bytes of messages of user-defined datatypes",
                "members of communicators other than MPI_COMM_WORLD, its duplicates and MPI_COMM_SELF",
            ],
            Self::Allprof => &[
                "members of communicators smaller than the job",
                "requests of MPI_Startall",
            ],
        }
    }
}

/// Why a call that could match is no [`Call`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// To or from MPI_PROC_NULL: it never reaches a matcher.
    ProcNull,
    /// The members of its communicator are not in the trace.
    Members,
    /// An argument of it is not in the trace.
    Argument,
}

impl LeftOut {
    /// In words.
    pub fn why(self) -> &'static str {
        match self {
            Self::ProcNull => "to or from MPI_PROC_NULL",
            Self::Members => "members of the communicator not in the trace",
            Self::Argument => "an argument not in the trace",
        }
    }
}

/// The calls of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Its format.
    pub format: Format,
    /// Names of its files.
    pub files: Vec<String>,
    /// Ranks of the job: one more than the highest that is named anywhere.
    pub ranks: u32,
    /// Ranks whose calls are in the trace.
    pub present: BTreeSet<u32>,
    /// The calls; those of a rank in its order, those of different ranks by time.
    pub calls: Vec<Call>,
    /// How often other functions were called.
    pub others: BTreeMap<String, u64>,
    /// How many sends and receives are no calls here, and why.
    pub left_out: BTreeMap<LeftOut, u64>,
}

impl Trace {
    /// Ranks whose calls are not in the trace.
    pub fn missing(&self) -> Vec<u32> {
        (0..self.ranks)
            .filter(|rank| !self.present.contains(rank))
            .collect()
    }
}
