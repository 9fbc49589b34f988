//! `Half`: half of a 64-bit word of every portal entry, with the two read ports that the table needs.
//!
//! **Contract.** What is written is read from the next cycle on: `lookup_data` in the cycle of its address, for
//! admission, `window_data` in the next one, for the host.

use crate::leaf::{LutRam, Ram};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Half a 64-bit word of 64 entries.
#[block]
pub(super) struct Half {
    pub(super) clk: Signal<In, Clock>,
    pub(super) write: Signal<In, Bit>,
    pub(super) write_addr: Signal<In, Bits<6>>,
    pub(super) write_data: Signal<In, Bits<32>>,
    pub(super) lookup_addr: Signal<In, Bits<6>>,
    /// In the same cycle.
    pub(super) lookup_data: Signal<Out, Bits<32>>,
    pub(super) window_addr: Signal<In, Bits<6>>,
    /// In the next cycle.
    pub(super) window_data: Signal<Out, Bits<32>>,
    lookup_ram: LutRam<Bits<32>, 6>,
    window_ram: Ram<Bits<32>, 6>,
}

#[kernel]
impl Logic for Half {
    fn update(&mut self) {
        self.lookup_ram.write_en.next = self.write.val();
        self.lookup_ram.write_addr.next = self.write_addr.val();
        self.lookup_ram.write_data.next = self.write_data.val();
        self.lookup_ram.read_addr.next = self.lookup_addr.val();
        self.lookup_data.next = self.lookup_ram.read_data.val();
        self.window_ram.write_en.next = self.write.val();
        self.window_ram.write_addr.next = self.write_addr.val();
        self.window_ram.write_data.next = self.write_data.val();
        self.window_ram.read_addr.next = self.window_addr.val();
        self.window_data.next = self.window_ram.read_data.val();
    }
}
