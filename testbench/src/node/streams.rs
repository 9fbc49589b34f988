//! The streams of a node: a pair for requests and one for answers, each with its checker.
//!
//! The target side alone takes everything on `s_axis_net`, where it knows requests only, and sends answers on
//! `m_axis_net`; it has no other streams.

use xtq_engine::{Engine, Result};

use super::config::NodeConfig;
use crate::bus::{Beat, Gaps, Model, Packet, StreamChecker, StreamDriver, StreamMonitor};
use crate::network::Class;
use crate::saved::{Loaded, Reader, Saved, Writer, saved};
use crate::tables::format::{BYTES, WIRE};
use xtq_types::wire_header::opcode;

/// The class of a packet with this header, by its opcode.
pub(super) fn class_of(packet: &[u8]) -> Class {
    let answers = [opcode::ACK, opcode::REPLY].map(u64::from);
    let header = packet.first_chunk::<BYTES>();
    let code = header.map(|header| WIRE.get(header, "opcode"));
    match code.is_some_and(|code| answers.contains(&code)) {
        true => Class::Answer,
        false => Class::Request,
    }
}

/// What comes to the node of one class.
struct Receive {
    driver: StreamDriver,
    checker: StreamChecker,
}

/// All streams. A class for which the node has no stream comes on that of requests, and is never sent.
pub(super) struct Streams {
    receive: [Option<Receive>; 2],
    transmit: [Option<StreamMonitor>; 2],
    /// Class of the packet that the network is in the middle of, where both come on one stream.
    inside: Option<Class>,
    /// The packets that left the node, in the order in which they ended.
    packets: Vec<Packet>,
}

saved!(Receive { driver, checker });

impl Saved for Streams {
    fn save(&self, to: &mut Writer) {
        let Self {
            receive,
            transmit,
            inside,
            packets,
        } = self;
        receive.iter().flatten().for_each(|stream| stream.save(to));
        transmit.iter().flatten().for_each(|stream| stream.save(to));
        inside.save(to);
        packets.save(to);
    }

    fn load(&mut self, from: &mut Reader) -> Loaded {
        let Self {
            receive,
            transmit,
            inside,
            packets,
        } = self;
        for stream in receive.iter_mut().flatten() {
            stream.load(from)?;
        }
        for stream in transmit.iter_mut().flatten() {
            stream.load(from)?;
        }
        inside.load(from)?;
        packets.load(from)
    }
}

impl Streams {
    /// The streams of the top block. Errors: a pin is missing.
    pub(super) fn new(engine: &dyn Engine, config: &NodeConfig) -> Result<Self> {
        let gaps = |probability, part| Gaps::random(probability, config.seed ^ part);
        let receive = |prefix: &str, part| -> Result<_> {
            Ok(Some(Receive {
                driver: StreamDriver::new(engine, prefix, gaps(config.receive_gaps, part))?,
                checker: StreamChecker::new(engine, prefix)?,
            }))
        };
        let transmit = |prefix: &str, part| {
            let gaps = gaps(config.transmit_gaps, part);
            StreamMonitor::new(engine, prefix, gaps).map(Some)
        };
        let (receive, transmit) = match engine.port("s_axis_ans_tvalid").is_ok() {
            true => (
                [receive("s_axis_net_", 1)?, receive("s_axis_ans_", 4)?],
                [transmit("m_axis_net_", 2)?, transmit("m_axis_ans_", 5)?],
            ),
            false => (
                [receive("s_axis_net_", 1)?, None],
                [None, transmit("m_axis_net_", 2)?],
            ),
        };
        Ok(Self {
            receive,
            transmit,
            inside: None,
            packets: Vec::new(),
        })
    }

    /// Everything that is attached to the pins.
    pub(super) fn models(&mut self) -> impl Iterator<Item = &mut dyn Model> {
        let receive = self.receive.iter_mut().flatten();
        let receive = receive.flat_map(|stream| {
            [
                &mut stream.driver as &mut dyn Model,
                &mut stream.checker as &mut dyn Model,
            ]
        });
        let transmit = self.transmit.iter_mut().flatten();
        receive.chain(transmit.map(|stream| stream as &mut dyn Model))
    }

    /// After a cycle: takes the packets that ended in it.
    pub(super) fn collect(&mut self) {
        for stream in self.transmit.iter_mut().flatten() {
            self.packets.append(&mut stream.take_packets());
        }
    }

    fn drivers(&self) -> impl Iterator<Item = &StreamDriver> {
        let streams = self.receive.iter().flatten();
        streams.map(|stream| &stream.driver)
    }

    fn driver(&self, class: Class) -> Option<&StreamDriver> {
        let stream = self.receive[class.index()].as_ref();
        stream.map(|stream| &stream.driver)
    }

    /// The class on whose stream packets of `class` come.
    pub(super) fn lane(&self, class: Class) -> Class {
        match self.receive[class.index()] {
            Some(_) => class,
            None => Class::Request,
        }
    }

    /// Queues a packet on the stream of a class; its first beat is offered in `cycle` at the earliest.
    pub(super) fn push_at(&mut self, class: Class, cycle: u64, packet: &[u8]) {
        if let Some(stream) = &mut self.receive[self.lane(class).index()] {
            stream.driver.push_at(cycle, packet);
        }
    }

    /// Whether a beat of a class from the network can be queued.
    pub(super) fn has_room(&self, class: Class) -> bool {
        let lane = self.lane(class);
        let of_other = lane != class || self.receive[class.other().index()].is_none();
        let waits = of_other && self.inside.is_some_and(|inside| inside != class);
        !waits && self.driver(lane).is_none_or(StreamDriver::is_done)
    }

    /// Queues a beat of a class from the network.
    pub(super) fn push_beat(&mut self, class: Class, beat: &Beat) {
        self.inside = (!beat.last).then_some(class);
        if let Some(stream) = &mut self.receive[self.lane(class).index()] {
            stream.driver.push_beat(beat);
        }
    }

    /// Whether every beat queued was taken.
    pub(super) fn all_done(&self) -> bool {
        self.drivers().all(StreamDriver::is_done)
    }

    /// Beats taken so far.
    pub(super) fn taken(&self) -> u64 {
        self.drivers().map(StreamDriver::count).sum()
    }

    /// Cycle of each beat of a class that was taken.
    pub(super) fn accepted(&self, class: Class) -> &[u64] {
        self.driver(class).map_or(&[], StreamDriver::accepted)
    }

    /// The classes of which a beat was taken in the cycle that ran last.
    pub(super) fn taken_now(&self) -> impl Iterator<Item = Class> {
        let was_taken = |class: &Class| self.driver(*class).is_some_and(StreamDriver::was_taken);
        Class::ALL.into_iter().filter(was_taken)
    }

    /// First cycle, from `now` on, in which a beat may be offered; `u64::MAX`: never by itself.
    pub(super) fn next_event(&self, now: u64) -> u64 {
        let next = self.drivers().map(|driver| driver.next_event(now));
        next.min().unwrap_or(u64::MAX)
    }

    /// Whether the network takes beats of each class from now on.
    pub(super) fn set_open(&mut self, open: [bool; 2]) {
        for (stream, open) in self.transmit.iter_mut().zip(open) {
            if let Some(stream) = stream {
                stream.set_open(open);
            }
        }
    }

    /// The beats that left in the cycle that ran last, by class.
    pub(super) fn sent_now(&self) -> [Option<&Beat>; 2] {
        let sent = |class: usize| self.transmit[class].as_ref().and_then(StreamMonitor::taken);
        [sent(0), sent(1)]
    }

    /// Whether a packet has begun to leave, or waits to.
    pub(super) fn is_sending(&self) -> bool {
        let mut streams = self.transmit.iter().flatten();
        streams.any(|stream| stream.in_packet() || stream.waits())
    }

    /// Packets that left so far.
    pub(super) fn count(&self) -> u64 {
        let streams = self.transmit.iter().flatten();
        streams.map(StreamMonitor::count).sum()
    }

    /// The packets that left so far, if they are kept.
    pub(super) fn packets(&self) -> &[Packet] {
        &self.packets
    }

    /// Whether packets and cycles are kept from now on, as they are at first.
    pub(super) fn keep(&mut self, keeps: bool) {
        for stream in self.receive.iter_mut().flatten() {
            stream.driver.keep(keeps);
        }
        for stream in self.transmit.iter_mut().flatten() {
            stream.keep(keeps);
        }
    }
}
