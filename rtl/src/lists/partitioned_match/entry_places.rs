//! `EntryPlaces`: in which match unit an entry is linked, and how many headers need it in all of them.
//!
//! **Purpose.** What no match unit of a [`PartitionedMatch`](super::PartitionedMatch) knows by itself: whether a number
//! is in use in another, and whether an overflow entry, which all of them have, is needed anywhere.
//!
//! ```text
//!   look_at   -->+-------------+--> linked, everywhere, part   (a cycle later)
//!   id        -->| EntryPlaces |--> needed
//!   link, ... -->|             |
//!   clear     -->+-------------+
//! ```
//!
//! **Contract.** At most one of `link`, `unlink`, `keep` and `drop` in a cycle; it changes entry `id`. Without them the
//! outputs are those of `look_at` a cycle later, after all changes until then. `clear` empties `clear_index`; reset
//! does not.
//!
//! **Internals.** Two memories that are read in the cycle of a change and written in the next one: one has {part 2,
//! everywhere, linked}, the other the number of headers.

use crate::leaf::{Delay, ForwardRam};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// The places of `2^E` entries, by {id, context 2}.
#[block]
pub struct EntryPlaces<const E: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; the contents stay.
    pub rst: Signal<In, Bit>,
    /// Entry whose place is wanted.
    pub look_at: Signal<In, Bits<E>>,
    /// A cycle later: it is linked.
    pub linked: Signal<Out, Bit>,
    /// With `linked`: in all units.
    pub everywhere: Signal<Out, Bit>,
    /// With `linked`: else in the unit of this number.
    pub part: Signal<Out, Bits<2>>,
    /// Headers need it.
    pub needed: Signal<Out, Bit>,
    /// Entry that changes.
    pub id: Signal<In, Bits<E>>,
    /// It is linked.
    pub link: Signal<In, Bit>,
    /// With `link`: in the unit of this number.
    pub link_part: Signal<In, Bits<2>>,
    /// With `link`: in all of them.
    pub link_everywhere: Signal<In, Bit>,
    /// It is unlinked.
    pub unlink: Signal<In, Bit>,
    /// Another header needs it.
    pub keep: Signal<In, Bit>,
    /// A header less does.
    pub drop: Signal<In, Bit>,
    /// Empty the place of an entry.
    pub clear: Signal<In, Bit>,
    /// Which.
    pub clear_index: Signal<In, Bits<E>>,
    states: ForwardRam<Bits<4>, E>,
    headers: ForwardRam<Bits<13>, E>,
    id_q: Delay<Bits<E>>,
    state_q: Delay<Bits<4>>,
    moves_q: Delay<Bit>,
    keep_q: Delay<Bit>,
    drop_q: Delay<Bit>,
    changes: Signal<Local, Bit>,
    read: Signal<Local, Bits<E>>,
    all: Signal<Local, Bits<1>>,
    state: Signal<Local, Bits<4>>,
}

#[kernel]
impl<const E: usize> Logic for EntryPlaces<E> {
    fn update(&mut self) {
        self.changes.next = self.link.val() | self.unlink.val() | self.keep.val() | self.drop.val();
        self.read.next = self.look_at.val();
        if self.changes.val() {
            self.read.next = self.id.val();
        }
        self.states.read_addr.next = self.read.val();
        self.headers.read_addr.next = self.read.val();
        self.linked.next = self.states.read_data.val().get_bit(0);
        self.everywhere.next = self.states.read_data.val().get_bit(1);
        self.part.next = self.states.read_data.val().get_bits::<2>(2);
        self.needed.next = self.headers.read_data.val().any();

        // A change is written in the cycle after.
        self.all.next = self.link_everywhere.val().into();
        self.state.next = 0.into();
        if self.link.val() {
            self.state.next = (bit_cast::<4, 2>(self.link_part.val()) << 2)
                | (bit_cast::<4, 1>(self.all.val()) << 1)
                | 1;
        }
        self.id_q.d.next = self.id.val();
        self.state_q.d.next = self.state.val();
        self.moves_q.d.next = self.link.val() | self.unlink.val();
        self.keep_q.d.next = self.keep.val();
        self.drop_q.d.next = self.drop.val();
        self.states.write_addr.next = self.id_q.q.val();
        self.states.write_en.next = self.moves_q.q.val();
        self.states.write_data.next = self.state_q.q.val();
        self.headers.write_addr.next = self.id_q.q.val();
        self.headers.write_en.next = self.keep_q.q.val() | self.drop_q.q.val();
        self.headers.write_data.next = self.headers.read_data.val() + 1;
        if self.drop_q.q.val() {
            self.headers.write_data.next = self.headers.read_data.val() - 1;
        }
        if self.clear.val() {
            self.states.write_addr.next = self.clear_index.val();
            self.states.write_en.next = true;
            self.states.write_data.next = 0.into();
            self.headers.write_addr.next = self.clear_index.val();
            self.headers.write_en.next = true;
            self.headers.write_data.next = 0.into();
        }
    }
}
