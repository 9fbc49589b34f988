//! The scenario file as it is written: one struct a table, one documented field a key.
//!
//! Field documentation is what `docs/scenario.md` and `xtq run --print-schema` show.

pub use super::message::{AckRequest, AgentPacket, KernelPacket, Message, RawPacket, Wire};
pub use super::surroundings::{Duration, Gpu, Memory, Network, Pauses, Timing};
use super::values::Data;
use schemars::JsonSchema;
use serde::Deserialize;

defaults! {
    yes: bool = true;
    max_cycles: u64 = 200_000;
    kernel_table: u64 = 0x1000_0000;
    function_table: u64 = 0x1000_1000;
    queue_table: u64 = 0x1000_2000;
    event_ring: u64 = 0x1000_8000;
    events: u32 = 64;
}

/// A scenario: a host and GPU around the NIC, and the messages that arrive.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it shows; printed above the table.
    #[serde(default)]
    pub title: String,
    /// Accept settings that no sane host would make (queue size not a power of two, misaligned receive buffer, rewrite
    /// beyond the arguments), to see how the hardware reports them.
    #[serde(default)]
    pub allow_invalid: bool,
    /// The run fails if it has not come to rest after so many cycles.
    #[serde(default = "max_cycles")]
    pub max_cycles: u64,
    /// Node number of the NIC.
    #[serde(default)]
    pub node: u16,
    /// Build the hardware with atomics, which shared queues need.
    #[serde(default)]
    pub atomics: bool,
    /// Memory that the NIC reads and writes.
    #[serde(default)]
    pub memory: Memory,
    /// Network in front of the NIC.
    #[serde(default)]
    pub network: Network,
    /// The GPU that serves the queues.
    #[serde(default)]
    pub gpu: Gpu,
    /// Contexts (processes) in use; left out: context 0.
    #[serde(default)]
    pub contexts: Vec<Context>,
    /// Receive buffers, one a portal table entry.
    #[serde(default)]
    pub portals: Vec<Portal>,
    /// User-mode queues, registered in the queue table (XtqRegisterQueue).
    #[serde(default)]
    pub queues: Vec<Queue>,
    /// Kernel table (XtqRegisterKernel).
    #[serde(default)]
    pub kernels: Vec<Kernel>,
    /// Function table (XtqRegisterFunction).
    #[serde(default)]
    pub functions: Vec<Function>,
    /// Signals and their values at the start.
    #[serde(default)]
    pub signals: Vec<Signal>,
    /// Memory contents at the start.
    #[serde(default)]
    pub data: Vec<Contents>,
    /// Messages, in order of arrival.
    #[serde(default)]
    pub messages: Vec<Message>,
    /// Packets that are sent as they are, however wrong.
    #[serde(default)]
    pub raw_packets: Vec<RawPacket>,
    /// Memory accesses that fail.
    #[serde(default)]
    pub faults: Vec<Fault>,
    /// What the host does between phases.
    #[serde(default)]
    pub host: Vec<HostAction>,
}

/// A process: its event ring and its lookup tables of 64 entries each.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Context {
    /// Number, 0 to 3.
    pub id: u8,
    /// Address of the kernel table, a multiple of 64.
    #[serde(default = "kernel_table")]
    pub kernel_table: u64,
    /// Address of the function table, a multiple of 64.
    #[serde(default = "function_table")]
    pub function_table: u64,
    /// Address of the queue table, a multiple of 64.
    #[serde(default = "queue_table")]
    pub queue_table: u64,
    /// Address of the event ring, a multiple of 64.
    #[serde(default = "event_ring")]
    pub event_ring: u64,
    /// Events in the event ring, a power of two up to 65,536; 0: no ring.
    #[serde(default = "events")]
    pub events: u32,
}

impl Context {
    /// A context with every key left out.
    pub fn new(id: u8) -> Self {
        Self {
            id,
            kernel_table: kernel_table(),
            function_table: function_table(),
            queue_table: queue_table(),
            event_ring: event_ring(),
            events: events(),
        }
    }
}

/// A receive buffer of a portal table entry.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Portal {
    /// Context, 0 to 3.
    #[serde(default)]
    pub context: u8,
    /// Portal table entry, 0 to 15.
    #[serde(default)]
    pub index: u8,
    /// Address of the buffer, a multiple of 64.
    pub start: u64,
    /// Bytes.
    pub length: u64,
    /// A message that finds no room disables the entry, and is not lost but refused.
    #[serde(default)]
    pub flow_control: bool,
    /// Post an event for each message delivered.
    #[serde(default = "yes")]
    pub event_success: bool,
    /// Post an event for each message that failed.
    #[serde(default = "yes")]
    pub event_failure: bool,
}

/// What a doorbell store carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DoorbellKind {
    /// The packet id (HSA).
    #[default]
    Hsa,
    /// The packet id + 1 (AMD doorbell types 0 and 1).
    Amd,
}

/// A user-mode queue.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// Context, 0 to 3.
    #[serde(default)]
    pub context: u8,
    /// Index in the queue table, 0 to 63.
    pub index: u8,
    /// Address of packet 0, a multiple of 64.
    pub base: u64,
    /// Packets, a power of two.
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
    /// Both indices at the start.
    #[serde(default)]
    pub first_id: u64,
}

/// A kernel table entry, the arguments of XtqRegisterKernel.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// Context, 0 to 3.
    #[serde(default)]
    pub context: u8,
    /// Index in the kernel table, 0 to 63.
    pub index: u8,
    /// Handle of the kernel's code, the new `kernel_object`.
    pub kernel: u64,
    /// Bytes of arguments; with less than 16 they are left alone.
    #[serde(default)]
    pub kernarg_size: u32,
    /// Offset of the two rewritten arguments, a multiple of 8.
    #[serde(default)]
    pub rewrite_offset: u32,
    /// Target buffer, the new first argument; left out: the argument stays as sent.
    #[serde(default)]
    pub buffer_pointer: Option<u64>,
    /// Handle of a signal for the packet; left out: the sender's stays.
    #[serde(default)]
    pub completion_signal: Option<u64>,
}

/// A function table entry, the arguments of XtqRegisterFunction.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// Context, 0 to 3.
    #[serde(default)]
    pub context: u8,
    /// Index in the function table, 0 to 63.
    pub index: u8,
    /// Address of the function, the new `return_address`.
    pub function: u64,
    /// Target buffer, the new `arg0`; left out: it stays as sent.
    #[serde(default)]
    pub buffer_pointer: Option<u64>,
}

/// A signal in memory: a signed 64-bit value at handle + 8.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Signal {
    /// Context, 0 to 3.
    #[serde(default)]
    pub context: u8,
    /// Handle, a multiple of 8.
    pub handle: u64,
    /// Value at the start.
    pub value: i64,
}

/// Bytes in memory at the start.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contents {
    /// Context, 0 to 3.
    #[serde(default)]
    pub context: u8,
    /// Address of the first byte.
    pub address: u64,
    /// The bytes.
    pub bytes: Data,
}

/// Accesses that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FaultAccess {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Both.
    Both,
}

/// How they fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FaultResponse {
    /// SLVERR.
    Slverr,
    /// DECERR.
    Decerr,
}

/// An injected memory error.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Context; left out: all.
    #[serde(default)]
    pub context: Option<u8>,
    /// First address.
    pub address: u64,
    /// Bytes.
    pub length: u64,
    /// `"read"`, `"write"` or `"both"`.
    pub access: FaultAccess,
    /// `"slverr"` or `"decerr"`.
    #[serde(default = "FaultResponse::slverr")]
    pub response: FaultResponse,
    /// How many bursts fail; left out: all. With it the run is compared with the golden model only if the fault lies in
    /// the event ring of one context, or in one 64-byte line of a queue's ring or of a receive buffer. Elsewhere the
    /// model does not know which burst comes first.
    #[serde(default)]
    pub count: Option<u32>,
}

impl FaultResponse {
    fn slverr() -> Self {
        Self::Slverr
    }
}

/// Something the host does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HostVerb {
    /// Enable the portal entry `portal` again, for instance after flow control disabled it; nothing if it is enabled.
    EnablePortal,
    /// Disable the portal entry `portal`.
    DisablePortal,
    /// Register the queue `queue` again, for instance after a failed write to it.
    RegisterQueue,
}

/// A host action before a phase; actions of one phase are done in the order of the file.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostAction {
    /// The phase that follows it.
    pub before_phase: u32,
    /// `"enable_portal"`, `"disable_portal"` or `"register_queue"`.
    pub action: HostVerb,
    /// Context, 0 to 3.
    #[serde(default)]
    pub context: u8,
    /// Portal table entry, 0 to 15.
    #[serde(default)]
    pub portal: u8,
    /// Index in the queue table, 0 to 63.
    #[serde(default)]
    pub queue: u8,
}
