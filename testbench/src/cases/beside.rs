//! Co-simulation: nodes with the functional model beside them, compared after each step.
//!
//! Whatever plays a case can play it to [`Beside`]. Each call is done by the nodes and by the model, and then both must
//! show the same: counters, pending operations, lists, status, memory, events, messages sent, and what the call
//! returned. The first difference ends the case as [`Failed`](NotRun::Failed), with the step.

use super::NotRun;
use super::portals::{Observed, PortalsNodes};
use crate::portals::{Command, Network, NodeConfig, Rank, Refusal, Request, Trigger};
use std::collections::BTreeMap;

/// Nodes and the model of them.
pub struct Beside<N> {
    nodes: N,
    model: Network,
    ranks: Vec<Rank>,
    /// Calls so far.
    calls: usize,
}

impl<N: PortalsNodes> Beside<N> {
    /// These nodes, which were just brought up from these configurations.
    pub fn new(nodes: N, configs: &BTreeMap<Rank, NodeConfig>) -> Self {
        Self {
            nodes,
            model: Network::new(configs),
            ranks: configs.keys().copied().collect(),
            calls: 0,
        }
    }

    /// Compares what these nodes show. Errors: they differ.
    fn compare(&mut self, ranks: &[Rank], what: &str) -> Result<(), NotRun> {
        for rank in ranks {
            let expected = PortalsNodes::observe(&mut self.model, *rank)?;
            let got = self.nodes.observe(*rank)?;
            let lines = expected.differences(&got);
            if !lines.is_empty() {
                return Err(self.differs(*rank, what, &lines.join("; ")));
            }
        }
        self.calls += 1;
        Ok(())
    }

    fn differs(&self, rank: Rank, what: &str, how: &str) -> NotRun {
        let call = self.calls;
        NotRun::Failed(format!("call {call}, {what}: node {}: {how}", rank.0))
    }
}

impl<N: PortalsNodes> PortalsNodes for Beside<N> {
    fn open(configs: &BTreeMap<Rank, NodeConfig>) -> Result<Self, NotRun> {
        Ok(Self::new(N::open(configs)?, configs))
    }

    fn post(
        &mut self,
        node: Rank,
        trigger: Option<Trigger>,
        command: Command,
    ) -> Result<Result<(), Refusal>, NotRun> {
        let what = format!("{trigger:?} {command:?}");
        let got = self.nodes.post(node, trigger, command.clone())?;
        let expected = PortalsNodes::post(&mut self.model, node, trigger, command)?;
        let expected = expected.map_err(Refusal::told);
        if got != expected {
            let how = format!("returns: expected {expected:?}, got {got:?}");
            return Err(self.differs(node, &what, &how));
        }
        self.compare(&[node], &what)?;
        Ok(got)
    }

    fn receive(&mut self, request: &Request) -> Result<(), NotRun> {
        self.nodes.receive(request)?;
        self.model.receive(request)?;
        self.compare(&[request.target], &format!("{request:?}"))
    }

    fn write_memory(&mut self, node: Rank, address: u64, bytes: &[u8]) -> Result<(), NotRun> {
        self.nodes.write_memory(node, address, bytes)?;
        PortalsNodes::write_memory(&mut self.model, node, address, bytes)
    }

    fn deliver(&mut self) -> Result<(), NotRun> {
        self.nodes.deliver()?;
        PortalsNodes::deliver(&mut self.model)?;
        let ranks = self.ranks.clone();
        self.compare(&ranks, "deliver")
    }

    fn observe(&mut self, node: Rank) -> Result<Observed, NotRun> {
        self.nodes.observe(node)
    }
}
