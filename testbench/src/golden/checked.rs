//! A node whose every delivery is compared with the golden model.

use thiserror::Error;
use xtq_types::register_list::COUNTERS;
use xtq_types::register_map::global;

use super::counts::Counts;
use super::delivery::Delivery;
use super::difference::Difference;
use super::faults::Faults;
use super::phase::Phase;
use crate::bus::Fault;
use crate::node::{Node, NodeError};
use crate::tables::Outcome;

/// A node and what it should do.
pub struct Checked {
    /// The node; the host's calls go through it.
    pub node: Node,
    /// Built with atomics.
    pub atomics: bool,
    /// The host looks at events, but does not take them.
    pub leaves_events: bool,
    faults: Faults,
    counts: Counts,
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
    /// A register does not say what happened.
    #[error("{register}: expected {expected}, got {got}")]
    Register {
        /// Its name.
        register: String,
        /// What it should say.
        expected: u32,
        /// What it says.
        got: u32,
    },
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
            leaves_events: false,
            faults: Faults::default(),
            counts: Counts::default(),
        }
    }

    /// Injects a fault that spares the first `spared` accesses into the memory, and informs the model.
    pub fn inject(&mut self, fault: Fault, spared: u32) {
        self.node.memory.inject_after(fault.clone(), spared);
        self.faults.inject(fault, spared);
    }

    /// Takes all faults back.
    pub fn clear_faults(&mut self) {
        self.node.memory.clear_faults();
        self.faults = Faults::default();
    }

    /// Sends packets in this order, runs to quiescence, and compares everything. Gives what became of
    /// the messages that ended. Errors: the run stopped, or something differs.
    pub fn deliver(
        &mut self,
        packets: &[Vec<u8>],
        max_cycles: u64,
    ) -> Result<Vec<Outcome>, CheckError> {
        let mut act = |golden: &mut Delivery| {
            packets.iter().for_each(|packet| golden.packet(packet));
        };
        self.act(max_cycles, &mut act, |node| {
            packets.iter().for_each(|packet| node.send_packet(packet));
            Ok(())
        })
    }

    /// Disables a context, runs to quiescence, and compares everything. Gives what became of the messages that ended.
    /// Errors: the run stopped, or something differs.
    pub fn disable(&mut self, context: u8, max_cycles: u64) -> Result<Vec<Outcome>, CheckError> {
        self.act(max_cycles, &mut |golden| golden.disable(context), |node| {
            node.enable_context(context, false)
        })
    }

    fn act(
        &mut self,
        max_cycles: u64,
        model: &mut dyn FnMut(&mut Delivery),
        hardware: impl FnOnce(&mut Node) -> Result<(), NodeError>,
    ) -> Result<Vec<Outcome>, CheckError> {
        let node = &mut self.node;
        let phase = Phase::begin(node, self.faults.clone(), self.atomics);
        hardware(node)?;
        node.state.open = phase.foresee(model);
        node.run_to_quiescence(max_cycles)?;
        let (golden, differences) = phase.finish(node, model, self.leaves_events)?;
        self.faults = golden.faults;
        self.counts.add(&golden.counts);
        if !differences.is_empty() {
            return Err(CheckError::Differs(differences));
        }
        Ok(golden.outcomes)
    }

    /// Reads the counters and the error causes and compares them with everything delivered since the last call; clears
    /// them. Errors: one differs, or an access is refused.
    pub fn check_registers(&mut self) -> Result<(), CheckError> {
        let expected = std::mem::take(&mut self.counts);
        for (name, value) in expected.counters() {
            let place = COUNTERS.iter().position(|(counter, _)| *counter == name);
            let offset = 4 * place.unwrap_or(COUNTERS.len()) as u32;
            let got = self
                .node
                .read_register((global::COUNTERS + offset) as u16)?;
            same(name.to_owned(), value, got)?;
        }
        self.node.write_register(global::COUNTERS_CLEAR as u16, 1)?;
        for (context, cause) in (0..).zip(expected.causes) {
            let got = self.node.error_cause(context)?;
            same(format!("ERROR_CAUSE of context {context}"), cause, got)?;
            self.node.clear_error_cause(context, cause)?;
        }
        Ok(())
    }
}

fn same(register: String, expected: u32, got: u32) -> Result<(), CheckError> {
    if expected == got {
        return Ok(());
    }
    Err(CheckError::Register {
        register,
        expected,
        got,
    })
}
