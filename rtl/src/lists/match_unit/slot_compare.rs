//! `SlotCompare`: whether a message matches an entry, in two cycles.
//!
//! **Purpose.** The match test of Portals: source, bits under a mask, and the length if the entry does not truncate. No
//! permissions: they are looked at after the match.
//!
//! ```text
//!               +-------------+
//!   entry    -->|             |
//!   room     -->| SlotCompare |--> hit   (one cycle later)
//!   message  -->|             |
//!               +-------------+
//! ```
//!
//! **Contract.** `hit` belongs to the inputs of the cycle before. The entry does not truncate: if it keeps the offset,
//! the message's length must be at most `room`, else the end of the message (offset + length) must.
//!
//! **Internals.** First cycle: masked differences, folded to 32 bits, and a comparison of the low halves of the
//! lengths. Second cycle: the rest of both. So no path has more than one carry chain of 33 bits.

use crate::leaf::Delay;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::match_lists::{EntryKey, MessageKey};

/// The match test of one slot.
#[block]
pub struct SlotCompare {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Key of the entry.
    pub entry: Signal<In, EntryKey>,
    /// Bytes of its buffer; after the offset, if it keeps it.
    pub room: Signal<In, Bits<64>>,
    /// Key of the message.
    pub message: Signal<In, MessageKey>,
    /// It matches; a cycle later.
    pub hit: Signal<Out, Bit>,
    differs_q: Delay<Bits<32>>,
    short_q: Delay<Bit>,
    room_high_q: Delay<Bits<33>>,
    need_high_q: Delay<Bits<33>>,
    no_truncate_q: Delay<Bit>,
    mask: Signal<Local, Bits<64>>,
    differs: Signal<Local, Bits<64>>,
    folded: Signal<Local, Bits<16>>,
    node: Signal<Local, Bits<16>>,
    tenant: Signal<Local, Bits<8>>,
    source: Signal<Local, Bits<8>>,
    need_low: Signal<Local, Bits<32>>,
    need_high: Signal<Local, Bits<33>>,
    room_low: Signal<Local, Bits<32>>,
    wide_folded: Signal<Local, Bits<32>>,
    wide_source: Signal<Local, Bits<32>>,
    wide_context: Signal<Local, Bits<32>>,
    too_long: Signal<Local, Bit>,
}

#[kernel]
impl Logic for SlotCompare {
    fn update(&mut self) {
        // First cycle.
        self.mask.next = !self.entry.val().ignore_bits;
        self.differs.next =
            (self.entry.val().match_bits ^ self.message.val().match_bits) & self.mask.val();
        self.folded.next = self.differs.val().get_bits::<16>(0)
            | self.differs.val().get_bits::<16>(16)
            | self.differs.val().get_bits::<16>(32)
            | self.differs.val().get_bits::<16>(48);
        self.node.next = self.entry.val().source_node ^ self.message.val().source_node;
        if self.entry.val().any_node == 1 {
            self.node.next = 0.into();
        }
        self.source.next = self.node.val().get_bits::<8>(0) | self.node.val().get_bits::<8>(8);
        self.tenant.next = self.entry.val().source_context ^ self.message.val().source_context;
        if self.entry.val().any_context == 1 {
            self.tenant.next = 0.into();
        }
        self.wide_folded.next = bit_cast::<32, 16>(self.folded.val());
        self.wide_source.next = bit_cast::<32, 8>(self.source.val());
        self.wide_context.next = bit_cast::<32, 8>(self.tenant.val());
        self.differs_q.d.next = (self.wide_context.val() << 24)
            | (self.wide_source.val() << 16)
            | self.wide_folded.val();
        self.need_low.next = self.message.val().end_low;
        self.need_high.next = self.message.val().end_high;
        if self.entry.val().manage_local == 1 {
            self.need_low.next = self.message.val().length;
            self.need_high.next = 0.into();
        }
        self.room_low.next = self.room.val().get_bits::<32>(0);
        self.short_q.d.next = self.room_low.val() < self.need_low.val();
        self.room_high_q.d.next = bit_cast::<33, 32>(self.room.val().get_bits::<32>(32));
        self.need_high_q.d.next = self.need_high.val();
        self.no_truncate_q.d.next = self.entry.val().no_truncate == 1;

        // Second cycle.
        self.too_long.next = (self.room_high_q.q.val() < self.need_high_q.q.val())
            | (self.short_q.q.val() & (self.room_high_q.q.val() == self.need_high_q.q.val()));
        self.hit.next =
            !self.differs_q.q.val().any() & !(self.no_truncate_q.q.val() & self.too_long.val());
    }
}
