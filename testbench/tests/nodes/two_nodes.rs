//! Programs on nodes with the whole NIC: commands in rings, messages over a network.

mod acknowledgements;
mod atomic_packets;
mod atomics;
mod closed_contexts;
mod closing;
mod commands;
mod figure_6;
mod fixture;
mod gets;
mod interrupts;
mod iovec;
mod limits;
mod list_refusals;
mod lists;
mod lists_random;
mod neighbours;
mod protocols;
mod puts;
mod rearm;
mod replies;
mod sizes;
mod small;
mod stores;
mod trigger_limits;
mod triggers;
mod waiting;
