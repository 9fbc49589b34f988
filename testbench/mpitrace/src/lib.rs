//! Recorded MPI calls: three formats read into one [`Trace`], and the naive matcher that says what must match.
//!
//! ```text
//!   CSV, DUMPI text, liballprof --read--> Trace --events--> posts and arrivals --Matcher--> matches, queue lengths
//! ```
//!
//! Nothing here knows the hardware. The rules of matching are those of MPI: section 3.2.1 of Klenk's dissertation, and
//! `docs/how-to/matching.md`, the user's page.

mod call;
mod error;
mod formats;
mod matcher;
mod queues;
mod read;
mod replay;

pub use call::{Call, Format, LeftOut, Message, Op, Place, Receive, Trace};
pub use error::{TraceError, TraceFault};
pub use matcher::{Arrival, Found, Matcher, Post};
pub use queues::{Distribution, QueueStatistics};
pub use read::{Progress, read, read_bytes};
pub use replay::{Event, Happening, expected_only};
