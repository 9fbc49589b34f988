//! `CommandPointers`: the command ring of one context, as counts and addresses.
//!
//! **Purpose.** Says to [`CommandRing`](crate::commands::command_ring::CommandRing) which command of the ring is
//! fetched next, whether there is room for it, and which of those that were fetched can be taken next. It sees no
//! command.
//!
//! ```text
//!                  +-----------------+
//!   cfg_*       -->|                 |--> status_data  (same cycle)
//!   status_word -->|                 |--> bad_tail
//!   enabled     -->| CommandPointers |--> wants, address, slot_in
//!   fetch       -->|                 |--> waiting, slot_next
//!   arrived     -->|                 |
//!   take        -->+-----------------+
//! ```
//!
//! **Contract.** `wants`: the command at `address` can be fetched; it is to be kept in place `slot_in` of 64. `fetch`
//! (only with `wants`): that is done at the edge. `arrived`: the oldest command fetched is there. `waiting`: a command
//! can be taken; `take` takes it (if none is there nothing happens). `slot_next`: the place of the one that can be
//! taken in the next cycle, if no ring begins. A written TAIL is tested in the next cycle, `bad_tail` is in that cycle.
//! Writing SIZE begins a new ring: `wants` is low in that cycle, and of the fetches under way none counts any more,
//! whenever it arrives. Window writes are at least two cycles apart. `enabled` low: neither `wants` nor `waiting`; a
//! `take` counts, as what it takes was given before. Reset: no ring, nothing under way.
//!
//! **Internals.** The address of the next command and its index in the ring grow together, so nothing is multiplied.
//! Numbers of commands are kept beside the running counts, so that nothing is subtracted: `free_q` + (TAIL - HEAD) =
//! SIZE. Results come in order, so it is enough to count: of the `flying_q` fetches under way the next `stale_q` are of
//! a ring that is no more.

use crate::leaf::{Delay, Reg, RingSize};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Counts and addresses of one command ring.
#[block]
pub struct CommandPointers {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Write a window word.
    pub cfg_write: Signal<In, Bit>,
    /// 0 BASE_LO, 1 BASE_HI, 2 SIZE in commands, 3 TAIL.
    pub cfg_word: Signal<In, Bits<2>>,
    /// Value.
    pub cfg_data: Signal<In, Bits<32>>,
    /// Word to read: 0 to 3 as in the window, 4 HEAD.
    pub status_word: Signal<In, Bits<3>>,
    /// The word, in the same cycle.
    pub status_data: Signal<Out, Bits<32>>,
    /// A TAIL was refused (pulse).
    pub bad_tail: Signal<Out, Bit>,
    /// The context may send.
    pub enabled: Signal<In, Bit>,
    /// A command can be fetched.
    pub wants: Signal<Out, Bit>,
    /// Its address, 128-byte aligned.
    pub address: Signal<Out, Bits<64>>,
    /// Where it is to be kept.
    pub slot_in: Signal<Out, Bits<6>>,
    /// It is fetched (pulse).
    pub fetch: Signal<In, Bit>,
    /// The oldest fetched command is there (pulse).
    pub arrived: Signal<In, Bit>,
    /// A command can be taken.
    pub waiting: Signal<Out, Bit>,
    /// Where the one that can be taken in the next cycle is kept.
    pub slot_next: Signal<Out, Bits<6>>,
    /// It is taken (pulse).
    pub take: Signal<In, Bit>,

    base_low_q: Reg<Bits<32>>,
    base_high_q: Reg<Bits<32>>,
    size_q: Reg<Bits<16>>,
    /// Index of the last place, size - 1.
    last_q: Reg<Bits<16>>,
    head_q: Reg<Bits<32>>,
    tail_q: Reg<Bits<32>>,
    /// Places of the ring that hold no command: SIZE - (TAIL - HEAD).
    free_q: Delay<Bits<16>>,
    /// Commands that were posted and not asked for.
    unfetched_q: Delay<Bits<16>>,
    /// The next command to fetch: address and index in the ring.
    address_q: Reg<Bits<64>>,
    index_q: Reg<Bits<16>>,
    /// Commands that were asked for and not taken, 0 to 64; those of them that are there.
    ahead_q: Reg<Bits<7>>,
    ready_q: Reg<Bits<7>>,
    /// Fetches under way; the first so many of them do not count.
    flying_q: Delay<Bits<7>>,
    stale_q: Reg<Bits<7>>,
    slot_in_q: Reg<Bits<6>>,
    slot_out_q: Reg<Bits<6>>,
    /// A written TAIL and its step, to be tested.
    step_valid_q: Delay<Bit>,
    step_q: Reg<Bits<32>>,
    restart: Signal<Local, Bit>,
    writes_tail: Signal<Local, Bit>,
    base: Signal<Local, Bits<64>>,
    low_bits: Signal<Local, Bits<25>>,
    ring: RingSize,
    size: Signal<Local, Bits<16>>,
    good: Signal<Local, Bit>,
    accepted: Signal<Local, Bit>,
    step: Signal<Local, Bits<16>>,
    free: Signal<Local, Bits<16>>,
    free_stepped: Signal<Local, Bits<16>>,
    unfetched: Signal<Local, Bits<16>>,
    unfetched_stepped: Signal<Local, Bits<16>>,
    unfetched_less: Signal<Local, Bits<16>>,
    unfetched_stepped_less: Signal<Local, Bits<16>>,
    room: Signal<Local, Bit>,
    there: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    fresh: Signal<Local, Bit>,
    flying: Signal<Local, Bits<7>>,
    at_end: Signal<Local, Bit>,
}

impl CommandPointers {
    /// A ring whose running counts start at `first` instead of 0: for tests of the wrap at 2^32. `first` must be a
    /// multiple of every SIZE used, so that a count still names its place.
    pub fn counting_from(first: u32) -> Self {
        Self {
            head_q: Reg::new(u64::from(first).to_bits()),
            tail_q: Reg::new(u64::from(first).to_bits()),
            ..Self::default()
        }
    }
}

#[kernel]
impl Logic for CommandPointers {
    fn update(&mut self) {
        self.restart.next = self.cfg_write.val() & (self.cfg_word.val() == 2);
        self.head_q.rst.next = self.rst.val() | self.restart.val();
        self.tail_q.rst.next = self.rst.val() | self.restart.val();
        self.unfetched_q.rst.next = self.rst.val() | self.restart.val();
        self.index_q.rst.next = self.rst.val() | self.restart.val();
        self.ahead_q.rst.next = self.rst.val() | self.restart.val();
        self.ready_q.rst.next = self.rst.val() | self.restart.val();
        self.slot_in_q.rst.next = self.rst.val() | self.restart.val();
        self.slot_out_q.rst.next = self.rst.val() | self.restart.val();

        // Window. A command is 128 bytes, so the lowest seven bits of BASE do not count.
        self.low_bits.next = self.cfg_data.val().get_bits::<25>(7);
        self.base_low_q.d.next = bit_cast::<32, 25>(self.low_bits.val()) << 7;
        self.base_low_q.en.next = self.cfg_write.val() & (self.cfg_word.val() == 0);
        self.base_high_q.d.next = self.cfg_data.val();
        self.base_high_q.en.next = self.cfg_write.val() & (self.cfg_word.val() == 1);
        self.base.next = (bit_cast::<64, 32>(self.base_high_q.q.val()) << 32)
            | bit_cast::<64, 32>(self.base_low_q.q.val());
        // Of larger powers of two the low 16 bits are 0.
        self.ring.wanted.next = self.cfg_data.val();
        self.size.next = self.ring.size.val().get_bits::<16>(0);
        self.size_q.d.next = self.size.val();
        self.size_q.en.next = self.restart.val();
        self.last_q.d.next = self.ring.last.val().get_bits::<16>(0);
        self.last_q.en.next = self.restart.val();

        // A written TAIL counts if the commands that it adds find free places. What the counts are with it and without
        // it is found beside that comparison.
        self.writes_tail.next = self.cfg_write.val() & (self.cfg_word.val() == 3);
        self.step_q.d.next = self.cfg_data.val() - self.tail_q.q.val();
        self.step_q.en.next = self.writes_tail.val();
        self.step_valid_q.d.next = self.writes_tail.val();
        self.good.next = self.step_q.q.val() <= bit_cast::<32, 16>(self.free_q.q.val());
        self.bad_tail.next = self.step_valid_q.q.val() & !self.good.val();
        self.accepted.next = self.step_valid_q.q.val() & self.good.val();
        self.step.next = self.step_q.q.val().get_bits::<16>(0);
        self.tail_q.d.next = self.tail_q.q.val() + bit_cast::<32, 16>(self.step.val());
        self.tail_q.en.next = self.accepted.val();

        // What is taken.
        self.there.next = self.ready_q.q.val().any();
        self.taken.next = self.take.val() & self.there.val();
        self.waiting.next = self.there.val() & self.enabled.val();
        self.slot_next.next = self.slot_out_q.q.val();
        if self.taken.val() {
            self.slot_next.next = self.slot_out_q.q.val() + 1;
        }
        self.slot_out_q.d.next = self.slot_out_q.q.val() + 1;
        self.slot_out_q.en.next = self.taken.val();
        self.head_q.d.next = self.head_q.q.val() + 1;
        self.head_q.en.next = self.taken.val();
        self.free.next = self.free_q.q.val() + bit_cast::<16, 1>(self.taken.val().into());
        self.free_stepped.next =
            self.free_q.q.val() - self.step.val() + bit_cast::<16, 1>(self.taken.val().into());
        self.free_q.d.next = self.free.val();
        if self.accepted.val() {
            self.free_q.d.next = self.free_stepped.val();
        }

        // What is fetched.
        self.room.next = !self.ahead_q.q.val().get_bit(6);
        self.wants.next = self.unfetched_q.q.val().any()
            & self.room.val()
            & self.enabled.val()
            & !self.restart.val();
        self.unfetched.next = self.unfetched_q.q.val();
        self.unfetched_stepped.next = self.unfetched_q.q.val() + self.step.val();
        self.unfetched_less.next = self.unfetched_q.q.val() - 1;
        self.unfetched_stepped_less.next = self.unfetched_q.q.val() + self.step.val() - 1;
        if self.fetch.val() {
            self.unfetched.next = self.unfetched_less.val();
            self.unfetched_stepped.next = self.unfetched_stepped_less.val();
        }
        self.unfetched_q.d.next = self.unfetched.val();
        if self.accepted.val() {
            self.unfetched_q.d.next = self.unfetched_stepped.val();
        }
        self.ahead_q.d.next = self.ahead_q.q.val() - 1;
        if self.fetch.val() {
            self.ahead_q.d.next = self.ahead_q.q.val() + 1;
        }
        self.ahead_q.en.next = self.fetch.val() ^ self.taken.val();
        self.address.next = self.address_q.q.val();
        self.slot_in.next = self.slot_in_q.q.val();
        self.slot_in_q.d.next = self.slot_in_q.q.val() + 1;
        self.slot_in_q.en.next = self.fetch.val();
        self.at_end.next = self.index_q.q.val() == self.last_q.q.val();
        self.address_q.d.next = self.address_q.q.val() + 128;
        self.address_q.en.next = self.fetch.val();
        self.index_q.d.next = self.index_q.q.val() + 1;
        self.index_q.en.next = self.fetch.val();
        if self.at_end.val() {
            self.address_q.d.next = self.base.val();
            self.index_q.d.next = 0.into();
        }

        // What arrives.
        self.flying.next = self.flying_q.q.val();
        if self.fetch.val() & !self.arrived.val() {
            self.flying.next = self.flying_q.q.val() + 1;
        }
        if self.arrived.val() & !self.fetch.val() {
            self.flying.next = self.flying_q.q.val() - 1;
        }
        self.flying_q.d.next = self.flying.val();
        self.fresh.next = self.arrived.val() & !self.stale_q.q.val().any();
        self.stale_q.d.next = self.stale_q.q.val() - 1;
        self.stale_q.en.next = self.arrived.val() & self.stale_q.q.val().any();
        self.ready_q.d.next = self.ready_q.q.val() - 1;
        if self.fresh.val() {
            self.ready_q.d.next = self.ready_q.q.val() + 1;
        }
        self.ready_q.en.next = self.fresh.val() ^ self.taken.val();

        if self.restart.val() {
            self.free_q.d.next = self.size.val();
            self.address_q.d.next = self.base.val();
            self.address_q.en.next = true;
            self.stale_q.d.next = self.flying.val();
            self.stale_q.en.next = true;
        }

        self.status_data.next = 0.into();
        match self.status_word.val().index() {
            0 => self.status_data.next = self.base_low_q.q.val(),
            1 => self.status_data.next = self.base_high_q.q.val(),
            2 => self.status_data.next = bit_cast::<32, 16>(self.size_q.q.val()),
            3 => self.status_data.next = self.tail_q.q.val(),
            4 => self.status_data.next = self.head_q.q.val(),
            _ => self.status_data.next = 0.into(),
        }
    }
}
