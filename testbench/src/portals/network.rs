//! Several nodes and what is under way between them: one FIFO of requests and responses. Nothing moves before it is
//! delivered.

use super::command::{Command, Refusal, Trigger};
use super::ids::Rank;
use super::message::{Outcome, Request, RequestError, Response};
use super::node::Node;
use super::objects::NodeConfig;
use crate::tables::NiFail;
use std::collections::{BTreeMap, VecDeque};

/// Something under way.
#[derive(Clone, Debug)]
enum Packet {
    Request(Request),
    Response(Response),
}

/// A node and what it has sent.
#[derive(Clone, Debug)]
struct Port {
    node: Node,
    sent: Vec<Request>,
    answered: Vec<Response>,
}

/// Nodes, and what is under way between them.
#[derive(Clone, Debug)]
pub struct Network {
    ports: BTreeMap<Rank, Port>,
    fifo: VecDeque<Packet>,
}

impl Network {
    /// Nodes, each as it is configured.
    pub fn new(configs: &BTreeMap<Rank, NodeConfig>) -> Self {
        let port = |(rank, config): (&Rank, &NodeConfig)| {
            let node = Node::new(*rank, config);
            let (sent, answered) = (Vec::new(), Vec::new());
            (
                *rank,
                Port {
                    node,
                    sent,
                    answered,
                },
            )
        };
        Self {
            ports: configs.iter().map(port).collect(),
            fifo: VecDeque::new(),
        }
    }

    /// A node, to look at.
    pub fn node(&self, rank: Rank) -> Option<&Node> {
        self.ports.get(&rank).map(|port| &port.node)
    }

    /// A node, for its host to read events and write memory; requests it sends that way are not seen before the next
    /// call here.
    pub fn node_mut(&mut self, rank: Rank) -> Option<&mut Node> {
        self.ports.get_mut(&rank).map(|port| &mut port.node)
    }

    /// The requests a node has sent, in order.
    pub fn sent(&self, rank: Rank) -> &[Request] {
        self.ports.get(&rank).map_or(&[], |port| &port.sent)
    }

    /// The responses a node has sent, in order.
    pub fn answered(&self, rank: Rank) -> &[Response] {
        self.ports.get(&rank).map_or(&[], |port| &port.answered)
    }

    /// A node's host posts a command; no node, no command.
    pub fn post(
        &mut self,
        rank: Rank,
        trigger: Option<Trigger>,
        command: Command,
    ) -> Result<(), Refusal> {
        let port = self.ports.get_mut(&rank).ok_or(Refusal::ArgInvalid)?;
        let result = match trigger {
            Some(trigger) => port.node.post_triggered(trigger, command),
            None => port.node.post(command),
        };
        self.collect();
        result
    }

    /// A request from outside arrives at its target now; the response leaves the network.
    pub fn inject(&mut self, request: &Request) -> Result<(), RequestError> {
        if let Some(port) = self.ports.get_mut(&request.target) {
            let response = port.node.receive(request)?;
            port.answered.extend(response);
        }
        self.collect();
        Ok(())
    }

    /// Empties the FIFO, and what that puts into it.
    pub fn deliver(&mut self) -> Result<(), RequestError> {
        while self.deliver_one()? {}
        Ok(())
    }

    /// Delivers the oldest request or response that is under way; whether there was one. The response to a request
    /// stands before what the request triggered; both stand after everything that was under way. To a node that does
    /// not exist nothing is delivered, which is reported to its sender.
    pub fn deliver_one(&mut self) -> Result<bool, RequestError> {
        let Some(packet) = self.fifo.pop_front() else {
            return Ok(false);
        };
        match packet {
            Packet::Request(request) => {
                let response = match self.ports.get_mut(&request.target) {
                    Some(port) => {
                        let response = port.node.receive(&request)?;
                        port.answered.extend(response.clone());
                        response
                    }
                    None => Response::to(&request, Outcome::failed(NiFail::Undeliverable)),
                };
                if let (None, Some(port)) = (&response, self.ports.get_mut(&request.source)) {
                    port.node.forget(request.handle);
                }
                self.fifo.extend(response.map(Packet::Response));
            }
            Packet::Response(response) => {
                if let Some(port) = self.ports.get_mut(&response.to) {
                    port.node.acknowledge(&response);
                }
            }
        }
        self.collect();
        Ok(true)
    }

    /// Puts what the nodes have sent into the FIFO. One node acts at a time, so the order is that of sending.
    fn collect(&mut self) {
        for port in self.ports.values_mut() {
            let requests = port.node.take_sent();
            self.fifo
                .extend(requests.iter().cloned().map(Packet::Request));
            port.sent.extend(requests);
        }
    }
}
