//! The part of the schema that describes messages.

use super::values::Data;
use schemars::JsonSchema;
use serde::Deserialize;

fn one() -> u16 {
    1
}

use crate::tables::small_letters;

xtq_types::ack_requests! { small_letters {
    /// Acknowledgement a message asks for.
    AckRequest => crate::tables::AckRequest, default None
} }

/// A message, or a series of messages from a file. With `kernel`, `agent`, `packet` or `packets_file` it is an XTQ put
/// (at most one of them), without an ordinary put of `payload`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Name in the table; left out: its number.
    #[serde(default)]
    pub name: String,
    /// Phase it belongs to. A phase starts when the one before has come to rest and the host has acted.
    #[serde(default)]
    pub phase: u32,
    /// Cycle of its phase in which its first beat is offered, or as soon as the link is free.
    #[serde(default)]
    pub at: u64,
    /// Node that sends it.
    #[serde(default = "one")]
    pub source_node: u16,
    /// Context that sends it.
    #[serde(default)]
    pub source_context: u8,
    /// User id of the sender.
    #[serde(default)]
    pub user: u32,
    /// Context it is for.
    #[serde(default)]
    pub context: u8,
    /// Portal table entry it is for.
    #[serde(default)]
    pub portal: u16,
    /// Match bits.
    #[serde(default)]
    pub match_bits: u64,
    /// Out-of-band data for the event.
    #[serde(default)]
    pub header_data: u64,
    /// `"none"`, `"ack"`, `"ct"` or `"oc"`.
    #[serde(default)]
    pub ack: AckRequest,
    /// Kernel dispatch packet by fields.
    #[serde(default)]
    pub kernel: Option<KernelPacket>,
    /// Agent dispatch packet by fields.
    #[serde(default)]
    pub agent: Option<AgentPacket>,
    /// Any 64-byte packet.
    #[serde(default)]
    pub packet: Option<Data>,
    /// File of 64-byte AQL packets, one message each; paths are relative to the scenario.
    #[serde(default)]
    pub packets_file: Option<String>,
    /// Kernel arguments of every packet; left out: `kernarg_size` zeros if the kernel is registered.
    #[serde(default)]
    pub arguments: Option<Data>,
    /// File of kernel arguments, for each packet of `packets_file` as many bytes as its kernel's `kernarg_size`.
    #[serde(default)]
    pub arguments_file: Option<String>,
    /// Payload of every packet.
    #[serde(default)]
    pub payload: Option<Data>,
    /// File of payloads, `payload_length` bytes for each packet.
    #[serde(default)]
    pub payload_file: Option<String>,
    /// Bytes of `payload_file` for each packet; left out: an equal share.
    #[serde(default)]
    pub payload_length: Option<u64>,
    /// Cycles between the messages of `packets_file`.
    #[serde(default)]
    pub interval: u64,
    /// What is wrong with it on the wire.
    #[serde(default)]
    pub wire: Wire,
}

/// What is wrong with a message on the wire.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wire {
    /// Format version instead of 1.
    #[serde(default)]
    pub version: Option<u8>,
    /// Opcode instead of the right one.
    #[serde(default)]
    pub opcode: Option<u8>,
    /// Node it is for instead of the NIC's.
    #[serde(default)]
    pub target_node: Option<u16>,
    /// Command length (AQL packet and arguments) instead of the right one.
    #[serde(default)]
    pub command_length: Option<u16>,
    /// The last packet ends so many bytes early.
    #[serde(default)]
    pub cut: u64,
    /// So many bytes too many follow the last packet.
    #[serde(default)]
    pub surplus: u64,
}

/// Fields of a kernel dispatch packet; a missing one is 0, `header` is 2 (type only).
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct KernelPacket {
    /// Header word.
    pub header: Option<u16>,
    /// Number of dimensions.
    pub setup: u16,
    /// Work-group size in x.
    pub workgroup_size_x: u16,
    /// Work-group size in y.
    pub workgroup_size_y: u16,
    /// Work-group size in z.
    pub workgroup_size_z: u16,
    /// Reserved.
    pub reserved0: u16,
    /// Grid size in x.
    pub grid_size_x: u32,
    /// Grid size in y.
    pub grid_size_y: u32,
    /// Grid size in z.
    pub grid_size_z: u32,
    /// Private segment size in bytes.
    pub private_segment_size: u32,
    /// Group segment size in bytes.
    pub group_segment_size: u32,
    /// Index in the kernel table.
    pub kernel_object: u64,
    /// Overwritten by the NIC.
    pub kernarg_address: u64,
    /// Index in the queue table.
    pub reserved2: u64,
    /// Signal handle.
    pub completion_signal: u64,
}

/// Fields of an agent dispatch packet; a missing one is 0, `header` is 4 (type only).
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentPacket {
    /// Header word.
    pub header: Option<u16>,
    /// Function code of the application.
    #[serde(rename = "type")]
    pub kind: u16,
    /// Reserved.
    pub reserved0: u32,
    /// Index in the function table.
    pub return_address: u64,
    /// The four arguments.
    pub arg: [u64; 4],
    /// Index in the queue table.
    pub reserved2: u64,
    /// Signal handle.
    pub completion_signal: u64,
}

/// A packet sent as it is: header beat and body.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawPacket {
    /// Phase it belongs to. A phase starts when the one before has come to rest and the host has acted.
    #[serde(default)]
    pub phase: u32,
    /// Cycle of its phase in which its first beat is offered, or as soon as the link is free.
    #[serde(default)]
    pub at: u64,
    /// The bytes, at least one.
    pub bytes: Data,
}
