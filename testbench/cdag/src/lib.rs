//! Communications as dependency graphs, and their way to the NIC: the cDAG of Schneider et al., "Protocols for Fully
//! Offloaded Collective Operations on Accelerated Network Adapters" (ICPP 2013).
//!
//! ```text
//!   dataflow (flow) x topology --> Graph --check, matching--> compile --> Schedule --> plan, emit
//!                                    |                                        |
//!                                 interpret (oracle)                    machine (untimed NIC)
//! ```
//!
//! Nothing here knows the hardware: a schedule is data, and [`emit`] writes it as a scenario that `xtq run` plays.
//! `docs/collectives.md` is the user's page.

pub mod arithmetic;
pub mod check;
pub mod choice;
pub mod collectives;
pub mod compile;
pub mod emit;
pub mod error;
pub mod flow;
pub mod goal;
pub mod goal_binary;
mod goal_tokens;
mod goal_writer;
pub mod graph;
pub mod interpret;
pub mod legal;
pub mod machine;
pub mod matching;
pub mod order;
pub mod outstanding;
pub mod plan;
pub mod random;
pub mod reuse;
pub mod round_optimal;
pub mod rounds;
pub mod schedule;
pub mod tags;
pub mod topology;
