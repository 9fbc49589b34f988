//! `QueueStates`: open or failed, one bit per queue.
//!
//! **Purpose.** Keeps what queue admission remembers about 256 queues besides their indices; a queue that is neither
//! open nor failed is closed. It decides nothing.
//!
//! ```text
//!   queue         -->+-------------+--> is_open, is_failed
//!   claim_queue   -->|             |--> claim_open
//!   header_queue  -->|             |--> header_open
//!   ring_queue    -->|             |--> ring_open
//!   open          -->| QueueStates |
//!   close, closed -->|             |
//!   enqueue_fail  -->|             |
//!   slot_fail     -->|             |
//!   header_fail   -->|             |
//!   doorbell_fail -->+-------------+
//! ```
//!
//! **Contract.** `is_open` and `is_failed` are those of `queue`, same cycle; `claim_open`, `header_open` and
//! `ring_open`: open and not failed, of the queue beside them. All pulses are taken, in any cycle, several together. A
//! queue that fails while it is closed has failed. `open` (for `queue`) and `close` do not come together. Reset closes
//! all.
//!
//! **Internals.** Two registers of 256 bits.

use crate::bundle::PulseIn;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

use crate::leaf::Reg;

/// The states of 256 queues, {context 2, index 6}.
#[block]
pub struct QueueStates {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; closes all queues.
    pub rst: Signal<In, Bit>,
    /// Queue asked for.
    pub queue: Signal<In, Bits<8>>,
    /// It is open.
    pub is_open: Signal<Out, Bit>,
    /// It failed.
    pub is_failed: Signal<Out, Bit>,
    /// Queue the enqueuer asks for.
    pub claim_queue: Signal<In, Bits<8>>,
    /// It is open and has not failed.
    pub claim_open: Signal<Out, Bit>,
    /// Queue the header writer asks for.
    pub header_queue: Signal<In, Bits<8>>,
    /// It is open and has not failed.
    pub header_open: Signal<Out, Bit>,
    /// Queue the doorbell writer asks for.
    pub ring_queue: Signal<In, Bits<8>>,
    /// It is open and has not failed.
    pub ring_open: Signal<Out, Bit>,
    /// Open `queue` (pulse).
    pub open: Signal<In, Bit>,
    /// Queue to close.
    pub closed: Signal<In, Bits<8>>,
    /// Close it (pulse).
    pub close: Signal<In, Bit>,
    /// Queue that fails, as the enqueuer says.
    pub enqueue_fail: PulseIn<Bits<8>>,
    /// Queue that fails, as the header writer says: slot, index or repair.
    pub slot_fail: PulseIn<Bits<8>>,
    /// Queue that fails, as the doorbell writer says: header word.
    pub header_fail: PulseIn<Bits<8>>,
    /// Queue that fails, as the doorbell writer says: doorbell.
    pub doorbell_fail: PulseIn<Bits<8>>,
    open_q: Reg<Bits<256>>,
    failed_q: Reg<Bits<256>>,
    opens: Signal<Local, Bits<256>>,
    fails: Signal<Local, Bits<256>>,
    working: Signal<Local, Bits<256>>,
    after_close: Signal<Local, Bits<256>>,
    after_enqueue: Signal<Local, Bits<256>>,
    after_slot: Signal<Local, Bits<256>>,
    after_header: Signal<Local, Bits<256>>,
}

#[kernel]
impl Logic for QueueStates {
    fn update(&mut self) {
        self.opens.next = self.open_q.q.val();
        self.fails.next = self.failed_q.q.val();
        self.is_open.next = self.opens.val().get_bit(self.queue.val().index());
        self.is_failed.next = self.fails.val().get_bit(self.queue.val().index());
        self.working.next = self.opens.val() & !self.fails.val();
        self.claim_open.next = self.working.val().get_bit(self.claim_queue.val().index());
        self.header_open.next = self.working.val().get_bit(self.header_queue.val().index());
        self.ring_open.next = self.working.val().get_bit(self.ring_queue.val().index());

        self.open_q.d.next = self.opens.val().replace_bit(self.queue.val().index(), true);
        self.open_q.en.next = self.open.val() | self.close.val();
        self.after_close.next = self.fails.val();
        if self.close.val() {
            self.open_q.d.next = self
                .opens
                .val()
                .replace_bit(self.closed.val().index(), false);
            self.after_close.next = self
                .fails
                .val()
                .replace_bit(self.closed.val().index(), false);
        }
        self.after_enqueue.next = self.after_close.val();
        if self.enqueue_fail.valid.val() {
            self.after_enqueue.next = self
                .after_close
                .val()
                .replace_bit(self.enqueue_fail.data.val().index(), true);
        }
        self.after_slot.next = self.after_enqueue.val();
        if self.slot_fail.valid.val() {
            self.after_slot.next = self
                .after_enqueue
                .val()
                .replace_bit(self.slot_fail.data.val().index(), true);
        }
        self.after_header.next = self.after_slot.val();
        if self.header_fail.valid.val() {
            self.after_header.next = self
                .after_slot
                .val()
                .replace_bit(self.header_fail.data.val().index(), true);
        }
        self.failed_q.d.next = self.after_header.val();
        if self.doorbell_fail.valid.val() {
            self.failed_q.d.next = self
                .after_header
                .val()
                .replace_bit(self.doorbell_fail.data.val().index(), true);
        }
        self.failed_q.en.next = self.close.val()
            | self.enqueue_fail.valid.val()
            | self.slot_fail.valid.val()
            | self.header_fail.valid.val()
            | self.doorbell_fail.valid.val();
    }
}
