//! An atomic message, and what it does to a memory in which nothing else happens.

use rust_hdl::prelude::*;
use xtq_testbench::bytes::{Bytes, SparseMemory};
use xtq_types::atomic::{AtomicJob, operation as o};
use xtq_types::pipe::BodyBeat;

use crate::model::{apply, is_built, size_of};

/// Slot, and whether the message was refused, bad, failed in memory.
pub type Ending = (u64, [bool; 3]);

/// A message as it reaches the unit.
#[derive(Clone, Debug)]
pub struct Message {
    pub slot: u64,
    pub context: u8,
    pub fetch: bool,
    pub operation: u8,
    pub datatype: u8,
    pub address: u64,
    /// What is delivered of it.
    pub length: usize,
    pub operand: u64,
    /// The packet's bytes, `length` or more.
    pub body: Vec<u8>,
    /// The packet had the wrong length.
    pub bad: bool,
}

/// A line that cannot be read, or not written.
#[derive(Clone, Copy, Debug)]
pub struct BadLine {
    pub context: u8,
    pub line: u64,
    pub write: bool,
}

impl Message {
    pub fn job(&self) -> AtomicJob {
        AtomicJob {
            slot: self.slot.to_bits(),
            context: self.context.to_bits(),
            fetch: u64::from(self.fetch).to_bits(),
            operation: self.operation.to_bits(),
            datatype: self.datatype.to_bits(),
            address: self.address.to_bits(),
            length: (self.length as u64).to_bits(),
            operand: self.operand.to_bits(),
        }
    }

    /// At least one; noise after the bytes of the last.
    pub fn beats(&self) -> Vec<BodyBeat> {
        let mut chunks: Vec<&[u8]> = self.body.chunks(64).collect();
        if chunks.is_empty() {
            chunks.push(&[]);
        }
        let last = chunks.len() - 1;
        let beat = |(i, chunk): (usize, &&[u8])| {
            let byte = |k: usize| chunk.get(k).copied().unwrap_or(0xA5 ^ k as u8);
            let word = |w: usize| u64::from_le_bytes(std::array::from_fn(|k| byte(8 * w + k)));
            let words: Vec<u64> = (0..8).map(word).collect();
            BodyBeat {
                data: xtq_types::Wire::from_words(&words),
                bytes: (chunk.len() as u64).to_bits(),
                last: u64::from(i == last).to_bits(),
                bad: u64::from(i == last && self.bad).to_bits(),
            }
        };
        chunks.iter().enumerate().map(beat).collect()
    }

    /// Lines that these bytes of the message touch.
    fn lines(&self, bytes: usize) -> Vec<u64> {
        let address = |i: usize| self.address.wrapping_add(i as u64) & !63;
        let mut lines: Vec<u64> = (0..bytes).map(address).collect();
        lines.dedup();
        lines
    }

    /// Performs it datum by datum: how it ends, and the reply if there is one.
    pub fn perform(
        &self,
        memory: &mut SparseMemory,
        bad_lines: &[BadLine],
    ) -> (Ending, Option<Vec<u8>>) {
        let size = size_of(self.datatype);
        if !is_built(self.operation, self.datatype) || !self.address.is_multiple_of(size as u64) {
            return ((self.slot, [true, self.bad, false]), None);
        }
        let is_bad = |line: u64, write: bool| {
            let hit = |bad: &BadLine| {
                bad.context == self.context && bad.line == line && bad.write == write
            };
            bad_lines.iter().any(hit)
        };
        let mut error = self.lines(self.length).iter().any(|l| is_bad(*l, false));
        let mut old = vec![0; self.length];
        memory.read(self.address, &mut old);
        if !error && !self.bad {
            let single = self.operation > o::SWAP;
            let whole = self.length / size;
            let count = if single { whole.min(1) } else { whole };
            for place in (0..count).map(|i| i * size) {
                let datum = place..place + size;
                let (source, target) = (&self.body[datum.clone()], &old[datum]);
                let new = apply(self.operation, self.datatype, source, target, self.operand);
                let address = self.address.wrapping_add(place as u64);
                if !is_bad(address & !63, true) {
                    memory.write(address, &new);
                }
            }
            error = self.lines(count * size).iter().any(|l| is_bad(*l, true));
        }
        let replies = self.fetch && !error && !self.bad && self.length > 0;
        (
            (self.slot, [false, self.bad, error]),
            replies.then_some(old),
        )
    }
}
