//! Standard streams that were closed when the program started (`xtq >&-`).
//!
//! The standard library opens `/dev/null` in the place of such a stream before `main`, so that what is printed would be lost without an error. Later it cannot be
//! told from a `/dev/null` that somebody asked for (Python's `subprocess.DEVNULL` is open for reading and writing too). So it is looked at earlier, by a function
//! that the system calls before the standard library begins.

#![allow(unsafe_code)]

use super::place::Stream;
use rustix::io::{Errno, fcntl_getfd};
use std::sync::atomic::{AtomicBool, Ordering};

static OUT: AtomicBool = AtomicBool::new(false);
static ERR: AtomicBool = AtomicBool::new(false);

// SAFETY: the system calls what is in these sections once, before `main`. The function only asks for flags of descriptors and stores two bits: nothing that the
// standard library would have to prepare.
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
pub fn was_closed(stream: Stream) -> bool {
    let closed = match stream {
        Stream::Out => &OUT,
        Stream::Err => &ERR,
    };
    closed.load(Ordering::Relaxed)
}
