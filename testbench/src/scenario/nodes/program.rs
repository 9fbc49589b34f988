//! What each process does, step by step.

use super::schema::{NodesScenario, ProcessTable};
use crate::host::{Command, EventKind, ProcessId};

/// A process and its program.
#[derive(Clone, Debug)]
pub(super) struct PlannedProcess {
    pub(super) id: ProcessId,
    pub(super) name: String,
    pub(super) steps: Vec<PlannedStep>,
}

/// A step of a program.
#[derive(Clone, Debug)]
pub(super) struct PlannedStep {
    /// Name in the file; empty for one without.
    pub(super) name: String,
    /// Name of its call.
    pub(super) call: &'static str,
    /// Line of the file.
    pub(super) line: usize,
    /// User pointer of its command.
    pub(super) user_ptr: u64,
    pub(super) ops: Vec<Op>,
    /// The message that it sends.
    pub(super) message: Option<SentMessage>,
}

/// What a message looks like on the wire, as far as the program says it.
#[derive(Clone, Debug)]
pub(super) struct SentMessage {
    pub(super) opcode: u8,
    pub(super) target: ProcessId,
    /// Place of the target among the processes.
    pub(super) to: usize,
    pub(super) pt: u16,
    pub(super) match_bits: u64,
    /// Bytes after the header.
    pub(super) length: u64,
    pub(super) hdr_data: u64,
    /// Threshold that it waits for; `None`: it is sent at once.
    pub(super) threshold: Option<u64>,
}

/// What a process does at once, or waits for.
#[derive(Clone, Debug)]
pub(super) enum Op {
    /// Puts a command into its ring.
    Post(Box<Command>),
    /// Takes an event.
    Await(Box<Wanted>),
    /// Writes memory.
    Write { address: u64, bytes: Vec<u8> },
    /// Waits until memory holds this.
    WaitMemory { address: u64, bytes: Vec<u8> },
    /// Checks that memory holds this.
    Expect { address: u64, bytes: Vec<u8> },
    /// Waits until a signal has a value.
    WaitSignal {
        name: String,
        handle: u64,
        value: i64,
    },
    /// Waits for other processes.
    Barrier(String),
    /// Waits so many cycles.
    Delay(u64),
}

/// An event that a process waits for, and what it expects of it.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) kind: EventKind,
    pub(super) user_ptr: Option<u64>,
    pub(super) status: String,
    pub(super) length: Option<u64>,
    pub(super) from: Option<(ProcessId, String)>,
    pub(super) match_bits: Option<u64>,
    pub(super) hdr_data: Option<u64>,
    pub(super) start: Option<u64>,
    /// Of a counter: successes and failures.
    pub(super) counter: [Option<u64>; 2],
    /// What is waited for, for people.
    pub(super) what: String,
}

impl Wanted {
    /// An event of this kind that reports no fault.
    pub(super) fn new(kind: EventKind, user_ptr: Option<u64>, what: String) -> Self {
        Self {
            kind,
            user_ptr,
            status: super::outcome::OK.to_owned(),
            length: None,
            from: None,
            match_bits: None,
            hdr_data: None,
            start: None,
            counter: [None; 2],
            what,
        }
    }
}

impl PlannedProcess {
    /// The written process of a scenario.
    pub(super) fn written<'a>(&self, scenario: &'a NodesScenario) -> &'a ProcessTable {
        let ProcessId { node, context } = self.id;
        &scenario.nodes[usize::from(node)].processes[usize::from(context)]
    }

    /// The process with its node's number, as reports call it.
    pub(super) fn title(&self) -> String {
        format!("node {} {}", self.id.node, self.name)
    }
}
