//! The parameter file.

use crate::compnet::System;
use crate::input::{Fault, FaultKind, InputError, KeyFault, Source, strict};
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// Longest time of a run, in ns: what a 32-bit counter of cycles can hold.
const LONGEST_NS: f64 = 1e9;

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Networking work-groups.
    pub networking: u64,
    /// Streaming work-groups: from 0, the baseline, upwards.
    pub streaming: Vec<u64>,
    /// Sets of a bank of other L2s that are swept as the system's own.
    pub other_sets: Vec<usize>,
    /// Numbers of private lines that a call touches, each run without streams and with the most.
    pub private_lines: Vec<usize>,
    /// Time before anything is counted.
    pub warm_up_ns: f64,
    /// Time in which it is.
    pub window_ns: f64,
    /// Equal parts of that time, whose hit rates tell how far the number is a matter of chance.
    pub parts: u32,
    /// Seed of every draw.
    pub seed: u64,
}

impl Sweep {
    /// The largest number of streaming work-groups.
    pub fn most(&self) -> u64 {
        self.streaming.last().copied().unwrap_or(0)
    }
}

/// A system with some parameters changed, or with another load, run without streams and with some.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// What is different.
    pub name: String,
    /// The system.
    pub system: System,
    /// Networking work-groups.
    pub networking: u64,
    /// Streaming work-groups of the runs with streams.
    pub streaming: u64,
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

/// A variant as it is written: the keys of `system` that differ; work-groups, if they are not those of the sweep.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Variant")]
struct WrittenVariant {
    /// What is different.
    name: String,
    /// Networking work-groups.
    networking: Option<u64>,
    /// Streaming work-groups of the runs with streams.
    streaming: Option<u64>,
    /// Keys of the system with other values.
    #[serde(default)]
    #[schemars(schema_with = "part_of_system")]
    set: toml::Table,
}

/// The schema of a system, of which any key may be left out.
fn part_of_system(generator: &mut SchemaGenerator) -> Schema {
    fn make_optional(schema: &mut Schema) {
        schema.remove("required");
        transform_subschemas(&mut make_optional, schema);
    }
    let settings = generator.settings().clone();
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    let mut schema = System::json_schema(&mut settings.into_generator());
    make_optional(&mut schema);
    schema
}

/// JSON Schema of a file of parameters.
pub fn parameters_schema() -> serde_json::Value {
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

impl Parameters {
    /// Reads `text`; `file` names it in errors.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        let invalid = |mut fault: Fault| {
            let page = "docs/experiments.md explains the parameters";
            fault.help = Some(
                fault
                    .help
                    .filter(|_| fault.kind == FaultKind::Syntax)
                    .unwrap_or(page.to_owned()),
            );
            InputError::Invalid(Box::new(fault))
        };
        let Source { text, .. } = Source::read(file, text).map_err(|fault| invalid(*fault))?;
        let written: Written = strict::from_toml(text)
            .map_err(|error| invalid(Fault::of_toml(file, text, FaultKind::Schema, &error)))?;
        Self::check(written).map_err(|fault| invalid(Fault::of_key(file, text, fault)))
    }

    /// The same on few, short runs, without variants: to see that everything works, not to see a result.
    pub fn quick(mut self) -> Self {
        let last = self.sweep.streaming.last().copied();
        self.sweep.streaming = [0]
            .into_iter()
            .chain(last.filter(|last| *last > 0))
            .collect();
        self.sweep.warm_up_ns /= 2.0;
        self.sweep.window_ns /= 10.0;
        self.sweep.other_sets.clear();
        self.sweep.private_lines.clear();
        self.variants.clear();
        self
    }

    /// Runs to do.
    pub fn runs(&self) -> usize {
        let Sweep {
            streaming,
            other_sets,
            private_lines,
            ..
        } = &self.sweep;
        2 * (1 + other_sets.len()) * streaming.len()
            + 3 * (private_lines.len() + self.variants.len())
    }

    /// The systems whose whole sweep is run: the file's first.
    pub fn swept(&self) -> Vec<System> {
        let with_sets = |sets: &usize| {
            let mut system = self.system.clone();
            system.l2.sets = *sets;
            system
        };
        let others = self.sweep.other_sets.iter().map(with_sets);
        std::iter::once(self.system.clone()).chain(others).collect()
    }

    /// The systems that touch other numbers of private lines.
    pub fn by_private_lines(&self) -> Vec<Variant> {
        let with_lines = |lines: &usize| {
            let mut system = self.system.clone();
            system.cp.private_lines = *lines;
            Variant {
                name: format!("{lines} private lines"),
                system,
                networking: self.sweep.networking,
                streaming: self.sweep.most(),
            }
        };
        self.sweep.private_lines.iter().map(with_lines).collect()
    }

    fn check(written: Written) -> Result<Self, KeyFault> {
        let Written {
            sweep,
            system,
            variants,
        } = written;
        let fault = |key: &str, message: String| Err(KeyFault::value(key, message));
        if let Err((key, message)) = system.check() {
            return fault(&format!("system.{key}"), message);
        }
        if sweep.streaming.first() != Some(&0) || !sweep.streaming.is_sorted_by(|a, b| a < b) {
            return fault("sweep.streaming", "not a list from 0 upwards".into());
        }
        for (key, time) in [
            ("sweep.warm_up_ns", sweep.warm_up_ns),
            ("sweep.window_ns", sweep.window_ns),
        ] {
            if !(0.0..=LONGEST_NS).contains(&time) {
                return fault(key, format!("{time:?} is not from 0 to {LONGEST_NS}"));
            }
        }
        if !(1..=1000).contains(&sweep.parts) {
            return fault(
                "sweep.parts",
                format!("{} is not from 1 to 1000", sweep.parts),
            );
        }
        check_load(&system, sweep.networking, sweep.most())
            .map_err(|(key, message)| KeyFault::value(format!("sweep.{key}"), message))?;
        let base = toml::Table::try_from(&system)
            .map_err(|error| KeyFault::value("system", error.to_string()))?;
        let mut made = Vec::new();
        for (number, variant) in variants.into_iter().enumerate() {
            let key = format!("variants[{number}].set");
            let mut table = base.clone();
            merge(&mut table, variant.set);
            let system: System = strict::from_value(table).map_err(|(inner, error)| {
                let message =
                    strict::plain(error.message().trim(), strict::TABLE).replace('\n', "; ");
                KeyFault::value(strict::key_in(&key, &inner), message)
            })?;
            if let Err((inner, message)) = system.check() {
                return fault(&format!("{key}.{inner}"), message);
            }
            let networking = variant.networking.unwrap_or(sweep.networking);
            let streaming = variant.streaming.unwrap_or(sweep.most());
            check_load(&system, networking, streaming).map_err(|(inner, message)| {
                KeyFault::value(format!("variants[{number}].{inner}"), message)
            })?;
            made.push(Variant {
                name: variant.name,
                system,
                networking,
                streaming,
            });
        }
        let parameters = Self {
            sweep,
            system,
            variants: made,
        };
        let swept = parameters.swept();
        for (number, system) in swept.iter().enumerate() {
            if let Err((_, message)) = system.check() {
                return fault("sweep.other_sets", message);
            }
            let same = |other: &System| other.l2.sets == system.l2.sets;
            if swept[..number].iter().any(same) {
                let message = format!("{} is there twice", system.l2.sets);
                return fault("sweep.other_sets", message);
            }
        }
        for variant in parameters.by_private_lines() {
            if let Err((_, message)) = variant.system.check() {
                return fault("sweep.private_lines", message);
            }
        }
        Ok(parameters)
    }
}

/// Whether a compute unit has room for the work-groups; the key that is wrong, and why.
fn check_load(
    system: &System,
    networking: u64,
    streaming: u64,
) -> Result<(), (&'static str, String)> {
    let places = system.gpu.work_groups;
    if networking == 0 {
        return Err(("networking", "no work-group makes a call".into()));
    }
    if networking
        .checked_add(streaming)
        .is_none_or(|all| all > places)
    {
        let message = format!(
            "{streaming} and {networking} networking work-groups are more than the {places} of a compute unit"
        );
        return Err(("streaming", message));
    }
    Ok(())
}

/// Puts the values of `changes` into `table`, table by table.
fn merge(table: &mut toml::Table, changes: toml::Table) {
    for (key, change) in changes {
        match (table.get_mut(&key), change) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(change)) => merge(inner, change),
            (_, change) => {
                table.insert(key, change);
            }
        }
    }
}
