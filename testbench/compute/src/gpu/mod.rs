//! A GPU whose kernels change memory.
//!
//! A kernel is a [`Kernel`] that says for each launch what it reads, what it writes, how many instructions a wavefront
//! has, and what becomes of the operands. The device reads the operands when the kernel starts, and compares them with
//! memory when it ends: if a message or a program has overwritten one meanwhile, the run fails.
//!
//! The life of a launch, each step with its time:
//!
//! ```text
//! doorbell | look at the queue | packet read | dispatch | wavefront slots | arguments read | operands | end, signal
//! visible  | doorbell_ns       | memory      | dispatch_ns  free, oldest first  memory      stream      memory
//! ```
//!
//! *Operands* is the first access to memory, then the longest of three: all bytes at the share of the node's bandwidth,
//! the instructions of all wavefronts, and an access for each further round if there are more wavefronts than slots.
//! Nothing is found in a cache: kernels acquire and release at system scope.

mod builtin;
mod device;
mod fault;
mod kernel;
mod launch;
mod packet;
mod queue;

pub use builtin::{CombineKernel, CopyKernel, FillKernel, InPlaceKernel};
pub(crate) use device::Gpu;
pub use device::KernelRun;
pub(crate) use fault::GpuFault;
pub use kernel::{Effect, Kernel, Launch, Plan, Span, custom};
pub(crate) use launch::Surroundings;
pub use packet::KernelPacket;
