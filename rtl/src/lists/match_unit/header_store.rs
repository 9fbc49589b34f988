//! `HeaderStore`: the unexpected headers of all portal entries, oldest first.
//!
//! **Purpose.** Keeps what is known of messages that landed in overflow entries until a match entry that is appended,
//! or a search, takes them. It decides nothing.
//!
//! ```text
//!   search head_of, chunk, entry, room, slot -->+-------------+--> head, some, behind, more, slots, hits, found, record
//!   change look, list, at_slot, append,      -->| HeaderStore |--> free, new_id
//!          remove, new_*, clear*                +-------------+
//! ```
//!
//! **Contract.** `chunk` in cycle *n*; while it stays, the slots are compared with `entry` and `room` of *n + 1* and
//! `hits` is valid in *n + 2*. `found` is slot `slot` of it from *n + 1* on, and `record` the rest of that header a
//! cycle after `found`. Lists as in [`ChunkLinks`](super::chunk_links::ChunkLinks); to remove, `chunk`, `at_slot` and
//! `found` name the header. `append` only while `free`: each context has a fourth of the headers; `new_id` is then its
//! name. `clear` makes list `clear_index` empty. Reset frees all headers.
//!
//! **Names.** A header's name is its number with a turn bit, which changes whenever its context takes the number again.
//! So a name that was taken out of a list is not given again to the same context until another command of this context
//! has taken a header out: long enough to ask what became of the message
//! ([`ListUnit`](crate::lists::list_unit::ListUnit)). Contexts may have the same name.
//!
//! **Internals.** The match keys are in chunks of four like those of the entries; the rest in a table by header number,
//! so that it exists once for each header and not once for each slot.

use super::chunk_banks::ChunkBanks;
use super::chunk_links::ChunkLinks;
use super::slot_compare::SlotCompare;
use crate::leaf::ContextCounts;
use crate::leaf::{LutRam, NumberPool, Ram};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::match_lists::{EntryKey, HeaderKey, HeaderRecord, MessageKey};

/// `2^H` headers, `2^(H - 2)` for each context; `N` = `H + 1`.
#[block]
pub struct HeaderStore<const H: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Make a list empty.
    pub clear: Signal<In, Bit>,
    /// The list.
    pub clear_index: Signal<In, Bits<8>>,

    /// Portal entry whose headers are searched.
    pub head_of: Signal<In, Bits<8>>,
    /// Their first chunk.
    pub head: Signal<Out, Bits<H>>,
    /// There are headers.
    pub some: Signal<Out, Bit>,
    /// Chunk that is looked at.
    pub chunk: Signal<In, Bits<H>>,
    /// Chunk after it.
    pub behind: Signal<Out, Bits<H>>,
    /// There is one.
    pub more: Signal<Out, Bit>,
    /// Its slots in use.
    pub slots: Signal<Out, Bits<4>>,
    /// Entry to compare with.
    pub entry: Signal<In, EntryKey>,
    /// Its room.
    pub room: Signal<In, Bits<64>>,
    /// Slots that match.
    pub hits: Signal<Out, Bits<4>>,
    /// Slot that is looked at.
    pub slot: Signal<In, Bits<2>>,
    /// Its key.
    pub found: Signal<Out, HeaderKey>,
    /// The rest of that header.
    pub record: Signal<Out, HeaderRecord>,

    /// Prepare a change.
    pub look: Signal<In, Bit>,
    /// Portal entry to change.
    pub list: Signal<In, Bits<8>>,
    /// To remove: slot of the chunk.
    pub at_slot: Signal<In, Bits<2>>,
    /// Remove the header.
    pub remove: Signal<In, Bit>,
    /// Context that is asked for, and whose header is appended or removed.
    pub owner: Signal<In, Bits<2>>,
    /// It may have one more header.
    pub free: Signal<Out, Bit>,
    /// Append a header.
    pub append: Signal<In, Bit>,
    /// Its message.
    pub new_message: Signal<In, MessageKey>,
    /// Its record.
    pub new_record: Signal<In, HeaderRecord>,
    /// The name that it gets.
    pub new_id: Signal<Out, Bits<13>>,

    links: ChunkLinks<H, N, 8>,
    keys: ChunkBanks<HeaderKey, H>,
    records: Ram<HeaderRecord, H>,
    pool: NumberPool<H, N>,
    used: ContextCounts<N>,
    /// By number: a turn bit for each context.
    turns: LutRam<Bits<4>, H>,
    compare: [SlotCompare; 4],
    key_0: Signal<Local, HeaderKey>,
    key_1: Signal<Local, HeaderKey>,
    key_2: Signal<Local, HeaderKey>,
    key_3: Signal<Local, HeaderKey>,
    chosen: Signal<Local, HeaderKey>,
    chosen_id: Signal<Local, Bits<13>>,
    chosen_number: Signal<Local, Bits<13>>,
    turn: Signal<Local, Bits<13>>,
    name: Signal<Local, Bits<13>>,
    one: Signal<Local, Bits<4>>,
    #[value((1u64 << (H - 2)).to_bits())]
    share: Constant<Bits<N>>,
}

#[kernel]
impl<const H: usize, const N: usize> Logic for HeaderStore<H, N> {
    fn update(&mut self) {
        for i in 0..4 {
            self.compare[i].entry.next = self.entry.val();
            self.compare[i].room.next = self.room.val();
        }

        // Search.
        self.links.head_of.next = self.head_of.val();
        self.head.next = self.links.head.val();
        self.some.next = self.links.some.val();
        // One list is searched at a time.
        self.links.other_of.next = 0.into();
        self.links.next_of.next = self.chunk.val();
        self.behind.next = self.links.behind.val();
        self.more.next = self.links.more.val();
        self.links.slots_of.next = self.chunk.val();
        self.slots.next = self.links.slots.val();
        self.keys.chunk.next = self.chunk.val();
        self.key_0.next = self.keys.slot_0.val();
        self.key_1.next = self.keys.slot_1.val();
        self.key_2.next = self.keys.slot_2.val();
        self.key_3.next = self.keys.slot_3.val();
        self.compare[0].message.next.match_bits = self.key_0.val().match_bits;
        self.compare[0].message.next.source_node = self.key_0.val().source_node;
        self.compare[0].message.next.source_context = self.key_0.val().source_context;
        self.compare[0].message.next.length = self.key_0.val().length;
        self.compare[0].message.next.end_low = self.key_0.val().end_low;
        self.compare[0].message.next.end_high = self.key_0.val().end_high;
        self.compare[1].message.next.match_bits = self.key_1.val().match_bits;
        self.compare[1].message.next.source_node = self.key_1.val().source_node;
        self.compare[1].message.next.source_context = self.key_1.val().source_context;
        self.compare[1].message.next.length = self.key_1.val().length;
        self.compare[1].message.next.end_low = self.key_1.val().end_low;
        self.compare[1].message.next.end_high = self.key_1.val().end_high;
        self.compare[2].message.next.match_bits = self.key_2.val().match_bits;
        self.compare[2].message.next.source_node = self.key_2.val().source_node;
        self.compare[2].message.next.source_context = self.key_2.val().source_context;
        self.compare[2].message.next.length = self.key_2.val().length;
        self.compare[2].message.next.end_low = self.key_2.val().end_low;
        self.compare[2].message.next.end_high = self.key_2.val().end_high;
        self.compare[3].message.next.match_bits = self.key_3.val().match_bits;
        self.compare[3].message.next.source_node = self.key_3.val().source_node;
        self.compare[3].message.next.source_context = self.key_3.val().source_context;
        self.compare[3].message.next.length = self.key_3.val().length;
        self.compare[3].message.next.end_low = self.key_3.val().end_low;
        self.compare[3].message.next.end_high = self.key_3.val().end_high;
        self.hits.next = bit_cast::<4, 1>(self.compare[0].hit.val().into())
            | (bit_cast::<4, 1>(self.compare[1].hit.val().into()) << 1)
            | (bit_cast::<4, 1>(self.compare[2].hit.val().into()) << 2)
            | (bit_cast::<4, 1>(self.compare[3].hit.val().into()) << 3);
        match self.slot.val().index() {
            0 => self.chosen.next = self.key_0.val(),
            1 => self.chosen.next = self.key_1.val(),
            2 => self.chosen.next = self.key_2.val(),
            _ => self.chosen.next = self.key_3.val(),
        }
        self.found.next = self.chosen.val();
        self.chosen_id.next = self.chosen.val().id;
        self.chosen_number.next = self.chosen_id.val() >> 1;
        self.records.read_addr.next = bit_cast::<H, 13>(self.chosen_number.val());
        self.record.next = self.records.read_data.val();

        // Change.
        self.links.clear.next = self.clear.val();
        self.links.clear_list.next = self.clear_index.val();
        self.links.look.next = self.look.val();
        self.links.list.next = self.list.val();
        self.links.chunk.next = self.chunk.val();
        self.links.slot.next = self.at_slot.val();
        self.links.append.next = self.append.val();
        self.links.remove.next = self.remove.val();
        self.pool.take.next = self.append.val();
        self.pool.freed.data.next = bit_cast::<H, 13>(self.chosen_number.val());
        self.pool.freed.valid.next = self.remove.val();
        self.used.owner.next = self.owner.val();
        self.used.up.next = self.append.val();
        self.used.down.next = self.remove.val();
        self.free.next = self.used.count.val() != self.share.val();
        self.one.next = 1.into();
        self.turns.read_addr.next = self.pool.number.data.val();
        self.turns.write_addr.next = self.pool.number.data.val();
        self.turns.write_data.next =
            self.turns.read_data.val() ^ (self.one.val() << self.owner.val());
        self.turns.write_en.next = self.append.val();
        self.turn.next = 0.into();
        if self.turns.read_data.val().get_bit(self.owner.val().index()) {
            self.turn.next = 1.into();
        }
        self.name.next = (bit_cast::<13, H>(self.pool.number.data.val()) << 1) | self.turn.val();
        self.new_id.next = self.name.val();
        self.keys.write_chunk.next = self.links.place_chunk.val();
        self.keys.write_slot.next = self.links.place_slot.val();
        self.keys.write_data.next.match_bits = self.new_message.val().match_bits;
        self.keys.write_data.next.source_node = self.new_message.val().source_node;
        self.keys.write_data.next.source_context = self.new_message.val().source_context;
        self.keys.write_data.next.length = self.new_message.val().length;
        self.keys.write_data.next.end_low = self.new_message.val().end_low;
        self.keys.write_data.next.end_high = self.new_message.val().end_high;
        self.keys.write_data.next.id = self.name.val();
        self.keys.write_en.next = self.append.val();
        self.records.write_addr.next = self.pool.number.data.val();
        self.records.write_data.next = self.new_record.val();
        self.records.write_en.next = self.append.val();
    }
}
