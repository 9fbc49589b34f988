//! The waveform of a run: what is asked for, and what came of it.

use crate::error::CliError;
use crate::paths;
use crate::played::Played;
use std::io::ErrorKind;
use std::path::Path;
use xtq_engine::{WaveFailure, WaveOptions};

/// What says that a run has failed as its waveform cannot be written; nothing does if it goes to a standard stream,
/// whose reader may go away.
pub fn failure(options: &WaveOptions) -> Option<WaveFailure> {
    (!paths::is_stream(&options.path)).then(|| options.failure.clone())
}

/// What came of a waveform. That the reader of standard output goes away is no failure. Errors: it cannot be written;
/// what was asked for makes no sense.
pub fn arrived(done: xtq_engine::Result<()>) -> Result<(), CliError> {
    match done {
        Err(xtq_engine::Error::Wave { path, source })
            if source.kind() == ErrorKind::BrokenPipe && paths::is_stream(Path::new(&path)) =>
        {
            Ok(())
        }
        done => done.map_err(CliError::of_wave),
    }
}

/// Errors: the window ends before the run begins.
pub fn check_window(options: &WaveOptions, start: u64) -> Result<(), CliError> {
    match options.to.filter(|to| *to < start) {
        None => Ok(()),
        Some(to) => Err(empty_window(
            "--to",
            format!("cycle {to} is before the first cycle of the run, {start}"),
        )),
    }
}

/// Ends the waveform. Errors: it cannot be written; the run was over before the window, so that there is nothing to see
/// and no file was made.
pub fn close(run: &mut impl Played, options: WaveOptions) -> Result<WaveOptions, CliError> {
    arrived(run.finish_wave())?;
    let last = run.cycle();
    match options.from.filter(|from| *from > last) {
        None => Ok(options),
        Some(from) => Err(empty_window(
            "--from",
            format!("cycle {from} is after the last cycle of the run, {last}"),
        )),
    }
}

fn empty_window(argument: &str, message: String) -> CliError {
    CliError::Usage {
        argument: argument.to_owned(),
        message,
        help: "no cycle of the run would be in the waveform, so none was written".to_owned(),
    }
}
