//! What happened to each packet.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::class::Class;

/// A packet's way through the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacketRecord {
    /// Node that sent it.
    pub source: usize,
    /// Node that it is for; `None`: there is no such node, it was dropped.
    pub target: Option<usize>,
    /// Its class.
    pub class: Class,
    /// Its bytes so far, header included.
    pub bytes: usize,
    /// Cycle in which the source handed its header beat over.
    pub sent: u64,
    /// Cycle in which the target's link end handed its header beat over.
    pub arrived: Option<u64>,
    /// The same of its last beat.
    pub ended: Option<u64>,
}

/// When a packet arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Arrival {
    pub(super) source: u32,
    /// Number of the packet among those of the source.
    pub(super) packet: u64,
    /// Its header beat was taken.
    pub(super) arrived: u64,
    /// Its last beat was.
    pub(super) ended: Option<u64>,
}

/// What a port kept of the packets at its ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PortLog {
    pub(super) node: u32,
    /// Packets that the node sent; stations of the target are missing.
    pub(super) sent: Vec<PacketRecord>,
    /// Packets that came to it.
    pub(super) arrivals: Vec<Arrival>,
}

/// The packets of these ports, in the order in which they were sent, those of a cycle by source.
pub(crate) fn merge(logs: &[PortLog]) -> Vec<PacketRecord> {
    let arrivals = logs.iter().flat_map(|log| &log.arrivals);
    let arrivals: BTreeMap<_, _> = arrivals
        .map(|arrival| ((arrival.source, arrival.packet), arrival))
        .collect();
    let mut merged = Vec::new();
    for log in logs {
        for (packet, sent) in (0..).zip(&log.sent) {
            let arrival = arrivals.get(&(log.node, packet));
            merged.push(PacketRecord {
                arrived: arrival.map(|arrival| arrival.arrived),
                ended: arrival.and_then(|arrival| arrival.ended),
                ..sent.clone()
            });
        }
    }
    merged.sort_by_key(|record| (record.sent, record.source));
    merged
}
