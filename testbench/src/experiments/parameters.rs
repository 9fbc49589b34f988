//! Files of parameters of experiments.

use crate::compnet::within;
use crate::input::{InputError, read_toml, wrong_value};
use serde::de::DeserializeOwned;
use std::ops::RangeInclusive;

/// Where the keys of parameters are explained.
const PAGE: &str = "docs/experiments.md explains the parameters";

/// What is wrong with a value: its key, and why.
pub type Wrong = (String, String);

/// The parameters that `text` says; `file` names it in errors. Errors: not TOML, a key that does not exist, a value of
/// the wrong type, what `check` finds; with their places.
pub fn read_parameters<T: DeserializeOwned>(
    file: &str,
    text: &str,
    check: impl FnOnce(&T) -> Result<(), Wrong>,
) -> Result<T, InputError> {
    let parameters = read_toml(file, text, PAGE)?;
    check(&parameters).map_err(|wrong| wrong_parameter(file, text, wrong))?;
    Ok(parameters)
}

/// The error of a parameter whose value makes no sense.
pub fn wrong_parameter(file: &str, text: &str, (key, why): Wrong) -> InputError {
    wrong_value(file, text, &key, why, PAGE)
}

/// That a number is in its range. Errors: its key, and why not.
pub(super) fn in_range(
    key: &'static str,
    number: f64,
    range: RangeInclusive<f64>,
) -> Result<(), Wrong> {
    within(key, number, range).map_err(|(key, why)| (key.to_owned(), why))
}

/// That there are seeds, each above the one before. Errors: their key, and why not.
pub(super) fn are_seeds(key: &str, seeds: &[u64]) -> Result<(), Wrong> {
    match !seeds.is_empty() && seeds.is_sorted_by(|a, b| a < b) {
        true => Ok(()),
        false => Err((
            key.to_owned(),
            "not a list upwards of different seeds".to_owned(),
        )),
    }
}
