//! One waveform file of several designs, each in a scope of its own.
//!
//! The designs run one after the other in each cycle, and may run ahead of each other; a file wants the changes of all
//! in the order of time. So changes are gathered by time, and written as soon as no design can write anything earlier.
//! What is kept is bounded by how far one runs ahead.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Format, Wave, WaveOptions, create_file};
use crate::base::WaveVar;
use crate::{Error, Result};

/// A file that several designs write: each joins by [`WaveOptions::shared`] under the name of its
/// [`WaveOptions::instance`], then [`begin`](Self::begin) creates the file, before the next cycle of any of them. It is
/// complete when all have finished.
#[derive(Clone)]
pub struct SharedWave(Arc<Mutex<Shared>>);

struct Shared {
    path: PathBuf,
    /// Of all designs, in the order of joining.
    vars: Vec<WaveVar>,
    /// By design: it writes nothing before this time; `None`: nothing any more.
    reached: Vec<Option<u64>>,
    changes: BTreeMap<u64, Changes>,
    /// Nothing before the file is begun, and once it is closed or could not be written.
    format: Option<Box<dyn Format + Send>>,
    end: u64,
    /// Whether the file waits for a first cycle.
    late: bool,
}

/// What changes at one time.
#[derive(Default)]
struct Changes {
    clock: Option<bool>,
    /// Position of the variable, and its signal's words.
    values: Vec<(usize, Vec<u64>)>,
}

impl std::fmt::Debug for SharedWave {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SharedWave")
            .field(&self.lock().path)
            .finish()
    }
}

/// The same file.
impl PartialEq for SharedWave {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedWave {}

impl SharedWave {
    /// A file that nobody has joined; its extension decides the format, as of [`WaveOptions::path`].
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Mutex::new(Shared {
            path: path.into(),
            vars: Vec::new(),
            reached: Vec::new(),
            changes: BTreeMap::new(),
            format: None,
            end: 0,
            late: false,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where it is written.
    pub fn path(&self) -> PathBuf {
        self.lock().path.clone()
    }

    /// Creates the file, with what has joined so far; at once, unless all who joined are [`late`](WaveOptions::late).
    /// Errors: nothing of `scope`, which all asked for, is in any of them; the file cannot be written.
    pub fn begin(&self, scope: Option<&str>) -> Result<()> {
        let mut shared = self.lock();
        if shared.vars.is_empty() {
            return Err(Error::NoSuchPath(scope.unwrap_or_default().into()));
        }
        let format = create_file(&shared.path, &shared.vars, shared.late);
        shared.format = Some(format.map_err(|source| Error::Wave {
            path: shared.path.display().to_string(),
            source,
        })?);
        Ok(())
    }

    /// Adds the variables of one more design.
    pub(super) fn join(&self, vars: &[WaveVar], late: bool) -> Part {
        let mut shared = self.lock();
        shared.late = late && (shared.late || shared.vars.is_empty());
        let first = shared.vars.len();
        shared.vars.extend(vars.iter().map(|var| WaveVar {
            alias: var.alias.map(|position| first + position),
            ..var.clone()
        }));
        shared.reached.push(Some(0));
        Part {
            file: self.clone(),
            number: shared.reached.len() - 1,
            first,
            now: 0,
        }
    }
}

impl Shared {
    /// Writes what nobody can write anything before.
    fn flush(&mut self) -> io::Result<()> {
        let Some(mut format) = self.format.take() else {
            // Nobody will write them.
            self.changes.clear();
            return Ok(());
        };
        let safe = self.reached.iter().flatten().min().copied();
        while let Some(entry) = self.changes.first_entry()
            && safe.is_none_or(|safe| *entry.key() < safe)
        {
            let (time, Changes { clock, values }) = entry.remove_entry();
            format.time(time)?;
            if let Some(level) = clock {
                format.clock(level)?;
            }
            for (position, words) in values {
                format.change(position, &self.vars[position], &words)?;
            }
        }
        match safe {
            Some(_) => self.format = Some(format),
            None => format.finish(self.end)?,
        }
        Ok(())
    }
}

/// One design's share of the file.
pub(super) struct Part {
    file: SharedWave,
    number: usize,
    /// Position of its first variable in the file.
    first: usize,
    now: u64,
}

impl Part {
    fn with(&self, write: impl FnOnce(&mut Changes)) {
        write(self.file.lock().changes.entry(self.now).or_default());
    }
}

impl Format for Part {
    fn pass(&mut self, time: u64) -> io::Result<()> {
        let mut shared = self.file.lock();
        shared.reached[self.number] = Some(time);
        shared.flush()
    }

    fn time(&mut self, time: u64) -> io::Result<()> {
        self.now = time;
        self.pass(time)
    }

    fn change(&mut self, position: usize, _var: &WaveVar, words: &[u64]) -> io::Result<()> {
        let change = (self.first + position, words.to_vec());
        self.with(|changes| changes.values.push(change));
        Ok(())
    }

    fn clock(&mut self, level: bool) -> io::Result<()> {
        self.with(|changes| changes.clock = Some(level));
        Ok(())
    }

    fn finish(self: Box<Self>, time: u64) -> io::Result<()> {
        let mut shared = self.file.lock();
        shared.reached[self.number] = None;
        shared.end = shared.end.max(time);
        shared.flush()
    }
}

/// Signals of up to 64 bits that a test bench knows itself, in a file beside those of designs.
pub struct WaveProbe(Wave);

impl WaveProbe {
    /// Starts to write the signals with these names and widths. Errors: as
    /// [`Engine::attach_wave`](crate::Engine::attach_wave).
    pub fn attach(options: WaveOptions, signals: &[(String, usize)]) -> Result<Self> {
        let var = |(number, (name, width)): (usize, &(String, usize))| WaveVar {
            path: name.clone(),
            width: *width,
            variants: Vec::new(),
            clock: false,
            direction: None,
            words: (number, 1),
            offset: 0,
            alias: None,
        };
        let vars = signals.iter().enumerate().map(var);
        let vars = vars.filter(|var| options.shows(&var.path)).collect();
        Ok(Self(Wave::create(options, vars)?))
    }

    /// The values in `cycle`, one word a signal.
    pub fn sample(&mut self, cycle: u64, values: &[u64]) {
        self.0.sample(values, cycle);
    }

    /// Ends its share of the file. Errors: something of it could not be written, now or before.
    pub fn finish(self) -> Result<()> {
        self.0.finish()
    }
}
