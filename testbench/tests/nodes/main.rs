//! Several NICs on a network.

use xtq_catalogue as _;
mod any_source;
mod atomics_rtl;
mod checkpoints;
mod cluster;
mod collectives;
mod digests;
mod followed;
mod gets_rtl;
mod inside;
mod mpi_rtl;
mod open_cases;
mod own_collective;
mod portals_rtl;
mod sizes;
mod two_classes;
mod two_nodes;
