//! Messages that are under way, and the match entries that they hold.

use super::layout::{EXPOSED, RECEIVES};
use std::ops::Range;
use xtq_testbench::host::Me;

/// A message that was begun; [`wait`](super::Mpi::wait) ends it.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a message is over only when it was waited for"]
pub struct Request(pub(super) usize);

/// What came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Rank that sent it.
    pub source: usize,
    /// Its tag.
    pub tag: u32,
    /// Its bytes.
    pub bytes: u64,
}

/// How far a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pending {
    /// The NIC still reads it, or the target has not read it yet.
    Sending,
    /// A receive is posted: buffer, entry, and the landing place if the data are to be combined.
    Receiving {
        address: u64,
        bytes: u64,
        entry: Me,
        landing: Option<u64>,
    },
    /// It is being read from its sender.
    Reading {
        status: Status,
        landing: Option<u64>,
    },
    /// It is over.
    Done(Status),
}

/// All of a rank's.
#[derive(Debug)]
pub(super) struct Requests {
    /// By number.
    pending: Vec<Option<Pending>>,
    receives: Vec<Me>,
    exposed: Vec<Me>,
}

impl Default for Requests {
    fn default() -> Self {
        let entries = |numbers: Range<u16>| numbers.rev().map(Me).collect();
        Self {
            pending: Vec::new(),
            receives: entries(RECEIVES),
            exposed: entries(EXPOSED),
        }
    }
}

impl Requests {
    /// A new one; its number.
    pub(super) fn add(&mut self, pending: Pending) -> usize {
        let free = self.pending.iter().position(Option::is_none);
        let number = free.unwrap_or(self.pending.len());
        match free {
            Some(free) => self.pending[free] = Some(pending),
            None => self.pending.push(Some(pending)),
        }
        number
    }

    /// The one with a number, if it is under way.
    pub(super) fn get(&self, number: usize) -> Option<Pending> {
        self.pending.get(number).copied().flatten()
    }

    /// How far it is now.
    pub(super) fn set(&mut self, number: usize, pending: Pending) {
        self.pending[number] = Some(pending);
    }

    /// Takes it away if it is over.
    pub(super) fn take(&mut self, number: usize) -> Option<Status> {
        match self.get(number) {
            Some(Pending::Done(status)) => {
                self.pending[number] = None;
                Some(status)
            }
            _ => None,
        }
    }

    /// An entry for a receive, if one is free.
    pub(super) fn receive_entry(&mut self) -> Option<Me> {
        self.receives.pop()
    }

    /// An entry for a message that waits to be read, if one is free.
    pub(super) fn exposed_entry(&mut self) -> Option<Me> {
        self.exposed.pop()
    }

    /// Gives an entry back. Those of landing places belong to them.
    pub(super) fn give_back(&mut self, entry: Me) {
        if RECEIVES.contains(&entry.0) {
            self.receives.push(entry);
        } else if EXPOSED.contains(&entry.0) {
            self.exposed.push(entry);
        }
    }
}
