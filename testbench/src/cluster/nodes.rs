//! A cluster of hardware nodes.

use super::run::{Cluster, ClusterError};
use crate::bytes::SparseMemory;
use crate::host::NicPort;
use crate::network::NetworkConfig;
use crate::node::{Node, NodeConfig, NodeError, REGISTER_CYCLES, Timeline};

impl Cluster<Node> {
    /// A cluster of nodes out of reset, which know their numbers. Errors: of the engine; there can be no such network.
    pub fn new(
        configs: &[NodeConfig],
        network: &NetworkConfig,
    ) -> Result<Self, ClusterError<NodeError>> {
        let mut nodes = Vec::new();
        for (number, config) in configs.iter().enumerate() {
            let node = Node::new(config).and_then(|mut node| {
                node.set_node_id(number as u16)?;
                Ok(node)
            });
            nodes.push(node.map_err(|error| ClusterError::Node {
                node: number,
                error,
            })?);
        }
        Self::of_stations(nodes, network)
    }

    /// What a host program of `node` (another than 0 to the number of nodes - 1 panics) can do. Accesses run the clocks
    /// of all nodes.
    pub fn port(&mut self, node: usize) -> ClusterPort<'_> {
        assert!(node < self.nodes.len(), "there is no node {node}");
        ClusterPort {
            cluster: self,
            node,
        }
    }

    /// The stations of the messages that came to each node.
    pub fn timelines(&self) -> Vec<Vec<Timeline>> {
        self.nodes.iter().map(Node::timelines).collect()
    }
}

/// The port of a host program on a node of a cluster.
pub struct ClusterPort<'a> {
    cluster: &'a mut Cluster<Node>,
    node: usize,
}

impl NicPort for ClusterPort<'_> {
    type Error = ClusterError<NodeError>;

    fn memory(&self, context: u8) -> &SparseMemory {
        self.cluster.nodes[self.node].memory.memory(context)
    }

    fn memory_mut(&mut self, context: u8) -> &mut SparseMemory {
        self.cluster.nodes_mut()[self.node]
            .memory
            .memory_mut(context)
    }

    fn post(&mut self, address: u16, value: u32) {
        self.cluster.nodes_mut()[self.node].post_register(address, value);
    }

    fn read(&mut self, address: u16) -> Result<u32, Self::Error> {
        let number = self.node;
        self.cluster.nodes_mut()[number].post_read(address);
        self.cluster.run_until(
            |cluster| cluster.nodes[number].registers_idle(),
            REGISTER_CYCLES,
        )?;
        let answer = self.cluster.nodes_mut()[number].last_answer();
        answer.map_err(|error| ClusterError::Node {
            node: number,
            error,
        })
    }
}
