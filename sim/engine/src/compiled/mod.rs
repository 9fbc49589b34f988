//! Engines that compile the netlist: one [`Body`] of code, any number of [`Compiled`] instances of it.
//!
//! **Cycle.** `eval` computes what is shown, `step` the next state, and takes it over. Both compute only the parts in
//! which something may have changed: [`partition`] chooses them and says why that is exact.
//!
//! **Code.** [`plan`] says what each part does and where everything lies. The interpreter runs that as it is. The code
//! generators, [`jit`] and [`rust`], follow [`layout`], which cuts the parts into functions, with the branches that
//! [`schedule`] finds. While it runs, the JIT compiles what is used and goes over to better parts: [`tune`].

mod ahead;
mod body;
mod cycle;
mod instance;
mod interp;
mod jit;
mod layout;
mod many;
mod partition;
mod paths;
mod plan;
mod rust;
mod sampler;
mod schedule;
mod training;
mod tune;
mod watch;
mod writes;

pub use ahead::Ahead;
pub use body::{Backend, Body};
pub use instance::Compiled;
pub use many::{eval_all, step_all};
pub use training::write_ahead;
