//! `Port`: the ends of the network at one node. Ports talk to each other by [`Flight`]s only.

use super::class::Class;
use super::config::NetworkConfig;
use super::flight::{Flight, Load};
use super::output::Travelling;
use super::record::PortLog;
use super::route::Route;
use super::source::Source;
use super::target::Target;
use crate::bus::Beat;
use crate::saved::saved;

/// The two ends of the network at a node, with everything of its switch that is about what comes to it.
///
/// The order of calls in each cycle: [`begin`](Self::begin), [`ready`](Self::ready) and [`take`](Self::take), then
/// [`accept`](Self::accept), then [`end`](Self::end). Cycles before [`next_event`](Self::next_event) may be left out.
#[derive(Clone, Debug)]
pub struct Port {
    node: u32,
    route: Route,
    pub(super) source: Source,
    pub(super) target: Target,
    /// What was sent and not yet handed to the other ends.
    pub(super) outbox: Vec<Flight>,
    /// Ready for each class in the cycle that ran last.
    was_ready: [bool; 2],
}

saved!(Port { source, target, outbox, was_ready; keeps node, route });

impl Port {
    pub(super) fn new(config: &NetworkConfig, node: u32, route: &Route) -> Self {
        Self {
            node,
            route: route.clone(),
            source: Source::new(config, node, route),
            target: Target::new(config),
            outbox: Vec::new(),
            was_ready: [false; 2],
        }
    }

    /// Number of its node.
    pub fn node(&self) -> u32 {
        self.node
    }

    /// Takes back the places that are free from `cycle` on.
    pub fn begin(&mut self, cycle: u64) {
        self.source.take_back(cycle);
    }

    /// Whether the node may hand a beat of each class over in `cycle`.
    pub fn ready(&mut self, cycle: u64) -> [bool; 2] {
        self.was_ready = self.source.ready(cycle);
        self.was_ready
    }

    /// Takes a beat of the node in `cycle`, in which it was [`ready`](Self::ready) for its class.
    pub fn accept(&mut self, cycle: u64, class: Class, beat: Beat) {
        self.source.accept(cycle, class, beat);
    }

    /// Gives the node the beat of a class that is at the end of its link in `cycle`; its source gets the place back.
    pub fn take(&mut self, cycle: u64, class: Class) -> Option<Beat> {
        let (source, beat) = self.target.take(cycle, class)?;
        self.outbox.push(Flight {
            source: self.node,
            target: source,
            hop: source,
            class,
            due: cycle + self.route.latency(self.node, source),
            load: Load::Place,
        });
        Some(beat)
    }

    /// The end of `cycle`: node and output send a beat each if there is one and the link is free.
    pub fn end(&mut self, cycle: u64) {
        self.outbox.extend(self.source.serve(cycle));
        self.target.serve(cycle);
    }

    /// First cycle, from `now` on, in which something may happen here; `u64::MAX`: nothing will by itself.
    pub fn next_event(&self, now: u64) -> u64 {
        let source = self.source.next_event(now, self.was_ready);
        source.min(self.target.next_event(now))
    }

    /// What it has sent since the last call.
    pub fn take_flights(&mut self) -> std::vec::Drain<'_, Flight> {
        self.outbox.drain(..)
    }

    /// Takes what another end has sent. Flights of one source come in the order of sending; otherwise their order does
    /// not matter.
    pub fn deliver(&mut self, flight: Flight) {
        let Flight {
            source,
            target,
            class,
            due,
            load,
            ..
        } = flight;
        match load {
            Load::Beat {
                packet,
                first,
                beat,
            } => self.target.queue(Travelling {
                source,
                target,
                class,
                packet,
                first,
                beat,
                due,
            }),
            Load::Place => self.source.give_back(class, due),
        }
    }

    /// Whether nothing is on its way to the node, and the node owes no beats of a packet.
    pub fn is_empty(&self) -> bool {
        let sent = |flight: &Flight| matches!(flight.load, Load::Beat { .. });
        !self.source.owes() && self.target.is_empty() && !self.outbox.iter().any(sent)
    }

    /// Bytes that went over the link from the node, and over the link to it.
    pub fn bytes(&self) -> (u64, u64) {
        (self.source.bytes, self.target.bytes())
    }

    /// Whether each packet is kept for [`Network::log`](super::Network::log) from now on, as it is at first; what was
    /// kept is forgotten if not.
    pub fn keep_log(&mut self, keeps: bool) {
        if !keeps {
            (self.source.log, self.target.log) = (None, None);
        } else if self.source.log.is_none() {
            (self.source.log, self.target.log) = (Some(Vec::new()), Some(Vec::new()));
        }
    }

    /// What was kept of its packets.
    pub(crate) fn log(&self) -> PortLog {
        PortLog {
            node: self.node,
            sent: self.source.log.clone().unwrap_or_default(),
            arrivals: self.target.log.clone().unwrap_or_default(),
        }
    }
}
