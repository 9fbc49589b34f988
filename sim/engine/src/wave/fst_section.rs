//! A section of an FST file: the changes of a while, variable by variable.
//!
//! Changes come in the order of time; the section wants a *chain* a variable. So a change is packed at once and kept in
//! the order of arrival, with its variable, and a counting sort puts it into its chain when the section is written. The
//! block is one of kind `VcDataDynamicAlias2`, as libfst (`fstapi.c`) reads it:
//!
//! | part | what |
//! |---|---|
//! | head | first and last time, bytes of all chains |
//! | frame | every variable at the first time, a character a bit |
//! | chains | each its length before LZ4 (0: as it is) and itself |
//! | offsets | where each variable's chain is; none if it did not change |
//! | times | steps from each to the next |
//!
//! A change is the number of times since the one before and the value: of a bit, both in one number; else the bits,
//! the highest first, from the top of the first byte on. A chain is compressed if it is long enough and gets shorter:
//! never by how fast the disk is, so a run always writes the same file.

use std::io;

use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};

use super::digits::digits;
use super::output::Piece;

/// The block's kind, and that of its chains.
const KIND: u8 = 8;
const LZ4: u8 = b'4';
/// Bytes of a chain that is not worth compressing.
const SHORT: usize = 32;
/// Bytes from which on the compressor wants a larger table.
const LARGE: usize = 1 << 16;
/// How hard the times are compressed (zlib): nearly all steps are the same.
const LEVEL: u8 = 1;

/// A variable's value.
struct Value {
    bits: usize,
    /// Its first word.
    first: usize,
    /// It has one.
    known: bool,
    /// Bytes of its chain.
    chain: usize,
    /// The time of its last change in this section.
    changed: u64,
}

/// The section that is being gathered. Variables are numbered from 0 on.
pub(super) struct Section {
    values: Vec<Value>,
    words: Vec<u64>,
    /// As of the section's first time.
    frame: Vec<u8>,
    /// No section was written yet: what comes before a first time other than 0 is only in the frame.
    first: bool,
    start: u64,
    end: u64,
    times: Vec<u8>,
    /// How many times there are.
    count: u64,
    /// Variables and packed changes in the order of arrival.
    vars: Vec<u32>,
    packed: Vec<u8>,
    /// The same, chain after chain.
    chains: Vec<u8>,
    small: CompressTable,
    large: CompressTable,
}

/// Adds a number in pieces of seven bits, the lowest first.
fn number(bytes: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// The same of a number with a sign, whose last piece begins with it.
fn signed(bytes: &mut Vec<u8>, mut value: i64) {
    while !(-64..64).contains(&value) {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8 & 0x7f);
}

/// Adds the lowest bits of a value, the highest first, from the top of the first byte on.
fn pack(bytes: &mut Vec<u8>, words: &[u64], bits: usize) {
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    let mut left = bits;
    while left >= 64 {
        left -= 64;
        let high = word(left / 64 + 1)
            .checked_shl(64 - left as u32 % 64)
            .unwrap_or(0);
        bytes.extend_from_slice(&(word(left / 64) >> (left % 64) | high).to_be_bytes());
    }
    if left > 0 {
        let top = (word(0) << (64 - left)).to_be_bytes();
        bytes.extend_from_slice(&top[..left.div_ceil(8)]);
    }
}

impl Section {
    /// Nothing yet of variables with so many bits each, and room for so many bytes.
    pub(super) fn new(widths: &[u32], room: usize) -> Self {
        let mut words = 0;
        let value = |bits: &u32| {
            let first = words;
            words += bits.div_ceil(64) as usize;
            Value {
                bits: *bits as usize,
                first,
                known: false,
                chain: 0,
                changed: 0,
            }
        };
        let mut section = Self {
            values: widths.iter().map(value).collect(),
            words: Vec::new(),
            frame: vec![b'x'; widths.iter().map(|bits| *bits as usize).sum()],
            first: true,
            start: 0,
            end: 0,
            times: Vec::new(),
            count: 0,
            vars: Vec::with_capacity(room / 8),
            packed: Vec::with_capacity(room),
            chains: Vec::with_capacity(room),
            small: CompressTable::small(),
            large: CompressTable::large(),
        };
        section.words = vec![0; words];
        section
    }

    /// Bytes gathered.
    pub(super) fn size(&self) -> usize {
        self.packed.len() + 4 * self.vars.len() + self.times.len()
    }

    /// Begins a time. Errors: it is earlier than the last one.
    pub(super) fn time(&mut self, time: u64) -> io::Result<()> {
        if time < self.end {
            let what = format!("time goes back from {} to {time} ps", self.end);
            return Err(io::Error::other(what));
        }
        if time == self.end {
            return Ok(());
        }
        if self.times.is_empty() {
            self.set_frame();
            // The first step is from 0 on.
            number(&mut self.times, time);
        } else {
            number(&mut self.times, time - self.end);
        }
        (self.end, self.count) = (time, self.count + 1);
        Ok(())
    }

    fn set_frame(&mut self) {
        let mut rest = self.frame.as_mut_slice();
        for value in &self.values {
            let (own, after) = rest.split_at_mut(value.bits);
            rest = after;
            match value.known {
                true => digits(own, &self.words[value.first..]),
                false => own.fill(b'x'),
            }
        }
    }

    /// A variable has a value; nothing happens if it had it before.
    pub(super) fn change(&mut self, var: usize, words: &[u64]) {
        let value = &mut self.values[var];
        let count = value.bits.div_ceil(64);
        let old = &mut self.words[value.first..value.first + count];
        let mut new = words
            .iter()
            .copied()
            .chain(std::iter::repeat(0))
            .take(count);
        if value.known && old.iter().copied().eq(new.clone()) {
            return;
        }
        old.iter_mut()
            .for_each(|old| *old = new.next().unwrap_or(0));
        value.known = true;
        if self.first && self.times.is_empty() {
            return;
        }
        // A section is written before a time begins, so there is one.
        let now = self.count.saturating_sub(1);
        let steps = now - value.changed;
        let from = self.packed.len();
        if value.bits == 1 {
            number(&mut self.packed, steps << 2 | (old[0] & 1) << 1);
        } else {
            number(&mut self.packed, steps << 1);
            pack(&mut self.packed, old, value.bits);
        }
        value.changed = now;
        value.chain += self.packed.len() - from;
        self.vars.push(var as u32);
    }

    /// Adds the section to a piece of the file and begins the next one.
    pub(super) fn write(&mut self, out: &mut Piece) -> io::Result<()> {
        let from = out.bytes().len();
        out.add(&[KIND]);
        let chains: usize = self.values.iter().map(|value| value.chain).sum();
        // The length comes at the end.
        for head in [0, self.start, self.end, chains as u64] {
            out.add(&head.to_be_bytes());
        }
        let (frame, count) = (self.frame.len() as u64, self.values.len() as u64);
        let mut text = Vec::new();
        // Both lengths are the same, so it is not compressed.
        [frame, frame, count]
            .into_iter()
            .for_each(|value| number(&mut text, value));
        out.add(&text);
        out.add(&self.frame);
        let offsets = self.write_chains(out)?;
        out.add(&offsets);
        out.add(&(offsets.len() as u64).to_be_bytes());
        self.write_times(out);
        let length = (out.bytes().len() - from - 1) as u64;
        out.bytes_mut()[from + 1..from + 9].copy_from_slice(&length.to_be_bytes());
        self.clear();
        Ok(())
    }

    /// Adds the chains; gives where they are.
    fn write_chains(&mut self, out: &mut Piece) -> io::Result<Vec<u8>> {
        self.sort();
        let (mut offsets, mut text, mut none) = (Vec::new(), Vec::new(), 0);
        number(&mut text, self.values.len() as u64);
        out.add(&text);
        let mut last = out.bytes().len();
        out.add(&[LZ4]);
        let mut rest = self.chains.as_slice();
        for value in &self.values {
            let (chain, after) = rest.split_at(value.chain);
            rest = after;
            if chain.is_empty() {
                none += 1;
                continue;
            }
            if none > 0 {
                number(&mut offsets, none << 1);
                none = 0;
            }
            let at = out.bytes().len();
            signed(&mut offsets, ((at - last) as i64) << 1 | 1);
            last = at;
            let table = match chain.len() {
                0..LARGE => &mut self.small,
                _ => &mut self.large,
            };
            write_chain(chain, table, out)?;
        }
        if none > 0 {
            number(&mut offsets, none << 1);
        }
        Ok(offsets)
    }

    /// Puts every change into its chain.
    fn sort(&mut self) {
        self.chains.resize(self.packed.len(), 0);
        let mut next = 0;
        let start = |value: &Value| {
            let start = next;
            next += value.chain;
            start
        };
        let mut ends: Vec<usize> = self.values.iter().map(start).collect();
        let mut rest = self.packed.as_slice();
        for var in &self.vars {
            let var = *var as usize;
            let bits = self.values[var].bits;
            let steps = 1 + rest.iter().take_while(|byte| **byte > 0x7f).count();
            let bytes = if bits == 1 { 0 } else { bits.div_ceil(8) };
            let (change, after) = rest.split_at(steps + bytes);
            rest = after;
            let at = ends[var];
            self.chains[at..at + change.len()].copy_from_slice(change);
            ends[var] = at + change.len();
        }
    }

    fn write_times(&self, out: &mut Piece) {
        let zlib = miniz_oxide::deflate::compress_to_vec_zlib(&self.times, LEVEL);
        // The same length says that it is not compressed.
        let times = match zlib.len() < self.times.len() {
            true => &zlib,
            false => &self.times,
        };
        out.add(times);
        for tail in [self.times.len() as u64, times.len() as u64, self.count] {
            out.add(&tail.to_be_bytes());
        }
    }

    fn clear(&mut self) {
        for value in &mut self.values {
            (value.chain, value.changed) = (0, 0);
        }
        (self.first, self.start, self.count) = (false, self.end, 0);
        self.times.clear();
        self.vars.clear();
        self.packed.clear();
    }
}

/// Adds a chain, compressed if that makes it shorter. Errors: never, for there is room.
fn write_chain(chain: &[u8], table: &mut CompressTable, out: &mut Piece) -> io::Result<()> {
    let mut length = Vec::with_capacity(10);
    if chain.len() >= SHORT {
        number(&mut length, chain.len() as u64);
        let from = out.bytes().len();
        out.add(&length);
        let room = out.more(get_maximum_output_size(chain.len()));
        let packed = compress_into_with_table(chain, room, table).map_err(io::Error::other)?;
        if packed < chain.len() {
            out.truncate(from + length.len() + packed);
            return Ok(());
        }
        out.truncate(from);
    }
    out.add(&[0]);
    out.add(chain);
    Ok(())
}
