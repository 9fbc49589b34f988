//! Messages in through a match list: tagged puts, GETs and atomics, at the pins of a NIC.

use xtq_types::atomic::{datatype, operation};
use xtq_types::wire_header::{VERSION, opcode};

use super::{ContractError, steady, unexpected};
use crate::bus::{BEAT_BYTES, LINE_BYTES, MemoryTiming};
use crate::host::{
    MatchEntry, Me, Process, ProcessConfig, Pt, Ring, me_option, portal_option, ptl_me_append,
    ptl_pt_alloc,
};
use crate::node::{Node, NodeConfig, Top};
use crate::tables::format::WIRE;

/// The portal entry, and the match bits of its first list entry and of all messages.
const LISTS: Pt = Pt(33);
const BITS: u64 = 5;
/// Where the entry lies, and its bytes.
const BUFFER: u64 = 0x4000_0000;
const BUFFER_BYTES: u64 = 4096;
/// The event ring.
const EVENTS: Ring = Ring {
    base: 0x3800_0000,
    size: 4096,
};
/// Cycles in which everything must be done.
const CYCLES: u64 = 50_000;

/// A node whose process has one entry in a list.
pub(super) struct Lists {
    /// The node.
    pub node: Node,
}

impl Lists {
    /// Events are reported unless `silent`. Errors: of the node.
    pub(super) fn new(silent: bool) -> Result<Self, ContractError> {
        let mut node = Node::new(&NodeConfig {
            timing: MemoryTiming::ideal(),
            top: Top::Nic,
            ..NodeConfig::default()
        })?;
        let config = ProcessConfig {
            events: EVENTS,
            ..ProcessConfig::default()
        };
        let mut process = Process::open(&mut node, 0, &config)?;
        let events = if silent { me_option::COMM_DISABLE } else { 0 };
        let entry = MatchEntry {
            me: Me(7),
            pt_index: LISTS,
            start: BUFFER,
            length: BUFFER_BYTES,
            options: me_option::OP_PUT | me_option::OP_GET | me_option::LINK_DISABLE | events,
            match_bits: BITS,
            ..MatchEntry::default()
        };
        let commands = [
            ptl_pt_alloc(LISTS, portal_option::MATCHING),
            ptl_me_append(&entry),
        ];
        process.post_all(&mut node, &commands)?;
        node.run_to_quiescence(CYCLES)?;
        Ok(Self { node })
    }

    /// Queues a message for the entry: `body` bytes come, `length` are asked for.
    fn send(&mut self, cycle: u64, code: u8, id: u16, length: usize, body: usize) {
        let header = WIRE.pack(&[
            ("version", VERSION.into()),
            ("opcode", code.into()),
            ("source_node", 3),
            ("portal_index", LISTS.0.into()),
            ("match_bits", BITS),
            ("message_id", id.into()),
            ("initiator_handle", id.into()),
            ("message_length", length as u64),
            ("operation", operation::SUM.into()),
            ("datatype", datatype::UINT64.into()),
        ]);
        let bytes = (0..body).map(|at| (at * 7 + usize::from(id)) as u8);
        let packet: Vec<u8> = header.into_iter().chain(bytes).collect();
        self.node.send_packet_at(cycle, &packet);
    }

    /// Queues a put of so many bytes, for this cycle at the earliest.
    pub(super) fn put(&mut self, cycle: u64, id: u16, bytes: usize) {
        self.send(cycle, opcode::PUT, id, bytes, bytes);
    }

    /// Runs until all is done. Errors: of the node.
    pub(super) fn settle(&mut self) -> Result<(), ContractError> {
        self.node.run_to_quiescence(CYCLES)?;
        Ok(())
    }

    /// The cycles in which the data of events went out, from event number `first` on.
    pub(super) fn events(&self, first: u64) -> Vec<u64> {
        let at = |line: u64| line.wrapping_sub(EVENTS.base) / LINE_BYTES;
        let log = self.node.memory.log().iter();
        let events =
            log.filter(|record| (first..u64::from(EVENTS.size)).contains(&at(record.line)));
        events.map(|record| record.w_cycle).collect()
    }
}

/// Cycles a put of so many bytes that the first entry takes and an event reports, back to back. Errors: of the node;
/// one is not reported.
pub(super) fn tagged_puts(bytes: usize) -> Result<f64, ContractError> {
    const PUTS: u16 = 300;
    let mut lists = Lists::new(false)?;
    let before = lists.events(0).len() as u64;
    (0..PUTS).for_each(|id| lists.put(0, id, bytes));
    lists.settle()?;
    let events = lists.events(before);
    match events.len() == usize::from(PUTS) {
        true => Ok(steady(&events)),
        false => unexpected("tagged puts", format!("{} events of {PUTS}", events.len())),
    }
}

/// What GETs show.
pub(super) struct Gets {
    /// Cycles from one reply to the next, back to back.
    pub cycles: f64,
    /// Cycles from the beat of a GET to the first beat of its reply, the NIC idle.
    pub latency: f64,
}

/// GETs of 64 bytes from the first entry, without events; memory answers a read in the next cycle. Errors: of the node;
/// one is not answered.
pub(super) fn gets() -> Result<Gets, ContractError> {
    const GETS: u16 = 300;
    const BYTES: usize = 64;
    let mut lists = Lists::new(true)?;
    lists.send(0, opcode::GET, 0, BYTES, 0);
    lists.settle()?;
    let asked = lists.node.received_beats().last().copied();
    let answered = lists.node.acknowledgements().first();
    let latency = match (asked, answered) {
        (Some(asked), Some(reply)) => (reply.offered_cycle - asked) as f64,
        _ => return unexpected("a GET", "no reply"),
    };
    (1..=GETS).for_each(|id| lists.send(0, opcode::GET, id, BYTES, 0));
    lists.settle()?;
    let replies = &lists.node.acknowledgements()[1..];
    let full = |bytes: &[u8]| bytes.len() == BEAT_BYTES + BYTES;
    if replies.len() != usize::from(GETS) || !replies.iter().all(|reply| full(&reply.bytes)) {
        return unexpected("GETs", format!("{} replies of {GETS}", replies.len()));
    }
    let replies: Vec<u64> = replies.iter().map(|reply| reply.first_cycle).collect();
    Ok(Gets {
        cycles: steady(&replies),
        latency,
    })
}

/// Bytes a cycle of ATOMIC sums of 64-bit integers, messages of 512 bytes, which is the most that a context takes after
/// reset, back to back. Errors: of the node; not every line is written.
pub(super) fn bulk_atomics() -> Result<f64, ContractError> {
    const ATOMICS: u16 = 60;
    const BYTES: usize = 512;
    let mut lists = Lists::new(true)?;
    (0..ATOMICS).for_each(|id| lists.send(0, opcode::ATOMIC, id, BYTES, BYTES));
    lists.settle()?;
    let log = lists.node.memory.log().iter();
    let lines = log.filter(|record| record.touches(BUFFER, BUFFER_BYTES));
    let cycles: Vec<u64> = lines.map(|record| record.w_cycle).collect();
    match cycles.len() == usize::from(ATOMICS) * BYTES / BEAT_BYTES {
        true => Ok(BEAT_BYTES as f64 / steady(&cycles)),
        false => unexpected("atomics", format!("{} lines", cycles.len())),
    }
}
