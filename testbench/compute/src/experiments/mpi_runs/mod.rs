//! Reductions that are measured: what the experiments of figures 9 and 10 have in common.

mod job;
mod report;
mod row;
mod written;

pub use job::{Collective, Job, Measured, Pipeline, measure};
pub use report::Report;
pub use row::{Point, Row, csv, predicted, run, table};
pub use written::{parse, schema};
