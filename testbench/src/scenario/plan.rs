//! From a checked scenario to messages as bytes.

use super::schema::{AgentPacket, KernelPacket, Message as Written, Scenario};
use super::values::LONGEST;
use crate::aql::{Header, Layout, PACKET_BYTES, Packet, encode, field, packet_type};
use crate::input::{FaultKind, KeyFault};
use crate::node::Message;
use crate::tables;
use std::path::{Path, PathBuf};

/// Messages of a scenario; their numbers on the wire have 16 bits.
const MOST_MESSAGES: usize = 1 << 16;

/// A message with its packets, as they go onto the wire.
#[derive(Clone, Debug)]
pub struct PlannedMessage {
    /// Name in the table; empty for one without.
    pub name: String,
    /// Phase.
    pub phase: u32,
    /// Cycle of the phase in which its first beat is offered at the earliest.
    pub at: u64,
    /// The message as meant; `None` for a raw packet.
    pub message: Option<Message>,
    /// Header beat and body of each packet.
    pub packets: Vec<Vec<u8>>,
}

/// A scenario that can be run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The checked scenario, with at least one context.
    pub scenario: Scenario,
    /// The messages in order of phase and arrival.
    pub messages: Vec<PlannedMessage>,
}

impl Plan {
    /// Makes the messages of a checked scenario; files are relative to `folder`.
    pub(super) fn new(scenario: Scenario, folder: &Path) -> Result<Self, KeyFault> {
        let mut builder = Builder {
            scenario: &scenario,
            folder,
            messages: Vec::new(),
        };
        for (i, written) in scenario.messages.iter().enumerate() {
            builder.add(&format!("messages[{i}]"), written)?;
        }
        let mut messages = builder.messages;
        for raw in &scenario.raw_packets {
            messages.push(PlannedMessage {
                name: "raw".to_owned(),
                phase: raw.phase,
                at: raw.at,
                message: None,
                packets: vec![raw.bytes.0.clone()],
            });
        }
        messages.sort_by_key(|message| (message.phase, message.at));
        Ok(Self { scenario, messages })
    }
}

/// Bytes that the messages of a series share out among themselves.
struct Share {
    key: String,
    bytes: Vec<u8>,
    used: usize,
}

impl Share {
    fn take(&mut self, length: usize) -> Result<Vec<u8>, KeyFault> {
        let rest = self.bytes.get(self.used..).unwrap_or_default();
        let Some(part) = rest.get(..length) else {
            let have = self.bytes.len();
            let message = format!("the file has {have} bytes, the packets need more");
            return Err(KeyFault::value(&self.key, message));
        };
        self.used += length;
        Ok(part.to_vec())
    }

    fn finish(&self) -> Result<(), KeyFault> {
        match self.bytes.len() - self.used {
            0 => Ok(()),
            rest => {
                let message = format!("the last {rest} bytes of the file belong to no packet");
                Err(KeyFault::value(&self.key, message))
            }
        }
    }
}

struct Builder<'a> {
    scenario: &'a Scenario,
    folder: &'a Path,
    messages: Vec<PlannedMessage>,
}

impl Builder<'_> {
    fn add(&mut self, key: &str, written: &Written) -> Result<(), KeyFault> {
        if written.packets_file.is_some() {
            return self.add_series(key, written);
        }
        let payload = data(&written.payload);
        let message = match inline_packet(key, written)? {
            None => Message::put(self.next_id(), payload),
            Some(packet) => {
                let arguments = match &written.arguments {
                    Some(arguments) => arguments.0.clone(),
                    None => vec![0; self.kernarg_size(written.context, &packet)],
                };
                Message::xtq(self.next_id(), &packet, &arguments, &payload)
            }
        };
        self.push(key, written, message, 0)
    }

    /// One message for each packet of a file.
    fn add_series(&mut self, key: &str, written: &Written) -> Result<(), KeyFault> {
        let name = written.packets_file.as_deref().unwrap_or_default();
        let file_key = format!("{key}.packets_file");
        let bytes = self.read(&file_key, name)?;
        let (packets, rest) = bytes.as_chunks::<PACKET_BYTES>();
        if !rest.is_empty() || packets.is_empty() {
            let message = format!("{name} has {} bytes, not a multiple of 64", bytes.len());
            return Err(KeyFault::value(file_key, message)
                .help("it holds AQL packets of 64 bytes and nothing else"));
        }
        let mut arguments =
            self.share(&format!("{key}.arguments_file"), &written.arguments_file)?;
        let mut payloads = self.share(&format!("{key}.payload_file"), &written.payload_file)?;
        let share = payloads
            .as_ref()
            .map_or(0, |file| file.bytes.len() / packets.len());
        let payload_length = written.payload_length.map_or(Ok(share), usize::try_from);
        let payload_length = payload_length.unwrap_or(usize::MAX);
        for (number, packet) in packets.iter().enumerate() {
            let size = self.kernarg_size(written.context, packet);
            let arguments = match (&mut arguments, &written.arguments) {
                (Some(file), _) => file.take(size)?,
                (None, Some(same)) => same.0.clone(),
                (None, None) => vec![0; size],
            };
            let payload = match &mut payloads {
                Some(file) => file.take(payload_length)?,
                None => data(&written.payload),
            };
            let message = Message::xtq(self.next_id(), packet, &arguments, &payload);
            self.push(key, written, message, number as u64)?;
        }
        arguments.map_or(Ok(()), |file| file.finish())?;
        payloads.map_or(Ok(()), |file| file.finish())
    }

    fn share(&self, key: &str, name: &Option<String>) -> Result<Option<Share>, KeyFault> {
        let Some(name) = name else { return Ok(None) };
        let bytes = self.read(key, name)?;
        Ok(Some(Share {
            key: key.to_owned(),
            bytes,
            used: 0,
        }))
    }

    fn read(&self, key: &str, name: &str) -> Result<Vec<u8>, KeyFault> {
        let path: PathBuf = self.folder.join(name);
        let fault = |message: String| KeyFault {
            kind: FaultKind::File,
            key: key.to_owned(),
            message: format!("{}: {message}", path.display()),
            help: Some("file names are relative to the folder of the scenario".to_owned()),
        };
        let length = std::fs::metadata(&path)
            .map_err(|error| fault(error.to_string()))?
            .len();
        if length > LONGEST {
            return Err(fault(format!("{length} bytes are more than {LONGEST}")));
        }
        std::fs::read(&path).map_err(|error| fault(error.to_string()))
    }

    /// Bytes of arguments that the kernel of a packet takes; 0 if it is not registered, or the packet launches none.
    fn kernarg_size(&self, context: u8, packet: &Packet) -> usize {
        let index = field::KERNEL_OBJECT.read(packet);
        let kernels = self.scenario.kernels.iter();
        let found = kernels
            .filter(|kernel| kernel.context == context)
            .find(|kernel| {
                Header::of(packet).kind == packet_type::KERNEL_DISPATCH
                    && u64::from(kernel.index) == index
            });
        found.map_or(0, |kernel| kernel.kernarg_size as usize)
    }

    fn next_id(&self) -> u16 {
        self.messages.len() as u16
    }

    fn push(
        &mut self,
        key: &str,
        written: &Written,
        message: Message,
        number: u64,
    ) -> Result<(), KeyFault> {
        if self.messages.len() >= MOST_MESSAGES {
            return Err(KeyFault::value(
                key,
                format!("more than {MOST_MESSAGES} messages"),
            ));
        }
        let wire = &written.wire;
        let mut message = Message {
            ack_request: tables::AckRequest::from(written.ack) as u8,
            source_node: written.source_node,
            source_context: written.source_context,
            target_node: wire.target_node.unwrap_or(self.scenario.node),
            target_context: written.context,
            portal_index: written.portal,
            user_id: written.user,
            match_bits: written.match_bits,
            header_data: written.header_data,
            initiator_handle: message.message_id,
            ..message
        };
        message.version = wire.version.unwrap_or(message.version);
        message.opcode = wire.opcode.unwrap_or(message.opcode);
        message.command_length = wire.command_length.unwrap_or(message.command_length);
        if message.body.len() as u64 > LONGEST {
            return Err(KeyFault::value(
                key,
                format!("a message is at most {LONGEST} bytes"),
            ));
        }
        let mut packets = message.packets();
        if let Some(last) = packets.last_mut() {
            let cut = usize::try_from(wire.cut).unwrap_or(usize::MAX);
            if cut >= last.len() {
                let message = format!(
                    "{cut} bytes less than the {} of the last packet leave nothing",
                    last.len()
                );
                return Err(KeyFault::value(format!("{key}.wire.cut"), message));
            }
            last.truncate(last.len() - cut);
            last.resize(last.len() + wire.surplus as usize, 0x5a);
        }
        let name = match (written.name.as_str(), &written.packets_file) {
            ("", Some(_)) => number.to_string(),
            (name, Some(_)) => format!("{name}-{number}"),
            (name, None) => name.to_owned(),
        };
        let wait = number.saturating_mul(written.interval);
        self.messages.push(PlannedMessage {
            name,
            phase: written.phase,
            at: written.at.saturating_add(wait),
            message: Some(message),
            packets,
        });
        Ok(())
    }
}

fn data(bytes: &Option<super::values::Data>) -> Vec<u8> {
    bytes.as_ref().map_or_else(Vec::new, |data| data.0.clone())
}

/// The AQL packet written in the message itself.
fn inline_packet(key: &str, written: &Written) -> Result<Option<Packet>, KeyFault> {
    let bytes = match (&written.kernel, &written.agent, &written.packet) {
        (Some(kernel), ..) => encode(Layout::KernelDispatch, kernel_fields(kernel)),
        (_, Some(agent), _) => encode(Layout::AgentDispatch, agent_fields(agent)),
        (.., Some(bytes)) => Ok(bytes.0.clone()),
        _ => return Ok(None),
    };
    let fault = |message: String| KeyFault::value(format!("{key}.packet"), message);
    let bytes = bytes.map_err(|error| fault(error.to_string()))?;
    let length = bytes.len();
    let packet = bytes.try_into();
    packet
        .map(Some)
        .map_err(|_| fault(format!("an AQL packet has 64 bytes, this one {length}")))
}

pub(super) fn kernel_fields(packet: &KernelPacket) -> [(&'static str, u64); 15] {
    [
        (
            "header",
            packet
                .header
                .unwrap_or(packet_type::KERNEL_DISPATCH.into())
                .into(),
        ),
        ("setup", packet.setup.into()),
        ("workgroup_size_x", packet.workgroup_size_x.into()),
        ("workgroup_size_y", packet.workgroup_size_y.into()),
        ("workgroup_size_z", packet.workgroup_size_z.into()),
        ("reserved0", packet.reserved0.into()),
        ("grid_size_x", packet.grid_size_x.into()),
        ("grid_size_y", packet.grid_size_y.into()),
        ("grid_size_z", packet.grid_size_z.into()),
        ("private_segment_size", packet.private_segment_size.into()),
        ("group_segment_size", packet.group_segment_size.into()),
        ("kernel_object", packet.kernel_object),
        ("kernarg_address", packet.kernarg_address),
        ("reserved2", packet.reserved2),
        ("completion_signal", packet.completion_signal),
    ]
}

pub(super) fn agent_fields(packet: &AgentPacket) -> [(&'static str, u64); 10] {
    [
        (
            "header",
            packet
                .header
                .unwrap_or(packet_type::AGENT_DISPATCH.into())
                .into(),
        ),
        ("type", packet.kind.into()),
        ("reserved0", packet.reserved0.into()),
        ("return_address", packet.return_address),
        ("arg0", packet.arg[0]),
        ("arg1", packet.arg[1]),
        ("arg2", packet.arg[2]),
        ("arg3", packet.arg[3]),
        ("reserved2", packet.reserved2),
        ("completion_signal", packet.completion_signal),
    ]
}
