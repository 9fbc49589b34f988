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
    /// Data that only one core of the CP uses: loads that its L1 does not hold.
    Private,
    /// The same: lines that its L1 writes back.
    WriteBack,
    /// The CP reads a payload that did not fit the entry.
    Payload,
    /// A work-group's access to its queue.
    Queue,
    /// Streaming.
    Stream,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::PollFound,
        Self::PollEmpty,
        Self::Complete,
        Self::ReadIndex,
        Self::Mutex,
        Self::Private,
        Self::WriteBack,
        Self::Payload,
        Self::Queue,
        Self::Stream,
    ];
    /// What the CP does on entries of queues, which locked stores protect.
    pub const ENTRIES: [Self; 3] = [Self::PollFound, Self::PollEmpty, Self::Complete];
    /// What the CP loads. The others store, or are halves of a read-modify-write.
    pub const LOADS: [Self; 4] = [
        Self::PollFound,
        Self::PollEmpty,
        Self::Private,
        Self::Payload,
    ];
    /// What only the CP uses.
    pub const OWN: [Self; 3] = [Self::Mutex, Self::Private, Self::WriteBack];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::PollFound => "poll, call found",
            Self::PollEmpty => "poll, nothing there",
            Self::Complete => "mark complete",
            Self::ReadIndex => "write read index",
            Self::Mutex => "mutex",
            Self::Private => "private data",
            Self::WriteBack => "private data written back",
            Self::Payload => "payload",
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
    /// Cycles of all hits, from the program's asking to its answer.
    pub hit_cycles: u64,
    /// Cycles of all misses.
    pub miss_cycles: u64,
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
            hit_cycles: self.hit_cycles + other.hit_cycles,
            miss_cycles: self.miss_cycles + other.miss_cycles,
        }
    }
}

/// Hits and misses of every class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts([Tally; Class::ALL.len()]);

impl Counts {
    /// Counts an access that took so many cycles.
    pub fn add(&mut self, class: Class, hit: bool, cycles: u64) {
        let tally = &mut self.0[class as usize];
        let (count, sum) = match hit {
            true => (&mut tally.hits, &mut tally.hit_cycles),
            false => (&mut tally.misses, &mut tally.miss_cycles),
        };
        *count += 1;
        *sum += cycles;
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
            own.hit_cycles -= earlier.hit_cycles;
            own.miss_cycles -= earlier.miss_cycles;
        }
        counts
    }
}
