//! A network of any number of nodes: a link to and from each, and switches between them.
//!
//! **What it is for.** Several nodes in one simulation, with latencies and bandwidths that can be set. It moves beats,
//! knows nothing of the hardware, and looks at one field only, the target node of a header beat.
//! [`Cluster`](crate::cluster::Cluster) connects it to nodes.
//!
//! ```text
//!   node 0 --link--> [queues to 0, 1, 2]--\                /--> output 0 --link--> node 0
//!   node 1 --link--> [queues to 0, 1, 2]----> switch -----+---> output 1 --link--> node 1
//!   node 2 --link--> [queues to 0, 1, 2]--/  (latency)     \--> output 2 --link--> node 2
//! ```
//!
//! **Leaves and spines.** In place of the switch there can be [leaves](Topology::LeafSpine), with so many nodes each,
//! and spines; a [`Trunk`] is a link between the two in one direction, with the output before it.
//!
//! ```text
//!   node 0, 1 --links--> leaf 0 --trunks up--> spine 0, 1 --trunks down--> leaf 1 --links--> node 2, 3
//! ```
//!
//! The way of a packet depends on source and target only: through its own leaf, or also through spine `(source +
//! target) % spines` and the target's leaf. Places are those of the whole way, so no trunk waits for room, and a target
//! that takes nothing holds up nobody on a trunk.
//!
//! **Cut-through, beat by beat.** The header beat goes on before the rest of its packet has come: through an idle
//! network with a beat a cycle a beat is offered to its target `2 * link latency + switch latency` cycles after the
//! source's handshake. On a slower link it also waits until all its bytes are over.
//!
//! **Order.** Packets of one class between one pair of nodes arrive in the order in which they were sent, whatever the
//! jitter. Packets of different pairs or classes overtake each other.
//!
//! **Split by node.** Everything of a switch that is about what comes to a node is that node's: the queues of its
//! output, the turns of the sources, the link to it. So the ends at one node ([`Port`]) know nothing of the others but
//! what was sent to them ([`Flight`]), and nothing sent counts before the [lookahead](NetworkConfig::lookahead), link
//! and switch, is over: ports and trunks may run that many cycles apart from each other.
//!
//! **Two classes.** Requests and answers have queues, places and an end of each link of their own, so that what waits
//! of one class never holds up the other. A link carries one beat a cycle of both together. The classes take turns
//! packet by packet, but one that cannot go on in the middle of its packet lets the other pass.
//!
//! **No loss under back-pressure.** Each source has places in the switches for each class. A source may begin a packet
//! only when it has those of a whole one, so that an output is never held up by a packet that waits for room. A target
//! that takes nothing fills the places of those who send to it, then their ready falls. A place is free again after
//! the latencies of the way back: the switches need as long to say so.
//!
//! **Draws.** The jitter of a packet depends on the seed, its source and its number, not on what others send.
//!
//! **Fairness.** An output serves the sources packet by packet in turn (round robin). Between header and last beat it
//! is theirs, also while the source pauses.
//!
//! **Lost on purpose.** A packet without a whole header beat, or to a node that there is not, is taken, counted and
//! dropped.

mod board;
mod class;
mod config;
mod flight;
mod link;
mod output;
mod port;
mod record;
mod route;
mod source;
mod station;
mod target;
#[cfg(test)]
mod tests;
mod trunk;
mod whole;

pub use board::{Board, Post};
pub use class::Class;
pub use config::{Link, NetworkConfig, NetworkError, Spines, Topology};
pub use flight::{Flight, Load};
pub use port::Port;
pub use record::PacketRecord;
pub(crate) use record::{PortLog, merge};
pub use station::{Held, Station};
pub use trunk::Trunk;
pub use whole::Network;
pub(crate) use whole::owners;
