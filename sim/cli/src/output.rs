//! What is printed where: the human table, JSON, errors. A reader that goes away (`xtq | head`) is no failure.

use crate::Volume;
use crate::error::CliError;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Name of standard output as a file.
const DASH: &str = "-";

/// Standard output and standard error.
pub struct Output {
    volume: Volume,
    /// Standard output carries JSON, so that text for people goes to standard error.
    json_on_stdout: bool,
}

impl Output {
    /// Both streams, at a volume.
    pub fn new(volume: Volume) -> Self {
        Self {
            volume,
            json_on_stdout: false,
        }
    }

    /// Whether more is to be said.
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
        match self.json_on_stdout {
            true => write_all(io::stderr(), text),
            false => write_all(io::stdout(), text),
        }
    }

    /// What was asked for by name, at any volume.
    pub fn stdout(&mut self, text: &str) {
        write_all(io::stdout(), text);
    }

    /// Tells that the JSON report will go to `file`, so that text keeps out of its way.
    pub fn reserve_json(&mut self, file: Option<&Path>) {
        self.json_on_stdout = file.is_some_and(|file| file.as_os_str() == DASH);
    }

    /// Writes the JSON report; `-` is standard output. Errors: the file cannot be written.
    pub fn json(&mut self, file: &Path, value: &impl Serialize) -> Result<(), CliError> {
        let mut text = serde_json::to_string_pretty(value).map_err(|error| CliError::Write {
            file: file.display().to_string(),
            source: error.into(),
        })?;
        text.push('\n');
        if file.as_os_str() == DASH {
            self.stdout(&text);
            return Ok(());
        }
        write_file(file, text.as_bytes())
    }

    /// An error with its code, place and help.
    pub fn error(&mut self, error: CliError) {
        let text = format!("{:?}\n", miette::Report::new(error));
        write_all(io::stderr(), &text);
    }
}

/// Writes a file. Errors: named after the file.
pub fn write_file(file: &Path, bytes: &[u8]) -> Result<(), CliError> {
    std::fs::write(file, bytes).map_err(|source| CliError::Write {
        file: file.display().to_string(),
        source,
    })
}

/// Nobody is left to be told when a standard stream fails.
fn write_all(mut stream: impl Write, text: &str) {
    let _ = stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.flush());
}
