//! The engines against each other, and real NICs against the model under noise.

#[cfg(feature = "aot")]
use xtq_aot as _;
use xtq_catalogue as _;
mod catalogue;
mod cosim;
mod engines;
mod fuzz;
mod lockstep;
