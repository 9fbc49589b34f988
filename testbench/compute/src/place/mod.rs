//! A node with its host programs and its GPU, as a station of a cluster.
//!
//! Before each cycle of the hardware come the models: what is due at the GPU, register accesses that have arrived, then
//! every program that can go on. What a program changes, the others and the GPU see in the next cycle. If nothing is
//! due at any of them and the NIC rests, the cluster leaves the cycles out.

mod error;
mod registers;
mod station;
mod thread_state;
mod world;

pub(crate) use error::PlaceError;
pub use error::ProgramError;
pub(crate) use registers::Ask;
pub(crate) use station::{Place, lock};
pub use thread_state::ThreadReport;
pub(crate) use thread_state::{Spent, ThreadState};
pub(crate) use world::{COMMAND_BYTES, World};
