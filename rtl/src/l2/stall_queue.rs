//! `StallQueue`: the requests of a bank that wait, and which of them goes on.
//!
//! **Purpose.** Misses, accesses to lines that somebody else has locked, and all that wait after them. It keeps order
//! within a line and age, and has no opinion on locks: [`AccessRules`](super::AccessRules) decides who waits, this
//! block who is tried again.
//!
//! ```text
//!                          +------------+
//!   request, set, mine  -->|            |--> ahead, claimed           (same cycle)
//!   insert, entry       -->|            |--> free, free_index, room
//!   hold_*, claim       -->| StallQueue |--> offer, offer_*           to the pipeline
//!   leave, wake, grab   -->|            |<-- take
//!   fetched             -->|            |--> fetch, fetch_*           to AR
//!   writes, done_slots  -->+------------+
//! ```
//!
//! **Contract.** `request` is looked at in s1; with `is_entry` it is the one at `entry`, else a new one. `ahead`: older
//! requests wait for its line that it must not overtake: any, except that with `mine` (it owns the line's RMW lock)
//! only the requester's own count, and that an INVALIDATE holds up only its own requester (and other INVALIDATEs). One
//! that waits is asked again: what it could overtake by its lock it cannot when the lock has ended. `claimed`: an older
//! request waits for an RMW lock in `set`. Commands, at the edge:
//! * `insert` (only with `room` in the cycle before): the new request gets place `free_index`. `leave`: place `entry`
//!   is free.
//! * the one of both places is then in state: `hold_ready`: to be tried when what is `ahead` has left; `hold_fetch`:
//!   its line is to be fetched, when memory has acknowledged `writes`; neither: it waits for `wake`.
//! * `claim` notes that it waits for an RMW lock, `missed` that it needs a fetch.
//! * `wake`, or `leave` of one that waited for an RMW lock: all of `set` that wait are ready. `grab`: the requester has
//!   locked the line: its own requests need not wait for others'.
//!
//! `offer`: with `write_room` the oldest of those whose line is fetched (`offer_fill`) and of INVALIDATE and WRITE_BACK
//! that are ready: neither is offered without it, and whichever has room next, the older one takes it. Else the oldest
//! of the others that are ready. `take` hands it to s1. `fetch` names the oldest line to fetch until `fetch_taken`;
//! `fetched` answers. Reset empties it.
//!
//! **Internals.** Bits for each place: `valid_q`, and at most one of `ready_q`, `fetch_q`, `flying_q`, `filled_q`; none
//! of them: it waits, or is in s1. `older_q[i]` are the places taken before place `i`, `ahead_q[i]` those of them that
//! it must not overtake; both lose a bit when a place is left. Invariants: `ahead_q[i] & !older_q[i] = 0`,
//! `older_q[i] & !valid_q = 0`, `i` in `older_q[j]` or `j` in `older_q[i]` (not both) for two valid places; a place
//! with a bit in `fetch_q`, `flying_q` or `filled_q` has nothing ahead; no two of these have one line. `N` must be
//! `2^E`.

use crate::leaf::{Delay, LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::l2::L2Request;

/// A queue of `N` = `2^E` requests to `2^S` sets, beside `P` writes.
#[block]
#[check(
    N == 1 << E && (2..=64).contains(&N),
    "StallQueue: {N} places with names of {E} bits, must be {} and 2 to 64",
    1usize << E
)]
pub struct StallQueue<const N: usize, const E: usize, const S: usize, const P: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; empties it.
    pub rst: Signal<In, Bit>,
    /// Request in s1.
    pub request: Signal<In, L2Request>,
    /// Its set; also that of `wake`.
    pub set: Signal<In, Bits<S>>,
    /// It owns the RMW lock of its line.
    pub mine: Signal<In, Bit>,
    /// It waited here, at `entry`.
    pub is_entry: Signal<In, Bit>,
    /// Its place.
    pub entry: Signal<In, Bits<E>>,
    /// It must wait for others.
    pub ahead: Signal<Out, Bit>,
    /// An older one waits for an RMW lock in the set.
    pub claimed: Signal<Out, Bit>,
    /// Place of the next request.
    pub free_index: Signal<Out, Bits<E>>,
    /// Two more places are free.
    pub room: Signal<Out, Bit>,
    /// Take in the request.
    pub insert: Signal<In, Bit>,
    /// Its place is free.
    pub leave: Signal<In, Bit>,
    /// It is to be tried when nothing is ahead of it.
    pub hold_ready: Signal<In, Bit>,
    /// Its line is to be fetched.
    pub hold_fetch: Signal<In, Bit>,
    /// It waits for an RMW lock.
    pub claim: Signal<In, Bit>,
    /// It needs, or needed, a fetch.
    pub missed: Signal<In, Bit>,
    /// With `hold_fetch`: writes of its line that are under way.
    pub writes: Signal<In, Bits<P>>,
    /// Writes that memory acknowledges.
    pub done_slots: Signal<In, Bits<P>>,
    /// Those of `set` that wait are tried again.
    pub wake: Signal<In, Bit>,
    /// The requester has RMW-locked the line.
    pub grab: Signal<In, Bit>,
    /// The write buffer has room.
    pub write_room: Signal<In, Bit>,
    /// A request goes on.
    pub offer: Signal<Out, Bit>,
    /// The request.
    pub offer_request: Signal<Out, L2Request>,
    /// Its place.
    pub offer_entry: Signal<Out, Bits<E>>,
    /// Its line is fetched.
    pub offer_fill: Signal<Out, Bit>,
    /// The fetch failed.
    pub offer_error: Signal<Out, Bit>,
    /// It needs, or needed, a fetch.
    pub offer_missed: Signal<Out, Bit>,
    /// The offer is taken.
    pub take: Signal<In, Bit>,
    /// A line is to be fetched.
    pub fetch: Signal<Out, Bit>,
    /// Its place here.
    pub fetch_entry: Signal<Out, Bits<E>>,
    /// Its number.
    pub fetch_line: Signal<Out, Bits<58>>,
    /// It is being fetched.
    pub fetch_taken: Signal<In, Bit>,
    /// A line has come.
    pub fetched: Signal<In, Bit>,
    /// For this place.
    pub fetched_entry: Signal<In, Bits<E>>,
    /// It has not, there was an error.
    pub fetched_error: Signal<In, Bit>,
    requests: LutRam<L2Request, E>,
    #[value(vec![Reg::default(); N])]
    line_q: Vec<Reg<Bits<58>>>,
    #[value(vec![Reg::default(); N])]
    who_q: Vec<Reg<Bits<6>>>,
    #[value(vec![Reg::default(); N])]
    set_q: Vec<Reg<Bits<S>>>,
    #[value(vec![Reg::default(); N])]
    older_q: Vec<Reg<Bits<N>>>,
    #[value(vec![Reg::default(); N])]
    ahead_q: Vec<Reg<Bits<N>>>,
    #[value(vec![Reg::default(); N])]
    writes_q: Vec<Reg<Bits<P>>>,
    valid_q: Reg<Bits<N>>,
    ready_q: Delay<Bits<N>>,
    fetch_q: Delay<Bits<N>>,
    flying_q: Delay<Bits<N>>,
    filled_q: Delay<Bits<N>>,
    error_q: Reg<Bits<N>>,
    claim_q: Delay<Bits<N>>,
    invalidate_q: Reg<Bits<N>>,
    maintenance_q: Reg<Bits<N>>,
    missed_q: Delay<Bits<N>>,
    #[value((0..N).map(|place| Constant::new((1u64 << place).to_bits())).collect())]
    hot: Vec<Constant<Bits<N>>>,
    #[value((0..N).map(|place| Constant::new((place as u64).to_bits())).collect())]
    numbers: Vec<Constant<Bits<E>>>,
    #[value(1u64.to_bits())]
    one: Constant<Bits<N>>,
    is_invalidate: Signal<Local, Bit>,
    same_line: Signal<Local, Bits<N>>,
    same_set: Signal<Local, Bits<N>>,
    same_requester: Signal<Local, Bits<N>>,
    own: Signal<Local, Bits<N>>,
    own_front: Signal<Local, Bits<N>>,
    all_front: Signal<Local, Bits<N>>,
    in_front: Signal<Local, Bits<N>>,
    older: Signal<Local, Bits<N>>,
    entry_hot: Signal<Local, Bits<N>>,
    empty: Signal<Local, Bits<N>>,
    below: Signal<Local, Bits<N>>,
    free: Signal<Local, Bits<N>>,
    target: Signal<Local, Bits<N>>,
    gone: Signal<Local, Bits<N>>,
    waiting: Signal<Local, Bits<N>>,
    unblocked: Signal<Local, Bits<N>>,
    unwritten: Signal<Local, Bits<N>>,
    triable: Signal<Local, Bits<N>>,
    may_write: Signal<Local, Bits<N>>,
    fetchable: Signal<Local, Bits<N>>,
    chosen: Signal<Local, Bits<N>>,
    chosen_entry: Signal<Local, Bits<E>>,
    fetch_hot: Signal<Local, Bits<N>>,
    fetch_index: Signal<Local, Bits<E>>,
    fetched_hot: Signal<Local, Bits<N>>,
    taken: Signal<Local, Bits<N>>,
    started: Signal<Local, Bits<N>>,
    set_ready: Signal<Local, Bits<N>>,
    set_fetch: Signal<Local, Bits<N>>,
    set_claim: Signal<Local, Bits<N>>,
    set_missed: Signal<Local, Bits<N>>,
    woken: Signal<Local, Bits<N>>,
    next_index: Signal<Local, Bits<E>>,
    address: Signal<Local, Bits<64>>,
    line: Signal<Local, Bits<58>>,
    who: Signal<Local, Bits<6>>,
    is_maintenance: Signal<Local, Bit>,
    line_to_fetch: Signal<Local, Bits<58>>,
}

#[kernel]
impl<const N: usize, const E: usize, const S: usize, const P: usize> Logic
    for StallQueue<N, E, S, P>
{
    fn update(&mut self) {
        // Who is where.
        self.is_invalidate.next = self.request.val().op == 7;
        self.is_maintenance.next = (self.request.val().op == 7) | (self.request.val().op == 8);
        self.address.next = self.request.val().address;
        self.line.next = self.address.val().get_bits::<58>(6);
        self.who.next = (bit_cast::<6, 1>(self.request.val().cp) << 5)
            | bit_cast::<6, 5>(self.request.val().requester);
        self.same_line.next = 0.into();
        self.same_set.next = 0.into();
        self.same_requester.next = 0.into();
        self.unblocked.next = 0.into();
        self.unwritten.next = 0.into();
        self.older.next = 0.into();
        self.next_index.next = 0.into();
        self.entry_hot.next = self.one.val() << self.entry.val();
        self.empty.next = !self.valid_q.q.val();
        self.below.next = self.empty.val() - 1;
        self.free.next = self.empty.val() & !self.below.val();
        self.room.next = (self.empty.val() & self.below.val()).any();
        for i in 0..N {
            if self.line_q[i].q.val() == self.line.val() {
                self.same_line.next = self.same_line.val() | self.hot[i].val();
            }
            if self.set_q[i].q.val() == self.set.val() {
                self.same_set.next = self.same_set.val() | self.hot[i].val();
            }
            if self.who_q[i].q.val() == self.who.val() {
                self.same_requester.next = self.same_requester.val() | self.hot[i].val();
            }
            if !self.ahead_q[i].q.val().any() {
                self.unblocked.next = self.unblocked.val() | self.hot[i].val();
            }
            if !self.writes_q[i].q.val().any() {
                self.unwritten.next = self.unwritten.val() | self.hot[i].val();
            }
            if (self.entry_hot.val() & self.hot[i].val()).any() {
                self.older.next = self.older_q[i].q.val();
            }
            if (self.free.val() & self.hot[i].val()).any() {
                self.next_index.next = self.numbers[i].val();
            }
        }
        self.free_index.next = self.next_index.val();
        if !self.is_entry.val() {
            self.older.next = self.valid_q.q.val();
        }
        self.own.next = self.valid_q.q.val() & self.same_line.val() & self.same_requester.val();
        self.own_front.next = self.own.val() & self.older.val();
        self.all_front.next = self.valid_q.q.val() & self.same_line.val() & self.older.val();
        if !self.is_invalidate.val() {
            self.all_front.next = self.valid_q.q.val()
                & self.same_line.val()
                & self.older.val()
                & (self.same_requester.val() | !self.invalidate_q.q.val());
        }
        // `mine` comes last.
        self.in_front.next = self.all_front.val();
        self.ahead.next = self.all_front.val().any();
        if self.mine.val() {
            self.in_front.next = self.own_front.val();
            self.ahead.next = self.own_front.val().any();
        }
        self.claimed.next = (self.claim_q.q.val() & self.same_set.val() & self.older.val()).any();

        // Who goes on, each time the oldest. With room for a write first those that may need it: lines that have come,
        // and maintenance.
        self.triable.next = self.ready_q.q.val() & self.unblocked.val();
        self.may_write.next =
            self.filled_q.q.val() | (self.triable.val() & self.maintenance_q.q.val());
        if !self.write_room.val() {
            self.triable.next = self.triable.val() & !self.maintenance_q.q.val();
        } else if self.may_write.val().any() {
            self.triable.next = self.may_write.val();
        }
        self.fetchable.next = self.fetch_q.q.val() & self.unwritten.val();
        self.chosen.next = 0.into();
        self.chosen_entry.next = 0.into();
        self.fetch_hot.next = 0.into();
        self.fetch_index.next = 0.into();
        self.line_to_fetch.next = 0.into();
        for i in 0..N {
            if (self.triable.val() & self.hot[i].val()).any()
                & !(self.triable.val() & self.older_q[i].q.val()).any()
            {
                self.chosen.next = self.hot[i].val();
                self.chosen_entry.next = self.numbers[i].val();
            }
            if (self.fetchable.val() & self.hot[i].val()).any()
                & !(self.fetchable.val() & self.older_q[i].q.val()).any()
            {
                self.fetch_hot.next = self.hot[i].val();
                self.fetch_index.next = self.numbers[i].val();
                self.line_to_fetch.next = self.line_q[i].q.val();
            }
        }
        self.offer.next = self.chosen.val().any();
        self.offer_fill.next = (self.chosen.val() & self.filled_q.q.val()).any();
        self.requests.read_addr.next = self.chosen_entry.val();
        self.offer_request.next = self.requests.read_data.val();
        self.offer_entry.next = self.chosen_entry.val();
        self.offer_error.next = (self.chosen.val() & self.error_q.q.val()).any();
        self.offer_missed.next = (self.chosen.val() & self.missed_q.q.val()).any();
        self.fetch.next = self.fetch_hot.val().any();
        self.fetch_entry.next = self.fetch_index.val();
        self.fetch_line.next = self.line_to_fetch.val();

        // What changes at the edge.
        self.target.next = 0.into();
        if self.insert.val() {
            self.target.next = self.free.val();
        } else if self.is_entry.val() {
            self.target.next = self.entry_hot.val();
        }
        self.gone.next = 0.into();
        if self.leave.val() {
            self.gone.next = self.entry_hot.val();
        }
        self.taken.next = 0.into();
        if self.take.val() {
            self.taken.next = self.chosen.val();
        }
        self.started.next = 0.into();
        if self.fetch_taken.val() {
            self.started.next = self.fetch_hot.val();
        }
        self.fetched_hot.next = 0.into();
        if self.fetched.val() {
            self.fetched_hot.next = self.one.val() << self.fetched_entry.val();
        }
        self.waiting.next = self.valid_q.q.val()
            & !self.ready_q.q.val()
            & !self.fetch_q.q.val()
            & !self.flying_q.q.val()
            & !self.filled_q.q.val();
        self.woken.next = 0.into();
        if self.wake.val()
            | (self.leave.val() & (self.claim_q.q.val() & self.entry_hot.val()).any())
        {
            self.woken.next = self.waiting.val() & self.same_set.val() & !self.gone.val();
        }
        self.set_ready.next = 0.into();
        self.set_fetch.next = 0.into();
        self.set_claim.next = 0.into();
        self.set_missed.next = 0.into();
        if self.hold_ready.val() {
            self.set_ready.next = self.target.val();
        }
        if self.hold_fetch.val() {
            self.set_fetch.next = self.target.val();
        }
        if self.claim.val() {
            self.set_claim.next = self.target.val();
        }
        if self.missed.val() {
            self.set_missed.next = self.target.val();
        }
        self.valid_q.en.next = self.insert.val() | self.leave.val();
        self.valid_q.d.next = self.valid_q.q.val() & !self.gone.val();
        if self.insert.val() {
            self.valid_q.d.next = self.valid_q.q.val() | self.free.val();
        }
        self.requests.write_addr.next = self.next_index.val();
        self.requests.write_data.next = self.request.val();
        self.requests.write_en.next = self.insert.val();
        self.invalidate_q.en.next = self.insert.val();
        self.invalidate_q.d.next = self.invalidate_q.q.val() & !self.free.val();
        if self.is_invalidate.val() {
            self.invalidate_q.d.next = self.invalidate_q.q.val() | self.free.val();
        }
        self.maintenance_q.en.next = self.insert.val();
        self.maintenance_q.d.next = self.maintenance_q.q.val() & !self.free.val();
        if self.is_maintenance.val() {
            self.maintenance_q.d.next = self.maintenance_q.q.val() | self.free.val();
        }
        self.ready_q.d.next =
            (self.ready_q.q.val() & !self.taken.val()) | self.set_ready.val() | self.woken.val();
        self.fetch_q.d.next = (self.fetch_q.q.val() & !self.started.val()) | self.set_fetch.val();
        self.flying_q.d.next =
            (self.flying_q.q.val() & !self.fetched_hot.val()) | self.started.val();
        self.filled_q.d.next = (self.filled_q.q.val() & !self.taken.val()) | self.fetched_hot.val();
        self.error_q.en.next = self.fetched.val();
        self.error_q.d.next = self.error_q.q.val() & !self.fetched_hot.val();
        if self.fetched_error.val() {
            self.error_q.d.next = self.error_q.q.val() | self.fetched_hot.val();
        }
        self.claim_q.d.next = (self.claim_q.q.val() & !self.gone.val()) | self.set_claim.val();
        self.missed_q.d.next = (self.missed_q.q.val() & !self.gone.val()) | self.set_missed.val();
        for i in 0..N {
            self.line_q[i].d.next = self.line.val();
            self.line_q[i].en.next = false;
            self.who_q[i].d.next = self.who.val();
            self.who_q[i].en.next = false;
            self.set_q[i].d.next = self.set.val();
            self.set_q[i].en.next = false;
            self.older_q[i].d.next = self.older_q[i].q.val() & !self.gone.val();
            self.older_q[i].en.next = self.leave.val();
            self.ahead_q[i].d.next = self.ahead_q[i].q.val() & !self.gone.val();
            self.ahead_q[i].en.next = self.leave.val();
            if self.grab.val() & (self.own.val() & self.hot[i].val()).any() {
                self.ahead_q[i].d.next =
                    self.ahead_q[i].q.val() & self.own.val() & !self.gone.val();
                self.ahead_q[i].en.next = true;
            }
            if (self.set_ready.val() & self.hot[i].val()).any() {
                self.ahead_q[i].d.next = self.in_front.val();
                self.ahead_q[i].en.next = true;
            }
            self.writes_q[i].d.next = self.writes_q[i].q.val() & !self.done_slots.val();
            self.writes_q[i].en.next = self.done_slots.val().any();
            if (self.set_fetch.val() & self.hot[i].val()).any() {
                self.writes_q[i].d.next = self.writes.val();
                self.writes_q[i].en.next = true;
            }
            if self.insert.val() & (self.free.val() & self.hot[i].val()).any() {
                self.line_q[i].en.next = true;
                self.who_q[i].en.next = true;
                self.set_q[i].en.next = true;
                self.older_q[i].d.next = self.valid_q.q.val();
                self.older_q[i].en.next = true;
                self.ahead_q[i].d.next = self.in_front.val();
                self.ahead_q[i].en.next = true;
            }
        }
    }
}
