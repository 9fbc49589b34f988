//! Programs on nodes with the whole NIC: commands in rings, messages over a network.

mod atomics;
mod commands;
mod figure_6;
mod fixture;
mod gets;
mod lists;
mod lists_random;
mod protocols;
mod puts;
mod replies;
mod triggers;
