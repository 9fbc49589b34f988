//! Numbers by which hosts name what there is.

/// Number of a node. Its user id is the same number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank(pub u32);

/// Index of a portal table entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Portal(pub u32);

/// A match entry's number, given by the host when it posts the append (rules 9 of `docs/portals-model.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryId(pub u32);

/// A memory descriptor's number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MdId(pub u32);

/// A counter's number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CounterId(pub u32);

/// An event queue's number: its place in [`NodeConfig::queues`](super::NodeConfig::queues).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueueId(pub usize);
