//! What happened to a node since it was quiet last, and which bytes may be what.

use super::Posted;
use std::collections::{BTreeMap, BTreeSet};
use xtq_testbench::portals::{Effects, Rank, Refusal, Response};

/// What happened to a node since it was quiet last, and what the model made of it.
#[derive(Default)]
pub struct Since {
    pub posted: Vec<Posted>,
    /// Packets that it was offered.
    pub offered: Vec<Vec<u8>>,
    /// Packets that it sent.
    pub left: Vec<Vec<u8>>,
    pub effects: Effects,
    /// The model's answers, by the message that they answer.
    pub answers: BTreeMap<(Rank, u64), Response>,
    /// Where their bytes were read.
    pub reads: BTreeMap<(Rank, u64), Read>,
    /// Refusals by user pointer of the command, if it was executed or posted.
    pub refusals: Vec<(Posted, Option<Refusal>)>,
    /// Bytes that were sent and are not the model's, with their addresses.
    pub doubtful: Vec<(usize, u8)>,
    /// What each byte that was written was before, and then.
    pub written: BTreeMap<usize, Vec<u8>>,
    /// Bytes of messages of several packets: what comes after one need not wait for all of them.
    pub straggling: BTreeSet<usize>,
    /// Bytes of replies, which are in memory before they are reported.
    pub replied: BTreeSet<usize>,
    /// Bytes that atomics were at.
    pub atomic: BTreeSet<usize>,
}

/// Where the bytes of an answer were read.
pub struct Read {
    /// The place of each.
    pub places: Vec<usize>,
    /// How many values each byte had had until then.
    pub seen: Vec<usize>,
    /// By an atomic.
    pub atomic: bool,
}

impl Since {
    pub fn values(&self, place: usize) -> &[u8] {
        self.written.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Whether this byte may be anything: what an atomic makes of it depends on when the bytes of another message came.
    pub fn is_open(&self, place: usize) -> bool {
        let other = self.straggling.contains(&place) || self.replied.contains(&place);
        self.atomic.contains(&place) && other
    }

    /// Whether this byte of an answer may be another than the model's.
    pub fn may_answer(&self, read: &Read, place: usize, seen: usize, byte: u8) -> bool {
        self.is_open(place) || (!read.atomic && self.may_read(place, seen, byte))
    }

    /// Whether a get that was matched when this byte had had `seen` values may read this one, which is not the last of
    /// them.
    fn may_read(&self, place: usize, seen: usize, byte: u8) -> bool {
        let values = self.values(place);
        // The first value is the one from before.
        let (before, behind) = values.split_at(seen.max(1).min(values.len()));
        let several = before.len() > 2 && before[1..].contains(&byte);
        let straggles = self.straggling.contains(&place) && before.contains(&byte);
        behind.contains(&byte) || several || straggles
    }
}
