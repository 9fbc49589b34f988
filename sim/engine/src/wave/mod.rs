//! Waveforms: VCD and FST by scope and by window of cycles, streamed to disk.
//!
//! Three threads: the simulating one compares words and copies those that changed (`detect.rs`, `ring.rs`), one makes a
//! file of them (`encode.rs`, `vcd.rs`, `fst.rs`), one writes it (`output.rs`). Between them are a bounded number of
//! blocks, so the simulation waits for a slow disk, and memory is bounded by the design. What is in the file does not
//! depend on how fast a thread is.
//!
//! Structs become one variable a field, enums show the names of their variants, and all clocks are one variable
//! under several names, for there is one clock. Names are those of the design, but for characters that a viewer would
//! not take (`head.rs`).
//!
//! Cycle `n` lasts from `n * period` to `(n + 1) * period`. Its signals stand from the start, the values that the
//! rising edge at its end will see; the clock is high in the first half. Cycle 0 has no edge at its start.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::{WaveVar, canonical};
use crate::{Error, Result};

mod blocks;
mod detect;
mod digits;
mod encode;
mod failure;
mod fst;
mod fst_section;
mod head;
mod late;
mod output;
mod ring;
mod shared;
mod vcd;

pub(crate) use detect::GROUP;
use detect::Seen;
use encode::{Encoder, Share};
pub use failure::WaveFailure;
use fst::FstFile;
use late::LateFile;
use ring::Ring;
pub use shared::{SharedWave, WaveProbe};
use vcd::VcdFile;

/// Name of the outermost scope in the file.
const TOP: &str = "top";

/// The program that the file names as its writer.
const VERSION: &str = concat!("xtq-engine ", env!("CARGO_PKG_VERSION"));

/// How a waveform is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveFormat {
    /// Text (IEEE 1364); enums are strings.
    Vcd,
    /// GTKWave's compressed format; an enum is a number, and its name in ASCII as `name$text`.
    Fst,
}

impl WaveFormat {
    /// The format of a file: FST for `.fst`, else VCD.
    pub fn of(path: &Path) -> Self {
        match path.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("fst") => Self::Fst,
            _ => Self::Vcd,
        }
    }
}

/// What to show, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveOptions {
    /// The file, overwritten if it exists; its extension decides the format ([`WaveFormat::of`]).
    pub path: PathBuf,
    /// Only the block, array, interface or signal of this path (`child.sub`) and what is inside; default: everything.
    /// A leading `top.`, as viewers show it, is accepted.
    pub scope: Option<String>,
    /// First cycle shown; default: the current one.
    pub from: Option<u64>,
    /// Last cycle shown; default: the last one that runs.
    pub to: Option<u64>,
    /// Create the file when the first cycle shown comes, and leave what is there if it never does; default: create it
    /// at once.
    pub late: bool,
    /// Length of a cycle in picoseconds, at least 2; default: 1000 (1 GHz).
    pub period_ps: u64,
    /// Name of a scope around the design, which paths then begin with; default: none.
    pub instance: Option<String>,
    /// A file with other designs, which is written instead of one at `path`; `instance` distinguishes them. Default: a
    /// file of its own.
    pub shared: Option<SharedWave>,
    /// Tells who looks on that the waveform could not be written.
    pub failure: WaveFailure,
}

impl WaveOptions {
    /// Everything, from now on, at 1 GHz.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            scope: None,
            from: None,
            to: None,
            late: false,
            period_ps: 1000,
            instance: None,
            shared: None,
            failure: WaveFailure::default(),
        }
    }

    /// Path in the file.
    fn path_of(&self, path: &str) -> String {
        match &self.instance {
            Some(instance) => format!("{instance}.{path}"),
            None => path.to_owned(),
        }
    }

    /// Whether the signal at `path` is to be shown.
    pub(crate) fn shows(&self, path: &str) -> bool {
        let scope = self.scope.as_deref().unwrap_or_default();
        let scope = match scope {
            TOP => "",
            scope => scope.strip_prefix("top.").unwrap_or(scope),
        };
        let (scope, path) = (canonical(scope), canonical(&self.path_of(path)));
        let rest = path.strip_prefix(&scope);
        rest.is_some_and(|rest| scope.is_empty() || rest.is_empty() || rest.starts_with('$'))
    }

    fn period(&self) -> u64 {
        self.period_ps.max(2)
    }
}

/// A file format, on the encoder's thread.
trait Format: Send {
    /// Begins a time at which something changes.
    fn time(&mut self, time: u64) -> io::Result<()>;
    /// The variable at this position has a new value.
    fn change(&mut self, position: usize, words: &[u64]) -> io::Result<()>;
    /// The clock has a new level.
    fn clock(&mut self, level: bool) -> io::Result<()>;
    /// The last time; writes everything to the file.
    fn finish(self: Box<Self>, time: u64) -> io::Result<()>;
    /// Ends without a last time, which a simulation does that was dropped or saw a failure. Errors: what was handed
    /// over before could not be written.
    fn give_up(self: Box<Self>) -> io::Result<()>;
}

/// A time at which something changes.
#[derive(Clone, Copy)]
struct Moment {
    time: u64,
    /// The clock's level, if it changes.
    clock: Option<bool>,
    /// The time of the moment before.
    again: bool,
}

/// What takes changes, on the simulating thread.
trait Sink: Send {
    /// What it calls the design's first group of words.
    fn first_group(&self) -> usize {
        0
    }
    /// Nothing changes any more before this time.
    fn pass(&mut self, _time: u64) -> io::Result<()> {
        Ok(())
    }
    /// What changes at a time. Errors: this, or something before, could not be written.
    fn moment(&mut self, moment: Moment, entries: &[u64]) -> io::Result<()>;
    /// The last time; waits until everything is in the file.
    fn finish(self: Box<Self>, time: u64) -> io::Result<()>;
}

/// A waveform being written.
pub(crate) struct Wave {
    /// Nothing once it is closed, or could not be written.
    sink: Option<Box<dyn Sink>>,
    options: WaveOptions,
    clocked: bool,
    seen: Seen,
    /// What changed in the cycle.
    entries: Vec<u64>,
    /// Lowest cycle that may be written next: time never goes back, even if the engine does.
    next: u64,
    started: bool,
    /// Why it is not complete: the first time that it could not be written.
    failed: Option<io::Error>,
}

impl Wave {
    /// Creates the file and writes its head. `vars` are those the options show. Errors: [`Error::NoSuchPath`] if there
    /// are none, [`Error::EmptyWindow`], [`Error::Wave`].
    pub(crate) fn create(options: WaveOptions, vars: Vec<WaveVar>) -> Result<Self> {
        let (from, to) = (options.from.unwrap_or(0), options.to.unwrap_or(u64::MAX));
        if from > to {
            return Err(Error::EmptyWindow { from, to });
        }
        if vars.is_empty() && options.shared.is_none() {
            return Err(Error::NoSuchPath(options.scope.unwrap_or_default()));
        }
        let named = |var: WaveVar| WaveVar {
            path: options.path_of(&var.path),
            ..var
        };
        let vars: Vec<_> = vars.into_iter().map(|v| named(v).readable()).collect();
        let sink: Option<Box<dyn Sink>> = match &options.shared {
            None => {
                let shares = vec![(0, 0..vars.len())];
                let file =
                    create_file(&options.path, &vars, shares, options.late, &options.failure);
                Some(file.map_err(|source| wave_error(&options, source))?)
            }
            // Others may have what is asked for.
            Some(_) if vars.is_empty() => None,
            Some(shared) => Some(Box::new(shared.join(&vars, &options))),
        };
        let own = vars.iter().filter(|var| !var.clock && var.alias.is_none());
        let words = own.flat_map(|var| var.words.0..var.words.0 + var.words.1);
        let first = sink.as_ref().map_or(0, |sink| sink.first_group());
        Ok(Self {
            sink,
            clocked: vars.iter().any(|var| var.clock),
            seen: Seen::new(words, first),
            entries: Vec::new(),
            next: from,
            started: false,
            failed: None,
            options,
        })
    }

    /// Whether a cycle is in the window, and can still be written.
    pub(crate) fn wants(&self, cycle: u64) -> bool {
        self.failed.is_none() && cycle >= self.next && self.options.to.is_none_or(|to| cycle <= to)
    }

    /// Writes the cycle `cycle`, if it is in the window; `values` are the words of all signals. `touched` has a bit for
    /// each group of [`detect::GROUP`] of them in which one may be another than in the sample before; they are cleared.
    /// Without it all are compared. A file that cannot be written is no fault of the design: the waveform ends, and
    /// [`finish`](Self::finish) reports why.
    pub(crate) fn sample(&mut self, values: &[u64], touched: Option<&mut [u64]>, cycle: u64) {
        if self.wants(cycle)
            && let Err(error) = self.add(values, touched, cycle)
        {
            self.options.failure.set();
            self.failed = Some(error);
        }
    }

    fn add(&mut self, values: &[u64], touched: Option<&mut [u64]>, cycle: u64) -> io::Result<()> {
        let time = self.time(cycle)?;
        let Some(mut sink) = self.sink.take() else {
            return Ok(());
        };
        self.entries.clear();
        let changed = self.seen.look(values, touched, &mut self.entries);
        sink.pass(time)?;
        if self.clocked || !self.started || changed {
            let moment = Moment {
                time,
                clock: self.clocked.then_some(cycle > 0),
                again: false,
            };
            sink.moment(moment, &self.entries)?;
        }
        if self.clocked && cycle > 0 {
            let moment = Moment {
                time: time + self.options.period() / 2,
                clock: Some(false),
                again: false,
            };
            sink.moment(moment, &[])?;
        }
        self.sink = Some(sink);
        (self.started, self.next) = (true, cycle + 1);
        Ok(())
    }

    /// When a cycle begins. Errors: when it ends cannot be expressed in 64 bits.
    fn time(&self, cycle: u64) -> io::Result<u64> {
        let period = self.options.period();
        let end = (cycle.checked_add(1)).and_then(|next| next.checked_mul(period));
        let too_late = || io::Error::other(format!("cycle {cycle} is later than 2^64 ps"));
        Ok(end.ok_or_else(too_late)? - period)
    }

    /// Ends the last cycle and closes the file. Errors: something of it could not be written, now or before.
    pub(crate) fn finish(mut self) -> Result<()> {
        let closed = self.close();
        let written = self.failed.take().map_or(closed, Err);
        written.map_err(|source| wave_error(&self.options, source))
    }

    fn close(&mut self) -> io::Result<()> {
        // Readers want a time after 0, even if no cycle was in the window.
        let end = match self.started {
            true => self.next.saturating_mul(self.options.period()),
            false => 1,
        };
        match self.sink.take() {
            Some(sink) => sink.finish(end),
            None => Ok(()),
        }
    }
}

impl Drop for Wave {
    /// A file that nobody finished is complete up to the last cycle that ran.
    fn drop(&mut self) {
        let _ = self.close();
    }
}

/// A file of the format that its name says, with its head; a late one is created with its first time. Errors: it cannot
/// be written; if that is so later, `failure` says it.
fn create_file(
    path: &Path,
    vars: &[WaveVar],
    shares: Vec<Share>,
    late: bool,
    failure: &WaveFailure,
) -> io::Result<Box<dyn Sink>> {
    if late {
        return Ok(Box::new(LateFile::new(path, vars, shares, failure)?));
    }
    let failed = failure.flag();
    let format: Box<dyn Format> = match WaveFormat::of(path) {
        WaveFormat::Vcd => Box::new(VcdFile::create(path, vars, Arc::clone(&failed))?),
        WaveFormat::Fst => Box::new(FstFile::create(path, vars, Arc::clone(&failed))?),
    };
    let encoder = Encoder::new(vars, shares, format);
    Ok(Box::new(Ring::start(encoder, failed)?))
}

fn wave_error(options: &WaveOptions, source: io::Error) -> Error {
    Error::Wave {
        path: options.path.display().to_string(),
        source,
    }
}
