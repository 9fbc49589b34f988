//! The parameter file.

use super::Point;
use crate::experiments::offload::Surrounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::collectives::{self, VARIANTS, Variant, variant};
use xtq_cdag::compile::Protocol;
use xtq_testbench::experiments::{Wrong, read_parameters};
use xtq_testbench::input::InputError;

/// Most nodes, and bytes of a vector or block.
const MOST: (usize, u64) = (64, 1 << 16);

/// Table I.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Collectives, as `xtq collective --list` names them; none: all.
    pub collectives: Vec<String>,
    /// Numbers of nodes, upwards.
    pub nodes: Vec<usize>,
    /// Bytes of a vector, or of the block of each rank: floats.
    pub bytes: u64,
    /// Children of a node of k-ary and k-nomial trees.
    pub k: usize,
    /// Segments in which vectors go through trees and chains.
    pub segments: u64,
    /// Seeds: of memory's latency, of the network's jitter, and of how late ranks begin.
    pub seeds: Vec<u64>,
}

/// One collective with every protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Protocols {
    /// The collective.
    pub collective: String,
    /// Its algorithm.
    pub algorithm: String,
    /// Nodes.
    pub nodes: usize,
    /// Sizes, upwards.
    pub bytes: Vec<u64>,
}

/// Parameters of the experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Table I.
    pub sweep: Sweep,
    /// The protocols of figure 4.
    pub protocols: Protocols,
    /// What is around the NICs.
    pub system: Surrounds,
}

impl Parameters {
    /// Reads `text`; `file` names it in errors.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        read_parameters(file, text, Self::check)
    }

    /// The same on two and three nodes, with one seed: to see that everything works, not to see a result.
    pub fn quick(mut self) -> Self {
        self.sweep.nodes = vec![2, 3];
        self.sweep.seeds.truncate(1);
        self.protocols.nodes = 3;
        self.protocols.bytes.truncate(2);
        self
    }

    /// All points: every variant on every number of nodes, then the protocols.
    pub fn points(&self) -> Vec<Point> {
        let Self {
            sweep, protocols, ..
        } = self;
        let parameters = |nodes: usize, bytes: u64, segments: u64| collectives::Parameters {
            nodes,
            root: 0,
            bytes,
            k: sweep.k,
            segments,
            operation: Operation::Sum,
            datatype: Datatype::Float,
        };
        let mut points = Vec::new();
        for nodes in &sweep.nodes {
            points.extend(self.variants().map(|variant| Point {
                variant,
                parameters: parameters(*nodes, sweep.bytes, sweep.segments),
                protocol: Protocol::Auto,
                seeds: sweep.seeds.clone(),
            }));
        }
        let chosen = variant(&protocols.collective, &protocols.algorithm);
        for (bytes, variant) in protocols
            .bytes
            .iter()
            .flat_map(|bytes| chosen.map(|v| (bytes, v)))
        {
            points.extend(super::measure::PROTOCOLS.map(|(protocol, _)| Point {
                variant,
                parameters: parameters(protocols.nodes, *bytes, 1),
                protocol,
                seeds: sweep.seeds.clone(),
            }));
        }
        points
    }

    /// The variants of table I that are swept.
    fn variants(&self) -> impl Iterator<Item = &'static Variant> {
        let chosen = &self.sweep.collectives;
        let is_chosen = |variant: &&Variant| {
            chosen.is_empty() || chosen.iter().any(|name| name == variant.collective)
        };
        VARIANTS.iter().filter(is_chosen)
    }

    fn check(&self) -> Result<(), Wrong> {
        let fault = |key: &str, why: String| Err((key.to_owned(), why));
        let Self {
            sweep,
            protocols,
            system,
        } = self;
        if let Err((key, why)) = system.check() {
            return fault(&format!("system.{key}"), why);
        }
        let is_known = |name: &&String| VARIANTS.iter().any(|variant| variant.collective == **name);
        if let Some(unknown) = sweep.collectives.iter().find(|name| !is_known(name)) {
            let why = format!("there is no {unknown}; `xtq collective --list` names all");
            return fault("sweep.collectives", why);
        }
        let (most, largest) = MOST;
        let numbers = |nodes: &[usize]| nodes.iter().all(|nodes| (2..=most).contains(nodes));
        if sweep.nodes.is_empty()
            || !numbers(&sweep.nodes)
            || !sweep.nodes.is_sorted_by(|a, b| a < b)
        {
            return fault(
                "sweep.nodes",
                format!("not a list from 2 upwards to {most}"),
            );
        }
        let whole = |bytes: &u64| bytes.is_multiple_of(4) && (4..=largest).contains(bytes);
        if !whole(&sweep.bytes) {
            let why = format!(
                "{} bytes are not 4 to {largest} of whole floats",
                sweep.bytes
            );
            return fault("sweep.bytes", why);
        }
        if !(2..=most).contains(&sweep.k) {
            return fault("sweep.k", format!("{} is not from 2 to {most}", sweep.k));
        }
        if !(1..=16).contains(&sweep.segments) {
            return fault(
                "sweep.segments",
                format!("{} is not from 1 to 16", sweep.segments),
            );
        }
        if sweep.seeds.is_empty() {
            return fault("sweep.seeds", "there is none".to_owned());
        }
        let Protocols {
            collective,
            algorithm,
            nodes,
            bytes,
        } = protocols;
        if variant(collective, algorithm).is_none() {
            let why =
                format!("there is no {collective} {algorithm}; `xtq collective --list` names all");
            return fault("protocols.algorithm", why);
        }
        if !numbers(&[*nodes]) {
            return fault(
                "protocols.nodes",
                format!("{nodes} is not from 2 to {most}"),
            );
        }
        if bytes.is_empty() || !bytes.iter().all(whole) || !bytes.is_sorted_by(|a, b| a < b) {
            let why = format!("not a list of whole floats upwards to {largest} bytes");
            return fault("protocols.bytes", why);
        }
        Ok(())
    }
}
