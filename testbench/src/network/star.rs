//! `Network`: the ports of all nodes.

use std::collections::BTreeMap;

use super::class::Class;
use super::config::{NetworkConfig, NetworkError};
use super::port::Port;
use super::record::PacketRecord;
use crate::bus::Beat;

/// The network. The order of calls in each cycle: [`ready`](Self::ready) and [`take`](Self::take) of all nodes, then
/// [`accept`](Self::accept), then [`tick`](Self::tick). A node that does not exist panics.
///
/// ```
/// use xtq_testbench::bus::Beat;
/// use xtq_testbench::network::{Class, Network, NetworkConfig};
/// use xtq_testbench::tables::format::WIRE;
///
/// let mut network = Network::new(&NetworkConfig::default(), 2)?;
/// let header = WIRE.pack(&[("source_node", 0), ("target_node", 1)]);
/// let mut arrived = None;
/// for cycle in 0..100 {
///     if network.take(cycle, 1, Class::Request).is_some() {
///         arrived = Some(cycle);
///     }
///     if cycle == 0 {
///         let beat = Beat { bytes: header.to_vec(), last: true };
///         network.accept(cycle, 0, Class::Request, beat);
///     }
///     network.tick(cycle);
/// }
/// assert_eq!(arrived, Some(10 + 20 + 10));
/// # Ok::<(), xtq_testbench::network::NetworkError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Network {
    lookahead: u64,
    ports: Vec<Port>,
}

impl Network {
    /// A network of nodes 0 to `nodes` - 1. Errors: there can be no such network.
    pub fn new(config: &NetworkConfig, nodes: usize) -> Result<Self, NetworkError> {
        config.check(nodes)?;
        let count = nodes as u32;
        Ok(Self {
            lookahead: config.lookahead(),
            ports: (0..count)
                .map(|node| Port::new(config, node, count))
                .collect(),
        })
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.ports.len()
    }

    /// The [lookahead](NetworkConfig::lookahead), in cycles.
    pub fn lookahead(&self) -> u64 {
        self.lookahead
    }

    /// The ends at each node.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// The ends at each node, to run them apart.
    pub fn ports_mut(&mut self) -> &mut [Port] {
        &mut self.ports
    }

    /// Whether `node` may hand a beat of each class over in `cycle`.
    pub fn ready(&self, cycle: u64, node: usize) -> [bool; 2] {
        self.ports[node].source.ready(cycle)
    }

    /// Takes a beat of `node` in `cycle`, in which it was [`ready`](Self::ready) for its class.
    pub fn accept(&mut self, cycle: u64, node: usize, class: Class, beat: Beat) {
        self.ports[node].accept(cycle, class, beat);
    }

    /// Whether a beat of a class for `node` is at the end of its link in `cycle`.
    pub fn offers(&self, cycle: u64, node: usize, class: Class) -> bool {
        self.ports[node].target.offers(cycle, class)
    }

    /// Gives `node` the beat of a class that is at the end of its link in `cycle`.
    pub fn take(&mut self, cycle: u64, node: usize, class: Class) -> Option<Beat> {
        self.ports[node].take(cycle, class)
    }

    /// The end of `cycle`: each node and each output sends a beat if there is one and its link is free.
    pub fn tick(&mut self, cycle: u64) {
        self.ports.iter_mut().for_each(|port| port.end(cycle));
        self.exchange(cycle + 1);
    }

    /// Hands over what the ends have sent to each other; `cycle` comes next.
    pub fn exchange(&mut self, cycle: u64) {
        for source in 0..self.ports.len() {
            let mut flights = std::mem::take(&mut self.ports[source].outbox);
            for flight in flights.drain(..) {
                self.ports[flight.target as usize].deliver(flight);
            }
            self.ports[source].outbox = flights;
        }
        self.ports.iter_mut().for_each(|port| port.begin(cycle));
    }

    /// Whether nothing is on its way. A packet of which the source owes beats is.
    pub fn is_empty(&self) -> bool {
        self.ports.iter().all(Port::is_empty)
    }

    /// Beats of `node` that hold a place in its buffers: the place of a beat is free again a
    /// [lookahead](Self::lookahead) after its target has taken it.
    pub fn on_the_way(&self, node: usize) -> usize {
        self.ports[node].source.held()
    }

    /// Packets dropped: for a node that there is not, or with a header beat cut short.
    pub fn dropped(&self) -> u64 {
        self.ports.iter().map(|port| port.source.dropped).sum()
    }

    /// Every packet so far, in the order in which they were sent, those of a cycle by source. Nothing of a port that
    /// [keeps none](Port::keep_log).
    pub fn log(&self) -> Vec<PacketRecord> {
        let arrivals = self
            .ports
            .iter()
            .flat_map(|port| port.target.log.iter().flatten());
        let arrivals = arrivals.map(|arrival| ((arrival.source, arrival.packet), arrival));
        let arrivals: BTreeMap<_, _> = arrivals.collect();
        let mut log = Vec::new();
        for port in &self.ports {
            for (packet, sent) in (0..).zip(port.source.log.iter().flatten()) {
                let arrival = arrivals.get(&(port.node(), packet));
                log.push(PacketRecord {
                    arrived: arrival.map(|arrival| arrival.arrived),
                    ended: arrival.and_then(|arrival| arrival.ended),
                    ..sent.clone()
                });
            }
        }
        log.sort_by_key(|record| (record.sent, record.source));
        log
    }
}
