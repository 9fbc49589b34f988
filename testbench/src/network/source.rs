//! A node's sending end: its link to the switch, its places there.

use std::collections::BTreeMap;

use super::class::Class;
use super::config::{NetworkConfig, PACKET_BEATS};
use super::flight::{Flight, Load};
use super::link::Pacer;
use super::record::PacketRecord;
use super::route::Route;
use crate::bus::{BEAT_BYTES, Beat};
use crate::saved::saved;
use crate::tables::format::WIRE;

/// A packet that the node is in the middle of.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Sending {
    number: u64,
    target: Option<u32>,
    jitter: u64,
}

/// A beat that the node has handed over and that is not on the link.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Held {
    sending: Sending,
    first: bool,
    beat: Beat,
}

/// What each class has for itself.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Side {
    sending: Option<Sending>,
    held: Option<Held>,
    /// Places in the switch that are free.
    free: usize,
    /// Places that will be, by cycle.
    returning: BTreeMap<u64, usize>,
}

impl Side {
    fn has_room(&self) -> bool {
        self.held.is_none() && (self.sending.is_some() || self.free >= PACKET_BEATS)
    }
}

/// A node's sending end.
#[derive(Clone, Debug)]
pub(super) struct Source {
    node: u32,
    route: Route,
    config: NetworkConfig,
    link: Pacer,
    sides: [Side; 2],
    /// Who has the link next, if both want it.
    turn: Class,
    /// Packets begun.
    packets: u64,
    pub(super) dropped: u64,
    /// Bytes that went over the link.
    pub(super) bytes: u64,
    /// The packets, if they are kept; stations of the target are missing.
    pub(super) log: Option<Vec<PacketRecord>>,
    /// Where each class has its packet in the log.
    logged: [usize; 2],
}

saved!(Source {
    link, sides, turn, packets, dropped, bytes, log, logged;
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
        let side = Side {
            sending: None,
            held: None,
            free: config.buffer_beats,
            returning: BTreeMap::new(),
        };
        Self {
            node,
            route: route.clone(),
            config: config.clone(),
            link: Pacer::new(config.link),
            sides: [side.clone(), side],
            turn: Class::Request,
            packets: 0,
            dropped: 0,
            bytes: 0,
            log: Some(Vec::new()),
            logged: [0; 2],
        }
    }

    /// Takes back the places that are free from `cycle` on.
    pub(super) fn take_back(&mut self, cycle: u64) {
        for side in &mut self.sides {
            while let Some(entry) = side.returning.first_entry()
                && *entry.key() <= cycle
            {
                side.free += entry.remove();
            }
        }
    }

    pub(super) fn give_back(&mut self, class: Class, due: u64) {
        *self.sides[class.index()].returning.entry(due).or_default() += 1;
    }

    /// Whether the node may hand a beat of each class over in `cycle`, as of the last [`take_back`](Self::take_back).
    pub(super) fn ready(&self, cycle: u64) -> [bool; 2] {
        let free = self.link.is_free(cycle);
        [0, 1].map(|class| free && self.sides[class].has_room())
    }

    /// First cycle, from `now` on, in which [`ready`](Self::ready) may be another than `was`, or a beat goes on the
    /// link; `u64::MAX`: never by itself.
    pub(super) fn next_event(&self, now: u64, was: [bool; 2]) -> u64 {
        let ready = self.ready(now);
        let event = |class: usize| {
            let side = &self.sides[class];
            let places = side.returning.keys().next().copied();
            let places = places.filter(|_| !side.has_room()).unwrap_or(u64::MAX);
            match ready[class] {
                ready if ready != was[class] => now,
                _ if side.held.is_some() => self.link.free_from(now),
                _ if places <= now => now,
                true => u64::MAX,
                false => self.link.free_from(now).min(places),
            }
        };
        event(0).min(event(1))
    }

    /// Takes a beat of a class in `cycle`, in which it was [`ready`](Self::ready).
    pub(super) fn accept(&mut self, cycle: u64, class: Class, beat: Beat) {
        let first = self.sides[class.index()].sending.is_none();
        let sending = match self.sides[class.index()].sending {
            Some(sending) => sending,
            None => self.begin(cycle, class, &beat),
        };
        self.bytes += beat.bytes.len() as u64;
        let at = self.logged[class.index()];
        if let Some(record) = self.log.as_mut().and_then(|log| log.get_mut(at)) {
            record.bytes += beat.bytes.len();
        }
        let side = &mut self.sides[class.index()];
        side.sending = (!beat.last).then_some(sending);
        side.held = Some(Held {
            sending,
            first,
            beat,
        });
    }

    /// The end of `cycle`: a beat goes on the link if it is free. A class keeps it until its packet ends, but does not
    /// hold up the other with a beat that it has not.
    pub(super) fn serve(&mut self, cycle: u64) -> Option<Flight> {
        if !self.link.is_free(cycle) {
            return None;
        }
        let mut turns = [self.turn, self.turn.other()].into_iter();
        let class = turns.find(|class| self.sides[class.index()].held.is_some())?;
        let side = &mut self.sides[class.index()];
        let Held {
            sending,
            first,
            beat,
        } = side.held.take()?;
        self.turn = if beat.last { class.other() } else { class };
        let at_switch = self.link.send(cycle, beat.bytes.len());
        let target = sending.target?;
        side.free -= 1;
        Some(Flight {
            source: self.node,
            target,
            hop: self.route.first_hop(self.node, target),
            class,
            due: at_switch + self.config.switch_latency + sending.jitter,
            load: Load::Beat {
                packet: sending.number,
                first,
                beat,
            },
        })
    }

    /// Reads the header beat of a new packet.
    fn begin(&mut self, cycle: u64, class: Class, beat: &Beat) -> Sending {
        let number = WIRE.get(&beat.bytes, "target_node") as u32;
        let whole = beat.bytes.len() == BEAT_BYTES;
        let target = Some(number).filter(|number| whole && *number < self.route.nodes());
        self.dropped += u64::from(target.is_none());
        if let Some(log) = &mut self.log {
            self.logged[class.index()] = log.len();
            log.push(PacketRecord {
                source: self.node as usize,
                target: target.map(|target| target as usize),
                class,
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
        let mut sides = self.sides.iter();
        sides.any(|side| side.sending.is_some() || side.held.is_some())
    }

    /// Beats of the node that hold a place.
    pub(super) fn held(&self) -> usize {
        let free = self.sides.iter().map(|side| side.free);
        2 * self.config.buffer_beats - free.sum::<usize>()
    }
}
