//! `PacketStore`: the rewritten AQL packet of every message slot, and whether it is there yet.
//!
//! **Purpose.** The rewrite engine and the enqueuer work on a message at their own pace; this is where the packet
//! waits.
//!
//! ```text
//!                  +-------------+
//!   write       -->|             |--> packet  (one cycle after slot)
//!   write_slot  -->| PacketStore |--> there   (same cycle as slot)
//!   write_valid -->|             |
//!   slot        -->|             |
//!   freed     -->|             |
//!                  +-------------+
//! ```
//!
//! **Contract.** `packet` is the word of the slot asked for one cycle before, as of then. `there` says that `slot` was
//! written since it was last released; the packet may be asked for in the same cycle. A slot is not written and
//! released at the same time.
//!
//! **Internals.** A [`Ram`] of 256 packets and one bit per slot.

use crate::bundle::PulseIn;
use crate::leaf::{Ram, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Memory of the rewritten packets by slot.
#[block]
pub struct PacketStore {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Rewritten packet.
    pub write: PulseIn<Bits<512>>,
    /// Its slot.
    pub write_slot: Signal<In, Bits<8>>,
    /// Slot asked for.
    pub slot: Signal<In, Bits<8>>,
    /// Its packet, one cycle later.
    pub packet: Signal<Out, Bits<512>>,
    /// Its packet has been written.
    pub there: Signal<Out, Bit>,
    /// Slot that becomes free.
    pub freed: PulseIn<Bits<8>>,
    mem: Ram<Bits<512>, 8>,
    there_q: Reg<Bits<256>>,
    cleared: Signal<Local, Bits<256>>,
}

#[kernel]
impl Logic for PacketStore {
    fn update(&mut self) {
        self.mem.write_addr.next = self.write_slot.val();
        self.mem.write_data.next = self.write.data.val();
        self.mem.write_en.next = self.write.valid.val();
        self.mem.read_addr.next = self.slot.val();
        self.packet.next = self.mem.read_data.val();
        self.there.next = self.there_q.q.val().get_bit(self.slot.val().index());

        self.cleared.next = self.there_q.q.val();
        if self.freed.valid.val() {
            self.cleared.next = self
                .there_q
                .q
                .val()
                .replace_bit(self.freed.data.val().index(), false);
        }
        self.there_q.d.next = self.cleared.val();
        if self.write.valid.val() {
            self.there_q.d.next = self
                .cleared
                .val()
                .replace_bit(self.write_slot.val().index(), true);
        }
        self.there_q.en.next = self.write.valid.val() | self.freed.valid.val();
    }
}
