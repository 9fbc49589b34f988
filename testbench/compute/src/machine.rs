//! `Machine`: nodes that compute, and the network between them.

use crate::costs::Costs;
use crate::gpu::{Kernel, KernelRun};
use crate::host::HostThread;
use crate::layout::Layout;
use crate::place::{Place, PlaceError, ProgramError, ThreadReport, ThreadState, World, lock};
use crate::system::System;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::future::Future;
use std::sync::{Arc, MutexGuard};
use thiserror::Error;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::cluster::{Cluster, ClusterError, Run, RunOptions};
use xtq_testbench::host::{Command, Process};
use xtq_testbench::network::{NetworkError, Station};
use xtq_testbench::node::{Node, NodeConfig, Top};
use xtq_testbench::tables::HostQueue;

/// What a machine is made of.
#[derive(Clone, Debug)]
pub struct MachineConfig {
    /// Each node, and the network.
    pub system: System,
    /// Instructions of the hosts' library.
    pub costs: Costs,
    /// How many nodes.
    pub nodes: usize,
    /// Of memory's latency, the network's jitter and the programs' start.
    pub seed: u64,
    /// Programs start so many ns after the first at the latest, drawn for each.
    pub start_skew_ns: u64,
    /// Whether nodes and network keep what [`Node::timelines`] and [`Node::transmitted`] show.
    pub keep_logs: bool,
    /// The hardware: a whole NIC.
    pub top: Top,
}

impl Default for MachineConfig {
    /// Two nodes of table I of the XTQ paper with the counted costs, seed 1, all programs at once, no logs.
    fn default() -> Self {
        Self {
            system: System::xtq_paper(),
            costs: Costs::counted(),
            nodes: 2,
            seed: 1,
            start_skew_ns: 0,
            keep_logs: false,
            top: Top::Nic,
        }
    }
}

/// Why a machine cannot go on.
#[derive(Debug, Error)]
pub enum MachineError {
    /// There can be no such system.
    #[error("{key}: {why}")]
    System {
        /// The key.
        key: String,
        /// Why.
        why: String,
    },
    /// There can be no such network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A node, its GPU or one of its programs stopped.
    #[error("node {node}: {why}")]
    Node {
        /// Its number.
        node: usize,
        /// Why.
        why: String,
    },
    /// Programs wait for what will never happen.
    #[error("cycle {cycle}: nothing happens any more, but {waiting}")]
    Stuck {
        /// When.
        cycle: u64,
        /// Who waits for what.
        waiting: String,
    },
    /// The last cycle was reached.
    #[error("cycle {cycle}: not done ({waiting})")]
    Late {
        /// The last cycle.
        cycle: u64,
        /// Who waits for what.
        waiting: String,
    },
}

/// Nodes that compute.
pub struct Machine {
    cluster: Cluster<Place>,
    rng: ChaCha8Rng,
    start_skew_ns: u64,
    /// First cycle of the programs.
    start: u64,
    /// Why the machine cannot run.
    fault: Option<MachineError>,
}

fn node_error(node: usize) -> impl Fn(String) -> MachineError {
    move |why| MachineError::Node { node, why }
}

impl Machine {
    /// Nodes out of reset whose process, context 0, is open; no program runs. Errors: there can be no such system; of
    /// the engine.
    pub fn new(config: &MachineConfig) -> Result<Self, MachineError> {
        let MachineConfig {
            system,
            nodes,
            seed,
            ..
        } = config;
        let wrong = |(key, why)| MachineError::System { key, why };
        system.check().map_err(wrong)?;
        let shared = (Arc::new(system.clone()), Arc::new(config.costs.clone()));
        let mut places = Vec::new();
        for number in 0..*nodes {
            let world = open(config, number, &shared);
            places.push(Place::new(world.map_err(node_error(number))?));
        }
        let network = system.network.config(*seed);
        let mut cluster = Cluster::of_stations(places, &network).map_err(told)?;
        for port in cluster.network_mut().parts_mut().0 {
            port.keep_log(config.keep_logs);
        }
        Ok(Self {
            cluster,
            rng: ChaCha8Rng::seed_from_u64(seed.wrapping_mul(3)),
            start_skew_ns: config.start_skew_ns,
            start: 0,
            fault: None,
        })
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.cluster.nodes().len()
    }

    /// A node; one that there is not panics.
    fn world(&self, node: usize) -> MutexGuard<'_, World> {
        lock(&self.cluster.nodes()[node].world)
    }

    /// Runs commands through the NIC before the programs start: one after the other, at no cost for a program.
    /// Triggered ones are left to their counters. Errors: a command was refused.
    pub fn set_up(&mut self, node: usize, commands: &[Command]) -> Result<(), MachineError> {
        self.world(node).set_up(commands).map_err(node_error(node))
    }

    /// Creates [queue `number`](Layout::queue) of the node's GPU. XTQ puts can name it once it is registered, under any
    /// index; timelines know it under `number`. Errors: of the node.
    pub fn create_queue(&mut self, node: usize, number: u16) -> Result<HostQueue, MachineError> {
        let queue = Layout::queue(number);
        let mut world = self.world(node);
        world.node.create_queue(0, &queue);
        world.node.note_queue(0, number, queue);
        let added = world.gpu.add_queue(queue);
        added.map_err(|error| node_error(node)(error.to_string()))?;
        Ok(queue)
    }

    /// Creates [queue `number`](Layout::queue) for a program of the node that serves it
    /// ([`agent_task`](HostThread::agent_task)): its doorbell is memory, and takes the packet id + 1.
    pub fn create_agent_queue(&mut self, node: usize, number: u16) -> HostQueue {
        let queue = HostQueue {
            doorbell_plus_one: true,
            ..Layout::queue(number)
        };
        let mut world = self.world(node);
        world.node.create_queue(0, &queue);
        world.node.note_queue(0, number, queue);
        queue
    }

    /// Adds a kernel under a handle to the GPUs of all nodes.
    pub fn add_kernel(&mut self, handle: u64, kernel: Arc<dyn Kernel>) {
        for place in self.cluster.nodes() {
            lock(&place.world).gpu.add_kernel(handle, kernel.clone());
        }
    }

    /// Writes into a node's memory, at no cost.
    pub fn write(&mut self, node: usize, address: u64, bytes: &[u8]) {
        self.world(node).memory_mut().write(address, bytes);
    }

    /// What lies in a node's memory.
    pub fn read(&self, node: usize, address: u64, bytes: usize) -> Vec<u8> {
        let mut found = vec![0; bytes];
        self.world(node).memory().read(address, &mut found);
        found
    }

    /// Starts a program on a core of its own, from the next [`run`](Self::run) on.
    pub fn start<F>(
        &mut self,
        node: usize,
        name: &str,
        program: impl FnOnce(HostThread) -> F + Send + 'static,
    ) where
        F: Future<Output = Result<(), ProgramError>> + Send + 'static,
    {
        let skew = self.rng.random_range(0..=self.start_skew_ns);
        let place = &mut self.cluster.nodes_mut()[node];
        let mut world = lock(&place.world);
        let Some(core) = world.cores.begin() else {
            let cores = world.system.cpu.cores;
            let why = format!("program '{name}' has no core: there are {cores}");
            self.fault.get_or_insert(MachineError::Node { node, why });
            return;
        };
        let id = world.threads.len();
        world.threads.push(ThreadState {
            report: ThreadReport {
                name: name.to_owned(),
                ..ThreadReport::default()
            },
            core,
            // Until the run begins: its delay.
            due: skew,
            ..ThreadState::default()
        });
        drop(world);
        let thread = HostThread::new(place.world.clone(), id);
        place.add(Box::pin(async move {
            thread.begin().await;
            program(thread).await
        }));
    }

    /// Runs until all programs have ended and nothing moves. Errors: a program cannot go on, or waits for ever; an
    /// operand of a kernel was overwritten; of a node; [`RunOptions::until`] was reached.
    pub fn run(&mut self, options: &RunOptions) -> Result<(), MachineError> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let clocks = self.cluster.nodes().iter().map(Station::clock);
        self.start = clocks.max().unwrap_or(0);
        for (number, place) in self.cluster.nodes().iter().enumerate() {
            let begun = lock(&place.world).begin_at(self.start);
            begun.map_err(|error| node_error(number)(error.to_string()))?;
        }
        let ran = self.cluster.run(options).map_err(told)?;
        let (cycle, waiting) = (self.cycle_count(), self.waiting());
        match ran {
            Run::Late => Err(MachineError::Late { cycle, waiting }),
            Run::Over if waiting.is_empty() => Ok(()),
            // It is the only rank.
            Run::Over | Run::Stopped => Err(MachineError::Stuck { cycle, waiting }),
        }
    }

    /// Who waits for what.
    fn waiting(&self) -> String {
        let mut texts = Vec::new();
        for (number, place) in self.cluster.nodes().iter().enumerate() {
            let world = lock(&place.world);
            let threads = world.threads.iter();
            let waiting = threads.filter(|thread| thread.report.ended.is_none());
            texts.extend(waiting.map(|thread| {
                let (name, what) = (&thread.report.name, &thread.waits_for);
                match what.is_empty() {
                    true => format!("node {number}: program '{name}' runs"),
                    false => format!("node {number}: program '{name}' waits for {what}"),
                }
            }));
        }
        texts.join("; ")
    }

    /// First cycle of the programs of the last run.
    pub fn start_cycle(&self) -> u64 {
        self.start
    }

    /// Cycles that all nodes have run.
    pub fn cycle_count(&self) -> u64 {
        self.cluster.cycle_count()
    }

    /// Cycles of all NICs in which something had to be computed.
    pub fn awake_cycles(&self) -> u64 {
        let places = self.cluster.nodes().iter();
        places
            .map(|place| {
                let mut world = lock(&place.world);
                let engine = world.node.engine();
                engine.cycle() - engine.slept()
            })
            .sum()
    }

    /// What the programs of a node did.
    pub fn threads(&self, node: usize) -> Vec<ThreadReport> {
        let world = self.world(node);
        let threads = world.threads.iter();
        threads.map(|thread| thread.report.clone()).collect()
    }

    /// The kernels of a node, in the order of their packets.
    pub fn kernels(&self, node: usize) -> Vec<KernelRun> {
        self.world(node).gpu.runs().to_vec()
    }

    /// Looks at the hardware of a node.
    pub fn with_node<T>(&self, node: usize, look: impl FnOnce(&mut Node) -> T) -> T {
        look(&mut self.world(node).node)
    }
}

/// A node with its process. Errors: as text.
fn open(
    config: &MachineConfig,
    number: usize,
    (system, costs): &(Arc<System>, Arc<Costs>),
) -> Result<World, String> {
    let seed = config
        .seed
        .wrapping_mul(1 << 16)
        .wrapping_add(number as u64);
    let written = NodeConfig {
        timing: system.memory.timing(seed),
        seed,
        top: config.top,
        ..NodeConfig::default()
    };
    let mut node = Node::new(&written).map_err(|error| error.to_string())?;
    node.keep_logs(config.keep_logs);
    let named = node.set_node_id(number as u16);
    named.map_err(|error| error.to_string())?;
    let process = Process::open(&mut node, 0, &Layout::process());
    let process = process.map_err(|error| error.to_string())?;
    Ok(World::new(node, process, config.nodes, system, costs, seed))
}

/// Why a cluster stopped.
fn told(error: ClusterError<PlaceError>) -> MachineError {
    match error {
        ClusterError::Network(error) => error.into(),
        ClusterError::Node { node, error } => node_error(node)(error.to_string()),
        ClusterError::Stuck {
            cycle, waiting_for, ..
        } => MachineError::Late {
            cycle,
            waiting: waiting_for,
        },
        ClusterError::Ended(ended) => MachineError::Late {
            cycle: 0,
            waiting: ended.to_string(),
        },
    }
}
