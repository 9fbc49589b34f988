//! The parameter file.

use super::run::Job;
use super::trace::{self, Accumulate};
use crate::System;
use crate::experiments::mpi_runs;
use crate::experiments::variants::Variant;
use crate::experiments::xtq_reduce::{Wrong, check_numbers};
use crate::mpi::{MOST_SLOTS, Way};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use xtq_testbench::input::InputError;

/// Most accumulates of an epoch.
const MOST_IN_EPOCH: usize = 16;
/// Accumulates of a quick run.
const QUICK: usize = 60;
/// What the system of the paper is called in tables.
pub const PLAIN: &str = "plain";

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// A CSV file with the columns rank, target, bytes; empty: the sample that is built in.
    pub trace: String,
    /// Accumulates of it that are played, from the first on.
    pub accumulates: usize,
    /// Accumulates of a rank in one epoch: rising, up to 16.
    pub epochs: Vec<usize>,
    /// Epochs of the systems beside; none: the first of `epochs`.
    #[serde(default)]
    pub variant_epochs: Vec<usize>,
    /// Landing places that each rank has at each other.
    pub slots: u64,
    /// Other numbers of them, with the epochs of the systems beside.
    #[serde(default)]
    pub other_slots: Vec<u64>,
    /// Doubles of each rank's memory that accumulates change.
    pub window_elements: u64,
    /// The recording has no addresses: an accumulate begins so many doubles after the one before it, around the window.
    #[serde(default = "displacement_stride")]
    pub displacement_stride: u64,
    /// Seeds; the systems beside have one.
    pub seeds: u64,
    /// The first of them.
    pub seed: u64,
}

fn displacement_stride() -> u64 {
    97
}

/// JSON Schema of the file.
pub fn schema() -> serde_json::Value {
    mpi_runs::schema::<Sweep>()
}

fn read(sweep: &Sweep) -> Result<Vec<Accumulate>, Wrong> {
    let fault = |key: &str, why: String| (format!("sweep.{key}"), why);
    let read = trace::read(&sweep.trace, sweep.accumulates);
    let accumulates = read.map_err(|why| fault("trace", why))?;
    let longest = accumulates.iter().map(|one| one.bytes.div_ceil(8)).max();
    match longest.unwrap_or(0) <= sweep.window_elements {
        true => Ok(accumulates),
        false => {
            let why = format!("an accumulate has {} doubles", longest.unwrap_or(0));
            Err(fault("window_elements", why))
        }
    }
}

fn check(sweep: &Sweep) -> Result<(), Wrong> {
    check_numbers(&[], sweep.seeds)?;
    let fault = |key: &str, why: String| Err((format!("sweep.{key}"), why));
    let others = sweep.other_slots.iter().map(|slots| ("other_slots", slots));
    for (key, slots) in others.chain([("slots", &sweep.slots)]) {
        if !(1..=MOST_SLOTS).contains(slots) {
            return fault(key, format!("{slots} is not from 1 to {MOST_SLOTS}"));
        }
    }
    if sweep.epochs.is_empty() {
        return fault("epochs", "there is none".to_owned());
    }
    for (key, epochs) in [
        ("epochs", &sweep.epochs),
        ("variant_epochs", &sweep.variant_epochs),
    ] {
        let mut numbers = epochs.iter();
        let are_numbers = numbers.all(|epoch| (1..=MOST_IN_EPOCH).contains(epoch));
        if !are_numbers || !epochs.is_sorted_by(|a, b| a < b) {
            let why = format!("they do not rise, or not all are from 1 to {MOST_IN_EPOCH}");
            return fault(key, why);
        }
    }
    if !(1..=1 << 24).contains(&sweep.displacement_stride) {
        let why = format!("{} is not from 1 to 16777216", sweep.displacement_stride);
        return fault("displacement_stride", why);
    }
    if !(1..=1 << 24).contains(&sweep.window_elements) {
        let why = format!("{} is not from 1 to 16777216", sweep.window_elements);
        return fault("window_elements", why);
    }
    read(sweep).map(|_| ())
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
    pub(super) accumulates: Arc<Vec<Accumulate>>,
}

impl Parameters {
    /// Reads a file, and the trace that it names. Errors: the first fault.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        let (sweep, system, variants) = mpi_runs::parse(file, text, check)?;
        // It was read once already.
        let accumulates = read(&sweep).unwrap_or_default();
        Ok(Self {
            accumulates: Arc::new(accumulates),
            sweep,
            system,
            variants,
        })
    }

    /// The first accumulates, in epochs of one, one seed, no variants.
    pub fn quick(mut self) -> Self {
        let mut accumulates = self.accumulates.to_vec();
        accumulates.truncate(QUICK);
        self.sweep.accumulates = accumulates.len();
        self.accumulates = Arc::new(accumulates);
        self.sweep.epochs.truncate(1);
        self.sweep.seeds = 1;
        self.sweep.other_slots.clear();
        self.variants.clear();
        self
    }

    /// All runs.
    pub(super) fn jobs(&self) -> Vec<Job> {
        let sweep = &self.sweep;
        let mut jobs = Vec::new();
        let mut add = |of: &str, system: &System, epoch: usize, (slots, seeds): (u64, u64)| {
            for way in Way::ALL {
                jobs.extend((sweep.seed..sweep.seed + seeds).map(|seed| Job {
                    of: of.to_owned(),
                    system: system.clone(),
                    accumulates: self.accumulates.clone(),
                    way,
                    epoch,
                    slots,
                    window_elements: sweep.window_elements,
                    displacement_stride: sweep.displacement_stride,
                    seed,
                }));
            }
        };
        for epoch in &sweep.epochs {
            add(PLAIN, &self.system, *epoch, (sweep.slots, sweep.seeds));
        }
        let beside = match sweep.variant_epochs.is_empty() {
            true => &sweep.epochs[..sweep.epochs.len().min(1)],
            false => &sweep.variant_epochs[..],
        };
        for Variant { name, system } in &self.variants {
            for epoch in beside {
                add(name, system, *epoch, (sweep.slots, 1));
            }
        }
        for slots in &sweep.other_slots {
            let places = if *slots == 1 { "place" } else { "places" };
            for epoch in beside {
                add(
                    &format!("{slots} landing {places}"),
                    &self.system,
                    *epoch,
                    (*slots, 1),
                );
            }
        }
        jobs
    }
}
