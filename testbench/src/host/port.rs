//! `NicPort`: what a host program can do with its node.

use crate::bytes::SparseMemory;

/// The memory of the processes of one node and the registers of its NIC.
///
/// [`Node`](crate::node::Node) is one whose clock runs alone, [`Cluster::port`](crate::cluster::Cluster::port) gives
/// one that runs the clock of all nodes.
pub trait NicPort {
    /// Why an access stopped.
    type Error: std::error::Error;

    /// What is visible to the program in the memory of `context` now.
    fn memory(&self, context: u8) -> &SparseMemory;

    /// The same, to write; a write is visible at once.
    fn memory_mut(&mut self, context: u8) -> &mut SparseMemory;

    /// Queues a register write; it is done while the clock runs. That it is refused is reported by the next
    /// [`read`](Self::read).
    fn post(&mut self, address: u16, value: u32);

    /// Reads a register, after the writes posted before; the clock runs until it is answered. Errors: this access or a
    /// posted one was refused.
    fn read(&mut self, address: u16) -> Result<u32, Self::Error>;
}
