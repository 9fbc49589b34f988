//! Lists of pieces, drawn and walked through by hand.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::host::iovec;

use crate::iovec::memory::Memory;

/// A list in memory.
#[derive(Clone, Debug)]
pub struct List {
    pub context: u64,
    pub address: u64,
    /// Address and length of each piece.
    pub pieces: Vec<(u64, u64)>,
    /// The first piece that cannot be read.
    pub broken: Option<usize>,
}

/// Bytes one after the other: address and length. An error instead: nobody knows where so many are.
pub type Span = Result<(u64, u64), u64>;

impl List {
    /// A list at a multiple of 8 near this place, whose page borders are not far; every length is about a line or a
    /// page, or 0.
    pub fn draw(rng: &mut ChaCha8Rng, place: u64) -> Self {
        let count = *[0, 1, 1, 2, 3, 4, 5, 8, 9, 31, 32, 33, 63, 64, 65, 130]
            .choose(rng)
            .unwrap_or(&1);
        let pieces = (0..count).map(|_| {
            let length = *[
                0, 0, 1, 2, 7, 8, 63, 64, 65, 100, 128, 200, 1000, 4096, 5000,
            ]
            .choose(rng)
            .unwrap_or(&0);
            let page = rng.random_range(1..1u64 << 50) << 12;
            (page - rng.random_range(0..200), length)
        });
        let pieces = pieces.collect();
        Self {
            context: rng.random_range(0..4),
            pieces,
            address: place + 4096 - 8 * rng.random_range(0..200),
            broken: None,
        }
    }

    /// Bytes of all pieces.
    pub fn length(&self) -> u64 {
        self.pieces.iter().map(|(_, length)| length).sum()
    }

    /// Puts it into memory, perhaps into lines of which one is bad.
    pub fn store(&mut self, memory: &mut Memory, bad: bool, rng: &mut ChaCha8Rng) {
        memory.bytes.write(self.address, &iovec(&self.pieces));
        if bad && !self.pieces.is_empty() {
            let number = rng.random_range(0..self.pieces.len());
            let line = (self.address + 16 * number as u64) & !63;
            memory.bad.insert(line);
            let reaches = |piece: usize| self.address + 16 * piece as u64 + 15 >= line;
            self.broken = (0..self.pieces.len()).find(|piece| reaches(*piece));
        }
    }

    /// Where `length` bytes after the first `offset` lie.
    pub fn spans(&self, mut offset: u64, mut length: u64) -> Vec<Span> {
        let mut spans = Vec::new();
        let readable = self.broken.unwrap_or(self.pieces.len());
        for (start, bytes) in &self.pieces[..readable] {
            if length == 0 {
                break;
            }
            let skipped = offset.min(*bytes);
            offset -= skipped;
            let taken = (bytes - skipped).min(length);
            if taken > 0 {
                spans.push(Ok((start + skipped, taken)));
                length -= taken;
            }
        }
        if length > 0 {
            spans.push(Err(length));
        }
        spans
    }
}

/// Latencies of memory, and shares of paused cycles on both sides.
pub const TIMINGS: [(u64, u64, [f64; 3]); 4] = [
    (1, 1, [0.0, 0.0, 0.0]),
    (1, 60, [0.3, 0.5, 0.0]),
    (40, 40, [0.0, 0.0, 0.6]),
    (1, 9, [0.5, 0.2, 0.3]),
];
