//! Who looks on while cycles run, and may end them: a progress bar, or a signal from outside.

use std::ops::ControlFlow;

use thiserror::Error;

/// Called before each cycle with its number; `Break` ends the run, and says why.
pub type Progress = Box<dyn FnMut(u64) -> ControlFlow<String> + Send>;

/// A run was ended from outside.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("cycle {cycle}: {reason}")]
pub struct Ended {
    /// The cycle that was to run next.
    pub cycle: u64,
    /// Why.
    pub reason: String,
}

/// A place for one that looks on.
#[derive(Default)]
pub(crate) struct Watch {
    progress: Option<Progress>,
    has_ended: bool,
}

impl Watch {
    /// From now on `progress` looks on.
    pub(crate) fn set(&mut self, progress: Progress) {
        self.progress = Some(progress);
    }

    /// Shows the cycle that comes next. Errors: it shall not.
    pub(crate) fn check(&mut self, cycle: u64) -> Result<(), Ended> {
        let Some(progress) = &mut self.progress else {
            return Ok(());
        };
        match progress(cycle) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(reason) => {
                self.has_ended = true;
                Err(Ended { cycle, reason })
            }
        }
    }

    /// Whether it has ended the run.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }
}
