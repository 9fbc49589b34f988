//! What happened to each packet.

use super::class::Class;

/// A packet's way through the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketRecord {
    /// Node that sent it.
    pub source: usize,
    /// Node that it is for; `None`: there is no such node, it was dropped.
    pub target: Option<usize>,
    /// Its class.
    pub class: Class,
    /// Its bytes so far, header included.
    pub bytes: usize,
    /// Cycle in which the source handed its header beat over.
    pub sent: u64,
    /// Cycle in which the target's link end handed its header beat over.
    pub arrived: Option<u64>,
    /// The same of its last beat.
    pub ended: Option<u64>,
}
