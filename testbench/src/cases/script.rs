//! `Script`: the calls of a case, or of a random program, written down, to be played again in another way.

use super::NotRun;
use super::portals::{Observed, PortalsNodes};
use crate::portals::{Command, Network, NodeConfig, Rank, Refusal, Request, Trigger};
use std::collections::BTreeMap;

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// [`PortalsNodes::post`].
    Post(Rank, Option<Trigger>, Command),
    /// [`PortalsNodes::receive`].
    Receive(Request),
    /// [`PortalsNodes::write_memory`].
    WriteMemory(Rank, u64, Vec<u8>),
    /// [`PortalsNodes::copy_word`].
    CopyWord(Rank, u64, u64),
    /// [`PortalsNodes::deliver`].
    Deliver,
}

/// The functional model, and what was asked of it.
pub struct Script {
    /// The nodes.
    pub configs: BTreeMap<Rank, NodeConfig>,
    /// The calls, in order.
    pub calls: Vec<Call>,
    model: Network,
}

impl Script {
    /// Plays it to nodes that are brought up.
    pub fn play_to(&self, nodes: &mut impl PortalsNodes) -> Result<(), NotRun> {
        for call in &self.calls {
            match call {
                Call::Post(node, trigger, command) => {
                    let _ = nodes.post(*node, *trigger, command.clone())?;
                }
                Call::Receive(request) => nodes.receive(request)?,
                Call::WriteMemory(node, address, bytes) => {
                    nodes.write_memory(*node, *address, bytes)?;
                }
                Call::CopyWord(node, from, to) => nodes.copy_word(*node, *from, *to)?,
                Call::Deliver => nodes.deliver()?,
            }
        }
        Ok(())
    }
}

impl PortalsNodes for Script {
    fn open(configs: &BTreeMap<Rank, NodeConfig>) -> Result<Self, NotRun> {
        Ok(Self {
            configs: configs.clone(),
            calls: Vec::new(),
            model: Network::new(configs),
        })
    }

    fn post(
        &mut self,
        node: Rank,
        trigger: Option<Trigger>,
        command: Command,
    ) -> Result<Result<(), Refusal>, NotRun> {
        self.calls.push(Call::Post(node, trigger, command.clone()));
        PortalsNodes::post(&mut self.model, node, trigger, command)
    }

    fn receive(&mut self, request: &Request) -> Result<(), NotRun> {
        self.calls.push(Call::Receive(request.clone()));
        self.model.receive(request)
    }

    fn write_memory(&mut self, node: Rank, address: u64, bytes: &[u8]) -> Result<(), NotRun> {
        self.calls
            .push(Call::WriteMemory(node, address, bytes.to_vec()));
        PortalsNodes::write_memory(&mut self.model, node, address, bytes)
    }

    fn copy_word(&mut self, node: Rank, from: u64, to: u64) -> Result<(), NotRun> {
        self.calls.push(Call::CopyWord(node, from, to));
        self.model.copy_word(node, from, to)
    }

    fn deliver(&mut self) -> Result<(), NotRun> {
        self.calls.push(Call::Deliver);
        PortalsNodes::deliver(&mut self.model)
    }

    fn observe(&mut self, node: Rank) -> Result<Observed, NotRun> {
        PortalsNodes::observe(&mut self.model, node)
    }
}
