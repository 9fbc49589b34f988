//! Parameter files of these experiments: a sweep, a system, and systems of which some keys differ.

use crate::System;
use crate::experiments::variants::{PAGE, Variant, WrittenVariant, variants};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use xtq_testbench::input::{InputError, read_toml, wrong_value};

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
    check: impl Fn(&S) -> Result<(), (String, String)>,
) -> Result<(S, System, Vec<Variant>), InputError> {
    let written: Written<S> = read_toml(file, text, PAGE)?;
    let wrong = |(key, why): (String, String)| wrong_value(file, text, &key, why, PAGE);
    check(&written.sweep).map_err(wrong)?;
    let variants = variants(file, text, &written.system, written.variants)?;
    Ok((written.sweep, written.system, variants))
}
