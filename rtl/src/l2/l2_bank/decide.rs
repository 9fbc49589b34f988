//! Stage s1: looks the line up, has the rules decide, and does what they say to tags, locks and queue.

use super::L2Bank;
use rust_hdl::prelude::*;
use xtq_kernel::kernel;

#[kernel]
impl<
    const W: usize,
    const I: usize,
    const S: usize,
    const SETS: usize,
    const A: usize,
    const N: usize,
    const E: usize,
    const D: usize,
    const B: usize,
    const C: usize,
    const L: usize,
    const P: usize,
    const Q: usize,
    const R: usize,
> L2Bank<W, I, S, SETS, A, N, E, D, B, C, L, P, Q, R>
{
    /// s1: look up.
    pub(super) fn look_up(&mut self) {
        self.s1_answers.next = self.s1_rmw_write_q.q.val()
            | self.s1_fill_q.q.val()
            | self.s1_replay_q.q.val()
            | self.s1_new_q.q.val();
        self.s1_address.next = self.s1_request_q.q.val().address;
        self.line.next = self.s1_address.val().get_bits::<58>(6);
        self.is_entry.next = self.s1_fill_q.q.val() | self.s1_replay_q.q.val();
        self.tags.set.next = self.s1_set_q.q.val();
        self.tags.line.next = self.line.val();
        self.locks.set.next = self.s1_set_q.q.val();
        self.locks.watchdog_limit.next = self.watchdog_limit.val();
        self.locks.locked_ways_limit.next = self.locked_ways_limit.val();
        self.victims.set.next = self.s1_set_q.q.val();
        self.victims.valid.next = self.tags.valid_ways.val();
        self.victims.locked.next = self.locks.rmw_ways.val() | self.locks.store_ways.val();
        self.victims.closed.next = self.cp_ways.val();
        if self.s1_request_q.q.val().cp.any() {
            self.victims.closed.next = 0.into();
        }
        self.way.next = 0.into();
        if self.s1_fill_q.q.val() {
            self.way.next = self.victims.victim.val();
            if !self.victims.victim.val().any() {
                self.way.next = self.locks.oldest_store.val();
            }
        } else if self.s1_answers.val() {
            self.way.next = self.tags.hit_ways.val();
        }
        self.locks.hit_way.next = self.tags.hit_ways.val();
        self.locks.way.next = self.way.val();
        self.locks.cp.next = self.s1_request_q.q.val().cp.any();
        self.locks.requester.next = self.s1_request_q.q.val().requester;
        self.queue.request.next = self.s1_request_q.q.val();
        self.queue.set.next = self.s1_set_q.q.val();
        self.queue.mine.next = self.locks.mine.val();
        self.queue.is_entry.next = self.is_entry.val();
        self.queue.entry.next = self.s1_entry_q.q.val();
    }

    /// Decide.
    pub(super) fn decide(&mut self) {
        self.rules.request.next = self.s1_request_q.q.val();
        self.rules.is_new.next = self.s1_new_q.q.val();
        self.rules.is_replay.next = self.s1_replay_q.q.val();
        self.rules.is_fill.next = self.s1_fill_q.q.val();
        self.rules.is_rmw_write.next = self.s1_rmw_write_q.q.val();
        self.rules.error.next = self.s1_error_q.q.val();
        self.rules.missed.next = self.s1_missed_q.q.val();
        self.rules.hit.next = self.tags.hit_ways.val().any();
        self.rules.dirty.next = (self.tags.dirty_ways.val() & self.way.val()).any();
        self.rules.mine.next = self.locks.mine.val();
        self.rules.others.next = self.locks.others.val();
        self.rules.stored.next = (self.locks.store_ways.val() & self.tags.hit_ways.val()).any();
        self.rules.rmw_room.next = self.locks.rmw_room.val();
        self.rules.store_room.next = self.locks.store_room.val();
        self.rules.victim.next = self.victims.victim.val().any();
        self.rules.ahead.next = self.queue.ahead.val();
        self.rules.claimed.next = self.queue.claimed.val();
    }

    /// Do it.
    pub(super) fn act(&mut self) {
        self.tags.way.next = self.way.val();
        self.tags.install.next = self.rules.install.val();
        self.tags.forget.next = self.rules.forget.val();
        self.tags.soil.next = self.rules.soil.val();
        self.tags.clean.next = self.rules.clean.val();
        self.tags.shown.next = self.way.val();
        if self.s1_drop_q.q.val() {
            self.tags.shown.next = self.locks.expire_way.val();
        }
        self.locks.unlock.next = self.rules.unlock.val();
        self.locks.touch.next = self.rules.touch.val();
        self.locks.take_rmw.next = self.rules.take_rmw.val();
        self.locks.take_store.next = self.rules.take_store.val();
        self.locks.evict.next = self.rules.evict.val();
        self.locks.expire.next = self.s1_drop_q.q.val();
        self.victims.used.next = 0.into();
        if self.rules.used.val() {
            self.victims.used.next = self.way.val();
        }
        self.queue.insert.next = self.rules.insert.val();
        self.queue.leave.next = self.rules.leave.val();
        self.queue.hold_ready.next = self.rules.hold_ready.val();
        self.queue.hold_fetch.next = self.rules.hold_fetch.val();
        self.queue.claim.next = self.rules.claim.val();
        self.queue.missed.next = self.rules.miss.val();
        self.queue.wake.next = self.locks.ended.val();
        self.queue.grab.next = self.rules.take_rmw.val();
        self.queue.writes.next = self.writes.meets.val();
        self.queue.done_slots.next = self.writes.done_slots.val();
        self.writes.line.next = self.line.val();
        self.pushes.next = self.rules.write_back.val() | self.rules.write_through.val();
        self.writes.reserve.next = self.pushes.val();
        self.writes.reserve_line.next = self.tags.shown_line.val();
        self.s2_push_line_q.d.next = self.tags.shown_line.val();
        if self.rules.write_through.val() {
            self.writes.reserve_line.next = self.line.val();
            self.s2_push_line_q.d.next = self.line.val();
        }
        self.way_place.next = bit_cast::<A, S>(self.s1_set_q.q.val());
        for i in 0..W {
            if (self.way.val() & self.hot[i].val()).any() {
                self.way_place.next = self.way_place.val() | self.way_places[i].val();
            }
        }
        self.data.place.next = self.way_place.val();
        self.data.entry.next = self.s1_entry_q.q.val();
        self.data.from_fill.next = self.s1_fill_q.q.val();
        self.data.from_entry.next = self.is_entry.val();
        self.data.operand.next = self.s1_data_q.q.val();
        self.data.strobe.next = self.s1_strobe_q.q.val();
        self.data.keep.next = self.rules.insert.val();
        self.data.keep_entry.next = self.queue.free_index.val();

        self.hit_bit.next = 0.into();
        self.uncached_bit.next = 0.into();
        if self.rules.was_hit.val() {
            self.hit_bit.next = 1.into();
        }
        if self.rules.uncached.val() {
            self.uncached_bit.next = 1.into();
        }
        self.answer.next.cp = self.s1_request_q.q.val().cp;
        self.answer.next.requester = self.s1_request_q.q.val().requester;
        self.answer.next.tag = self.s1_request_q.q.val().tag;
        self.answer.next.hit = self.hit_bit.val();
        self.answer.next.uncached = self.uncached_bit.val();
        self.answer.next.status = self.rules.status.val();
        self.s2_respond_q.d.next = self.rules.serve.val();
        self.s2_response_q.d.next = self.answer.val();
        self.s2_request_q.d.next = self.s1_request_q.q.val();
        self.s2_write_q.d.next = self.rules.write.val();
        self.s2_place_q.d.next = self.way_place.val();
        self.s2_push_q.d.next = self.pushes.val();
        self.s2_through_q.d.next = self.rules.write_through.val();
    }
}
