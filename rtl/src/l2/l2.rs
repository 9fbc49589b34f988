//! `L2`: the GPU's shared cache, eight banks of 128 KiB.
//!
//! **Purpose.** One cache for the compute units and the command processor. For a share of it, as experiments with one
//! compute unit need it, use [`L2Bank`] alone.
//!
//! ```text
//!                 +----+
//!   cu_request -->|    |--> cu_response
//!   cp_request -->|    |--> cp_response
//!   rmw_write  -->| L2 |--> lock_end, locked_lines, counters
//!   limits     -->|    |--> ar_*, aw_*, w_*
//!                 |    |<-- r_*, b_*
//!                 +----+
//! ```
//!
//! **Contract.** Each port takes one request a cycle if the request's bank does; bits 8:6 of the address are the bank.
//! Requests of the two ports to one bank take turns. Answers come back on the port of their class (`cp` of the
//! request), one a cycle each; of different banks in any order. A hit is answered four cycles after it was accepted.
//! What a bank promises ([`L2Bank`]) holds for every line. AXI: one line a burst; read ids are {bank 3 (top), place 4},
//! write ids the bank. `lock_end` shows the ends of locks one a cycle, of one bank in order; a bank that ends more than
//! 16 ahead of its turn loses the rest, counted in `lost_lock_ends`.
//!
//! **Internals.** A [`RoundRobin`] for each bank (who asks), for each class of answers, for AR, for AW with W, for lock
//! ends. Short FIFOs after them keep payloads stable.

use crate::bundle::{
    LineArOut, LineAwOut, LineBIn, LineRIn, LineWOut, PulseOut, StreamIn, StreamOut,
};
use crate::l2::l2_bank::L2Bank;
use crate::leaf::{Delay, Fifo, RoundRobin};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::l2::{L2Request, L2Response, LockEnd};

/// 16 ways, 128 sets, 64-byte lines; 16 requests wait.
type Bank = L2Bank<16, 4, 7, 128, 11, 16, 4, 512, 64, 17, 16, 4, 2, 3>;

/// Eight banks, 1 MiB.
#[block]
pub struct L2 {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset: empty, unlocked.
    pub rst: Signal<In, Bit>,
    /// Age at which a lock is dropped, in cycles; 0: never.
    pub watchdog_limit: Signal<In, Bits<16>>,
    /// Locked ways of a set from which on locked stores lock no more.
    pub locked_ways_limit: Signal<In, Bits<5>>,
    /// Ways of every set that only misses of the command processor fill, a bit each; 0: all fill all.
    pub cp_ways: Signal<In, Bits<16>>,
    /// From the compute units: an access.
    pub cu_request: StreamIn<L2Request>,
    /// With `cu_request`: bytes of a store.
    pub cu_request_strobe: Signal<In, Bits<64>>,
    /// With `cu_request`: data in the line's lanes.
    pub cu_request_data: Signal<In, Bits<512>>,
    /// From the command processor: an access.
    pub cp_request: StreamIn<L2Request>,
    /// With `cp_request`: bytes of a store.
    pub cp_request_strobe: Signal<In, Bits<64>>,
    /// With `cp_request`: data in the line's lanes.
    pub cp_request_data: Signal<In, Bits<512>>,
    /// From the command processor: the write of a read-modify-write.
    pub rmw_write: StreamIn<L2Request>,
    /// With `rmw_write`: bytes to write.
    pub rmw_write_strobe: Signal<In, Bits<64>>,
    /// With `rmw_write`: data in the line's lanes.
    pub rmw_write_data: Signal<In, Bits<512>>,
    /// To a compute unit: an answer.
    pub cu_response: StreamOut<L2Response>,
    /// With `cu_response`: the line before the access.
    pub cu_response_data: Signal<Out, Bits<512>>,
    /// To the command processor: an answer.
    pub cp_response: StreamOut<L2Response>,
    /// With `cp_response`: the line before the access.
    pub cp_response_data: Signal<Out, Bits<512>>,
    /// A lock that has ended.
    pub lock_end: PulseOut<LockEnd>,
    /// Ends of locks that were not shown.
    pub lost_lock_ends: Signal<Out, Bits<32>>,
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
    /// To memory: addresses of reads; the id is {bank 3 (top), place 4}.
    pub ar: LineArOut<7>,
    /// From memory: lines read.
    pub r: LineRIn<7, 512>,
    /// To memory: addresses of writes.
    pub aw: LineAwOut,
    /// With `aw`: bank.
    pub aw_id: Signal<Out, Bits<3>>,
    /// To memory: lines to write.
    pub w: LineWOut<512, 64>,
    /// From memory: responses to writes.
    pub b: LineBIn,
    /// With `b`: id of the address.
    pub b_id: Signal<In, Bits<3>>,
    #[value((0..8).map(|_| Bank::new(3)).collect())]
    banks: Vec<Bank>,
    turns: [RoundRobin<2>; 8],
    cu_turn: RoundRobin<8>,
    cp_turn: RoundRobin<8>,
    read_turn: RoundRobin<8>,
    write_turn: RoundRobin<8>,
    end_turn: RoundRobin<8>,
    cu_answers: Fifo<L2Response, 1, 2>,
    cu_lines: Fifo<Bits<512>, 1, 2>,
    cp_answers: Fifo<L2Response, 1, 2>,
    cp_lines: Fifo<Bits<512>, 1, 2>,
    read_ids: Fifo<Bits<7>, 1, 2>,
    read_addresses: Fifo<Bits<64>, 1, 2>,
    write_ids: Fifo<Bits<3>, 1, 2>,
    write_addresses: Fifo<Bits<64>, 1, 2>,
    write_strobes: Fifo<Bits<64>, 1, 2>,
    write_lines: Fifo<Bits<512>, 1, 2>,
    ends: [Fifo<LockEnd, 4, 5>; 8],
    lost_q: Delay<Bits<32>>,
    #[value((0..8).map(|bank| Constant::new((1u64 << bank).to_bits())).collect())]
    hot: Vec<Constant<Bits<8>>>,
    #[value((0..8u64).map(|bank| Constant::new(bank.to_bits())).collect())]
    numbers: Vec<Constant<Bits<3>>>,
    #[value((0..8u64).map(|bank| Constant::new((bank << 4).to_bits())).collect())]
    first_ids: Vec<Constant<Bits<7>>>,
    #[value(1u64.to_bits())]
    one: Constant<Bits<8>>,
    cu_address: Signal<Local, Bits<64>>,
    cp_address: Signal<Local, Bits<64>>,
    rmw_address: Signal<Local, Bits<64>>,
    cu_bank: Signal<Local, Bits<8>>,
    cp_bank: Signal<Local, Bits<8>>,
    rmw_bank: Signal<Local, Bits<8>>,
    asking: Signal<Local, Bits<2>>,
    cu_taken: Signal<Local, Bit>,
    cp_taken: Signal<Local, Bit>,
    rmw_taken: Signal<Local, Bit>,
    cu_answering: Signal<Local, Bits<8>>,
    cp_answering: Signal<Local, Bits<8>>,
    reading: Signal<Local, Bits<8>>,
    writing: Signal<Local, Bits<8>>,
    ending: Signal<Local, Bits<8>>,
    write_go: Signal<Local, Bit>,
    r_bank: Signal<Local, Bits<8>>,
    place: Signal<Local, Bits<4>>,
    b_bank: Signal<Local, Bits<8>>,
    answer: Signal<Local, L2Response>,
    lost: Signal<Local, Bits<32>>,
    locked_sum: Signal<Local, Bits<16>>,
    overflow_sum: Signal<Local, Bits<32>>,
    dropped_sum: Signal<Local, Bits<32>>,
    watchdog_sum: Signal<Local, Bits<32>>,
    cp_hit_sum: Signal<Local, Bits<32>>,
    cp_miss_sum: Signal<Local, Bits<32>>,
    cu_hit_sum: Signal<Local, Bits<32>>,
    cu_miss_sum: Signal<Local, Bits<32>>,
    fetch_error_sum: Signal<Local, Bits<32>>,
    write_error_sum: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for L2 {
    fn update(&mut self) {
        for i in 0..8 {
            self.banks[i].watchdog_limit.next = self.watchdog_limit.val();
            self.banks[i].locked_ways_limit.next = self.locked_ways_limit.val();
            self.banks[i].cp_ways.next = self.cp_ways.val();
        }

        // Requests to their banks.
        self.cu_address.next = self.cu_request.data.val().address;
        self.cp_address.next = self.cp_request.data.val().address;
        self.rmw_address.next = self.rmw_write.data.val().address;
        self.cu_bank.next = self.one.val() << self.cu_address.val().get_bits::<3>(6);
        self.cp_bank.next = self.one.val() << self.cp_address.val().get_bits::<3>(6);
        self.rmw_bank.next = self.one.val() << self.rmw_address.val().get_bits::<3>(6);
        self.cu_taken.next = false;
        self.cp_taken.next = false;
        self.rmw_taken.next = false;
        self.asking.next = 0.into();
        for i in 0..8 {
            self.asking.next = 0.into();
            if self.cu_request.valid.val() & (self.cu_bank.val() & self.hot[i].val()).any() {
                self.asking.next = 1.into();
            }
            if self.cp_request.valid.val() & (self.cp_bank.val() & self.hot[i].val()).any() {
                self.asking.next = self.asking.val() | 2;
            }
            self.turns[i].request.next = self.asking.val();
            self.turns[i].advance.next = self.banks[i].request.ready.val();
            self.banks[i].request.valid.next = self.asking.val().any();
            self.banks[i].request.data.next = self.cu_request.data.val();
            self.banks[i].request_strobe.next = self.cu_request_strobe.val();
            self.banks[i].request_data.next = self.cu_request_data.val();
            if self.turns[i].grant.val().get_bit(1) {
                self.banks[i].request.data.next = self.cp_request.data.val();
                self.banks[i].request_strobe.next = self.cp_request_strobe.val();
                self.banks[i].request_data.next = self.cp_request_data.val();
            }
            if self.banks[i].request.ready.val() & self.turns[i].grant.val().get_bit(0) {
                self.cu_taken.next = true;
            }
            if self.banks[i].request.ready.val() & self.turns[i].grant.val().get_bit(1) {
                self.cp_taken.next = true;
            }
            self.banks[i].rmw_write.data.next = self.rmw_write.data.val();
            self.banks[i].rmw_write_strobe.next = self.rmw_write_strobe.val();
            self.banks[i].rmw_write_data.next = self.rmw_write_data.val();
            self.banks[i].rmw_write.valid.next = false;
            if (self.rmw_bank.val() & self.hot[i].val()).any() {
                self.banks[i].rmw_write.valid.next = self.rmw_write.valid.val();
                self.rmw_taken.next = self.banks[i].rmw_write.ready.val();
            }
        }
        self.cu_request.ready.next = self.cu_taken.val();
        self.cp_request.ready.next = self.cp_taken.val();
        self.rmw_write.ready.next = self.rmw_taken.val();

        // Answers to their class.
        self.cu_answering.next = 0.into();
        self.cp_answering.next = 0.into();
        for i in 0..8 {
            self.answer.next = self.banks[i].response.data.val();
            if self.banks[i].response.valid.val() {
                if self.answer.val().cp.any() {
                    self.cp_answering.next = self.cp_answering.val() | self.hot[i].val();
                } else {
                    self.cu_answering.next = self.cu_answering.val() | self.hot[i].val();
                }
            }
        }
        self.cu_turn.request.next = self.cu_answering.val();
        self.cu_turn.advance.next = self.cu_answers.write.ready.val();
        self.cp_turn.request.next = self.cp_answering.val();
        self.cp_turn.advance.next = self.cp_answers.write.ready.val();
        self.cu_answers.write.data.next = self.banks[0].response.data.val();
        self.cu_lines.write.data.next = self.banks[0].response_data.val();
        self.cp_answers.write.data.next = self.banks[0].response.data.val();
        self.cp_lines.write.data.next = self.banks[0].response_data.val();
        for i in 0..8 {
            self.banks[i].response.ready.next = false;
            if (self.cu_turn.grant.val() & self.hot[i].val()).any() {
                self.banks[i].response.ready.next = self.cu_answers.write.ready.val();
                self.cu_answers.write.data.next = self.banks[i].response.data.val();
                self.cu_lines.write.data.next = self.banks[i].response_data.val();
            }
            if (self.cp_turn.grant.val() & self.hot[i].val()).any() {
                self.banks[i].response.ready.next = self.cp_answers.write.ready.val();
                self.cp_answers.write.data.next = self.banks[i].response.data.val();
                self.cp_lines.write.data.next = self.banks[i].response_data.val();
            }
        }
        self.cu_answers.write.valid.next = self.cu_answering.val().any();
        self.cu_lines.write.valid.next = self.cu_answering.val().any();
        connect!(self.cu_answers.read => self.cu_response);
        self.cu_lines.read.ready.next = self.cu_response.ready.val();
        self.cu_response_data.next = self.cu_lines.read.data.val();
        self.cp_answers.write.valid.next = self.cp_answering.val().any();
        self.cp_lines.write.valid.next = self.cp_answering.val().any();
        connect!(self.cp_answers.read => self.cp_response);
        self.cp_lines.read.ready.next = self.cp_response.ready.val();
        self.cp_response_data.next = self.cp_lines.read.data.val();

        // Memory: an address and its data leave together.
        self.reading.next = 0.into();
        self.writing.next = 0.into();
        self.r_bank.next = self.one.val() << self.r.id.val().get_bits::<3>(4);
        self.b_bank.next = self.one.val() << self.b_id.val();
        for i in 0..8 {
            if self.banks[i].ar.valid.val() {
                self.reading.next = self.reading.val() | self.hot[i].val();
            }
            if self.banks[i].aw.valid.val() & self.banks[i].w.valid.val() {
                self.writing.next = self.writing.val() | self.hot[i].val();
            }
        }
        self.write_go.next =
            self.write_addresses.write.ready.val() & self.write_lines.write.ready.val();
        self.read_turn.request.next = self.reading.val();
        self.read_turn.advance.next = self.read_addresses.write.ready.val();
        self.write_turn.request.next = self.writing.val();
        self.write_turn.advance.next = self.write_go.val();
        self.place.next = 0.into();
        self.read_ids.write.data.next = 0.into();
        self.read_addresses.write.data.next = 0.into();
        self.write_ids.write.data.next = 0.into();
        self.write_addresses.write.data.next = 0.into();
        self.write_strobes.write.data.next = 0.into();
        self.write_lines.write.data.next = self.banks[0].w.data.val();
        for i in 0..8 {
            self.banks[i].ar.ready.next = false;
            self.banks[i].aw.ready.next = false;
            self.banks[i].w.ready.next = false;
            if (self.read_turn.grant.val() & self.hot[i].val()).any() {
                self.banks[i].ar.ready.next = self.read_addresses.write.ready.val();
                self.place.next = self.banks[i].ar.id.val();
                self.read_ids.write.data.next =
                    self.first_ids[i].val() | bit_cast::<7, 4>(self.place.val());
                self.read_addresses.write.data.next = self.banks[i].ar.addr.val();
            }
            if (self.write_turn.grant.val() & self.hot[i].val()).any() {
                self.banks[i].aw.ready.next = self.write_go.val();
                self.banks[i].w.ready.next = self.write_go.val();
                self.write_ids.write.data.next = self.numbers[i].val();
                self.write_addresses.write.data.next = self.banks[i].aw.addr.val();
                self.write_strobes.write.data.next = self.banks[i].w.strb.val();
                self.write_lines.write.data.next = self.banks[i].w.data.val();
            }
            self.banks[i].r.valid.next =
                self.r.valid.val() & (self.r_bank.val() & self.hot[i].val()).any();
            self.banks[i].r.id.next = self.r.id.val().get_bits::<4>(0);
            self.banks[i].r.data.next = self.r.data.val();
            self.banks[i].r.resp.next = self.r.resp.val();
            self.banks[i].b.valid.next =
                self.b.valid.val() & (self.b_bank.val() & self.hot[i].val()).any();
            self.banks[i].b.resp.next = self.b.resp.val();
        }
        self.read_ids.write.valid.next = self.reading.val().any();
        self.read_addresses.write.valid.next = self.reading.val().any();
        self.read_ids.read.ready.next = self.ar.ready.val();
        self.read_addresses.read.ready.next = self.ar.ready.val();
        self.ar.valid.next = self.read_addresses.read.valid.val();
        self.ar.id.next = self.read_ids.read.data.val();
        self.ar.addr.next = self.read_addresses.read.data.val();
        self.r.ready.next = true;
        self.write_ids.write.valid.next = self.writing.val().any() & self.write_go.val();
        self.write_addresses.write.valid.next = self.writing.val().any() & self.write_go.val();
        self.write_strobes.write.valid.next = self.writing.val().any() & self.write_go.val();
        self.write_lines.write.valid.next = self.writing.val().any() & self.write_go.val();
        self.write_ids.read.ready.next = self.aw.ready.val();
        self.write_addresses.read.ready.next = self.aw.ready.val();
        self.write_strobes.read.ready.next = self.w.ready.val();
        self.write_lines.read.ready.next = self.w.ready.val();
        self.aw.valid.next = self.write_addresses.read.valid.val();
        self.aw_id.next = self.write_ids.read.data.val();
        self.aw.addr.next = self.write_addresses.read.data.val();
        self.w.valid.next = self.write_lines.read.valid.val();
        self.w.strb.next = self.write_strobes.read.data.val();
        self.w.data.next = self.write_lines.read.data.val();
        self.b.ready.next = true;

        // Ends of locks, one a cycle.
        self.ending.next = 0.into();
        self.lost.next = self.lost_q.q.val();
        for i in 0..8 {
            self.ends[i].write.data.next = self.banks[i].lock_end.data.val();
            self.ends[i].write.valid.next = self.banks[i].lock_end.valid.val();
            if self.banks[i].lock_end.valid.val() & !self.ends[i].write.ready.val() {
                self.lost.next = self.lost.val() + 1;
            }
            if self.ends[i].read.valid.val() {
                self.ending.next = self.ending.val() | self.hot[i].val();
            }
        }
        self.lost_q.d.next = self.lost.val();
        self.lost_lock_ends.next = self.lost_q.q.val();
        self.end_turn.request.next = self.ending.val();
        self.end_turn.advance.next = true;
        self.lock_end.data.next = self.ends[0].read.data.val();
        self.lock_end.valid.next = self.ending.val().any();
        for i in 0..8 {
            self.ends[i].read.ready.next = (self.end_turn.grant.val() & self.hot[i].val()).any();
            if (self.end_turn.grant.val() & self.hot[i].val()).any() {
                self.lock_end.data.next = self.ends[i].read.data.val();
            }
        }

        // Sums.
        self.locked_sum.next = 0.into();
        self.overflow_sum.next = 0.into();
        self.dropped_sum.next = 0.into();
        self.watchdog_sum.next = 0.into();
        self.cp_hit_sum.next = 0.into();
        self.cp_miss_sum.next = 0.into();
        self.cu_hit_sum.next = 0.into();
        self.cu_miss_sum.next = 0.into();
        self.fetch_error_sum.next = 0.into();
        self.write_error_sum.next = 0.into();
        for i in 0..8 {
            self.locked_sum.next = self.locked_sum.val() + self.banks[i].locked_lines.val();
            self.overflow_sum.next = self.overflow_sum.val() + self.banks[i].lock_overflows.val();
            self.dropped_sum.next = self.dropped_sum.val() + self.banks[i].dropped_locks.val();
            self.watchdog_sum.next = self.watchdog_sum.val() + self.banks[i].watchdog_drops.val();
            self.cp_hit_sum.next = self.cp_hit_sum.val() + self.banks[i].cp_hits.val();
            self.cp_miss_sum.next = self.cp_miss_sum.val() + self.banks[i].cp_misses.val();
            self.cu_hit_sum.next = self.cu_hit_sum.val() + self.banks[i].cu_hits.val();
            self.cu_miss_sum.next = self.cu_miss_sum.val() + self.banks[i].cu_misses.val();
            self.fetch_error_sum.next =
                self.fetch_error_sum.val() + self.banks[i].fetch_errors.val();
            self.write_error_sum.next =
                self.write_error_sum.val() + self.banks[i].write_errors.val();
        }
        self.locked_lines.next = self.locked_sum.val();
        self.lock_overflows.next = self.overflow_sum.val();
        self.dropped_locks.next = self.dropped_sum.val();
        self.watchdog_drops.next = self.watchdog_sum.val();
        self.cp_hits.next = self.cp_hit_sum.val();
        self.cp_misses.next = self.cp_miss_sum.val();
        self.cu_hits.next = self.cu_hit_sum.val();
        self.cu_misses.next = self.cu_miss_sum.val();
        self.fetch_errors.next = self.fetch_error_sum.val();
        self.write_errors.next = self.write_error_sum.val();
    }
}
