//! Kind `packet_processor`: the steps of producers and tasks, played to the testbench's packet processor.
//!
//! After every step the processor does all it can. Producers do what the case says, legal or not: `publish` writes the
//! whole slot at once, whatever is in it. `finish` of a packet that does not run changes nothing.

use super::{NotRun, hex_bytes::HexArray};
use crate::aql::{Header, Packet, slot_address};
use crate::bytes::{Bytes, SparseMemory};
use crate::input::strict;
use crate::packet_check::Checks;
use crate::packet_processor::{Event, PacketProcessor, QueueConfig};
use crate::signals::Signals;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The longest ring a case may have, in packets: `expect` lists every slot.
const MAX_SIZE: u64 = 1 << 16;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    queue: Queue,
    signals: BTreeMap<u64, i64>,
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Queue {
    base: u64,
    size: u64,
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<Value>")]
enum Step {
    Reserve(u64),
    Publish(u64, Box<Packet>),
    Doorbell(u64),
    StoreSignal(u64, i64),
    Finish(u64),
}

/// The forms a step can have, for error messages.
const FORMS: &str = "[reserve, n], [publish, id, packet_hex], [doorbell, id], [store_signal, handle, value], \
                     [finish, id]";

impl TryFrom<Vec<Value>> for Step {
    type Error = String;

    fn try_from(list: Vec<Value>) -> Result<Self, String> {
        let (op, arguments) = match list.split_first() {
            Some((Value::String(op), arguments)) => (op.as_str(), arguments),
            _ => return Err(format!("a step is one of {FORMS}")),
        };
        Ok(match (op, arguments) {
            ("reserve", [n]) => Self::Reserve(argument("n", n)?),
            ("publish", [id, packet]) => {
                let HexArray(packet) = argument("packet_hex", packet)?;
                Self::Publish(argument("id", id)?, Box::new(packet))
            }
            ("doorbell", [id]) => Self::Doorbell(argument("id", id)?),
            ("store_signal", [handle, value]) => {
                Self::StoreSignal(argument("handle", handle)?, argument("value", value)?)
            }
            ("finish", [id]) => Self::Finish(argument("id", id)?),
            _ => {
                let count = arguments.len();
                return Err(format!(
                    "\"{op}\" with {count} arguments is none of {FORMS}"
                ));
            }
        })
    }
}

fn argument<'a, T: Deserialize<'a>>(name: &str, value: &'a Value) -> Result<T, String> {
    strict::from_json(value)
        .map_err(|(inner, fault)| format!("{}: {fault}", strict::key_in(name, &inner)))
}

/// Memory with the ring, and signals by handle. A signal the case does not list starts at 0.
#[derive(Default)]
struct Memory {
    bytes: SparseMemory,
    signals: BTreeMap<u64, i64>,
}

impl Bytes for Memory {
    fn read(&self, addr: u64, out: &mut [u8]) {
        self.bytes.read(addr, out);
    }

    fn write(&mut self, addr: u64, data: &[u8]) {
        self.bytes.write(addr, data);
    }
}

impl Signals for Memory {
    fn load_signal(&self, handle: u64) -> i64 {
        self.signals.get(&handle).copied().unwrap_or(0)
    }

    fn store_signal(&mut self, handle: u64, value: i64) {
        self.signals.insert(handle, value);
    }
}

/// The log and the final state.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Outcome {
    /// What happened to which packet.
    log: Vec<(String, u64)>,
    read_index: u64,
    write_index: u64,
    signals: BTreeMap<u64, i64>,
    /// Null if there was none; the key must be there.
    #[serde(deserialize_with = "Option::deserialize")]
    error: Option<u64>,
    /// Header type of each slot.
    header_types: Vec<u64>,
}

/// Plays the steps.
pub(super) fn run(given: &Given) -> Result<Outcome, NotRun> {
    let Queue { base, size } = given.queue;
    if size > MAX_SIZE {
        let why = format!("given.queue.size: {size} packets; at most {MAX_SIZE} in a case");
        return Err(NotRun::Malformed(why));
    }
    let config = QueueConfig {
        base,
        size,
        checks: Checks::Format,
        ..QueueConfig::default()
    };
    let mut processor = PacketProcessor::new(config)
        .map_err(|why| NotRun::Malformed(format!("given.queue: {why}")))?;
    let slot = |id| {
        slot_address(base, size, id)
            .ok_or_else(|| NotRun::Malformed("given.queue.base: too large".to_owned()))
    };
    let mut memory = Memory {
        signals: given.signals.clone(),
        ..Memory::default()
    };
    processor.clear_ring(&mut memory);

    let mut write_index = 0_u64;
    let mut log = Vec::new();
    for (index, step) in given.steps.iter().enumerate() {
        match step {
            Step::Reserve(n) => {
                write_index = write_index.checked_add(*n).ok_or_else(|| {
                    NotRun::Malformed(format!("given.steps[{index}]: the write index passes 2^64"))
                })?;
            }
            Step::Publish(id, packet) => memory.write(slot(*id)?, &packet[..]),
            Step::Doorbell(id) => processor.doorbell(*id),
            Step::StoreSignal(handle, value) => memory.store_signal(*handle, *value),
            Step::Finish(id) => {
                if let Ok(event) = processor.finish(*id, &mut memory) {
                    log.push(log_entry(&event));
                }
            }
        }
        log.extend(processor.step(&mut memory).iter().map(log_entry));
    }

    let mut header_types = Vec::new();
    for id in 0..size {
        header_types.push(Header::from_word(memory.read_u16(slot(id)?)).kind.into());
    }
    Ok(Outcome {
        log,
        read_index: processor.read_index(),
        write_index,
        signals: memory.signals,
        error: processor.error().map(u64::from),
        header_types,
    })
}

fn log_entry(event: &Event) -> (String, u64) {
    let (name, id) = match event {
        Event::Launch { id, .. } => ("launch", id),
        Event::Complete { id } => ("complete", id),
        Event::Error { id, .. } => ("error", id),
    };
    (name.to_owned(), *id)
}
