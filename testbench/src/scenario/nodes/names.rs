//! The names of a scenario of several nodes: who defines them, and what they stand for.

use std::collections::BTreeMap;

use super::calls::Call;
use super::nic::NicKind;
use super::schema::{NodesScenario, ProcessTable};
use crate::host::ProcessId;
use crate::input::KeyFault;

/// Portal entries that a process can name.
const PORTALS: usize = 64;

/// What is wrong with an empty name.
pub(super) const NO_NAME: &str = "a name has at least one letter";

/// The key of a process.
pub(super) fn process_key(node: usize, process: usize) -> String {
    format!("nodes[{node}].processes[{process}]")
}

/// What the names of one kind stand for.
#[derive(Clone, Debug)]
pub(super) struct Names<T> {
    /// What they name, for messages.
    what: &'static str,
    known: BTreeMap<String, T>,
}

impl<T: Copy> Names<T> {
    fn new(what: &'static str) -> Self {
        Self {
            what,
            known: BTreeMap::new(),
        }
    }

    /// Defines a name. Errors: at `key`, it is defined already, or empty.
    fn define(&mut self, key: &str, name: &str, value: T) -> Result<(), KeyFault> {
        if name.is_empty() {
            return Err(KeyFault::value(key, NO_NAME));
        }
        match self.known.insert(name.to_owned(), value) {
            None => Ok(()),
            Some(_) => {
                let message = format!("there is a {} '{name}' already", self.what);
                Err(KeyFault::value(key, message))
            }
        }
    }

    /// What a name stands for. Errors: at `key`, nobody defines it.
    pub(super) fn get(&self, key: &str, name: &str) -> Result<T, KeyFault> {
        self.known.get(name).copied().ok_or_else(|| {
            let names: Vec<&str> = self.known.keys().map(String::as_str).collect();
            let help = match names.is_empty() {
                true => format!("the process has no {}", self.what),
                false => format!("known: {}", names.join(", ")),
            };
            KeyFault::value(key, format!("there is no {} '{name}'", self.what)).help(help)
        })
    }
}

impl Names<u16> {
    /// Defines a name for the next number, of which there are `most`. Errors: as [`define`](Self::define); there is
    /// none left.
    fn number(&mut self, key: &str, name: &str, most: usize) -> Result<(), KeyFault> {
        let number = self.known.len();
        if number >= most {
            let message = format!("a process has at most {most} of a kind ({})", self.what);
            return Err(KeyFault::value(key, message));
        }
        self.define(key, name, number as u16)
    }
}

/// The names of one process. Numbers are those of the NIC, places those of the file.
#[derive(Clone, Debug)]
pub(super) struct ProcessNames {
    pub(super) pts: Names<u16>,
    pub(super) mds: Names<u16>,
    pub(super) mes: Names<u16>,
    pub(super) cts: Names<u16>,
    pub(super) queues: Names<usize>,
    pub(super) signals: Names<usize>,
    pub(super) steps: Names<usize>,
}

impl ProcessNames {
    fn of(key: &str, process: &ProcessTable, nic: NicKind) -> Result<Self, KeyFault> {
        let mut names = Self {
            pts: Names::new("portal entry"),
            mds: Names::new("memory descriptor"),
            mes: Names::new("match entry"),
            cts: Names::new("counter"),
            queues: Names::new("queue"),
            signals: Names::new("signal"),
            steps: Names::new("step"),
        };
        for (i, queue) in process.queues.iter().enumerate() {
            let key = format!("{key}.queues[{i}].name");
            names.queues.define(&key, &queue.name, i)?;
        }
        for (i, signal) in process.signals.iter().enumerate() {
            let key = format!("{key}.signals[{i}].name");
            names.signals.define(&key, &signal.name, i)?;
        }
        for (i, step) in process.program.iter().enumerate() {
            let key = format!("{key}.program[{i}]");
            if let Some(name) = &step.name {
                names.steps.define(&format!("{key}.name"), name, i)?;
            }
            for (call, arguments) in step.calls() {
                let key = format!("{key}.{call}");
                match arguments {
                    Call::PtAlloc(a) => names.pts.number(&format!("{key}.pt"), &a.pt, PORTALS)?,
                    Call::MdBind(a) => names.mds.number(
                        &format!("{key}.md"),
                        &a.md,
                        nic.shares().descriptors.into(),
                    )?,
                    Call::MeAppend(a) => names.mes.number(
                        &format!("{key}.me"),
                        &a.me,
                        nic.shares().entries.into(),
                    )?,
                    Call::CtAlloc(a) => names.cts.number(
                        &format!("{key}.ct"),
                        &a.ct,
                        nic.shares().counters.into(),
                    )?,
                    _ => {}
                }
            }
        }
        Ok(names)
    }
}

/// All names of a scenario.
#[derive(Clone, Debug)]
pub(super) struct AllNames {
    /// Where a process is, and its place among all.
    pub(super) processes: Names<(ProcessId, usize)>,
    /// In the order of the file.
    pub(super) of: Vec<ProcessNames>,
}

impl AllNames {
    /// Errors: a name is defined twice.
    pub(super) fn of(scenario: &NodesScenario) -> Result<Self, KeyFault> {
        let mut all = Self {
            processes: Names::new("process"),
            of: Vec::new(),
        };
        let mut nodes = Names::new("node");
        for (n, node) in scenario.nodes.iter().enumerate() {
            nodes.define(&format!("nodes[{n}].name"), &node.name, n)?;
            for (p, process) in node.processes.iter().enumerate() {
                let key = process_key(n, p);
                let id = ProcessId {
                    node: n as u16,
                    context: p as u8,
                };
                let place = (id, all.of.len());
                let name_key = format!("{key}.name");
                all.processes.define(&name_key, &process.name, place)?;
                let nic = scenario.nic_of(node);
                all.of.push(ProcessNames::of(&key, process, nic)?);
            }
        }
        Ok(all)
    }
}
