//! The standard streams, and whether one was closed when the program started (`xtq >&-`).
//!
//! The standard library opens `/dev/null` in the place of such a stream before `main`, so that what is printed would be
//! lost without an error. Later it cannot be distinguished from a `/dev/null` that somebody asked for (Python's
//! `subprocess.DEVNULL` is open for reading and writing too). So it is looked at earlier, by a function that the system
//! calls before the standard library begins.

#![allow(unsafe_code)]

use rustix::io::{Errno, fcntl_getfd};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// A standard stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

impl Stream {
    /// How errors call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Out => "standard output",
            Self::Err => "standard error",
        }
    }

    /// The open file itself. The standard library's own streams take it for a success when the file is not open for
    /// writing. Errors: it was closed at the start.
    pub fn file(self) -> io::Result<File> {
        if was_closed(self) {
            return Err(Errno::BADF.into());
        }
        Ok(File::from(match self {
            Self::Out => io::stdout().as_fd().try_clone_to_owned()?,
            Self::Err => io::stderr().as_fd().try_clone_to_owned()?,
        }))
    }

    /// What is known of the file, if it is a regular one.
    pub fn regular(self) -> Option<Metadata> {
        let found = self.file().and_then(|file| file.metadata()).ok()?;
        found.is_file().then_some(found)
    }
}

static OUT: AtomicBool = AtomicBool::new(false);
static ERR: AtomicBool = AtomicBool::new(false);

// SAFETY: the system calls what is in these sections once, before `main`. The function only asks for flags of
// descriptors and stores two bits: nothing that the standard library would have to prepare.
#[used]
#[cfg_attr(
    any(target_os = "linux", target_os = "android", target_os = "freebsd"),
    unsafe(link_section = ".init_array")
)]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    OUT.store(
        fcntl_getfd(rustix::stdio::stdout()) == Err(Errno::BADF),
        Ordering::Relaxed,
    );
    ERR.store(
        fcntl_getfd(rustix::stdio::stderr()) == Err(Errno::BADF),
        Ordering::Relaxed,
    );
}

/// Whether the stream was closed at the start.
fn was_closed(stream: Stream) -> bool {
    let closed = match stream {
        Stream::Out => &OUT,
        Stream::Err => &ERR,
    };
    closed.load(Ordering::Relaxed)
}
