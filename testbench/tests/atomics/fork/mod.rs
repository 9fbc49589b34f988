//! `AtomicFork` between payload writer, atomic unit and memory ports, against packets performed one after the other.

mod packet;
mod path;
mod random;
mod takers;
mod timing;
