//! `SiteSeen`: what was seen at a node in a run, as plain data. Ranks send it to the one that reports.

use serde::{Deserialize, Serialize};

use super::plan::NodesPlan;
use super::program::PlannedProcess;
use super::site::Site;
use crate::bus::Packet;
use crate::host::Event;
use crate::network::{PacketRecord, Port, PortLog};
use crate::node::{InsidePacket, Node, Timeline, Trace};
use crate::tables::format::BYTES;

/// Bytes of a write's line.
const LINE: u64 = 64;

/// What was seen at a node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SiteSeen {
    /// Of each process.
    pub(super) processes: Vec<ProcessSeen>,
    /// The packets that it sent, those to itself too; those of a class in the order of sending.
    pub(super) packets: Vec<PacketSeen>,
    /// The messages that came to it.
    pub(super) lines: Vec<Timeline>,
    /// The packets at its ends of the network.
    pub(super) log: PortLog,
    /// Those to itself.
    pub(super) inside: Vec<PacketRecord>,
}

/// What was seen of a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ProcessSeen {
    /// The events in its ring.
    pub(super) events: Vec<EventSeen>,
    /// Cycles in which its commands were taken.
    pub(super) taken: Vec<u64>,
    /// Step of each command, in the order of the ring.
    pub(super) posted: Vec<usize>,
}

/// An event in a ring.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct EventSeen {
    /// Cycle in which it was visible; `None`: it could not be written.
    pub(super) cycle: Option<u64>,
    data: Vec<u8>,
    /// The writes by then of what it is about, as far as they matter: cycle of AW and cycle in which it was visible.
    writes: Vec<(u64, u64)>,
}

impl EventSeen {
    /// The event.
    pub(super) fn event(&self) -> Event {
        let mut bytes = [0; BYTES];
        let known = self.data.len().min(BYTES);
        bytes[..known].copy_from_slice(&self.data[..known]);
        Event::decode(&bytes)
    }

    /// Cycle in which the last of the writes was visible that began in cycle `from` or later.
    pub(super) fn visible(&self, from: u64) -> Option<u64> {
        let writes = self.writes.iter().filter(|(began, _)| *began >= from);
        writes.map(|(_, visible)| *visible).max()
    }
}

/// A packet that left.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PacketSeen {
    header: Vec<u8>,
    /// Cycle of the first beat's handshake.
    pub(super) first_cycle: u64,
    /// Cycle of the last beat's handshake.
    pub(super) last_cycle: u64,
}

impl PacketSeen {
    /// Its header; `None`: it has no whole one.
    pub(super) fn header(&self) -> Option<[u8; BYTES]> {
        self.header.first_chunk().copied()
    }
}

impl SiteSeen {
    /// What was seen at a site and its ends of the network.
    pub(super) fn of(site: &Site, port: &Port, plan: &NodesPlan) -> Self {
        let node = &site.node;
        let of_process = |planned: &PlannedProcess| {
            let (ring, context) = (planned.written(&plan.scenario), planned.id.context);
            let player = site.players.get(usize::from(context));
            ProcessSeen {
                events: events(node, context, ring.event_ring, ring.events),
                taken: taken(node, context),
                posted: player.map_or_else(Vec::new, |player| player.posted.clone()),
            }
        };
        let packet = |packet: &Packet| PacketSeen {
            header: packet.bytes[..packet.bytes.len().min(BYTES)].to_vec(),
            first_cycle: packet.first_cycle,
            last_cycle: packet.last_cycle,
        };
        let inside = node.inside().iter().map(|inside| &inside.packet);
        let mut packets: Vec<PacketSeen> = node
            .acknowledgements()
            .iter()
            .chain(inside)
            .map(packet)
            .collect();
        // Stable, and a class sends a packet at a time.
        packets.sort_by_key(|packet| packet.first_cycle);
        let number = port.node() as usize;
        let record = |packet: &InsidePacket| packet.record(number);
        Self {
            processes: plan
                .processes_of(port.node() as usize)
                .iter()
                .map(of_process)
                .collect(),
            packets,
            lines: node.timelines(),
            log: port.log(),
            inside: node.inside().iter().map(record).collect(),
        }
    }
}

fn events(node: &Node, context: u8, base: u64, places: u32) -> Vec<EventSeen> {
    let end = base + BYTES as u64 * u64::from(places);
    let written = node.memory.log().iter().filter(|write| {
        write.context == context && (base..end).contains(&write.line) && write.strobes != 0
    });
    let seen = written.map(|write| {
        let about = Event::decode(&write.data);
        let before = |cycle| writes_before(node, context, cycle, &about);
        EventSeen {
            cycle: write.visible_cycle,
            data: write.data.to_vec(),
            writes: write.visible_cycle.map_or_else(Vec::new, before),
        }
    });
    seen.collect()
}

/// The writes of what an event is about that were visible by `cycle`, without those after which, or with which, another
/// began that was visible no sooner.
fn writes_before(node: &Node, context: u8, cycle: u64, event: &Event) -> Vec<(u64, u64)> {
    let (start, length) = (event.start, u64::from(event.mlength));
    // Cheaper than to look at each byte, and true if one is written.
    let is_near = |line: u64| line.wrapping_sub(start) < length || start.wrapping_sub(line) < LINE;
    let about = node.memory.log().iter().filter(|write| {
        write.context == context && is_near(write.line) && write.touches(start, length)
    });
    let visible = about.filter_map(|write| Some((write.aw_cycle, write.visible_cycle?)));
    let mut visible: Vec<(u64, u64)> = visible.filter(|(_, seen)| *seen <= cycle).collect();
    visible.sort_unstable_by(|one, other| other.cmp(one));
    let mut latest = None;
    visible.retain(|(_, seen)| {
        let matters = latest.is_none_or(|latest| *seen > latest);
        latest = latest.max(Some(*seen));
        matters
    });
    visible
}

fn taken(node: &Node, context: u8) -> Vec<u64> {
    let records = node.trace().records().iter();
    let ours = records.filter(|(_, trace)| *trace == Trace::Taken { context });
    ours.map(|(cycle, _)| *cycle).collect()
}
