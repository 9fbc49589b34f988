//! The parameter file.

use super::{Mode, Point};
use crate::experiments::offload::{LONGEST_NS, Surrounds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xtq_testbench::experiments::{Wrong, read_parameters};
use xtq_testbench::input::InputError;

/// Most nodes, and bytes of the broadcast.
const MOST: (usize, u64) = (64, 1 << 20);
/// Most segments.
const MOST_SEGMENTS: u64 = 64;

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Numbers of nodes, upwards.
    pub nodes: Vec<usize>,
    /// Bytes of the broadcast, upwards.
    pub bytes: Vec<u64>,
    /// Children of a node of the k-nomial tree.
    pub k: usize,
    /// Seeds: of memory's latency, of the network's jitter, and of how late ranks begin.
    pub seeds: Vec<u64>,
}

/// What hosts take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// For a command, in ns: its 128 bytes and the doorbell.
    pub command_ns: u64,
    /// More for a message that the library sends or forwards, in ns.
    pub message_ns: u64,
}

/// Hosts that take something else, or a broadcast in segments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// What is different.
    pub name: String,
    /// Numbers of nodes, upwards.
    pub nodes: Vec<usize>,
    /// What they take; the sweep's if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// Segments of the broadcast, whole if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments: Option<u64>,
}

/// Parameters of the experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// What is swept.
    pub sweep: Sweep,
    /// The hosts.
    pub host: Host,
    /// Other hosts.
    #[serde(default)]
    pub variants: Vec<Variant>,
    /// What is around the NICs.
    pub system: Surrounds,
}

impl Parameters {
    /// Reads `text`; `file` names it in errors.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        read_parameters(file, text, Self::check)
    }

    /// The same on two and four nodes, with one seed: to see that everything works, not to see a result.
    pub fn quick(mut self) -> Self {
        self.sweep.nodes = vec![2, 4];
        self.sweep.seeds.truncate(1);
        self.sweep.bytes.truncate(2);
        self.variants.truncate(1);
        self.variants
            .iter_mut()
            .for_each(|other| other.nodes = vec![2, 4]);
        self
    }

    /// All points: each way to do it on every number of nodes in every size, then the other hosts.
    pub fn points(&self) -> Vec<Point> {
        let sweep = &self.sweep;
        let own = (String::new(), self.host, 1, &sweep.nodes);
        let others = self.variants.iter().map(|other| {
            let host = other.host.unwrap_or(self.host);
            let segments = other.segments.unwrap_or(1);
            (other.name.clone(), host, segments, &other.nodes)
        });
        let mut points = Vec::new();
        for (name, host, segments, nodes) in std::iter::once(own).chain(others) {
            for (nodes, bytes) in nodes
                .iter()
                .flat_map(|nodes| sweep.bytes.iter().map(move |b| (*nodes, *b)))
            {
                points.extend(Mode::ALL.map(|mode| Point {
                    variant: name.clone(),
                    mode,
                    nodes,
                    bytes,
                    k: sweep.k,
                    segments,
                    host,
                    seeds: sweep.seeds.clone(),
                }));
            }
        }
        points
    }

    fn check(&self) -> Result<(), Wrong> {
        let fault = |key: String, why: String| Err((key, why));
        let Self {
            sweep,
            host,
            variants,
            system,
        } = self;
        if let Err((key, why)) = system.check() {
            return fault(format!("system.{key}"), why);
        }
        let (most, largest) = MOST;
        let others = variants.iter().enumerate();
        let others =
            others.map(|(number, other)| (format!("variants[{number}].nodes"), &other.nodes));
        for (key, nodes) in std::iter::once(("sweep.nodes".to_owned(), &sweep.nodes)).chain(others)
        {
            let in_range = nodes.iter().all(|nodes| (2..=most).contains(nodes));
            if nodes.len() < 2 || !in_range || !nodes.is_sorted_by(|a, b| a < b) {
                return fault(
                    key,
                    format!("not two or more numbers from 2 upwards to {most}"),
                );
            }
        }
        let in_range = sweep
            .bytes
            .iter()
            .all(|bytes| (1..=largest).contains(bytes));
        if sweep.bytes.is_empty() || !in_range || !sweep.bytes.is_sorted_by(|a, b| a < b) {
            return fault(
                "sweep.bytes".to_owned(),
                format!("not a list from 1 upwards to {largest}"),
            );
        }
        if !(2..=most).contains(&sweep.k) {
            return fault(
                "sweep.k".to_owned(),
                format!("{} is not from 2 to {most}", sweep.k),
            );
        }
        if sweep.seeds.is_empty() {
            return fault("sweep.seeds".to_owned(), "there is none".to_owned());
        }
        for (number, variant) in variants.iter().enumerate() {
            let segments = variant.segments.unwrap_or(1);
            if !(1..=MOST_SEGMENTS).contains(&segments) {
                return fault(
                    format!("variants[{number}].segments"),
                    format!("{segments} is not from 1 to {MOST_SEGMENTS}"),
                );
            }
        }
        let variants = variants.iter().enumerate();
        let variants = variants.filter_map(|(number, variant)| {
            Some((format!("variants[{number}].host"), variant.host?))
        });
        for (table, host) in std::iter::once(("host".to_owned(), *host)).chain(variants) {
            for (key, time) in [
                ("command_ns", host.command_ns),
                ("message_ns", host.message_ns),
            ] {
                if time > LONGEST_NS {
                    return fault(
                        format!("{table}.{key}"),
                        format!("{time} is more than {LONGEST_NS}"),
                    );
                }
            }
        }
        Ok(())
    }
}
