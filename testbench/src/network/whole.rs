//! `Network`: the ports of all nodes, and what is between their switches.

use super::class::Class;
use super::config::{NetworkConfig, NetworkError};
use super::port::Port;
use super::record::{PacketRecord, merge};
use super::route::Route;
use super::trunk::Trunk;
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
    config: NetworkConfig,
    ports: Vec<Port>,
    trunks: Vec<Trunk>,
}

impl Network {
    /// A network of nodes 0 to `nodes` - 1. Errors: there can be no such network.
    pub fn new(config: &NetworkConfig, nodes: usize) -> Result<Self, NetworkError> {
        Self::of_worker(config, nodes, (0, 1))
    }

    /// What worker `number` of `workers` has of it: the ends at the nodes that are [dealt](NetworkConfig::worker) to
    /// it. Errors: as of [`new`](Self::new).
    pub(crate) fn of_worker(
        config: &NetworkConfig,
        nodes: usize,
        (number, workers): (usize, usize),
    ) -> Result<Self, NetworkError> {
        config.check(nodes)?;
        let route = Route::new(config, nodes as u32);
        let [of_nodes, of_trunks] = owners(config, nodes, workers);
        let ports = (0..nodes as u32).zip(of_nodes);
        let ports = ports.filter(|(_, owner)| *owner == number);
        let trunks = route.trunks().into_iter().zip(of_trunks);
        let trunks = trunks.filter(|(_, owner)| *owner == number);
        Ok(Self {
            config: config.clone(),
            ports: ports
                .map(|(node, _)| Port::new(config, node, &route))
                .collect(),
            trunks: trunks
                .map(|(place, _)| Trunk::new(config, &route, place))
                .collect(),
        })
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.ports.len()
    }

    /// The [lookahead](NetworkConfig::lookahead), in cycles.
    pub fn lookahead(&self) -> u64 {
        self.config.lookahead()
    }

    /// How it was made.
    pub fn config(&self) -> &NetworkConfig {
        &self.config
    }

    /// The ends at each node.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// The links between leaves and spines; a star has none.
    pub fn trunks(&self) -> &[Trunk] {
        &self.trunks
    }

    /// The ends at each node and the trunks, to run them apart.
    pub fn parts_mut(&mut self) -> (&mut [Port], &mut [Trunk]) {
        (&mut self.ports, &mut self.trunks)
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
        self.trunks.iter_mut().for_each(|trunk| trunk.end(cycle));
        self.exchange(cycle + 1);
    }

    /// Hands over what the ends have sent to each other; `cycle` comes next.
    pub fn exchange(&mut self, cycle: u64) {
        let mut flights = Vec::new();
        for port in &mut self.ports {
            flights.extend(port.take_flights());
        }
        for trunk in &mut self.trunks {
            flights.extend(trunk.take_flights());
        }
        for flight in flights {
            let hop = flight.hop as usize;
            match hop.checked_sub(self.ports.len()) {
                None => self.ports[hop].deliver(flight),
                Some(trunk) => self.trunks[trunk].deliver(flight),
            }
        }
        self.ports.iter_mut().for_each(|port| port.begin(cycle));
    }

    /// Whether nothing is on its way. A packet of which the source owes beats is.
    pub fn is_empty(&self) -> bool {
        self.ports.iter().all(Port::is_empty) && self.trunks.iter().all(Trunk::is_empty)
    }

    /// Beats of `node` that hold a place in its buffers, until the network has reported that their target took them.
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
        let logs: Vec<_> = self.ports.iter().map(Port::log).collect();
        merge(&logs)
    }
}

/// The worker of each node, and of each trunk, if they are dealt among so many.
pub(crate) fn owners(config: &NetworkConfig, nodes: usize, workers: usize) -> [Vec<usize>; 2] {
    let trunks = Route::new(config, nodes as u32).trunks().into_iter();
    [
        (0..nodes)
            .map(|node| config.worker(node, workers))
            .collect(),
        trunks.map(|place| place.leaf as usize % workers).collect(),
    ]
}
