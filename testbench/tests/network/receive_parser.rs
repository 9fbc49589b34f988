//! `ReceiveParser`: its contract, every bad input by name, and equivalence with the rules on random packets.
#![allow(missing_docs)]

mod bad_input;
mod contract;
mod harness;
mod model;
mod random;
