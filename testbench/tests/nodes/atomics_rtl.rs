//! Atomics between real NICs beside the functional model: what the model computes for a case is what the hardware must
//! show.

mod fixture;
mod pairs;
mod random;
mod refused;
mod rules;
