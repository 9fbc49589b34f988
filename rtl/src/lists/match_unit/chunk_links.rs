//! `ChunkLinks`: many lists in chunks of four slots: which chunk follows which, and which slots are in use.
//!
//! **Purpose.** Lists that are searched four slots a cycle, in the order of appending, and from which anything may be
//! removed. What is in a slot is kept elsewhere ([`ChunkBanks`](super::chunk_banks::ChunkBanks)).
//!
//! ```text
//!   head_of  -->+------------+--> head, some     (same cycle)
//!   other_of -->|            |--> other_head, other_some (same cycle)
//!   next_of  -->|            |--> behind, more     (same cycle)
//!   slots_of -->|            |--> slots          (same cycle)
//!   list     -->|            |--> listed         (same cycle)
//!   list, chunk,|            |
//!   slot     -->| ChunkLinks |--> place_chunk, place_slot
//!   look     -->|            |      (the cycle after look)
//!   append   -->|            |
//!   remove   -->|            |
//!   clear    -->|            |
//!               +------------+
//! ```
//!
//! **Contract.** A change takes two cycles: `look` with `list` (and, to remove, `chunk` and `slot`), then, in any later
//! cycle without another change between, `append` or `remove` with the same `list`, `chunk` and `slot`. `append` puts a
//! slot after the list's last one, at `place_*`. `remove` takes out one that is in use. A `look` may follow in the
//! cycle after. There are as many chunks as elements may exist at a time; who appends sees to it that there are not
//! more, and so there is always a chunk. A chunk that becomes empty leaves its list at once, but its `next` keeps its
//! value until an append takes the chunk. Who walks a list may stand on a chunk that is removed meanwhile, as long as
//! nothing is appended. `clear` makes list `clear_list` empty; reset frees all chunks, so each list must be cleared
//! then.
//!
//! **Internals.** Doubly chained. Slots are used in order and a hole is not filled, so a list is in the order of its
//! slots. As the number of chunks in use is at most that of elements, holes cost search time but never room. Tables
//! that are read twice in a cycle exist twice. The word of a new chunk in `nexts` is written a cycle after the append,
//! because that of the chunk before it is written with it. No other change is made in that cycle, as each has its
//! `look` after this one. A removal is known late, so it only enables that write: its address and word are there unless
//! an append's are. A list whose last chunk is removed takes a new chunk for the next element. `N` must be `C + 1`.

use crate::leaf::{Delay, LutRam, NumberPool, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// `2^L` lists in `2^C` chunks of four slots; `N` = `C + 1`.
#[block]
pub struct ChunkLinks<const C: usize, const N: usize, const L: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; frees all chunks.
    pub rst: Signal<In, Bit>,
    /// Make a list empty.
    pub clear: Signal<In, Bit>,
    /// The list.
    pub clear_list: Signal<In, Bits<L>>,

    /// List to walk.
    pub head_of: Signal<In, Bits<L>>,
    /// Its first chunk.
    pub head: Signal<Out, Bits<C>>,
    /// It is not empty.
    pub some: Signal<Out, Bit>,
    /// Another list to walk.
    pub other_of: Signal<In, Bits<L>>,
    /// Its first chunk.
    pub other_head: Signal<Out, Bits<C>>,
    /// It is not empty.
    pub other_some: Signal<Out, Bit>,
    /// Chunk to walk on from.
    pub next_of: Signal<In, Bits<C>>,
    /// Chunk after it.
    pub behind: Signal<Out, Bits<C>>,
    /// There is one.
    pub more: Signal<Out, Bit>,
    /// Chunk whose slots are wanted.
    pub slots_of: Signal<In, Bits<C>>,
    /// Slots in use.
    pub slots: Signal<Out, Bits<4>>,

    /// Prepare a change.
    pub look: Signal<In, Bit>,
    /// List to change.
    pub list: Signal<In, Bits<L>>,
    /// `list` is not empty.
    pub listed: Signal<Out, Bit>,
    /// To remove: chunk.
    pub chunk: Signal<In, Bits<C>>,
    /// To remove: slot.
    pub slot: Signal<In, Bits<2>>,
    /// Append an element.
    pub append: Signal<In, Bit>,
    /// Chunk that `append` puts it in.
    pub place_chunk: Signal<Out, Bits<C>>,
    /// Slot that `append` puts it in.
    pub place_slot: Signal<Out, Bits<2>>,
    /// Remove an element.
    pub remove: Signal<In, Bit>,

    pool: NumberPool<C, N>,
    heads: LutRam<Bits<C>, L>,
    somes: LutRam<Bit, L>,
    other_heads: LutRam<Bits<C>, L>,
    other_somes: LutRam<Bit, L>,
    tails: LutRam<Bits<C>, L>,
    /// Slots of the last chunk that were given out: 0 for an empty list, to 4.
    fills: LutRam<Bits<3>, L>,
    /// {there is one, chunk after}, to walk and to change.
    nexts: [LutRam<Bits<N>, C>; 2],
    /// {there is one, chunk before}.
    previous: LutRam<Bits<N>, C>,
    /// Slot in use, to walk (0 to 3) and to change (4 to 7).
    uses: [LutRam<Bit, C>; 8],
    fill_q: Reg<Bits<3>>,
    tail_q: Reg<Bits<C>>,
    next_q: Reg<Bits<N>>,
    previous_q: Reg<Bits<N>>,
    others_q: Reg<Bits<4>>,
    /// The chunk whose word in `nexts` is to be written.
    new_q: Reg<Bits<C>>,
    is_new_q: Delay<Bit>,
    fresh: Signal<Local, Bit>,
    slot_hot: Signal<Local, Bits<4>>,
    slot_one: Signal<Local, Bits<4>>,
    empties: Signal<Local, Bit>,
    has_next: Signal<Local, Bit>,
    has_previous: Signal<Local, Bit>,
    place: Signal<Local, Bits<C>>,
    place_hot: Signal<Local, Bits<4>>,
    place_slot_now: Signal<Local, Bits<2>>,
    walk_word: Signal<Local, Bits<N>>,
    used: Signal<Local, Bits<4>>,
    #[value((1u64 << C).to_bits())]
    link_bit: Constant<Bits<N>>,
}

#[kernel]
impl<const C: usize, const N: usize, const L: usize> Logic for ChunkLinks<C, N, L> {
    fn update(&mut self) {
        // To walk.
        self.heads.read_addr.next = self.head_of.val();
        self.head.next = self.heads.read_data.val();
        self.somes.read_addr.next = self.head_of.val();
        self.some.next = self.somes.read_data.val();
        self.other_heads.read_addr.next = self.other_of.val();
        self.other_head.next = self.other_heads.read_data.val();
        self.other_somes.read_addr.next = self.other_of.val();
        self.other_some.next = self.other_somes.read_data.val();
        self.nexts[0].read_addr.next = self.next_of.val();
        self.walk_word.next = self.nexts[0].read_data.val();
        self.behind.next = self.walk_word.val().get_bits::<C>(0);
        self.more.next = (self.walk_word.val() & self.link_bit.val()).any();
        self.slots.next = bit_cast::<4, 1>(self.uses[0].read_data.val().into())
            | (bit_cast::<4, 1>(self.uses[1].read_data.val().into()) << 1)
            | (bit_cast::<4, 1>(self.uses[2].read_data.val().into()) << 2)
            | (bit_cast::<4, 1>(self.uses[3].read_data.val().into()) << 3);

        // To look.
        self.tails.read_addr.next = self.list.val();
        self.fills.read_addr.next = self.list.val();
        self.listed.next = self.fills.read_data.val().any();
        self.nexts[1].read_addr.next = self.chunk.val();
        self.previous.read_addr.next = self.chunk.val();
        self.used.next = bit_cast::<4, 1>(self.uses[4].read_data.val().into())
            | (bit_cast::<4, 1>(self.uses[5].read_data.val().into()) << 1)
            | (bit_cast::<4, 1>(self.uses[6].read_data.val().into()) << 2)
            | (bit_cast::<4, 1>(self.uses[7].read_data.val().into()) << 3);
        self.slot_one.next = 1.into();
        self.slot_hot.next = self.slot_one.val() << self.slot.val();
        self.fill_q.d.next = self.fills.read_data.val();
        self.fill_q.en.next = self.look.val();
        self.tail_q.d.next = self.tails.read_data.val();
        self.tail_q.en.next = self.look.val();
        self.next_q.d.next = self.nexts[1].read_data.val();
        self.next_q.en.next = self.look.val();
        self.previous_q.d.next = self.previous.read_data.val();
        self.previous_q.en.next = self.look.val();
        self.others_q.d.next = self.used.val() & !self.slot_hot.val();
        self.others_q.en.next = self.look.val();

        // Where an element is appended.
        self.fresh.next = !self.fill_q.q.val().any() | (self.fill_q.q.val() == 4);
        self.place.next = self.tail_q.q.val();
        self.place_slot_now.next = self.fill_q.q.val().get_bits::<2>(0);
        if self.fresh.val() {
            self.place.next = self.pool.number.data.val();
            self.place_slot_now.next = 0.into();
        }
        self.place_chunk.next = self.place.val();
        self.place_slot.next = self.place_slot_now.val();
        self.place_hot.next = self.slot_one.val() << self.place_slot_now.val();

        // What a removal leaves.
        self.empties.next = !self.others_q.q.val().any();
        self.has_next.next = (self.next_q.q.val() & self.link_bit.val()).any();
        self.has_previous.next = (self.previous_q.q.val() & self.link_bit.val()).any();

        // The lists: first and last chunk.
        self.heads.write_addr.next = self.list.val();
        self.heads.write_data.next = self.place.val();
        self.heads.write_en.next = self.append.val() & !self.fill_q.q.val().any();
        self.somes.write_addr.next = self.list.val();
        self.somes.write_data.next = true;
        self.somes.write_en.next = self.append.val();
        self.tails.write_addr.next = self.list.val();
        self.tails.write_data.next = self.place.val();
        self.tails.write_en.next = self.append.val();
        self.fills.write_addr.next = self.list.val();
        self.fills.write_data.next = self.fill_q.q.val() + 1;
        if self.fresh.val() {
            self.fills.write_data.next = 1.into();
        }
        self.fills.write_en.next = self.append.val();
        if self.remove.val() {
            self.heads.write_data.next = self.next_q.q.val().get_bits::<C>(0);
            self.heads.write_en.next = self.empties.val() & !self.has_previous.val();
            self.somes.write_data.next = self.has_next.val();
            self.somes.write_en.next = self.empties.val() & !self.has_previous.val();
            self.tails.write_data.next = self.previous_q.q.val().get_bits::<C>(0);
            self.tails.write_en.next = self.empties.val() & !self.has_next.val();
            self.fills.write_data.next = 0.into();
            if self.has_previous.val() {
                self.fills.write_data.next = 4.into();
            }
            self.fills.write_en.next = self.empties.val() & !self.has_next.val();
        }
        if self.clear.val() {
            self.somes.write_addr.next = self.clear_list.val();
            self.somes.write_data.next = false;
            self.somes.write_en.next = true;
            self.fills.write_addr.next = self.clear_list.val();
            self.fills.write_data.next = 0.into();
            self.fills.write_en.next = true;
        }
        self.other_heads.write_addr.next = self.heads.write_addr.val();
        self.other_heads.write_data.next = self.heads.write_data.val();
        self.other_heads.write_en.next = self.heads.write_en.val();
        self.other_somes.write_addr.next = self.somes.write_addr.val();
        self.other_somes.write_data.next = self.somes.write_data.val();
        self.other_somes.write_en.next = self.somes.write_en.val();

        // The chain. `nexts` of a new chunk is written a cycle later.
        self.new_q.d.next = self.place.val();
        self.new_q.en.next = self.append.val();
        self.is_new_q.d.next = self.append.val() & self.fresh.val();
        self.previous.write_addr.next = self.place.val();
        self.previous.write_data.next = 0.into();
        if self.fill_q.q.val().any() {
            self.previous.write_data.next =
                bit_cast::<N, C>(self.tail_q.q.val()) | self.link_bit.val();
        }
        self.previous.write_en.next = self.append.val() & self.fresh.val();
        for i in 0..2 {
            self.nexts[i].write_addr.next = self.previous_q.q.val().get_bits::<C>(0);
            self.nexts[i].write_data.next = self.next_q.q.val();
            self.nexts[i].write_en.next =
                (self.remove.val() & self.empties.val() & self.has_previous.val())
                    | (self.append.val() & (self.fill_q.q.val() == 4))
                    | self.is_new_q.q.val();
            if self.is_new_q.q.val() {
                self.nexts[i].write_addr.next = self.new_q.q.val();
                self.nexts[i].write_data.next = 0.into();
            } else if self.append.val() {
                self.nexts[i].write_addr.next = self.tail_q.q.val();
                self.nexts[i].write_data.next =
                    bit_cast::<N, C>(self.place.val()) | self.link_bit.val();
            }
        }
        if self.remove.val() {
            self.previous.write_addr.next = self.next_q.q.val().get_bits::<C>(0);
            self.previous.write_data.next = self.previous_q.q.val();
            self.previous.write_en.next = self.empties.val() & self.has_next.val();
        }
        self.pool.take.next = self.append.val() & self.fresh.val();
        self.pool.freed.data.next = self.chunk.val();
        self.pool.freed.valid.next = self.remove.val() & self.empties.val();

        // The slots: an append to a new chunk writes all of them.
        for i in 0..4 {
            self.uses[i].read_addr.next = self.slots_of.val();
            self.uses[i].write_addr.next = self.place.val();
            self.uses[i].write_data.next = self.place_hot.val().get_bit(i);
            self.uses[i].write_en.next =
                self.append.val() & (self.fresh.val() | self.place_hot.val().get_bit(i));
            if self.remove.val() {
                self.uses[i].write_addr.next = self.chunk.val();
                self.uses[i].write_data.next = false;
                self.uses[i].write_en.next = self.slot_hot.val().get_bit(i);
            }
            self.uses[i + 4].read_addr.next = self.chunk.val();
            self.uses[i + 4].write_addr.next = self.place.val();
            self.uses[i + 4].write_data.next = self.place_hot.val().get_bit(i);
            self.uses[i + 4].write_en.next =
                self.append.val() & (self.fresh.val() | self.place_hot.val().get_bit(i));
            if self.remove.val() {
                self.uses[i + 4].write_addr.next = self.chunk.val();
                self.uses[i + 4].write_data.next = false;
                self.uses[i + 4].write_en.next = self.slot_hot.val().get_bit(i);
            }
        }
    }
}
