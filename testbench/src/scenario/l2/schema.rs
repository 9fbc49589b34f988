//! The file as it is written.

use crate::compnet::access::{Cause, Op, Requester, Status};
use crate::scenario::values::{Cycles, Data};
use crate::tables::small_letters;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

defaults! {
    max_cycles: u64 = 10_000;
    watchdog: u16 = 10_000;
    locked_ways: u8 = 12;
    latency: Cycles = Cycles { least: 20, most: 20 };
}

/// A scenario of a bank of the L2: requests, each at its cycle, and what is expected of them. The bank is the block
/// `l2_bank`: 16 ways, 128 sets, lines of 64 bytes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct L2Scenario {
    /// What it shows; printed above the table.
    #[serde(default)]
    pub title: String,
    /// The run fails if a step is not answered, or a lock that is expected to end does not, within so many cycles.
    #[serde(default = "max_cycles")]
    pub max_cycles: u64,
    /// Cycles after which the watchdog drops a lock.
    #[serde(default = "watchdog")]
    pub watchdog_cycles: u16,
    /// Ways of a set that may be locked when a locked store asks for another lock.
    #[serde(default = "locked_ways")]
    pub locked_ways: u8,
    /// Cycles of the memory below the bank, reads and writes.
    #[serde(default = "latency")]
    pub memory_latency: Cycles,
    /// What the memory holds at the start; everything else is 0.
    #[serde(default)]
    pub memory: Vec<MemoryContents>,
    /// The requests, at least one and at most 256.
    pub steps: Vec<Step>,
    /// All locks that end, in order. Left out: nobody looks.
    pub locks: Option<Vec<ExpectedLock>>,
    /// What the bank has counted at the end.
    #[serde(default)]
    pub counters: ExpectedCounters,
}

/// Bytes in memory.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryContents {
    /// Address of the first.
    pub address: u64,
    /// The bytes.
    pub bytes: Data,
}

/// A request.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Name in the table [default: its number].
    #[serde(default)]
    pub name: String,
    /// Cycle in which it is offered, counted from the end of the reset; later if an earlier step still waits at the
    /// same entry of the bank. Steps of one entry are offered in the order of the file.
    pub cycle: u64,
    /// Who asks: `cu0` to `cu31` or `cp0` to `cp31`.
    pub requester: RequesterName,
    /// What is asked.
    pub op: OpName,
    /// Byte address.
    pub address: u64,
    /// What is written, at most to the end of the line; the operand of an atomic, 4 or 8 bytes.
    #[serde(default)]
    pub data: Data,
    /// `atomic_cas`: what is expected in the word.
    #[serde(default)]
    pub compare: u64,
    /// What the answer must be; what is left out may be anything.
    #[serde(default)]
    pub expect: Expected,
}

/// What an answer must be.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The line was in the cache.
    pub hit: Option<bool>,
    /// It was served without keeping the line.
    pub uncached: Option<bool>,
    /// Outcome [default: `ok`].
    #[serde(default)]
    pub status: StatusName,
    /// The bytes at the step's address before the access.
    pub data: Option<Data>,
    /// Cycles from its being taken to its answer.
    pub cycles: Option<Cycles>,
    /// The name of a step that must be answered before.
    pub after: Option<String>,
}

/// A lock that ends.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedLock {
    /// An address in the line.
    pub address: u64,
    /// Why it ends.
    pub cause: CauseName,
    /// A read-modify-write holds it, else a locked store.
    pub rmw: bool,
    /// How long it was held.
    pub cycles: Option<Cycles>,
}

/// What the bank has counted; what is left out may be anything.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedCounters {
    /// Lines that are locked at the end.
    pub locked_lines: Option<u64>,
    /// Locked stores that got no lock.
    pub lock_overflows: Option<u64>,
    /// Locks of stores that a read-modify-write took away.
    pub dropped_locks: Option<u64>,
    /// Locks dropped by the watchdog.
    pub watchdog_drops: Option<u64>,
    /// Accesses of the command processor that found their line in the bank.
    pub cp_hits: Option<u64>,
    /// Those that did not.
    pub cp_misses: Option<u64>,
    /// Accesses of compute units that found their line in the bank.
    pub cu_hits: Option<u64>,
    /// Those that did not.
    pub cu_misses: Option<u64>,
}

xtq_types::l2_operations! { small_letters {
    /// What is asked.
    #[derive(Serialize)]
    OpName => Op
} }

impl OpName {
    /// Whether it writes the bytes of `data`.
    pub fn stores(self) -> bool {
        matches!(self, Self::Store | Self::LockedStore | Self::RmwWrite)
    }

    /// Whether `data` is the operand of a word.
    pub fn is_atomic(self) -> bool {
        matches!(self, Self::AtomicAdd | Self::AtomicSwap | Self::AtomicCas)
    }
}

/// Outcome of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatusName {
    /// Done.
    #[default]
    Ok,
    /// Not allowed; nothing changed.
    Refused,
    /// The line could not be fetched; nothing changed.
    Memory,
}

impl From<Status> for StatusName {
    fn from(status: Status) -> Self {
        match status {
            Status::Ok => Self::Ok,
            Status::Refused => Self::Refused,
            Status::Memory => Self::Memory,
        }
    }
}

/// Why a lock ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CauseName {
    /// The owner's write, or an access of the command processor to a line locked by a store.
    Release,
    /// It was held for too long.
    Watchdog,
    /// A read-modify-write needed its way.
    Dropped,
}

impl From<Cause> for CauseName {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Release => Self::Release,
            Cause::Watchdog => Self::Watchdog,
            Cause::Dropped => Self::Dropped,
        }
    }
}

/// Who asks, as `cu3` or `cp0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
pub struct RequesterName(#[schemars(skip)] pub Requester);

impl<'de> Deserialize<'de> for RequesterName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        let number = |prefix| {
            let number: u8 = name.strip_prefix(prefix)?.parse().ok()?;
            (number < 32).then_some(number)
        };
        let unit = number("cu").map(Requester::ComputeUnit);
        let requester = unit.or_else(|| number("cp").map(Requester::CpThread));
        requester.map(Self).ok_or_else(|| {
            serde::de::Error::custom(format!("'{name}' is not cu0 to cu31 or cp0 to cp31"))
        })
    }
}

impl std::fmt::Display for RequesterName {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.0 {
            Requester::ComputeUnit(number) => write!(f, "cu{number}"),
            Requester::CpThread(number) => write!(f, "cp{number}"),
        }
    }
}
