//! `EntryStore`: the match entries: their lists, what they match, and all they hold.
//!
//! **Purpose.** The memories of the match unit's entries after one set of ports, which requests and commands use in
//! turn. It decides nothing.
//!
//! ```text
//!   walk   head_of, other_of, next_of, slots_of,  -->+------------+--> head, some, other_head, other_some,
//!          chunk, key                                |            |    behind, more, slots, ids, hits
//!   read   entry, hold_of, list                   -->| EntryStore |--> facts, fill, hold, listed
//!   change look, list, at_*, append, remove,      -->|            |
//!          write_*, new_*, clear*                    +------------+
//! ```
//!
//! **Contract.** Walk: `chunk` in cycle *n*, `ids` and `key` in *n + 1*, `hits` in *n + 2*; the lists as in
//! [`ChunkLinks`](super::chunk_links::ChunkLinks). `facts` and `fill` are those of `entry` a cycle later, `hold` of
//! `hold_of` at once. `append` puts entry `write_id` into `list` with `new_key`, `new_facts` (the place is filled in
//! here) and `new_fill`. `remove` takes the entry at `at_chunk`, `at_slot` out. `write_fill` and `write_hold` replace
//! fill and hold of `write_id`, which is at `at_chunk`, `at_slot`. `clear` makes list and entry `clear_index` (low
//! bits) empty.
//!
//! **Internals.** Lists are chunks of four keys, one memory a slot, and as many chunks as entries. The room of a
//! locally managed buffer lies beside its key, as it was when it was last written: it only decreases, so an old one can
//! only let a message pass that the exact test after the walk refuses.

use super::chunk_banks::ChunkBanks;
use super::chunk_links::ChunkLinks;
use super::slot_compare::SlotCompare;
use crate::leaf::ForwardRam;
use crate::leaf::{LutRam, Ram};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::match_lists::{EntryFacts, EntryFill, EntryHold, EntryKey, MessageKey};

/// `2^E` entries; `N` = `E + 1`.
#[block]
pub struct EntryStore<const E: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Make a list and an entry empty.
    pub clear: Signal<In, Bit>,
    /// Both, in the low bits.
    pub clear_index: Signal<In, Bits<12>>,

    /// List to walk, {list 1, portal 8}.
    pub head_of: Signal<In, Bits<9>>,
    /// Its first chunk.
    pub head: Signal<Out, Bits<E>>,
    /// It is not empty.
    pub some: Signal<Out, Bit>,
    /// Another list to walk.
    pub other_of: Signal<In, Bits<9>>,
    /// Its first chunk.
    pub other_head: Signal<Out, Bits<E>>,
    /// It is not empty.
    pub other_some: Signal<Out, Bit>,
    /// Chunk to walk on from.
    pub next_of: Signal<In, Bits<E>>,
    /// Chunk after it.
    pub behind: Signal<Out, Bits<E>>,
    /// There is one.
    pub more: Signal<Out, Bit>,
    /// Chunk to compare.
    pub chunk: Signal<In, Bits<E>>,
    /// A cycle later: message to compare with.
    pub key: Signal<In, MessageKey>,
    /// Entries of the chunk, slot 0 lowest.
    pub ids: Signal<Out, Bits<48>>,
    /// Another cycle later: they match.
    pub hits: Signal<Out, Bits<4>>,
    /// Chunk whose slots are wanted.
    pub slots_of: Signal<In, Bits<E>>,
    /// Slots in use.
    pub slots: Signal<Out, Bits<4>>,

    /// Entry to read.
    pub entry: Signal<In, Bits<12>>,
    /// Its facts, a cycle later.
    pub facts: Signal<Out, EntryFacts>,
    /// Its fill, a cycle later, with what is written at the edge between.
    pub fill: Signal<Out, EntryFill>,
    /// Entry whose hold is wanted.
    pub hold_of: Signal<In, Bits<12>>,
    /// The hold.
    pub hold: Signal<Out, EntryHold>,

    /// Prepare a change.
    pub look: Signal<In, Bit>,
    /// List to change, {list 1, portal 8}.
    pub list: Signal<In, Bits<9>>,
    /// `list` is not empty.
    pub listed: Signal<Out, Bit>,
    /// Chunk of the entry.
    pub at_chunk: Signal<In, Bits<12>>,
    /// Its slot.
    pub at_slot: Signal<In, Bits<2>>,
    /// Append an entry.
    pub append: Signal<In, Bit>,
    /// Remove an entry.
    pub remove: Signal<In, Bit>,
    /// Entry to append or write.
    pub write_id: Signal<In, Bits<12>>,
    /// Its key, the id included.
    pub new_key: Signal<In, EntryKey>,
    /// Its facts, without the place.
    pub new_facts: Signal<In, EntryFacts>,
    /// Write its fill.
    pub write_fill: Signal<In, Bit>,
    /// New fill; `room` is the length if the offset is not kept.
    pub new_fill: Signal<In, EntryFill>,
    /// Write its hold.
    pub write_hold: Signal<In, Bit>,
    /// New hold.
    pub new_hold: Signal<In, EntryHold>,

    links: ChunkLinks<E, N, 9>,
    keys: ChunkBanks<EntryKey, E>,
    rooms: ChunkBanks<Bits<64>, E>,
    compare: [SlotCompare; 4],
    facts_ram: Ram<EntryFacts, E>,
    fills: ForwardRam<EntryFill, E>,
    holds: LutRam<EntryHold, E>,
    place: Signal<Local, EntryFacts>,
    key_0: Signal<Local, EntryKey>,
    key_1: Signal<Local, EntryKey>,
    key_2: Signal<Local, EntryKey>,
    key_3: Signal<Local, EntryKey>,
}

#[kernel]
impl<const E: usize, const N: usize> Logic for EntryStore<E, N> {
    fn update(&mut self) {
        for i in 0..4 {
            self.compare[i].message.next = self.key.val();
        }

        // Walk.
        self.links.head_of.next = self.head_of.val();
        self.head.next = self.links.head.val();
        self.some.next = self.links.some.val();
        self.links.other_of.next = self.other_of.val();
        self.other_head.next = self.links.other_head.val();
        self.other_some.next = self.links.other_some.val();
        self.links.next_of.next = self.next_of.val();
        self.behind.next = self.links.behind.val();
        self.more.next = self.links.more.val();
        self.links.slots_of.next = self.slots_of.val();
        self.slots.next = self.links.slots.val();
        self.keys.chunk.next = self.chunk.val();
        self.rooms.chunk.next = self.chunk.val();
        self.key_0.next = self.keys.slot_0.val();
        self.key_1.next = self.keys.slot_1.val();
        self.key_2.next = self.keys.slot_2.val();
        self.key_3.next = self.keys.slot_3.val();
        self.ids.next = bit_cast::<48, 12>(self.key_0.val().id)
            | (bit_cast::<48, 12>(self.key_1.val().id) << 12)
            | (bit_cast::<48, 12>(self.key_2.val().id) << 24)
            | (bit_cast::<48, 12>(self.key_3.val().id) << 36);
        self.compare[0].entry.next = self.keys.slot_0.val();
        self.compare[1].entry.next = self.keys.slot_1.val();
        self.compare[2].entry.next = self.keys.slot_2.val();
        self.compare[3].entry.next = self.keys.slot_3.val();
        self.compare[0].room.next = self.rooms.slot_0.val();
        self.compare[1].room.next = self.rooms.slot_1.val();
        self.compare[2].room.next = self.rooms.slot_2.val();
        self.compare[3].room.next = self.rooms.slot_3.val();
        self.hits.next = bit_cast::<4, 1>(self.compare[0].hit.val().into())
            | (bit_cast::<4, 1>(self.compare[1].hit.val().into()) << 1)
            | (bit_cast::<4, 1>(self.compare[2].hit.val().into()) << 2)
            | (bit_cast::<4, 1>(self.compare[3].hit.val().into()) << 3);

        // Read.
        self.facts_ram.read_addr.next = bit_cast::<E, 12>(self.entry.val());
        self.facts.next = self.facts_ram.read_data.val();
        self.fills.read_addr.next = bit_cast::<E, 12>(self.entry.val());
        self.fill.next = self.fills.read_data.val();
        self.holds.read_addr.next = bit_cast::<E, 12>(self.hold_of.val());
        self.hold.next = self.holds.read_data.val();

        // Change.
        self.links.clear.next = self.clear.val();
        self.links.clear_list.next = self.clear_index.val().get_bits::<9>(0);
        self.links.look.next = self.look.val();
        self.links.list.next = self.list.val();
        self.listed.next = self.links.listed.val();
        self.links.chunk.next = bit_cast::<E, 12>(self.at_chunk.val());
        self.links.slot.next = self.at_slot.val();
        self.links.append.next = self.append.val();
        self.links.remove.next = self.remove.val();
        self.keys.write_chunk.next = self.links.place_chunk.val();
        self.keys.write_slot.next = self.links.place_slot.val();
        self.keys.write_data.next = self.new_key.val();
        self.keys.write_en.next = self.append.val();
        self.rooms.write_chunk.next = bit_cast::<E, 12>(self.at_chunk.val());
        self.rooms.write_slot.next = self.at_slot.val();
        if self.append.val() {
            self.rooms.write_chunk.next = self.links.place_chunk.val();
            self.rooms.write_slot.next = self.links.place_slot.val();
        }
        self.rooms.write_data.next = self.new_fill.val().room;
        self.rooms.write_en.next = self.append.val() | self.write_fill.val();
        self.place.next = self.new_facts.val();
        self.facts_ram.write_addr.next = bit_cast::<E, 12>(self.write_id.val());
        self.facts_ram.write_data.next.portal = self.place.val().portal;
        self.facts_ram.write_data.next.list = self.place.val().list;
        self.facts_ram.write_data.next.options = self.place.val().options;
        self.facts_ram.write_data.next.has_min_free = self.place.val().has_min_free;
        self.facts_ram.write_data.next.any_user = self.place.val().any_user;
        self.facts_ram.write_data.next.user_id = self.place.val().user_id;
        self.facts_ram.write_data.next.start = self.place.val().start;
        self.facts_ram.write_data.next.length = self.place.val().length;
        self.facts_ram.write_data.next.pieces = self.place.val().pieces;
        self.facts_ram.write_data.next.counter = self.place.val().counter;
        self.facts_ram.write_data.next.user_ptr = self.place.val().user_ptr;
        self.facts_ram.write_data.next.chunk = bit_cast::<12, E>(self.links.place_chunk.val());
        self.facts_ram.write_data.next.slot = self.links.place_slot.val();
        self.facts_ram.write_en.next = self.append.val();
        self.fills.write_addr.next = bit_cast::<E, 12>(self.write_id.val());
        self.fills.write_data.next = self.new_fill.val();
        self.fills.write_en.next = self.append.val() | self.write_fill.val();
        self.holds.write_addr.next = bit_cast::<E, 12>(self.write_id.val());
        self.holds.write_data.next = self.new_hold.val();
        self.holds.write_en.next = self.write_hold.val();
        if self.clear.val() {
            self.holds.write_addr.next = bit_cast::<E, 12>(self.clear_index.val());
            self.holds.write_data.next.linked = 0.into();
            self.holds.write_data.next.lingering = 0.into();
            self.holds.write_data.next.headers = 0.into();
            self.holds.write_en.next = true;
        }
    }
}
