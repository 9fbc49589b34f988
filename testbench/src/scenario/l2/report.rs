//! What a run of the L2 reports. The same data as JSON.

use super::schema::{CauseName, OpName, StatusName, Step};
use schemars::JsonSchema;
use serde::Serialize;

/// Everything about a run of a bank of the L2. Cycles count from the end of the reset.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct L2Report {
    /// Title of the scenario.
    pub title: String,
    /// Engine that ran the hardware.
    pub engine: String,
    /// Whether everything is as the file expects.
    pub passed: bool,
    /// Why the run stopped early: a broken protocol rule, or what interrupted it; empty if it did not.
    pub failure: String,
    /// Whether it was ended from outside before it came to rest, as by a signal: the report says how far it came.
    pub interrupted: bool,
    /// What is not as the file expects.
    pub differences: Vec<String>,
    /// The steps in the order of the file.
    pub steps: Vec<L2Row>,
    /// The locks that ended, in order.
    pub locks: Vec<LockRow>,
    /// What the bank has counted at the end.
    pub counters: L2Counters,
    /// Cycles run.
    pub cycles: u64,
}

/// A step. What was not reached is null.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct L2Row {
    /// Its name, or its number.
    pub name: String,
    /// Who asked.
    pub requester: String,
    /// What was asked.
    pub op: OpName,
    /// Byte address.
    pub address: u64,
    /// Cycle in which the bank took it.
    pub taken: Option<u64>,
    /// Cycle of the answer.
    pub answered: Option<u64>,
    /// The line was in the cache.
    pub hit: Option<bool>,
    /// It was served without keeping the line.
    pub uncached: Option<bool>,
    /// Outcome.
    pub status: Option<StatusName>,
    /// Bytes at the address before the access, as hex digits: as many as the file expects, else 8.
    pub data: String,
}

impl L2Row {
    pub(super) fn new(number: usize, step: &Step) -> Self {
        Self {
            name: match step.name.as_str() {
                "" => number.to_string(),
                name => name.to_owned(),
            },
            requester: step.requester.to_string(),
            op: step.op,
            address: step.address,
            taken: None,
            answered: None,
            hit: None,
            uncached: None,
            status: None,
            data: String::new(),
        }
    }
}

/// The end of a lock.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LockRow {
    /// Cycle.
    pub cycle: u64,
    /// Address of the line.
    pub line: u64,
    /// Why it ended.
    pub cause: CauseName,
    /// A read-modify-write held it, else a locked store.
    pub rmw: bool,
    /// The thread of the command processor, or the compute unit that stored.
    pub owner: u8,
    /// How long it was held.
    pub cycles: u64,
}

/// What the bank has counted.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct L2Counters {
    /// Lines that are locked.
    pub locked_lines: u64,
    /// Locked stores that got no lock.
    pub lock_overflows: u64,
    /// Locks of stores that a read-modify-write took away.
    pub dropped_locks: u64,
    /// Locks dropped by the watchdog.
    pub watchdog_drops: u64,
    /// Accesses of the command processor that found their line in the bank.
    pub cp_hits: u64,
    /// Those that did not.
    pub cp_misses: u64,
    /// Accesses of compute units that found their line in the bank.
    pub cu_hits: u64,
    /// Those that did not.
    pub cu_misses: u64,
}

/// JSON Schema of the report.
pub fn l2_report_schema() -> serde_json::Value {
    schemars::schema_for!(L2Report).to_value()
}
