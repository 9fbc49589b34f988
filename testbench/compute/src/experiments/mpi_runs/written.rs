//! Parameter files of these experiments: a sweep, a system, and systems of which some keys differ.

use crate::System;
use crate::experiments::variants::{Variant, WrittenVariant, variants};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use xtq_testbench::experiments::{Wrong, read_parameters};
use xtq_testbench::input::InputError;

/// The file as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Parameters")]
struct Written<S> {
    /// What is swept.
    sweep: S,
    /// The system: table I of the paper, and what it does not state.
    system: System,
    /// Systems beside it.
    #[serde(default)]
    variants: Vec<WrittenVariant>,
}

/// JSON Schema of a file with this sweep.
pub fn schema<S: JsonSchema>() -> serde_json::Value {
    schemars::schema_for!(Written<S>).to_value()
}

/// Reads a file: the sweep, which `check` tests (a key and why it is wrong), the system, the variants. Errors: the
/// first fault, with its place.
pub fn parse<S: DeserializeOwned>(
    file: &str,
    text: &str,
    check: impl Fn(&S) -> Result<(), Wrong>,
) -> Result<(S, System, Vec<Variant>), InputError> {
    let written: Written<S> = read_parameters(file, text, |read: &Written<S>| check(&read.sweep))?;
    let variants = variants(file, text, &written.system, written.variants)?;
    Ok((written.sweep, written.system, variants))
}
