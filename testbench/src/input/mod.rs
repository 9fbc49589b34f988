//! Text files that people write: TOML and JSON, read strictly, with the place of every fault.

mod fault;
pub mod memory;
mod parameters;
mod place;
mod short;
mod source;
pub(crate) mod strict;
pub mod utf8;

pub(crate) use fault::KeyFault;
pub use fault::{Fault, FaultKind, InputError};
pub use parameters::{read_toml, wrong_value};
pub(crate) use place::Places;
pub(crate) use short::cut_message;
pub use short::shortened;
pub(crate) use source::Source;
