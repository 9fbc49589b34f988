//! Atomics between real NICs beside the functional model: what the model computes for a case is what the hardware must show.

use xtq_catalogue as _;
mod fixture;
mod pairs;
mod random;
mod refused;
mod rules;
