//! The parameter file.

use crate::System;
use crate::experiments::mpi_runs::{self, Collective, Job, Pipeline, Point};
use crate::experiments::variants::Variant;
use crate::experiments::xtq_reduce::{Wrong, check_bytes, check_numbers, check_pipeline};
use crate::mpi::{Background, Way};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xtq_testbench::input::InputError;

/// An application whose profile is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// Share of its time in allreduce, with CPUs that combine: above 0, at most 1.
    pub share: f64,
    /// Bytes of each allreduce: one of `bytes`.
    pub bytes: u64,
}

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Ranks.
    pub nodes: usize,
    /// Bytes of each rank's vector of an allreduce, rising.
    pub bytes: Vec<u64>,
    /// Of these, with segments and with other systems.
    pub beside_bytes: Vec<u64>,
    /// Shares of the time in allreduce, with CPUs that combine: rising, above 0, at most 1.
    pub shares: Vec<f64>,
    /// Applications of one's own.
    pub profiles: Vec<Profile>,
    /// Segments of a message to be combined.
    pub pipeline: Pipeline,
    /// Bytes of segments with which the paper's system runs too with `beside_bytes`, rising multiples of 4.
    pub segments: Vec<u64>,
    /// Bytes of a round before the one that is measured, over the first part of each vector; 0: none.
    pub warm_bytes: u64,
    /// Seeds of vectors up to `seeds_bytes`.
    pub seeds: u64,
    /// Larger vectors have one seed.
    pub seeds_bytes: u64,
    /// The first of them.
    pub seed: u64,
}

fn is_share(share: f64) -> bool {
    share > 0.0 && share <= 1.0
}

fn check(sweep: &Sweep) -> Result<(), Wrong> {
    check_numbers(&[sweep.nodes], sweep.seeds)?;
    check_bytes("bytes", &sweep.bytes)?;
    check_bytes("beside_bytes", &sweep.beside_bytes)?;
    if let Some(wrong) = sweep
        .beside_bytes
        .iter()
        .find(|bytes| !sweep.bytes.contains(bytes))
    {
        let why = format!("{wrong} is not one of sweep.bytes");
        return Err(("sweep.beside_bytes".to_owned(), why));
    }
    check_pipeline(sweep.pipeline)?;
    check_bytes("segments", &sweep.segments)?;
    let shares = &sweep.shares;
    if !shares.iter().all(|share| is_share(*share)) || !shares.is_sorted_by(|a, b| a < b) {
        let why = "they do not rise, or not all are above 0 and at most 1";
        return Err(("sweep.shares".to_owned(), why.to_owned()));
    }
    for (number, profile) in sweep.profiles.iter().enumerate() {
        if !is_share(profile.share) {
            let why = format!("{} is not above 0 and at most 1", profile.share);
            return Err((format!("sweep.profiles[{number}].share"), why));
        }
        if !sweep.bytes.contains(&profile.bytes) {
            let why = format!("{} is not one of sweep.bytes", profile.bytes);
            return Err((format!("sweep.profiles[{number}].bytes"), why));
        }
    }
    Ok(())
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

/// What the sweep is called in tables.
pub const PLAIN: &str = "plain";

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

    /// The smallest size, one seed, no variants.
    pub fn quick(mut self) -> Self {
        self.sweep.bytes.truncate(1);
        self.sweep.beside_bytes.clear();
        self.sweep.segments.clear();
        let smallest = self.sweep.bytes.first().copied();
        self.sweep
            .profiles
            .retain(|profile| Some(profile.bytes) == smallest);
        self.sweep.seeds = 1;
        self.variants.clear();
        self
    }

    /// All points: of the system, and of those beside it.
    pub(super) fn points(&self) -> Vec<Point<'_>> {
        let Sweep {
            bytes,
            beside_bytes,
            pipeline,
            ..
        } = &self.sweep;
        let own = self.points_of(PLAIN.to_owned(), &self.system, (bytes, *pipeline));
        let variants = self.variants.iter().flat_map(|variant| {
            let name = variant.name.clone();
            self.points_of(name, &variant.system, (beside_bytes, *pipeline))
        });
        let cut = self.sweep.segments.iter().flat_map(|segment_bytes| {
            let cut = Pipeline {
                segment_bytes: *segment_bytes,
                ..*pipeline
            };
            let name = format!("segments of {segment_bytes} bytes");
            self.points_of(name, &self.system, (beside_bytes, cut))
        });
        own.into_iter().chain(variants).chain(cut).collect()
    }

    fn points_of<'a>(
        &'a self,
        name: String,
        system: &'a System,
        (sizes, pipeline): (&[u64], Pipeline),
    ) -> Vec<Point<'a>> {
        let sweep = &self.sweep;
        let of_size = |bytes: &u64| {
            Way::ALL.map(|way| Point {
                of: name.clone(),
                system,
                job: Job {
                    way,
                    collective: Collective::Allreduce,
                    nodes: sweep.nodes,
                    bytes: *bytes,
                    pipeline,
                    warm: sweep.warm_bytes,
                    overlap: Background::default(),
                    seed: sweep.seed,
                },
                seeds: match *bytes <= sweep.seeds_bytes {
                    true => sweep.seeds,
                    false => 1,
                },
            })
        };
        sizes.iter().flat_map(of_size).collect()
    }
}
