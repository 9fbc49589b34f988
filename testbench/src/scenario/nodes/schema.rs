//! A scenario of several nodes as it is written: network, nodes, processes. Their programs are in
//! [`calls`](super::calls).
//!
//! Field documentation is what `docs/scenario.md` and `xtq run --print-schema` show.

use schemars::JsonSchema;
use serde::Deserialize;

use super::calls::Step;
use super::nic::NicKind;
use crate::scenario::message::{AgentPacket, KernelPacket};
use crate::scenario::schema::{DoorbellKind, Fault};
use crate::scenario::surroundings::{Gpu, Memory};
use crate::scenario::values::Data;

defaults! {
    max_cycles: u64 = 200_000;
    link_latency: u64 = 10;
    full_rate: [u32; 2] = [64, 1];
    switch_latency: u64 = 20;
    buffer_beats: u32 = 1024;
    kernel_table: u64 = 0x1000_0000;
    function_table: u64 = 0x1000_1000;
    queue_table: u64 = 0x1000_2000;
    event_ring: u64 = 0x1000_8000;
    command_ring: u64 = 0x1001_0000;
    ring_places: u32 = 64;
}

/// A scenario of several nodes: whole NICs, a network between them, and the programs of their processes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodesScenario {
    /// What it shows; printed above the table.
    #[serde(default)]
    pub title: String,
    /// The run fails if the programs have not ended after so many cycles.
    #[serde(default = "max_cycles")]
    pub max_cycles: u64,
    /// Build the hardware with atomics, which shared queues need.
    #[serde(default)]
    pub atomics: bool,
    /// The NIC of each node that does not say its own: `"nic"`, `"nic-small"` or `"nic-large"`.
    #[serde(default)]
    pub nic: NicKind,
    /// The network.
    #[serde(default)]
    pub network: NetworkTable,
    /// The nodes, at least one; the first is number 0.
    pub nodes: Vec<NodeTable>,
}

/// How switches are connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NetworkKind {
    /// One switch.
    #[default]
    Star,
    /// Leaf switches with `leaf_ports` nodes each, and `spines` spine switches that connect all leaves.
    LeafSpine,
}

/// The network: a link to and from each node, and switches between them.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkTable {
    /// `"star"` or `"leaf_spine"`.
    #[serde(default)]
    pub kind: NetworkKind,
    /// Cycles from one end of a node's link to the other.
    #[serde(default = "link_latency")]
    pub latency: u64,
    /// Bandwidth of a node's link: `[bytes, cycles]`.
    #[serde(default = "full_rate")]
    pub bandwidth: [u32; 2],
    /// Cycles through the switch, or through a leaf switch.
    #[serde(default = "switch_latency")]
    pub switch_latency: u64,
    /// Beats of one source and class that the switches hold and the links after them carry, 65 at least: so much leaves
    /// a node before something arrives.
    #[serde(default = "buffer_beats")]
    pub buffer_beats: u32,
    /// Most cycles that a packet is held up in its source's switch beyond that, drawn for each. Packets of a pair of
    /// nodes keep their order.
    #[serde(default)]
    pub jitter: u64,
    /// Seed of the jitter.
    #[serde(default)]
    pub seed: u64,
    /// Nodes of a leaf, which `leaf_spine` must have: the first so many are of leaf 0.
    #[serde(default)]
    pub leaf_ports: Option<u32>,
    /// Spine switches, which `leaf_spine` must have.
    #[serde(default)]
    pub spines: Option<u32>,
    /// Cycles from one end of a link between leaf and spine to the other; as `latency` if left out.
    #[serde(default)]
    pub spine_latency: Option<u64>,
    /// Bandwidth of a link between leaf and spine: `[bytes, cycles]`; as `bandwidth` if left out.
    #[serde(default)]
    pub spine_bandwidth: Option<[u32; 2]>,
    /// Cycles through a spine switch; as `switch_latency` if left out.
    #[serde(default)]
    pub spine_switch_latency: Option<u64>,
}

impl NetworkTable {
    /// Bandwidth of a link between leaf and spine: bytes, cycles.
    pub(super) fn spine_rate(&self) -> [u32; 2] {
        self.spine_bandwidth.unwrap_or(self.bandwidth)
    }
}

impl Default for NetworkTable {
    fn default() -> Self {
        Self {
            kind: NetworkKind::Star,
            latency: link_latency(),
            bandwidth: full_rate(),
            switch_latency: switch_latency(),
            buffer_beats: buffer_beats(),
            jitter: 0,
            seed: 0,
            leaf_ports: None,
            spines: None,
            spine_latency: None,
            spine_bandwidth: None,
            spine_switch_latency: None,
        }
    }
}

/// A node: NIC, memory, GPU, processes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeTable {
    /// Name in the report.
    pub name: String,
    /// Its NIC [default: the scenario's].
    #[serde(default)]
    pub nic: Option<NicKind>,
    /// Register MESSAGE_LIMIT: messages of each process that may wait for an answer at once, 1 to 64.
    #[serde(default)]
    pub message_limit: Option<u32>,
    /// Register MESSAGE_TIMEOUT, N: a message of several packets for which nothing comes in 2^N cycles, or up to twice
    /// as many, ends with `bad_length`; 0 to 31, 0: it waits for ever.
    #[serde(default)]
    pub message_timeout: Option<u32>,
    /// Memory that the NIC reads and writes.
    #[serde(default)]
    pub memory: Memory,
    /// The GPU that serves the queues.
    #[serde(default)]
    pub gpu: Gpu,
    /// Memory accesses that fail.
    #[serde(default)]
    pub faults: Vec<Fault>,
    /// Its processes, at most four, of `"nic-small"` two; the first has context 0.
    #[serde(default)]
    pub processes: Vec<ProcessTable>,
}

impl NodesScenario {
    /// The NIC of a node.
    pub(super) fn nic_of(&self, node: &NodeTable) -> NicKind {
        node.nic.unwrap_or(self.nic)
    }
}

/// A process: a context of the NIC with its memory, and a program.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessTable {
    /// Name, by which programs name it; no other process of the scenario has it.
    pub name: String,
    /// User id.
    #[serde(default)]
    pub user_id: u32,
    /// Register MAX_MESSAGE_SIZE: most bytes of a message that its match entries take.
    #[serde(default)]
    pub max_message_size: Option<u32>,
    /// Register MAX_ATOMIC_SIZE: most bytes of an atomic that are done, 1 to 512.
    #[serde(default)]
    pub max_atomic_size: Option<u32>,
    /// Address of the command ring, a multiple of 128.
    #[serde(default = "command_ring")]
    pub command_ring: u64,
    /// Commands in the command ring, a power of two up to 32,768.
    #[serde(default = "ring_places")]
    pub commands: u32,
    /// Address of the event ring, a multiple of 64.
    #[serde(default = "event_ring")]
    pub event_ring: u64,
    /// Events in the event ring, a power of two up to 65,536.
    #[serde(default = "ring_places")]
    pub events: u32,
    /// Address of the kernel table of 64 entries, a multiple of 64.
    #[serde(default = "kernel_table")]
    pub kernel_table: u64,
    /// Address of the function table of 64 entries, a multiple of 64.
    #[serde(default = "function_table")]
    pub function_table: u64,
    /// Address of the queue table of 64 entries, a multiple of 64.
    #[serde(default = "queue_table")]
    pub queue_table: u64,
    /// User-mode queues, empty at the start.
    #[serde(default)]
    pub queues: Vec<QueueTable>,
    /// Signals and their values at the start.
    #[serde(default)]
    pub signals: Vec<SignalTable>,
    /// Memory contents at the start.
    #[serde(default)]
    pub data: Vec<DataTable>,
    /// What it does, one step after the other.
    #[serde(default)]
    pub program: Vec<Step>,
}

/// A user-mode queue, in memory and with a GPU that serves it; `xtq_register_queue` gives it to the NIC.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueueTable {
    /// Name.
    pub name: String,
    /// Address of packet 0, a multiple of 64.
    pub base: u64,
    /// Packets, a power of two up to 65,536.
    pub size: u32,
    /// Address of the 64-bit write index, a multiple of 8.
    pub write_index_address: u64,
    /// Address of the 64-bit read index, a multiple of 8.
    pub read_index_address: u64,
    /// Address of the 64-bit doorbell, a multiple of 8.
    pub doorbell_address: u64,
    /// `"hsa"` or `"amd"`.
    #[serde(default)]
    pub kind: DoorbellKind,
    /// Others enqueue too: reserve by compare-and-swap.
    #[serde(default)]
    pub shared: bool,
}

/// A signal in memory: a signed 64-bit value at handle + 8.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignalTable {
    /// Name.
    pub name: String,
    /// Handle, a multiple of 8.
    pub handle: u64,
    /// Value at the start.
    pub value: i64,
}

/// Bytes in memory at the start: `bytes`, or the AQL packet `kernel` or `agent`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataTable {
    /// Address of the first byte.
    pub address: u64,
    /// The bytes.
    #[serde(default)]
    pub bytes: Option<Data>,
    /// Kernel dispatch packet by fields.
    #[serde(default)]
    pub kernel: Option<KernelPacket>,
    /// Agent dispatch packet by fields.
    #[serde(default)]
    pub agent: Option<AgentPacket>,
}
