//! The parameter file.

use crate::System;
use crate::experiments::mpi_runs::{self, Collective, Job, Pipeline, Point};
use crate::experiments::variants::Variant;
use crate::mpi::{Background, MOST_SLOTS, Way};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xtq_testbench::input::InputError;

/// Largest vector, bytes.
const MOST_BYTES: u64 = 64 << 20;
/// Most ranks: one table entry each.
const MOST_NODES: usize = 64;
/// What the sweeps are called in tables.
pub const PLAIN: &str = "plain";
pub const PIPELINED: &str = "pipelined";
pub const OVERLAPPED: &str = "overlapped";

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Ranks.
    pub nodes: usize,
    /// Bytes of each rank's vector, rising multiples of 4.
    pub bytes: Vec<u64>,
    /// Of these, in the same way, with segments.
    pub pipelined_bytes: Vec<u64>,
    /// Segments of the pipelined runs.
    pub pipeline: Pipeline,
    /// Others, with the largest of these sizes.
    #[serde(default)]
    pub other_pipelines: Vec<Pipeline>,
    /// Bytes of a round before the one that is measured, over the first part of each vector; 0: none.
    pub warm_bytes: u64,
    /// Size at which the application works meanwhile: a non-blocking reduction.
    pub overlap_bytes: u64,
    /// Its work, in instructions.
    pub overlap_instructions: u64,
    /// Instructions between two looks for events.
    pub overlap_between: u64,
    /// Sizes at which the systems of `variants` run too.
    pub variant_bytes: Vec<u64>,
    /// Seeds of vectors up to `seeds_bytes`.
    pub seeds: u64,
    /// Larger vectors have one seed.
    pub seeds_bytes: u64,
    /// The first of them.
    pub seed: u64,
}

/// A key that is wrong, and why.
pub(in crate::experiments) type Wrong = (String, String);

/// Errors: vectors that cannot be.
pub(in crate::experiments) fn check_bytes(key: &str, bytes: &[u64]) -> Result<(), Wrong> {
    let fault = |why: &str| Err((format!("sweep.{key}"), why.to_owned()));
    if !bytes
        .iter()
        .all(|bytes| bytes.is_multiple_of(4) && (4..=MOST_BYTES).contains(bytes))
    {
        return fault("not all are multiples of 4, from 4 to 67108864");
    }
    match bytes.is_sorted_by(|a, b| a < b) {
        true => Ok(()),
        false => fault("they do not rise"),
    }
}

/// Errors: a pipeline that cannot be.
pub(in crate::experiments) fn check_pipeline(pipeline: Pipeline) -> Result<(), Wrong> {
    if !(1..=MOST_SLOTS).contains(&pipeline.slots) {
        let why = format!("{} is not from 1 to {MOST_SLOTS}", pipeline.slots);
        return Err(("sweep.pipeline.slots".to_owned(), why));
    }
    match pipeline.segment_bytes.is_multiple_of(4) {
        true => Ok(()),
        false => {
            let why = format!("{} is not a multiple of 4", pipeline.segment_bytes);
            Err(("sweep.pipeline.segment_bytes".to_owned(), why))
        }
    }
}

/// Errors: so many ranks or seeds cannot be.
pub(in crate::experiments) fn check_numbers(nodes: &[usize], seeds: u64) -> Result<(), Wrong> {
    if let Some(wrong) = nodes
        .iter()
        .find(|nodes| !(2..=MOST_NODES).contains(*nodes))
    {
        let why = format!("{wrong} is not from 2 to {MOST_NODES}");
        return Err(("sweep.nodes".to_owned(), why));
    }
    match (1..=100).contains(&seeds) {
        true => Ok(()),
        false => Err((
            "sweep.seeds".to_owned(),
            format!("{seeds} is not from 1 to 100"),
        )),
    }
}

fn check(sweep: &Sweep) -> Result<(), Wrong> {
    check_numbers(&[sweep.nodes], sweep.seeds)?;
    check_bytes("bytes", &sweep.bytes)?;
    check_bytes("pipelined_bytes", &sweep.pipelined_bytes)?;
    check_bytes("variant_bytes", &sweep.variant_bytes)?;
    check_bytes("overlap_bytes", &[sweep.overlap_bytes])?;
    check_pipeline(sweep.pipeline)?;
    for pipeline in &sweep.other_pipelines {
        check_pipeline(*pipeline)?;
    }
    match sweep.bytes.is_empty() {
        true => Err(("sweep.bytes".to_owned(), "there is none".to_owned())),
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

    /// The smallest and the largest size below 64 KiB, one seed, no variants.
    pub fn quick(mut self) -> Self {
        let Sweep {
            bytes,
            pipelined_bytes,
            ..
        } = &mut self.sweep;
        for sizes in [&mut *bytes, pipelined_bytes] {
            sizes.retain(|bytes| *bytes < 64 << 10);
            let last = sizes.len().saturating_sub(1);
            let mut number = 0..;
            sizes.retain(|_| {
                number
                    .next()
                    .is_some_and(|number| number == 0 || number == last)
            });
        }
        self.sweep.other_pipelines.clear();
        self.sweep.overlap_bytes = self.sweep.overlap_bytes.min(16 << 10);
        self.sweep.seeds = 1;
        self.variants.clear();
        self
    }

    /// All points.
    pub(super) fn points(&self) -> Vec<Point<'_>> {
        let sweep = &self.sweep;
        let whole = Pipeline {
            segment_bytes: 0,
            ..sweep.pipeline
        };
        let overlap = Background {
            left: sweep.overlap_instructions,
            between: sweep.overlap_between,
        };
        let none = Background::default();
        let mut points = Vec::new();
        let mut add = |of: &str, system, bytes: &[u64], pipeline, overlap| {
            for bytes in bytes {
                points.extend(Way::ALL.map(|way| Point {
                    of: of.to_owned(),
                    system,
                    job: Job {
                        way,
                        collective: Collective::Reduce,
                        nodes: sweep.nodes,
                        bytes: *bytes,
                        pipeline,
                        warm: sweep.warm_bytes,
                        overlap,
                        seed: sweep.seed,
                    },
                    seeds: match *bytes <= sweep.seeds_bytes {
                        true => sweep.seeds,
                        false => 1,
                    },
                }));
            }
        };
        add(PLAIN, &self.system, &sweep.bytes, whole, none);
        let pipeline = sweep.pipeline;
        add(
            PIPELINED,
            &self.system,
            &sweep.pipelined_bytes,
            pipeline,
            none,
        );
        let largest = sweep.pipelined_bytes.last();
        let largest = largest.map(std::slice::from_ref).unwrap_or_default();
        for pipeline in &sweep.other_pipelines {
            let Pipeline {
                slots,
                segment_bytes,
            } = *pipeline;
            let of = format!("{PIPELINED}, {slots} places, {segment_bytes} bytes");
            add(&of, &self.system, largest, *pipeline, none);
        }
        add(
            OVERLAPPED,
            &self.system,
            &[sweep.overlap_bytes],
            whole,
            overlap,
        );
        for variant in &self.variants {
            let bytes = &sweep.variant_bytes;
            add(&variant.name, &variant.system, bytes, whole, none);
        }
        points
    }
}
