//! The NIC's top block with everything around it: network, memory, host, GPU.

pub mod format;
mod gpu;
mod trace;
pub mod wire;

pub use gpu::{Gpu, GpuTiming, TaskRun};
pub use trace::{Trace, TraceMonitor};
pub use wire::{Ack, Message, WireError};
