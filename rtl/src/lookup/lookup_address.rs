//! `LookupAddress`: from a table and an index to an address, or to "there is no such entry".
//!
//! **Purpose.** The table bases and sizes of all contexts, set by the host, and the range check of
//! [`LookupStage`](super::lookup_stage::LookupStage).
//!
//! ```text
//!                        +---------------+
//!   cfg_write, _addr, -->|               |
//!   _data                | LookupAddress |--> address   (same cycle)
//!   owner, kind       -->|               |--> found
//!   index             -->|               |
//!                        +---------------+
//! ```
//!
//! **Contract.** `found`: all 64 bits of `index` are below the table's SIZE and below 65,536. `address` = base + 64 *
//! index, of the lower 16 bits of the index; bits 5:0 of a base are ignored. The window is {context 2, kind 2, word 2}:
//! word 0 BASE_LO, 1 BASE_HI, 2 SIZE in entries, 3 nothing. Reset makes all sizes 0.
//!
//! **Internals.** Range check and addition work side by side from the same index. Base and size are in [`LutRam`]s,
//! which reset does not clear; `sized_q` has a bit for each table whose size was written since.

use crate::bundle::WindowIn;
use crate::leaf::{LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Bases and sizes of 16 tables.
#[block]
pub struct LookupAddress {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; all tables are empty.
    pub rst: Signal<In, Bit>,
    /// Window, {context 2, kind 2, word 2}.
    pub cfg: WindowIn<6>,
    /// Whose table: the context.
    pub owner: Signal<In, Bits<2>>,
    /// Which table.
    pub kind: Signal<In, Bits<2>>,
    /// Entry asked for.
    pub index: Signal<In, Bits<64>>,
    /// The table has the entry.
    pub found: Signal<Out, Bit>,
    /// Its address, 64-byte aligned.
    pub address: Signal<Out, Bits<64>>,
    base_lo: LutRam<Bits<32>, 4>,
    base_hi: LutRam<Bits<32>, 4>,
    size: LutRam<Bits<17>, 4>,
    sized_q: Reg<Bits<16>>,
    #[value(1u64.to_bits())]
    one: Constant<Bits<16>>,
    place: Signal<Local, Bits<4>>,
    cfg_place: Signal<Local, Bits<4>>,
    cfg_word: Signal<Local, Bits<2>>,
    entry: Signal<Local, Bits<16>>,
    wide_entry: Signal<Local, Bits<17>>,
    above: Signal<Local, Bits<48>>,
    low: Signal<Local, Bits<64>>,
    high: Signal<Local, Bits<64>>,
    base: Signal<Local, Bits<64>>,
    line: Signal<Local, Bits<64>>,
    sum: Signal<Local, Bits<64>>,
}

#[kernel]
impl Logic for LookupAddress {
    fn update(&mut self) {
        // The window.
        self.cfg_place.next = self.cfg.addr.val().get_bits::<4>(2);
        self.cfg_word.next = self.cfg.addr.val().get_bits::<2>(0);
        self.base_lo.write_addr.next = self.cfg_place.val();
        self.base_lo.write_data.next = self.cfg.data.val();
        self.base_lo.write_en.next = self.cfg.write.val() & (self.cfg_word.val() == 0);
        self.base_hi.write_addr.next = self.cfg_place.val();
        self.base_hi.write_data.next = self.cfg.data.val();
        self.base_hi.write_en.next = self.cfg.write.val() & (self.cfg_word.val() == 1);
        self.size.write_addr.next = self.cfg_place.val();
        // An index has 16 bits: a larger size counts as 2^16.
        self.size.write_data.next = bit_cast::<17, 16>(self.cfg.data.val().get_bits::<16>(0));
        if self.cfg.data.val().get_bits::<16>(16).any() {
            self.size.write_data.next = 0x1_0000.into();
        }
        self.size.write_en.next = self.cfg.write.val() & (self.cfg_word.val() == 2);
        self.sized_q.d.next = self.sized_q.q.val() | (self.one.val() << self.cfg_place.val());
        self.sized_q.en.next = self.cfg.write.val() & (self.cfg_word.val() == 2);

        // The table.
        self.place.next =
            (bit_cast::<4, 2>(self.owner.val()) << 2) | bit_cast::<4, 2>(self.kind.val());
        self.base_lo.read_addr.next = self.place.val();
        self.base_hi.read_addr.next = self.place.val();
        self.size.read_addr.next = self.place.val();

        self.entry.next = self.index.val().get_bits::<16>(0);
        self.above.next = self.index.val().get_bits::<48>(16);
        self.wide_entry.next = bit_cast::<17, 16>(self.entry.val());
        self.found.next = self.sized_q.q.val().get_bit(self.place.val().index())
            & !self.above.val().any()
            & (self.wide_entry.val() < self.size.read_data.val());

        // In units of 64 bytes.
        self.low.next = bit_cast::<64, 32>(self.base_lo.read_data.val());
        self.high.next = bit_cast::<64, 32>(self.base_hi.read_data.val());
        self.base.next = (self.low.val() >> 6) | (self.high.val() << 26);
        self.line.next = bit_cast::<64, 16>(self.entry.val());
        self.sum.next = self.base.val() + self.line.val();
        self.address.next = self.sum.val() << 6;
    }
}
