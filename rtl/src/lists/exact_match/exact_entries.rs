//! `ExactEntries`: the facts of priority entries, and the results of messages that need no overflow entry.
//!
//! **Purpose.** The table of an [`ExactMatch`](super::ExactMatch) gives the number of the entry that takes a message;
//! this makes a result of it, one a cycle.
//!
//! ```text
//!   go, request, entry, refused -->+--------------+--> free
//!                                  | ExactEntries |--> result
//!   new_entry*                  -->+--------------+--> facts   (a cycle later)
//! ```
//!
//! **Contract.** `go`, only while `free`: `request` has found `entry`, or with `refused` none, because no priority
//! entry allows its operation. Its result comes 3 cycles later, in order. A `crowded` request ends as dropped. `facts`
//! are those of `entry` of the cycle before. `new_entry_valid` writes those of `entry`.
//!
//! **Internals.** Read; subtract; compare: a message lands at the offset asked for, and is cut to what the buffer has
//! after that.

use crate::bundle::{PulseIn, StreamOut};
use crate::codes::match_codes::MatchCodes;
use crate::leaf::{Delay, Fifo, QueueRoom, Ram};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::exact_match::ExactEntry;
use xtq_types::matching::{MatchRequest, MatchResult};

/// `2^E` entries.
#[block]
pub struct ExactEntries<const E: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; the facts stay.
    pub rst: Signal<In, Bit>,
    /// A request is answered.
    pub go: Signal<In, Bit>,
    /// The request.
    pub request: Signal<In, MatchRequest>,
    /// Its entry; also that which is read or written.
    pub entry: Signal<In, Bits<12>>,
    /// It has none.
    pub refused: Signal<In, Bit>,
    /// There is room for its result.
    pub free: Signal<Out, Bit>,
    /// What becomes of it.
    pub result: StreamOut<MatchResult>,
    /// Facts of `entry`, a cycle later.
    pub facts: Signal<Out, ExactEntry>,
    /// Facts to write.
    pub new_entry: PulseIn<ExactEntry>,
    codes: MatchCodes,
    memory: Ram<ExactEntry, E>,
    room: QueueRoom<4>,
    results: Fifo<MatchResult, 3, 4>,
    // The stages: 1 has the facts, 2 the length that is left.
    there_1_q: Delay<Bit>,
    there_2_q: Delay<Bit>,
    request_1_q: Delay<MatchRequest>,
    request_2_q: Delay<MatchRequest>,
    entry_1_q: Delay<Bits<12>>,
    entry_2_q: Delay<Bits<12>>,
    refused_1_q: Delay<Bit>,
    refused_2_q: Delay<Bit>,
    facts_2_q: Delay<ExactEntry>,
    left_2_q: Delay<Bits<65>>,
    wanted_2_q: Delay<Bits<32>>,
    fits: Signal<Local, Bit>,
    left: Signal<Local, Bits<65>>,
    index: Signal<Local, Bits<16>>,
    id: Signal<Local, Bits<12>>,
    outcome: Signal<Local, Bits<4>>,
    moved: Signal<Local, Bits<32>>,
    takes: Signal<Local, Bit>,
}

#[kernel]
impl<const E: usize> Logic for ExactEntries<E> {
    fn update(&mut self) {
        self.memory.read_addr.next = bit_cast::<E, 12>(self.entry.val());
        self.memory.write_addr.next = bit_cast::<E, 12>(self.entry.val());
        self.memory.write_data.next = self.new_entry.data.val();
        self.memory.write_en.next = self.new_entry.valid.val();
        self.facts.next = self.memory.read_data.val();
        self.room.come.next = self.go.val();
        self.room.leave.next = self.results.read.valid.val() & self.result.ready.val();
        self.free.next = self.room.free.val();
        connect!(self.results.read => self.result);

        // Stage 1: what is left after the offset, and what may move.
        self.there_1_q.d.next = self.go.val();
        self.request_1_q.d.next = self.request.val();
        self.entry_1_q.d.next = self.entry.val();
        self.refused_1_q.d.next = self.refused.val();
        self.there_2_q.d.next = self.there_1_q.q.val();
        self.request_2_q.d.next = self.request_1_q.q.val();
        self.entry_2_q.d.next = self.entry_1_q.q.val();
        self.refused_2_q.d.next = self.refused_1_q.q.val();
        self.facts_2_q.d.next = self.memory.read_data.val();
        self.left_2_q.d.next = bit_cast::<65, 64>(self.memory.read_data.val().length)
            - bit_cast::<65, 64>(self.request_1_q.q.val().remote_offset);
        self.wanted_2_q.d.next = self.request_1_q.q.val().limit;
        if self.request_1_q.q.val().length < self.request_1_q.q.val().limit {
            self.wanted_2_q.d.next = self.request_1_q.q.val().length;
        }

        // Stage 2: what moves.
        self.left.next = self.left_2_q.q.val();
        self.fits.next = self.left.val().get_bits::<32>(32).any()
            | (self.left.val().get_bits::<32>(0) >= self.wanted_2_q.q.val());
        self.moved.next = self.left.val().get_bits::<32>(0);
        if self.fits.val() {
            self.moved.next = self.wanted_2_q.q.val();
        }
        if self.left.val().get_bit(64) {
            self.moved.next = 0.into();
        }
        self.takes.next = !self.refused_2_q.q.val() & !self.request_2_q.q.val().crowded.any();
        self.outcome.next = self.codes.matched.val();
        if self.refused_2_q.q.val() {
            self.outcome.next = self.codes.operation.val();
        } else if self.request_2_q.q.val().crowded.any() {
            self.outcome.next = self.codes.dropped.val();
        }
        self.index.next = self.request_2_q.q.val().portal_index;
        self.id.next = self.entry_2_q.q.val();
        self.results.write.valid.next = self.there_2_q.q.val();
        self.results.write.data.next.handle = self.request_2_q.q.val().handle;
        self.results.write.data.next.outcome = self.outcome.val().get_bits::<3>(0);
        self.results.write.data.next.context = self.request_2_q.q.val().context;
        self.results.write.data.next.portal = self.index.val().get_bits::<6>(0);
        self.results.write.data.next.portal_disabled = 0.into();
        self.results.write.data.next.flow_control = 0.into();
        self.results.write.data.next.crowded = 0.into();
        if !self.refused_2_q.q.val() {
            self.results.write.data.next.crowded = self.request_2_q.q.val().crowded;
        }
        self.results.write.data.next.entry_id = self.id.val().get_bits::<10>(2);
        self.results.write.data.next.list = 0.into();
        self.results.write.data.next.options = 0.into();
        if !self.refused_2_q.q.val() {
            self.results.write.data.next.options = self.facts_2_q.q.val().options;
        }
        self.results.write.data.next.counter = self.facts_2_q.q.val().counter;
        self.results.write.data.next.user_ptr = self.facts_2_q.q.val().user_ptr;
        self.results.write.data.next.start = self.facts_2_q.q.val().start;
        self.results.write.data.next.pieces = 0.into();
        self.results.write.data.next.offset = self.request_2_q.q.val().remote_offset;
        self.results.write.data.next.mlength = self.moved.val();
        self.results.write.data.next.auto_unlink = self.takes.val().into();
        self.results.write.data.next.auto_free = 0.into();
        self.results.write.data.next.unexpected = 0.into();
        self.results.write.data.next.header = 0.into();
    }
}
