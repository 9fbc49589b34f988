//! `Trunk`: a link between a leaf and a spine, with the output of the switch before it.
//!
//! It is an end of the network like that of a node: what comes to it are flights, and so is what it sends. So it runs
//! by itself for as many cycles as a node does.

use super::config::{NetworkConfig, Topology};
use super::flight::{Flight, Load};
use super::output::{Output, Travelling};
use super::route::{Route, TrunkPlace};
use crate::saved::saved;

/// A link between a leaf and a spine, in one direction.
#[derive(Clone, Debug)]
pub struct Trunk {
    place: TrunkPlace,
    route: Route,
    output: Output,
    /// What was sent and not yet handed to the other ends.
    pub(super) outbox: Vec<Flight>,
}

saved!(Trunk { output, outbox; keeps place, route });

impl Trunk {
    pub(super) fn new(config: &NetworkConfig, route: &Route, place: TrunkPlace) -> Self {
        let link = match &config.topology {
            Topology::Star => config.link,
            Topology::LeafSpine(spines) => spines.link,
        };
        Self {
            place,
            route: route.clone(),
            output: Output::new(link),
            outbox: Vec::new(),
        }
    }

    /// Leaf, spine, and whether it leads from the leaf to the spine.
    pub fn place(&self) -> (usize, usize, bool) {
        let TrunkPlace { leaf, spine, is_up } = self.place;
        (leaf as usize, spine as usize, is_up)
    }

    /// Bytes that went over it.
    pub fn bytes(&self) -> u64 {
        self.output.bytes
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
        // Places go straight to their node.
        if let Load::Beat {
            packet,
            first,
            beat,
        } = load
        {
            self.output.queue(Travelling {
                source,
                target,
                class,
                packet,
                first,
                beat,
                due,
            });
        }
    }

    /// The end of `cycle`: it sends a beat if there is one and the link is free.
    pub fn end(&mut self, cycle: u64) {
        // Places are those of the whole way, so there is always room after it.
        let Some(sent) = self.output.serve(cycle, [true; 2]) else {
            return;
        };
        let (hop, switch) = self.route.next_hop(self.place, sent.target);
        self.outbox.push(Flight {
            source: sent.source,
            target: sent.target,
            hop,
            class: sent.class,
            due: sent.due.saturating_add(switch),
            load: Load::Beat {
                packet: sent.packet,
                first: sent.first,
                beat: sent.beat,
            },
        });
    }

    /// Runs the cycles from `from` to before `to`; with `skips`, only those in which a beat may leave.
    pub fn run(&mut self, from: u64, to: u64, skips: bool) {
        let mut now = from;
        while now < to {
            if skips {
                now = self.next_event(now);
            }
            if now < to {
                self.end(now);
            }
            now = now.saturating_add(1);
        }
    }

    /// First cycle, from `now` on, in which a beat may leave; `u64::MAX`: none will by itself.
    pub fn next_event(&self, now: u64) -> u64 {
        let next = self.output.next_event();
        next.map_or(u64::MAX, |due| due.max(now))
    }

    /// What it has sent since the last call.
    pub fn take_flights(&mut self) -> std::vec::Drain<'_, Flight> {
        self.outbox.drain(..)
    }

    /// Whether nothing waits for it or is on it.
    pub fn is_empty(&self) -> bool {
        self.output.is_empty() && self.outbox.is_empty()
    }
}
