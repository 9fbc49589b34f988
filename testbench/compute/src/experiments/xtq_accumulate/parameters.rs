//! The parameter file.

use super::run::{Job, Point};
use crate::System;
use crate::experiments::mpi_runs::{self, Pipeline};
use crate::experiments::variants::Variant;
use crate::mpi::{MOST_SLOTS, Way};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xtq_testbench::experiments::Wrong;
use xtq_testbench::input::InputError;

/// Longest vector, bytes.
const LONGEST: u64 = 16 << 20;

/// Name of the sweep in which each vector is one accumulate.
pub(super) const WHOLE: &str = "table I";
/// Name of the sweep in segments.
pub(super) const SEGMENTED: &str = "table I, segments";

/// What the sweep of a system with segments is called.
pub(super) fn in_segments(name: &str) -> String {
    format!("{name}, segments")
}

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Bytes of the vector, one accumulate each, upwards.
    pub bytes: Vec<u64>,
    /// Bytes of the vectors that go in segments, upwards.
    pub segmented_bytes: Vec<u64>,
    /// Most bytes of a segment.
    pub segment_bytes: u64,
    /// Landing places at the target.
    pub slots: u64,
    /// Other segments and landing places beside it, with a vector of `other_pipeline_bytes`.
    #[serde(default)]
    pub other_pipelines: Vec<Pipeline>,
    /// Bytes of the vector of these.
    #[serde(default)]
    pub other_pipeline_bytes: u64,
    /// Epochs of a run.
    pub rounds: u64,
    /// From so many bytes on, one epoch.
    pub one_round_bytes: u64,
    /// Bytes of the vectors of systems beside the paper's.
    pub variant_bytes: Vec<u64>,
    /// Bytes of the vectors that go in segments there.
    #[serde(default)]
    pub variant_segmented_bytes: Vec<u64>,
    /// Runs of a point, each with a seed of its own.
    pub seeds: u64,
    /// Runs of a point of other segments and of the systems beside.
    pub variant_seeds: u64,
    /// From so many bytes on, one seed.
    pub one_seed_bytes: u64,
    /// The first seed.
    pub seed: u64,
}

/// JSON Schema of a file of parameters.
pub(super) fn schema() -> serde_json::Value {
    mpi_runs::schema::<Sweep>()
}

/// Parameters of the experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// What is swept.
    pub sweep: Sweep,
    /// The system.
    pub system: System,
    /// Others to compare it with.
    pub variants: Vec<Variant>,
}

fn check(sweep: &Sweep) -> Result<(), Wrong> {
    let fits = |bytes: &u64| *bytes > 0 && bytes.is_multiple_of(4) && *bytes <= LONGEST;
    let lists = [
        ("bytes", &sweep.bytes),
        ("segmented_bytes", &sweep.segmented_bytes),
        ("variant_bytes", &sweep.variant_bytes),
        ("variant_segmented_bytes", &sweep.variant_segmented_bytes),
    ];
    for (key, list) in lists {
        if !list.iter().all(fits) || !list.is_sorted_by(|a, b| a < b) {
            let why = format!("not a list of multiples of 4 up to {LONGEST}, upwards");
            return Err((format!("sweep.{key}"), why));
        }
    }
    let mut numbers = vec![
        ("rounds", sweep.rounds, 64),
        ("seeds", sweep.seeds, 100),
        ("variant_seeds", sweep.variant_seeds, 100),
        ("slots", sweep.slots, MOST_SLOTS),
        ("segment_bytes", sweep.segment_bytes, LONGEST),
    ];
    for other in &sweep.other_pipelines {
        numbers.extend([
            ("other_pipelines", other.slots, MOST_SLOTS),
            ("other_pipelines", other.segment_bytes, LONGEST),
            ("other_pipeline_bytes", sweep.other_pipeline_bytes, LONGEST),
        ]);
    }
    for (key, number, most) in numbers {
        if !(1..=most).contains(&number) {
            let why = format!("{number} is not from 1 to {most}");
            return Err((format!("sweep.{key}"), why));
        }
    }
    let others = sweep.other_pipelines.iter();
    let others = others.map(|other| ("other_pipelines", other.segment_bytes));
    let bytes = [
        ("segment_bytes", sweep.segment_bytes),
        ("other_pipeline_bytes", sweep.other_pipeline_bytes),
    ];
    match others
        .chain(bytes)
        .find(|(_, bytes)| !bytes.is_multiple_of(4))
    {
        None => Ok(()),
        Some((key, bytes)) => Err((
            format!("sweep.{key}"),
            format!("{bytes} is not a multiple of 4"),
        )),
    }
}

impl Parameters {
    /// Reads `text`; `file` names it in errors. Errors: the first fault.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        let (sweep, system, variants) = mpi_runs::parse(file, text, check)?;
        Ok(Self {
            sweep,
            system,
            variants,
        })
    }

    /// The same with one seed and both ends of small vectors: to see that it works.
    pub fn quick(mut self) -> Self {
        let sweep = &mut self.sweep;
        sweep.bytes = vec![64, 16384];
        sweep.segmented_bytes = vec![32768];
        sweep.rounds = 2;
        sweep.seeds = 1;
        sweep.other_pipelines.clear();
        self.variants.clear();
        self
    }

    /// All points.
    pub(super) fn points(&self) -> Vec<Point<'_>> {
        let sweep = &self.sweep;
        let own = &self.system;
        let mut points = Vec::new();
        let mut add =
            |of: &str, system, sizes: &[u64], (slots, segment): (u64, Option<u64>), seeds| {
                for bytes in sizes {
                    points.extend(Way::ALL.map(|way| Point {
                        of: of.to_owned(),
                        system,
                        job: Job {
                            way,
                            bytes: *bytes,
                            segment_bytes: segment.map_or(*bytes, |most| most.min(*bytes)),
                            slots,
                            rounds: match *bytes < sweep.one_round_bytes {
                                true => sweep.rounds,
                                false => 1,
                            },
                            seed: sweep.seed,
                        },
                        seeds: match *bytes < sweep.one_seed_bytes {
                            true => seeds,
                            false => 1,
                        },
                    }));
                }
            };
        let (whole, cut) = (
            (sweep.slots, None),
            (sweep.slots, Some(sweep.segment_bytes)),
        );
        add(WHOLE, own, &sweep.bytes, whole, sweep.seeds);
        add(SEGMENTED, own, &sweep.segmented_bytes, cut, sweep.seeds);
        for Pipeline {
            slots,
            segment_bytes,
        } in &sweep.other_pipelines
        {
            let of = format!("{SEGMENTED}, {slots} places, {segment_bytes} bytes");
            let sizes = std::slice::from_ref(&sweep.other_pipeline_bytes);
            add(
                &of,
                own,
                sizes,
                (*slots, Some(*segment_bytes)),
                sweep.variant_seeds,
            );
        }
        for Variant { name, system } in &self.variants {
            let seeds = sweep.variant_seeds;
            add(name, system, &sweep.variant_bytes, whole, seeds);
            let of = in_segments(name);
            add(&of, system, &sweep.variant_segmented_bytes, cut, seeds);
        }
        points
    }
}
