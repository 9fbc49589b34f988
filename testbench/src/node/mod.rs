//! The NIC's top block with everything around it: network, memory, host, GPU.

mod config;
mod decisions;
mod digest;
mod engines;
mod gpu;
mod harness;
mod host;
mod inside;
mod link;
mod notes;
mod receive;
mod rest;
mod saving;
mod still;
mod stores;
mod streams;
mod timeline;
mod trace;
pub mod wire;

pub use config::{NodeConfig, NodeError};
pub use decisions::{Decision, DecisionMonitor};
pub use digest::Digest;
pub use engines::{Top, body, cosim, engine};
pub use gpu::{Gpu, GpuTiming, TaskRun};
pub use harness::Node;
pub use host::ContextConfig;
pub(crate) use host::REGISTER_CYCLES;
pub use inside::InsidePacket;
pub use receive::Buffer;
pub use stores::{PortalLists, Stores};
pub use timeline::Timeline;
pub use trace::{Trace, TraceMonitor};
pub use wire::{Ack, Message, WireError};
