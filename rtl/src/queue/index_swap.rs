//! `IndexSwap`: reserves one packet id of a queue that other producers use too.
//!
//! **Purpose.** Test for room, then compare-and-swap of the write index, until it succeeds. For queues that the NIC
//! owns admission's promise and a plain write do.
//!
//! ```text
//!   start, write, read -->+-----------+--> finished, claimed, full, broken, closed  (pulse)
//!   queue, owner       -->|           |--> id, read_kept
//!   open               -->| IndexSwap |--> atomic     <-- atomic_done, atomic_result
//!                         |           |--> read_index <-- read_result
//!                         +-----------+
//! ```
//!
//! **Contract.** `queue`, `owner` and `mask` are stable from `start` to `finished`. `claimed`: `id` is ours, and at the
//! time of the swap `id - read index < size`. `full`: it was not, by a read index that was read after the write index
//! was known; or 64 swaps were lost to other producers, so that no message waits for ever. `closed`: the queue was not
//! `open` before a try, the first or a later one, or when the last one was lost; it asks at most one cycle before it
//! offers the swap, and a swap once offered stays. None of these: an access failed; `broken` if it was the swap. An
//! atomic write is done when both its acknowledgement and its old value are there.
//!
//! **Internals.** A state machine, one 64-bit step a cycle. `write` may be older than the read index in memory; then
//! "write - read" is negative, which is not full: the swap fails and brings the write index up to date.
//!
//! ```text
//!   Idle -> Used -> Room -> Swap -> SwapWait -> Idle
//!            ^        | full, not read yet | lost the race
//!            |   AskRead, WaitRead         |
//!            +--------+--------------------+
//! ```

use crate::bundle::{PulseIn, StreamOut};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

use crate::leaf::Reg;
use xtq_types::memory::{ReadRequest, ReadResult, WriteRequest};
use xtq_types::queue::QueueInfo;

/// What the reservation is at.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum State {
    Idle,
    Used,
    Room,
    AskRead,
    WaitRead,
    Swap,
    SwapWait,
}

constants! {
    /// What [`IndexSwap`] does not exceed.
    pub struct SwapLimits : 6 {
        /// Lost races that are followed by another try; one more, and it gives up.
        races / races_code = 63u64;
    }
}

/// Reserves packet ids by compare-and-swap.
#[block]
pub struct IndexSwap {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// Begin (pulse).
    pub start: Signal<In, Bit>,
    /// With `start`: last known write index.
    pub write: Signal<In, Bits<64>>,
    /// With `start`: last known read index.
    pub read: Signal<In, Bits<64>>,
    /// The queue.
    pub queue: Signal<In, QueueInfo>,
    /// Its size less one.
    pub mask: Signal<In, Bits<32>>,
    /// Its context.
    pub owner: Signal<In, Bits<2>>,
    /// The queue is open.
    pub open: Signal<In, Bit>,
    /// The end (pulse).
    pub finished: Signal<Out, Bit>,
    /// With `finished`: `id` was reserved.
    pub claimed: Signal<Out, Bit>,
    /// With `finished`: there is no room.
    pub full: Signal<Out, Bit>,
    /// With `finished`: the swap failed, the index is in doubt.
    pub broken: Signal<Out, Bit>,
    /// With `finished`: the queue is not open.
    pub closed: Signal<Out, Bit>,
    /// Packet id.
    pub id: Signal<Out, Bits<64>>,
    /// Last known read index.
    pub read_kept: Signal<Out, Bits<64>>,

    /// To the write port: compare-and-swap of a write index.
    pub atomic: StreamOut<WriteRequest>,
    /// From the write port: the swap is done (pulse).
    pub atomic_done: Signal<In, Bit>,
    /// With `atomic_done`: it failed.
    pub atomic_error: Signal<In, Bit>,
    /// From the read port: value before the swap.
    pub atomic_result: PulseIn<ReadResult>,
    /// To the read port: read of a read index.
    pub read_index: StreamOut<ReadRequest>,
    /// From the read port.
    pub read_result: PulseIn<ReadResult>,

    state_q: Reg<State>,
    fresh_q: Reg<Bit>,
    id_q: Reg<Bits<64>>,
    next_q: Reg<Bits<64>>,
    read_q: Reg<Bits<64>>,
    used_q: Reg<Bits<64>>,
    old_q: Reg<Bits<64>>,
    swapped_q: Reg<Bit>,
    answered_q: Reg<Bit>,
    swap_error_q: Reg<Bit>,
    result_error_q: Reg<Bit>,
    lost_q: Reg<Bits<6>>,
    limits: SwapLimits,
    surplus: Signal<Local, Bits<32>>,
    no_room: Signal<Local, Bit>,
    both: Signal<Local, Bit>,
    address: Signal<Local, Bits<64>>,
    swap_second: Signal<Local, Bit>,
    lane: Signal<Local, Bits<3>>,
    lane_bit: Signal<Local, Bits<9>>,
    pair: Signal<Local, Bits<128>>,
    pair_lane: Signal<Local, Bits<2>>,
    pair_byte: Signal<Local, Bits<6>>,
    pair_bit: Signal<Local, Bits<9>>,
    old_line: Signal<Local, Bits<512>>,
    read_address: Signal<Local, Bits<64>>,
    read_lane: Signal<Local, Bits<3>>,
    read_bit: Signal<Local, Bits<9>>,
    read_line: Signal<Local, Bits<512>>,
}

#[kernel]
impl Logic for IndexSwap {
    fn update(&mut self) {
        // Full: a bit of "used" above the mask; the top bit is a write index older than the read index.
        self.surplus.next = self.used_q.q.val().get_bits::<32>(0) & !self.mask.val();
        self.no_room.next = !self.used_q.q.val().get_bit(63)
            & (self.used_q.q.val().get_bits::<32>(32).any() | self.surplus.val().any());

        // The compare value lies in the lanes of the address, the new value in the other half of the 16 bytes.
        self.address.next = self.queue.val().write_index_address;
        self.lane.next = self.address.val().get_bits::<3>(3);
        self.lane_bit.next = bit_cast::<9, 3>(self.lane.val()) << 6;
        self.swap_second.next = self.lane.val().get_bit(0);
        self.pair_lane.next = self.address.val().get_bits::<2>(4);
        self.pair_byte.next = bit_cast::<6, 2>(self.pair_lane.val()) << 4;
        self.pair_bit.next = bit_cast::<9, 2>(self.pair_lane.val()) << 7;
        self.pair.next = (bit_cast::<128, 64>(self.next_q.q.val()) << 64)
            | bit_cast::<128, 64>(self.id_q.q.val());
        if self.swap_second.val() {
            self.pair.next = (bit_cast::<128, 64>(self.id_q.q.val()) << 64)
                | bit_cast::<128, 64>(self.next_q.q.val());
        }
        self.atomic.data.next.first = 1.into();
        self.atomic.data.next.last = 1.into();
        self.atomic.data.next.atomic = 1.into();
        self.atomic.data.next.context = self.owner.val();
        self.atomic.data.next.length = 0.into();
        self.atomic.data.next.address = self.address.val() & 0xFFFF_FFFF_FFFF_FFF8_u64;
        self.atomic.data.next.strobe = bits::<64>(0xFFFF) << self.pair_byte.val();
        self.atomic.data.next.data = bit_cast::<512, 128>(self.pair.val()) << self.pair_bit.val();
        self.atomic.valid.next = false;

        self.read_address.next = self.queue.val().read_index_address;
        self.read_lane.next = self.read_address.val().get_bits::<3>(3);
        self.read_bit.next = bit_cast::<9, 3>(self.read_lane.val()) << 6;
        self.read_line.next = self.read_result.data.val().data;
        self.read_index.data.next.address = self.read_address.val() & 0xFFFF_FFFF_FFFF_FFF8_u64;
        self.read_index.data.next.context = self.owner.val();
        self.read_index.data.next.size = 3.into();
        self.read_index.data.next.tag = 0.into();
        self.read_index.valid.next = false;

        self.finished.next = false;
        self.claimed.next = false;
        self.full.next = false;
        self.broken.next = false;
        self.closed.next = false;
        self.id.next = self.id_q.q.val();
        self.read_kept.next = self.read_q.q.val();

        self.fresh_q.d.next = false;
        self.fresh_q.en.next = false;
        self.id_q.d.next = self.write.val();
        self.id_q.en.next = false;
        self.next_q.d.next = self.id_q.q.val() + 1;
        self.next_q.en.next = false;
        self.read_q.d.next = self.read.val();
        self.read_q.en.next = false;
        self.used_q.d.next = self.id_q.q.val() - self.read_q.q.val();
        self.used_q.en.next = false;
        self.old_line.next = self.atomic_result.data.val().data;
        self.old_q.d.next = self
            .old_line
            .val()
            .get_bits::<64>(self.lane_bit.val().index());
        self.old_q.en.next = self.atomic_result.valid.val();
        self.result_error_q.d.next = self.atomic_result.data.val().error == 1;
        self.result_error_q.en.next = self.atomic_result.valid.val();
        self.swap_error_q.d.next = self.atomic_error.val();
        self.swap_error_q.en.next = self.atomic_done.val();
        self.answered_q.d.next = self.atomic_result.valid.val();
        self.answered_q.en.next = self.atomic_result.valid.val();
        self.swapped_q.d.next = self.atomic_done.val();
        self.swapped_q.en.next = self.atomic_done.val();
        self.both.next = self.swapped_q.q.val() & self.answered_q.q.val();
        self.lost_q.d.next = 0.into();
        self.lost_q.en.next = false;
        self.state_q.d.next = State::Idle;
        self.state_q.en.next = false;

        match self.state_q.q.val() {
            State::Idle => {
                self.id_q.en.next = true;
                self.read_q.en.next = true;
                self.fresh_q.en.next = true;
                self.lost_q.en.next = true;
                self.state_q.d.next = State::Used;
                self.state_q.en.next = self.start.val();
            }
            State::Used => {
                self.used_q.en.next = true;
                self.next_q.en.next = true;
                self.state_q.d.next = State::Room;
                self.state_q.en.next = true;
            }
            State::Room => {
                self.state_q.en.next = true;
                if !self.open.val() {
                    self.finished.next = true;
                    self.closed.next = true;
                } else if !self.no_room.val() {
                    self.state_q.d.next = State::Swap;
                } else if self.fresh_q.q.val() {
                    self.finished.next = true;
                    self.full.next = true;
                } else {
                    self.state_q.d.next = State::AskRead;
                }
            }
            State::AskRead => {
                self.read_index.valid.next = true;
                self.state_q.d.next = State::WaitRead;
                self.state_q.en.next = self.read_index.ready.val();
            }
            State::WaitRead => {
                self.read_q.d.next = self
                    .read_line
                    .val()
                    .get_bits::<64>(self.read_bit.val().index());
                self.read_q.en.next = self.read_result.valid.val();
                self.fresh_q.d.next = true;
                self.fresh_q.en.next = true;
                self.state_q.d.next = State::Used;
                self.state_q.en.next = self.read_result.valid.val();
                if self.read_result.data.val().error == 1 {
                    self.finished.next = self.read_result.valid.val();
                    self.state_q.d.next = State::Idle;
                }
            }
            State::Swap => {
                self.atomic.valid.next = true;
                self.swapped_q.en.next = true;
                self.answered_q.en.next = true;
                self.state_q.d.next = State::SwapWait;
                self.state_q.en.next = self.atomic.ready.val();
            }
            State::SwapWait => {
                self.state_q.en.next = self.both.val();
                if self.swap_error_q.q.val() | self.result_error_q.q.val() {
                    self.finished.next = self.both.val();
                    self.broken.next = true;
                } else if self.old_q.q.val() == self.id_q.q.val() {
                    self.finished.next = self.both.val();
                    self.claimed.next = true;
                } else if self.lost_q.q.val() == self.limits.races.val() {
                    self.finished.next = self.both.val();
                    self.full.next = self.open.val();
                    self.closed.next = !self.open.val();
                } else {
                    self.lost_q.d.next = self.lost_q.q.val() + 1;
                    self.lost_q.en.next = self.both.val();
                    self.id_q.d.next = self.old_q.q.val();
                    self.id_q.en.next = self.both.val();
                    self.fresh_q.en.next = true;
                    self.state_q.d.next = State::Used;
                }
            }
            _ => {}
        }
    }
}
