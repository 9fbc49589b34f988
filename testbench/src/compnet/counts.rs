//! Hits and misses in the L2 by what the access was for.

use serde::Serialize;

/// What an access is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The CP polls the next entry of a queue, and there is a call.
    PollFound,
    /// The CP polls, and there is none.
    PollEmpty,
    /// The CP marks an entry as complete.
    Complete,
    /// The CP writes a read index that it shares with a work-group.
    ReadIndex,
    /// The CP's mutex around the structures of its network library.
    Mutex,
    /// Data that only one core of the CP uses.
    Private,
    /// A work-group's access to its queue.
    Queue,
    /// Streaming.
    Stream,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::PollFound,
        Self::PollEmpty,
        Self::Complete,
        Self::ReadIndex,
        Self::Mutex,
        Self::Private,
        Self::Queue,
        Self::Stream,
    ];
    /// What the CP does on entries of queues, which locked stores protect.
    pub const ENTRIES: [Self; 3] = [Self::PollFound, Self::PollEmpty, Self::Complete];
    /// What only the CP uses.
    pub const OWN: [Self; 2] = [Self::Mutex, Self::Private];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::PollFound => "poll, call found",
            Self::PollEmpty => "poll, nothing there",
            Self::Complete => "mark complete",
            Self::ReadIndex => "write read index",
            Self::Mutex => "mutex",
            Self::Private => "private data",
            Self::Queue => "work-group, queue",
            Self::Stream => "streaming",
        }
    }
}

/// Hits and misses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Accesses that found their line in the L2.
    pub hits: u64,
    /// Accesses that did not.
    pub misses: u64,
}

impl Tally {
    /// All accesses.
    pub fn accesses(self) -> u64 {
        self.hits + self.misses
    }

    /// Hits in a hundred accesses; nothing if there were none.
    pub fn rate(self) -> Option<f64> {
        (self.accesses() > 0).then(|| 100.0 * self.hits as f64 / self.accesses() as f64)
    }

    fn plus(self, other: Self) -> Self {
        Self {
            hits: self.hits + other.hits,
            misses: self.misses + other.misses,
        }
    }
}

/// Hits and misses of every class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts([Tally; Class::ALL.len()]);

impl Counts {
    /// Counts an access.
    pub fn add(&mut self, class: Class, hit: bool) {
        let tally = &mut self.0[class as usize];
        match hit {
            true => tally.hits += 1,
            false => tally.misses += 1,
        }
    }

    /// Of one class.
    pub fn of(&self, class: Class) -> Tally {
        self.0[class as usize]
    }

    /// Of these classes together.
    pub fn sum(&self, classes: &[Class]) -> Tally {
        classes
            .iter()
            .fold(Tally::default(), |sum, class| sum.plus(self.of(*class)))
    }

    /// Adds those of another core.
    pub fn merge(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = own.plus(*other);
        }
    }

    /// What has been counted since `earlier`.
    pub fn since(&self, earlier: &Self) -> Self {
        let mut counts = self.clone();
        for (own, earlier) in counts.0.iter_mut().zip(&earlier.0) {
            own.hits -= earlier.hits;
            own.misses -= earlier.misses;
        }
        counts
    }
}
