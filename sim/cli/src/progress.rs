//! The progress bar of runs that count clock cycles or cases.

use crate::output::Output;
use indicatif::{ProgressBar, ProgressStyle};

/// A bar up to `last` of what it counts, or a spinner if nobody knows how long it takes; hidden if standard error is no
/// terminal.
pub fn bar(output: &Output, what: &str, last: Option<u64>) -> ProgressBar {
    if !output.has_progress() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match last {
        None => (
            ProgressBar::new_spinner(),
            "{spinner} {prefix} {pos} ({per_sec}, {elapsed})",
        ),
        Some(last) => (
            ProgressBar::new(last),
            "{bar:30} {prefix} {pos} of {len} ({per_sec}, {eta} left)",
        ),
    };
    let bar = bar.with_prefix(what.to_owned());
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
