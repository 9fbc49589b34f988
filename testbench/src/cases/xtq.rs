//! Kind `xtq`: messages into the target NIC, run through the hardware.
//!
//! The shapes of a case and of its result; [`super::xtq_run`] plays it.

use super::NotRun;
use super::hex_bytes::{HexArray, HexBytes};
use super::portals::fields;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What the case sets up and sends.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// Kernel table: index to entry.
    pub kernel_table: BTreeMap<u64, KernelEntry>,
    /// Function table: index to entry.
    pub function_table: BTreeMap<u64, FunctionEntry>,
    /// Queue table: index to queue.
    pub queue_table: BTreeMap<u64, QueueEntry>,
    /// Where the packet holds the queue index.
    pub queue_index_field: IndexField,
    /// Where an agent dispatch packet holds the function index.
    pub function_index_field: IndexField,
    /// The messages in order of arrival; each is run to quiescence.
    pub messages: Vec<Message>,
}

/// A registered kernel.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelEntry {
    /// Value for the first rewritten argument, 0: not valid.
    pub buffer_pointer: u64,
    /// Bytes of kernel arguments a message carries.
    pub kernarg_size: u64,
    /// Byte offset of the two rewritten arguments.
    pub rewrite_offset: u64,
    /// Signal for the packet, 0: not valid.
    pub completion_signal: u64,
    /// Value for `kernel_object`.
    pub kernel: u64,
}

/// A registered function.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionEntry {
    /// Value for `arg0`, 0: not valid.
    pub buffer_pointer: u64,
    /// Value for `return_address`.
    pub function: u64,
}

/// A registered queue and its indices before the first message.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueEntry {
    /// Address of slot 0.
    pub base: u64,
    /// Number of slots.
    pub size: u64,
    /// Next packet id.
    pub write_index: u64,
    /// Oldest packet id not retired; it does not move during a case.
    pub read_index: u64,
}

/// A field of the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexField {
    /// Byte offset.
    pub offset: u64,
    /// Width in bytes.
    pub width: u64,
}

/// One message.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// The AQL packet as sent.
    pub packet_hex: HexArray<64>,
    /// The kernel arguments as sent.
    pub kernargs_hex: HexBytes,
    /// Where the arguments land: 64 bytes after the packet.
    pub kernarg_landing_addr: u64,
    /// Where the payload lands: directly after the arguments.
    pub payload_landing_addr: u64,
}

/// What the hardware did, in the shape of `expect`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// One for each message.
    pub results: Vec<MessageResult>,
    /// Queue index to final state.
    pub queues: BTreeMap<u64, QueueResult>,
}

/// What became of one message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct MessageResult {
    /// `enqueued` or the name of the error.
    pub status: String,
    /// Only of a message that was enqueued.
    #[serde(flatten)]
    pub enqueued: Option<Enqueued>,
}

impl TryFrom<Map<String, Value>> for MessageResult {
    type Error = String;

    fn try_from(mut keys: Map<String, Value>) -> Result<Self, String> {
        let status = match keys.remove("status") {
            Some(Value::String(status)) => status,
            Some(_) => return Err("status: not a text".to_owned()),
            None => return Err("missing field `status`".to_owned()),
        };
        let enqueued = match keys.keys().next() {
            _ if status == "enqueued" => Some(fields(keys)?),
            None => None,
            Some(key) => {
                let why = "only a message that is enqueued has this key";
                return Err(format!("{key}: {why}"));
            }
        };
        Ok(Self { status, enqueued })
    }
}

/// An enqueued message as found in memory afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enqueued {
    /// Index of the queue.
    pub queue: u64,
    /// Packet id.
    pub packet_id: u64,
    /// Address of its slot.
    pub slot_addr: u64,
    /// Value the doorbell got.
    pub doorbell_value: u64,
    /// The packet in its slot.
    pub packet_hex: HexArray<64>,
    /// The arguments at their landing address.
    pub kernargs_hex: HexBytes,
    /// Address of the arguments, `None` for CPU tasks; the key must be there.
    #[serde(deserialize_with = "Option::deserialize")]
    pub kernarg_addr: Option<u64>,
}

/// A queue after the last message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueResult {
    /// Next packet id.
    pub write_index: u64,
    /// Oldest packet id not retired.
    pub read_index: u64,
    /// Values stored to its doorbell, in order.
    pub doorbells: Vec<u64>,
}

/// The only places of the queue and the function index that the hardware knows.
const QUEUE_INDEX: IndexField = IndexField {
    offset: 48,
    width: 8,
};
const FUNCTION_INDEX: IndexField = IndexField {
    offset: 8,
    width: 8,
};

/// Whether the hardware can run a case. Errors: it is unsupported.
pub fn supported(given: &Given) -> Result<(), NotRun> {
    match given.queue_index_field == QUEUE_INDEX && given.function_index_field == FUNCTION_INDEX {
        true => Ok(()),
        false => {
            let why = "the hardware takes the queue index from offset 48 and the function index from offset 8, 8 bytes each";
            Err(NotRun::unsupported("INDEX_FIELD", why))
        }
    }
}
