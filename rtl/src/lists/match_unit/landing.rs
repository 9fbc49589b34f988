//! `Landing`: where a message lands in a buffer, how much of it moves, and how far the buffer is filled then.
//!
//! **Purpose.** All arithmetic of lengths and offsets of a decision. What becomes of the message is decided by
//! [`MatchSettle`](super::match_settle::MatchSettle), which it is part of.
//!
//! ```text
//!   test, xtq           -->+---------+--> tested
//!   facts, fill         -->|         |--> exceeds, over     (after tested)
//!   length, wanted,     -->| Landing |--> offset, mlength   (after tested)
//!   remote_offset       -->|         |--> new_fill          (after tested)
//!                          +---------+
//! ```
//!
//! **Contract.** `test` is up from the first cycle in which the inputs are valid until that of `tested`; that is the
//! same cycle, or the next one for an XTQ put. The outputs are valid from the cycle after `tested` until the next
//! `test`, while `facts` and the request stay. `exceeds`: a buffer that keeps the offset and does not truncate is too
//! small. `over`: fewer than `min_free` bytes are left after this message.
//!
//! **Internals.** Lengths of buffers are 64 bits wide but those of messages 32, so comparisons are a carry chain of 33
//! bits and a test of the rest for zero. `room` is what is left after the offset, `spare` what may come before fewer
//! than `min_free` are left; both only decrease:
//! ```text
//!   test     low_q, high_q := (room or length) - (pad or offset asked for), in halves;   over_q := need > spare;   exceeds_q := length + pad > room
//!   after    mlength := min(low, wanted), 0 if negative;   offset + need, room - need, spare - need, or full
//! ```
//! `need` is `wanted` and the pad up to the next multiple of 64 that an XTQ put leaves in a buffer that keeps the
//! offset, added in a cycle of its own. The high half is not reduced by the borrow of the low one: it is compared with
//! it.

use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::match_lists::{EntryFacts, EntryFill};

/// The arithmetic of one message.
#[block]
pub struct Landing {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Work on the inputs.
    pub test: Signal<In, Bit>,
    /// It is an XTQ put.
    pub xtq: Signal<In, Bit>,
    /// This is the last cycle of `test`.
    pub tested: Signal<Out, Bit>,
    /// Facts of the entry.
    pub facts: Signal<In, EntryFacts>,
    /// Its fill.
    pub fill: Signal<In, EntryFill>,
    /// Length asked for in bytes.
    pub length: Signal<In, Bits<32>>,
    /// Bytes of it that may move.
    pub wanted: Signal<In, Bits<32>>,
    /// Offset asked for.
    pub remote_offset: Signal<In, Bits<64>>,
    /// It does not fit after the offset kept, and must.
    pub exceeds: Signal<Out, Bit>,
    /// Too little is left after it.
    pub over: Signal<Out, Bit>,
    /// Where it lands.
    pub offset: Signal<Out, Bits<64>>,
    /// Bytes that move.
    pub mlength: Signal<Out, Bits<32>>,
    /// Fill after it.
    pub new_fill: Signal<Out, EntryFill>,

    padded_q: Delay<Bit>,
    pad_q: Reg<Bits<6>>,
    need_q: Reg<Bits<33>>,
    asked_q: Reg<Bits<33>>,
    low_q: Reg<Bits<33>>,
    high_q: Reg<Bits<33>>,
    over_q: Reg<Bit>,
    exceeds_q: Reg<Bit>,
    offset_q: Reg<Bits<64>>,
    room_q: Reg<Bits<64>>,
    spare_q: Reg<Bits<64>>,
    last_test: Signal<Local, Bit>,
    options: Signal<Local, Bits<20>>,
    is_local: Signal<Local, Bit>,
    low_offset: Signal<Local, Bits<6>>,
    new_pad: Signal<Local, Bits<6>>,
    wide_pad: Signal<Local, Bits<33>>,
    wide_want: Signal<Local, Bits<33>>,
    wide_length: Signal<Local, Bits<33>>,
    need: Signal<Local, Bits<33>>,
    asked: Signal<Local, Bits<33>>,
    from: Signal<Local, Bits<64>>,
    take: Signal<Local, Bits<64>>,
    from_low: Signal<Local, Bits<33>>,
    from_high: Signal<Local, Bits<33>>,
    take_low: Signal<Local, Bits<33>>,
    take_high: Signal<Local, Bits<33>>,
    spare: Signal<Local, Bits<64>>,
    room: Signal<Local, Bits<64>>,
    too_much: Signal<Local, Bit>,
    borrow: Signal<Local, Bit>,
    some_upper: Signal<Local, Bit>,
    odd: Signal<Local, Bit>,
    low: Signal<Local, Bits<32>>,
    beyond: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    long_need: Signal<Local, Bits<64>>,
}

#[kernel]
impl Logic for Landing {
    fn update(&mut self) {
        // The pad of an XTQ put, in a cycle of its own.
        self.last_test.next = self.test.val() & (!self.xtq.val() | self.padded_q.q.val());
        self.tested.next = self.last_test.val();
        self.options.next = self.facts.val().options;
        self.is_local.next = self.options.val().get_bit(16);
        self.low_offset.next = self.fill.val().offset.get_bits::<6>(0);
        self.new_pad.next = 0.into();
        if self.is_local.val() & self.test.val() {
            self.new_pad.next = !self.low_offset.val() + 1;
        }
        self.padded_q.d.next = self.test.val() & self.xtq.val();
        self.pad_q.d.next = 0.into();
        if self.xtq.val() {
            self.pad_q.d.next = self.new_pad.val();
        }
        self.pad_q.en.next = self.test.val() & !self.padded_q.q.val();
        self.wide_pad.next = bit_cast::<33, 6>(self.new_pad.val());
        self.wide_want.next = bit_cast::<33, 32>(self.wanted.val());
        self.wide_length.next = bit_cast::<33, 32>(self.length.val());
        self.need.next = self.wide_want.val();
        self.asked.next = self.wide_length.val();
        if self.padded_q.q.val() {
            self.need.next = self.need_q.q.val();
            self.asked.next = self.asked_q.q.val();
        }
        self.need_q.d.next = self.need.val();
        if self.xtq.val() & !self.padded_q.q.val() {
            self.need_q.d.next = self.wide_want.val() + self.wide_pad.val();
        }
        self.need_q.en.next = self.test.val();
        self.asked_q.d.next = self.wide_length.val() + self.wide_pad.val();
        self.asked_q.en.next = self.test.val() & !self.padded_q.q.val();

        // Differences and comparisons.
        self.room.next = self.fill.val().room;
        self.spare.next = self.fill.val().spare;
        self.from.next = self.facts.val().length;
        self.take.next = self.remote_offset.val();
        if self.is_local.val() {
            self.from.next = self.room.val();
            self.take.next = 0.into();
            if self.padded_q.q.val() {
                self.take.next = bit_cast::<64, 6>(self.pad_q.q.val());
            }
        }
        self.from_low.next = bit_cast::<33, 32>(self.from.val().get_bits::<32>(0));
        self.from_high.next = bit_cast::<33, 32>(self.from.val().get_bits::<32>(32));
        self.take_low.next = bit_cast::<33, 32>(self.take.val().get_bits::<32>(0));
        self.take_high.next = bit_cast::<33, 32>(self.take.val().get_bits::<32>(32));
        self.low_q.d.next = self.from_low.val() - self.take_low.val();
        self.low_q.en.next = self.last_test.val();
        self.high_q.d.next = self.from_high.val() - self.take_high.val();
        self.high_q.en.next = self.last_test.val();
        self.too_much.next = (self.fill.val().full == 1)
            | (!self.spare.val().get_bits::<31>(33).any()
                & (self.spare.val().get_bits::<33>(0) < self.need.val()));
        self.over_q.d.next =
            self.is_local.val() & (self.facts.val().has_min_free == 1) & self.too_much.val();
        self.over_q.en.next = self.last_test.val();
        self.exceeds_q.d.next = self.is_local.val()
            & self.options.val().get_bit(17)
            & !self.room.val().get_bits::<31>(33).any()
            & (self.room.val().get_bits::<33>(0) < self.asked.val());
        self.exceeds_q.en.next = self.last_test.val();
        self.offset_q.d.next = self.fill.val().offset;
        self.offset_q.en.next = self.last_test.val();
        self.room_q.d.next = self.room.val();
        self.room_q.en.next = self.last_test.val();
        self.spare_q.d.next = self.spare.val();
        self.spare_q.en.next = self.last_test.val();
        self.exceeds.next = self.exceeds_q.q.val();
        self.over.next = self.over_q.q.val();

        // After the test: what moves, and where to.
        self.borrow.next = self.low_q.q.val().get_bit(32);
        self.some_upper.next = self.high_q.q.val().get_bits::<31>(1).any();
        self.odd.next = self.high_q.q.val().get_bit(0);
        self.low.next = self.low_q.q.val().get_bits::<32>(0);
        self.beyond.next = self.high_q.q.val().get_bit(32)
            | (self.borrow.val() & !self.some_upper.val() & !self.odd.val());
        self.fits.next = !self.beyond.val()
            & (self.some_upper.val()
                | (self.odd.val() ^ self.borrow.val())
                | (self.low.val() >= self.wanted.val()));
        self.mlength.next = 0.into();
        if self.fits.val() {
            self.mlength.next = self.wanted.val();
        } else if !self.beyond.val() {
            self.mlength.next = self.low.val();
        }
        self.offset.next = self.remote_offset.val();
        if self.is_local.val() {
            self.offset.next = self.offset_q.q.val() + bit_cast::<64, 6>(self.pad_q.q.val());
        }

        // The fill after it; of a message that does not fit, that of a full buffer.
        self.long_need.next = bit_cast::<64, 33>(self.need_q.q.val());
        self.new_fill.next.offset = self.offset_q.q.val();
        self.new_fill.next.room = 0.into();
        self.new_fill.next.spare = self.spare_q.q.val() - self.long_need.val();
        self.new_fill.next.full = self.fill.val().full;
        if self.fits.val() {
            self.new_fill.next.offset = self.offset_q.q.val() + self.long_need.val();
            self.new_fill.next.room = self.room_q.q.val() - self.long_need.val();
        } else if self.room_q.q.val().any() {
            self.new_fill.next.offset = self.facts.val().length;
        }
    }
}
