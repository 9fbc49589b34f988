//! `WriteBuffer`: the lines that a bank writes to memory, and which of them memory has not acknowledged.
//!
//! **Purpose.** The write side of [`L2Bank`](super::L2Bank): evicted lines, write-backs and uncached stores. It says
//! which lines must not be fetched yet, because AXI does not order a read after a write.
//!
//! ```text
//!                    +-------------+
//!   reserve       -->|             |--> aw_*, w_*
//!   push          -->| WriteBuffer |<-- b_*
//!   line          -->|             |--> meets, done_slots
//!                    |             |--> room, failed
//!                    +-------------+
//! ```
//!
//! **Contract.** `P` writes at a time. `reserve` takes a slot for `reserve_line`, only with `room` in the cycle
//! before; exactly one cycle later `push` brings the data of this slot. `room`: two more slots can be reserved. `meets`
//! (same cycle) are the slots that hold a write of `line` that is not acknowledged in this cycle; `done_slots` is the
//! slot that is. Writes leave in order, with one AXI id, so that two to one line stay in order. `failed` is a pulse for
//! each that memory refused.
//!
//! **Internals.** A ring of line numbers; addresses and data wait in FIFOs, so that neither channel waits for the
//! other.

use crate::bundle::{LineAwOut, LineBIn, LineWOut};
use crate::leaf::{Delay, Fifo, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// `P` = `2^Q` writes of lines of `D` bits, `B` bytes; `R` = `Q + 1`.
#[block]
#[check(
    P == 1 << Q && (2..=64).contains(&P) && R == Q + 1,
    "WriteBuffer: {P} slots with names of {Q} bits and pointers of {R}, must be {}, 2 to 64, and {}",
    1usize << Q,
    Q + 1
)]
pub struct WriteBuffer<
    const D: usize,
    const B: usize,
    const P: usize,
    const Q: usize,
    const R: usize,
> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Line that is asked about.
    pub line: Signal<In, Bits<58>>,
    /// Slots whose write of `line` is under way.
    pub meets: Signal<Out, Bits<P>>,
    /// Two more slots are free.
    pub room: Signal<Out, Bit>,
    /// Take a slot.
    pub reserve: Signal<In, Bit>,
    /// For this line.
    pub reserve_line: Signal<In, Bits<58>>,
    /// Data of the slot taken a cycle ago.
    pub push: Signal<In, Bit>,
    /// With `push`: its line.
    pub push_line: Signal<In, Bits<58>>,
    /// With `push`: bytes to write.
    pub push_strobe: Signal<In, Bits<B>>,
    /// With `push`: the line's bytes.
    pub push_data: Signal<In, Bits<D>>,
    /// Slot that memory acknowledges, one-hot or zero.
    pub done_slots: Signal<Out, Bits<P>>,
    /// Pulse: with an error.
    pub failed: Signal<Out, Bit>,
    /// To memory: addresses of writes.
    pub aw: LineAwOut,
    /// To memory: lines to write.
    pub w: LineWOut<D, B>,
    /// From memory: responses to writes.
    pub b: LineBIn,
    #[value(vec![Reg::default(); P])]
    line_q: Vec<Reg<Bits<58>>>,
    busy_q: Delay<Bits<P>>,
    head_q: Reg<Bits<Q>>,
    tail_q: Reg<Bits<Q>>,
    addresses: Fifo<Bits<58>, Q, R>,
    strobes: Fifo<Bits<B>, Q, R>,
    data: Fifo<Bits<D>, Q, R>,
    #[value((0..P).map(|slot| Constant::new((1u64 << slot).to_bits())).collect())]
    hot: Vec<Constant<Bits<P>>>,
    #[value(1u64.to_bits())]
    one: Constant<Bits<P>>,
    tail_slot: Signal<Local, Bits<P>>,
    next_slot: Signal<Local, Bits<P>>,
    after_tail: Signal<Local, Bits<Q>>,
    done: Signal<Local, Bits<P>>,
    same: Signal<Local, Bits<P>>,
    added: Signal<Local, Bits<P>>,
}

#[kernel]
impl<const D: usize, const B: usize, const P: usize, const Q: usize, const R: usize> Logic
    for WriteBuffer<D, B, P, Q, R>
{
    fn update(&mut self) {
        // The ring.
        self.tail_slot.next = self.one.val() << self.tail_q.q.val();
        self.after_tail.next = self.tail_q.q.val() + 1;
        self.next_slot.next = self.one.val() << self.after_tail.val();
        self.room.next =
            !(self.busy_q.q.val() & (self.tail_slot.val() | self.next_slot.val())).any();
        self.done.next = 0.into();
        self.failed.next = false;
        if self.b.valid.val() {
            self.done.next = self.one.val() << self.head_q.q.val();
            self.failed.next = self.b.resp.val().get_bit(1);
        }
        self.done_slots.next = self.done.val();
        self.b.ready.next = true;
        self.same.next = 0.into();
        self.added.next = 0.into();
        if self.reserve.val() {
            self.added.next = self.tail_slot.val();
        }
        for i in 0..P {
            self.line_q[i].d.next = self.reserve_line.val();
            self.line_q[i].en.next = (self.added.val() & self.hot[i].val()).any();
            if self.line_q[i].q.val() == self.line.val() {
                self.same.next = self.same.val() | self.hot[i].val();
            }
        }
        self.meets.next = self.same.val() & self.busy_q.q.val() & !self.done.val();
        self.busy_q.d.next = (self.busy_q.q.val() & !self.done.val()) | self.added.val();
        self.tail_q.en.next = self.reserve.val();
        self.tail_q.d.next = self.after_tail.val();
        self.head_q.en.next = self.b.valid.val();
        self.head_q.d.next = self.head_q.q.val() + 1;

        // The channels.
        self.addresses.write.data.next = self.push_line.val();
        self.addresses.write.valid.next = self.push.val();
        self.strobes.write.data.next = self.push_strobe.val();
        self.strobes.write.valid.next = self.push.val();
        self.data.write.data.next = self.push_data.val();
        self.data.write.valid.next = self.push.val();
        self.aw.valid.next = self.addresses.read.valid.val();
        self.aw.addr.next = bit_cast::<64, 58>(self.addresses.read.data.val()) << 6;
        self.addresses.read.ready.next = self.aw.ready.val();
        self.w.valid.next = self.data.read.valid.val();
        self.w.data.next = self.data.read.data.val();
        self.w.strb.next = self.strobes.read.data.val();
        self.data.read.ready.next = self.w.ready.val();
        self.strobes.read.ready.next = self.w.ready.val();
    }
}
