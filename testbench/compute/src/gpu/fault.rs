//! What is wrong with a kernel or its queue.

use thiserror::Error;
use xtq_testbench::packet_processor::ProcessorError;

/// Why a GPU cannot go on.
#[derive(Clone, Debug, Error)]
pub(crate) enum GpuFault {
    /// There can be no such queue.
    #[error(transparent)]
    Queue(#[from] ProcessorError),
    /// The queue has stopped.
    #[error("the queue at {base:#x} has stopped: {why}")]
    Stopped { base: u64, why: String },
    /// Nobody knows the kernel.
    #[error("packet {id} of the queue at {base:#x}: no kernel has the handle {handle:#x}")]
    Handle { id: u64, base: u64, handle: u64 },
    /// It is no kernel.
    #[error("packet {id} of the queue at {base:#x} is no kernel dispatch (type {kind})")]
    Kind { id: u64, base: u64, kind: u8 },
    /// The kernel cannot do that.
    #[error("kernel '{name}', packet {id}: {why}")]
    Kernel { name: String, id: u64, why: String },
    /// An operand is not what it was.
    #[error(
        "kernel '{name}', packet {id}: its operand at {address:#x} was overwritten while it ran"
    )]
    Overwritten { name: String, id: u64, address: u64 },
}
