//! A stream: data, valid, ready.

use rust_hdl::prelude::*;
use xtq_kernel::bundle;

/// A stream at the end that takes it. Data and `valid` wait for `ready`, which may wait for `valid`.
#[bundle(StreamOut)]
pub struct StreamIn<T: Synth> {
    /// What comes.
    #[plain]
    pub data: Signal<In, T>,
    /// `{}` is valid.
    pub valid: Signal<In, Bit>,
    /// `{}` is taken.
    pub ready: Signal<Out, Bit>,
}
