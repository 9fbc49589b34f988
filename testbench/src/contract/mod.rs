//! The performance contract of the hardware, measured in clock cycles: what is wanted, and what simulation of the
//! hardware shows.
//!
//! Each figure is measured from outside, at the pins of the whole NIC or of the block that it is about, on the JIT. The
//! memory is ideal but for the time to B; all caches are warm. The figures are exact: a run gives the same every time.
//!
//! `xtq bench --contract` prints them; `testbench/tests/models/contract.rs` holds them fast.

mod blocks;
mod commands;
mod delivery;
mod l2;
mod load;
mod requests;
mod rows;
mod trigger;
mod unit;

use thiserror::Error;

use crate::bus::BenchError;
use crate::cluster::ClusterError;
use crate::host::ProcessError;
use crate::node::NodeError;

pub use delivery::{Target, Way, smallest};
pub use unit::{REFERENCE_MHZ, Unit};

/// A line of the contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What is measured.
    pub what: String,
    /// In what.
    pub unit: Unit,
    /// At least, or at most if [`at_most`](Self::at_most); nothing if the contract has no bound and only states it.
    pub wanted: Option<f64>,
    /// Whether less is better.
    pub at_most: bool,
    /// What was measured; nothing if simulation cannot measure it.
    pub measured: Option<f64>,
}

impl Figure {
    /// Whether it is met; nothing if it was not measured, or has no bound.
    pub fn met(&self) -> Option<bool> {
        let (value, wanted) = (self.measured?, self.wanted?);
        Some(match self.at_most {
            true => value <= wanted,
            false => value >= wanted,
        })
    }
}

/// Why something could not be measured.
#[derive(Debug, Error)]
pub enum ContractError {
    /// A node stopped.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// Two nodes stopped.
    #[error(transparent)]
    Cluster(#[from] ClusterError<NodeError>),
    /// A program of a node stopped.
    #[error(transparent)]
    Process(#[from] ProcessError<NodeError>),
    /// A program of one of two nodes stopped.
    #[error(transparent)]
    ClusterProcess(#[from] ProcessError<ClusterError<NodeError>>),
    /// A block stopped.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// Of the engine.
    #[error(transparent)]
    Engine(#[from] xtq_engine::Error),
    /// The hardware did something else than what is measured.
    #[error("the measurement of '{what}' found {found}")]
    Unexpected {
        /// What is measured.
        what: &'static str,
        /// What happened instead.
        found: String,
    },
}

fn unexpected<T>(what: &'static str, found: impl Into<String>) -> Result<T, ContractError> {
    let found = found.into();
    Err(ContractError::Unexpected { what, found })
}

/// Cycles from one to the next in the middle third of some cycles in order; zero if they are too few.
fn steady(cycles: &[u64]) -> f64 {
    let (first, last) = (cycles.len() / 3, cycles.len() * 2 / 3);
    match cycles.get(first..=last) {
        Some(middle) if last > first => {
            (middle[middle.len() - 1] - middle[0]) as f64 / (last - first) as f64
        }
        _ => 0.0,
    }
}

/// All figures of the contract. Errors: of the engine; the hardware does not do at all what is to be measured.
pub fn measure() -> Result<Vec<Figure>, ContractError> {
    let mut figures = rows::stream()?;
    figures.extend(rows::launches()?);
    figures.extend(rows::doorbells()?);
    figures.extend(rows::messages_out()?);
    figures.extend(rows::messages_in()?);
    figures.extend(rows::under_load()?);
    figures.extend(rows::parts()?);
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::{Figure, Unit, steady};

    #[test]
    fn a_figure_at_its_bound_is_met_and_one_beyond_is_not() {
        let figure = |at_most, wanted, measured| Figure {
            what: "it".into(),
            unit: Unit::Cycles,
            wanted,
            at_most,
            measured,
        };
        for (at_most, wanted, measured, met) in [
            (false, Some(0.95), Some(0.95), Some(true)),
            (false, Some(0.95), Some(0.949), Some(false)),
            (true, Some(24.0), Some(24.0), Some(true)),
            (true, Some(24.0), Some(25.0), Some(false)),
            (true, Some(24.0), None, None),
            (true, None, Some(25.0), None),
        ] {
            assert_eq!(figure(at_most, wanted, measured).met(), met);
        }
    }

    #[test]
    fn a_steady_rate_leaves_out_what_begins_and_ends() {
        let cycles = [0, 50, 60, 67, 74, 81, 88, 95, 200];
        assert_eq!(steady(&cycles), 7.0);
        assert_eq!((steady(&[3, 4]), steady(&[])), (1.0, 0.0));
    }
}
