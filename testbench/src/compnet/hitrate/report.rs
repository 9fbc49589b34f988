//! What the experiment found.

use super::locks::LockTimes;
use super::parameters::{Parameters, Sweep};
use super::verdict::{self, Statement};
use crate::compnet::{Class, Counts, Load, System};
use serde::Serialize;

/// The accesses of one class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassRow {
    /// The class.
    pub class: Class,
    /// Its accesses to the L2 that hit.
    pub hits: u64,
    /// Those that did not.
    pub misses: u64,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What was on the machine.
    #[serde(flatten)]
    pub load: Load,
    /// Calls that the command processor found in the window.
    pub calls: u64,
    /// From the call to the work-group's seeing it complete, on average of those that were seen in the window; 0 if none was.
    pub call_ns: f64,
    /// What streaming work-groups loaded and stored.
    pub streamed_gigabytes_per_second: f64,
    /// Hits in a hundred accesses of the command processor: what the figure shows.
    pub hit_rate: Option<f64>,
    /// Of the polls that found a call: the lines that locked stores are to keep.
    pub found_hit_rate: Option<f64>,
    /// Of all accesses to entries of queues.
    pub entry_hit_rate: Option<f64>,
    /// Of those to data of its own.
    pub own_hit_rate: Option<f64>,
    /// The accesses of the command processor, class by class.
    pub classes: Vec<ClassRow>,
    /// How long lines were locked.
    pub locks: LockTimes,
    /// Locked stores that got no lock.
    pub lock_overflows: u64,
}

impl Row {
    /// The classes of the command processor that have accesses.
    pub fn classes(counts: &Counts) -> Vec<ClassRow> {
        let rows = Class::ALL.into_iter().map(|class| ClassRow {
            class,
            hits: counts.of(class).hits,
            misses: counts.of(class).misses,
        });
        rows.filter(|row| row.hits + row.misses > 0).collect()
    }

    /// Misses of a class in a hundred accesses of all classes.
    pub fn missing_points(&self, class: Class) -> f64 {
        let all: u64 = self.classes.iter().map(|row| row.hits + row.misses).sum();
        let own = self.classes.iter().find(|row| row.class == class);
        100.0 * own.map_or(0, |row| row.misses) as f64 / all.max(1) as f64
    }
}

/// Another system, without streams and with the most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What is different.
    pub name: String,
    /// Whether the command processor has data of its own.
    pub own_data: bool,
    /// Whether calls block.
    pub blocking: bool,
    /// Without streams, with locking.
    pub baseline: Row,
    /// With the most, without locking.
    pub unlocked: Row,
    /// With the most, with locking.
    pub locked: Row,
}

/// All runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What was swept.
    pub sweep: Sweep,
    /// The system.
    pub system: System,
    /// The sweep: first all runs without locking.
    pub rows: Vec<Row>,
    /// Other systems.
    pub variants: Vec<Comparison>,
    /// The paper's statements, and what came out.
    pub statements: Vec<Statement>,
}

impl Report {
    /// Of the rows of all runs.
    pub fn new(parameters: &Parameters, rows: Vec<Row>, variants: Vec<Comparison>) -> Self {
        Self {
            statements: verdict::statements(&rows, &variants),
            sweep: parameters.sweep.clone(),
            system: parameters.system.clone(),
            rows,
            variants,
        }
    }

    /// The rows with locking or without, in order of streaming work-groups.
    pub fn curve(&self, locking: bool) -> impl Iterator<Item = &Row> {
        self.rows
            .iter()
            .filter(move |row| row.load.locking == locking)
    }

    /// One line: how many statements hold, and which do not.
    pub fn verdict(&self) -> String {
        verdict::line(&self.statements)
    }
}
