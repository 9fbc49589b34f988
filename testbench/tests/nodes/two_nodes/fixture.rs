//! Nodes, processes and buffers.

use std::ops::RangeInclusive;

use xtq_testbench::bus::{Access, ErrorResponse, Fault};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::cluster::Cluster;
use xtq_testbench::host::{
    Command, CounterValue, Ct, Event, EventKind, MatchEntry, Md, Me, MemoryDescriptor, NicPort,
    Process, ProcessConfig, ProcessId, Pt, Put, md_option, me_option, portal_option, ptl_ct_get,
    ptl_md_bind, ptl_pt_alloc,
};
use xtq_testbench::network::NetworkConfig;
use xtq_testbench::node::{Buffer, Node, NodeConfig, Top};
use xtq_types::register_map::context;

/// Where a process keeps what it sends.
pub const SOURCE: u64 = 0x2000_0000;
/// Bytes there.
pub const SOURCE_BYTES: u64 = 0x10_0000;
/// Where messages to a process land.
pub const LANDING: u64 = 0x4000_0000;
/// Bytes there.
pub const LANDING_BYTES: u64 = 0x100_0000;
/// The portal entry with lists.
pub const LISTS: Pt = Pt(20);
/// The buffer of [`entry`].
pub const SHARED: u64 = 0x5000_0000;
/// Options of [`entry`]: written to and read, silent about being linked.
pub const BOTH: u32 = me_option::OP_PUT | me_option::OP_GET | me_option::LINK_DISABLE;
/// Cycles in which anything must be done.
pub const CYCLES: u64 = 200_000;
/// Context 0 of node 1.
pub const TARGET: ProcessId = ProcessId {
    node: 1,
    context: 0,
};

/// Nodes with the whole NIC, each with one process, in context 0 if not stated otherwise.
pub struct World {
    pub cluster: Cluster<Node>,
    pub processes: Vec<Process>,
}

pub fn config(seed: Option<u64>) -> NodeConfig {
    NodeConfig {
        top: Top::Nic,
        register_gaps: 0.0,
        ..seed.map_or_else(NodeConfig::default, NodeConfig::random)
    }
}

/// Bytes that differ from each other.
pub fn pattern(length: usize, seed: u64) -> Vec<u8> {
    (0..length)
        .map(|i| (i as u64 * 7 + seed * 31 + i as u64 / 256) as u8)
        .collect()
}

impl World {
    /// `nodes` nodes; every process has descriptor 0 over its source, with events, and a buffer at portal entry 0.
    pub fn new(nodes: usize, seed: Option<u64>, network: &NetworkConfig) -> Self {
        let configs: Vec<NodeConfig> = (0..nodes as u64)
            .map(|node| config(seed.map(|seed| seed + 1000 * node)))
            .collect();
        let mut cluster = Cluster::new(&configs, network).unwrap();
        let mut processes = Vec::new();
        for node in 0..nodes {
            let events = ProcessConfig {
                user_id: 100 + node as u32,
                ..ProcessConfig::default()
            };
            let mut port = cluster.port(node);
            processes.push(Process::open(&mut port, 0, &events).unwrap());
            let buffer = Buffer::new(LANDING, LANDING_BYTES);
            cluster.nodes_mut()[node]
                .post_buffer(0, 0, &buffer)
                .unwrap();
        }
        let mut world = Self { cluster, processes };
        for node in 0..nodes {
            world.post(node, &[bind(0, SOURCE, SOURCE_BYTES)]);
        }
        world.settle();
        world
    }

    pub fn two() -> Self {
        Self::new(2, None, &NetworkConfig::default())
    }

    /// Two nodes with lists, the second with these commands after PT_ALLOC, which report nothing.
    pub fn with_lists(seed: Option<u64>, commands: &[Command]) -> Self {
        let mut world = Self::new(2, seed, &NetworkConfig::default());
        for node in 0..2 {
            world.post(node, &[ptl_pt_alloc(LISTS, portal_option::MATCHING)]);
        }
        assert_eq!(world.run(1, commands), []);
        world
    }

    pub fn post(&mut self, node: usize, commands: &[Command]) {
        let mut port = self.cluster.port(node);
        self.processes[node].post_all(&mut port, commands).unwrap();
    }

    pub fn settle(&mut self) {
        self.cluster.run_to_quiescence(CYCLES).unwrap();
    }

    pub fn events(&mut self, node: usize) -> Vec<Event> {
        self.processes[node]
            .events(&mut self.cluster.port(node))
            .unwrap()
    }

    /// A node does this; its events.
    pub fn run(&mut self, node: usize, commands: &[Command]) -> Vec<Event> {
        self.post(node, commands);
        self.settle();
        self.events(node)
    }

    /// Counter of a process, whose events have been taken.
    pub fn count(&mut self, node: usize, counter: u16) -> CounterValue {
        let told = self.run(node, &[ptl_ct_get(Ct(counter)).with_completion()]);
        let event = told.last().expect("a completion");
        assert_eq!(event.result(), Some(Ok(())));
        event.counter()
    }

    /// DROP_COUNT, PERMISSION_VIOLATIONS and OPERATION_VIOLATIONS of the process.
    pub fn status_counts(&mut self, node: usize) -> [u32; 3] {
        let mut port = self.cluster.port(node);
        let registers = [
            context::DROP_COUNT,
            context::PERMISSION_VIOLATIONS,
            context::OPERATION_VIOLATIONS,
        ];
        registers.map(|offset| port.read((context::PAGE_BYTES + offset) as u16).unwrap())
    }

    /// Memory of the node's process.
    pub fn write(&mut self, node: usize, address: u64, bytes: &[u8]) {
        let context = self.processes[node].context();
        self.cluster.nodes_mut()[node]
            .memory
            .memory_mut(context)
            .write(address, bytes);
    }

    /// Memory of the node's process.
    pub fn read(&self, node: usize, address: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.cluster.nodes()[node]
            .memory
            .memory(self.processes[node].context())
            .read(address, &mut bytes);
        bytes
    }
}

/// A descriptor with events.
pub fn bind(md: u16, start: u64, length: u64) -> Command {
    ptl_md_bind(&MemoryDescriptor {
        md: Md(md),
        start,
        length,
        options: md_option::EVENTS,
        counter: None,
    })
}

/// An entry of [`LISTS`] over `length` bytes of [`SHARED`].
pub fn entry(me: u16, match_bits: u64, length: u64) -> MatchEntry {
    MatchEntry {
        me: Me(me),
        pt_index: LISTS,
        start: SHARED,
        length,
        options: BOTH,
        match_bits,
        user_ptr: 0x1000 + u64::from(me),
        ..MatchEntry::default()
    }
}

/// `length` bytes from `offset` of descriptor 0 to `remote` of the entry with match bits 5.
pub fn put(offset: u64, length: u64, remote: u64) -> Put {
    Put {
        md: Md(0),
        local_offset: offset,
        length,
        target: TARGET,
        pt_index: LISTS,
        match_bits: 5,
        remote_offset: remote,
        hdr_data: 99,
        user_ptr: 7,
        ..Put::default()
    }
}

pub fn kinds(events: &[Event]) -> Vec<EventKind> {
    events.iter().map(|event| event.kind).collect()
}

/// The next access of the process to these bytes of a node fails.
pub fn fault(world: &mut World, node: usize, addresses: RangeInclusive<u64>, access: Access) {
    inject(world, node, addresses, access, Some(1));
}

/// All accesses of the process to these bytes of a node fail.
pub fn forbid(world: &mut World, node: usize, addresses: RangeInclusive<u64>, access: Access) {
    inject(world, node, addresses, access, None);
}

fn inject(
    world: &mut World,
    node: usize,
    addresses: RangeInclusive<u64>,
    access: Access,
    count: Option<u32>,
) {
    let context = world.processes[node].context();
    world.cluster.nodes_mut()[node].memory.inject(Fault {
        context: Some(context),
        addresses,
        access,
        response: ErrorResponse::SlaveError,
        code: 5,
        count,
    });
}
