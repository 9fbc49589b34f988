//! Nodes with the hardware's L2 and NIC under kernels that use the network: what a call promises, what synchronisation
//! is for, and times that no call can beat.

mod allreduce;
mod calls;
mod jacobi;
mod maximum;
mod ml;
mod random;
mod scope;
mod times;
mod verdict;

use std::cell::RefCell;
use std::rc::Rc;
use xtq_compute::compute_node::{ComputeCluster, ComputeConfig};
use xtq_compute::experiments::compnet_get::{CompnetGet, Parameters};
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::Experiment;

/// The experiment's nodes, so many of them.
pub fn config(design: Design, nodes: usize, contexts: u64) -> ComputeConfig {
    let parameters = Parameters::parse("p.toml", CompnetGet.parameters());
    ComputeConfig {
        nodes,
        contexts,
        ..parameters.unwrap().config(design, 1)
    }
}

pub fn cluster(config: &ComputeConfig) -> ComputeCluster {
    ComputeCluster::new(config).unwrap_or_else(|error| panic!("{config:?}: {error}"))
}

/// Bytes that distinguish a place from others.
pub fn pattern(seed: u8, bytes: usize) -> Vec<u8> {
    let byte = |place: usize| (place as u8).wrapping_mul(31) ^ (place >> 8) as u8 ^ seed;
    (0..bytes).map(byte).collect()
}

/// What programs report to the test.
pub type Told<T> = Rc<RefCell<Vec<T>>>;
