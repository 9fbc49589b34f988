//! Engines that compile the netlist: one [`Body`] of code, any number of [`Compiled`] instances of it.
//!
//! **Cycle.** `eval` computes next state, outputs and memory writes into slots of the instance's buffer; `step` takes
//! them over.
//!
//! **Code.** [`plan`] says what is computed and where everything lies. The interpreter runs that as it is. The code
//! generators, [`jit`] and [`rust`], follow [`layout`], which cuts the computation into functions, with the branches
//! that [`schedule`] finds.

mod ahead;
mod body;
mod instance;
mod interp;
mod jit;
mod layout;
mod plan;
mod rust;
mod schedule;
mod watch;

pub use ahead::{Ahead, write_ahead};
pub use body::{Backend, Body};
pub use instance::Compiled;
