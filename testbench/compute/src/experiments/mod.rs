//! Experiments on nodes that compute, and the list of all experiments.

pub mod compnet_allreduce;
pub mod compnet_get;
pub mod compnet_jacobi;
pub mod compnet_ml;
pub mod mpi_runs;
mod offload;
pub mod offloaded_collectives;
pub mod triggered_overlap;
mod variants;
pub mod xtq_accumulate;
pub mod xtq_allreduce;
pub mod xtq_cntk;
pub mod xtq_latency;
pub mod xtq_nwchem;
pub mod xtq_reduce;

use xtq_testbench::experiments::{
    Experiment, compnet_hitrate, compnet_queue, compnet_threads, match_rate, match_traces,
};

/// "Similar" in statements of the ComP-Net paper: apart by at most this part of the shortest time.
const SIMILAR: f64 = 0.03;
/// Bytes a ns of the network of the ComP-Net paper's table 1: 100 Gb/s.
const BYTES_PER_NS: f64 = 12.5;

/// All experiments.
pub const EXPERIMENTS: &[&dyn Experiment] = &[
    &compnet_hitrate::CompnetHitrate,
    &compnet_queue::CompnetQueue,
    &compnet_get::CompnetGet,
    &compnet_threads::CompnetThreads,
    &compnet_jacobi::CompnetJacobi,
    &compnet_allreduce::CompnetAllreduce,
    &compnet_ml::CompnetMl,
    &xtq_latency::XtqLatency,
    &xtq_accumulate::XtqAccumulate,
    &xtq_reduce::XtqReduce,
    &xtq_allreduce::XtqAllreduce,
    &xtq_cntk::XtqCntk,
    &xtq_nwchem::XtqNwchem,
    &offloaded_collectives::OffloadedCollectives,
    &triggered_overlap::TriggeredOverlap,
    &match_rate::MatchRate,
    &match_traces::MatchTraces,
];
