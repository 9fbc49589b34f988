//! AXI4-Stream: packets of the network in beats of 64 bytes.

use rust_hdl::prelude::*;
use xtq_kernel::bundle;

/// A beat, at the end that takes it.
#[bundle(AxiStreamOut)]
pub struct AxiStreamIn {
    /// Bytes, lane 0 first.
    pub data: Signal<In, Bits<512>>,
    /// Valid bytes.
    pub keep: Signal<In, Bits<64>>,
    /// Last beat of a packet.
    pub last: Signal<In, Bit>,
    /// The beat is valid.
    pub valid: Signal<In, Bit>,
    /// The beat is taken.
    pub ready: Signal<Out, Bit>,
}
