//! A star network of any number of nodes: a link to and from each, one switch between them.
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
//! **Cut-through, beat by beat.** The header beat goes on before the rest of its packet has come: through an idle
//! network with a beat a cycle a beat is offered to its target `2 * link latency + switch latency` cycles after the
//! source's handshake. On a slower link it also waits until all its bytes are over.
//!
//! **Order.** Packets between one pair of nodes arrive in the order in which they were sent, whatever the jitter.
//! Packets of different pairs overtake each other.
//!
//! **No loss under back-pressure.** Each source has one buffer in the switch. A source may begin a packet only when a
//! whole one fits, so that an output is never held up by a packet that waits for room. A target that takes nothing
//! fills the buffers of those who send to it, then their ready falls.
//!
//! **Fairness.** An output serves the sources packet by packet in turn (round robin). Between header and last beat it
//! is theirs, also while the source pauses.
//!
//! **Lost on purpose.** A packet without a whole header beat, or to a node that there is not, is taken, counted and
//! dropped.

mod config;
mod link;
mod record;
mod star;
mod station;
#[cfg(test)]
mod tests;

pub use config::{Link, NetworkConfig, NetworkError};
pub use record::PacketRecord;
pub use star::Network;
pub use station::Station;
