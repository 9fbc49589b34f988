//! The golden model of the delivery, and the scoreboard that compares the hardware with it.
//!
//! Written from the specification of the NIC and of AQL; it shares the packed formats with the hardware and nothing else.

mod arrival;
mod checked;
mod claim;
mod counts;
mod delivery;
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
mod state;
mod task;
mod witness;

pub use checked::{CheckError, Checked};
pub use counts::Counts;
pub use delivery::{Delivery, OpenMessage};
pub use faults::Faults;
pub use launch::Tasks;
pub use outcome::{Outcome, Reached, Task};
pub use phase::Phase;
pub use scoreboard::{Difference, Observed, compare};
pub use state::{
    CONTEXTS, Context, EventRing, NicState, PORTALS, Portal, Queue, QueueFailure, Source, Table,
};
pub use witness::{Stop, Witness};
