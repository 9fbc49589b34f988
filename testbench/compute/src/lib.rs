//! Nodes that compute: hosts whose programs take time, GPUs whose kernels change memory, and the bandwidth that both
//! share with the NIC.
//!
//! The NIC is the hardware, cycle by cycle; everything around it is a model with the times of a parameter file. A cycle
//! is 1 ns. A [`Machine`] has some nodes and the network between them; a program is an `async fn` with a
//! [`HostThread`], each call of which takes the time that a core would need.
//!
//! ```
//! use xtq_catalogue as _; // links the hardware
//! use xtq_compute::{Machine, MachineConfig};
//!
//! let mut machine = Machine::new(&MachineConfig { nodes: 1, ..MachineConfig::default() })?;
//! machine.start(0, "adds", |thread| async move {
//!     thread.work(1200).await; // instructions, four a cycle at 3 GHz
//!     Ok(())
//! });
//! machine.run(&Default::default())?;
//! assert_eq!(machine.threads(0)[0].busy_ns, 100.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod channel;
pub mod collective;
mod combine;
pub mod compute_node;
mod cores;
mod costs;
pub mod experiments;
pub mod gpu;
mod host;
mod layout;
mod machine;
pub mod mpi;
mod place;
mod system;

pub use combine::{Combine, Operation};
pub use costs::Costs;
pub use host::{AgentTask, HostThread, Wait};
pub use layout::Layout;
pub use machine::{Machine, MachineConfig, MachineError};
pub use place::{ProgramError, ThreadReport};
pub use system::{Cache, Cpu, GpuConfig, Library, Memory, NetworkTimes, Preset, System};
