//! The producer/consumer queues between work-groups and the command processor: where everything lies in memory.
//!
//! LeBeane et al., PACT 2018, section 4.2.1 and figure 6. Each work-group has a queue of 64 entries of 64 bytes, one
//! line each, and a context with its write index, the base of the queue, the place of the read index that it shares
//! with the command processor, and a copy of that index of its own. Write index and copy are private (the paper keeps
//! the context in the scratch-pad memory) and so are no traffic.

use super::counts::Class;
use super::thread::Thread;
use crate::bus::LINE_BYTES;
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

/// Entries of a queue: the paper's.
pub const ENTRIES: u64 = 64;
/// Bytes of an entry: a line, so that an entry is one line of the L2.
pub const ENTRY_BYTES: u64 = LINE_BYTES;
/// Payloads shorter than this travel in the entry.
pub const INLINE_BELOW: u64 = 8;

/// Where the queues lie.
const QUEUES: u64 = 0x1000_0000;
/// Where the shared read indices lie, one a line; 37 lines on, so that they do not share their sets with the first
/// entries.
const READ_INDICES: u64 = 0x2000_0000 + 37 * LINE_BYTES;
/// Where payload buffers of work-groups lie.
const BUFFERS: u64 = 0x3000_0000;
/// Queues, read indices and payload buffers.
pub const ADDRESSES: Range<u64> = QUEUES..0x4000_0000;
/// Bytes of a work-group's payload buffer.
const BUFFER_BYTES: u64 = 0x1_0000;
/// Most lines left free after a queue.
pub const MOST_PADDING: u64 = ENTRIES;
/// Most bytes of a payload.
pub const MOST_PAYLOAD: u64 = BUFFER_BYTES / ENTRIES;

/// The state of an entry: its first word.
pub mod entry_status {
    /// Nothing in it yet.
    pub const EMPTY: u64 = 0;
    /// The work-group has filled it.
    pub const READY: u64 = 1;
    /// The operation is complete.
    pub const COMPLETE: u64 = 2;
}

/// What a work-group asks for: the fields of an entry after the status, 8 bytes each.
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

/// The words of a payload in a buffer, which all differ from those of other calls; each with its offset and the bytes
/// of it that belong to the payload.
pub fn payload_words(call: &Call) -> impl Iterator<Item = (u64, u64, usize)> + use<> {
    let (stamp, length) = (call.destination[1], call.length);
    let offsets = (0..length).step_by(8);
    offsets.map(move |offset| {
        let word = stamp.wrapping_add(offset << 48);
        (offset, word, (length - offset).min(8) as usize)
    })
}

impl Call {
    /// The bytes of an entry after its status.
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

    /// The call of these words, which stand after the status.
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
    /// Lines left free between this queue and the next, the same for all queues: without them, entries with one index
    /// of all queues share a bank of the L2 and few of its sets.
    pub padding: u64,
}

impl Queue {
    /// Address of the entry of the call with this index; its status comes first.
    pub fn entry(self, index: u64) -> u64 {
        QUEUES + (self.number * (ENTRIES + self.padding) + index % ENTRIES) * ENTRY_BYTES
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
        BUFFERS + self.number * BUFFER_BYTES + index % ENTRIES * MOST_PAYLOAD
    }
}

/// The read index that a work-group and the command processor share.
#[derive(Clone, Debug)]
pub enum ReadIndex {
    /// A line of memory below the L2, at this address.
    L2(u64),
    /// A word of the host's memory, so many cycles away; no access to the L2.
    Host {
        /// What is in it.
        value: Rc<Cell<u64>>,
        /// Cycles of a load.
        cycles: u64,
    },
}

impl ReadIndex {
    /// The work-group's look at it.
    pub async fn load(&self, thread: &Thread) -> u64 {
        match self {
            Self::L2(address) => thread.load(*address, |_| Class::Queue).await,
            Self::Host { value, cycles } => {
                thread.work(*cycles).await;
                value.get()
            }
        }
    }

    /// The command processor says how far it is; nobody waits for it.
    pub async fn store(&self, thread: &Thread, read: u64) {
        match self {
            Self::L2(address) => {
                let bytes = read.to_le_bytes();
                thread
                    .store(*address, &bytes, Class::ReadIndex, false)
                    .await;
            }
            Self::Host { value, .. } => value.set(read),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_line_of_its_own_and_used_again_after_64_calls() {
        let queue = |number, padding| Queue { number, padding };
        let (first, second) = (queue(0, 0), queue(1, 0));
        assert_eq!(first.entry(64), first.entry(0));
        assert_eq!(first.entry(1) - first.entry(0), 64);
        assert_eq!(second.entry(0) - first.entry(0), 4096);
        assert_eq!(queue(1, 1).entry(0) - first.entry(0), 4096 + 64);
        assert_ne!(first.read_index() / 64, second.read_index() / 64);
        assert!(first.buffer(63) + MOST_PAYLOAD <= second.buffer(0));
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
