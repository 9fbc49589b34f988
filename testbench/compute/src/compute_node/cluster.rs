//! `ComputeCluster`: nodes and the network between them, and the host's side of the library.

use super::config::ComputeConfig;
use super::host_calls::HostCalls;
use super::local::Local;
use super::node::{ComputeNode, NodeFault};
use super::port::Ended;
use super::shmem::{FLAGS, Shmem};
use super::{HEAP, HOST_HEAP};
use std::future::Future;
use thiserror::Error;
use xtq_testbench::cluster::{Cluster, ClusterError};
use xtq_testbench::compnet::RtlL2;
use xtq_testbench::compnet::queue::Queue;
use xtq_testbench::network::{NetworkConfig, Station};

/// Why a cluster cannot go on.
#[derive(Debug, Error)]
pub enum ComputeError {
    /// There can be no such node.
    #[error("{key}: {why}")]
    Config {
        /// The key.
        key: String,
        /// Why.
        why: String,
    },
    /// The heap has no room.
    #[error("{bytes} bytes of the heap; {left} are left")]
    Heap {
        /// What was asked for.
        bytes: u64,
        /// What there is.
        left: u64,
    },
    /// A context that there is not, or that a work-group has.
    #[error("node {pe}: context {context} is not free")]
    Context {
        /// The node.
        pe: usize,
        /// The context.
        context: u64,
    },
    /// No core of the host is free.
    #[error("node {pe}: no core of the host is free")]
    Core {
        /// The node.
        pe: usize,
    },
    /// The hardware could not be built.
    #[error(transparent)]
    Engine(#[from] xtq_engine::Error),
    /// A node or the network stopped.
    #[error(transparent)]
    Cluster(#[from] ClusterError<NodeFault>),
}

/// Nodes that compute, with kernels that use the network.
pub struct ComputeCluster {
    cluster: Cluster<ComputeNode>,
    /// Contexts that are free, by node.
    free: Vec<Vec<bool>>,
    heap_end: u64,
}

impl ComputeCluster {
    /// Nodes whose service threads run: `cpnet_init` on each. Errors: there can be no such node; of the engine.
    pub fn new(config: &ComputeConfig) -> Result<Self, ComputeError> {
        let wrong = |(key, why)| ComputeError::Config { key, why };
        config.check().map_err(wrong)?;
        let body = RtlL2::body()?;
        let mut nodes = Vec::new();
        for node in 0..config.nodes {
            let made = ComputeNode::new(config, node, &body);
            nodes.push(made.map_err(|error| ClusterError::Node { node, error })?);
        }
        let start = nodes.iter().map(Station::clock).max().unwrap_or(0);
        for (node, made) in nodes.iter_mut().enumerate() {
            let begun = made.begin_at(start);
            begun.map_err(|error| ClusterError::Node { node, error })?;
        }
        Ok(Self {
            cluster: Cluster::of_stations(nodes, &NetworkConfig::xtq_paper())?,
            free: vec![vec![true; config.contexts as usize]; config.nodes],
            heap_end: HEAP + FLAGS * config.contexts,
        })
    }

    /// `cpnet_shmalloc`: so many bytes of the heap, at the same address on every node, in lines of their own. Errors:
    /// there are not so many.
    pub fn shmalloc(&mut self, bytes: u64) -> Result<u64, ComputeError> {
        let left = HOST_HEAP - self.heap_end;
        let rounded = bytes.checked_next_multiple_of(64);
        match rounded.filter(|rounded| *rounded <= left) {
            Some(rounded) => {
                let address = self.heap_end;
                self.heap_end += rounded;
                Ok(address)
            }
            None => Err(ComputeError::Heap { bytes, left }),
        }
    }

    /// Starts a work-group with a context. Errors: the context is not free.
    pub fn launch<F: Future<Output = ()> + 'static>(
        &mut self,
        pe: usize,
        context: u64,
        program: impl FnOnce(Shmem) -> F,
    ) -> Result<(), ComputeError> {
        let row = self.free.get_mut(pe);
        let free = row.and_then(|row| row.get_mut(context as usize));
        match free {
            Some(free) if *free => *free = false,
            _ => return Err(ComputeError::Context { pe, context }),
        }
        self.cluster.nodes_mut()[pe].launch(|thread, origin| {
            program(Shmem::new(
                thread,
                origin,
                Queue {
                    number: context,
                    padding: 0,
                },
            ))
        });
        Ok(())
    }

    /// Starts a work-group without a context, of which service threads know nothing. Errors: there is no such node.
    pub fn launch_local<F: Future<Output = ()> + 'static>(
        &mut self,
        pe: usize,
        program: impl FnOnce(Local) -> F,
    ) -> Result<(), ComputeError> {
        let node = self.cluster.nodes_mut().get_mut(pe);
        let node = node.ok_or(ComputeError::Context { pe, context: 0 })?;
        node.launch(|thread, origin| program(Local { thread, origin }));
        Ok(())
    }

    /// Starts a program of a node's host. Errors: no core of it is free, as service threads have all.
    pub fn launch_host<F: Future<Output = ()> + 'static>(
        &mut self,
        pe: usize,
        program: impl FnOnce(HostCalls) -> F,
    ) -> Result<(), ComputeError> {
        let node = self.cluster.nodes_mut().get_mut(pe);
        let started = node.and_then(|node| node.launch_host(program));
        started.ok_or(ComputeError::Core { pe })
    }

    /// Cycles of the NICs so far.
    pub fn cycle_count(&self) -> u64 {
        self.cluster.cycle_count()
    }

    /// A cycle of all NICs, and of the GPUs what belongs to it. Errors: of a node.
    pub fn cycle(&mut self) -> Result<(), ComputeError> {
        Ok(self.cluster.cycle()?)
    }

    /// Work-groups that have not ended.
    pub fn running(&self) -> usize {
        let nodes = self.cluster.nodes().iter();
        nodes.map(|node| node.port().borrow().running).sum()
    }

    /// Runs until all work-groups have ended. Errors: of a node; they have not after so many cycles.
    pub fn run(&mut self, max_cycles: u64) -> Result<(), ComputeError> {
        let done = |cluster: &Cluster<ComputeNode>| {
            let mut nodes = cluster.nodes().iter();
            nodes.all(|node| node.port().borrow().running == 0)
        };
        self.cluster.run_until(done, max_cycles)?;
        Ok(())
    }

    /// The blocking calls of a node that have ended since the last call.
    pub fn take_ended(&mut self, pe: usize) -> Vec<Ended> {
        let port = self.cluster.nodes()[pe].port();
        std::mem::take(&mut port.borrow_mut().ended)
    }

    /// Commands that service threads of a node have posted for calls, and calls for which they have not.
    pub fn calls(&self, pe: usize) -> (u64, usize) {
        let port = self.cluster.nodes()[pe].port().borrow();
        let waiting = port.asked.values().map(|asked| asked.len()).sum();
        (port.posted, waiting)
    }

    /// What memory of a node has now, caches left out.
    pub fn read(&self, pe: usize, address: u64, bytes: usize) -> Vec<u8> {
        let mut found = vec![0; bytes];
        self.cluster.nodes()[pe].read(address, &mut found);
        found
    }

    /// Writes into a node's memory, at no cost, caches left out.
    pub fn write(&mut self, pe: usize, address: u64, bytes: &[u8]) {
        self.cluster.nodes_mut()[pe].write(address, bytes);
    }

    /// Lets the NIC of a node move data from and to memory, as it may at first, or not.
    pub fn set_memory_open(&mut self, pe: usize, open: bool) {
        self.cluster.nodes_mut()[pe].nic().memory.set_open(open);
    }
}
