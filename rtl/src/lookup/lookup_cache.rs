//! `LookupCache`: the table entries that were used lately.
//!
//! **Purpose.** Kernel, function and queue entries lie in host memory; every XTQ message needs two of them. The cache
//! answers from its own memory in two cycles and goes on answering while misses are fetched. It never writes, and a
//! change of an entry is reported to it.
//!
//! ```text
//!                 +-------------+
//!   request    -->|             |--> result       pulse, by tag
//!   invalidate -->| LookupCache |--> miss         to the read port
//!   fill       -->|             |--> count_hit, count_miss
//!                 +-------------+
//! ```
//!
//! **Contract.**
//! * One result for each request, in any order, distinguished by `tag`; a tag is used again only after its result. A
//!   hit accepted in cycle *n* is answered in *n + 2*, one a cycle. The answer to a fill in cycle *n* starts in *n +
//!   3*, one waiting tag a cycle.
//! * Up to four reads are under way; `miss` is offered two cycles after the request was accepted, its tag names the
//!   read. Each miss is answered by exactly one `fill`, in any order. A request for a line under way shares its read.
//!   The request that would need a fifth read waits, and so do those after it, for a read to end.
//! * A failed read answers `error` to all who wait and keeps nothing.
//! * A request accepted after an invalidate gets what memory held after the invalidate: the line is dropped, and a read
//!   of it under way is answered but neither kept nor shared.
//! * `hit` is 1 if and only if the entry came from the cache's memory. `count_hit` or `count_miss` counts each request
//!   once.
//! * While a fill is answered (a cycle a tag), and while an invalidate is offered, no request is accepted. Reset
//!   forgets all lines and reads.
//!
//! **Internals.** One pipeline, one operation a cycle; requests, fills and invalidates all go through it, so that their
//! order is the order of acceptance and the result has one writer. Precedence: fill, invalidate, a request that waited,
//! a request.
//! ```text
//!   accept      | look up (s1)                               | answer (s2)
//!   choose one  | tags, miss tracker; hit: read the entries; | result
//!               | miss: share or start a read; fill: write    |
//! ```
//! A request that finds no free read goes to `blocked`, which has two places: one for it and one for the request that
//! was accepted before `blocked` was seen to be in use. It comes back when a read is free. A fill for several tags
//! stays in s1 until the last is answered. What may have to be kept is written after the last word of `blocked` or
//! `misses` before it is known whether it misses; then only a tail moves. There is a place: a request that is looked up
//! while no read is free was accepted while nothing was `blocked`, so that one other at most is. And each of `misses`
//! has a read, so that three at most are there while one is free.

use crate::bundle::{PulseIn, PulseOut, StreamIn, StreamOut};
use crate::leaf::{Delay, LutRam, Ram, Reg};
use crate::lookup::lookup_tags::LookupTags;
use crate::lookup::miss_tracker::MissTracker;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::memory::{ReadRequest, ReadResult};
use xtq_types::pipe::{LookupRequest, LookupResult};

/// A 4-way cache of 64 table entries, hit under four misses.
#[block]
pub struct LookupCache {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; forgets all lines.
    pub rst: Signal<In, Bit>,
    /// From the lookup stage: an entry asked for.
    pub request: StreamIn<LookupRequest>,
    /// To the lookup stage: an entry.
    pub result: PulseOut<LookupResult>,
    /// To the read port: an entry to fetch.
    pub miss: StreamOut<ReadRequest>,
    /// From the read port: an entry fetched.
    pub fill: PulseIn<ReadResult>,
    /// From the registers: an entry that has changed, {context 2 (top), kind 2, index 16}.
    pub invalidate: StreamIn<Bits<20>>,
    /// Pulse: a request was served from the cache.
    pub count_hit: Signal<Out, Bit>,
    /// Pulse: a request waits for memory.
    pub count_miss: Signal<Out, Bit>,
    tags: LookupTags,
    tracker: MissTracker,
    entries: Ram<Bits<512>, 6>,
    fills: LutRam<ReadResult, 2>,
    misses: LutRam<ReadRequest, 2>,
    misses_head_q: Reg<Bits<3>>,
    misses_tail_q: Reg<Bits<3>>,
    blocked: LutRam<LookupRequest, 1>,
    blocked_head_q: Reg<Bits<2>>,
    blocked_tail_q: Reg<Bits<2>>,
    s1_request_q: Delay<Bit>,
    s1_invalidate_q: Delay<Bit>,
    s1_fill_q: Delay<Bit>,
    s1_q: Delay<LookupRequest>,
    s1_key_q: Reg<Bits<20>>,
    s1_read_q: Reg<Bits<2>>,
    s2_valid_q: Delay<Bit>,
    s2_hit_q: Delay<Bit>,
    s2_error_q: Delay<Bit>,
    s2_tag_q: Delay<Bits<4>>,
    s2_entry_q: Reg<Bits<512>>,
    count_miss_q: Delay<Bit>,
    hold: Signal<Local, Bit>,
    take_fill: Signal<Local, Bit>,
    take_invalidate: Signal<Local, Bit>,
    take_blocked: Signal<Local, Bit>,
    take_request: Signal<Local, Bit>,
    quiet: Signal<Local, Bit>,
    chosen: Signal<Local, LookupRequest>,
    wide_context: Signal<Local, Bits<20>>,
    wide_kind: Signal<Local, Bits<20>>,
    wide_index: Signal<Local, Bits<20>>,
    read_error: Signal<Local, Bit>,
    is_hit: Signal<Local, Bit>,
    is_share: Signal<Local, Bit>,
    is_miss: Signal<Local, Bit>,
    any_blocked: Signal<Local, Bit>,
    any_missed: Signal<Local, Bit>,
    keep: Signal<Local, Bit>,
    fetch: Signal<Local, ReadRequest>,
    size_line: Signal<Local, Bits<3>>,
    answer: Signal<Local, LookupResult>,
}

#[kernel]
impl Logic for LookupCache {
    fn update(&mut self) {
        // A read that comes back waits in `fills` for its turn.
        self.fills.write_addr.next = self.fill.data.val().tag;
        self.fills.write_data.next = self.fill.data.val();
        self.fills.write_en.next = self.fill.valid.val();
        self.tracker.arrive.next = self.fill.valid.val();
        self.tracker.arrived.next = self.fill.data.val().tag;

        // Accept: one operation.
        self.any_blocked.next = self.blocked_head_q.q.val() != self.blocked_tail_q.q.val();
        self.hold.next = self.s1_fill_q.q.val() & !self.tracker.drain_last.val();
        self.take_fill.next = !self.hold.val() & self.tracker.pending.val();
        self.quiet.next = !self.hold.val() & !self.tracker.pending.val();
        self.take_invalidate.next = self.quiet.val() & self.invalidate.valid.val();
        // Not after a request that may take the last free read, so that it never waits twice.
        self.take_blocked.next = self.quiet.val()
            & !self.invalidate.valid.val()
            & self.any_blocked.val()
            & !self.tracker.full.val()
            & !self.s1_request_q.q.val();
        self.take_request.next =
            self.quiet.val() & !self.invalidate.valid.val() & !self.any_blocked.val();
        self.request.ready.next = self.take_request.val();
        self.invalidate.ready.next = self.quiet.val();
        self.tracker.take.next = self.take_fill.val();
        self.blocked.read_addr.next = self.blocked_head_q.q.val().get_bits::<1>(0);
        self.blocked_head_q.d.next = self.blocked_head_q.q.val() + 1;
        self.blocked_head_q.en.next = self.take_blocked.val();

        self.chosen.next = self.request.data.val();
        if self.any_blocked.val() {
            self.chosen.next = self.blocked.read_data.val();
        }
        self.wide_context.next = bit_cast::<20, 2>(self.chosen.val().context);
        self.wide_kind.next = bit_cast::<20, 2>(self.chosen.val().kind);
        self.wide_index.next = bit_cast::<20, 16>(self.chosen.val().index);
        self.s1_q.d.next = self.chosen.val();
        self.s1_key_q.en.next = !self.hold.val();
        self.s1_key_q.d.next =
            (self.wide_context.val() << 18) | (self.wide_kind.val() << 16) | self.wide_index.val();
        if self.tracker.pending.val() {
            self.s1_key_q.d.next = self.tracker.pending_key.val();
        } else if self.invalidate.valid.val() {
            self.s1_key_q.d.next = self.invalidate.data.val();
        }
        self.s1_read_q.en.next = !self.hold.val();
        self.s1_read_q.d.next = self.tracker.pending_read.val();
        self.s1_request_q.d.next =
            self.take_blocked.val() | (self.take_request.val() & self.request.valid.val());
        self.s1_invalidate_q.d.next = self.take_invalidate.val();
        self.s1_fill_q.d.next = self.take_fill.val() | self.hold.val();

        // Look up.
        self.fills.read_addr.next = self.s1_read_q.q.val();
        self.tracker.draining.next = self.s1_read_q.q.val();
        self.tags.key.next = self.s1_key_q.q.val();
        self.tracker.key.next = self.s1_key_q.q.val();
        self.tracker.tag.next = self.s1_q.q.val().tag;
        self.is_hit.next = self.s1_request_q.q.val() & self.tags.hit.val();
        self.is_share.next =
            self.s1_request_q.q.val() & !self.tags.hit.val() & self.tracker.shareable.val();
        self.is_miss.next =
            self.s1_request_q.q.val() & !self.tags.hit.val() & !self.tracker.shareable.val();
        self.tracker.share.next = self.is_share.val();
        self.tracker.allocate.next = self.is_miss.val() & !self.tracker.full.val();
        self.tracker.invalidate.next = self.s1_invalidate_q.q.val();
        self.tracker.answer.next = self.s1_fill_q.q.val();
        self.blocked.write_addr.next = self.blocked_tail_q.q.val().get_bits::<1>(0);
        self.blocked.write_data.next = self.s1_q.q.val();
        self.blocked.write_en.next = self.s1_request_q.q.val() & self.tracker.full.val();
        self.blocked_tail_q.d.next = self.blocked_tail_q.q.val() + 1;
        self.blocked_tail_q.en.next = self.is_miss.val() & self.tracker.full.val();
        self.size_line.next = 6.into();
        self.fetch.next.address = self.s1_q.q.val().address;
        self.fetch.next.context = self.s1_q.q.val().context;
        self.fetch.next.size = self.size_line.val();
        self.fetch.next.tag = self.tracker.free.val();
        self.misses.write_addr.next = self.misses_tail_q.q.val().get_bits::<2>(0);
        self.misses.write_data.next = self.fetch.val();
        self.misses.write_en.next = self.s1_request_q.q.val() & !self.tracker.full.val();
        self.misses_tail_q.d.next = self.misses_tail_q.q.val() + 1;
        self.misses_tail_q.en.next = self.is_miss.val() & !self.tracker.full.val();

        self.read_error.next = self.fills.read_data.val().error.any();
        self.keep.next = self.s1_fill_q.q.val()
            & self.tracker.drain_last.val()
            & self.tracker.drain_keep.val()
            & !self.read_error.val();
        self.tags.fill.next = self.keep.val();
        self.tags.invalidate.next = self.s1_invalidate_q.q.val();
        self.entries.read_addr.next = self.tags.place.val();
        self.entries.write_addr.next = self.tags.place.val();
        self.entries.write_data.next = self.fills.read_data.val().data;
        self.entries.write_en.next = self.keep.val();

        // Answer.
        self.s2_valid_q.d.next = self.is_hit.val() | self.s1_fill_q.q.val();
        self.s2_hit_q.d.next = self.is_hit.val();
        self.s2_error_q.d.next = self.s1_fill_q.q.val() & self.read_error.val();
        self.s2_tag_q.d.next = self.s1_q.q.val().tag;
        if self.s1_fill_q.q.val() {
            self.s2_tag_q.d.next = self.tracker.drain_tag.val();
        }
        self.s2_entry_q.en.next = self.s1_fill_q.q.val();
        self.s2_entry_q.d.next = self.fills.read_data.val().data;
        self.answer.next.tag = self.s2_tag_q.q.val();
        self.answer.next.hit = 0.into();
        self.answer.next.error = 0.into();
        self.answer.next.entry = self.s2_entry_q.q.val();
        if self.s2_hit_q.q.val() {
            self.answer.next.hit = 1.into();
            self.answer.next.entry = self.entries.read_data.val();
        }
        if self.s2_error_q.q.val() {
            self.answer.next.error = 1.into();
        }
        self.result.data.next = self.answer.val();
        self.result.valid.next = self.s2_valid_q.q.val();
        self.count_hit.next = self.s2_hit_q.q.val();
        self.count_miss_q.d.next = self.is_share.val() | self.tracker.allocate.val();
        self.count_miss.next = self.count_miss_q.q.val();

        self.any_missed.next = self.misses_head_q.q.val() != self.misses_tail_q.q.val();
        self.misses.read_addr.next = self.misses_head_q.q.val().get_bits::<2>(0);
        self.misses_head_q.d.next = self.misses_head_q.q.val() + 1;
        self.misses_head_q.en.next = self.any_missed.val() & self.miss.ready.val();
        self.miss.data.next = self.misses.read_data.val();
        self.miss.valid.next = self.any_missed.val();
    }
}
