//! What the waveform shows of each node's links.

use crate::network::{Class, Network};

/// Name and width: the network takes a request's beat of the node, or an answer's; beats of the node that hold a place
/// in the switches; a request's beat for the node is at the end of its link, or an answer's.
pub(super) const LINK_SIGNALS: [(&str, usize); 5] = [
    ("ready", 1),
    ("ready_answer", 1),
    ("beats_on_the_way", 32),
    ("offers", 1),
    ("offers_answer", 1),
];

/// Their values in `cycle`, node by node.
pub(super) fn link_values(network: &Network, cycle: u64) -> Vec<u64> {
    let of_node = |node| {
        let ready = network.ready(cycle, node);
        let offers = Class::ALL.map(|class| network.offers(cycle, node, class));
        [
            ready[0].into(),
            ready[1].into(),
            network.on_the_way(node) as u64,
            offers[0].into(),
            offers[1].into(),
        ]
    };
    (0..network.nodes()).flat_map(of_node).collect()
}
