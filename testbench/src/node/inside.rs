//! What a node sends to itself and does not leave it, out of the trace ports of the whole NIC.
//!
//! A beat goes inside in one cycle and is received one cycle later at the earliest, in order. So a queue of the beats
//! inside says which one is received.

use std::collections::VecDeque;

use xtq_engine::{Engine, Result};

use crate::bus::{Beat, Model, Packet, Pin, Violation};
use crate::network::{Class, PacketRecord};
use crate::saved::saved;
use crate::tables::format::BYTES;

/// A packet of a node to itself.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct InsidePacket {
    /// Its class.
    pub class: Class,
    /// Its bytes, and the cycles in which its beats went inside.
    pub packet: Packet,
    /// Cycle in which its header beat was received.
    pub arrived: Option<u64>,
    /// The same of its last beat.
    pub ended: Option<u64>,
}

impl InsidePacket {
    /// As a network would have noted it; `node` sent it.
    pub(crate) fn record(&self, node: usize) -> PacketRecord {
        PacketRecord {
            source: node,
            target: Some(node),
            class: self.class,
            bytes: self.packet.bytes.len(),
            sent: self.packet.first_cycle,
            arrived: self.arrived,
            ended: self.ended,
        }
    }
}

/// The pins of a class.
#[derive(Clone, Debug)]
struct Pins {
    sent: Pin,
    taken: Pin,
    data: Pin,
    keep: Pin,
    last: Pin,
}

impl Pins {
    fn find(engine: &dyn Engine, name: &str) -> Result<Self> {
        let pin = |name: String| Pin::output(engine, &name);
        Ok(Self {
            sent: pin(format!("trace_inside_{name}"))?,
            taken: pin(format!("trace_inside_{name}_taken"))?,
            data: pin(format!("m_axis_{name}_tdata"))?,
            keep: pin(format!("m_axis_{name}_tkeep"))?,
            last: pin(format!("m_axis_{name}_tlast"))?,
        })
    }

    fn beat(&self, engine: &dyn Engine) -> Beat {
        let data = self.data.get_words(engine);
        let bytes = data.iter().flat_map(|word| word.to_le_bytes());
        let kept = self.keep.get(engine).count_ones() as usize;
        Beat {
            bytes: bytes.take(kept).collect(),
            last: self.last.is_high(engine),
        }
    }
}

/// What is inside of a class.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Lane {
    /// Beats that went inside and were not received.
    beats: VecDeque<Beat>,
    /// Of the packet that is going inside: its place in the list, if packets are kept.
    begun: Option<Option<usize>>,
    /// Places of the packets of which the last beat was not received.
    unseen: VecDeque<Option<usize>>,
    /// What happened in the cycle sampled last.
    sent_now: Option<Beat>,
    taken_now: Option<Beat>,
}

/// Watches what goes inside, if the design has such a way.
#[derive(Clone, Debug)]
pub(super) struct Inside {
    pins: Option<[Pins; 2]>,
    lanes: [Lane; 2],
    packets: Vec<InsidePacket>,
    keeps: bool,
    /// Whole packets that went inside.
    count: u64,
    /// Beats that were received.
    received: u64,
}

saved!(Inside { lanes, packets, keeps, count, received; keeps pins });

impl Inside {
    /// A monitor of the pins `trace_inside_*`. Errors: one of several is missing.
    pub(super) fn new(engine: &dyn Engine) -> Result<Self> {
        let pins = match engine.port("trace_inside_net").is_ok() {
            true => Some([Pins::find(engine, "net")?, Pins::find(engine, "ans")?]),
            false => None,
        };
        Ok(Self {
            pins,
            lanes: Default::default(),
            packets: Vec::new(),
            keeps: true,
            count: 0,
            received: 0,
        })
    }

    /// The packets so far, in the order in which they went inside, if they are kept.
    pub(super) fn packets(&self) -> &[InsidePacket] {
        &self.packets
    }

    /// Whether packets that begin from now on are kept, as they are at first.
    pub(super) fn keep(&mut self, keeps: bool) {
        self.keeps = keeps;
    }

    /// Whole packets that went inside so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Beats received so far.
    pub(super) fn received(&self) -> u64 {
        self.received
    }

    /// Whether a beat is inside, or a packet has begun and not ended.
    pub(super) fn is_busy(&self) -> bool {
        let mut lanes = self.lanes.iter();
        lanes.any(|lane| !lane.beats.is_empty() || lane.begun.is_some())
    }

    /// The beats that went inside in the cycle sampled last, by class.
    pub(super) fn sent_now(&self) -> [Option<&Beat>; 2] {
        [0, 1].map(|class: usize| self.lanes[class].sent_now.as_ref())
    }

    /// The beats that were received in that cycle.
    pub(super) fn taken_now(&self) -> [Option<&Beat>; 2] {
        [0, 1].map(|class: usize| self.lanes[class].taken_now.as_ref())
    }

    fn send(&mut self, class: Class, cycle: u64, beat: Beat) {
        let lane = &mut self.lanes[class.index()];
        let place = match lane.begun {
            Some(place) => place,
            None => {
                let place = self.keeps.then_some(self.packets.len());
                if self.keeps {
                    self.packets.push(InsidePacket {
                        class,
                        packet: Packet {
                            offered_cycle: cycle,
                            first_cycle: cycle,
                            last_cycle: cycle,
                            bytes: Vec::new(),
                        },
                        arrived: None,
                        ended: None,
                    });
                }
                lane.unseen.push_back(place);
                place
            }
        };
        if let Some(packet) = place.and_then(|place| self.packets.get_mut(place)) {
            packet.packet.bytes.extend(&beat.bytes);
            packet.packet.last_cycle = cycle;
        }
        lane.begun = (!beat.last).then_some(place);
        self.count += u64::from(beat.last);
        lane.beats.push_back(beat.clone());
        lane.sent_now = Some(beat);
    }

    /// Errors: nothing is inside.
    fn take(&mut self, class: Class, cycle: u64) -> std::result::Result<(), Violation> {
        let lane = &mut self.lanes[class.index()];
        let Some(beat) = lane.beats.pop_front() else {
            return Err(Violation {
                cycle,
                channel: format!("inside, {class:?}"),
                rule: "what is received from inside went inside before",
                detail: "nothing is inside".to_owned(),
            });
        };
        let place = lane.unseen.front().copied().flatten();
        if let Some(packet) = place.and_then(|place| self.packets.get_mut(place)) {
            packet.arrived.get_or_insert(cycle);
            if beat.last {
                packet.ended = Some(cycle);
            }
        }
        if beat.last {
            lane.unseen.pop_front();
        }
        lane.taken_now = Some(beat);
        self.received += 1;
        Ok(())
    }
}

impl Model for Inside {
    fn drive(&mut self, _engine: &mut dyn Engine) -> Result<()> {
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        let Some(pins) = &self.pins else {
            return Ok(());
        };
        let moved = [0, 1].map(|class: usize| {
            let pins = &pins[class];
            let sent = pins.sent.is_high(engine).then(|| pins.beat(engine));
            (sent, pins.taken.is_high(engine))
        });
        for (class, (sent, taken)) in Class::ALL.into_iter().zip(moved) {
            let lane = &mut self.lanes[class.index()];
            (lane.sent_now, lane.taken_now) = (None, None);
            // A beat is received one cycle after it went inside, or later.
            if taken {
                self.take(class, cycle)?;
            }
            if let Some(beat) = sent {
                self.send(class, cycle, beat);
            }
        }
        Ok(())
    }
}

/// Where in the packets of one class the next beat is that is received.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Place {
    number: usize,
    in_packet: usize,
}

impl Place {
    /// Number of this beat, of all and in its packet, counted from 0; the next beat follows.
    pub(super) fn next(&mut self, beat: &Beat) -> (usize, usize) {
        let place = (self.number, self.in_packet);
        self.number += 1;
        self.in_packet = if beat.last { 0 } else { self.in_packet + 1 };
        place
    }
}

/// The header of a packet, if this is its first beat and whole.
pub(super) fn header(beat: &Beat) -> Option<&[u8; BYTES]> {
    beat.bytes.first_chunk()
}
