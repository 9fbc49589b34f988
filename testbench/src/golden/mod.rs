//! The golden model of the delivery, and the scoreboard that compares the hardware with it.
//!
//! Written from the specification of the NIC and of AQL; it shares the packed formats with the hardware and nothing
//! else.

mod arrival;
mod checked;
mod claim;
mod counts;
mod delivery;
mod difference;
mod enqueue;
mod failure;
mod faults;
mod launch;
mod losses;
mod order;
mod outcome;
mod phase;
mod refusal;
mod rewrite;
mod scoreboard;
mod task;
mod witness;

pub use checked::{CheckError, Checked};
pub use counts::Counts;
pub use delivery::Delivery;
pub use difference::{Difference, Observed};
pub use faults::Faults;
pub use launch::Tasks;
pub use phase::Phase;
pub use scoreboard::compare;
pub use witness::Witness;
