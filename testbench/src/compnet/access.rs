//! What goes to the L2 and comes back: requests and responses of one line, as the models see them.

use crate::bus::LINE_BYTES;
use crate::tables::vocabulary;
use xtq_types::l2::{cause, status};

/// The 64 bytes of a line.
pub type Line = [u8; LINE_BYTES as usize];

/// Address of the line of a byte.
pub fn line_of(address: u64) -> u64 {
    address & !(LINE_BYTES - 1)
}

/// Strobes of `length` bytes from `address` on; what is beyond the line is cut off.
pub fn strobes_of(address: u64, length: usize) -> u64 {
    let first = address % LINE_BYTES;
    let bytes = match length {
        0 => 0,
        1..64 => u64::MAX >> (64 - length),
        _ => u64::MAX,
    };
    bytes << first
}

/// A line that holds `bytes` from `address` on, zero elsewhere; what is beyond the line is cut off.
pub fn line_with(address: u64, bytes: &[u8]) -> Line {
    let mut line = [0; LINE_BYTES as usize];
    let rest = &mut line[(address % LINE_BYTES) as usize..];
    let length = rest.len().min(bytes.len());
    rest[..length].copy_from_slice(&bytes[..length]);
    line
}

xtq_types::l2_operations! { vocabulary {
    /// What an access does.
    #[derive(Hash)]
    Op
} }

impl Op {
    /// The hardware's number.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Requester {
    /// A compute unit, 0 to 31.
    ComputeUnit(u8),
    /// A thread of the command processor, 0 to 31.
    CpThread(u8),
}

/// An access to one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What to do.
    pub op: Op,
    /// Who asks.
    pub requester: Requester,
    /// Returned with the response.
    pub tag: u8,
    /// Byte address.
    pub address: u64,
    /// Bytes of the line that a store writes: bit *i* is byte *i*.
    pub strobes: u64,
    /// What is written, in the lanes of the line.
    pub data: Line,
    /// Atomics: 8 bytes, else 4.
    pub wide: bool,
    /// [`Op::AtomicCas`]: what is expected.
    pub compare: u64,
}

impl Request {
    /// A read of the line of `address`.
    pub fn load(requester: Requester, tag: u8, address: u64) -> Self {
        Self::store(requester, tag, address, &[]).with(Op::Load)
    }

    /// A store of `bytes`, which lie in one line.
    pub fn store(requester: Requester, tag: u8, address: u64, bytes: &[u8]) -> Self {
        Self {
            op: Op::Store,
            requester,
            tag,
            address,
            strobes: strobes_of(address, bytes.len()),
            data: line_with(address, bytes),
            wide: true,
            compare: 0,
        }
    }

    /// The same with another operation.
    pub fn with(self, op: Op) -> Self {
        Self { op, ..self }
    }
}

/// How an access ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Ok,
    /// Not allowed; nothing changed.
    Refused,
    /// The line could not be fetched; nothing changed.
    Memory,
}

impl Status {
    /// Of the hardware's number.
    pub fn of_code(code: u8) -> Self {
        match code {
            status::OK => Self::Ok,
            status::MEMORY => Self::Memory,
            _ => Self::Refused,
        }
    }
}

/// The answer to an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Who asked.
    pub requester: Requester,
    /// The request's.
    pub tag: u8,
    /// The line was in the cache.
    pub hit: bool,
    /// Served without keeping the line.
    pub uncached: bool,
    /// Outcome.
    pub status: Status,
    /// The line as it was before the access.
    pub data: Line,
}

/// Why a lock ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The owner's write, or an access of the CP to a line that a work-group had locked.
    Release,
    /// It was held for too long.
    Watchdog,
    /// A read-modify-write needed its way.
    Dropped,
}

impl Cause {
    /// Of the hardware's number.
    pub fn of_code(code: u8) -> Self {
        match code {
            cause::RELEASE => Self::Release,
            cause::WATCHDOG => Self::Watchdog,
            _ => Self::Dropped,
        }
    }
}

/// The end of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockEnd {
    /// Why.
    pub cause: Cause,
    /// A read-modify-write held it, else a locked store.
    pub rmw: bool,
    /// The CP thread, or the compute unit that stored.
    pub owner: u8,
    /// Cycles from lock to unlock.
    pub age: u64,
    /// Address of the line.
    pub line: u64,
}
