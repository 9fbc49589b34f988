//! Signals that ask a run to end: it writes what it has, and `xtq` exits with 128 + the signal's number. A second
//! signal ends it at once.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What ends a run, by name.
const SIGNALS: [(i32, &str); 3] = [(SIGHUP, "SIGHUP"), (SIGINT, "SIGINT"), (SIGTERM, "SIGTERM")];

/// From now on a file that grows beyond a limit (`ulimit -f`) is an error of what writes it, and does not end the
/// process. Errors: the system refuses.
pub fn let_writes_fail() -> io::Result<()> {
    flag::register(SIGXFSZ, Arc::default()).map(drop)
}

/// A signal that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Number.
    pub number: u8,
    /// Name.
    pub name: &'static str,
}

/// Keeps the first signal that comes.
#[derive(Clone)]
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// From now on the first signal does not end the process. One that is ignored at the start stays so: `nohup` asks
    /// for it, and a shell without job control for SIGINT of what it starts with `&`. Errors: the system refuses.
    pub fn catch() -> io::Result<Self> {
        let came = Arc::new(AtomicBool::new(false));
        let number = Arc::new(AtomicUsize::new(0));
        for (signal, _) in SIGNALS {
            if is_ignored(signal) {
                continue;
            }
            // In this order: only a signal that comes after another finds the flag set.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&came))?;
            flag::register(signal, Arc::clone(&came))?;
            flag::register_usize(signal, Arc::clone(&number), signal as usize)?;
        }
        Ok(Self(number))
    }

    /// The signal that has come.
    pub fn came(&self) -> Option<Signal> {
        let number = self.0.load(Ordering::Relaxed);
        let known = SIGNALS.iter().find(|known| known.0 as usize == number)?;
        Some(Signal {
            number: known.0 as u8,
            name: known.1,
        })
    }
}

/// Whether the process was started with this signal ignored, if the system says so (`/proc` of Linux).
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
