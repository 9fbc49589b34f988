//! Atomics: `AtomicAlu`, its parts and `AtomicCheck` against Rust's own arithmetic, `AtomicUnit` against messages
//! performed one by one; and their Verilog.

use xtq_catalogue as _;
mod check;
mod draw;
mod floats;
mod fork;
mod hardware;
mod model;
mod operations;
mod parts;
mod products;
mod replies;
mod stream;
mod unit;
