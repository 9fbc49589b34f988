//! Regular files are written beside and renamed, so that an interrupted writer leaves the old file or none; everything
//! else is written directly.
//!
//! A file being written is called `.xtq-??????.part` and is locked. One that nobody has locked is of a program that was
//! ended: the next run that writes into the folder removes it.

use super::place::{Place, folder_of};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::Path;
use tempfile::NamedTempFile;

/// Name of a file being written: this, six letters or digits, and [`END`].
const START: &str = ".xtq-";
const END: &str = ".part";
const RANDOM: usize = 6;

/// Writes a file: the whole text, or an error and what was there before. A pipe that nobody reads any more is no error.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match Place::of_output(path)? {
        Place::New(path) => replace(&path, None, bytes),
        Place::File(path, old) => match replace(&path, Some(&old), bytes) {
            Err(error) if only_in_place(&error) => {
                let file = OpenOptions::new().write(true).truncate(true).open(path);
                send(file?, bytes)
            }
            done => done,
        },
        Place::Open(path, _) => send(OpenOptions::new().append(true).open(path)?, bytes),
        Place::Special(path) => send(OpenOptions::new().write(true).open(path)?, bytes),
        Place::Stream(stream) => send(stream.file()?, bytes),
    }
}

/// Whether a file could be written there; it stays as it is, and one that does not exist is not made.
pub fn try_out(place: &Place) -> io::Result<()> {
    match place {
        Place::New(path) => beside(folder_of(path), None).map(drop),
        Place::File(path, _) | Place::Open(path, _) => {
            OpenOptions::new().append(true).open(path).map(drop)
        }
        // Opening a pipe would wait for its reader.
        Place::Special(path) => Ok(rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?),
        Place::Stream(stream) => stream.file().map(drop),
    }
}

/// Writes all of it to an open file; that a pipe has no reader any more is no error.
pub fn send(mut to: File, bytes: &[u8]) -> io::Result<()> {
    match to.write_all(bytes) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Writes a file beside and puts it in the place of the old one, of which it keeps owner and permissions.
fn replace(path: &Path, old: Option<&Metadata>, bytes: &[u8]) -> io::Result<()> {
    let mut new = beside(folder_of(path), old)?;
    new.as_file_mut().write_all(bytes)?;
    new.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Whether a file can be written although none can be put in its place: the folder is not ours or of the system, or
/// somebody mounted the file.
fn only_in_place(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::ResourceBusy
            | ErrorKind::CrossesDevices
    )
}

/// A new file in a folder, locked, with owner and permissions of the one that it shall replace; removed when it is
/// dropped.
pub fn beside(folder: &Path, old: Option<&Metadata>) -> io::Result<NamedTempFile> {
    // Of a new file the user's mask decides, as of every other program's.
    let mode = if old.is_some() { 0o600 } else { 0o666 };
    loop {
        let made = tempfile::Builder::new()
            .prefix(START)
            .suffix(END)
            .rand_bytes(RANDOM)
            .make_in(folder, |path| {
                let mut options = OpenOptions::new();
                options.write(true).create_new(true).mode(mode).open(path)
            })?;
        let locked = flock(made.as_file(), FlockOperation::NonBlockingLockExclusive);
        let found = made.as_file().metadata()?;
        // Another program may have taken it for a leftover before it was locked. There are file systems without locks.
        if locked == Err(Errno::WOULDBLOCK) || found.nlink() == 0 {
            continue;
        }
        if let Some(old) = old {
            if (found.uid(), found.gid()) != (old.uid(), old.gid()) {
                fchown(made.as_file(), Some(old.uid()), Some(old.gid()))?;
            }
            made.as_file().set_permissions(old.permissions())?;
        }
        return Ok(made);
    }
}

/// Removes from a folder what programs that were ended had begun to write.
pub fn sweep(folder: &Path) {
    // What cannot be removed harms nobody.
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    for entry in files.filter(|entry| entry.file_name().to_str().is_some_and(is_ours)) {
        let Ok(file) = File::open(entry.path()) else {
            continue;
        };
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a file being written may be called so.
fn is_ours(name: &str) -> bool {
    let inner = name.strip_prefix(START);
    let inner = inner.and_then(|name| name.strip_suffix(END));
    inner.is_some_and(|inner| {
        inner.len() == RANDOM && inner.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_keeps_its_permissions_and_a_link_its_target() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "old").unwrap();
        fs::set_permissions(at("file"), Permissions::from_mode(0o640)).unwrap();
        symlink("file", at("link")).unwrap();
        symlink("new", at("to-nothing")).unwrap();
        write(&at("link"), b"1").unwrap();
        write(&at("to-nothing"), b"2").unwrap();
        assert_eq!(fs::read(at("file")).unwrap(), b"1");
        assert_eq!(fs::read(at("new")).unwrap(), b"2");
        let mode = at("file").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert_eq!(names(folder.path()), ["file", "link", "new", "to-nothing"]);
    }

    #[test]
    fn a_new_file_has_the_permissions_that_any_other_has() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("other"), "").unwrap();
        write(&at("ours"), b"").unwrap();
        let mode = |name| at(name).metadata().unwrap().permissions().mode();
        assert_eq!(mode("ours"), mode("other"));
    }

    #[test]
    fn a_leftover_is_removed_and_a_file_being_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".xtq-abc123.part"), "half").unwrap();
        let foreign = [".xtq-abc123.part2", ".xtq-abc.part", "xtq-abc123.part"];
        for name in foreign {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let live = beside(folder.path(), None).unwrap();
        sweep(folder.path());
        assert!(live.path().exists());
        drop(live);
        let mut left = foreign.map(str::to_owned);
        left.sort();
        assert_eq!(names(folder.path()), left);
    }

    #[test]
    fn a_trial_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("old"), "old").unwrap();
        for name in ["old", "new"] {
            try_out(&Place::of(&at(name)).unwrap()).unwrap();
        }
        assert_eq!(fs::read(at("old")).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["old"]);
    }

    #[test]
    fn an_error_does_not_name_a_file_that_nobody_asked_for() {
        let error = beside(Path::new("/proc"), None).unwrap_err().to_string();
        assert!(
            !error.contains(START) && !error.contains(" at path "),
            "{error}"
        );
    }

    #[test]
    fn a_folder_or_a_name_that_is_too_long_is_no_place() {
        let folder = tempfile::tempdir().unwrap();
        let long = "x".repeat(300);
        for name in ["", ".", "..", "new/", "new/x", long.as_str()] {
            assert!(Place::of(&folder.path().join(name)).is_err(), "{name}");
        }
        symlink("loop", folder.path().join("loop")).unwrap();
        assert!(Place::of(&folder.path().join("loop")).is_err());
        assert!(Place::of(Path::new("")).is_err());
    }
}
