//! The performance contract of the hardware, measured in clock cycles: what is wanted, and what simulation of the
//! hardware shows.
//!
//! Each figure is measured from outside, at the pins of the whole NIC or of the block that it is about, on the JIT. The
//! memory is ideal but for the time to B; all caches are warm. The figures are exact: a run gives the same every time.
//!
//! `xtq bench --contract` prints them; `testbench/tests/models/contract.rs` holds them fast.

mod blocks;
mod delivery;
mod l2;
mod trigger;

use serde::Serialize;
use thiserror::Error;

use crate::bus::{BenchError, MemoryTiming};
use crate::cluster::ClusterError;
use crate::host::ProcessError;
use crate::node::{NodeError, Top};

pub use delivery::{Target, Way, smallest};

/// A line of the contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What is measured.
    pub what: &'static str,
    /// In what.
    pub unit: &'static str,
    /// At least, or at most if [`at_most`](Self::at_most).
    pub wanted: f64,
    /// Whether less is better.
    pub at_most: bool,
    /// What was measured; nothing if simulation cannot tell.
    pub measured: Option<f64>,
}

impl Figure {
    /// Whether it is met; nothing if it was not measured.
    pub fn met(&self) -> Option<bool> {
        self.measured.map(|value| match self.at_most {
            true => value <= self.wanted,
            false => value >= self.wanted,
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

/// At least so much.
fn least(what: &'static str, unit: &'static str, wanted: f64, measured: f64) -> Figure {
    Figure {
        what,
        unit,
        wanted,
        at_most: false,
        measured: Some(measured),
    }
}

/// At most so much.
fn most(what: &'static str, unit: &'static str, wanted: f64, measured: f64) -> Figure {
    Figure {
        at_most: true,
        ..least(what, unit, wanted, measured)
    }
}

/// All figures of the contract. Errors: of the engine; the hardware does not do at all what is to be measured.
pub fn measure() -> Result<Vec<Figure>, ContractError> {
    let mut figures = stream()?;
    figures.extend(launches()?);
    figures.extend(doorbells()?);
    figures.extend(parts()?);
    Ok(figures)
}

/// The receive stream.
fn stream() -> Result<Vec<Figure>, ContractError> {
    let rate = |way, start| delivery::stream_rate(Top::Nic, way, start);
    let line = |what, measured| least(what, "beats a cycle", 1.0, measured);
    Ok(vec![
        line("receive stream, full puts, aligned", rate(Way::Buffer, 0)?),
        line(
            "receive stream, full puts, misaligned",
            rate(Way::Buffer, 37)?,
        ),
        line(
            "receive stream, full puts through lists, misaligned",
            rate(Way::Lists, 37)?,
        ),
    ])
}

/// Smallest XTQ messages back to back.
fn launches() -> Result<Vec<Figure>, ContractError> {
    const CASES: [(Way, bool, [&str; 2]); 4] = [
        (
            Way::Buffer,
            false,
            [
                "smallest XTQ messages, B after 1 cycle: W channel busy",
                "smallest XTQ messages, B after 1 cycle: W beats",
            ],
        ),
        (
            Way::Buffer,
            true,
            [
                "smallest XTQ messages, B after 200 cycles: W channel busy",
                "smallest XTQ messages, B after 200 cycles: W beats",
            ],
        ),
        (
            Way::Lists,
            false,
            [
                "smallest XTQ messages through lists, B after 1 cycle: W channel busy",
                "smallest XTQ messages through lists, B after 1 cycle: W beats",
            ],
        ),
        (
            Way::Lists,
            true,
            [
                "smallest XTQ messages through lists, B after 200 cycles: W channel busy",
                "smallest XTQ messages through lists, B after 200 cycles: W beats",
            ],
        ),
    ];
    let mut figures = Vec::new();
    for (way, slow, [busy, beats]) in CASES {
        let (timing, messages) = match slow {
            false => (MemoryTiming::ideal(), 60),
            true => (MemoryTiming::fixed_write(200), 200),
        };
        let measured = delivery::write_channel(Top::Nic, way, timing, messages)?;
        figures.push(least(busy, "of all cycles", 0.95, measured.busy));
        figures.push(most(beats, "a message", 8.0, measured.beats));
    }
    Ok(figures)
}

/// From the last beat to the doorbell.
fn doorbells() -> Result<Vec<Figure>, ContractError> {
    let cycles = |way| delivery::doorbell(Top::Nic, way);
    Ok(vec![
        most(
            "last beat in to doorbell write out, one buffer",
            "cycles",
            24.0,
            cycles(Way::Buffer)?,
        ),
        most(
            "last beat in to doorbell write out, lists",
            "cycles",
            32.0,
            cycles(Way::Lists)?,
        ),
    ])
}

/// Lookups, counters, triggers, matching, the L2, and what no simulation reports.
fn parts() -> Result<Vec<Figure>, ContractError> {
    let lookups = blocks::lookups()?;
    let l2 = l2::hits(0)?;
    let list = |size| blocks::long_list(size);
    Ok(vec![
        least("lookup cache hits", "a cycle", 1.0, lookups.rate),
        most("lookup cache hit, latency", "cycles", 2.0, lookups.latency),
        least(
            "counter updates",
            "a cycle",
            1.0,
            blocks::counter_updates()?,
        ),
        most(
            "counter update to first beat of the triggered put",
            "cycles",
            16.0,
            trigger::cycles()?,
        ),
        most(
            "match, first-entry hits",
            "cycles a header",
            2.0,
            blocks::first_hits()?,
        ),
        least(
            "match, long list (64 entries)",
            "entries a cycle",
            4.0,
            list(blocks::DEFAULT_LIST)?,
        ),
        least(
            "match, long list (256 entries, large configuration)",
            "entries a cycle",
            4.0,
            list(blocks::LARGE_LIST)?,
        ),
        least("L2 bank, hits to one line", "a cycle", 1.0, l2.rate),
        most("L2 bank, hit, latency", "cycles", 3.0, l2.latency),
        least(
            "L2 bank, hits under 14 misses",
            "a cycle",
            1.0,
            l2::hits(14)?.rate,
        ),
        Figure {
            what: "clock of each block on ECP5, out of context",
            unit: "MHz",
            wanted: 200.0,
            at_most: false,
            measured: None,
        },
    ])
}

#[cfg(test)]
mod tests {
    use super::{Figure, least, most};

    #[test]
    fn a_figure_at_its_bound_is_met_and_one_beyond_is_not() {
        assert_eq!(least("it", "", 0.95, 0.95).met(), Some(true));
        assert_eq!(least("it", "", 0.95, 0.949).met(), Some(false));
        assert_eq!(most("it", "", 24.0, 24.0).met(), Some(true));
        assert_eq!(most("it", "", 24.0, 25.0).met(), Some(false));
        let none = Figure {
            measured: None,
            ..least("it", "", 1.0, 1.0)
        };
        assert_eq!(none.met(), None);
    }
}
