//! The parameter file.

use super::row::Way;
use crate::experiments::variants::{Variant, WrittenVariant, variants};
use crate::system::System;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xtq_testbench::experiments::{read_parameters, wrong_parameter};
use xtq_testbench::input::InputError;

/// Longest payload: a message of one packet but for the command.
const LONGEST: u64 = 1 << 20;

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Bytes of the payload, each a multiple of 4.
    pub payloads: Vec<u64>,
    /// Tasks of a run: the first is cold, the others are warm.
    pub rounds: u64,
    /// A run for each.
    pub seeds: Vec<u64>,
}

/// The file as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Parameters")]
struct Written {
    /// What is swept.
    sweep: Sweep,
    /// The system.
    system: System,
    /// Others to compare it with.
    #[serde(default)]
    variants: Vec<WrittenVariant>,
}

/// JSON Schema of a file of parameters.
pub(super) fn schema() -> serde_json::Value {
    schemars::schema_for!(Written).to_value()
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

/// A run to do.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// Name of the variant; empty: the paper's system.
    pub(super) variant: String,
    pub(super) system: System,
    pub(super) way: Way,
    pub(super) payload: u64,
    pub(super) seed: u64,
}

impl Parameters {
    /// Reads `text`; `file` names it in errors. Errors: the first fault.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        let Written {
            sweep,
            system,
            variants: written,
        } = read_parameters(file, text, |_| Ok(()))?;
        let wrong = |key: &str, why| Err(wrong_parameter(file, text, (key.to_owned(), why)));
        let fits = |bytes: &u64| *bytes > 0 && bytes.is_multiple_of(4) && *bytes <= LONGEST;
        if sweep.payloads.is_empty() || !sweep.payloads.iter().all(fits) {
            let why = format!("not a list of multiples of 4 up to {LONGEST}");
            return wrong("sweep.payloads", why);
        }
        if !(2..=64).contains(&sweep.rounds) {
            let why = format!("{} is not from 2 to 64", sweep.rounds);
            return wrong("sweep.rounds", why);
        }
        if sweep.seeds.is_empty() || sweep.seeds.len() > 100 {
            return wrong("sweep.seeds", "not a list of 1 to 100 seeds".to_owned());
        }
        let variants = variants(file, text, &system, written)?;
        Ok(Self {
            sweep,
            system,
            variants,
        })
    }

    /// The same with one seed, few rounds and no variants: to see that it works.
    pub fn quick(mut self) -> Self {
        self.sweep.seeds.truncate(1);
        self.sweep.rounds = 2;
        self.variants.clear();
        self
    }

    /// All runs.
    pub(super) fn jobs(&self) -> Vec<Job> {
        let own = (String::new(), &self.system);
        let others = self.variants.iter();
        let others = others.map(|variant| (variant.name.clone(), &variant.system));
        let mut jobs = Vec::new();
        for (variant, system) in std::iter::once(own).chain(others) {
            for payload in &self.sweep.payloads {
                for way in Way::ALL {
                    jobs.extend(self.sweep.seeds.iter().map(|seed| Job {
                        variant: variant.clone(),
                        system: system.clone(),
                        way,
                        payload: *payload,
                        seed: *seed,
                    }));
                }
            }
        }
        jobs
    }
}
