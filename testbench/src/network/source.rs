//! A node's sending end: its link to the switch, its places there.

use std::collections::BTreeMap;

use super::config::{NetworkConfig, PACKET_BEATS};
use super::flight::{Flight, Load};
use super::link::Pacer;
use super::record::PacketRecord;
use super::route::Route;
use crate::bus::{BEAT_BYTES, Beat};
use crate::saved::saved;
use crate::tables::format::WIRE;

/// The packet that the node is in the middle of.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Sending {
    number: u64,
    target: Option<u32>,
    jitter: u64,
}

/// A node's sending end.
#[derive(Clone, Debug)]
pub(super) struct Source {
    node: u32,
    route: Route,
    config: NetworkConfig,
    link: Pacer,
    sending: Option<Sending>,
    /// Places in the switch that are free.
    free: usize,
    /// Places that will be, by cycle.
    returning: BTreeMap<u64, usize>,
    /// Packets begun.
    packets: u64,
    pub(super) dropped: u64,
    /// Bytes that went over the link.
    pub(super) bytes: u64,
    /// The packets, if they are kept; stations of the target are missing.
    pub(super) log: Option<Vec<PacketRecord>>,
}

saved!(Source {
    link, sending, free, returning, packets, dropped, bytes, log;
    keeps node, route, config
});

/// A number from 0 to `most` that depends on nothing but the seed, the node and the packet, so that it does not matter
/// in which order packets of different nodes are drawn for.
fn draw(seed: u64, node: u32, packet: u64, most: u64) -> u64 {
    let mut x = seed;
    for word in [u64::from(node), packet] {
        x = (x ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^= x >> 31;
    }
    ((u128::from(x) * (u128::from(most) + 1)) >> 64) as u64
}

impl Source {
    pub(super) fn new(config: &NetworkConfig, node: u32, route: &Route) -> Self {
        Self {
            node,
            route: route.clone(),
            config: config.clone(),
            link: Pacer::new(config.link),
            sending: None,
            free: config.buffer_beats,
            returning: BTreeMap::new(),
            packets: 0,
            dropped: 0,
            bytes: 0,
            log: Some(Vec::new()),
        }
    }

    /// Takes back the places that are free from `cycle` on.
    pub(super) fn take_back(&mut self, cycle: u64) {
        while let Some(entry) = self.returning.first_entry()
            && *entry.key() <= cycle
        {
            self.free += entry.remove();
        }
    }

    pub(super) fn give_back(&mut self, due: u64) {
        *self.returning.entry(due).or_default() += 1;
    }

    fn has_room(&self) -> bool {
        self.sending.is_some() || self.free >= PACKET_BEATS
    }

    /// Whether the node may hand a beat over in `cycle`, as of the last [`take_back`](Self::take_back).
    pub(super) fn ready(&self, cycle: u64) -> bool {
        self.has_room() && self.link.is_free(cycle)
    }

    /// First cycle, from `now` on, in which [`ready`](Self::ready) may be another than `was`; `u64::MAX`: never by
    /// itself.
    pub(super) fn next_event(&self, now: u64, was: bool) -> u64 {
        let places = self.returning.keys().next().copied();
        let places = places.filter(|_| !self.has_room()).unwrap_or(u64::MAX);
        match self.ready(now) {
            ready if ready != was || places <= now => now,
            true => u64::MAX,
            false => self.link.free_from(now).min(places),
        }
    }

    /// Takes a beat in `cycle`, in which it was [`ready`](Self::ready); gives it on its way.
    pub(super) fn accept(&mut self, cycle: u64, beat: Beat) -> Option<Flight> {
        let at_switch = self.link.send(cycle, beat.bytes.len());
        let first = self.sending.is_none();
        let sending = match self.sending {
            Some(sending) => sending,
            None => self.begin(cycle, &beat),
        };
        self.bytes += beat.bytes.len() as u64;
        if let Some(record) = self.log.as_mut().and_then(|log| log.last_mut()) {
            record.bytes += beat.bytes.len();
        }
        self.sending = (!beat.last).then_some(sending);
        let target = sending.target?;
        self.free -= 1;
        Some(Flight {
            source: self.node,
            target,
            hop: self.route.first_hop(self.node, target),
            due: at_switch + self.config.switch_latency + sending.jitter,
            load: Load::Beat {
                packet: sending.number,
                first,
                beat,
            },
        })
    }

    /// Reads the header beat of a new packet.
    fn begin(&mut self, cycle: u64, beat: &Beat) -> Sending {
        let number = WIRE.get(&beat.bytes, "target_node") as u32;
        let whole = beat.bytes.len() == BEAT_BYTES;
        let target = Some(number).filter(|number| whole && *number < self.route.nodes());
        self.dropped += u64::from(target.is_none());
        if let Some(log) = &mut self.log {
            log.push(PacketRecord {
                source: self.node as usize,
                target: target.map(|target| target as usize),
                bytes: 0,
                sent: cycle,
                arrived: None,
                ended: None,
            });
        }
        let number = self.packets;
        self.packets += 1;
        let (seed, most) = (self.config.seed, self.config.jitter);
        Sending {
            number,
            target,
            jitter: draw(seed, self.node, number, most),
        }
    }

    /// Whether it is in the middle of a packet.
    pub(super) fn owes(&self) -> bool {
        self.sending.is_some()
    }

    /// Beats of the node that hold a place.
    pub(super) fn held(&self) -> usize {
        self.config.buffer_beats - self.free
    }
}
