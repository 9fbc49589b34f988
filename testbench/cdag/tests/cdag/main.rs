//! Tests of the crate: graphs, collectives, the compiler on the untimed NIC, GOAL files. No hardware.

mod any_source;
mod collectives;
mod common;
mod compiled;
mod goal;
mod goal_binary;
mod graphs;
mod named;
mod orders;
mod outstanding;
mod random;
mod reuse;
mod rounds;
