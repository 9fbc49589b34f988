//! From a file of several nodes to what each process does, checked.

use super::check;
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
    /// The processes, in the order of the file.
    pub(super) processes: Vec<PlannedProcess>,
}

impl NodesPlan {
    /// Checks a file and makes the programs. Errors: the first fault.
    pub(in crate::scenario) fn new(scenario: NodesScenario, text: &str) -> Result<Self, KeyFault> {
        check::check(&scenario)?;
        let names = AllNames::of(&scenario)?;
        let places = Places::of(text);
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        let line = |key: &str| {
            let start = places.of_key(key).map_or(0, |span| span.start);
            ends.partition_point(|end| *end < start) + 1
        };
        let mut processes = Vec::new();
        for (n, node) in scenario.nodes.iter().enumerate() {
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
        Ok(Self {
            scenario,
            processes,
        })
    }

    /// How many messages the programs send, if all of them are sent.
    pub fn messages(&self) -> usize {
        let steps = self.processes.iter().flat_map(|process| &process.steps);
        steps.filter(|step| step.message.is_some()).count()
    }
}
