//! `BodyCut`: cuts the bytes off a packet that its message does not deliver.
//!
//! **Purpose.** A message that is longer than the room in its buffer is delivered in part (Portals: `mlength` below
//! `rlength`); the rest of its packets is taken off the stream here.
//!
//! ```text
//!   beat       -->+---------+--> cut        (to PayloadWriter)
//!   beat_valid -->| BodyCut |--> cut_valid
//!   beat_ready <--+---------+<-- cut_ready
//! ```
//!
//! **Contract.** A packet leaves with its first `limit` bytes (those of its first beat), its other fields unchanged,
//! and as the same number of beats or fewer; with a limit of 0 as one beat without bytes. A packet of no more than
//! `limit` bytes passes unchanged, each beat in the cycle in which it comes. One beat a cycle.
//!
//! **Internals.** The beat in which the limit is reached waits in a register, shortened, until the packet has ended,
//! since only then it is known whether its length was right.

use crate::bundle::{StreamIn, StreamOut};
use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::pipe::WriteBeat;

/// Cuts packets at their limit.
#[block]
pub struct BodyCut {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// From the rewrite engine.
    pub beat: StreamIn<WriteBeat>,
    /// To the payload writer.
    pub cut: StreamOut<WriteBeat>,

    /// Bytes that the packet may still bring.
    left_q: Reg<Bits<13>>,
    /// The beat in which the limit was reached.
    held_q: Reg<WriteBeat>,
    /// There is one.
    holding_q: Reg<Bit>,
    left: Signal<Local, Bits<13>>,
    bytes: Signal<Local, Bits<13>>,
    few: Signal<Local, Bits<13>>,
    reached: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    swallow: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    shortened: Signal<Local, WriteBeat>,
}

#[kernel]
impl Logic for BodyCut {
    fn update(&mut self) {
        self.left.next = self.left_q.q.val();
        if self.beat.data.val().first == 1 {
            self.left.next = self.beat.data.val().limit;
        }
        self.bytes.next = bit_cast::<13, 7>(self.beat.data.val().bytes);
        self.few.next = self.bytes.val();
        if self.left.val() < self.bytes.val() {
            self.few.next = self.left.val();
        }
        self.shortened.next = self.beat.data.val();
        self.shortened.next.bytes = self.few.val().get_bits::<7>(0);
        self.ends.next = self.beat.data.val().last == 1;
        self.reached.next = self.left.val() <= 64;

        // A beat of a packet that goes on after its limit leaves nothing.
        self.swallow.next = self.beat.valid.val()
            & !self.ends.val()
            & (self.reached.val() | self.holding_q.q.val());
        self.cut.data.next = self.shortened.val();
        if self.holding_q.q.val() {
            self.cut.data.next = self.held_q.q.val();
            self.cut.data.next.last = 1.into();
            self.cut.data.next.bad = self.beat.data.val().bad;
        }
        self.cut.valid.next = self.beat.valid.val() & !self.swallow.val();
        self.beat.ready.next = self.swallow.val() | self.cut.ready.val();
        self.taken.next = self.beat.valid.val() & (self.swallow.val() | self.cut.ready.val());

        self.left_q.d.next = self.left.val() - self.few.val();
        self.left_q.en.next = self.taken.val();
        self.held_q.d.next = self.shortened.val();
        self.held_q.en.next = self.swallow.val() & !self.holding_q.q.val();
        self.holding_q.d.next = self.swallow.val();
        self.holding_q.en.next = self.taken.val();
    }
}
