//! The parameter file.

use crate::System;
use crate::experiments::mpi_runs::{self, Collective, Job, Pipeline, Point};
use crate::experiments::variants::Variant;
use crate::experiments::xtq_reduce::{Wrong, check_bytes, check_numbers, check_pipeline};
use crate::mpi::{Background, Way};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xtq_testbench::input::InputError;

/// The two readings of "a fixed-size global data set of 4MB": it is divided among the nodes; each has so much.
pub const DIVIDED: &str = "divided among the nodes";
pub const EACH: &str = "on each node";
/// What the runs with segments are called.
pub const PIPELINED: &str = "pipelined";
/// What the runs are called in tables in which the application works meanwhile.
pub const OVERLAPPED: &str = "overlapped";
/// Of a quick run.
const QUICK_BYTES: u64 = 48 << 10;
const QUICK_NODES: [usize; 3] = [2, 4, 12];
const QUICK_EACH: [usize; 1] = [2];

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Bytes of the data set.
    pub bytes: u64,
    /// Ranks, rising, of which the data set is divided.
    pub nodes: Vec<usize>,
    /// Ranks, rising, of which each has a vector of that size.
    pub nodes_each: Vec<usize>,
    /// Segments of a message to be combined.
    pub pipeline: Pipeline,
    /// Bytes of a round before the one that is measured, over the first part of each vector; 0: none.
    pub warm_bytes: u64,
    /// Ranks at which messages go in segments too, the data set divided.
    #[serde(default)]
    pub pipelined_nodes: Vec<usize>,
    /// Most bytes of these, multiples of 4.
    #[serde(default)]
    pub segments: Vec<u64>,
    /// Ranks at which the application works meanwhile: a non-blocking allreduce, the data set divided.
    #[serde(default)]
    pub overlap_nodes: Vec<usize>,
    /// Its work, in instructions.
    #[serde(default)]
    pub overlap_instructions: u64,
    /// Instructions between two looks for events.
    #[serde(default)]
    pub overlap_between: u64,
    /// Ranks at which the systems of `variants` run too, the data set divided.
    pub variant_nodes: Vec<usize>,
    /// Seeds of vectors up to `seeds_bytes`.
    pub seeds: u64,
    /// Larger vectors have one seed.
    pub seeds_bytes: u64,
    /// The first of them.
    pub seed: u64,
}

fn check(sweep: &Sweep) -> Result<(), Wrong> {
    check_bytes("bytes", &[sweep.bytes])?;
    check_pipeline(sweep.pipeline)?;
    check_bytes("segments", &sweep.segments)?;
    for (key, nodes) in [
        ("nodes", &sweep.nodes),
        ("nodes_each", &sweep.nodes_each),
        ("pipelined_nodes", &sweep.pipelined_nodes),
        ("overlap_nodes", &sweep.overlap_nodes),
        ("variant_nodes", &sweep.variant_nodes),
    ] {
        check_numbers(nodes, sweep.seeds)?;
        if !nodes.is_sorted_by(|a, b| a < b) {
            return Err((format!("sweep.{key}"), "they do not rise".to_owned()));
        }
    }
    match sweep.nodes.is_empty() {
        true => Err(("sweep.nodes".to_owned(), "there is none".to_owned())),
        false => Ok(()),
    }
}

/// Parameters of the experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// What is swept.
    pub sweep: Sweep,
    /// The system.
    pub system: System,
    /// Systems beside it.
    pub variants: Vec<Variant>,
}

impl Parameters {
    /// Reads a file. Errors: the first fault.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        let (sweep, system, variants) = mpi_runs::parse(file, text, check)?;
        Ok(Self {
            sweep,
            system,
            variants,
        })
    }

    /// 48 KiB on a few nodes, one seed, no variants.
    pub fn quick(mut self) -> Self {
        let sweep = &mut self.sweep;
        sweep.bytes = sweep.bytes.min(QUICK_BYTES);
        sweep.nodes.retain(|nodes| QUICK_NODES.contains(nodes));
        sweep.nodes_each.retain(|nodes| QUICK_EACH.contains(nodes));
        sweep.overlap_nodes.truncate(1);
        sweep.segments.clear();
        sweep.seeds = 1;
        self.variants.clear();
        self
    }

    /// The application's work in runs that overlap it, ns.
    pub(super) fn work_ns(&self) -> f64 {
        let cpu = &self.system.cpu;
        self.sweep.overlap_instructions as f64 * 1000.0 / (cpu.ipc * cpu.clock_mhz)
    }

    /// All points.
    pub(super) fn points(&self) -> Vec<Point<'_>> {
        let sweep = &self.sweep;
        let mut points = Vec::new();
        let none = Background::default();
        let whole = sweep.pipeline;
        let mut add = |of: &str, system, nodes: &[usize], divided, (pipeline, overlap)| {
            for nodes in nodes {
                // Whole elements.
                let bytes = match divided {
                    true => sweep.bytes / *nodes as u64 / 4 * 4,
                    false => sweep.bytes,
                };
                points.extend(Way::ALL.map(|way| Point {
                    of: of.to_owned(),
                    system,
                    job: Job {
                        way,
                        collective: Collective::Allreduce,
                        nodes: *nodes,
                        bytes,
                        pipeline,
                        warm: sweep.warm_bytes,
                        overlap,
                        seed: sweep.seed,
                    },
                    seeds: match bytes <= sweep.seeds_bytes {
                        true => sweep.seeds,
                        false => 1,
                    },
                }));
            }
        };
        add(DIVIDED, &self.system, &sweep.nodes, true, (whole, none));
        add(EACH, &self.system, &sweep.nodes_each, false, (whole, none));
        for bytes in &sweep.segments {
            let cut = Pipeline {
                segment_bytes: *bytes,
                ..whole
            };
            let of = format!("{PIPELINED}, {bytes} bytes");
            add(&of, &self.system, &sweep.pipelined_nodes, true, (cut, none));
        }
        let work = Background {
            left: sweep.overlap_instructions,
            between: sweep.overlap_between,
        };
        add(
            OVERLAPPED,
            &self.system,
            &sweep.overlap_nodes,
            true,
            (whole, work),
        );
        for Variant { name, system } in &self.variants {
            add(name, system, &sweep.variant_nodes, true, (whole, none));
        }
        points
    }
}
