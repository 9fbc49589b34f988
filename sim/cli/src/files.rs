//! The files that a command line names: declared once, compared and tried before the work, written after it.
//!
//! A verb declares what it reads and what it will write, each under the name of its option, and calls [`Files::check`].
//! No output may be an input or another output, by whatever path; and what could not be written in the end is an error
//! now.

use crate::error::CliError;
use crate::output::{Output, not_written};
use crate::paths::{self, DASH, Identity, Place, Stream, folder_of};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a verb does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Reads,
    Writes,
    /// Writes while the verb works, opened by its name: nothing else may stand in it.
    Streams,
    /// Would write, but it is somebody else's.
    Keeps,
}

/// A file by the option that names it.
#[derive(Debug)]
struct Named {
    option: &'static str,
    path: PathBuf,
    role: Role,
}

/// A folder by the option that names it.
#[derive(Debug)]
struct Folder {
    option: &'static str,
    path: PathBuf,
    /// All that is in it is written by the verb: no other file may be there.
    whole: bool,
}

/// Inputs and outputs of a command line.
#[derive(Debug, Default)]
pub struct Files {
    named: Vec<Named>,
    folders: Vec<Folder>,
}

impl Files {
    /// Files that are read.
    pub fn reads<P: AsRef<Path>>(
        self,
        option: &'static str,
        paths: impl IntoIterator<Item = P>,
    ) -> Self {
        self.add(option, Role::Reads, paths)
    }

    /// Files that are written; `-` is standard output.
    pub fn writes<P: AsRef<Path>>(
        self,
        option: &'static str,
        paths: impl IntoIterator<Item = P>,
    ) -> Self {
        self.add(option, Role::Writes, paths)
    }

    /// Files that are written while the verb works, opened by their names.
    pub fn streams<P: AsRef<Path>>(
        self,
        option: &'static str,
        paths: impl IntoIterator<Item = P>,
    ) -> Self {
        self.add(option, Role::Streams, paths)
    }

    /// Files that would be written if they were not somebody else's: they need not be writable.
    pub fn keeps<P: AsRef<Path>>(
        self,
        option: &'static str,
        paths: impl IntoIterator<Item = P>,
    ) -> Self {
        self.add(option, Role::Keeps, paths)
    }

    /// Folders for files, which are made if there are none.
    pub fn folders<P: AsRef<Path>>(
        self,
        option: &'static str,
        paths: impl IntoIterator<Item = P>,
    ) -> Self {
        self.add_folders(option, false, paths)
    }

    /// Folders of which the verb alone knows what it writes there: another input or output may not be inside.
    pub fn whole_folders<P: AsRef<Path>>(
        self,
        option: &'static str,
        paths: impl IntoIterator<Item = P>,
    ) -> Self {
        self.add_folders(option, true, paths)
    }

    fn add<P: AsRef<Path>>(
        mut self,
        option: &'static str,
        role: Role,
        paths: impl IntoIterator<Item = P>,
    ) -> Self {
        let paths = paths.into_iter().map(|path| path.as_ref().to_owned());
        self.named
            .extend(paths.map(|path| Named { option, path, role }));
        self
    }

    fn add_folders<P: AsRef<Path>>(
        mut self,
        option: &'static str,
        whole: bool,
        paths: impl IntoIterator<Item = P>,
    ) -> Self {
        let paths = paths.into_iter().map(|path| path.as_ref().to_owned());
        self.folders.extend(paths.map(|path| Folder {
            option,
            path,
            whole,
        }));
        self
    }

    /// Compares and tries all of them, removes what a run that was ended left beside them, and keeps text away from a
    /// file on standard output. Errors: an output is an input or another output; one cannot be written.
    pub fn check(&self, output: &mut Output) -> Result<(), CliError> {
        // Files in a folder that does not exist yet cannot be looked at without it.
        let mut made = Made::default();
        for folder in &self.folders {
            made.make(&folder.path).map_err(failed(&folder.path))?;
        }
        let mut places = Vec::new();
        for named in &self.named {
            let place = match named.role {
                Role::Reads => Place::of(&named.path),
                _ => Place::of_output(&named.path),
            };
            match place {
                Ok(place) => places.push((named, place)),
                // Whoever reads it says so.
                Err(_) if named.role == Role::Reads => {}
                Err(error) => return Err(not_written(&named.path, error)),
            }
        }
        compare(&places)?;
        self.look_into_folders(&places)?;
        let mut written = BTreeSet::new();
        for folder in &self.folders {
            let path = folder_of(&folder.path.join(DASH)).to_owned();
            paths::beside(&path, None).map_err(failed(&path))?;
            written.insert(path);
        }
        for (named, place) in &places {
            let is_stdout = matches!(place, Place::Stream(Stream::Out));
            let whole = named.path.as_os_str() == DASH || named.role == Role::Streams;
            if is_stdout && whole {
                output.reserve_stdout();
            }
            if matches!(named.role, Role::Writes | Role::Streams) {
                paths::try_out(place).map_err(|error| not_written(&named.path, error))?;
            }
            if named.role != Role::Reads {
                written.extend(place.real_path().map(|path| folder_of(path).to_owned()));
            }
        }
        // Each folder once: an export names some hundred files of one.
        written.iter().for_each(|folder| paths::sweep(folder));
        Ok(())
    }

    /// Errors: a file is in a folder that is another option's as a whole.
    fn look_into_folders(&self, places: &[(&Named, Place)]) -> Result<(), CliError> {
        for folder in self.folders.iter().filter(|folder| folder.whole) {
            let real = fs::canonicalize(&folder.path).map_err(failed(&folder.path))?;
            let is_inside = |place: &Place| place.real_path().is_some_and(|p| p.starts_with(&real));
            let is_other = |(named, place): &&(&Named, Place)| {
                named.option != folder.option && is_inside(place)
            };
            if let Some((named, _)) = places.iter().find(is_other) {
                return Err(CliError::Usage {
                    argument: named.option.to_owned(),
                    message: format!(
                        "{} is in the folder {}, which {} fills",
                        named.path.display(),
                        folder.path.display(),
                        folder.option
                    ),
                    help: "name a file outside of it".to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// Errors: two are the same file, and one of them is written.
fn compare(places: &[(&Named, Place)]) -> Result<(), CliError> {
    let printed = [Stream::Out, Stream::Err].map(|stream| {
        let named = Named {
            option: stream.name(),
            path: PathBuf::from(DASH),
            role: Role::Writes,
        };
        (named, Place::Stream(stream))
    });
    let mut known: Vec<(&Named, &Place, Identity)> = Vec::new();
    let printed = printed.iter().map(|(named, place)| (named, place));
    for (named, place) in printed.chain(places.iter().map(|(named, place)| (*named, place))) {
        let Some(identity) = place.identity() else {
            continue;
        };
        let clashes = |(other, at, of_other): &&(&Named, &Place, Identity)| {
            *of_other == identity && clash((other, at), (named, place))
        };
        if let Some((other, ..)) = known.iter().find(clashes) {
            return Err(CliError::Usage {
                argument: named.option.to_owned(),
                message: format!(
                    "{} is the same file as {} ({})",
                    named.path.display(),
                    other.path.display(),
                    other.option
                ),
                help: "one would be written over the other: give each a file of its own".to_owned(),
            });
        }
        known.push((named, place, identity));
    }
    Ok(())
}

/// Whether two names of one file may not stand together.
fn clash((one, at_one): (&Named, &Place), (other, at_other): (&Named, &Place)) -> bool {
    let is = |role| one.role == role || other.role == role;
    match (at_one, at_other) {
        // A waveform that is all of standard output: text keeps away from an empty file.
        (Place::Stream(Stream::Out), Place::Stream(Stream::Out))
            if one.option == Stream::Out.name() && other.role == Role::Streams =>
        {
            Stream::Out.regular().is_some_and(|found| found.len() > 0)
        }
        // What is written to the open stream stands one after the other.
        (Place::Stream(_), Place::Stream(_)) => is(Role::Streams),
        _ => is(Role::Writes) || is(Role::Streams) || is(Role::Keeps),
    }
}

/// An error with the name of the file.
fn failed(path: &Path) -> impl Fn(io::Error) -> CliError {
    move |source| CliError::Write {
        file: path.display().to_string(),
        source,
    }
}

/// Folders that were made for a trial, removed at its end.
#[derive(Default)]
struct Made(Vec<PathBuf>);

impl Made {
    fn make(&mut self, folder: &Path) -> io::Result<()> {
        if folder.exists() && !folder.is_dir() {
            return Err(Errno::NOTDIR.into());
        }
        let parts = folder.ancestors();
        let missing = parts.take_while(|part| !part.as_os_str().is_empty() && !part.exists());
        // The outer ones first, as they are made.
        let mut missing: Vec<_> = missing.map(Path::to_owned).collect();
        missing.reverse();
        self.0.extend(missing);
        fs::create_dir_all(folder)
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // One that could not be made is not there; one that is not empty is somebody's.
            let _ = fs::remove_dir(folder);
        }
    }
}
