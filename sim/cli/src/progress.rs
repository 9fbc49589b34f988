//! The progress bar of runs that count clock cycles.

use crate::output::Output;
use indicatif::{ProgressBar, ProgressStyle};

/// A bar up to `cycles`, or a spinner if nobody knows how long it takes; hidden if standard error is no terminal.
pub fn bar(output: &Output, cycles: Option<u64>) -> ProgressBar {
    if !output.has_progress() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match cycles {
        None => (
            ProgressBar::new_spinner(),
            "{spinner} cycle {pos} ({per_sec}, {elapsed})",
        ),
        Some(cycles) => (
            ProgressBar::new(cycles),
            "{bar:30} cycle {pos} of {len} ({per_sec}, {eta} left)",
        ),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
