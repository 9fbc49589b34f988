//! A file that is created when its first time comes, so that a window that nothing is in leaves the file as it was.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::encode::Share;
use super::{Moment, Sink, WaveFailure, create_file};
use crate::base::WaveVar;

/// What is needed to create it, and then the file.
pub(super) struct LateFile {
    path: PathBuf,
    vars: Vec<WaveVar>,
    shares: Vec<Share>,
    failure: WaveFailure,
    file: Option<Box<dyn Sink>>,
}

impl LateFile {
    /// Nothing yet. Errors: it could not be created, as far as that can be known without doing so.
    pub(super) fn new(
        path: &Path,
        vars: &[WaveVar],
        shares: Vec<Share>,
        failure: &WaveFailure,
    ) -> io::Result<Self> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        match path.metadata() {
            // To open a pipe would be to wait for its reader.
            Ok(found) if found.is_file() || found.is_dir() => {
                OpenOptions::new().append(true).open(path).map(drop)?;
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => folder.metadata().map(drop)?,
            Err(error) => return Err(error),
        }
        Ok(Self {
            path: path.to_owned(),
            vars: vars.to_vec(),
            shares,
            failure: failure.clone(),
            file: None,
        })
    }

    fn file(&mut self) -> io::Result<&mut dyn Sink> {
        let file = match self.file.take() {
            Some(file) => file,
            None => create_file(
                &self.path,
                &self.vars,
                self.shares.clone(),
                false,
                &self.failure,
            )?,
        };
        Ok(self.file.insert(file).as_mut())
    }
}

impl Sink for LateFile {
    fn moment(&mut self, moment: Moment, entries: &[u64]) -> io::Result<()> {
        self.file()?.moment(moment, entries)
    }

    fn finish(self: Box<Self>, time: u64) -> io::Result<()> {
        match self.file {
            Some(file) => file.finish(time),
            None => Ok(()),
        }
    }
}
