//! The producer/consumer queues between work-groups and the command processor: where everything lies in memory.
//!
//! LeBeane et al., PACT 2018, section 4.2.1 and figure 6: each work-group has a queue of 64 entries of 64 bytes, one line each, and a context with its write index, the
//! base of the queue, the place of the read index that it shares with the command processor, and a copy of that index of its own. Write index and copy are private (the
//! paper keeps the context in the scratch-pad memory) and so are no traffic.

use crate::bus::LINE_BYTES;

/// Entries of a queue: the paper's.
pub const ENTRIES: u64 = 64;
/// Bytes of an entry: a line, so that an entry is one line of the L2.
pub const ENTRY_BYTES: u64 = LINE_BYTES;
/// Payloads shorter than this travel in the entry.
pub const INLINE_BELOW: u64 = 8;

/// Where the queues lie.
const QUEUES: u64 = 0x1000_0000;
/// Where the shared read indices lie, one a line.
const READ_INDICES: u64 = 0x2000_0000;
/// Where payload buffers of work-groups lie.
const BUFFERS: u64 = 0x3000_0000;
/// Bytes of a work-group's payload buffer.
const BUFFER_BYTES: u64 = 0x1_0000;

/// The state of an entry: its first word.
pub mod entry_status {
    /// Nothing in it yet.
    pub const EMPTY: u64 = 0;
    /// The work-group has filled it.
    pub const READY: u64 = 1;
    /// The operation is complete.
    pub const COMPLETE: u64 = 2;
}

/// What a work-group asks for: the fields of an entry behind the status, 8 bytes each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Whether the work-group waits until the operation is complete at the network.
    pub blocking: bool,
    /// Node and address it goes to.
    pub destination: [u64; 2],
    /// Bytes of the payload.
    pub length: u64,
    /// The payload if it is shorter than [`INLINE_BELOW`], else where it is.
    pub payload: u64,
}

impl Call {
    /// The bytes of an entry behind its status.
    pub fn to_bytes(self) -> [u8; 40] {
        let mut bytes = [0; 40];
        let words = [
            u64::from(self.blocking),
            self.destination[0],
            self.destination[1],
            self.length,
            self.payload,
        ];
        for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The call of these words, which stand behind the status.
    pub fn of_words([blocking, node, address, length, payload]: [u64; 5]) -> Self {
        Self {
            blocking: blocking != 0,
            destination: [node, address],
            length,
            payload,
        }
    }
}

/// The queue of a work-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Number of the work-group.
    pub number: u64,
}

impl Queue {
    /// Address of the entry of the call with this index; its status comes first.
    pub fn entry(self, index: u64) -> u64 {
        QUEUES + (self.number * ENTRIES + index % ENTRIES) * ENTRY_BYTES
    }

    /// Address of the first field of a call.
    pub fn fields(self, index: u64) -> u64 {
        self.entry(index) + 8
    }

    /// Address of the read index that both sides see.
    pub fn read_index(self) -> u64 {
        READ_INDICES + self.number * LINE_BYTES
    }

    /// Where the work-group keeps the payload of a call that does not fit the entry.
    pub fn buffer(self, index: u64) -> u64 {
        BUFFERS + self.number * BUFFER_BYTES + index % ENTRIES * (BUFFER_BYTES / ENTRIES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_line_of_its_own_and_used_again_after_64_calls() {
        let (first, second) = (Queue { number: 0 }, Queue { number: 1 });
        assert_eq!(first.entry(64), first.entry(0));
        assert_eq!(first.entry(1) - first.entry(0), 64);
        assert_eq!(second.entry(0) - first.entry(0), 4096);
        assert_ne!(first.read_index() / 64, second.read_index() / 64);
        assert!(first.buffer(63) + 1024 <= second.buffer(0));
    }

    #[test]
    fn the_words_of_an_entry_are_the_call() {
        let call = Call {
            blocking: true,
            destination: [3, 0x1234],
            length: 4,
            payload: 0xdead_beef,
        };
        let bytes = call.to_bytes();
        let mut words = [0; 5];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().unwrap());
        }
        assert_eq!(Call::of_words(words), call);
    }
}
