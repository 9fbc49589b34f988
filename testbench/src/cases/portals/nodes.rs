//! What plays the steps of a case: the functional model, and real NICs ([`rtl`](crate::cases::rtl)).

use crate::cases::NotRun;
use crate::portals::{
    Command, Event, Network, NodeConfig, OperationError, QueueId, Rank, Refusal, Request,
    RequestError, Response, State, Trigger, only_auto_free_floats,
};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// The event queue of the portals of a case.
pub const PORTAL_EVENTS: QueueId = QueueId(0);
/// The event queue of the memory descriptors of a case. Cases do not show its events, but they are compared with the
/// model's.
pub const MD_EVENTS: QueueId = QueueId(1);

/// Nodes that a case can be played to. Each call returns when everything it set off is done, except what is under way
/// in the network.
pub trait PortalsNodes: Sized {
    /// Brings the nodes up, with zeroed memory; what else a case gives them comes as commands.
    fn open(configs: &BTreeMap<Rank, NodeConfig>) -> Result<Self, NotRun>;

    /// The host of a node posts a command. What the call returned: for a triggered one, the call that posted it.
    fn post(
        &mut self,
        node: Rank,
        trigger: Option<Trigger>,
        command: Command,
    ) -> Result<Result<(), Refusal>, NotRun>;

    /// A request from outside arrives at its target. The response goes nowhere.
    fn receive(&mut self, request: &Request) -> Result<(), NotRun>;

    /// The host of a node writes to memory.
    fn write_memory(&mut self, node: Rank, address: u64, bytes: &[u8]) -> Result<(), NotRun>;

    /// The host of a node copies a word of 8 bytes: a consumer has its read index follow the write index.
    fn copy_word(&mut self, node: Rank, from: u64, to: u64) -> Result<(), NotRun> {
        let memory = self.observe(node)?.state.memory;
        let word = memory.read(from, 8);
        let word = word.map_err(|_| NotRun::Malformed(format!("{from}: outside memory")))?;
        self.write_memory(node, to, word)
    }

    /// Empties the network in global FIFO order. Nothing moves in it without this.
    fn deliver(&mut self) -> Result<(), NotRun>;

    /// What a node shows.
    fn observe(&mut self, node: Rank) -> Result<Observed, NotRun>;
}

/// What can be seen of a node after the steps.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// Counters, pending operations, lists, status and memory, all of which is one piece from address 0.
    pub state: State,
    /// Events of [`PORTAL_EVENTS`], oldest first.
    pub events: Vec<Event>,
    /// Events of [`MD_EVENTS`], oldest first.
    pub transfers: Vec<Event>,
    /// Responses sent.
    pub responses: Vec<Response>,
    /// Requests sent.
    pub sent: Vec<Request>,
}

impl Observed {
    /// One line for each value that is not as expected, by its name. AUTO_FREE floats; handles are each node's own.
    pub fn differences(&self, got: &Self) -> Vec<String> {
        let mut lines = self.state.differences(&got.state);
        if !only_auto_free_floats(&self.events, &got.events) {
            items(&mut lines, "events", &self.events, &got.events);
        }
        items(&mut lines, "transfers", &self.transfers, &got.transfers);
        let answers = |observed: &Self| -> Vec<Response> {
            let answers = observed.responses.iter();
            answers.map(Response::comparable).collect()
        };
        items(&mut lines, "responses", &answers(self), &answers(got));
        let requests = |observed: &Self| -> Vec<Request> {
            let requests = observed.sent.iter().cloned();
            requests
                .map(|request| Request {
                    handle: 0,
                    ..request
                })
                .collect()
        };
        items(&mut lines, "sent", &requests(self), &requests(got));
        lines
    }
}

fn items<T: PartialEq + Debug>(lines: &mut Vec<String>, name: &str, expected: &[T], got: &[T]) {
    for place in 0..expected.len().max(got.len()) {
        let (expected, got) = (expected.get(place), got.get(place));
        if expected != got {
            lines.push(format!(
                "{name}[{place}]: expected {expected:?}, got {got:?}"
            ));
        }
    }
}

/// Why a request cannot be given to a node.
pub(in crate::cases) fn malformed(why: RequestError) -> NotRun {
    match why {
        RequestError::Operation(error @ OperationError::Unsupported(_)) => {
            NotRun::unsupported("DATATYPE", error.to_string())
        }
        _ => NotRun::Malformed(why.to_string()),
    }
}

fn no_node(rank: Rank) -> NotRun {
    NotRun::Malformed(format!("node: there is no node {}", rank.0))
}

impl PortalsNodes for Network {
    fn open(configs: &BTreeMap<Rank, NodeConfig>) -> Result<Self, NotRun> {
        Ok(Self::new(configs))
    }

    fn post(
        &mut self,
        node: Rank,
        trigger: Option<Trigger>,
        command: Command,
    ) -> Result<Result<(), Refusal>, NotRun> {
        Ok(Network::post(self, node, trigger, command))
    }

    fn receive(&mut self, request: &Request) -> Result<(), NotRun> {
        self.inject(request).map_err(malformed)
    }

    fn write_memory(&mut self, node: Rank, address: u64, bytes: &[u8]) -> Result<(), NotRun> {
        let node = self.node_mut(node).ok_or_else(|| no_node(node))?;
        let outside = |_| NotRun::Malformed(format!("{address}: outside memory"));
        node.memory_mut().write(address, bytes).map_err(outside)
    }

    fn deliver(&mut self) -> Result<(), NotRun> {
        Network::deliver(self).map_err(malformed)
    }

    fn observe(&mut self, rank: Rank) -> Result<Observed, NotRun> {
        let node = self.node(rank).ok_or_else(|| no_node(rank))?;
        let events = |queue| -> Vec<Event> {
            let queue = node.queue(queue).into_iter();
            queue.flat_map(|queue| queue.events()).copied().collect()
        };
        Ok(Observed {
            state: node.state(),
            events: events(PORTAL_EVENTS),
            transfers: events(MD_EVENTS),
            responses: self.answered(rank).to_vec(),
            sent: self.sent(rank).to_vec(),
        })
    }
}
