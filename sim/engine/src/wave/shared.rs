//! One waveform file of several designs, each in a scope of its own.
//!
//! The designs run one after the other in each cycle, and may run ahead of each other; a file wants the changes of all
//! in the order of time. So changes are gathered by time, and written as soon as no design can write anything earlier.
//! What is kept is bounded by how far one runs ahead.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::detect::GROUP;
use super::encode::Share;
use super::{Moment, Sink, Wave, WaveFailure, WaveOptions, create_file};
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
    shares: Vec<Share>,
    /// Groups of words of all designs.
    groups: usize,
    /// By design: it writes nothing before this time; `None`: nothing any more.
    reached: Vec<Option<u64>>,
    changes: BTreeMap<u64, Changes>,
    /// Used again.
    spare: Vec<Changes>,
    /// Nothing before the file is begun, and once it is closed or could not be written.
    file: Option<Box<dyn Sink>>,
    end: u64,
    /// Whether the file waits for a first cycle.
    late: bool,
    /// That of the design that joined last.
    failure: WaveFailure,
}

/// What changes at one time.
#[derive(Default)]
struct Changes {
    clock: Option<bool>,
    /// Entries, one design after the other.
    entries: Vec<u64>,
    /// Where those of each end.
    ends: Vec<usize>,
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
            shares: Vec::new(),
            groups: 0,
            reached: Vec::new(),
            changes: BTreeMap::new(),
            spare: Vec::new(),
            file: None,
            end: 0,
            late: false,
            failure: WaveFailure::default(),
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
        let shares = shared.shares.clone();
        let file = create_file(
            &shared.path,
            &shared.vars,
            shares,
            shared.late,
            &shared.failure,
        );
        shared.file = Some(file.map_err(|source| Error::Wave {
            path: shared.path.display().to_string(),
            source,
        })?);
        Ok(())
    }

    /// Adds the variables of one more design.
    pub(super) fn join(&self, vars: &[WaveVar], options: &WaveOptions) -> Part {
        let mut shared = self.lock();
        shared.failure = options.failure.clone();
        shared.late = options.late && (shared.late || shared.vars.is_empty());
        let (first, first_group) = (shared.vars.len(), shared.groups);
        shared.vars.extend(vars.iter().map(|var| WaveVar {
            alias: var.alias.map(|position| first + position),
            words: (GROUP * first_group + var.words.0, var.words.1),
            ..var.clone()
        }));
        let own = vars.iter().filter(|var| var.alias.is_none());
        let words = own.map(|var| var.words.0 + var.words.1).max();
        // One group at least, for by the first one a design is known.
        shared.groups += words.unwrap_or(0).div_ceil(GROUP).max(1);
        let positions = first..shared.vars.len();
        shared.shares.push((first_group, positions));
        shared.reached.push(Some(0));
        Part {
            file: self.clone(),
            number: shared.reached.len() - 1,
            first_group,
        }
    }
}

impl Shared {
    /// Writes what nobody can write anything before.
    fn flush(&mut self) -> io::Result<()> {
        let Some(mut file) = self.file.take() else {
            // Nobody will write them.
            self.changes.clear();
            return Ok(());
        };
        let safe = self.reached.iter().flatten().min().copied();
        while let Some(entry) = self.changes.first_entry()
            && safe.is_none_or(|safe| *entry.key() < safe)
        {
            let (time, mut changes) = entry.remove_entry();
            changes.write(time, file.as_mut())?;
            self.spare.push(changes);
        }
        match safe {
            Some(_) => self.file = Some(file),
            None => file.finish(self.end)?,
        }
        Ok(())
    }
}

impl Changes {
    /// Writes them, and is empty again.
    fn write(&mut self, time: u64, file: &mut dyn Sink) -> io::Result<()> {
        let begin = Moment {
            time,
            clock: self.clock.take(),
            again: false,
        };
        let again = Moment {
            clock: None,
            again: true,
            ..begin
        };
        let mut from = 0;
        for (number, to) in self.ends.drain(..).enumerate() {
            let moment = if number == 0 { begin } else { again };
            file.moment(moment, &self.entries[from..to])?;
            from = to;
        }
        self.entries.clear();
        Ok(())
    }
}

/// One design's share of the file.
pub(super) struct Part {
    file: SharedWave,
    number: usize,
    first_group: usize,
}

impl Sink for Part {
    fn first_group(&self) -> usize {
        self.first_group
    }

    fn pass(&mut self, time: u64) -> io::Result<()> {
        let mut shared = self.file.lock();
        shared.reached[self.number] = Some(time);
        shared.flush()
    }

    fn moment(&mut self, moment: Moment, entries: &[u64]) -> io::Result<()> {
        self.pass(moment.time)?;
        let shared = &mut *self.file.lock();
        let empty = || shared.spare.pop().unwrap_or_default();
        let changes = (shared.changes.entry(moment.time)).or_insert_with(empty);
        changes.clock = moment.clock.or(changes.clock);
        changes.entries.extend_from_slice(entries);
        changes.ends.push(changes.entries.len());
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
        self.0.sample(values, None, cycle);
    }

    /// Ends its share of the file. Errors: something of it could not be written, now or before.
    pub fn finish(self) -> Result<()> {
        self.0.finish()
    }
}
