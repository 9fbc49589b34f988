//! What is printed where: the human table, JSON, errors. A reader that goes away (`xtq | head`) is no failure; a stream
//! that cannot be written is.

use crate::Volume;
use crate::error::{CliError, Told};
use crate::paths::{self, DASH, Stream};
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Standard output and standard error.
pub struct Output {
    volume: Volume,
    /// A file goes to standard output, so that text for people goes to standard error.
    file_on_stdout: bool,
    /// The first stream that could not be written, and why.
    failed: Option<(Stream, io::Error)>,
}

impl Output {
    /// Both streams, at a volume.
    pub fn new(volume: Volume) -> Self {
        Self {
            volume,
            file_on_stdout: false,
            failed: None,
        }
    }

    /// Whether more is to be printed.
    pub fn is_verbose(&self) -> bool {
        self.volume.verbose
    }

    /// Whether a progress bar may be drawn.
    pub fn has_progress(&self) -> bool {
        !self.volume.quiet && io::stderr().is_terminal()
    }

    /// Text for people.
    pub fn text(&mut self, text: &str) {
        if self.volume.quiet {
            return;
        }
        self.send(match self.file_on_stdout {
            true => (Stream::Err, text),
            false => (Stream::Out, text),
        });
    }

    /// What was asked for by name, at any volume.
    pub fn stdout(&mut self, text: &str) {
        self.send((Stream::Out, text));
    }

    /// Writes at once, and remembers a failure.
    fn send(&mut self, (stream, text): (Stream, &str)) {
        let written = stream.file();
        let written = written.and_then(|file| paths::send(file, text.as_bytes()));
        if let Err(error) = written {
            self.failed.get_or_insert((stream, error));
        }
    }

    /// Whether everything that was printed has arrived. Errors: not; the first failure.
    pub fn finish(&mut self) -> Result<(), CliError> {
        match self.failed.take() {
            None => Ok(()),
            Some((stream, source)) => Err(CliError::Stream {
                name: stream.name(),
                source,
            }),
        }
    }

    /// Says that a file will go to standard output, so that text keeps out of its way.
    pub fn reserve_stdout(&mut self) {
        self.file_on_stdout = true;
    }

    /// Writes the JSON report, as [`write_file`]. Errors: the file cannot be written.
    pub fn json(&self, file: &Path, value: &impl Serialize) -> Result<(), CliError> {
        let mut text = serde_json::to_string_pretty(value).map_err(|error| CliError::Write {
            file: file.display().to_string(),
            source: error.into(),
        })?;
        text.push('\n');
        write_file(file, text.as_bytes())
    }

    /// That several things were done. Errors: the last of theirs; those before it are shown.
    pub fn all(
        &mut self,
        done: impl IntoIterator<Item = Result<(), CliError>>,
    ) -> Result<(), CliError> {
        let mut last = Ok(());
        for error in done.into_iter().filter_map(Result::err) {
            if let Err(before) = std::mem::replace(&mut last, Err(error)) {
                self.error(before);
            }
        }
        last
    }

    /// An error with its code, place and help.
    pub fn error(&mut self, error: CliError) {
        let text = format!("{:?}\n", miette::Report::new(Told(error)));
        // Nobody is left to report to when this fails.
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// Writes a file, as [`paths::write`]. Errors: named after the file.
pub fn write_file(file: &Path, bytes: &[u8]) -> Result<(), CliError> {
    paths::write(file, bytes).map_err(|source| not_written(file, source))
}

/// The error of a file that cannot be written; `-` is standard output.
pub fn not_written(file: &Path, source: io::Error) -> CliError {
    match file.as_os_str() == DASH {
        true => CliError::Stream {
            name: Stream::Out.name(),
            source,
        },
        false => CliError::Write {
            file: file.display().to_string(),
            source,
        },
    }
}
