//! `Outcome`: what event and acknowledgement say about the end of a message.
//!
//! **Purpose.** Kind, status and `ni_fail` from what the pipeline found; and the rule for a shared queue that is found
//! full only after the payload.
//!
//! ```text
//!   found, xtq, get,     +---------+
//!   atomic, fetch     -->|         |--> told, ok, memory_error
//!   early, done       -->| Outcome |--> kind, ni_fail, version, opcode
//!   flow, enabled     -->+---------+--> disabling, disabled
//! ```
//!
//! **Contract.** Combinational. QUEUE_FULL of a message that did not disable its entry at admission (`early`), while
//! the entry has flow control (`flow`). If the entry is `enabled`, the message is to disable it (`disabling`, until
//! `done`) and then reports what it would have reported at admission. If not, it ends like a message that came after
//! the one that disabled it, with PT_DISABLED.
//!
//! **Internals.** Tests are written from the last to the first, each overriding the ones before it.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::event::{kind, status};
use xtq_types::wire_header::{self, ni_fail, opcode};

/// What is reported of an outcome.
#[block]
pub struct Outcome {
    /// Outcome that the pipeline found.
    pub found: Signal<In, Bits<8>>,
    /// The message disabled its portal entry at admission.
    pub early: Signal<In, Bit>,
    /// It has disabled it since.
    pub done: Signal<In, Bit>,
    /// The entry has flow control now.
    pub flow: Signal<In, Bit>,
    /// The entry is enabled now.
    pub enabled: Signal<In, Bit>,
    /// XTQ put.
    pub xtq: Signal<In, Bit>,
    /// GET.
    pub get: Signal<In, Bit>,
    /// ATOMIC, FETCH_ATOMIC or SWAP.
    pub atomic: Signal<In, Bit>,
    /// FETCH_ATOMIC or SWAP.
    pub fetch: Signal<In, Bit>,
    /// Outcome that is reported.
    pub told: Signal<Out, Bits<8>>,
    /// The entry is to be disabled now.
    pub disabling: Signal<Out, Bit>,
    /// The message made flow control disable its portal entry, at admission or since.
    pub disabled: Signal<Out, Bit>,
    /// Delivered.
    pub ok: Signal<Out, Bit>,
    /// A memory access failed.
    pub memory_error: Signal<Out, Bit>,
    /// Kind of the event, see [`kind`].
    pub kind: Signal<Out, Bits<8>>,
    /// What is reported to the initiator, see [`ni_fail`].
    pub ni_fail: Signal<Out, Bits<8>>,
    /// Version of the wire format.
    pub version: Signal<Out, Bits<8>>,
    /// Opcode of an acknowledgement.
    pub opcode: Signal<Out, Bits<8>>,
    /// Kind of the event that reports an entry that was unlinked.
    pub auto_unlink: Signal<Out, Bits<8>>,
    /// Kind of the event that reports a buffer that is free.
    pub auto_free: Signal<Out, Bits<8>>,
    /// Status of events that report no failure.
    pub success: Signal<Out, Bits<8>>,
    /// Their `ni_fail`.
    pub no_fail: Signal<Out, Bits<8>>,
    #[value(status::OK.to_bits())]
    status_ok: Constant<Bits<8>>,
    #[value(status::PERM_VIOLATION.to_bits())]
    status_perm_violation: Constant<Bits<8>>,
    #[value(status::OP_VIOLATION.to_bits())]
    status_op_violation: Constant<Bits<8>>,
    #[value(kind::AUTO_UNLINK.to_bits())]
    kind_auto_unlink: Constant<Bits<8>>,
    #[value(kind::AUTO_FREE.to_bits())]
    kind_auto_free: Constant<Bits<8>>,
    #[value(ni_fail::PERM_VIOLATION.to_bits())]
    fail_perm_violation: Constant<Bits<8>>,
    #[value(ni_fail::OP_VIOLATION.to_bits())]
    fail_op_violation: Constant<Bits<8>>,
    #[value(status::MEMORY_ERROR.to_bits())]
    status_memory_error: Constant<Bits<8>>,
    #[value(status::PT_DISABLED.to_bits())]
    status_pt_disabled: Constant<Bits<8>>,
    #[value(status::QUEUE_FULL.to_bits())]
    status_queue_full: Constant<Bits<8>>,
    late: Signal<Local, Bit>,
    #[value(kind::PUT.to_bits())]
    kind_put: Constant<Bits<8>>,
    #[value(kind::GET.to_bits())]
    kind_get: Constant<Bits<8>>,
    #[value(kind::ATOMIC.to_bits())]
    kind_atomic: Constant<Bits<8>>,
    #[value(kind::FETCH_ATOMIC.to_bits())]
    kind_fetch_atomic: Constant<Bits<8>>,
    #[value(kind::XTQ_PUT.to_bits())]
    kind_xtq_put: Constant<Bits<8>>,
    #[value(kind::PT_DISABLED.to_bits())]
    kind_pt_disabled: Constant<Bits<8>>,
    #[value(ni_fail::OK.to_bits())]
    fail_ok: Constant<Bits<8>>,
    #[value(ni_fail::DROPPED.to_bits())]
    fail_dropped: Constant<Bits<8>>,
    #[value(ni_fail::PT_DISABLED.to_bits())]
    fail_pt_disabled: Constant<Bits<8>>,
    #[value(ni_fail::SEGV.to_bits())]
    fail_segv: Constant<Bits<8>>,
    #[value(wire_header::VERSION.to_bits())]
    wire_version: Constant<Bits<8>>,
    #[value(opcode::ACK.to_bits())]
    opcode_ack: Constant<Bits<8>>,
}

#[kernel]
impl Logic for Outcome {
    fn update(&mut self) {
        self.ok.next = self.found.val() == self.status_ok.val();
        self.memory_error.next = self.found.val() == self.status_memory_error.val();
        self.late.next = (self.found.val() == self.status_queue_full.val())
            & self.flow.val()
            & !self.early.val();
        self.disabling.next = self.late.val() & self.enabled.val() & !self.done.val();
        self.disabled.next = self.early.val() | self.done.val();
        self.told.next = self.found.val();
        if self.late.val() & !self.enabled.val() & !self.done.val() {
            self.told.next = self.status_pt_disabled.val();
        }
        self.kind.next = self.kind_put.val();
        if self.xtq.val() {
            self.kind.next = self.kind_xtq_put.val();
        }
        if self.get.val() {
            self.kind.next = self.kind_get.val();
        }
        if self.atomic.val() {
            self.kind.next = self.kind_atomic.val();
            if self.fetch.val() {
                self.kind.next = self.kind_fetch_atomic.val();
            }
        }
        self.ni_fail.next = self.fail_dropped.val();
        if self.memory_error.val() {
            self.ni_fail.next = self.fail_segv.val();
        }
        if self.told.val() == self.status_perm_violation.val() {
            self.ni_fail.next = self.fail_perm_violation.val();
        }
        if self.told.val() == self.status_op_violation.val() {
            self.ni_fail.next = self.fail_op_violation.val();
        }
        if self.told.val() == self.status_pt_disabled.val() {
            self.ni_fail.next = self.fail_pt_disabled.val();
        }
        if self.disabled.val() {
            self.kind.next = self.kind_pt_disabled.val();
            self.ni_fail.next = self.fail_pt_disabled.val();
        }
        if self.ok.val() {
            self.ni_fail.next = self.fail_ok.val();
        }
        self.auto_unlink.next = self.kind_auto_unlink.val();
        self.auto_free.next = self.kind_auto_free.val();
        self.success.next = self.status_ok.val();
        self.no_fail.next = self.fail_ok.val();
        self.version.next = self.wire_version.val();
        self.opcode.next = self.opcode_ack.val();
    }
}
