//! ComP-Net: work-groups that ask the command processor for network operations, in front of the hardware's L2.
//!
//! LeBeane et al., PACT 2018. The pieces, from the outside in: programs of [`work_group`]s, of [`service`] threads and
//! of [`streaming`] work-groups; the [`Core`]s that execute them, each with a private [`L1`]. The [`Machine`] that
//! carries their requests to the banks of the L2; and [`RtlBank`], which is the hardware. `docs/compnet.md` explains
//! the protocol and says what is not modelled.

pub mod access;
mod bank;
mod core;
mod counts;
pub mod design;
mod host_memory;
mod l1;
mod machine;
mod place;
pub mod queue;
mod record;
mod routes;
mod rtl_bank;
mod rtl_l2;
pub mod service;
pub mod streaming;
mod system;
mod system_check;
mod thread;
pub mod work_group;

pub use bank::Bank;
pub use core::{Core, CoreConfig};
pub use counts::{Class, Counts, Tally};
pub use host_memory::{HostCounts, HostMemory, HostTimes};
pub use l1::{Evicted, L1};
pub use machine::{Machine, MachineError};
pub use place::Place;
pub use record::{Ledger, Phases};
pub use routes::{HostSide, Link, Routes, Side};
pub use rtl_bank::{BANKS, BankCounts, LockLimits, RtlBank, body};
pub use rtl_l2::RtlL2;
pub use streaming::Streams;
pub use system::{Calls, Cp, Gpu, L2, Load, Memory, System};
pub(crate) use system_check::within;
pub use thread::{Marker, Thread};
