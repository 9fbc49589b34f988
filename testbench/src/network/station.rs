//! `Station`: what can be connected to a network.

use crate::bus::Beat;

/// Something with a clock and a link.
pub trait Station {
    /// Why it stops.
    type Error: std::error::Error;

    /// Cycles that it has run.
    fn clock(&self) -> u64;

    /// From now on a network decides when it may send: in no cycle but the [connected ones](Self::connected_cycle).
    fn connect(&mut self);

    /// Whether a beat from the network can be given to it.
    fn has_room(&self) -> bool;

    /// Takes a beat from the network, in the order of the packets; only when it [has room](Self::has_room).
    fn receive_beat(&mut self, beat: &Beat);

    /// Runs a cycle in which the network is `ready` for a beat or not; gives the beat that it sent. Errors: of the
    /// station.
    fn connected_cycle(&mut self, ready: bool) -> Result<Option<Beat>, Self::Error>;

    /// What is not idle.
    fn busy(&self) -> Option<&'static str>;

    /// Cycles in which it must not be busy until nothing can happen any more.
    fn quiet_cycles(&self) -> u64;

    /// The cluster found it quiet.
    fn settle(&mut self);
}
