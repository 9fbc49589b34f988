//! `Flight`: what goes from one node's end of the network to another's.

use super::class::Class;
use crate::bus::Beat;

/// Something on its way through the network.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Flight {
    /// Node whose end has sent it.
    pub source: u32,
    /// Node whose end it is for.
    pub target: u32,
    /// Where it goes next: that node's end, or a [trunk](super::Trunk).
    pub hop: u32,
    /// Class of its packet, or of the place.
    pub class: Class,
    /// First cycle in which it counts there. It is at least the [lookahead](super::NetworkConfig::lookahead) after the
    /// one in which it was sent.
    pub due: u64,
    /// What it is.
    pub load: Load,
}

/// What a flight carries.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Load {
    /// A beat for the target.
    Beat {
        /// Number of its packet among those of the source.
        packet: u64,
        /// Whether it is the header beat.
        first: bool,
        /// The beat.
        beat: Beat,
    },
    /// The source's node has taken a beat of the target's, which has that place again.
    Place,
}
