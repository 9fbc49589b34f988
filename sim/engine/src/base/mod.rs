//! What every other module of the engine may use: findings, words of values, names of signals. It uses none of them.

mod bits;
mod finding;
mod quick;
mod signal;

pub use bits::mask;
pub(crate) use bits::{CHAIN_START, chain, cut, digits, number, slice};
pub use finding::{Finding, Rule};
pub(crate) use quick::QuickMap;
pub use signal::Direction;
pub(crate) use signal::{WaveVar, canonical, is_clock};
