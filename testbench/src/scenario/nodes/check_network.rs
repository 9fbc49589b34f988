//! The network of a scenario of several nodes: what its keys mean, and which of them may stand together.

use super::schema::{NetworkKind, NetworkTable};
use crate::input::KeyFault;
use crate::network::{Link, Network, NetworkConfig, NetworkError, Spines, Topology};
use crate::scenario::check::duration;
use crate::scenario::check_message::Checked;

fn link(latency: u64, [bytes, cycles]: [u32; 2]) -> Link {
    Link {
        latency,
        bandwidth: (bytes, cycles),
    }
}

/// The network of a scenario.
pub(super) fn network(table: &NetworkTable) -> NetworkConfig {
    let topology = match table.kind {
        NetworkKind::Star => Topology::Star,
        NetworkKind::LeafSpine => Topology::LeafSpine(Spines {
            leaf_ports: table.leaf_ports.unwrap_or(0) as usize,
            spines: table.spines.unwrap_or(0) as usize,
            link: link(
                table.spine_latency.unwrap_or(table.latency),
                table.spine_rate(),
            ),
            switch_latency: table.spine_switch_latency.unwrap_or(table.switch_latency),
        }),
    };
    NetworkConfig {
        link: link(table.latency, table.bandwidth),
        switch_latency: table.switch_latency,
        topology,
        jitter: table.jitter,
        seed: table.seed,
        buffer_beats: table.buffer_beats as usize,
    }
}

/// The first fault of the network of so many nodes.
pub(in crate::scenario) fn check_network(table: &NetworkTable, nodes: usize) -> Checked {
    check_kind(table)?;
    for (name, cycles) in [
        ("latency", Some(table.latency)),
        ("switch_latency", Some(table.switch_latency)),
        ("jitter", Some(table.jitter)),
        ("spine_latency", table.spine_latency),
        ("spine_switch_latency", table.spine_switch_latency),
    ] {
        duration(&format!("network.{name}"), cycles.unwrap_or(0))?;
    }
    let key = |error: &NetworkError| match error {
        NetworkError::Latency => "network.latency",
        NetworkError::Bandwidth(..) => "network.bandwidth",
        NetworkError::Buffer(_) => "network.buffer_beats",
        NetworkError::Nodes(_) => "nodes",
        NetworkError::SpineLatency => "network.spine_latency",
        NetworkError::SpineBandwidth(..) => "network.spine_bandwidth",
        NetworkError::LeafPorts(_) => "network.leaf_ports",
        NetworkError::Spines(_) => "network.spines",
    };
    match Network::new(&network(table), nodes) {
        Ok(_) => Ok(()),
        Err(error) => Err(KeyFault::value(key(&error), error.to_string())),
    }
}

/// Keys that only one kind has.
fn check_kind(table: &NetworkTable) -> Checked {
    let of_spines = [
        ("leaf_ports", table.leaf_ports.is_some()),
        ("spines", table.spines.is_some()),
        ("spine_latency", table.spine_latency.is_some()),
        ("spine_bandwidth", table.spine_bandwidth.is_some()),
        ("spine_switch_latency", table.spine_switch_latency.is_some()),
    ];
    match table.kind {
        NetworkKind::Star => match of_spines.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((name, _)) => {
                let message = "a star has no spines; it is a key of `kind = \"leaf_spine\"`";
                Err(KeyFault::value(format!("network.{name}"), message))
            }
        },
        NetworkKind::LeafSpine => match of_spines[..2].iter().find(|(_, given)| !*given) {
            None => Ok(()),
            Some((name, _)) => {
                let message = format!("a network of leaves and spines needs '{name}'");
                Err(KeyFault::value("network.kind", message))
            }
        },
    }
}
