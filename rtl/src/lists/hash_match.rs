//! `HashMatch`: pairs posted receives and messages by their exact key, in any order of different keys.
//!
//! **Purpose.** Matching without wildcards and without order between keys, in a time that does not depend on how many
//! wait: unordered regions of MPI (Klenk's dissertation, 6.3.2.4 and listing 7.1). It holds numbers of match entries
//! and headers, not what they say. Where wildcards or ignore bits are needed use
//! [`MatchUnit`](super::match_unit::MatchUnit).
//!
//! ```text
//!            +-----------+
//! request -->| HashMatch |--> result
//!            |           |--> keys
//!            +-----------+
//! ```
//!
//! **Contract.** One request a cycle, whatever keys follow each other; its result 4 cycles later, in order. Only a
//! CANCEL may take longer.
//! * POST takes the header that has waited longest with the same key, or waits; ARRIVE takes the match entry that has,
//!   or waits. So for each key partners are found first in, first out, and no key has both entries and headers.
//! * NO_SPACE: a new key finds both of its buckets full, and the stash. Nothing has changed. Keys that have a slot take
//!   any number of entries or headers.
//! * POST and ARRIVE to a portal entry that is not open end as NOT_OPEN. OPEN and CLOSE are done only while nothing
//!   waits there, else IN_USE: inside a region all matching is unordered, outside it none is.
//! * TAKE does not wait: without a partner it ends as NOT_FOUND. LOOK changes nothing and names the partner.
//! * CANCEL takes its own number out of the entries (POST) or headers (ARRIVE) that wait with its key: CANCELLED, or
//!   NOT_FOUND if it does not wait. The others keep their order. Of *n* that wait with the key it takes *n* - 1 cycles
//!   more, and the next request is accepted *n* + 2 cycles after it (3 if nothing waits).
//! * A number of an entry is not posted again before it was matched or cancelled, and so a header's; who gives them out
//!   sees to it.
//! * Reset forgets all. No request is accepted for 1,024 cycles after it at most.
//!
//! **Internals.**
//! ```text
//!   request -> KeyHash | read two buckets | search, decide | write, second of a chain | results
//! ```
//! The step "search, decide" sees all writes of requests before: [`SlotBank`](slot_bank::SlotBank) shows a write in its
//! cycle. A chain is linked through `links`. A slot keeps its two oldest numbers, so that the next request with the
//! same key finds its partner without waiting for the link of this one. Requests are accepted only while `results` has
//! a place for each, so the pipeline never stops. A CANCEL stays in "search, decide" and turns the chain around once, a
//! number a cycle: the oldest goes to the end, unless it is the one, which is gone. No request is after it meanwhile.
//! Invariants: at most one slot has a key, in one of the key's two buckets or in the stash; `keys` is the number of
//! slots in use.

pub mod key_hash;
pub mod slot_bank;
pub mod slot_stash;
pub mod slot_way;
pub mod stash_slot;

use crate::bundle::{StreamIn, StreamOut};
use crate::codes::hash_codes::HashCodes;
use crate::leaf::{Delay, Fifo, ForwardRam, QueueRoom, Ram, Reg};
use key_hash::KeyHash;
use rust_hdl::prelude::*;
use slot_bank::SlotBank;
use slot_stash::SlotStash;
use xtq_kernel::{block, kernel};
use xtq_types::hash_match::{HashPortal, HashRequest, HashResult, HashSlot};

/// A hash matcher of 2 x `2^B` buckets of `W` slots and a stash of `S`, for numbers of `L - 1` bits and `2^P` portal
/// entries of all contexts: of {portal entry 6, context 2} the lowest `P` bits count.
#[block]
#[check((2..=13).contains(&L), "HashMatch: links of {L} bits, must be 2 to 13")]
#[check((1..=8).contains(&P), "HashMatch: 2^{P} portal entries, must be 2 to 256")]
pub struct HashMatch<const B: usize, const W: usize, const S: usize, const L: usize, const P: usize>
{
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; forgets all.
    pub rst: Signal<In, Bit>,
    /// A post, an arrival, or a portal entry to open or close.
    pub request: StreamIn<HashRequest>,
    /// What became of it.
    pub result: StreamOut<HashResult>,
    /// Keys that have a slot.
    pub keys: Signal<Out, Bits<14>>,

    codes: HashCodes,
    clear_q: Reg<Bits<11>>,
    cleared_q: Reg<Bit>,
    room: QueueRoom<4>,
    results: Fifo<HashResult, 3, 4>,
    hash: KeyHash<B>,
    first: SlotBank<B, W>,
    second: SlotBank<B, W>,
    stash: SlotStash<S>,
    links: Ram<Bits<12>, L>,
    portals: ForwardRam<HashPortal, P>,
    // The stages of the pipeline: 1 reads, 2 decides, 3 writes.
    there_1_q: Delay<Bit>,
    there_2_q: Delay<Bit>,
    there_3_q: Delay<Bit>,
    /// A cancel is in the pipeline.
    cancelling_q: Reg<Bit>,
    /// It has looked at a number; at the one that it looks for; and the last one that it has to look at.
    turning_q: Delay<Bit>,
    gone_q: Delay<Bit>,
    last_q: Delay<Bits<12>>,
    request_1_q: Delay<HashRequest>,
    request_2_q: Delay<HashRequest>,
    result_3_q: Delay<HashResult>,
    first_1_q: Delay<Bits<B>>,
    first_2_q: Delay<Bits<B>>,
    first_3_q: Delay<Bits<B>>,
    second_1_q: Delay<Bits<B>>,
    second_2_q: Delay<Bits<B>>,
    second_3_q: Delay<Bits<B>>,
    first_ways_q: Delay<Bits<W>>,
    second_ways_q: Delay<Bits<W>>,
    stash_ways_q: Delay<Bits<S>>,
    slot_3_q: Delay<HashSlot>,
    fetch_3_q: Delay<Bit>,
    keys_q: Reg<Bits<14>>,
    #[value((u64::MAX >> (64 - W)).to_bits())]
    all_ways: Constant<Bits<W>>,
    #[value(HashSlot::default())]
    nothing: Constant<HashSlot>,
    /// Last word of the largest memory that is cleared.
    #[value(((1u64 << if B > P { B } else { P }) - 1).to_bits())]
    last_word: Constant<Bits<11>>,
    clearing: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    raw: Signal<Local, Bits<112>>,
    raw_1: Signal<Local, Bits<112>>,
    raw_2: Signal<Local, Bits<112>>,
    op: Signal<Local, Bits<4>>,
    number: Signal<Local, Bits<12>>,
    arrives: Signal<Local, Bit>,
    regional: Signal<Local, Bit>,
    state: Signal<Local, HashPortal>,
    found: Signal<Local, HashSlot>,
    held: Signal<Local, Bit>,
    single: Signal<Local, Bit>,
    pair: Signal<Local, Bit>,
    place: Signal<Local, Bit>,
    works: Signal<Local, Bit>,
    mode: Signal<Local, Bits<4>>,
    asked_mode: Signal<Local, Bits<4>>,
    cancels: Signal<Local, Bit>,
    matched: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    own: Signal<Local, Bit>,
    last_one: Signal<Local, Bits<12>>,
    again: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    removed: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    turns: Signal<Local, Bit>,
    changes: Signal<Local, Bit>,
    outcome: Signal<Local, Bits<4>>,
    slot: Signal<Local, HashSlot>,
    linked: Signal<Local, Bits<12>>,
    written: Signal<Local, HashSlot>,
    write_link: Signal<Local, Bits<13>>,
    read_link: Signal<Local, Bits<13>>,
}

#[kernel]
impl<const B: usize, const W: usize, const S: usize, const L: usize, const P: usize> Logic
    for HashMatch<B, W, S, L, P>
{
    fn update(&mut self) {
        // After reset all memories are cleared.
        self.clearing.next = !self.cleared_q.q.val();
        self.clear_q.d.next = self.clear_q.q.val() + 1;
        self.clear_q.en.next = self.clearing.val();
        self.cleared_q.d.next = true;
        self.cleared_q.en.next = self.clear_q.q.val() == self.last_word.val();

        // Accept.
        self.free.next = self.room.free.val() & !self.clearing.val() & !self.cancelling_q.q.val();
        self.accept.next = self.request.valid.val() & self.free.val();
        self.request.ready.next = self.free.val();
        self.room.come.next = self.accept.val();
        self.room.leave.next = self.results.read.valid.val() & self.result.ready.val();
        connect!(self.results.read => self.result);
        self.raw.next = self.request.data.val().into();
        self.hash.key.next = self.raw.val().get_bits::<96>(14);
        self.there_1_q.d.next = self.accept.val();
        self.request_1_q.d.next = self.request.data.val();
        self.first_1_q.d.next = self.hash.first.val();
        self.second_1_q.d.next = self.hash.second.val();

        // A cancel stays in stage 1 while it is at work in stage 2, so that its buckets are read in each cycle.
        if self.cancelling_q.q.val() {
            self.request_1_q.d.next = self.request_1_q.q.val();
            self.first_1_q.d.next = self.first_1_q.q.val();
            self.second_1_q.d.next = self.second_1_q.q.val();
        }
        self.asked_mode.next = bit_cast::<4, 2>(self.request.data.val().mode);
        self.cancelling_q.d.next = self.accept.val();
        self.cancelling_q.en.next =
            self.accept.val() & (self.asked_mode.val() == self.codes.mode_cancel.val());

        // Stage 1: read.
        self.raw_1.next = self.request_1_q.q.val().into();
        self.first.bucket.next = self.first_1_q.q.val();
        self.second.bucket.next = self.second_1_q.q.val();
        self.portals.read_addr.next = self.raw_1.val().get_bits::<P>(14);
        self.request_2_q.d.next = self.request_1_q.q.val();
        self.first_2_q.d.next = self.first_1_q.q.val();
        self.second_2_q.d.next = self.second_1_q.q.val();

        // Stage 2: search.
        self.raw_2.next = self.request_2_q.q.val().into();
        self.number.next = self.request_2_q.q.val().number;
        self.first.key.next = self.raw_2.val().get_bits::<96>(14);
        self.second.key.next = self.raw_2.val().get_bits::<96>(14);
        self.stash.key.next = self.raw_2.val().get_bits::<96>(14);
        self.found.next = self.stash.found.val();
        if self.first.hits.val().any() {
            self.found.next = self.first.found.val();
        }
        if self.second.hits.val().any() {
            self.found.next = self.second.found.val();
        }
        self.held.next = self.first.hits.val().any()
            | self.second.hits.val().any()
            | self.stash.hits.val().any();
        self.single.next = self.found.val().head == self.found.val().tail;
        self.pair.next = self.found.val().second == self.found.val().tail;
        self.place.next = self.held.val()
            | self.first.free.val().any()
            | self.second.free.val().any()
            | self.stash.free.val().any();

        // Decide.
        self.op.next = bit_cast::<4, 2>(self.request_2_q.q.val().op);
        self.arrives.next = self.op.val() == self.codes.arrive.val();
        self.regional.next =
            (self.op.val() == self.codes.open.val()) | (self.op.val() == self.codes.close.val());
        self.state.next = self.portals.read_data.val();
        self.works.next =
            self.there_2_q.q.val() & !self.regional.val() & self.state.val().open.any();
        self.mode.next = bit_cast::<4, 2>(self.request_2_q.q.val().mode);
        self.cancels.next = self.works.val() & (self.mode.val() == self.codes.mode_cancel.val());
        self.own.next = self.held.val() & !(self.found.val().headers.any() ^ self.arrives.val());
        self.matched.next =
            self.works.val() & !self.cancels.val() & self.held.val() & !self.own.val();
        self.waits.next = self.works.val()
            & (self.mode.val() == self.codes.mode_wait.val())
            & self.place.val()
            & !self.matched.val();

        // A cancel looks at the oldest number, until it has looked at the one that was the newest when it began.
        self.last_one.next = self.found.val().tail;
        if self.turning_q.q.val() {
            self.last_one.next = self.last_q.q.val();
        }
        self.again.next =
            self.cancels.val() & self.own.val() & (self.found.val().head != self.last_one.val());
        self.ends.next = !self.again.val();
        self.there_2_q.d.next = self.there_1_q.q.val() | self.again.val();
        if self.cancelling_q.q.val() {
            self.cancelling_q.en.next = self.there_2_q.q.val()
                & (self.mode.val() == self.codes.mode_cancel.val())
                & self.ends.val();
        }
        self.removed.next =
            self.cancels.val() & self.own.val() & (self.found.val().head == self.number.val());
        self.turns.next =
            self.cancels.val() & self.own.val() & !self.removed.val() & !self.single.val();
        self.turning_q.d.next = self.again.val();
        self.gone_q.d.next = self.removed.val() | (self.turning_q.q.val() & self.gone_q.q.val());
        self.last_q.d.next = self.last_one.val();
        self.takes.next = (self.matched.val() & (self.mode.val() != self.codes.mode_look.val()))
            | self.removed.val();
        self.changes.next = self.takes.val() | self.waits.val() | self.turns.val();

        // What becomes of it.
        self.outcome.next = self.codes.no_space.val();
        if self.mode.val() != self.codes.mode_wait.val() {
            self.outcome.next = self.codes.not_found.val();
        }
        if self.removed.val() | (self.turning_q.q.val() & self.gone_q.q.val()) {
            self.outcome.next = self.codes.cancelled.val();
        }
        if self.matched.val() {
            self.outcome.next = self.codes.matched.val();
        }
        if self.waits.val() {
            self.outcome.next = self.codes.waits.val();
        }
        if !self.state.val().open.any() {
            self.outcome.next = self.codes.not_open.val();
        }
        if self.regional.val() {
            self.outcome.next = self.codes.done.val();
            if self.state.val().waiting.any() {
                self.outcome.next = self.codes.in_use.val();
            }
        }
        self.result_3_q.d.next.op = self.request_2_q.q.val().op;
        self.result_3_q.d.next.number = self.number.val();
        self.result_3_q.d.next.outcome = self.outcome.val().get_bits::<3>(0);
        self.result_3_q.d.next.partner = 0.into();
        if self.matched.val() {
            self.result_3_q.d.next.partner = self.found.val().head;
        }
        self.there_3_q.d.next = self.there_2_q.q.val() & self.ends.val();

        // The portal entry.
        self.portals.write_addr.next = self.raw_2.val().get_bits::<P>(14);
        self.portals.write_en.next = self.there_2_q.q.val();
        self.portals.write_data.next.open = self.state.val().open;
        self.portals.write_data.next.waiting = self.state.val().waiting;
        if self.takes.val() {
            self.portals.write_data.next.waiting = self.state.val().waiting - 1;
        }
        if self.waits.val() {
            self.portals.write_data.next.waiting = self.state.val().waiting + 1;
        }
        if self.regional.val() & !self.state.val().waiting.any() {
            self.portals.write_data.next.open = (self.op.val() == self.codes.open.val()).into();
        }
        if self.clearing.val() {
            self.portals.write_addr.next = self.clear_q.q.val().get_bits::<P>(0);
            self.portals.write_en.next = true;
            self.portals.write_data.next.open = 0.into();
            self.portals.write_data.next.waiting = 0.into();
        }

        // The slot: a new key, one more in the chain, one less, or the oldest at its end.
        self.slot.next.valid = 1.into();
        self.slot.next.headers = self.arrives.val().into();
        self.slot.next.key = self.raw_2.val().get_bits::<96>(14);
        self.slot.next.head = self.number.val();
        self.slot.next.second = self.number.val();
        self.slot.next.tail = self.number.val();
        self.linked.next = self.number.val();
        if self.held.val() {
            self.slot.next.headers = self.found.val().headers;
            self.slot.next.head = self.found.val().head;
            if !self.single.val() {
                self.slot.next.second = self.found.val().second;
            }
        }
        if self.takes.val() {
            self.slot.next.valid = (!self.single.val()).into();
            self.slot.next.head = self.found.val().second;
            self.slot.next.tail = self.found.val().tail;
        }
        if self.turns.val() {
            self.slot.next.head = self.found.val().second;
            self.slot.next.second = self.found.val().head;
            self.slot.next.tail = self.found.val().head;
            self.linked.next = self.found.val().head;
        }
        self.slot_3_q.d.next = self.slot.val();
        self.fetch_3_q.d.next = self.takes.val() | (self.turns.val() & !self.pair.val());
        self.write_link.next = bit_cast::<13, 12>(self.found.val().tail) << 1
            | bit_cast::<13, 1>(self.found.val().headers);
        self.links.write_addr.next = self.write_link.val().get_bits::<L>(0);
        self.links.write_data.next = self.linked.val();
        self.links.write_en.next = (self.waits.val() & self.held.val()) | self.turns.val();
        self.read_link.next = bit_cast::<13, 12>(self.found.val().second) << 1
            | bit_cast::<13, 1>(self.found.val().headers);
        self.links.read_addr.next = self.read_link.val().get_bits::<L>(0);

        // Where it is: where the key was found, or the first place that is free.
        self.first_ways_q.d.next = 0.into();
        self.second_ways_q.d.next = 0.into();
        self.stash_ways_q.d.next = 0.into();
        if self.changes.val() {
            if self.held.val() {
                self.first_ways_q.d.next = self.first.hits.val();
                self.second_ways_q.d.next = self.second.hits.val();
                self.stash_ways_q.d.next = self.stash.hits.val();
            } else if self.first.free.val().any() {
                self.first_ways_q.d.next = self.first.free.val();
            } else if self.second.free.val().any() {
                self.second_ways_q.d.next = self.second.free.val();
            } else {
                self.stash_ways_q.d.next = self.stash.free.val();
            }
        }
        self.first_3_q.d.next = self.first_2_q.q.val();
        self.second_3_q.d.next = self.second_2_q.q.val();
        self.keys_q.d.next = self.keys_q.q.val() + 1;
        self.keys_q.en.next = self.waits.val() & !self.held.val();
        if self.takes.val() {
            self.keys_q.d.next = self.keys_q.q.val() - 1;
            self.keys_q.en.next = self.single.val();
        }
        self.keys.next = self.keys_q.q.val();

        // Stage 3: write.
        self.written.next = self.slot_3_q.q.val();
        if self.fetch_3_q.q.val() {
            self.written.next.second = self.links.read_data.val();
        }
        self.first.write_bucket.next = self.first_3_q.q.val();
        self.first.write_ways.next = self.first_ways_q.q.val();
        self.first.write_slot.next = self.written.val();
        self.second.write_bucket.next = self.second_3_q.q.val();
        self.second.write_ways.next = self.second_ways_q.q.val();
        self.second.write_slot.next = self.written.val();
        self.stash.write_ways.next = self.stash_ways_q.q.val();
        self.stash.write_slot.next = self.written.val();
        if self.clearing.val() {
            self.first.write_bucket.next = self.clear_q.q.val().get_bits::<B>(0);
            self.first.write_ways.next = self.all_ways.val();
            self.first.write_slot.next = self.nothing.val();
            self.second.write_bucket.next = self.clear_q.q.val().get_bits::<B>(0);
            self.second.write_ways.next = self.all_ways.val();
            self.second.write_slot.next = self.nothing.val();
        }
        self.results.write.data.next = self.result_3_q.q.val();
        self.results.write.valid.next = self.there_3_q.q.val();
    }
}
