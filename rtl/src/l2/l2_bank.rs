//! `L2Bank`: a bank of the GPU's shared L2 with lockable lines.
//!
//! **Purpose.** A write-back cache in which the read of a command processor's read-modify-write locks a line until its
//! write, and a locked store keeps a line from being replaced until the command processor has touched it (ComP-Net,
//! PACT 2018, sections 4.2.2 and 4.2.3).
//!
//! ```text
//!                      +--------+
//!   request         -->|        |--> response
//!   rmw_write       -->|        |--> lock_end, locked_lines, counters
//!   watchdog_limit  -->| L2Bank |
//!   locked_ways_    -->|        |--> ar_*, aw_*, w_*
//!     limit, cp_ways   |        |<-- r_*, b_*
//!                      +--------+
//! ```
//!
//! **Contract.**
//! * Each request is answered once. All accesses happen one after the other, in the order in which they pass s1; a read
//!   gives what was written last. Answers of one requester about one line come in the order of its requests, others in
//!   any order. A hit is answered three cycles after it was accepted, one a cycle, also to one line.
//! * `N` requests wait, for a fetch, for a lock or for one before them; while there is room, hits go on.
//! * `rmw_write` takes only RMW_WRITE, from the thread whose RMW_READ was answered. It waits at most for the response
//!   FIFO, a watchdog drop and every second cycle.
//! * Memory answers every AR and AW once; AR of different ids in any order. The answers are taken from `response` some
//!   time.
//! * A miss of a compute unit takes no way of `cp_ways`; if the others are locked it is served without keeping its
//!   line. `cp_ways` may change at any time; lines that are in these ways stay.
//! * The limits are not changed while a line is locked. `C = L + 1` and `2^L > SETS + max(2 N, 4 W SETS + 4)`, which
//!   `new` checks: the age of a lock does not wrap.
//!
//! **Internals.** `docs/blocks/l2/l2_bank.md` has the pipeline and the rules. Everything that changes tags, locks or
//! the queue happens in s1 (`decide`), one access a cycle. Invariants: a line in state fetch, flying or filled of the
//! queue is not in the tags; a locked way is valid. The line of a queue place that waits after nothing is not also that
//! of another such place, except of INVALIDATEs. `used_q` is the number of answers in s1 (before it is known whether
//! one is due), s2 and the FIFO.

mod decide;

use crate::bundle::{
    LineArOut, LineAwOut, LineBIn, LineRIn, LineWOut, PulseOut, StreamIn, StreamOut,
};
use crate::l2::access_rules::AccessRules;
use crate::l2::bank_counters::BankCounters;
use crate::l2::data_array::DataArray;
use crate::l2::line_update::LineUpdate;
use crate::l2::lock_unit::LockUnit;
use crate::l2::stall_queue::StallQueue;
use crate::l2::tag_array::TagArray;
use crate::l2::victim_select::VictimSelect;
use crate::l2::write_buffer::WriteBuffer;
use crate::leaf::{Delay, Fifo};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::l2::{L2Request, L2Response, LockEnd};

/// A cache of `W` = `2^I` ways and `SETS` = `2^S` sets of lines of `D` = `8 B` bits, `A` = `I + S`; `N` = `2^E`
/// requests wait; locks are timed with `C` = `L + 1` bits; `P` = `2^Q` writes are under way, `R` = `Q + 1`.
#[block]
#[check(
    W == 1 << I && A == I + S,
    "L2Bank: {W} ways with numbers of {I} bits, {A} bits of place, must be {} and {}",
    1usize << I,
    I + S
)]
#[check(
    C == L + 1 && (1usize << L) > overdue(W, SETS, N),
    "L2Bank: watchdog limits of {L} bits and a clock of {C} for {W} ways, {SETS} sets and {N} waiting requests: C must be L + 1, 2^L more than {}",
    overdue(W, SETS, N)
)]
pub struct L2Bank<
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
> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset: empty, unlocked.
    pub rst: Signal<In, Bit>,
    /// Age at which a lock is dropped, in cycles; 0: never.
    pub watchdog_limit: Signal<In, Bits<L>>,
    /// Locked ways of a set from which on locked stores lock no more.
    pub locked_ways_limit: Signal<In, Bits<5>>,
    /// Ways of every set that only misses of the command processor fill, a bit each; 0: all fill all.
    pub cp_ways: Signal<In, Bits<W>>,
    /// From the compute units and the command processor: an access.
    pub request: StreamIn<L2Request>,
    /// With `request`: bytes of a store.
    pub request_strobe: Signal<In, Bits<B>>,
    /// With `request`: data in the line's lanes.
    pub request_data: Signal<In, Bits<D>>,
    /// From the command processor: the write of a read-modify-write.
    pub rmw_write: StreamIn<L2Request>,
    /// With `rmw_write`: bytes to write.
    pub rmw_write_strobe: Signal<In, Bits<B>>,
    /// With `rmw_write`: data in the line's lanes.
    pub rmw_write_data: Signal<In, Bits<D>>,
    /// To the requester: an answer.
    pub response: StreamOut<L2Response>,
    /// With `response`: the line before the access.
    pub response_data: Signal<Out, Bits<D>>,
    /// A lock that has ended.
    pub lock_end: PulseOut<LockEnd>,
    /// Lines that are locked.
    pub locked_lines: Signal<Out, Bits<16>>,
    /// Locked stores that got no lock.
    pub lock_overflows: Signal<Out, Bits<32>>,
    /// STORE locks dropped for a read-modify-write.
    pub dropped_locks: Signal<Out, Bits<32>>,
    /// Locks dropped by the watchdog.
    pub watchdog_drops: Signal<Out, Bits<32>>,
    /// Hits of the command processor.
    pub cp_hits: Signal<Out, Bits<32>>,
    /// Misses of the command processor.
    pub cp_misses: Signal<Out, Bits<32>>,
    /// Hits of the compute units.
    pub cu_hits: Signal<Out, Bits<32>>,
    /// Misses of the compute units.
    pub cu_misses: Signal<Out, Bits<32>>,
    /// Fetches that failed.
    pub fetch_errors: Signal<Out, Bits<32>>,
    /// Writes to memory that failed.
    pub write_errors: Signal<Out, Bits<32>>,
    /// To memory: addresses of reads; the id is the place in the queue of the request that needs the line.
    pub ar: LineArOut<E>,
    /// From memory: lines read.
    pub r: LineRIn<E, D>,
    /// To memory: addresses of writes.
    pub aw: LineAwOut,
    /// To memory: lines to write.
    pub w: LineWOut<D, B>,
    /// From memory: responses to writes.
    pub b: LineBIn,
    tags: TagArray<W, S, SETS>,
    locks: LockUnit<W, S, SETS, C, L>,
    victims: VictimSelect<W, S>,
    queue: StallQueue<N, E, S, P>,
    rules: AccessRules,
    data: DataArray<A, E, D, B>,
    updater: LineUpdate<D, B>,
    writes: WriteBuffer<D, B, P, Q, R>,
    counters: BankCounters,
    fetch_lines: Fifo<Bits<58>, 1, 2>,
    fetch_ids: Fifo<Bits<E>, 1, 2>,
    responses: Fifo<L2Response, 3, 4>,
    response_lines: Fifo<Bits<D>, 3, 4>,
    used_q: Delay<Bits<4>>,
    s1_drop_q: Delay<Bit>,
    s1_rmw_write_q: Delay<Bit>,
    s1_fill_q: Delay<Bit>,
    s1_replay_q: Delay<Bit>,
    s1_new_q: Delay<Bit>,
    s1_request_q: Delay<L2Request>,
    s1_set_q: Delay<Bits<S>>,
    s1_entry_q: Delay<Bits<E>>,
    s1_error_q: Delay<Bit>,
    s1_missed_q: Delay<Bit>,
    s1_strobe_q: Delay<Bits<B>>,
    s1_data_q: Delay<Bits<D>>,
    s2_respond_q: Delay<Bit>,
    s2_response_q: Delay<L2Response>,
    s2_request_q: Delay<L2Request>,
    s2_write_q: Delay<Bit>,
    s2_place_q: Delay<Bits<A>>,
    s2_push_q: Delay<Bit>,
    s2_push_line_q: Delay<Bits<58>>,
    s2_through_q: Delay<Bit>,
    end_q: Delay<LockEnd>,
    end_valid_q: Delay<Bit>,
    #[value((0..W).map(|way| Constant::new((1u64 << way).to_bits())).collect())]
    hot: Vec<Constant<Bits<W>>>,
    #[value((0..W).map(|way| Constant::new(((way as u64) << S).to_bits())).collect())]
    way_places: Vec<Constant<Bits<A>>>,
    #[value(0u64.to_bits())]
    bank_bits: Constant<Bits<6>>,
    #[value((u64::MAX >> (64 - B)).to_bits())]
    all_bytes: Constant<Bits<B>>,
    answer_room: Signal<Local, Bit>,
    take_drop: Signal<Local, Bit>,
    take_rmw_write: Signal<Local, Bit>,
    take_offer: Signal<Local, Bit>,
    take_request: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    quiet: Signal<Local, Bit>,
    may_write: Signal<Local, Bit>,
    chosen: Signal<Local, L2Request>,
    chosen_address: Signal<Local, Bits<64>>,
    set_bits: Signal<Local, Bits<64>>,
    s1_answers: Signal<Local, Bit>,
    s1_address: Signal<Local, Bits<64>>,
    line: Signal<Local, Bits<58>>,
    is_entry: Signal<Local, Bit>,
    way: Signal<Local, Bits<W>>,
    way_place: Signal<Local, Bits<A>>,
    answer: Signal<Local, L2Response>,
    hit_bit: Signal<Local, Bits<1>>,
    uncached_bit: Signal<Local, Bits<1>>,
    lock_ended: Signal<Local, LockEnd>,
    rmw_bit: Signal<Local, Bits<1>>,
    pushes: Signal<Local, Bit>,
    up: Signal<Local, Bits<4>>,
    unused: Signal<Local, Bits<4>>,
    pop: Signal<Local, Bits<4>>,
}

/// What the oldest age of a lock must fit in, the clock of L + 1 bits: after the longest limit it waits until the
/// watchdog has come to its set (SETS cycles), two cycles for each drop before its own (at most two a way in that time,
/// so 4 W SETS), and, more than is needed, two cycles for each place of the queue.
fn overdue(ways: usize, sets: usize, waiting: usize) -> usize {
    sets + (2 * waiting).max(4 * ways * sets + 4)
}

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
    /// A bank for lines whose lowest `bank_bits` bits of the number are its name, and do not choose the set.
    ///
    /// # Panics
    /// If a derived parameter is wrong, or the watchdog's clock is too narrow for the number of sets.
    pub fn new(bank_bits: u8) -> Self {
        assert!(
            usize::from(bank_bits) + S <= 58,
            "L2Bank: {bank_bits} bits of bank and {S} bits of set in a line number of 58"
        );
        Self {
            bank_bits: Constant::new(u64::from(bank_bits).to_bits()),
            ..Self::default()
        }
    }
}

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
> Logic for L2Bank<W, I, S, SETS, A, N, E, D, B, C, L, P, Q, R>
{
    fn update(&mut self) {
        // Choose one access, if there is room for its answer.
        self.answer_room.next = self.used_q.q.val() < 8;
        self.may_write.next = self.writes.room.val();
        self.take_drop.next = self.locks.expired.val() & !self.s1_drop_q.q.val();
        self.open.next = self.answer_room.val() & !self.take_drop.val();
        self.rmw_write.ready.next = self.open.val() & !self.s1_rmw_write_q.q.val();
        self.take_rmw_write.next =
            self.open.val() & !self.s1_rmw_write_q.q.val() & self.rmw_write.valid.val();
        self.quiet.next = self.open.val() & !self.take_rmw_write.val();
        self.queue.write_room.next = self.may_write.val();
        self.take_offer.next = self.quiet.val() & self.queue.offer.val();
        self.queue.take.next = self.take_offer.val();
        self.take_request.next = self.quiet.val()
            & !self.queue.offer.val()
            & self.queue.room.val()
            & (self.may_write.val()
                | !((self.request.data.val().op == 7) | (self.request.data.val().op == 8)));
        self.request.ready.next = self.take_request.val();

        self.chosen.next = self.request.data.val();
        self.s1_strobe_q.d.next = self.request_strobe.val();
        self.s1_data_q.d.next = self.request_data.val();
        if self.take_rmw_write.val() {
            self.chosen.next = self.rmw_write.data.val();
            self.s1_strobe_q.d.next = self.rmw_write_strobe.val();
            self.s1_data_q.d.next = self.rmw_write_data.val();
        } else if self.queue.offer.val() {
            self.chosen.next = self.queue.offer_request.val();
        }
        self.chosen_address.next = self.chosen.val().address;
        self.set_bits.next = (self.chosen_address.val() >> 6) >> self.bank_bits.val();
        self.s1_set_q.d.next = self.set_bits.val().get_bits::<S>(0);
        if self.take_drop.val() {
            self.s1_set_q.d.next = self.locks.expired_set.val();
        }
        self.s1_request_q.d.next = self.chosen.val();
        self.s1_entry_q.d.next = self.queue.offer_entry.val();
        self.s1_error_q.d.next = self.queue.offer_error.val();
        self.s1_missed_q.d.next = self.take_offer.val() & self.queue.offer_missed.val();
        self.s1_drop_q.d.next = self.take_drop.val();
        self.s1_rmw_write_q.d.next = self.take_rmw_write.val();
        self.s1_fill_q.d.next = self.take_offer.val() & self.queue.offer_fill.val();
        self.s1_replay_q.d.next = self.take_offer.val() & !self.queue.offer_fill.val();
        self.s1_new_q.d.next = self.take_request.val() & self.request.valid.val();

        self.look_up();
        self.decide();
        self.act();
        // s2: the data.
        self.updater.request.next = self.s2_request_q.q.val();
        self.updater.old.next = self.data.old.val();
        self.updater.operand.next = self.data.argument.val();
        self.updater.strobe.next = self.data.argument_strobe.val();
        self.data.write.next = self.s2_write_q.q.val();
        self.data.write_place.next = self.s2_place_q.q.val();
        self.data.write_line.next = self.updater.line.val();
        self.writes.push.next = self.s2_push_q.q.val();
        self.writes.push_line.next = self.s2_push_line_q.q.val();
        self.writes.push_strobe.next = self.all_bytes.val();
        self.writes.push_data.next = self.data.line.val();
        if self.s2_through_q.q.val() {
            self.writes.push_strobe.next = self.updater.changed.val();
            self.writes.push_data.next = self.updater.line.val();
        }

        // The answer.
        self.responses.write.data.next = self.s2_response_q.q.val();
        self.responses.write.valid.next = self.s2_respond_q.q.val();
        connect!(self.responses.read => self.response);
        self.response_lines.write.data.next = self.data.old.val();
        self.response_lines.write.valid.next = self.s2_respond_q.q.val();
        self.response_lines.read.ready.next = self.response.ready.val();
        self.response_data.next = self.response_lines.read.data.val();
        self.up.next = 0.into();
        if self.take_rmw_write.val()
            | self.take_offer.val()
            | (self.take_request.val() & self.request.valid.val())
        {
            self.up.next = 1.into();
        }
        self.unused.next = 0.into();
        if self.s1_answers.val() & !self.rules.serve.val() {
            self.unused.next = 1.into();
        }
        self.pop.next = 0.into();
        if self.responses.read.valid.val() & self.response.ready.val() {
            self.pop.next = 1.into();
        }
        self.used_q.d.next =
            ((self.used_q.q.val() + self.up.val()) - self.unused.val()) - self.pop.val();

        // Memory.
        self.fetch_lines.write.data.next = self.queue.fetch_line.val();
        self.fetch_lines.write.valid.next = self.queue.fetch.val();
        self.fetch_ids.write.data.next = self.queue.fetch_entry.val();
        self.fetch_ids.write.valid.next = self.queue.fetch.val();
        self.queue.fetch_taken.next = self.fetch_lines.write.ready.val();
        self.ar.valid.next = self.fetch_lines.read.valid.val();
        self.ar.addr.next = bit_cast::<64, 58>(self.fetch_lines.read.data.val()) << 6;
        self.ar.id.next = self.fetch_ids.read.data.val();
        self.fetch_lines.read.ready.next = self.ar.ready.val();
        self.fetch_ids.read.ready.next = self.ar.ready.val();
        self.r.ready.next = true;
        self.data.fetched.next = self.r.valid.val();
        self.data.fetched_entry.next = self.r.id.val();
        self.data.fetched_line.next = self.r.data.val();
        self.queue.fetched.next = self.r.valid.val();
        self.queue.fetched_entry.next = self.r.id.val();
        self.queue.fetched_error.next = self.r.resp.val().get_bit(1);
        connect!(self.writes.aw => self.aw);
        connect!(self.writes.w => self.w);
        connect!(self.b => self.writes.b);

        // What can be seen.
        self.rmw_bit.next = 0.into();
        if self.locks.ended_rmw.val() {
            self.rmw_bit.next = 1.into();
        }
        self.lock_ended.next.cause = self.locks.ended_cause.val();
        self.lock_ended.next.rmw = self.rmw_bit.val();
        self.lock_ended.next.owner = self.locks.ended_owner.val();
        self.lock_ended.next.age = bit_cast::<20, C>(self.locks.ended_age.val());
        self.lock_ended.next.line = self.tags.shown_line.val();
        self.end_q.d.next = self.lock_ended.val();
        self.end_valid_q.d.next = self.locks.ended.val();
        self.lock_end.data.next = self.end_q.q.val();
        self.lock_end.valid.next = self.end_valid_q.q.val();
        self.locked_lines.next = self.locks.locked_lines.val();
        self.counters.hit.next = self.rules.count_hit.val();
        self.counters.miss.next = self.rules.count_miss.val();
        self.counters.cp.next = self.s1_request_q.q.val().cp.any();
        self.counters.overflow.next = self.rules.overflow.val();
        self.counters.ended.next = self.locks.ended.val();
        self.counters.ended_cause.next = self.locks.ended_cause.val();
        self.counters.fetch_error.next = self.r.valid.val() & self.r.resp.val().get_bit(1);
        self.counters.write_error.next = self.writes.failed.val();
        self.cp_hits.next = self.counters.cp_hits.val();
        self.cp_misses.next = self.counters.cp_misses.val();
        self.cu_hits.next = self.counters.cu_hits.val();
        self.cu_misses.next = self.counters.cu_misses.val();
        self.lock_overflows.next = self.counters.lock_overflows.val();
        self.dropped_locks.next = self.counters.dropped_locks.val();
        self.watchdog_drops.next = self.counters.watchdog_drops.val();
        self.fetch_errors.next = self.counters.fetch_errors.val();
        self.write_errors.next = self.counters.write_errors.val();
    }
}
