//! `Entry`: what a work-group asks for, as it lies in 56 of the 64 bytes of a queue's entry, after the status.
//!
//! ```text
//!  0        8   9      10       12    16       24              32       40     48       56
//!  | status | op | flags | context | pe | remote | local or value | length | user | result | 0 |
//! ```

use xtq_testbench::compnet::queue::INLINE_BELOW;

/// Words of an entry after its status.
pub(super) const WORDS: usize = 7;
/// Bytes from an entry's start to its local address or value.
pub(super) const VALUE: u64 = 24;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// Writes into another node's heap.
    Put,
    /// Reads from another node's heap.
    Get,
    /// Adds to a word of another node's heap.
    Add,
    /// The same, and the old value comes back.
    FetchAdd,
}

/// By code.
const CALL_KINDS: [CallKind; 4] = [
    CallKind::Put,
    CallKind::Get,
    CallKind::Add,
    CallKind::FetchAdd,
];

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What is done.
    pub operation: CallKind,
    /// The data stand in the entry: fewer than eight bytes of a put, the eight that are added.
    pub inline: bool,
    /// The work-group's context.
    pub context: u16,
    /// The other node.
    pub pe: u32,
    /// Address there.
    pub remote: u64,
    /// Address here, or the data.
    pub local: u64,
    /// Bytes.
    pub length: u64,
    /// Number of the call, which the NIC's event returns.
    pub user: u64,
    /// Address here of an old value that comes back.
    pub result: u64,
}

impl Entry {
    /// A put of so few bytes that they travel in the entry.
    pub fn is_short(length: u64) -> bool {
        length < INLINE_BELOW
    }

    /// Its words.
    pub fn words(&self) -> [u64; WORDS] {
        let operation = self.operation as u64;
        let first = operation
            | u64::from(self.inline) << 8
            | u64::from(self.context) << 16
            | u64::from(self.pe) << 32;
        [
            first,
            self.remote,
            self.local,
            self.length,
            self.user,
            self.result,
            0,
        ]
    }

    /// The call of these words; `None`: there is no such operation.
    pub fn of_words([first, remote, local, length, user, result, _]: [u64; WORDS]) -> Option<Self> {
        Some(Self {
            operation: *CALL_KINDS.get(first as u8 as usize)?,
            inline: first >> 8 & 1 == 1,
            context: (first >> 16) as u16,
            pe: (first >> 32) as u32,
            remote,
            local,
            length,
            user,
            result,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_what_its_words_say() {
        for operation in CALL_KINDS {
            let entry = Entry {
                operation,
                inline: operation == CallKind::Put,
                context: 0xabcd,
                pe: 0x1234_5678,
                remote: 1 << 63,
                local: 77,
                length: u64::MAX,
                user: 1 << 40,
                result: 3,
            };
            assert_eq!(Entry::of_words(entry.words()), Some(entry));
        }
        assert_eq!(Entry::of_words([4; WORDS]), None);
    }
}
