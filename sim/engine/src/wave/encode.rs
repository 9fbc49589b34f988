//! From words that changed to variables that changed, on the encoder's thread.
//!
//! It has its own copy of the words and so finds out which fields of a word changed; the simulating thread copies whole
//! words. Changes of a cycle reach the format in the order of the variables.

use std::io;
use std::ops::Range;

use super::Format;
use super::detect::{GROUP, entry};
use super::digits::cut;
use crate::base::{WaveVar, mask};

/// A design in the file: its first group, and the positions of its variables.
pub(super) type Share = (usize, Range<usize>);

/// A variable in a word: bits of the word that are its own.
struct User {
    position: u32,
    bits: u64,
}

/// Where a variable's value is.
struct Place {
    /// First word.
    first: usize,
    /// The value's first bit there.
    by: u32,
    width: usize,
}

/// The words of all designs, and the format.
pub(super) struct Encoder {
    format: Box<dyn Format>,
    places: Vec<Place>,
    words: Vec<u64>,
    /// By word: where its users begin; then where the last ones end.
    starts: Vec<u32>,
    users: Vec<User>,
    shares: Vec<Share>,
    /// By position: whether the file has changes of it. Clocks are drawn, an alias is written once.
    own: Vec<u64>,
    /// By position: whether it changed.
    changed: Vec<u64>,
    value: Vec<u64>,
}

impl Encoder {
    /// All words zero and nothing written. Words of the variables are counted from the file's first group on.
    pub(super) fn new(vars: &[WaveVar], shares: Vec<Share>, format: Box<dyn Format>) -> Self {
        let place = |var: &WaveVar| Place {
            first: var.words.0 + var.offset / 64,
            by: (var.offset % 64) as u32,
            width: var.width,
        };
        let mut own = vec![0; vars.len().div_ceil(64)];
        let mut users = Vec::new();
        for (position, var) in vars.iter().enumerate() {
            if var.clock || var.alias.is_some() {
                continue;
            }
            own[position / 64] |= 1 << (position % 64);
            let end = var.offset + var.width;
            for word in var.offset / 64..end.div_ceil(64) {
                let bits = mask(end - 64 * word) & !mask(var.offset.saturating_sub(64 * word));
                let position = position as u32;
                users.push((var.words.0 + word, User { position, bits }));
            }
        }
        users.sort_by_key(|(word, _)| *word);
        let count = users.last().map_or(0, |(word, _)| word + 1);
        let start = |word| users.partition_point(|(other, _)| *other < word) as u32;
        Self {
            format,
            places: vars.iter().map(place).collect(),
            words: vec![0; count],
            starts: (0..=count).map(start).collect(),
            users: users.into_iter().map(|(_, user)| user).collect(),
            shares,
            changed: vec![0; own.len()],
            own,
            value: Vec::new(),
        }
    }

    /// Begins a time.
    pub(super) fn time(&mut self, time: u64) -> io::Result<()> {
        self.format.time(time)
    }

    /// The clock has a new level.
    pub(super) fn clock(&mut self, level: bool) -> io::Result<()> {
        self.format.clock(level)
    }

    /// Takes words that changed.
    pub(super) fn take(&mut self, mut entries: &[u64]) {
        while let Some((group, bits, new, rest)) = entry(entries) {
            entries = rest;
            if bits == 0 {
                self.all(group);
            }
            let places = (0..GROUP).filter(|word| bits >> word & 1 == 1);
            for (word, new) in places.map(|word| GROUP * group + word).zip(new) {
                let Some(old) = self.words.get_mut(word) else {
                    continue;
                };
                let differs = *old ^ new;
                *old = *new;
                let (from, to) = (self.starts[word] as usize, self.starts[word + 1] as usize);
                for user in &self.users[from..to] {
                    let bit = u64::from(user.bits & differs != 0) << (user.position % 64);
                    self.changed[user.position as usize / 64] |= bit;
                }
            }
        }
    }

    /// Every variable of the design whose first group this is has a value now.
    fn all(&mut self, group: usize) {
        let mut shares = self.shares.iter();
        let positions = shares.find(|(first, _)| *first == group);
        for position in positions.into_iter().flat_map(|(_, all)| all.clone()) {
            self.changed[position / 64] |= self.own[position / 64] & 1 << (position % 64);
        }
    }

    /// Writes what changed since the last call.
    pub(super) fn give(&mut self) -> io::Result<()> {
        for (place, bits) in self.changed.iter_mut().enumerate() {
            while *bits != 0 {
                let position = 64 * place + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                let Place { first, by, width } = self.places[position];
                self.value.clear();
                let word = |at: usize| self.words.get(at).copied().unwrap_or(0);
                for at in first..first + width.div_ceil(64) {
                    let high = word(at + 1).checked_shl(64 - by).unwrap_or(0);
                    self.value.push(word(at) >> by | high);
                }
                cut(&mut self.value, width);
                self.format.change(position, &self.value)?;
            }
        }
        Ok(())
    }

    /// The last time; writes everything to the file.
    pub(super) fn finish(self, time: u64) -> io::Result<()> {
        self.format.finish(time)
    }

    /// No end comes; waits until what there is is in the file.
    pub(super) fn give_up(self) -> io::Result<()> {
        self.format.give_up()
    }
}
