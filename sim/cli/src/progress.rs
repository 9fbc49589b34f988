//! The progress bar of runs that count clock cycles, cases, or steps of programs.

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
    styled(bar.with_prefix(what.to_owned()), template)
}

/// A bar up to the last of the steps of programs, whose message is a cycle. The time left is a guess: as if all steps
/// took as long as those that are done.
pub fn steps(output: &Output, all: u64) -> ProgressBar {
    match output.has_progress() {
        true => styled(
            ProgressBar::new(all),
            "{bar:30} step {pos} of {len}, cycle {msg} ({elapsed}, {eta} left)",
        ),
        false => ProgressBar::hidden(),
    }
}

fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
