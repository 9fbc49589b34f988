//! Messages out: how often commands of a ring become messages, at the link of a NIC.
//!
//! The NIC is alone, and nobody answers: no message asks for an acknowledgement, so its place is free when it is sent.
//! A command is two lines of memory, and the NIC reads one line a cycle, so two cycles are the least.

use super::{ContractError, steady, unexpected};
use crate::bus::MemoryTiming;
use crate::host::{
    AckRequest, Command, Get, Md, MemoryDescriptor, Process, ProcessConfig, ProcessId, Put, Ring,
    XtqPut, ptl_get, ptl_md_bind, ptl_put, xtq_put,
};
use crate::node::{Node, NodeConfig, Top, Trace};

/// Where the bytes of all messages lie.
const SOURCE: u64 = 0x2000_0000;
/// Cycles in which everything must be done.
const CYCLES: u64 = 50_000;
/// Descriptor of [`SOURCE`].
const ALL: Md = Md(0);

/// What a command sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sends {
    /// PUT of so many bytes.
    Put(u64),
    /// XTQ_PUT of an AQL packet, 64 bytes of arguments and 64 of payload.
    XtqPut,
    /// GET of 64 bytes.
    Get,
}

impl Sends {
    /// As many as are measured: a GET keeps its message place until it is answered, and a context has 64.
    fn count(self) -> usize {
        match self {
            Self::Get => 60,
            // The first 64 are fetched while those before them are sent; from then on every command costs the same.
            Self::Put(_) | Self::XtqPut => 1000,
        }
    }

    fn command(self) -> Command {
        let target = ProcessId {
            node: 1,
            context: 0,
        };
        let put = |length| Put {
            md: ALL,
            length,
            ack: AckRequest::None,
            target,
            ..Put::default()
        };
        match self {
            Self::Put(length) => ptl_put(&put(length)),
            Self::XtqPut => xtq_put(&XtqPut {
                command_md: ALL,
                command_offset: 64,
                command_length: 128,
                payload: put(64),
            }),
            Self::Get => ptl_get(&Get {
                md: ALL,
                length: 64,
                target,
                ..Get::default()
            }),
        }
    }
}

/// A node with a process and a descriptor, memory that answers a read after so many cycles.
fn sender(read_latency: u32) -> Result<(Node, Process), ContractError> {
    let mut node = Node::new(&NodeConfig {
        timing: MemoryTiming {
            read_latency: read_latency..=read_latency,
            ..MemoryTiming::ideal()
        },
        top: Top::Nic,
        ..NodeConfig::default()
    })?;
    let config = ProcessConfig {
        commands: Ring {
            base: 0x1010_0000,
            size: 1024,
        },
        ..ProcessConfig::default()
    };
    let mut process = Process::open(&mut node, 0, &config)?;
    let bind = ptl_md_bind(&MemoryDescriptor {
        md: ALL,
        start: SOURCE,
        length: 4096,
        ..MemoryDescriptor::default()
    });
    process.post_all(&mut node, &[bind])?;
    node.run_to_quiescence(CYCLES)?;
    Ok((node, process))
}

/// Cycles a message, from header beat to header beat, with a ring full of such commands; to a hundredth, as the first
/// and the last of those that are looked at may be a cycle early or late. Errors: of the node; not every
/// command sends a message.
pub(super) fn cycles_a_message(sends: Sends, read_latency: u32) -> Result<f64, ContractError> {
    let (mut node, mut process) = sender(read_latency)?;
    let count = sends.count();
    process.post_all(&mut node, &vec![sends.command(); count])?;
    let sent = |node: &Node| node.packets_sent() == count as u64;
    node.run_until(sent, CYCLES)?;
    let headers: Vec<u64> = node
        .acknowledgements()
        .iter()
        .map(|p| p.first_cycle)
        .collect();
    match headers.len() == count {
        true => Ok((steady(&headers) * 100.0).round() / 100.0),
        false => unexpected("messages out", format!("{} of {count}", headers.len())),
    }
}

/// Cycles from the one in which a command is taken to that of the header beat of its message, the NIC idle. Errors: of
/// the node; there is no message.
pub(super) fn command_to_header() -> Result<f64, ContractError> {
    let (mut node, mut process) = sender(1)?;
    process.post_all(&mut node, &[Sends::Put(64).command()])?;
    node.run_to_quiescence(CYCLES)?;
    let taken = node.trace().records().iter().rev();
    let mut taken = taken.filter(|(_, trace)| matches!(trace, Trace::Taken { .. }));
    match (taken.next(), node.acknowledgements()) {
        // The pulse comes in the cycle after.
        (Some((pulse, _)), [packet]) => Ok((packet.offered_cycle + 1 - pulse) as f64),
        (_, sent) => unexpected("a put", format!("{} messages", sent.len())),
    }
}
