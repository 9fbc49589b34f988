//! How an `AxiMemory` behaves: timing, faults, what it records.

use std::ops::RangeInclusive;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::axi_pins::{Address, LINE_BYTES};

/// Probability, for each cycle, that a channel pauses: 0 never, 1 always.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stalls {
    /// `awready` low.
    pub aw: f64,
    /// `wready` low.
    pub w: f64,
    /// `arready` low.
    pub ar: f64,
    /// A response that is due is held back.
    pub b: f64,
    /// A read beat that is due is held back.
    pub r: f64,
}

/// Timing of a memory; all latencies in cycles, at least 1.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryTiming {
    /// AR handshake to the first R valid.
    pub read_latency: RangeInclusive<u32>,
    /// Handshake of the last W (or of AW, if that is later) to B valid.
    pub write_latency: RangeInclusive<u32>,
    /// Data beats in so many cycles, for writes and for reads each: (1, 1) is every cycle, (2, 3) two in three.
    pub bandwidth: (u32, u32),
    /// Random pauses.
    pub stalls: Stalls,
    /// Whether transactions of different ids overtake each other and read bursts of different ids interleave.
    pub reorder: bool,
    /// Seed of every random choice.
    pub seed: u64,
}

impl MemoryTiming {
    /// Always ready, B one cycle after the last W, R one cycle after AR, in order.
    pub fn ideal() -> Self {
        Self {
            read_latency: 1..=1,
            write_latency: 1..=1,
            bandwidth: (1, 1),
            stalls: Stalls::default(),
            reorder: false,
            seed: 0,
        }
    }

    /// As [`ideal`](Self::ideal), but B comes `cycles` cycles after the last W.
    pub fn fixed_write(cycles: u32) -> Self {
        Self {
            write_latency: cycles..=cycles,
            ..Self::ideal()
        }
    }

    /// Latencies, stalls and order drawn from `seed`, from kind to nasty.
    pub fn random(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let longest = [1, 8, 60, 250];
        let worst = [0.0, 0.1, 0.5, 0.8];
        let mut latency = || 1..=longest[rng.random_range(0..longest.len())];
        let (read_latency, write_latency) = (latency(), latency());
        let mut stall = || worst[rng.random_range(0..worst.len())];
        Self {
            read_latency,
            write_latency,
            stalls: Stalls {
                aw: stall(),
                w: stall(),
                ar: stall(),
                b: stall(),
                r: stall(),
            },
            bandwidth: [(1, 1), (1, 1), (2, 3), (1, 4)][rng.random_range(0..4)],
            reorder: rng.random_bool(0.8),
            seed,
        }
    }
}

/// Draws a latency in cycles, at least 1; of an empty range its start.
pub(super) fn latency(range: &RangeInclusive<u32>, rng: &mut ChaCha8Rng) -> u64 {
    let shortest = (*range.start()).max(1);
    rng.random_range(shortest..=(*range.end()).max(shortest))
        .into()
}

/// An error response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ErrorResponse {
    /// The access failed.
    SlaveError,
    /// Nothing is there.
    DecodeError,
}

impl ErrorResponse {
    /// Value of `bresp` and `rresp`.
    pub fn bits(self) -> u8 {
        match self {
            Self::SlaveError => 2,
            Self::DecodeError => 3,
        }
    }
}

/// Which accesses a fault hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Access {
    /// Reads.
    Read,
    /// Writes and atomics.
    Write,
    /// All.
    Both,
}

/// An injected error. A burst that touches `addresses` fails: a write is not performed at all, a read gives noise and
/// the error response in the beats whose 64-byte line touches them.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Fault {
    /// Context, or all.
    pub context: Option<u8>,
    /// Addresses of bytes.
    pub addresses: RangeInclusive<u64>,
    /// Kind of access.
    pub access: Access,
    /// Response.
    pub response: ErrorResponse,
    /// Fault code in `buser` and `ruser`, 0..=15.
    pub code: u8,
    /// How many bursts fail before the fault is gone; `None`: all.
    pub count: Option<u32>,
}

/// What a burst got instead of the memory.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Failure {
    pub(super) addresses: RangeInclusive<u64>,
    pub(super) response: ErrorResponse,
    pub(super) code: u8,
}

fn touches(addresses: &RangeInclusive<u64>, (first, last): (u64, u64)) -> bool {
    *addresses.start() <= last && first <= *addresses.end()
}

impl Failure {
    /// Response and code of a beat in the 64-byte line at `line`.
    pub(super) fn of_line(&self, line: u64) -> (u8, u8) {
        if touches(&self.addresses, (line, line | (LINE_BYTES - 1))) {
            (self.response.bits(), self.code)
        } else {
            (0, 0)
        }
    }
}

/// The faults to inject and the addresses that exist.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct FaultMap {
    /// Each with the number of bursts it still spares.
    pub(super) faults: Vec<(Fault, u32)>,
    /// Context (or all) and addresses; empty: everything exists.
    pub(super) mapped: Vec<(Option<u8>, RangeInclusive<u64>)>,
}

impl FaultMap {
    /// Fault code of an address that is not mapped.
    pub(super) const UNMAPPED: u8 = 1;

    /// Whether this burst fails; uses up a counted fault.
    pub(super) fn check(&mut self, burst: &Address, access: Access) -> Option<Failure> {
        let here = |context: Option<u8>| context.is_none_or(|context| context == burst.context);
        let (first, last) = burst.span();
        let mapped = |(context, addresses): &(Option<u8>, RangeInclusive<u64>)| {
            here(*context) && *addresses.start() <= first && last <= *addresses.end()
        };
        if !self.mapped.is_empty() && !self.mapped.iter().any(mapped) {
            return Some(Failure {
                addresses: first..=last,
                response: ErrorResponse::DecodeError,
                code: Self::UNMAPPED,
            });
        }
        let (hit, spared) = self.faults.iter_mut().find(|(fault, _)| {
            here(fault.context)
                && (fault.access == Access::Both || fault.access == access)
                && fault.count != Some(0)
                && touches(&fault.addresses, (first, last))
        })?;
        if *spared > 0 {
            *spared -= 1;
            return None;
        }
        if let Some(count) = &mut hit.count {
            *count -= 1;
        }
        Some(Failure {
            addresses: hit.addresses.clone(),
            response: hit.response,
            code: hit.code,
        })
    }
}

/// One beat of a write that was answered.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WriteRecord {
    /// Cycle of the AW handshake.
    pub aw_cycle: u64,
    /// Cycle of this beat's W handshake.
    pub w_cycle: u64,
    /// Cycle from which on every reader sees it; `None`: not performed.
    pub visible_cycle: Option<u64>,
    /// Cycle of the B handshake.
    pub b_cycle: u64,
    /// Number of the burst, in the order of AW.
    pub burst: u64,
    /// Transaction id.
    pub id: u8,
    /// Context.
    pub context: u8,
    /// Address of the 64-byte line; byte *i* of `data` belongs to `line + i`.
    pub line: u64,
    /// The 64 bytes on the bus.
    #[serde(with = "crate::saved::bytes")]
    pub data: [u8; 64],
    /// Bytes written: bit *i* is byte *i*; 0 for an atomic that found another value.
    pub strobes: u64,
    /// `bresp`.
    pub resp: u8,
}

impl WriteRecord {
    /// Address of the first byte written, or of the line if none is.
    pub fn address(&self) -> u64 {
        self.line + u64::from(self.strobes.trailing_zeros() % 64)
    }

    /// Whether the byte at `address` is written.
    pub fn writes(&self, address: u64) -> bool {
        let offset = address.wrapping_sub(self.line);
        offset < 64 && self.strobes >> offset & 1 == 1
    }

    /// Whether one of `length` bytes from `start` on is written.
    pub fn touches(&self, start: u64, length: u64) -> bool {
        let within = |at: &u64| self.line.wrapping_add(*at).wrapping_sub(start) < length;
        (0..64).any(|at| self.strobes >> at & 1 == 1 && within(&at))
    }
}

/// A write to a watched address, seen when it became visible.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WatchedWrite {
    /// Cycle from which on every reader sees it.
    pub cycle: u64,
    /// Context.
    pub context: u8,
    /// Address of the first byte of `data`.
    pub address: u64,
    /// The bytes written that lie next to each other.
    pub data: Vec<u8>,
}
