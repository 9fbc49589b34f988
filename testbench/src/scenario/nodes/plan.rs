//! From a file of several nodes to what each process does, checked.

use super::check;
use super::check_network::network;
use super::compile::compile;
use super::names::{AllNames, process_key};
use super::program::PlannedProcess;
use super::schema::NodesScenario;
use crate::host::ProcessId;
use crate::input::{KeyFault, Places};

/// A scenario of several nodes that can be run.
#[derive(Clone, Debug)]
pub struct NodesPlan {
    /// The checked file.
    pub scenario: NodesScenario,
    /// The processes, in the order of the file: node by node.
    pub(super) processes: Vec<PlannedProcess>,
    /// Place of the first process of each node, and one after the last.
    firsts: Vec<usize>,
}

impl NodesPlan {
    /// Checks a file and makes the programs; `origin` gives the key in `text` of a key of the scenario. Errors: the
    /// first fault.
    pub(in crate::scenario) fn new(
        scenario: NodesScenario,
        text: &str,
        origin: &dyn Fn(&str) -> String,
    ) -> Result<Self, KeyFault> {
        check::check(&scenario)?;
        let names = AllNames::of(&scenario)?;
        let places = Places::of(text);
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        let line = |key: &str| {
            let start = places.of_key(&origin(key)).map_or(0, |span| span.start);
            ends.partition_point(|end| *end < start) + 1
        };
        let mut processes = Vec::new();
        let mut firsts = Vec::new();
        for (n, node) in scenario.nodes.iter().enumerate() {
            firsts.push(processes.len());
            for (p, process) in node.processes.iter().enumerate() {
                let key = process_key(n, p);
                let mut steps = compile(&names, processes.len(), &key, process)?;
                for (number, step) in steps.iter_mut().enumerate() {
                    step.line = line(&format!("{key}.program[{number}]"));
                }
                processes.push(PlannedProcess {
                    id: ProcessId {
                        node: n as u16,
                        context: p as u8,
                    },
                    name: process.name.clone(),
                    steps,
                });
            }
        }
        firsts.push(processes.len());
        Ok(Self {
            scenario,
            processes,
            firsts,
        })
    }

    /// The processes of a node, by context.
    pub(super) fn processes_of(&self, node: usize) -> &[PlannedProcess] {
        &self.processes[self.firsts[node]..self.firsts[node + 1]]
    }

    /// Bytes of memory that the nodes take, about: their engines and models, and what is in their memories at the
    /// start. The programs are not counted: they are in memory already.
    pub fn memory_bytes(&self) -> u64 {
        let written = self
            .processes
            .iter()
            .map(|process| process.written(&self.scenario));
        let data = written.flat_map(|process| &process.data);
        let bytes = data.map(|data| data.bytes.as_ref().map_or(0, |bytes| bytes.0.len() as u64));
        let nodes = self.scenario.nodes.iter();
        let nodes = nodes.map(|node| self.scenario.nic_of(node).node_bytes());
        nodes.sum::<u64>() + 2 * bytes.sum::<u64>()
    }

    /// The rank that has a node if there are so many.
    pub fn rank_of(&self, node: usize, ranks: usize) -> usize {
        network(&self.scenario.network).worker(node, ranks)
    }

    /// Bytes of the messages that the programs send, if all of them are sent.
    pub fn message_bytes(&self) -> u64 {
        let steps = self.processes.iter().flat_map(|process| &process.steps);
        steps
            .filter_map(|step| Some(step.message.as_ref()?.length))
            .sum()
    }

    /// How many messages the programs send, if all of them are sent.
    pub fn messages(&self) -> usize {
        let steps = self.processes.iter().flat_map(|process| &process.steps);
        steps.filter(|step| step.message.is_some()).count()
    }
}
