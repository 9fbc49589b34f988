//! The parameter file.

use crate::compnet::System;
use crate::experiments::{read_parameters, wrong_parameter};
use crate::input::{InputError, strict};
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// The page that explains the keys.
/// Longest time of a run, in ns: what a 32-bit counter of cycles can hold.
const LONGEST_NS: f64 = 1e9;

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Networking work-groups of each ratio, ever fewer: streaming ones fill the compute unit.
    pub networking: Vec<u64>,
    /// Which of them variants have that name no other.
    pub variants_at: u64,
    /// Seeds of every draw: a run with each.
    pub seeds: Vec<u64>,
    /// Time before anything is counted.
    pub warm_up_ns: f64,
    /// Time in which it is.
    pub window_ns: f64,
}

/// A system with some parameters changed, or another ratio.
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

/// A load, of which lock times are measured at all ratios.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// The system with it.
    pub system: System,
}

/// A load as it is written: the keys of `system` that differ.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Candidate")]
struct WrittenCandidate {
    /// Its name.
    name: String,
    /// Keys of the system with other values.
    #[serde(default)]
    #[schemars(schema_with = "part_of_system")]
    set: toml::Table,
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
    /// Loads among which that of the system was chosen: lock times of each are measured at all ratios, and by these
    /// times and nothing else it is chosen.
    #[serde(default)]
    loads: Vec<WrittenCandidate>,
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
    /// Networking work-groups, if they are not `sweep.variants_at`.
    networking: Option<u64>,
    /// Streaming work-groups of the runs with streams, if they do not fill the compute unit.
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
    /// Loads among which that of the system was chosen.
    pub loads: Vec<Candidate>,
    /// Others to compare it with.
    pub variants: Vec<Variant>,
}

impl Parameters {
    /// Reads `text`; `file` names it in errors.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        let written = read_parameters(file, text, |_| Ok(()))?;
        Self::check(written).map_err(|wrong| wrong_parameter(file, text, wrong))
    }

    /// The same on few, short runs, without variants: to see that everything works, not to see a result.
    pub fn quick(mut self) -> Self {
        let sweep = &mut self.sweep;
        if let [first, .., last] = sweep.networking[..] {
            sweep.networking = vec![first, last];
        }
        sweep.seeds.truncate(1);
        sweep.window_ns /= 2.0;
        self.loads.clear();
        self.variants.clear();
        self
    }

    /// Networking and streaming work-groups of the sweep: a full compute unit.
    pub fn ratios(&self) -> Vec<[u64; 2]> {
        let places = self.system.gpu.work_groups;
        let networking = self.sweep.networking.iter();
        networking
            .map(|number| [*number, places - number])
            .collect()
    }

    fn check(written: Written) -> Result<Self, (String, String)> {
        let Written {
            sweep,
            system,
            loads,
            variants,
        } = written;
        let fault = |key: &str, message: String| Err((key.to_owned(), message));
        if let Err((key, message)) = system.check() {
            return fault(&format!("system.{key}"), message);
        }
        check_sweep(&sweep, &system).map_err(|(key, message)| (format!("sweep.{key}"), message))?;
        for (key, time) in [
            ("sweep.warm_up_ns", sweep.warm_up_ns),
            ("sweep.window_ns", sweep.window_ns),
        ] {
            if !(0.0..=LONGEST_NS).contains(&time) {
                return fault(key, format!("{time:?} is not from 0 to {LONGEST_NS}"));
            }
        }
        let base = toml::Table::try_from(&system)
            .map_err(|error| ("system".to_owned(), error.to_string()))?;
        let mut candidates = Vec::new();
        for (number, WrittenCandidate { name, set }) in loads.into_iter().enumerate() {
            let system = changed(&base, &format!("loads[{number}].set"), set)?;
            candidates.push(Candidate { name, system });
        }
        let mut made = Vec::new();
        for (number, variant) in variants.into_iter().enumerate() {
            let system = changed(&base, &format!("variants[{number}].set"), variant.set)?;
            let networking = variant.networking.unwrap_or(sweep.variants_at);
            let rest = system.gpu.work_groups.saturating_sub(networking);
            let streaming = variant.streaming.unwrap_or(rest);
            check_load(&system, networking, streaming)
                .map_err(|(inner, message)| (format!("variants[{number}].{inner}"), message))?;
            made.push(Variant {
                name: variant.name,
                system,
                networking,
                streaming,
            });
        }
        Ok(Self {
            sweep,
            system,
            loads: candidates,
            variants: made,
        })
    }
}

/// The system of `base` with some keys changed; `key` names them in errors. Errors: the key, and why it makes no sense.
fn changed(base: &toml::Table, key: &str, set: toml::Table) -> Result<System, (String, String)> {
    let mut table = base.clone();
    merge(&mut table, set);
    let system: System = strict::from_value(table).map_err(|(inner, error)| {
        let message = strict::plain(error.message().trim(), strict::TABLE).replace('\n', "; ");
        (strict::key_in(key, &inner), message)
    })?;
    let checked = system.check();
    checked.map_err(|(inner, message)| (format!("{key}.{inner}"), message))?;
    Ok(system)
}

/// What makes no sense in a sweep of this system: the key, and why.
fn check_sweep(sweep: &Sweep, system: &System) -> Result<(), (&'static str, String)> {
    let places = system.gpu.work_groups;
    let networking = &sweep.networking;
    let fits = networking
        .iter()
        .all(|number| (1..=places).contains(number));
    if networking.is_empty() || !fits || !networking.is_sorted_by(|a, b| a > b) {
        let message = format!("not a list downwards of 1 to {places} work-groups");
        return Err(("networking", message));
    }
    if !networking.contains(&sweep.variants_at) {
        let message = format!("{} is not one of `networking`", sweep.variants_at);
        return Err(("variants_at", message));
    }
    let seeds = &sweep.seeds;
    if seeds.is_empty() || !seeds.is_sorted_by(|a, b| a < b) {
        return Err(("seeds", "not a list upwards of different seeds".into()));
    }
    Ok(())
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
