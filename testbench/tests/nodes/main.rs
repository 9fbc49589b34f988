//! Several NICs on a network.

use xtq_catalogue as _;
mod atomics_rtl;
mod cluster;
mod gets_rtl;
mod mpi_rtl;
mod open_cases;
mod portals_rtl;
mod two_nodes;
