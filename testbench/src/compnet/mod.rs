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
mod l1;
mod machine;
pub mod queue;
mod record;
mod rtl_bank;
pub mod service;
pub mod streaming;
mod system;
mod system_check;
mod thread;
pub mod work_group;

pub use bank::Bank;
pub use core::{Core, CoreConfig};
pub use counts::{Class, Counts, Tally};
pub use l1::{Evicted, L1};
pub use machine::{Machine, MachineError};
pub use record::{Ledger, Phases};
pub use rtl_bank::{BankCounts, LockLimits, RtlBank, body};
pub use system::{Calls, Cp, Gpu, L2, Load, Memory, System};
pub use thread::Thread;
