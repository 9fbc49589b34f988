//! Requests, answers, and what an access did.

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Who {
    Cp(u8),
    Cu(u8),
}

impl Who {
    pub fn is_cp(self) -> bool {
        matches!(self, Self::Cp(_))
    }

    pub fn number(self) -> u8 {
        match self {
            Self::Cp(number) | Self::Cu(number) => number,
        }
    }
}

/// A request.
#[derive(Clone, Debug)]
pub struct Ask {
    pub who: Who,
    pub op: u8,
    pub line: u64,
    /// Byte of the line, for atomics.
    pub byte: u64,
    pub wide: bool,
    pub compare: u64,
    pub strobe: u64,
    pub data: Vec<u64>,
}

impl Ask {
    /// A request without data; all bytes of a store.
    pub fn new(who: Who, op: u8, line: u64) -> Self {
        Self {
            who,
            op,
            line,
            byte: 0,
            wide: true,
            compare: 0,
            strobe: u64::MAX,
            data: vec![0; 8],
        }
    }

    /// The same with all words of the line.
    pub fn with(mut self, word: u64) -> Self {
        self.data = vec![word; 8];
        self
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub ask: Ask,
    /// Cycles of the two handshakes.
    pub accepted: u64,
    pub cycle: u64,
    pub hit: bool,
    pub uncached: bool,
    pub status: u8,
    pub data: Vec<u64>,
}

/// The end of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    pub cause: u8,
    pub rmw: bool,
    pub owner: u8,
    pub age: u64,
    pub line: u64,
}

/// What one access did.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub answer: Option<Answer>,
    pub end: Option<End>,
}
