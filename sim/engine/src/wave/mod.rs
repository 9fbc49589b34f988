//! Waveforms: VCD and FST by scope and by window of cycles, streamed to disk.
//!
//! Memory is bounded by the design: one value per signal, to write only changes, and what a format gathers before it
//! writes. Structs become one variable a field, enums show the names of their variants, and all clocks are one variable
//! under several names, for there is one clock. Names are those of the design, but for characters that a viewer would
//! not take (`head.rs`).
//!
//! Cycle `n` lasts from `n * period` to `(n + 1) * period`. Its signals stand from the start, the values that the
//! rising edge at its end will see; the clock is high in the first half. Cycle 0 has no edge at its start.

use std::io;
use std::path::{Path, PathBuf};

use crate::base::{WaveVar, canonical, slice};
use crate::{Error, Result};

mod blocks;
mod fst;
mod head;
mod late;
mod shared;
mod vcd;

use fst::FstFile;
use late::LateFile;
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
    /// A file with other designs, which is written instead of one at `path`; `instance` tells them apart. Default: a
    /// file of its own.
    pub shared: Option<SharedWave>,
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

/// A file format.
trait Format {
    /// Nothing changes any more before this time.
    fn pass(&mut self, _time: u64) -> io::Result<()> {
        Ok(())
    }
    /// Begins a time at which something changes.
    fn time(&mut self, time: u64) -> io::Result<()>;
    /// The variable at this position has a new value.
    fn change(&mut self, position: usize, var: &WaveVar, words: &[u64]) -> io::Result<()>;
    /// The clock has a new level.
    fn clock(&mut self, level: bool) -> io::Result<()>;
    /// The last time; writes everything to the file.
    fn finish(self: Box<Self>, time: u64) -> io::Result<()>;
}

/// A waveform being written.
pub(crate) struct Wave {
    /// Nothing once it is closed, or could not be written.
    format: Option<Box<dyn Format + Send>>,
    options: WaveOptions,
    /// Sorted by signal.
    vars: Vec<WaveVar>,
    clocked: bool,
    /// By word of the signals: positions of the variables in it.
    users: Vec<Vec<usize>>,
    /// Values of the signals as last written.
    last: Vec<u64>,
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
        let format: Option<Box<dyn Format + Send>> = match &options.shared {
            None => {
                let file = create_file(&options.path, &vars, options.late);
                Some(file.map_err(|source| wave_error(&options, source))?)
            }
            // Others may have what is asked for.
            Some(_) if vars.is_empty() => None,
            Some(shared) => Some(Box::new(shared.join(&vars, options.late))),
        };
        Ok(Self {
            format,
            clocked: vars.iter().any(|var| var.clock),
            users: users(&vars),
            vars,
            last: Vec::new(),
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

    /// Writes the cycle `cycle`, if it is in the window; `values` are the words of all signals. A file that cannot be
    /// written is no fault of the design: the waveform ends, and [`finish`](Self::finish) reports why.
    pub(crate) fn sample(&mut self, values: &[u64], cycle: u64) {
        if self.wants(cycle)
            && let Err(error) = self.add(values, cycle)
        {
            self.failed = Some(error);
        }
    }

    fn add(&mut self, values: &[u64], cycle: u64) -> io::Result<()> {
        let time = self.time(cycle)?;
        let Some(mut format) = self.format.take() else {
            return Ok(());
        };
        self.write(format.as_mut(), values, cycle, time)?;
        self.format = Some(format);
        (self.started, self.next) = (true, cycle + 1);
        self.last.clear();
        self.last.extend_from_slice(values);
        Ok(())
    }

    /// When a cycle begins. Errors: when it ends cannot be said in 64 bits.
    fn time(&self, cycle: u64) -> io::Result<u64> {
        let period = self.options.period();
        let end = (cycle.checked_add(1)).and_then(|next| next.checked_mul(period));
        let too_late = || io::Error::other(format!("cycle {cycle} is later than 2^64 ps"));
        Ok(end.ok_or_else(too_late)? - period)
    }

    fn write(
        &self,
        format: &mut dyn Format,
        values: &[u64],
        cycle: u64,
        time: u64,
    ) -> io::Result<()> {
        format.pass(time)?;
        if self.clocked || !self.started || self.last != values {
            format.time(time)?;
        }
        if self.clocked {
            format.clock(cycle > 0)?;
        }
        for position in self.changed(values) {
            let var = &self.vars[position];
            if !self.started || var.differs(&self.last, values) {
                let (start, words) = var.words;
                let value = slice(&values[start..start + words], var.offset, var.width);
                format.change(position, var, &value)?;
            }
        }
        if self.clocked && cycle > 0 {
            format.time(time + self.options.period() / 2)?;
            format.clock(false)?;
        }
        Ok(())
    }

    /// Positions of the variables in words that changed; of all at first.
    fn changed(&self, values: &[u64]) -> Vec<usize> {
        let mut changed: Vec<usize> = match self.started {
            false => (0..self.vars.len()).collect(),
            true => {
                let pairs = values.iter().zip(&self.last).zip(&self.users);
                let users = pairs.filter(|((new, last), _)| new != last);
                users.flat_map(|(_, users)| users.iter().copied()).collect()
            }
        };
        changed.retain(|position| {
            let var = &self.vars[*position];
            !var.clock && var.alias.is_none()
        });
        changed.sort_unstable();
        changed.dedup();
        changed
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
        match self.format.take() {
            Some(format) => format.finish(end),
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
/// be written.
fn create_file(path: &Path, vars: &[WaveVar], late: bool) -> io::Result<Box<dyn Format + Send>> {
    if late {
        return Ok(Box::new(LateFile::new(path, vars)?));
    }
    Ok(match WaveFormat::of(path) {
        WaveFormat::Vcd => Box::new(VcdFile::create(path, vars)?),
        WaveFormat::Fst => Box::new(FstFile::create(path, vars)?),
    })
}

/// By word of the signals: positions of the variables in it.
fn users(vars: &[WaveVar]) -> Vec<Vec<usize>> {
    let own = vars.iter().filter(|var| var.alias.is_none());
    let words = own.map(|var| var.words.0 + var.words.1).max();
    let mut users = vec![Vec::new(); words.unwrap_or(0)];
    for (position, var) in vars.iter().enumerate() {
        if var.alias.is_some() {
            continue;
        }
        let (start, words) = var.words;
        users[start..start + words]
            .iter_mut()
            .for_each(|list| list.push(position));
    }
    users
}

/// The digits of every byte.
const DIGITS: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut place = 0;
        while place < 8 {
            table[byte][place] = b'0' + (byte >> (7 - place) & 1) as u8;
            place += 1;
        }
        byte += 1;
    }
    table
};

/// Adds the lowest `bits` bits of a value as digits, the highest first; wide values are most of a file, and a table is
/// many times faster than one digit after the other.
fn digits(text: &mut Vec<u8>, words: &[u64], bits: usize) {
    let byte = |i: usize| {
        words
            .get(i / 8)
            .map_or(0, |word| word >> (8 * (i % 8)) & 0xff)
    };
    let first = &DIGITS[byte(bits / 8) as usize];
    text.extend_from_slice(&first[8 - bits % 8..]);
    for i in (0..bits / 8).rev() {
        text.extend_from_slice(&DIGITS[byte(i) as usize]);
    }
}

fn wave_error(options: &WaveOptions, source: io::Error) -> Error {
    Error::Wave {
        path: options.path.display().to_string(),
        source,
    }
}
