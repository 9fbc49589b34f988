//! `LookupTags`: which table entries are in the lookup cache, and where.
//!
//! **Purpose.** Tags, valid bits and victim choice of [`LookupCache`](super::lookup_cache::LookupCache). It holds no
//! entry: `place` addresses the memory that does. Not a general cache directory: one operation a cycle, no dirty lines.
//!
//! ```text
//!                 +------------+
//!   key        -->|            |--> hit     (same cycle)
//!   fill       -->| LookupTags |--> place   {way 2, set 4}, same cycle
//!   invalidate -->|            |
//!                 +------------+
//! ```
//!
//! **Contract.** `key` is {context 2 (top), kind 2, index 16}. `hit` says that its line is held and `place` where, else
//! where it would go. With `fill` (only for a key that is not held) it goes there, and is held from the next edge on.
//! With `invalidate` the line, if held, is not held from the next edge on. Reset forgets all lines.
//!
//! **Internals.** Four ways of 16 sets. The set is `index(3:0)` xor `{kind, context}`, so that entry *i* of the three
//! tables and of the four contexts lie in different sets. A tag is the key without `index(3:0)`, which follow from the
//! set. Tags are in [`LutRam`]s, valid bits in registers. A line goes to the lowest way that is free, else to the way
//! that is the set's turn (round robin).

use crate::leaf::{LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Tags of a 4-way cache of 16 sets.
#[block]
pub struct LookupTags {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; forgets all lines.
    pub rst: Signal<In, Bit>,
    /// Line asked for: {context 2, kind 2, index 16}.
    pub key: Signal<In, Bits<20>>,
    /// Hold `key` at `place` from this edge on.
    pub fill: Signal<In, Bit>,
    /// Forget `key` at this edge.
    pub invalidate: Signal<In, Bit>,
    /// `key` is held.
    pub hit: Signal<Out, Bit>,
    /// {way, set}: where `key` is held, else where it would go.
    pub place: Signal<Out, Bits<6>>,
    tags: [LutRam<Bits<16>, 4>; 4],
    valid_q: [Reg<Bits<16>>; 4],
    turn: LutRam<Bits<2>, 4>,
    // From the last way to the first, so that the lowest free way is the one found last.
    #[value([3u64, 2, 1, 0].map(|way| Constant::new(way.to_bits())).to_vec())]
    ways: Vec<Constant<Bits<2>>>,
    #[value(1u64.to_bits())]
    one: Constant<Bits<16>>,
    mix_kind: Signal<Local, Bits<4>>,
    mix_context: Signal<Local, Bits<4>>,
    set: Signal<Local, Bits<4>>,
    set_mask: Signal<Local, Bits<16>>,
    tag: Signal<Local, Bits<16>>,
    present: Signal<Local, Bits<4>>,
    held: Signal<Local, Bits<4>>,
    full: Signal<Local, Bit>,
    hit_way: Signal<Local, Bits<2>>,
    victim: Signal<Local, Bits<2>>,
    way: Signal<Local, Bits<2>>,
    wide_way: Signal<Local, Bits<6>>,
    wide_set: Signal<Local, Bits<6>>,
}

#[kernel]
impl Logic for LookupTags {
    fn update(&mut self) {
        self.mix_context.next = bit_cast::<4, 2>(self.key.val().get_bits::<2>(18));
        self.mix_kind.next = bit_cast::<4, 2>(self.key.val().get_bits::<2>(16));
        self.set.next =
            self.key.val().get_bits::<4>(0) ^ self.mix_context.val() ^ (self.mix_kind.val() << 2);
        self.set_mask.next = self.one.val() << self.set.val();

        // Which way holds the key, and which one a new line would take.
        self.turn.read_addr.next = self.set.val();
        self.tag.next = self.key.val().get_bits::<16>(4);
        self.present.next = 0.into();
        self.held.next = 0.into();
        self.full.next = true;
        self.hit_way.next = 0.into();
        self.victim.next = self.turn.read_data.val();
        for i in 0..4 {
            self.tags[i].read_addr.next = self.set.val();
            self.present.next = self
                .present
                .val()
                .replace_bit(i, (self.valid_q[i].q.val() & self.set_mask.val()).any());
            self.held.next = self.held.val().replace_bit(
                i,
                self.present.val().get_bit(i) & (self.tags[i].read_data.val() == self.tag.val()),
            );
            if !self.present.val().get_bit(i) {
                self.full.next = false;
                self.victim.next = self.ways[i].val();
            }
            // One at most holds it.
            if self.held.val().get_bit(i) {
                self.hit_way.next = self.hit_way.val() | self.ways[i].val();
            }
        }
        self.way.next = self.hit_way.val();
        if !self.held.val().any() {
            self.way.next = self.victim.val();
        }
        self.wide_way.next = bit_cast::<6, 2>(self.way.val());
        self.wide_set.next = bit_cast::<6, 4>(self.set.val());
        self.place.next = (self.wide_way.val() << 4) | self.wide_set.val();
        self.hit.next = self.held.val().any();

        // What changes at the edge.
        for i in 0..4 {
            self.tags[i].write_addr.next = self.set.val();
            self.tags[i].write_data.next = self.tag.val();
            self.tags[i].write_en.next = false;
            self.valid_q[i].en.next = false;
            self.valid_q[i].d.next = self.valid_q[i].q.val() | self.set_mask.val();
            if self.fill.val() & (self.victim.val() == self.ways[i].val()) {
                self.tags[i].write_en.next = true;
                self.valid_q[i].en.next = true;
            }
            if self.invalidate.val() & self.held.val().get_bit(i) {
                self.valid_q[i].d.next = self.valid_q[i].q.val() & !self.set_mask.val();
                self.valid_q[i].en.next = true;
            }
        }
        self.turn.write_addr.next = self.set.val();
        self.turn.write_data.next = self.turn.read_data.val() + 1;
        self.turn.write_en.next = self.fill.val() & self.full.val();
    }
}
