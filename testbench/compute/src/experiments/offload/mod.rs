//! What the experiments with offloaded collectives share: a schedule on real NICs, and what is looked at.
//!
//! ```text
//!   xtq_cdag: graph -> schedule -> scenario      xtq_testbench: scenario -> NICs -> report
//!                          \                        /
//!                            play --> peeked, times
//! ```

mod names;
mod peeked;
mod play;
mod surrounds;

pub use names::size;
pub use peeked::{Ended, Posted, commands};
pub use play::{Played, Task};
pub use surrounds::{LONGEST_NS, Surrounds};
