//! Scenarios of a bank of the L2: single requests at given cycles, by hand, and what is expected of each.
//!
//! A file of this shape has the key `steps`. The hardware is the block `l2_bank`: 16 ways, 128 sets, lines of 64 bytes.

mod check;
mod report;
mod run;
pub mod schema;

pub(super) use check::check;
pub use report::{L2Counters, L2Report, L2Row, LockRow, l2_report_schema};
pub use run::L2Run;
pub use schema::L2Scenario;
