//! `AtomicUnit` with the memory ports, against messages performed datum by datum on a memory in which nothing else
//! happens.

mod faults;
pub mod message;
mod path;
pub mod random;
mod timing;
