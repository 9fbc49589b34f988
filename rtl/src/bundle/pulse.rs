//! A pulse: data that is there for one cycle.

use rust_hdl::prelude::*;
use xtq_kernel::bundle;

/// A pulse at the end that takes it. It is taken in the cycle in which it is valid.
#[bundle(PulseOut)]
pub struct PulseIn<T: Synth> {
    /// What comes.
    #[plain]
    pub data: Signal<In, T>,
    /// `{}` is valid.
    pub valid: Signal<In, Bit>,
}
