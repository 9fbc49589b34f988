//! Where a path leads.

use super::stream::Stream;
use rustix::io::Errno;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Name of standard output as a file.
pub const DASH: &str = "-";
/// Symbolic links that are followed, as Linux does.
const LINKS: usize = 40;
/// Folders of the open files of this process; the second if there is no first.
const DESCRIPTORS: [&str; 2] = ["/dev/fd", "/proc/self/fd"];

/// What stands at the end of a path, after all symbolic links.
#[derive(Debug)]
pub enum Place {
    /// A regular file, by its real path.
    File(PathBuf, Metadata),
    /// Nothing yet, in a folder that exists.
    New(PathBuf),
    /// A device, a pipe or a socket.
    Special(PathBuf),
    /// A standard stream by a name of the system, as `/dev/stdout`, whatever it is.
    Stream(Stream),
    /// A regular file by the number of an open one, as `/dev/fd/3`: another under its name would not be the open one.
    Open(PathBuf, Metadata),
}

impl Place {
    /// The place of a file that is written; `-` is standard output. Errors: there is no such folder, or the path leads
    /// to a folder.
    pub fn of_output(path: &Path) -> io::Result<Self> {
        match path.as_os_str() == DASH {
            true => Ok(Self::Stream(Stream::Out)),
            false => Self::of(path),
        }
    }

    /// The place. Errors: there is no such folder, or the path leads to a folder.
    pub fn of(path: &Path) -> io::Result<Self> {
        let descriptors = DESCRIPTORS
            .iter()
            .find_map(|path| fs::canonicalize(path).ok());
        let mut path = path.to_owned();
        for _ in 0..LINKS {
            let name = path.file_name().ok_or(match path.as_os_str().is_empty() {
                true => Errno::NOENT,
                false => Errno::ISDIR,
            })?;
            let bytes = path.as_os_str().as_bytes();
            let folder = fs::canonicalize(folder_of(&path))?;
            let here = folder.join(name);
            if Some(&folder) == descriptors.as_ref() {
                return Self::open(here);
            }
            let found = match fs::symlink_metadata(&here) {
                Ok(found) => Some(found),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(error),
            };
            match found {
                Some(found) if found.is_symlink() => path = folder.join(fs::read_link(&here)?),
                Some(found) if found.is_dir() => return Err(Errno::ISDIR.into()),
                // A name that ends so is that of a folder.
                _ if bytes.ends_with(b"/") || bytes.ends_with(b"/.") => {
                    return Err(Errno::NOTDIR.into());
                }
                Some(found) if found.is_file() => return Ok(Self::File(here, found)),
                Some(_) => return Ok(Self::Special(here)),
                None => return Ok(Self::New(here)),
            }
        }
        Err(Errno::LOOP.into())
    }

    /// The place of an open file, by its name in the folder of them.
    fn open(path: PathBuf) -> io::Result<Self> {
        let found = fs::metadata(&path)?;
        let name = path.file_name().unwrap_or_default();
        Ok(match name.as_bytes() {
            b"1" => Self::Stream(Stream::Out),
            b"2" => Self::Stream(Stream::Err),
            _ if found.is_dir() => return Err(Errno::ISDIR.into()),
            _ if found.is_file() => Self::Open(path, found),
            _ => Self::Special(path),
        })
    }

    /// What makes it the same file as another. Nothing for what may be written twice: devices and pipes.
    pub fn identity(&self) -> Option<Identity> {
        match self {
            Self::File(_, found) | Self::Open(_, found) => Some(Identity::of(found)),
            Self::New(path) => Some(Identity::Name(path.clone())),
            Self::Stream(stream) => stream.regular().as_ref().map(Identity::of),
            Self::Special(_) => None,
        }
    }

    /// The real path of a regular file, whether it exists or not.
    pub fn real_path(&self) -> Option<&Path> {
        match self {
            Self::File(path, _) | Self::New(path) => Some(path),
            Self::Special(_) | Self::Stream(_) | Self::Open(..) => None,
        }
    }
}

/// What two paths to one file have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Of a file that exists: its file system, and its number there.
    Inode(u64, u64),
    /// Of one that does not: its real path.
    Name(PathBuf),
}

impl Identity {
    /// Of a file that exists.
    pub fn of(found: &Metadata) -> Self {
        Self::Inode(found.dev(), found.ino())
    }
}

/// The folder in which the file of this path stands.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether a file of this name is or would be a regular one, with others beside it.
pub fn is_regular(path: &Path) -> bool {
    Place::of(path).map_or(true, |place| place.real_path().is_some())
}

/// Whether a file of this name is a standard stream, as `/dev/stdout`.
pub fn is_stream(path: &Path) -> bool {
    matches!(Place::of(path), Ok(Place::Stream(_)))
}
