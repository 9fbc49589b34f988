//! The golden model of the delivery, and the scoreboard that compares the hardware with it.
//!
//! Written from the specification of the NIC and of AQL; it shares the packed formats with the hardware and nothing else.

mod arrival;
mod checked;
mod delivery;
mod enqueue;
mod order;
mod outcome;
mod rewrite;
mod scoreboard;
mod state;

pub use checked::{CheckError, Checked};
pub use delivery::{Delivery, OpenMessage};
pub use outcome::{Outcome, Task};
pub use scoreboard::{Difference, Observed, compare};
pub use state::{CONTEXTS, Context, EventRing, NicState, PORTALS, Portal, Queue, Table};
