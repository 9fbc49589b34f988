//! `PayloadTracker`: from acknowledged bursts to finished messages.
//!
//! **Purpose.** The part of [`PayloadWriter`](crate::delivery::payload_writer::PayloadWriter) after its bursts:
//! remembers what each burst is for, collects what went wrong by slot, and says when a message is done.
//!
//! ```text
//!                              +----------------+
//!   slot, message_last, bad -->|                |--> room   (a burst of `slot` may start), settled
//!   lost, first_sent        -->| PayloadTracker |
//!   last_sent               -->|                |--> done   (stream)
//!   payload_done, _error    -->|                |
//!                              +----------------+
//! ```
//!
//! **Contract.** `first_sent` and `last_sent` are the handshakes of a burst's first and last line; `message_last`,
//! `bad` and `lost` count with `last_sent`. `payload_done` comes for each burst in order, two cycles after `last_sent`
//! or later. If that was the last burst of its message, `done` is offered in the same cycle (or after those that wait).
//! Its `error` and `bad` are those of all bursts of the slot since the slot's last `done`; `lost` is an error. `room`
//! does not fall without `first_sent` or `last_sent`. It is low while 256 bursts are unacknowledged, while 256 messages
//! are between their last burst and `done`, and after reset until the memory of `slot` is cleared: for *slot* + 1
//! cycles without an acknowledgement.
//!
//! **Internals.** `bursts` is in the order of the acknowledgements. `sticky` holds the outcome of earlier bursts by
//! slot; a message's last acknowledgement clears it. Memories survive reset, so a counter sweeps it then.

use crate::bundle::StreamOut;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

use crate::leaf::{Fifo, LutRam, RamFifo, Reg};
use xtq_types::queue::PayloadDone;

/// A burst that is not acknowledged.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct BurstInfo {
    slot: Bits<8>,
    message_last: Bits<1>,
    bad: Bits<1>,
    lost: Bits<1>,
}

/// The bookkeeper of the payload writer.
#[block]
pub struct PayloadTracker {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// Message slot of the line offered.
    pub slot: Signal<In, Bits<8>>,
    /// It is the last line of its message.
    pub message_last: Signal<In, Bits<1>>,
    /// It is the last line of a packet of the wrong length.
    pub bad: Signal<In, Bits<1>>,
    /// It is the last line of a packet of which bytes have no place: an error.
    pub lost: Signal<In, Bits<1>>,
    /// The first line of a burst is taken at this edge.
    pub first_sent: Signal<In, Bit>,
    /// The last line of a burst is taken at this edge.
    pub last_sent: Signal<In, Bit>,
    /// A burst for `slot` may start.
    pub room: Signal<Out, Bit>,
    /// No burst is unacknowledged.
    pub settled: Signal<Out, Bit>,

    /// Pulse: the oldest burst is acknowledged.
    pub payload_done: Signal<In, Bit>,
    /// With `payload_done`: it failed.
    pub payload_error: Signal<In, Bit>,

    /// A message is in memory, or failed.
    pub done: StreamOut<PayloadDone>,

    bursts: RamFifo<BurstInfo, 9>,
    sticky: LutRam<PayloadDone, 8>,
    dones: Fifo<PayloadDone, 8, 9>,
    outstanding_q: Reg<Bits<9>>,
    unfinished_q: Reg<Bits<9>>,
    cleared_q: Reg<Bits<9>>,
    burst: Signal<Local, BurstInfo>,
    acknowledged: Signal<Local, BurstInfo>,
    finishes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
    done_taken: Signal<Local, Bit>,
    clear: Signal<Local, Bit>,
    clean: Signal<Local, Bit>,
    cleared: Signal<Local, Bits<8>>,
    earlier: Signal<Local, PayloadDone>,
    outcome: Signal<Local, PayloadDone>,
    kept: Signal<Local, PayloadDone>,
}

#[kernel]
impl Logic for PayloadTracker {
    fn update(&mut self) {
        self.cleared.next = self.cleared_q.q.val().get_bits::<8>(0);
        self.clean.next =
            self.cleared_q.q.val().get_bit(8) | (self.slot.val() < self.cleared.val());
        self.settled.next = !self.outstanding_q.q.val().any();
        self.room.next = self.clean.val()
            & !self.outstanding_q.q.val().get_bit(8)
            & !self.unfinished_q.q.val().get_bit(8);

        self.burst.next.slot = self.slot.val();
        self.burst.next.message_last = self.message_last.val();
        self.burst.next.bad = self.bad.val();
        self.burst.next.lost = self.lost.val();
        self.bursts.write.data.next = self.burst.val();
        self.bursts.write.valid.next = self.last_sent.val();
        self.bursts.read.ready.next = self.payload_done.val();
        self.outstanding_q.d.next = self.outstanding_q.q.val() - 1;
        if self.first_sent.val() {
            self.outstanding_q.d.next = self.outstanding_q.q.val() + 1;
        }
        self.outstanding_q.en.next = self.first_sent.val() ^ self.payload_done.val();

        // Acknowledgements: the outcome of a slot is kept until its message is done.
        self.acknowledged.next = self.bursts.read.data.val();
        self.sticky.read_addr.next = self.acknowledged.val().slot;
        self.earlier.next = self.sticky.read_data.val();
        self.outcome.next.error = self.earlier.val().error | self.acknowledged.val().lost;
        if self.payload_error.val() {
            self.outcome.next.error = 1.into();
        }
        self.outcome.next.bad = self.earlier.val().bad | self.acknowledged.val().bad;
        self.outcome.next.refused = 0.into();
        self.clear.next = !self.cleared_q.q.val().get_bit(8) & !self.payload_done.val();
        self.cleared_q.d.next = self.cleared_q.q.val() + 1;
        self.cleared_q.en.next = self.clear.val();
        self.kept.next.error = 0.into();
        self.kept.next.bad = 0.into();
        self.kept.next.refused = 0.into();
        self.sticky.write_addr.next = self.cleared.val();
        if self.payload_done.val() {
            self.sticky.write_addr.next = self.acknowledged.val().slot;
            if !self.acknowledged.val().message_last.any() {
                self.kept.next = self.outcome.val();
            }
        }
        self.sticky.write_data.next = self.kept.val();
        self.sticky.write_en.next = self.payload_done.val() | self.clear.val();
        // Messages between their last line and `done` are no more than `dones` can hold. A message that nobody waits in
        // front of is offered in the cycle of its acknowledgement, and stored only if it is not taken.
        self.ends.next = self.payload_done.val() & self.acknowledged.val().message_last.any();
        self.done.data.next = self.outcome.val();
        if self.dones.read.valid.val() {
            self.done.data.next = self.dones.read.data.val();
        }
        self.offered.next = self.dones.read.valid.val() | self.ends.val();
        self.done.valid.next = self.offered.val();
        self.done_taken.next = self.offered.val() & self.done.ready.val();
        self.dones.write.data.next = self.outcome.val();
        self.dones.write.valid.next =
            self.ends.val() & (self.dones.read.valid.val() | !self.done.ready.val());
        self.dones.read.ready.next = self.done.ready.val();
        self.finishes.next = self.last_sent.val() & self.message_last.val().any();
        self.unfinished_q.d.next = self.unfinished_q.q.val() - 1;
        if self.finishes.val() {
            self.unfinished_q.d.next = self.unfinished_q.q.val() + 1;
        }
        self.unfinished_q.en.next = self.finishes.val() ^ self.done_taken.val();
    }
}
