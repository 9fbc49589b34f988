//! `AppendFill`: how far the buffer of an entry that is appended is filled, and what the headers it takes change in it.
//!
//! **Purpose.** An entry begins with an empty buffer. If it counts the headers it takes (LOCAL_INC_UH_RLENGTH) each
//! moves the offset by the length its message had.
//!
//! ```text
//!   length, min_free -->+------------+--> fill
//!   has_min_free     -->| AppendFill |--> spent
//!   start            -->|            |
//!   take, taken      -->+------------+
//! ```
//!
//! **Contract.** `start`: from the next cycle on `fill` is that of an empty buffer of `length` bytes. `take`: `taken`
//! more bytes are filled; the room stops at 0. `spent` says in the same cycle whether fewer than `min_free` bytes would
//! be left after `taken`; only with `has_min_free`.
//!
//! **Internals.** Three subtractions of 65 bits, whose highest bit is the borrow, and a sum that cannot overflow:
//! headers are fewer than 2^32.

use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::match_lists::EntryFill;

/// The fill of one entry.
#[block]
pub struct AppendFill {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Length of the buffer.
    pub length: Signal<In, Bits<64>>,
    /// The entry is used up when fewer bytes are left.
    pub min_free: Signal<In, Bits<64>>,
    /// It is, if so many are asked for at all.
    pub has_min_free: Signal<In, Bit>,
    /// Begin with an empty buffer.
    pub start: Signal<In, Bit>,
    /// A header is taken.
    pub take: Signal<In, Bit>,
    /// Length that its message had.
    pub taken: Signal<In, Bits<32>>,
    /// The fill.
    pub fill: Signal<Out, EntryFill>,
    /// After `taken` too little is left.
    pub spent: Signal<Out, Bit>,
    offset_q: Reg<Bits<64>>,
    room_q: Reg<Bits<64>>,
    spare_q: Reg<Bits<64>>,
    full_q: Reg<Bit>,
    length_65: Signal<Local, Bits<65>>,
    min_free_65: Signal<Local, Bits<65>>,
    first_spare: Signal<Local, Bits<65>>,
    taken_65: Signal<Local, Bits<65>>,
    room_left: Signal<Local, Bits<65>>,
    spare_left: Signal<Local, Bits<65>>,
    changes: Signal<Local, Bit>,
}

#[kernel]
impl Logic for AppendFill {
    fn update(&mut self) {
        self.length_65.next = bit_cast::<65, 64>(self.length.val());
        self.min_free_65.next = bit_cast::<65, 64>(self.min_free.val());
        self.first_spare.next = self.length_65.val() - self.min_free_65.val();
        self.taken_65.next = bit_cast::<65, 32>(self.taken.val());
        self.room_left.next = bit_cast::<65, 64>(self.room_q.q.val()) - self.taken_65.val();
        self.spare_left.next = bit_cast::<65, 64>(self.spare_q.q.val()) - self.taken_65.val();
        self.spent.next =
            self.has_min_free.val() & (self.full_q.q.val() | self.spare_left.val().get_bit(64));

        self.changes.next = self.start.val() | self.take.val();
        self.offset_q.d.next = self.offset_q.q.val() + bit_cast::<64, 32>(self.taken.val());
        self.offset_q.en.next = self.changes.val();
        self.room_q.d.next = self.room_left.val().get_bits::<64>(0);
        if self.room_left.val().get_bit(64) {
            self.room_q.d.next = 0.into();
        }
        self.room_q.en.next = self.changes.val();
        self.spare_q.d.next = self.spare_left.val().get_bits::<64>(0);
        self.spare_q.en.next = self.changes.val();
        self.full_q.d.next = self.full_q.q.val() | self.spare_left.val().get_bit(64);
        self.full_q.en.next = self.changes.val();
        if self.start.val() {
            self.offset_q.d.next = 0.into();
            self.room_q.d.next = self.length.val();
            self.spare_q.d.next = self.first_spare.val().get_bits::<64>(0);
            self.full_q.d.next = self.first_spare.val().get_bit(64);
        }

        self.fill.next.offset = self.offset_q.q.val();
        self.fill.next.room = self.room_q.q.val();
        self.fill.next.spare = self.spare_q.q.val();
        self.fill.next.full = self.full_q.q.val().into();
    }
}
