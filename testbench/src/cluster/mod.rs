//! Several nodes and the network between them, in one loop and on one clock.
//!
//! ```text
//!   node 0        node 1        node 2        (stations: `Node`, or anything else with a link)
//!   tx  rx        tx  rx        tx  rx
//!    |   ^         |   ^         |   ^
//!    v   |         v   |         v   |
//!   +---------------------------------+
//!   |             Network             |
//!   +---------------------------------+
//! ```
//!
//! Node *i* has number *i* on the network. Each [`cycle`](Cluster::cycle): what is at the end of a node's link is
//! offered to it, every node runs one cycle, what a node sent goes into the network. No node sees in a cycle what
//! another does in it, so the order of the nodes does not matter.
//!
//! **Epochs.** Nor does a node see what another does in the cycles of a [lookahead], link and switch. So
//! [`run`](Cluster::run) lets nodes run up to so many cycles by themselves, on any thread, leaves out those in which
//! nothing can happen, and hands over what was sent afterwards. Nodes of a thread go side by side, sixteen at a time,
//! as their hardware is computed sooner together. The same happens in the same cycles, however long the epochs are, on
//! however many threads: [`Node::digest`](crate::node::Node::digest) says so.
//!
//! **One clock.** A cycle number means the same for all nodes, so their timelines can be laid side by side. A call on a
//! [`Node`](crate::node::Node) that runs its clock (a register access, for one) runs that node ahead of the others. Its
//! link stands still meanwhile: it sends nothing, and takes no more than the one beat that has reached it. The next
//! cycles run the others until they have caught up. A program for which that matters uses [`Cluster::port`], which runs
//! all clocks.
//!
//! **Quiet.** [`Cluster::run_to_quiescence`] ends when no node is busy and the network is empty, and that for as many
//! cycles as the slowest of the nodes asks for. [`Cluster::run`] ends when all nodes rest.
//!
//! [lookahead]: crate::network::NetworkConfig::lookahead

mod deal;
mod exchange;
mod lane;
mod nodes;
mod options;
mod ranks;
mod run;
mod saving;
#[cfg(test)]
mod tests;
mod threads;
mod together;
mod wire;
mod worker;

pub use exchange::{Alone, Exchange, Hall, Lost, Summary};
pub use nodes::ClusterPort;
pub use options::{Run, RunOptions};
pub use ranks::{GiveUp, Mail, Ranks};
pub use run::{Cluster, ClusterError};
