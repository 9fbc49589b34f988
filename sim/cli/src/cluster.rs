//! How several nodes are run: epochs, threads, memory.

use crate::error::CliError;
use std::thread::available_parallelism;
use xtq_testbench::cluster::RunOptions;
use xtq_testbench::input::memory;
use xtq_testbench::scenario::NodesPlan;

/// Nodes for which a thread pays.
const NODES_A_THREAD: usize = 16;

/// Threads of a run of so many nodes if nobody says how many: never more than pay.
pub fn default_threads(nodes: usize) -> usize {
    let cores = available_parallelism().map_or(1, usize::from);
    (nodes / NODES_A_THREAD).clamp(1, cores)
}

/// How several nodes are run; what comes out does not depend on it
#[derive(clap::Args, Default)]
pub struct ClusterArgs {
    /// Several nodes: threads, among which the nodes are dealt [default: one for 16 nodes, as many as there are cores
    /// at most]; no more than there are nodes, or leaves
    #[arg(long, value_name = "THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Several nodes: most cycles that a node runs before it hears of others [default: the latency of link and switch]
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(1..))]
    pub epoch: Option<u64>,
    /// Several nodes: run every cycle of every node, also those in which nothing can happen
    #[arg(long)]
    pub no_skip: bool,
}

impl ClusterArgs {
    /// The options of a run of so many nodes.
    pub fn options(&self, nodes: usize) -> RunOptions {
        let all = RunOptions::default();
        RunOptions {
            epoch: self.epoch.unwrap_or(all.epoch),
            threads: self
                .threads
                .map_or_else(|| default_threads(nodes), usize::from),
            skips: !self.no_skip,
            ..all
        }
    }

    /// Errors: something is asked for that only several nodes have.
    pub fn refuse(&self, log: bool, others: [(&'static str, bool); 2]) -> Result<(), CliError> {
        let given = [
            ("--log", log),
            ("--threads", self.threads.is_some()),
            ("--epoch", self.epoch.is_some()),
            ("--no-skip", self.no_skip),
        ];
        let mut given = given.into_iter().chain(others);
        match given.find(|(_, given)| *given) {
            None => Ok(()),
            Some((argument, _)) => Err(CliError::Usage {
                argument: argument.to_owned(),
                message: "the scenario has no network of nodes".to_owned(),
                help: "it is for scenarios with the key `nodes`".to_owned(),
            }),
        }
    }
}

/// Errors: the nodes of a scenario, or the share of them that the ranks `here` of `all` on a machine have, do not fit
/// into the memory that is free.
pub fn check_memory(plan: &NodesPlan, (here, all): (usize, usize)) -> Result<(), CliError> {
    let share = u128::from(plan.memory_bytes()) * here as u128 / all.max(1) as u128;
    let free = memory::free_bytes().unwrap_or(u64::MAX);
    match memory::too_little(share as u64, free) {
        None => Ok(()),
        Some(message) => Err(CliError::Usage {
            argument: "SCENARIO.toml".to_owned(),
            message: format!("the nodes need {message}"),
            help: "fewer nodes, or less data in their memories".to_owned(),
        }),
    }
}
