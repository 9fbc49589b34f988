//! `MatchWalk`: finds the entry that a request matches: a chunk of four entries a cycle, a new request every two
//! cycles.
//!
//! **Purpose.** Walks the priority list, then the overflow list, of a request's portal entry, and goes on to the next
//! request before it is known what becomes of this one. What the match means is decided by
//! [`MatchSettle`](super::match_settle::MatchSettle).
//!
//! ```text
//!   start*          -->+-----------+--> start_take, rewind*, key_of         (request window)
//!   head, some,     -->|           |--> head_of, other_of, next_of,         (entry store)
//!   other_head,        |           |    slots_of, chunk
//!   other_some,        | MatchWalk |
//!   behind, more,      |           |
//!   slots, ids, hits   |           |
//!   free, stall,    -->|           |--> found, found_valid                  (settle)
//!   consume, retry,    |           |
//!   last               +-----------+
//! ```
//!
//! **Contract.** For each request started, in order, one `found` with `found_valid` while `free`: the first entry in
//! use that matches, or `matched` = 0 after both lists. An entry that `consume` says is used up (`last` names it) is
//! not found in that cycle or later. With `retry` the search begins again after `last.slot` of `last.chunk`, and what
//! was found for later requests is forgotten: so the last `found` of each counts.
//!
//! **Internals.** A pipeline without enables; what cannot go on goes back (`replay`).
//! ```text
//!   s0 issue            s1              s2                  s3
//!   next position,      first half of   second half,        first hit in use,
//!   chunk to the banks  the compare     slots in use        found
//! ```
//! A position is a chunk of a list, an empty list, or the end after both lists, which is found by nobody and so
//! decides. The walker issues one each cycle. After two (an XTQ put: three) cycles it leaves its request for the next
//! one, if that waits. If s3 then finds that the request had no hit so far and nothing of it follows, the walk is taken
//! up after that position, all later requests start again, and the request keeps the walker until it is decided about
//! (`long_q`). It keeps it, too, if no other came in the first four cycles. A hit or an end for which settle is not
//! free is parked (`p_q`) for a cycle; if that was not enough, the same position is issued again. Parking lets a
//! request that had its hit in the second chunk, because the first one has just been emptied, delay those after it once
//! and not again and again.
//!
//! What is known late only chooses. The first position of the next request and the next one of this request are made
//! side by side, each with a list head of its own, and so is what happens with and without `consume`. Of a request that
//! is parked while another position of it is in s3 the pointers are equal, so which request is in front
//! (`front_pointer`) does not wait for what was found.

use super::first_hit::FirstHit;
use crate::bundle::PulseOut;
use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::match_lists::{FoundEntry, WalkOp};

/// The search through a portal entry's lists, in `2^E` chunks.
#[block]
pub struct MatchWalk<const E: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From the window: there is a request to start.
    pub start_valid: Signal<In, Bit>,
    /// Its pointer.
    pub start_pointer: Signal<In, Bits<3>>,
    /// Its portal entry.
    pub start_portal: Signal<In, Bits<8>>,
    /// It is an XTQ put.
    pub start_xtq: Signal<In, Bit>,
    /// To the window: it is started.
    pub start_take: Signal<Out, Bit>,
    /// Go back.
    pub rewind: Signal<Out, Bit>,
    /// To this request.
    pub rewind_to: Signal<Out, Bits<3>>,
    /// Place of the request in s1.
    pub key_of: Signal<Out, Bits<2>>,

    /// To the entry store: priority list of the request to start, {list 1, portal 8}.
    pub head_of: Signal<Out, Bits<9>>,
    /// From it: the first chunk.
    pub head: Signal<In, Bits<E>>,
    /// The list is not empty.
    pub some: Signal<In, Bit>,
    /// Overflow list of the request that is walked, {list 1, portal 8}.
    pub other_of: Signal<Out, Bits<9>>,
    /// Its first chunk.
    pub other_head: Signal<In, Bits<E>>,
    /// It is not empty.
    pub other_some: Signal<In, Bit>,
    /// Chunk to go on from.
    pub next_of: Signal<Out, Bits<E>>,
    /// Chunk after it.
    pub behind: Signal<In, Bits<E>>,
    /// There is one.
    pub more: Signal<In, Bit>,
    /// Chunk to read.
    pub chunk: Signal<Out, Bits<E>>,
    /// Entries of its slots, slot 0 lowest, in s1.
    pub ids: Signal<In, Bits<48>>,
    /// They match, in s2.
    pub hits: Signal<In, Bits<4>>,
    /// Chunk in s2.
    pub slots_of: Signal<Out, Bits<E>>,
    /// Its slots in use.
    pub slots: Signal<In, Bits<4>>,

    /// To settle: what was found.
    pub found: PulseOut<FoundEntry>,
    /// From settle: it can take one.
    pub free: Signal<In, Bit>,
    /// It waits for others: issue nothing.
    pub stall: Signal<In, Bit>,
    /// What it was given last is used up by this request.
    pub consume: Signal<In, Bit>,
    /// What it was given last does not match after all.
    pub retry: Signal<In, Bit>,
    /// What it was given last.
    pub last: Signal<In, FoundEntry>,

    /// Position issued last, or to be issued again.
    at_q: Reg<WalkOp>,
    active_q: Reg<Bit>,
    again_q: Reg<Bit>,
    long_q: Reg<Bit>,
    /// The request that the walker is at is an XTQ put.
    xtq_q: Reg<Bit>,
    /// Cycles since it was started, up to 4.
    since_q: Reg<Bits<3>>,
    s1_valid_q: Delay<Bit>,
    s1_q: Reg<WalkOp>,
    s2_valid_q: Delay<Bit>,
    s2_q: Reg<WalkOp>,
    s2_ids_q: Reg<Bits<48>>,
    s3_valid_q: Delay<Bit>,
    s3_q: Reg<WalkOp>,
    s3_ids_q: Reg<Bits<48>>,
    s3_hits_q: Reg<Bits<4>>,
    /// What waits in front of s3.
    p_valid_q: Delay<Bit>,
    p_q: Reg<WalkOp>,
    p_ids_q: Reg<Bits<48>>,
    p_hits_q: Reg<Bits<4>>,
    parked: FirstHit,
    direct: FirstHit,
    spaced: Signal<Local, Bit>,
    may_leave: Signal<Local, Bit>,
    /// The next request is to be started, unless all waits.
    turns: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    goes_on: Signal<Local, Bit>,
    issues: Signal<Local, Bit>,
    /// The next position of the request that is walked.
    onward: Signal<Local, WalkOp>,
    op: Signal<Local, WalkOp>,
    at_portal: Signal<Local, Bits<8>>,
    wide_portal: Signal<Local, Bits<9>>,
    overflow_bit: Signal<Local, Bits<9>>,
    at_chunk: Signal<Local, Bits<12>>,
    op_chunk: Signal<Local, Bits<12>>,
    s1_pointer: Signal<Local, Bits<3>>,
    s2_chunk: Signal<Local, Bits<12>>,
    slot_one: Signal<Local, Bits<4>>,
    last_hot: Signal<Local, Bits<4>>,
    gone_2: Signal<Local, Bits<4>>,
    gone_3: Signal<Local, Bits<4>>,
    same: Signal<Local, Bit>,
    /// What is parked decides: without and with `consume`, and now.
    all_p: Signal<Local, Bit>,
    left_p: Signal<Local, Bit>,
    p_decides: Signal<Local, Bit>,
    /// What is in s3 decides, unless what is parked does.
    s3_may: Signal<Local, Bit>,
    /// One of both decides: without and with `consume`.
    all_decide: Signal<Local, Bit>,
    left_decide: Signal<Local, Bit>,
    front_pointer: Signal<Local, Bits<3>>,
    front: Signal<Local, WalkOp>,
    parks: Signal<Local, Bit>,
    decides: Signal<Local, Bit>,
    hands_over: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    blocked: Signal<Local, Bit>,
    followed: Signal<Local, Bit>,
    left_alone: Signal<Local, Bit>,
    replay: Signal<Local, Bit>,
    op_done: Signal<Local, Bit>,
    s1_done: Signal<Local, Bit>,
    s2_done: Signal<Local, Bit>,
    back: Signal<Local, WalkOp>,
}

#[kernel]
impl<const E: usize> Logic for MatchWalk<E> {
    fn update(&mut self) {
        // s0: the next position of this request, or the first of the next one.
        self.spaced.next =
            (self.since_q.q.val() >= 2) & (!self.xtq_q.q.val() | (self.since_q.q.val() >= 3));
        self.may_leave.next =
            !self.active_q.q.val() | (!self.long_q.q.val() & (self.since_q.q.val() != 4));
        self.turns.next = self.start_valid.val() & self.spaced.val() & self.may_leave.val();
        self.starts.next = self.turns.val() & !self.stall.val();
        self.goes_on.next = self.active_q.q.val() & !self.turns.val() & !self.stall.val();
        self.issues.next = self.starts.val() | self.goes_on.val();
        self.at_portal.next = self.at_q.q.val().portal;
        self.at_chunk.next = self.at_q.q.val().chunk;
        self.overflow_bit.next = 256.into();
        self.wide_portal.next = bit_cast::<9, 8>(self.at_portal.val());
        self.head_of.next = bit_cast::<9, 8>(self.start_portal.val());
        self.other_of.next = self.wide_portal.val() | self.overflow_bit.val();
        // Not the output of a register as it is: a synthesizer would move that register into the memory, and read it by
        // what the register becomes.
        self.next_of.next = bit_cast::<E, 12>(self.at_chunk.val());
        if self.again_q.q.val() {
            self.next_of.next = 0.into();
        }
        self.onward.next.pointer = self.at_q.q.val().pointer;
        self.onward.next.portal = self.at_q.q.val().portal;
        self.onward.next.list = self.at_q.q.val().list;
        self.onward.next.some = 1.into();
        self.onward.next.chunk = bit_cast::<12, E>(self.behind.val());
        self.onward.next.skip = 0.into();
        self.onward.next.ends = 0.into();
        if self.again_q.q.val() {
            self.onward.next.some = self.at_q.q.val().some;
            self.onward.next.chunk = self.at_q.q.val().chunk;
            self.onward.next.skip = self.at_q.q.val().skip;
            self.onward.next.ends = self.at_q.q.val().ends;
        } else if (self.at_q.q.val().some == 0) | !self.more.val() {
            // After the list: the overflow list, or the end.
            self.onward.next.list = 1.into();
            self.onward.next.chunk = bit_cast::<12, E>(self.other_head.val());
            if (self.at_q.q.val().list == 1) | !self.other_some.val() {
                self.onward.next.some = 0.into();
                self.onward.next.ends = 1.into();
            }
        }
        self.op.next = self.onward.val();
        if self.turns.val() {
            self.op.next.pointer = self.start_pointer.val();
            self.op.next.portal = self.start_portal.val();
            self.op.next.list = 0.into();
            self.op.next.some = self.some.val().into();
            self.op.next.chunk = bit_cast::<12, E>(self.head.val());
            self.op.next.skip = 0.into();
            self.op.next.ends = 0.into();
        }
        self.op_chunk.next = self.op.val().chunk;
        self.chunk.next = bit_cast::<E, 12>(self.op_chunk.val());
        self.start_take.next = self.starts.val();

        // s1: the keys are compared.
        self.s1_q.d.next = self.op.val();
        self.s1_q.en.next = self.issues.val();
        self.s1_pointer.next = self.s1_q.q.val().pointer;
        self.key_of.next = self.s1_pointer.val().get_bits::<2>(0);
        self.s2_q.d.next = self.s1_q.q.val();
        self.s2_q.en.next = self.s1_valid_q.q.val();
        self.s2_ids_q.d.next = self.ids.val();
        self.s2_ids_q.en.next = self.s1_valid_q.q.val();

        // s2: hits in slots in use.
        self.slot_one.next = 1.into();
        self.last_hot.next = self.slot_one.val() << self.last.val().slot;
        self.s2_chunk.next = self.s2_q.q.val().chunk;
        self.slots_of.next = bit_cast::<E, 12>(self.s2_chunk.val());
        self.gone_2.next = self.s2_q.q.val().skip;
        if self.consume.val() & (self.s2_q.q.val().chunk == self.last.val().chunk) {
            self.gone_2.next = self.s2_q.q.val().skip | self.last_hot.val();
        }
        self.s3_hits_q.d.next = 0.into();
        if self.s2_q.q.val().some == 1 {
            self.s3_hits_q.d.next = self.hits.val() & self.slots.val() & !self.gone_2.val();
        }
        self.s3_hits_q.en.next = self.s2_valid_q.q.val();
        self.s3_q.d.next = self.s2_q.q.val();
        self.s3_q.en.next = self.s2_valid_q.q.val();
        self.s3_ids_q.d.next = self.s2_ids_q.q.val();
        self.s3_ids_q.en.next = self.s2_valid_q.q.val();

        // s3, and in front of it what was parked there: the first hit.
        self.parked.hits.next = self.p_hits_q.q.val();
        self.parked.ids.next = self.p_ids_q.q.val();
        self.parked.gone.next = 0.into();
        if self.p_q.q.val().chunk == self.last.val().chunk {
            self.parked.gone.next = self.last_hot.val();
        }
        self.direct.hits.next = self.s3_hits_q.q.val();
        self.direct.ids.next = self.s3_ids_q.q.val();
        self.gone_3.next = 0.into();
        if self.s3_q.q.val().chunk == self.last.val().chunk {
            self.gone_3.next = self.last_hot.val();
        }
        self.direct.gone.next = self.gone_3.val();
        self.same.next = self.p_valid_q.q.val()
            & self.s3_valid_q.q.val()
            & (self.p_q.q.val().pointer == self.s3_q.q.val().pointer);
        self.all_p.next =
            self.p_valid_q.q.val() & (self.parked.all_any.val() | (self.p_q.q.val().ends == 1));
        self.left_p.next =
            self.p_valid_q.q.val() & (self.parked.left_any.val() | (self.p_q.q.val().ends == 1));
        self.s3_may.next = self.s3_valid_q.q.val() & (!self.p_valid_q.q.val() | self.same.val());
        self.all_decide.next = self.all_p.val()
            | (self.s3_may.val() & (self.direct.all_any.val() | (self.s3_q.q.val().ends == 1)));
        self.left_decide.next = self.left_p.val()
            | (self.s3_may.val() & (self.direct.left_any.val() | (self.s3_q.q.val().ends == 1)));
        self.p_decides.next = self.all_p.val();
        self.decides.next = self.all_decide.val();
        if self.consume.val() {
            self.p_decides.next = self.left_p.val();
            self.decides.next = self.left_decide.val();
        }
        self.hands_over.next = self.decides.val() & self.free.val() & !self.retry.val();
        self.front_pointer.next = self.s3_q.q.val().pointer;
        if self.p_valid_q.q.val() {
            self.front_pointer.next = self.p_q.q.val().pointer;
        }
        self.front.next = self.s3_q.q.val();
        if self.p_decides.val() | (self.p_valid_q.q.val() & !self.same.val()) {
            self.front.next = self.p_q.q.val();
        }
        self.found.valid.next = self.hands_over.val();
        self.found.data.next.pointer = self.front_pointer.val();
        self.found.data.next.portal = self.front.val().portal;
        self.found.data.next.list = self.front.val().list;
        self.found.data.next.chunk = self.front.val().chunk;
        self.found.data.next.skip = self.front.val().skip;
        self.found.data.next.matched = self.direct.all_any.val().into();
        self.found.data.next.slot = self.direct.all_slot.val();
        self.found.data.next.id = self.direct.all_id.val();
        if self.all_p.val() {
            self.found.data.next.matched = self.parked.all_any.val().into();
            self.found.data.next.slot = self.parked.all_slot.val();
            self.found.data.next.id = self.parked.all_id.val();
        }
        if self.consume.val() {
            self.found.data.next.matched = self.direct.left_any.val().into();
            self.found.data.next.slot = self.direct.left_slot.val();
            self.found.data.next.id = self.direct.left_id.val();
            if self.left_p.val() {
                self.found.data.next.matched = self.parked.left_any.val().into();
                self.found.data.next.slot = self.parked.left_slot.val();
                self.found.data.next.id = self.parked.left_id.val();
            }
        }

        // A decision that settle cannot take yet is parked for a cycle; so is what comes after one that is taken from
        // there.
        self.parks.next = self.s3_valid_q.q.val()
            & ((self.decides.val() & !self.p_valid_q.q.val() & !self.free.val())
                | (self.hands_over.val() & self.p_valid_q.q.val() & !self.same.val()));
        self.p_q.d.next = self.s3_q.q.val();
        self.p_q.en.next = self.parks.val();
        self.p_ids_q.d.next = self.s3_ids_q.q.val();
        self.p_ids_q.en.next = self.parks.val();
        self.p_hits_q.d.next = self.s3_hits_q.q.val();
        self.p_hits_q.en.next = self.parks.val();

        // What has to go back: a decision that waited in vain, a request without a hit that was left, an entry that
        // does not match after all.
        self.waits.next = !self.free.val() & self.p_valid_q.q.val();
        self.blocked.next = self.decides.val() & self.waits.val();
        self.followed.next = (self.s2_valid_q.q.val()
            & (self.s2_q.q.val().pointer == self.front_pointer.val()))
            | (self.s1_valid_q.q.val() & (self.s1_q.q.val().pointer == self.front_pointer.val()))
            | (self.active_q.q.val()
                & !self.starts.val()
                & (self.at_q.q.val().pointer == self.front_pointer.val()));
        self.left_alone.next =
            (self.p_valid_q.q.val() | self.s3_valid_q.q.val()) & !self.followed.val();
        self.replay.next = self.retry.val() | self.left_alone.val();
        if self.decides.val() {
            self.replay.next = self.retry.val() | self.waits.val();
        }
        self.back.next = self.front.val();
        self.back.next.pointer = self.front_pointer.val();
        if self.retry.val() {
            self.back.next.pointer = self.last.val().pointer;
            self.back.next.portal = self.last.val().portal;
            self.back.next.list = self.last.val().list;
            self.back.next.some = 1.into();
            self.back.next.chunk = self.last.val().chunk;
            self.back.next.skip = self.last.val().skip | self.last_hot.val();
            self.back.next.ends = 0.into();
        }
        self.rewind.next = self.replay.val();
        self.rewind_to.next = self.back.val().pointer + 1;

        // What is after s0 to s2 belongs to nobody if it goes back, or if its request is decided.
        self.op_done.next = self.hands_over.val()
            & !self.turns.val()
            & (self.at_q.q.val().pointer == self.front_pointer.val());
        self.s1_done.next =
            self.hands_over.val() & (self.s1_q.q.val().pointer == self.front_pointer.val());
        self.s2_done.next =
            self.hands_over.val() & (self.s2_q.q.val().pointer == self.front_pointer.val());
        self.p_valid_q.d.next = self.parks.val() & !self.replay.val();
        self.s1_valid_q.d.next = self.issues.val() & !self.op_done.val() & !self.replay.val();
        self.s2_valid_q.d.next = self.s1_valid_q.q.val() & !self.s1_done.val() & !self.replay.val();
        self.s3_valid_q.d.next = self.s2_valid_q.q.val() & !self.s2_done.val() & !self.replay.val();

        // The walker.
        self.at_q.d.next = self.op.val();
        self.at_q.en.next = self.issues.val() | self.replay.val();
        self.active_q.d.next = (self.op.val().ends == 0) & !self.op_done.val();
        self.active_q.en.next = self.issues.val() | self.op_done.val() | self.replay.val();
        self.again_q.d.next = false;
        self.again_q.en.next = self.issues.val() | self.replay.val();
        self.long_q.d.next = false;
        self.long_q.en.next = self.starts.val() | self.replay.val();
        if self.replay.val() {
            self.at_q.d.next = self.back.val();
            self.active_q.d.next = true;
            self.again_q.d.next = self.retry.val() | self.blocked.val();
            self.long_q.d.next = true;
        }
        self.xtq_q.d.next = self.start_xtq.val();
        self.xtq_q.en.next = self.starts.val();
        self.since_q.d.next = self.since_q.q.val() + 1;
        self.since_q.en.next = self.since_q.q.val() != 4;
        if self.starts.val() {
            self.since_q.d.next = 1.into();
            self.since_q.en.next = true;
        }
    }
}
