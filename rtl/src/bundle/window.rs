//! A window of registers: how Registers hand a word on to its owner and get it back.

use rust_hdl::prelude::*;
use xtq_kernel::bundle;

/// A word that is written, at its owner.
#[bundle(WindowOut)]
pub struct WindowIn<const A: usize> {
    /// `{}` is written (pulse).
    pub write: Signal<In, Bit>,
    /// Which word.
    pub addr: Signal<In, Bits<A>>,
    /// Its value.
    pub data: Signal<In, Bits<32>>,
}

/// A word that is read back, at its owner.
#[bundle(ReadBackOut)]
pub struct ReadBackIn<const A: usize> {
    /// Which word.
    pub addr: Signal<In, Bits<A>>,
    /// The word, one cycle later.
    pub data: Signal<Out, Bits<32>>,
}
