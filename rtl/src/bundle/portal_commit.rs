//! A message's landing, which Admission stores in its portal entry.

use rust_hdl::prelude::*;
use xtq_kernel::bundle;

/// What becomes of a portal entry, at PortalTable.
#[bundle(PortalCommitOut)]
pub struct PortalCommitIn {
    /// It is stored at the edge (pulse).
    #[plain]
    pub data: Signal<In, Bit>,
    /// Entry, {context 2, entry 4}.
    pub index: Signal<In, Bits<6>>,
    /// New local offset in bytes.
    pub offset: Signal<In, Bits<64>>,
    /// New number of bytes left.
    pub remaining: Signal<In, Bits<64>>,
    /// Disable the entry (flow control).
    pub disable: Signal<In, Bit>,
}
