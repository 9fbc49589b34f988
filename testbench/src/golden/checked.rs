//! A node whose every delivery is compared with the golden model.

use thiserror::Error;

use super::delivery::Delivery;
use super::outcome::Outcome;
use super::scoreboard::{Difference, Observed, compare};
use super::state::CONTEXTS;
use crate::bus::Fault;
use crate::bytes::SparseMemory;
use crate::node::{Node, NodeError};

/// A node and what it should do.
pub struct Checked {
    /// The node; the host's calls go through it.
    pub node: Node,
    /// Built with atomics.
    pub atomics: bool,
    /// Faults the golden model knows of; the memory's own are injected into it by the caller.
    pub faults: Vec<Fault>,
}

/// Why a delivery is not as it should be.
#[derive(Debug, Error)]
pub enum CheckError {
    /// The run stopped.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The hardware did something else than the model.
    #[error("{} differences:\n{}", .0.len(), lines(.0))]
    Differs(Vec<Difference>),
    /// A transaction is outstanding, or the parser's counts are not as expected.
    #[error(transparent)]
    Violation(#[from] crate::bus::Violation),
}

fn lines(differences: &[Difference]) -> String {
    let lines: Vec<String> = differences.iter().map(Difference::to_string).collect();
    lines.join("\n")
}

impl Checked {
    /// A node without atomics and faults.
    pub fn new(node: Node) -> Self {
        Self {
            node,
            atomics: false,
            faults: Vec::new(),
        }
    }

    /// Sends packets in this order, runs to quiescence, takes the events, and compares everything. Gives what became of
    /// the messages that ended. Errors: the run stopped, or something differs.
    pub fn deliver(
        &mut self,
        packets: &[Vec<u8>],
        max_cycles: u64,
    ) -> Result<Vec<Outcome>, CheckError> {
        self.act(max_cycles, |node, golden| {
            for packet in packets {
                golden.packet(packet);
                node.send_packet(packet);
            }
            Ok(())
        })
    }

    /// Disables a context, runs to quiescence, takes the events, and compares everything. Gives what became of the messages
    /// that ended. Errors: the run stopped, or something differs.
    pub fn disable(&mut self, context: u8, max_cycles: u64) -> Result<Vec<Outcome>, CheckError> {
        self.act(max_cycles, |node, golden| {
            golden.disable(context);
            node.enable_context(context, false)
        })
    }

    fn act(
        &mut self,
        max_cycles: u64,
        act: impl FnOnce(&mut Node, &mut Delivery) -> Result<(), NodeError>,
    ) -> Result<Vec<Outcome>, CheckError> {
        let node = &mut self.node;
        let before: [SparseMemory; CONTEXTS] =
            std::array::from_fn(|context| node.memory.memory(context as u8).clone());
        let mut golden = Delivery::new(node.state.clone(), before.clone());
        golden.atomics = self.atomics;
        golden.faults = self.faults.clone();
        let (log, acks) = (node.memory.log().len(), node.transmitted().len());
        act(node, &mut golden)?;
        node.state.open = golden.state.open.clone();
        node.run_to_quiescence(max_cycles)?;
        node.memory.checker().finish(node.cycle_count())?;
        let mut events: [Vec<[u8; 64]>; CONTEXTS] = Default::default();
        for (context, events) in events.iter_mut().enumerate() {
            if node.state.contexts[context].events.size > 0 {
                *events = node.take_events(context as u8)?;
            }
        }
        let observed = Observed {
            before: &before,
            log: &node.memory.log()[log..],
            events: &events,
            acks: &node.transmitted()[acks..],
        };
        let differences = compare(&golden, &observed);
        if !differences.is_empty() {
            return Err(CheckError::Differs(differences));
        }
        for (model, host) in golden.state.contexts.iter_mut().zip(&node.state.contexts) {
            model.events.consumed = host.events.consumed;
        }
        node.state = golden.state;
        Ok(golden.outcomes)
    }
}
