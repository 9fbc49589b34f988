//! Nodes that compute: hosts with time, GPUs with effects, and what both share with the NIC.

mod accumulate;
mod caches;
mod chain;
mod collective;
mod costs;
mod faults;
mod gpu;
mod host;
mod latency;
mod offload;
mod rig;
mod sharing;
