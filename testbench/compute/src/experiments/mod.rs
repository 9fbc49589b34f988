//! Experiments on nodes that compute, and the list of all experiments.

pub mod compnet_get;
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

/// All experiments.
pub const EXPERIMENTS: &[&dyn Experiment] = &[
    &compnet_hitrate::CompnetHitrate,
    &compnet_queue::CompnetQueue,
    &compnet_get::CompnetGet,
    &compnet_threads::CompnetThreads,
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
