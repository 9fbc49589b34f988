//! The host library: Portals 4 and XTQ for a program on a simulated node.
//!
//! Each function of Portals or XTQ gives a [`Command`], 128 bytes that say what to do; a [`Process`] puts commands into
//! its ring and rings the doorbell, and takes events out of its event ring. Where Portals has many arguments here is a
//! struct with named fields, and where Portals gives a handle the program chooses a number ([`Md`], [`Me`], [`Ct`],
//! [`Pt`]). Errors are values: those of the library come from the call, those of the NIC as an event of the command
//! ([`Event::result`]).
//!
//! A program reaches its NIC through a [`NicPort`]: a [`Node`](crate::node::Node) alone, or one of a
//! [`Cluster`](crate::cluster::Cluster).
//!
//! ```no_run
//! use xtq_testbench::host::*;
//!
//! fn send_hello<P: NicPort>(port: &mut P) -> Result<(), ProcessError<P::Error>> {
//!     use xtq_testbench::bytes::Bytes;
//!
//!     let mut process = Process::open(port, 0, &ProcessConfig::default())?;
//!     port.memory_mut(0).write(0x10_0000, b"hello");
//!     let md = MemoryDescriptor { md: Md(0), start: 0x10_0000, length: 5, ..MemoryDescriptor::default() };
//!     let put = Put { length: 5, ack: AckRequest::Ack, target: ProcessId { node: 1, context: 0 }, ..Put::default() };
//!     process.post_all(port, &[ptl_md_bind(&md), ptl_put(&put), fence().with_completion()])?;
//!     process.wait_for(port, |event| event.result().is_some(), 1000)?;
//!     Ok(())
//! }
//! ```

/// The program on the page compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/host-library.md")]
struct Page;

mod closing;
mod command;
mod counting;
mod event;
mod ids;
mod objects;
mod plain;
mod port;
mod process;
mod registration;
#[cfg(test)]
mod tests;
mod transfer;
mod triggered;

pub use crate::tables::{
    AckRequest, AtomicOp, Datatype, Function, HostQueue, Kernel, List, Search,
};
pub use command::Command;
pub use counting::{ptl_ct_poll, ptl_ct_wait};
pub use event::{CommandError, Event, EventKind};
pub use ids::{CounterValue, Ct, Md, Me, ProcessId, Pt, Trigger};
pub use objects::*;
pub use plain::*;
pub use port::NicPort;
pub use process::{Process, ProcessConfig, ProcessError, Ring, RingError};
pub use registration::{xtq_register_function, xtq_register_kernel, xtq_register_queue};
pub use transfer::{
    Atomic, FetchAtomic, Get, Put, Swap, XtqPut, ptl_atomic, ptl_fetch_atomic, ptl_get, ptl_put,
    ptl_swap, xtq_put,
};
pub use triggered::{
    ptl_triggered_atomic, ptl_triggered_ct_inc, ptl_triggered_ct_set, ptl_triggered_fetch_atomic,
    ptl_triggered_get, ptl_triggered_me_append, ptl_triggered_me_unlink, ptl_triggered_put,
    ptl_triggered_swap, xtq_triggered_put,
};
pub use xtq_types::command::md_option;
pub use xtq_types::matching::{me_option, portal_option};
