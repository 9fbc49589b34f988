//! `MdTable`: the memory descriptors of all contexts, and the test that a message's bytes lie inside one.
//!
//! **Purpose.** A command names memory only by descriptor, offset and length, so the address that a message reads or a
//! reply writes always comes from here. The table does not know messages: who sends says when a message begins and
//! ceases to use a descriptor.
//!
//! ```text
//!                 +---------+
//!   bind_md    -->|         |--> bound, bind_status        (next cycle)
//!   release_md -->|         |--> released, release_status  (next cycle)
//!   lookup     -->| MdTable |--> found, found_valid        (3 cycles later)
//!   hold, drop -->|         |
//!   read       -->|         |--> read_info                 (next cycle)
//!                 +---------+
//! ```
//!
//! **Contract.** A descriptor is {context 2, number}; each context has its own, and only numbers 0 to 63 exist, in the
//! large configuration 0 to 255. `bind_md`: BAD_DESCRIPTOR (no such number), IN_USE (bound already), else it is bound.
//! `release_md`: BAD_DESCRIPTOR (no such number, or not bound), IN_USE (a message uses it), else it is not bound any
//! more. Both are done at the edge at which they are taken; they are not taken together, and no `bind_md` in a cycle
//! with `hold`. `lookup` is taken in every cycle and answered exactly three cycles later: BAD_DESCRIPTOR (no such
//! number, or not bound), DESCRIPTOR_OVERFLOW (offset + length > the descriptor's length, in full precision), else OK
//! with start + offset (modulo 2^64; of a descriptor with `pieces` the start of the list alone) and what the descriptor
//! says. All of these are 0 without OK. It sees what was bound or released before the cycle in which it is taken.
//! `hold` and `drop` count at the edge, for a bound descriptor, as many drops as holds, at most 128 holds without drop
//! (two of each of 64 messages); both may come in one cycle, also for the same descriptor. `read_info` is that of the
//! last successful bind of descriptor `read`. Reset: nothing is bound.
//!
//! **Internals.** One bit a descriptor says whether it is bound; it is written a cycle after the bind or release, and
//! who looks meanwhile gets what it will be. Begins and ends of uses are counted apart, so that each memory has one
//! writer; used is who has different counts. A bind makes them equal, so that they need no reset.
//!
//! ```text
//!   lookup:  cycle 0           1                              2                    3
//!            pins, address  |  offset + length, start + off.  |  sum <= length   |  found
//! ```

use crate::bundle::{PulseIn, PulseOut, StreamIn};
use crate::codes::command_status_codes::CommandStatusCodes;
use crate::leaf::{Delay, LutRam, Ram, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::send::{MdBind, MdFound, MdInfo, MdLookup};

/// Where a descriptor's bytes are.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Extent {
    start: Bits<64>,
    length: Bits<64>,
    pieces: Bits<11>,
    /// There are pieces.
    listed: Bits<1>,
}

/// Stage 1 of a lookup: as it came, and whether there is such a descriptor.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Asked {
    bound: Bits<1>,
    offset: Bits<64>,
    length: Bits<64>,
}

/// Stage 2: the sums.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Summed {
    bound: Bits<1>,
    /// Offset of the first byte after what is asked for.
    end: Bits<65>,
    /// Bytes of the descriptor.
    length: Bits<64>,
    address: Bits<64>,
    pieces: Bits<11>,
    options: Bits<16>,
    counter: Bits<8>,
    counted: Bits<1>,
}

/// `2^D` memory descriptors, a fourth of them for each context; `M` = `2^D`. `D` is 4 to 10.
#[block]
pub struct MdTable<const D: usize = 8, const M: usize = 256> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; nothing is bound.
    pub rst: Signal<In, Bit>,

    /// From CommandStage: a new descriptor.
    pub bind_md: StreamIn<MdBind>,
    /// The bind taken in the last cycle has ended (pulse).
    pub bound: Signal<Out, Bit>,
    /// How, see [`command_status`](xtq_types::command::command_status).
    pub bind_status: Signal<Out, Bits<8>>,
    /// From CommandStage: a descriptor to remove, {context 2, number 16}.
    pub release_md: StreamIn<Bits<18>>,
    /// The release taken in the last cycle has ended (pulse).
    pub released: Signal<Out, Bit>,
    /// How, see [`command_status`](xtq_types::command::command_status).
    pub release_status: Signal<Out, Bits<8>>,

    /// From CommandStage: which bytes are meant.
    pub lookup: StreamIn<MdLookup>,
    /// To CommandStage: where they are, three cycles after the lookup.
    pub found: PulseOut<MdFound>,

    /// From CommandStage: a message begins to use descriptor {context 2, number 8}.
    pub hold: PulseIn<Bits<10>>,
    /// From InitiatorCompleter: a message ceases to use descriptor {context 2, number 8}.
    pub drop: PulseIn<Bits<10>>,

    /// From InitiatorCompleter: descriptor {context 2, number 8}.
    pub read: Signal<In, Bits<10>>,
    /// What it says, one cycle later.
    pub read_info: Signal<Out, MdInfo>,

    bound_q: Reg<Bits<M>>,
    /// What `bound_q` is about to learn: bit `place_q` becomes `bound_new_q`.
    changed_q: Delay<Bit>,
    bound_new_q: Delay<Bit>,
    place_q: Delay<Bits<D>>,
    extents: Ram<Extent, D>,
    lookup_infos: Ram<MdInfo, D>,
    read_infos: Ram<MdInfo, D>,
    /// Begins of uses, modulo 2^8: to count on, and to compare.
    holds: LutRam<Bits<8>, D>,
    holds_seen: LutRam<Bits<8>, D>,
    /// Ends of uses.
    drops: LutRam<Bits<8>, D>,
    drops_seen: LutRam<Bits<8>, D>,
    drops_bound: LutRam<Bits<8>, D>,
    bind_told_q: Delay<Bit>,
    release_told_q: Delay<Bit>,
    status_q: Delay<Bits<8>>,
    asked_q: Delay<Asked>,
    summed_q: Delay<Summed>,
    found_q: Delay<MdFound>,
    valid_1_q: Delay<Bit>,
    valid_2_q: Delay<Bit>,
    valid_3_q: Delay<Bit>,
    codes: CommandStatusCodes,
    /// Where the descriptors of a context begin: its number, so many bits up.
    #[value((D as u64 - 2).to_bits())]
    share: Constant<Bits<4>>,
    /// Bits of a number.
    #[value(((1u64 << (D - 2)) - 1).to_bits())]
    low: Constant<Bits<10>>,
    /// Bits that a number has not.
    #[value((0xFFFFu64 << (D - 2) & 0xFFFF).to_bits())]
    too_high: Constant<Bits<16>>,

    all_bound: Signal<Local, Bits<M>>,
    bind_number: Signal<Local, Bits<16>>,
    release_number: Signal<Local, Bits<16>>,
    bind_beyond: Signal<Local, Bit>,
    release_beyond: Signal<Local, Bit>,
    bind_wide: Signal<Local, Bits<10>>,
    release_wide: Signal<Local, Bits<10>>,
    lookup_wide: Signal<Local, Bits<10>>,
    hold_wide: Signal<Local, Bits<10>>,
    drop_wide: Signal<Local, Bits<10>>,
    read_wide: Signal<Local, Bits<10>>,
    bind_owner: Signal<Local, Bits<2>>,
    release_owner: Signal<Local, Bits<2>>,
    lookup_owner: Signal<Local, Bits<2>>,
    hold_owner: Signal<Local, Bits<2>>,
    drop_owner: Signal<Local, Bits<2>>,
    read_owner: Signal<Local, Bits<2>>,
    bind_bound: Signal<Local, Bit>,
    release_bound: Signal<Local, Bit>,
    lookup_bound: Signal<Local, Bit>,
    bind_status_now: Signal<Local, Bits<8>>,
    release_status_now: Signal<Local, Bits<8>>,
    bind_place: Signal<Local, Bits<D>>,
    release_place: Signal<Local, Bits<D>>,
    place: Signal<Local, Bits<D>>,
    bind_takes: Signal<Local, Bit>,
    release_takes: Signal<Local, Bit>,
    used: Signal<Local, Bit>,
    status: Signal<Local, Bits<8>>,
    binds: Signal<Local, Bit>,
    frees: Signal<Local, Bit>,
    bind_pieces: Signal<Local, Bits<11>>,
    extent: Signal<Local, Extent>,
    info: Signal<Local, MdInfo>,
    hold_place: Signal<Local, Bits<D>>,
    held: Signal<Local, Bits<8>>,
    counts_hold: Signal<Local, Bit>,
    dropped: Signal<Local, Bits<8>>,
    lookup_number: Signal<Local, Bits<16>>,
    lookup_beyond: Signal<Local, Bit>,
    held_place: Signal<Local, Bits<D>>,
    dropped_place: Signal<Local, Bits<D>>,
    read_place: Signal<Local, Bits<D>>,
    lookup_place: Signal<Local, Bits<D>>,
    asked: Signal<Local, Asked>,
    here: Signal<Local, Extent>,
    skipped: Signal<Local, Bits<64>>,
    says: Signal<Local, MdInfo>,
    summed: Signal<Local, Summed>,
    fits: Signal<Local, Bit>,
    answer: Signal<Local, MdFound>,
}

#[kernel]
impl<const D: usize, const M: usize> Logic for MdTable<D, M> {
    fn update(&mut self) {
        // Places: the context in front of the number.
        self.bind_number.next = self.bind_md.data.val().number;
        self.release_number.next = self.release_md.data.val().get_bits::<16>(0);
        self.lookup_number.next = self.lookup.data.val().number;
        self.bind_beyond.next = (self.bind_number.val() & self.too_high.val()).any();
        self.release_beyond.next = (self.release_number.val() & self.too_high.val()).any();
        self.lookup_beyond.next = (self.lookup_number.val() & self.too_high.val()).any();
        self.bind_owner.next = self.bind_md.data.val().context;
        self.release_owner.next = self.release_md.data.val().get_bits::<2>(16);
        self.lookup_owner.next = self.lookup.data.val().context;
        self.hold_owner.next = self.hold.data.val().get_bits::<2>(8);
        self.drop_owner.next = self.drop.data.val().get_bits::<2>(8);
        self.read_owner.next = self.read.val().get_bits::<2>(8);
        self.bind_wide.next = (bit_cast::<10, 2>(self.bind_owner.val()) << self.share.val())
            | (bit_cast::<10, 8>(self.bind_number.val().get_bits::<8>(0)) & self.low.val());
        self.bind_place.next = self.bind_wide.val().get_bits::<D>(0);
        self.release_wide.next = (bit_cast::<10, 2>(self.release_owner.val()) << self.share.val())
            | (bit_cast::<10, 8>(self.release_number.val().get_bits::<8>(0)) & self.low.val());
        self.release_place.next = self.release_wide.val().get_bits::<D>(0);
        self.lookup_wide.next = (bit_cast::<10, 2>(self.lookup_owner.val()) << self.share.val())
            | (bit_cast::<10, 8>(self.lookup_number.val().get_bits::<8>(0)) & self.low.val());
        self.lookup_place.next = self.lookup_wide.val().get_bits::<D>(0);
        self.hold_wide.next = (bit_cast::<10, 2>(self.hold_owner.val()) << self.share.val())
            | (bit_cast::<10, 8>(self.hold.data.val().get_bits::<8>(0)) & self.low.val());
        self.held_place.next = self.hold_wide.val().get_bits::<D>(0);
        self.drop_wide.next = (bit_cast::<10, 2>(self.drop_owner.val()) << self.share.val())
            | (bit_cast::<10, 8>(self.drop.data.val().get_bits::<8>(0)) & self.low.val());
        self.dropped_place.next = self.drop_wide.val().get_bits::<D>(0);
        self.read_wide.next = (bit_cast::<10, 2>(self.read_owner.val()) << self.share.val())
            | (bit_cast::<10, 8>(self.read.val().get_bits::<8>(0)) & self.low.val());
        self.read_place.next = self.read_wide.val().get_bits::<D>(0);

        // Bind or release, one a cycle; a bind needs the port that holds are counted through.
        self.bind_md.ready.next = !self.hold.valid.val();
        self.bind_takes.next = self.bind_md.valid.val() & !self.hold.valid.val();
        self.release_md.ready.next = !self.bind_md.valid.val();
        self.release_takes.next = self.release_md.valid.val() & !self.bind_md.valid.val();
        self.place.next = self.release_place.val();
        if self.bind_md.valid.val() {
            self.place.next = self.bind_place.val();
        }
        self.all_bound.next = self.bound_q.q.val();
        self.bind_bound.next = self.all_bound.val().get_bit(self.bind_place.val().index());
        self.release_bound.next = self
            .all_bound
            .val()
            .get_bit(self.release_place.val().index());
        if self.changed_q.q.val() & (self.place_q.q.val() == self.bind_place.val()) {
            self.bind_bound.next = self.bound_new_q.q.val();
        }
        if self.changed_q.q.val() & (self.place_q.q.val() == self.release_place.val()) {
            self.release_bound.next = self.bound_new_q.q.val();
        }
        self.bind_status_now.next = self.codes.ok.val();
        if self.bind_beyond.val() {
            self.bind_status_now.next = self.codes.bad_descriptor.val();
        } else if self.bind_bound.val() {
            self.bind_status_now.next = self.codes.in_use.val();
        }
        self.holds_seen.read_addr.next = self.release_place.val();
        self.drops_seen.read_addr.next = self.release_place.val();
        self.used.next = self.holds_seen.read_data.val() != self.drops_seen.read_data.val();
        self.release_status_now.next = self.codes.ok.val();
        if self.release_beyond.val() | !self.release_bound.val() {
            self.release_status_now.next = self.codes.bad_descriptor.val();
        } else if self.used.val() {
            self.release_status_now.next = self.codes.in_use.val();
        }
        self.status.next = self.release_status_now.val();
        if self.bind_md.valid.val() {
            self.status.next = self.bind_status_now.val();
        }
        self.binds.next = self.bind_takes.val() & !self.bind_beyond.val() & !self.bind_bound.val();
        self.frees.next = self.release_takes.val()
            & !self.release_beyond.val()
            & self.release_bound.val()
            & !self.used.val();
        self.changed_q.d.next = self.binds.val() | self.frees.val();
        self.bound_new_q.d.next = self.bind_md.valid.val();
        self.place_q.d.next = self.place.val();
        self.bound_q.d.next = self
            .all_bound
            .val()
            .replace_bit(self.place_q.q.val().index(), self.bound_new_q.q.val());
        self.bound_q.en.next = self.changed_q.q.val();
        self.status_q.d.next = self.status.val();
        self.bind_told_q.d.next = self.bind_takes.val();
        self.bound.next = self.bind_told_q.q.val();
        self.bind_status.next = self.status_q.q.val();
        self.release_told_q.d.next = self.release_takes.val();
        self.released.next = self.release_told_q.q.val();
        self.release_status.next = self.status_q.q.val();

        self.extent.next.start = self.bind_md.data.val().start;
        self.extent.next.length = self.bind_md.data.val().length;
        self.extent.next.pieces = self.bind_md.data.val().pieces;
        self.bind_pieces.next = self.bind_md.data.val().pieces;
        self.extent.next.listed = self.bind_pieces.val().any().into();
        self.info.next.options = self.bind_md.data.val().options;
        self.info.next.counter = self.bind_md.data.val().counter;
        self.info.next.counted = self.bind_md.data.val().counted;
        self.extents.write_addr.next = self.bind_place.val();
        self.extents.write_data.next = self.extent.val();
        self.extents.write_en.next = self.binds.val();
        self.lookup_infos.write_addr.next = self.bind_place.val();
        self.lookup_infos.write_data.next = self.info.val();
        self.lookup_infos.write_en.next = self.binds.val();
        self.read_infos.write_addr.next = self.bind_place.val();
        self.read_infos.write_data.next = self.info.val();
        self.read_infos.write_en.next = self.binds.val();
        self.read_infos.read_addr.next = self.read_place.val();
        self.read_info.next = self.read_infos.read_data.val();

        // Uses: a hold counts one more, a bind makes the counts equal.
        self.holds.read_addr.next = self.held_place.val();
        self.counts_hold.next = self.hold.valid.val() | self.binds.val();
        self.hold_place.next = self.bind_place.val();
        self.drops_bound.read_addr.next = self.bind_place.val();
        self.held.next = self.drops_bound.read_data.val();
        if self.hold.valid.val() {
            self.hold_place.next = self.held_place.val();
            self.held.next = self.holds.read_data.val() + 1;
        }
        self.holds.write_addr.next = self.hold_place.val();
        self.holds.write_data.next = self.held.val();
        self.holds.write_en.next = self.counts_hold.val();
        self.holds_seen.write_addr.next = self.hold_place.val();
        self.holds_seen.write_data.next = self.held.val();
        self.holds_seen.write_en.next = self.counts_hold.val();
        self.drops.read_addr.next = self.dropped_place.val();
        self.dropped.next = self.drops.read_data.val() + 1;
        self.drops.write_addr.next = self.dropped_place.val();
        self.drops.write_data.next = self.dropped.val();
        self.drops.write_en.next = self.drop.valid.val();
        self.drops_bound.write_addr.next = self.dropped_place.val();
        self.drops_bound.write_data.next = self.dropped.val();
        self.drops_bound.write_en.next = self.drop.valid.val();
        self.drops_seen.write_addr.next = self.dropped_place.val();
        self.drops_seen.write_data.next = self.dropped.val();
        self.drops_seen.write_en.next = self.drop.valid.val();

        // Lookup, stage 0: the table is read.
        self.lookup.ready.next = true;
        self.extents.read_addr.next = self.lookup_place.val();
        self.lookup_infos.read_addr.next = self.lookup_place.val();
        self.lookup_bound.next = self
            .all_bound
            .val()
            .get_bit(self.lookup_place.val().index());
        if self.changed_q.q.val() & (self.place_q.q.val() == self.lookup_place.val()) {
            self.lookup_bound.next = self.bound_new_q.q.val();
        }
        self.asked.next.bound = (self.lookup_bound.val() & !self.lookup_beyond.val()).into();
        self.asked.next.offset = self.lookup.data.val().offset;
        self.asked.next.length = self.lookup.data.val().length;
        self.asked_q.d.next = self.asked.val();
        self.valid_1_q.d.next = self.lookup.valid.val();

        // Stage 1: the sums.
        self.here.next = self.extents.read_data.val();
        self.says.next = self.lookup_infos.read_data.val();
        self.summed.next.bound = self.asked_q.q.val().bound;
        self.summed.next.end = bit_cast::<65, 64>(self.asked_q.q.val().offset)
            + bit_cast::<65, 64>(self.asked_q.q.val().length);
        self.summed.next.length = self.here.val().length;
        // The offset in a list of pieces is counted by who walks through it.
        self.skipped.next = self.asked_q.q.val().offset;
        if self.here.val().listed == 1 {
            self.skipped.next = 0.into();
        }
        self.summed.next.address = self.here.val().start + self.skipped.val();
        self.summed.next.pieces = self.here.val().pieces;
        self.summed.next.options = self.says.val().options;
        self.summed.next.counter = self.says.val().counter;
        self.summed.next.counted = self.says.val().counted;
        self.summed_q.d.next = self.summed.val();
        self.valid_2_q.d.next = self.valid_1_q.q.val();

        // Stage 2: the comparison. Who is refused learns nothing else.
        self.fits.next =
            self.summed_q.q.val().end <= bit_cast::<65, 64>(self.summed_q.q.val().length);
        self.answer.next.status = self.codes.bad_descriptor.val();
        self.answer.next.address = 0.into();
        self.answer.next.pieces = 0.into();
        self.answer.next.options = 0.into();
        self.answer.next.counter = 0.into();
        self.answer.next.counted = 0.into();
        if self.summed_q.q.val().bound == 1 {
            self.answer.next.status = self.codes.descriptor_overflow.val();
            if self.fits.val() {
                self.answer.next.status = self.codes.ok.val();
                self.answer.next.address = self.summed_q.q.val().address;
                self.answer.next.pieces = self.summed_q.q.val().pieces;
                self.answer.next.options = self.summed_q.q.val().options;
                self.answer.next.counter = self.summed_q.q.val().counter;
                self.answer.next.counted = self.summed_q.q.val().counted;
            }
        }
        self.found_q.d.next = self.answer.val();
        self.valid_3_q.d.next = self.valid_2_q.q.val();
        self.found.data.next = self.found_q.q.val();
        self.found.valid.next = self.valid_3_q.q.val();
    }
}
