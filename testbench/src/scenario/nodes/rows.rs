//! A row for each message that a program sends, put together from what was seen on the way.
//!
//! On the wire a message has no name. So a message that left belongs to a step of its process that says what it looks
//! like and whose command had been taken by then. Of several such steps it is the first that sends at once, else the
//! one with the lowest threshold. The network keeps the order of each pair of nodes, and so does the way inside: the
//! *n*th message from one node to another is the *n*th that arrives there from it. Events are given to messages in the
//! order in which the hardware says that it reports them.

use std::collections::BTreeMap;

use xtq_types::wire_header::opcode;

use super::message_row::MessageRow;
use super::outcome::outcome;
use super::plan::NodesPlan;
use super::program::{PlannedStep, SentMessage};
use super::seen::{EventSeen, PacketSeen, SiteSeen};
use crate::host::{Event, EventKind};
use crate::network::{Class, PacketRecord, merge};
use crate::node::Timeline;
use crate::scenario::report::{Lookup, status_name};
use crate::tables::format::{BYTES, WIRE};

/// A message that left a node.
#[derive(Clone, Debug)]
struct Left {
    header: [u8; BYTES],
    first_beat: u64,
    last_beat: u64,
    /// What became of it at its target.
    line: Option<Timeline>,
    acknowledged: Option<u64>,
}

/// What was seen at the nodes.
pub(super) struct Seen<'a> {
    /// By number of the node; some are missing if their rank is gone.
    sites: &'a BTreeMap<usize, &'a SiteSeen>,
    /// By process: the events in its ring.
    events: Vec<Vec<(Event, &'a EventSeen)>>,
    /// By node: the messages that left it.
    left: BTreeMap<usize, Vec<Left>>,
    /// By node that sent it and place in `left`: cycle of the event that reports a message at its target.
    landed: BTreeMap<(usize, usize), u64>,
}

impl<'a> Seen<'a> {
    /// Puts together what was seen at the nodes of a plan.
    pub(super) fn of(plan: &NodesPlan, sites: &'a BTreeMap<usize, &'a SiteSeen>) -> Self {
        let events = plan.processes.iter().map(|process| {
            let site = sites.get(&usize::from(process.id.node));
            let seen = site.and_then(|site| site.processes.get(usize::from(process.id.context)));
            let events = seen.iter().flat_map(|seen| &seen.events);
            events.map(|seen| (seen.event(), seen)).collect()
        });
        let logs: Vec<_> = sites.values().map(|site| site.log.clone()).collect();
        let mut log = merge(&logs);
        log.extend(sites.values().flat_map(|site| site.inside.iter().cloned()));
        log.sort_by_key(|record| (record.sent, record.source));
        let mut seen = Self {
            sites,
            events: events.collect(),
            left: sites
                .keys()
                .map(|node| (*node, left(sites, *node, &log)))
                .collect(),
            landed: BTreeMap::new(),
        };
        for place in 0..plan.processes.len() {
            seen.follow_events(plan, place);
        }
        seen
    }

    /// Gives the events of messages at one process to the messages: the hardware says of each message when its event
    /// took its place in the ring, so the *n*th of these events is that of the *n*th of these messages.
    fn follow_events(&mut self, plan: &NodesPlan, place: usize) {
        let id = plan.processes[place].id;
        let mut told: Vec<(u64, (usize, usize))> = Vec::new();
        for (&node, messages) in &self.left {
            for (number, message) in messages.iter().enumerate() {
                let get = |name| WIRE.get(&message.header, name);
                let target = (get("target_node"), get("target_context"));
                let cycle = message.line.as_ref().and_then(|line| line.told);
                if target == (u64::from(id.node), u64::from(id.context))
                    && let Some(cycle) = cycle
                {
                    told.push((cycle, (node, number)));
                }
            }
        }
        told.sort_unstable();
        // Those of which the event was not seen yet.
        let mut rest = &told[..];
        for (event, seen) in &self.events[place] {
            let at_target = matches!(
                event.kind,
                EventKind::Put
                    | EventKind::XtqPut
                    | EventKind::Get
                    | EventKind::Atomic
                    | EventKind::FetchAtomic
            );
            let is_of = |(_, (node, number)): &(u64, (usize, usize))| {
                self.left
                    .get(node)
                    .and_then(|left| left.get(*number))
                    .is_some_and(|left| tells_of(event, &left.header))
            };
            let Some(found) = rest.iter().position(is_of).filter(|_| at_target) else {
                continue;
            };
            let message = rest[found].1;
            rest = &rest[found + 1..];
            let Some(cycle) = seen.cycle else {
                continue;
            };
            self.landed.insert(message, cycle);
            let (node, number) = message;
            let left = self
                .left
                .get_mut(&node)
                .and_then(|left| left.get_mut(number));
            let line = left.and_then(|left| left.line.as_mut());
            if let Some(line) = line.filter(|_| event.kind != EventKind::Get) {
                let last = seen.visible(line.arrived.unwrap_or(0));
                line.payload_visible = line.payload_visible.or(last);
            }
        }
    }
}

/// Whether an event can be about a message with this header.
fn tells_of(event: &Event, header: &[u8; BYTES]) -> bool {
    let get = |name| WIRE.get(header, name);
    let found = (
        get("source_node"),
        get("source_context"),
        get("match_bits"),
        get("header_data"),
        get("message_length"),
    );
    found
        == (
            u64::from(event.initiator.node),
            u64::from(event.initiator.context),
            event.match_bits,
            event.hdr_data,
            u64::from(event.rlength),
        )
}

/// Whether a packet begins something: a message, an answer.
fn begins(header: &[u8; BYTES]) -> bool {
    WIRE.get(header, "packet_offset") == 0
}

/// Whether a packet answers a message: an acknowledgement, a reply.
fn answers(header: &[u8; BYTES]) -> bool {
    is_answer(WIRE.get(header, "opcode"))
}

/// Whether packets with this opcode do.
fn is_answer(code: u64) -> bool {
    [opcode::ACK, opcode::REPLY].map(u64::from).contains(&code)
}

/// The messages that left a node, with what became of each.
fn left(sites: &BTreeMap<usize, &SiteSeen>, source: usize, log: &[PacketRecord]) -> Vec<Left> {
    // Requests that arrived at each node from this one; answers are found by their handles.
    let of_source = |line: &&Timeline| {
        usize::from(line.source_node) == source && !is_answer(line.opcode.into())
    };
    let mut lines: BTreeMap<usize, _> = sites
        .iter()
        .map(|(node, site)| (*node, site.lines.iter().filter(of_source)))
        .collect();
    let mut left: Vec<Left> = Vec::new();
    for packet in &sites[&source].packets {
        let Some(header) = packet.header().filter(|header| !answers(header)) else {
            continue;
        };
        if begins(&header) {
            let target = WIRE.get(&header, "target_node") as usize;
            let line = lines.get_mut(&target).and_then(Iterator::next).cloned();
            left.push(Left {
                header,
                first_beat: packet.first_cycle,
                last_beat: packet.last_cycle,
                line,
                acknowledged: None,
            });
        } else if let Some(message) = left.last_mut() {
            message.last_beat = packet.last_cycle;
        }
    }
    acknowledge(sites, source, log, &mut left);
    left
}

/// Finds the answer to each message of a node: its acknowledgement, or the first packet of its reply.
fn acknowledge(
    sites: &BTreeMap<usize, &SiteSeen>,
    source: usize,
    log: &[PacketRecord],
    left: &mut [Left],
) {
    for (&target, site) in sites {
        let sent =
            |record: &&PacketRecord| (record.source, record.class) == (target, Class::Answer);
        let records = log.iter().filter(sent);
        let packets = site.packets.iter().filter_map(PacketSeen::header);
        for (header, record) in packets.filter(answers).zip(records) {
            if record.target != Some(source) {
                continue;
            }
            let handle = |header: &[u8; BYTES]| WIRE.get(header, "initiator_handle");
            let asked = left.iter_mut().find(|message| {
                message.acknowledged.is_none()
                    && handle(&message.header) == handle(&header)
                    && WIRE.get(&message.header, "target_node") == target as u64
            });
            if let Some(message) = asked {
                message.acknowledged = record.arrived;
            }
        }
    }
}

/// The rows of all messages.
pub(super) fn rows(plan: &NodesPlan, seen: &Seen) -> Vec<MessageRow> {
    let mut rows = Vec::new();
    for (place, process) in plan.processes.iter().enumerate() {
        let mut own = own_rows(plan, seen, place);
        let left = seen.left.get(&usize::from(process.id.node));
        for (at, left) in left.into_iter().flatten().enumerate() {
            let from = WIRE.get(&left.header, "source_context");
            if from != u64::from(process.id.context) {
                continue;
            }
            let may_be = |own: &&mut OwnRow| {
                let taken = own.row.command.is_some_and(|taken| taken < left.first_beat);
                taken && !own.left && !own.failed && looks_like(&left.header, own.message)
            };
            let order = |own: &&mut OwnRow| (own.message.threshold, own.number);
            if let Some(own) = own.iter_mut().filter(may_be).min_by_key(order) {
                let event = seen
                    .landed
                    .get(&(usize::from(process.id.node), at))
                    .copied();
                own.left = true;
                fill(&mut own.row, left, event);
            }
        }
        rows.extend(own.into_iter().map(|own| own.row));
    }
    // Stable: those that did not leave stay in the order of the file.
    rows.sort_by_key(|row| row.first_beat.unwrap_or(u64::MAX));
    rows
}

/// A row while messages are given to steps.
struct OwnRow<'a> {
    row: MessageRow,
    message: &'a SentMessage,
    /// Number of the step.
    number: usize,
    /// A message was given to it.
    left: bool,
    /// Its command failed: nothing left.
    failed: bool,
}

/// The rows of a process as if nothing had left.
fn own_rows<'a>(plan: &'a NodesPlan, seen: &Seen, place: usize) -> Vec<OwnRow<'a>> {
    let process = &plan.processes[place];
    let mut rows = Vec::new();
    for (number, step) in process.steps.iter().enumerate() {
        let Some(message) = &step.message else {
            continue;
        };
        let name = match step.name.as_str() {
            "" => format!("{} {}", process.name, number + 1),
            name => name.to_owned(),
        };
        let command = command(plan, seen, place, number);
        let row = MessageRow {
            name,
            call: step.call.to_owned(),
            from: process.name.clone(),
            to: plan.processes[message.to].name.clone(),
            length: message.length,
            command,
            ..MessageRow::default()
        };
        let failure = failure(seen, place, step);
        let unsent = if row.command.is_some() {
            "waits"
        } else {
            "not sent"
        };
        rows.push(OwnRow {
            failed: failure.is_some(),
            row: MessageRow {
                status: failure.unwrap_or_else(|| unsent.to_owned()),
                ..row
            },
            message,
            number,
            left: false,
        });
    }
    rows
}

fn looks_like(header: &[u8; BYTES], message: &SentMessage) -> bool {
    let get = |name| WIRE.get(header, name);
    get("opcode") == u64::from(message.opcode)
        && get("message_length") == message.length
        && get("target_node") == u64::from(message.target.node)
        && get("target_context") == u64::from(message.target.context)
        && get("portal_index") == u64::from(message.pt)
        && get("match_bits") == message.match_bits
        && get("header_data") == message.hdr_data
}

/// When the command of a step was taken from its ring.
fn command(plan: &NodesPlan, seen: &Seen, place: usize, step: usize) -> Option<u64> {
    let id = plan.processes[place].id;
    let site = seen.sites.get(&usize::from(id.node))?;
    let process = site.processes.get(usize::from(id.context))?;
    let number = process.posted.iter().position(|posted| *posted == step)?;
    process.taken.get(number).copied()
}

/// How the command of a step failed, if it did.
fn failure(seen: &Seen, place: usize, step: &PlannedStep) -> Option<String> {
    let events = seen.events[place].iter();
    let mut events = events.filter_map(|(event, seen)| seen.cycle.map(|_| event));
    let failed = events.find(|event| {
        event.user_ptr() == Some(step.user_ptr) && matches!(event.result(), Some(Err(_)))
    });
    failed.map(outcome)
}

fn fill(row: &mut MessageRow, left: &Left, event: Option<u64>) {
    row.first_beat = Some(left.first_beat);
    row.last_beat = Some(left.last_beat);
    row.acknowledged = left.acknowledged;
    row.event = event;
    let Some(line) = &left.line else {
        row.status = "on the way".to_owned();
        return;
    };
    let is_xtq = line.opcode == opcode::XTQ_PUT && line.admitted.is_some();
    let lookup = |hit| is_xtq.then_some(if hit { Lookup::Hit } else { Lookup::Miss });
    row.arrived = line.arrived;
    row.parsed = line.parsed;
    row.task_lookup = lookup(line.task_hit);
    row.queue_lookup = lookup(line.queue_hit);
    row.admitted = line.admitted;
    row.rewritten = line.rewritten;
    row.payload_written = line.payload_visible;
    row.enqueued = line.enqueued;
    row.doorbell = line.doorbell;
    row.launched = line.launched;
    row.signal = line.completed;
    row.done = line.done;
    row.status = match (line.status, line.parsed) {
        (Some(status), _) => status_name(status),
        (None, Some(_)) => "unfinished".to_owned(),
        (None, None) if line.arrived.is_some() => "dropped".to_owned(),
        (None, None) => "on the way".to_owned(),
    };
    let packet = line.packet.filter(|_| line.status == Some(0));
    row.queue = packet.map(|(queue, _)| queue);
    row.packet_id = packet.map(|(_, id)| id);
}
