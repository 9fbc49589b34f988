//! What messages and events are about: kinds in match bits, roles in user pointers, signals that are waited for.

/// Kinds of messages, in the upper byte of the match bits.
pub(super) mod kind {
    /// A two-sided message.
    pub const MESSAGE: u64 = 1 << 56;
    /// A two-sided message to be combined with the window.
    pub const ACCUMULATE: u64 = 2 << 56;
    /// So many accumulates are in the window.
    pub const ACK: u64 = 3 << 56;
    /// An epoch of so many accumulates ends.
    pub const FLUSH: u64 = 4 << 56;
}

/// Of `hdr_data`: the message is to be read from its sender.
pub(super) const LONG: u64 = 1 << 63;
/// Place of the entry that it is read from, in `hdr_data`; below it is the length.
pub(super) const LONG_ENTRY: u32 = 48;
/// Place of the source in the match bits; below it is the tag.
pub(super) const SOURCE: u32 = 32;

/// What an event is about: the upper half of its user pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Send = 1,
    Receive,
    Exposed,
    Read,
    Room,
    Window,
    Ack,
    Flush,
}

impl Role {
    const ALL: [Self; 8] = [
        Self::Send,
        Self::Receive,
        Self::Exposed,
        Self::Read,
        Self::Room,
        Self::Window,
        Self::Ack,
        Self::Flush,
    ];

    /// The user pointer of one with a number.
    pub(super) fn pointer(self, number: u64) -> u64 {
        (self as u64) << 32 | number
    }

    /// What a user pointer is about, and its number.
    pub(super) fn of(pointer: u64) -> Option<(Self, usize)> {
        let role = Self::ALL
            .into_iter()
            .find(|role| *role as u64 == pointer >> 32)?;
        Some((role, pointer as u32 as usize))
    }
}

/// A signal, and the value below which it is waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Below {
    pub(super) handle: u64,
    pub(super) below: i64,
}
