//! `LockUnit`: which lines of a bank are locked, how, by whom and since when.
//!
//! **Purpose.** All lock state of [`L2Bank`](super::L2Bank), and the rules by which it changes. It does not know
//! addresses, only sets and ways, and does not decide who waits.
//!
//! ```text
//!                                  +----------+
//!   set, hit_way, way           -->|          |--> rmw_ways, store_ways, oldest_store   of the set
//!   cp, requester               -->|          |--> mine, others                         of way `hit_way`
//!   unlock, touch, expire       -->| LockUnit |--> rmw_room, store_room, expire_way     of the set
//!   take_rmw, take_store, evict -->|          |--> ended, ended_*                       same cycle
//!   limits                      -->|          |--> expired, expired_set, locked_lines
//!                                  +----------+
//! ```
//!
//! **Contract.** Outputs are combinational from `set`, `hit_way`, `cp`, `requester` and the limits; `ended` also from
//! `way` and the commands. Commands act at the edge on the way of `set` that is the one bit of `way`:
//! * `unlock` (the write of a read-modify-write): unlocks if the way is RMW-locked by thread `requester` and `cp`; else
//!   nothing.
//! * `touch` (any access): unlocks a STORE lock if `cp`.
//! * `take_rmw`: RMW-locks for `requester` if the way is not RMW-locked and `rmw_room`; a STORE lock there ends (cause
//!   `DROPPED` if `evict`, else `RELEASE`).
//! * `take_store`: STORE-locks if the way is not locked and `store_room`.
//! * `expire` (on no `way`): the lowest way of `set` whose lock is at least `watchdog_limit` cycles old, which is
//!   `expire_way`, is unlocked.
//!
//! Only `touch` goes together with a `take_`. `expired` says that `expired_set` has such a lock, and stays until there
//! is none. With one `expire` for each within `k` cycles a lock ends at most `watchdog_limit` + `SETS` + `k` * (locked
//! lines) + 1 cycles after it was taken, if `watchdog_limit` is at least 2 `W` (with less a lower way that is locked
//! again and again may always come first). Reset unlocks all.
//!
//! **Internals.** A word of bits for each set, one for each way: whether it is locked, which reset clears, and whether
//! that is an RMW lock. Owner and time of taking for each way. What the sweep needs, which looks at one set a cycle, is
//! there twice. Times are modulo `2^C` = 2 * `2^L`, so that the age of a lock is right while it is less. For each way
//! which of the lower ways were locked before it; so of any two one comes first, and the oldest STORE lock is the one
//! that no other comes before. Invariants (proved by induction):
//! * at most `W - 1` ways of a set have an RMW lock;
//! * `count_q` is the number of bits in all words of `locked` (in the small size; in any, a command changes both
//!   alike);
//! * of two locked ways of a set the bit in `elders` says which was locked first;
//! * the words of `sweep_locked` are those of `locked`, and for a locked line that of `sweep_stamps[w]` is that of
//!   `stamps[w]`.

use super::Ones;
use crate::leaf::{Delay, Lowest, LutRam, Reg, ResetRam};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Locks of `SETS` = `2^S` sets of `W` ways; times of `C` bits, limit of `L` = `C - 1` bits.
#[block]
#[check(SETS == 1 << S, "LockUnit: {SETS} sets with names of {S} bits, must be {}", 1usize << S)]
#[check(
    C == L + 1 && C <= 20,
    "LockUnit: times of {C} bits for limits of {L} bits, must be {} and at most 20",
    L + 1
)]
#[check((2..=16).contains(&W), "LockUnit: {W} ways, must be 2 to 16")]
pub struct LockUnit<
    const W: usize,
    const S: usize,
    const SETS: usize,
    const C: usize,
    const L: usize,
> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; unlocks all.
    pub rst: Signal<In, Bit>,
    /// Age at which a lock expires, in cycles; 0: no lock is named in `expired`.
    pub watchdog_limit: Signal<In, Bits<L>>,
    /// Locked ways of a set from which on `take_store` locks no more.
    pub locked_ways_limit: Signal<In, Bits<5>>,
    /// Set looked at.
    pub set: Signal<In, Bits<S>>,
    /// Way that `mine` and `others` are about, one-hot or zero.
    pub hit_way: Signal<In, Bits<W>>,
    /// Way that commands act on, one-hot or zero.
    pub way: Signal<In, Bits<W>>,
    /// The access is the command processor's.
    pub cp: Signal<In, Bit>,
    /// Who accesses.
    pub requester: Signal<In, Bits<5>>,
    /// Unlock, if it is the owner.
    pub unlock: Signal<In, Bit>,
    /// Any access.
    pub touch: Signal<In, Bit>,
    /// RMW-lock for `requester`.
    pub take_rmw: Signal<In, Bit>,
    /// STORE-lock.
    pub take_store: Signal<In, Bit>,
    /// The line of the way is replaced.
    pub evict: Signal<In, Bit>,
    /// Unlock what has expired in `set`.
    pub expire: Signal<In, Bit>,
    /// Ways of the set with an RMW lock.
    pub rmw_ways: Signal<Out, Bits<W>>,
    /// Ways of the set with a STORE lock.
    pub store_ways: Signal<Out, Bits<W>>,
    /// The one of them that was taken first, one-hot.
    pub oldest_store: Signal<Out, Bits<W>>,
    /// Way `hit_way` is RMW-locked by the requester.
    pub mine: Signal<Out, Bit>,
    /// Way `hit_way` is RMW-locked by somebody else.
    pub others: Signal<Out, Bit>,
    /// Another way of the set may be RMW-locked.
    pub rmw_room: Signal<Out, Bit>,
    /// Another way of the set may be STORE-locked.
    pub store_room: Signal<Out, Bit>,
    /// The lowest way whose lock has expired, one-hot or zero.
    pub expire_way: Signal<Out, Bits<W>>,
    /// Pulse: a lock ends at this edge.
    pub ended: Signal<Out, Bit>,
    /// With `ended`: its way, one-hot; so all below.
    pub ended_way: Signal<Out, Bits<W>>,
    /// Why, see [`cause`](xtq_types::l2::cause).
    pub ended_cause: Signal<Out, Bits<2>>,
    /// It was an RMW lock.
    pub ended_rmw: Signal<Out, Bit>,
    /// Who took it.
    pub ended_owner: Signal<Out, Bits<5>>,
    /// Cycles since it was taken.
    pub ended_age: Signal<Out, Bits<C>>,
    /// A lock has expired.
    pub expired: Signal<Out, Bit>,
    /// Its set.
    pub expired_set: Signal<Out, Bits<S>>,
    /// Lines that are locked.
    pub locked_lines: Signal<Out, Bits<16>>,
    locked: ResetRam<W, S, SETS>,
    sweep_locked: ResetRam<W, S, SETS>,
    rmws: LutRam<Bits<W>, S>,
    #[value(vec![LutRam::default(); W])]
    owners: Vec<LutRam<Bits<5>, S>>,
    #[value(vec![LutRam::default(); W])]
    stamps: Vec<LutRam<Bits<C>, S>>,
    #[value(vec![LutRam::default(); W])]
    sweep_stamps: Vec<LutRam<Bits<C>, S>>,
    now_q: Delay<Bits<C>>,
    sweep_q: Reg<Bits<S>>,
    count_q: Delay<Bits<16>>,
    #[value((0..W).map(|way| Constant::new((1u64 << way).to_bits())).collect())]
    hot: Vec<Constant<Bits<W>>>,
    #[value((0..W).map(|way| Constant::new(((1u64 << way) - 1).to_bits())).collect())]
    lower: Vec<Constant<Bits<W>>>,
    #[value((W as u64 - 1).to_bits())]
    most_rmw: Constant<Bits<5>>,
    limit: Signal<Local, Bits<C>>,
    #[value(vec![Signal::default(); W])]
    ages: Vec<Signal<Local, Bits<C>>>,
    sweep_age: Signal<Local, Bits<C>>,
    /// For each way which of the lower ways were locked before it. The bits of itself and of higher ways mean nothing.
    #[value(vec![LutRam::default(); W])]
    elders: Vec<LutRam<Bits<W>, S>>,
    /// Which ways were locked before each.
    #[value(vec![Signal::default(); W])]
    before: Vec<Signal<Local, Bits<W>>>,
    rmw_here: Signal<Local, Bits<W>>,
    store_here: Signal<Local, Bits<W>>,
    oldest: Signal<Local, Bits<W>>,
    rmw_count: Ones<W>,
    locked_count: Ones<W>,
    expired_here: Signal<Local, Bits<W>>,
    first_expired: Lowest<W>,
    is_rmw: Signal<Local, Bit>,
    is_store: Signal<Local, Bit>,
    owned: Signal<Local, Bits<W>>,
    takes_rmw: Signal<Local, Bit>,
    takes_store: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    left: Signal<Local, Bits<W>>,
    unlocks: Signal<Local, Bit>,
    some_end: Signal<Local, Bit>,
    ends: Signal<Local, Bits<W>>,
    end_owner: Signal<Local, Bits<5>>,
    end_age: Signal<Local, Bits<C>>,
    some_expired: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize, const S: usize, const SETS: usize, const C: usize, const L: usize> Logic
    for LockUnit<W, S, SETS, C, L>
{
    fn update(&mut self) {
        self.now_q.d.next = self.now_q.q.val() + 1;

        // What the set holds.
        self.limit.next = bit_cast::<C, L>(self.watchdog_limit.val());
        self.locked.read_addr.next = self.set.val();
        self.rmws.read_addr.next = self.set.val();
        self.rmw_here.next = self.locked.read_data.val() & self.rmws.read_data.val();
        self.store_here.next = self.locked.read_data.val() & !self.rmws.read_data.val();
        self.oldest.next = 0.into();
        self.expired_here.next = 0.into();
        self.owned.next = 0.into();
        for i in 0..W {
            self.owners[i].read_addr.next = self.set.val();
            self.stamps[i].read_addr.next = self.set.val();
            self.ages[i].next = self.now_q.q.val() - self.stamps[i].read_data.val();
            if self.ages[i].val() >= self.limit.val() {
                self.expired_here.next = self.expired_here.val() | self.hot[i].val();
            }
            if self.cp.val() & (self.owners[i].read_data.val() == self.requester.val()) {
                self.owned.next = self.owned.val() | self.hot[i].val();
            }
        }
        self.rmw_count.bits.next = self.rmw_here.val();
        self.locked_count.bits.next = self.locked.read_data.val();
        self.first_expired.bits.next = self.expired_here.val() & self.locked.read_data.val();

        // Of a lower and a higher way the word of the higher one says which was locked first.
        for i in 0..W {
            self.elders[i].read_addr.next = self.set.val();
            self.before[i].next = self.elders[i].read_data.val() & self.lower[i].val();
            for j in 0..W {
                if (self.hot[j].val() > self.hot[i].val())
                    & !(self.elders[j].read_data.val() & self.hot[i].val()).any()
                {
                    self.before[i].next = self.before[i].val() | self.hot[j].val();
                }
            }
            if (self.store_here.val() & self.hot[i].val()).any()
                & !(self.store_here.val() & self.before[i].val()).any()
            {
                self.oldest.next = self.oldest.val() | self.hot[i].val();
            }
        }
        self.is_rmw.next = (self.rmw_here.val() & self.way.val()).any();
        self.is_store.next = (self.store_here.val() & self.way.val()).any();
        self.rmw_ways.next = self.rmw_here.val();
        self.store_ways.next = self.store_here.val();
        self.oldest_store.next = self.oldest.val();
        self.mine.next = (self.rmw_here.val() & self.hit_way.val() & self.owned.val()).any();
        self.others.next = (self.rmw_here.val() & self.hit_way.val() & !self.owned.val()).any();
        self.expire_way.next = self.first_expired.first.val();
        self.rmw_room.next = self.rmw_count.count.val() < self.most_rmw.val();
        self.store_room.next = self.locked_count.count.val() < self.locked_ways_limit.val();

        // Which lock is taken, and which one ends.
        self.takes_rmw.next = self.take_rmw.val()
            & self.way.val().any()
            & !self.is_rmw.val()
            & (self.rmw_count.count.val() < self.most_rmw.val());
        self.takes_store.next = self.take_store.val()
            & self.way.val().any()
            & !self.is_rmw.val()
            & !self.is_store.val()
            & (self.locked_count.count.val() < self.locked_ways_limit.val());
        self.unlocks.next =
            self.unlock.val() & (self.rmw_here.val() & self.way.val() & self.owned.val()).any();
        self.some_end.next = (self.expire.val() & self.first_expired.first.val().any())
            | self.unlocks.val()
            | (self.is_store.val() & ((self.touch.val() & self.cp.val()) | self.takes_rmw.val()));
        self.ends.next = self.way.val();
        self.ended_cause.next = 0.into();
        if self.expire.val() {
            self.ends.next = self.first_expired.first.val();
            self.ended_cause.next = 1.into();
        } else if self.takes_rmw.val() & self.evict.val() {
            self.ended_cause.next = 2.into();
        }
        self.end_owner.next = 0.into();
        self.end_age.next = 0.into();
        for i in 0..W {
            if (self.ends.val() & self.hot[i].val()).any() {
                self.end_owner.next = self.owners[i].read_data.val();
                self.end_age.next = self.ages[i].val();
            }
        }
        self.ended.next = self.some_end.val();
        self.ended_way.next = self.ends.val();
        self.ended_rmw.next = (self.ends.val() & self.rmw_here.val()).any();
        self.ended_owner.next = self.end_owner.val();
        self.ended_age.next = self.end_age.val();

        // What changes at the edge.
        self.takes.next = self.takes_rmw.val() | self.takes_store.val();
        self.left.next = self.locked.read_data.val() & !self.ends.val();
        if self.takes.val() {
            self.left.next = self.locked.read_data.val() | self.way.val();
        }
        self.locked.write_addr.next = self.set.val();
        self.locked.write_data.next = self.left.val();
        self.locked.write_en.next = self.some_end.val() | self.takes.val();
        self.sweep_locked.write_addr.next = self.set.val();
        self.sweep_locked.write_data.next = self.left.val();
        self.sweep_locked.write_en.next = self.some_end.val() | self.takes.val();
        self.rmws.write_addr.next = self.set.val();
        self.rmws.write_data.next = self.rmws.read_data.val() & !self.way.val();
        if self.takes_rmw.val() {
            self.rmws.write_data.next = self.rmws.read_data.val() | self.way.val();
        }
        self.rmws.write_en.next = self.takes.val();
        for i in 0..W {
            self.elders[i].write_addr.next = self.set.val();
            self.elders[i].write_data.next = self.elders[i].read_data.val() & !self.way.val();
            if (self.way.val() & self.hot[i].val()).any() {
                self.elders[i].write_data.next = self.lower[i].val();
            }
            self.elders[i].write_en.next = self.takes.val();
            self.owners[i].write_addr.next = self.set.val();
            self.owners[i].write_data.next = self.requester.val();
            self.owners[i].write_en.next =
                self.takes.val() & (self.way.val() & self.hot[i].val()).any();
            self.stamps[i].write_addr.next = self.set.val();
            self.stamps[i].write_data.next = self.now_q.q.val();
            self.stamps[i].write_en.next =
                self.takes.val() & (self.way.val() & self.hot[i].val()).any();
            self.sweep_stamps[i].write_addr.next = self.set.val();
            self.sweep_stamps[i].write_data.next = self.now_q.q.val();
            self.sweep_stamps[i].write_en.next =
                self.takes.val() & (self.way.val() & self.hot[i].val()).any();
            self.sweep_stamps[i].read_addr.next = self.sweep_q.q.val();
        }

        // The sweep stays at a set while something in it has expired.
        self.sweep_locked.read_addr.next = self.sweep_q.q.val();
        self.some_expired.next = false;
        for i in 0..W {
            self.sweep_age.next = self.now_q.q.val() - self.sweep_stamps[i].read_data.val();
            if (self.sweep_locked.read_data.val() & self.hot[i].val()).any()
                & (self.sweep_age.val() >= self.limit.val())
                & self.watchdog_limit.val().any()
            {
                self.some_expired.next = true;
            }
        }
        self.sweep_q.en.next = !self.some_expired.val();
        self.sweep_q.d.next = self.sweep_q.q.val() + 1;
        self.expired.next = self.some_expired.val();
        self.expired_set.next = self.sweep_q.q.val();

        self.count_q.d.next = self.count_q.q.val();
        if self.takes.val() & !self.some_end.val() {
            self.count_q.d.next = self.count_q.q.val() + 1;
        } else if self.some_end.val() & !self.takes_rmw.val() {
            self.count_q.d.next = self.count_q.q.val() - 1;
        }
        self.locked_lines.next = self.count_q.q.val();
    }
}
