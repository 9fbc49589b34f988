//! Nodes with a GPU, its L2, a NIC and a host, for kernels that use the network: the L2 and the NIC are the hardware.
//!
//! ```text
//!  work-groups  - compute units -+                          +- host threads (APU, dGPU)
//!                                |                          |
//!  service threads (ComP-Net) ---+- L2 (RTL) - GPU memory   +- host's memory
//!                                               |              |
//!                                               +-- PCIe: NIC (RTL) -- network
//! ```
//!
//! A work-group calls through a [`Shmem`] context, whose queue a service thread polls; that posts real commands to the
//! NIC and ends a call when the NIC's event says that it has. Who serves, where queues and rings lie and what is
//! between is a row of the table [`Design`](xtq_testbench::compnet::design::Design).
//!
//! Memory is one: what the L2 or a host thread writes back is what the NIC reads, and what the NIC writes is there when
//! it becomes visible. Caches do not know of it: synchronisation at system scope is the programs' work, by
//! WRITE_BACK and INVALIDATE of the L2.

mod allreduce;
mod build;
mod cluster;
mod config;
mod entry;
mod host_calls;
mod local;
mod maximum;
mod node;
mod open;
mod port;
mod poster;
mod service;
mod shmem;

pub use cluster::{ComputeCluster, ComputeError};
pub use config::{ComputeConfig, Cp, Gpu, Leaves, Nic};
pub use entry::CallKind;
pub use host_calls::HostCalls;
pub use local::Local;
pub use node::NodeFault;
pub use port::Ended;
pub use shmem::Shmem;

use xtq_testbench::host::{Md, Pt};

/// Where the symmetric heap lies in the GPU's memory of every node.
pub const HEAP: u64 = 0x1_0000_0000;
/// Bytes of it.
pub const HEAP_BYTES: u64 = 1 << 28;
/// The heap's last MiB lies in the host's memory where the host calls or serves: flags of its programs.
pub const HOST_HEAP: u64 = HEAP + HEAP_BYTES - (1 << 20);
/// Places of 64 bytes at the beginning of it for the flags of experiments; values on their way and the host's maxima
/// have the rest.
pub const HOST_FLAGS: u64 = 1 << 8;

/// All memory of a node, with an event when a command has ended.
const ALL: Md = Md(0);
/// Bytes that it reaches from address 0.
const REACH: u64 = 1 << 40;
/// The heap, for everybody.
const HEAP_PORTAL: Pt = Pt(0);
/// The context of the heap's entry on every node.
const HEAP_CONTEXT: u8 = 0;
/// First byte of an event place that holds no event: no kind has this number.
const NO_EVENT: u8 = 0xff;
