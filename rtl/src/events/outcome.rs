//! `Outcome`: what event and acknowledgement say about the end of a message.
//!
//! **Purpose.** Kind, status and `ni_fail` from what the pipeline found; and the rule for a shared queue that is found full only behind the payload.
//!
//! ```text
//!   found, xtq, get,     +---------+
//!   atomic, fetch     -->|         |--> told, ok, memory_error
//!   early, done       -->| Outcome |--> kind, ni_fail, version, opcode
//!   flow, enabled     -->+---------+--> disabling, disabled
//! ```
//!
//! **Contract.** Combinational. QUEUE_FULL of a message that did not disable its entry at admission (`early`), while the entry has flow control (`flow`):
//! if the entry is `enabled`, the message is to disable it (`disabling`, until `done`) and then says what it would have said at admission; if not, it
//! ends like a message that came behind the one that disabled it, with PT_DISABLED.
//!
//! **Internals.** Tests are written from the last to the first, each overriding the ones before it.

use rust_hdl::prelude::*;
use xtq_kernel::kernel;
use xtq_types::event::{kind, status};
use xtq_types::wire_header::{self, ni_fail, opcode};

/// What is told about an outcome.
#[derive(Clone, Debug, LogicBlock)]
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
    /// Outcome that is told.
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
    /// What the initiator is told, see [`ni_fail`].
    pub ni_fail: Signal<Out, Bits<8>>,
    /// Version of the wire format.
    pub version: Signal<Out, Bits<8>>,
    /// Opcode of an acknowledgement.
    pub opcode: Signal<Out, Bits<8>>,
    /// Kind of the event that tells of an entry that was unlinked.
    pub auto_unlink: Signal<Out, Bits<8>>,
    /// Kind of the event that tells of a buffer that is free.
    pub auto_free: Signal<Out, Bits<8>>,
    /// Status of events that tell of no failure.
    pub success: Signal<Out, Bits<8>>,
    /// Their `ni_fail`.
    pub no_fail: Signal<Out, Bits<8>>,
    status_ok: Constant<Bits<8>>,
    status_perm_violation: Constant<Bits<8>>,
    status_op_violation: Constant<Bits<8>>,
    kind_auto_unlink: Constant<Bits<8>>,
    kind_auto_free: Constant<Bits<8>>,
    fail_perm_violation: Constant<Bits<8>>,
    fail_op_violation: Constant<Bits<8>>,
    status_memory_error: Constant<Bits<8>>,
    status_pt_disabled: Constant<Bits<8>>,
    status_queue_full: Constant<Bits<8>>,
    late: Signal<Local, Bit>,
    kind_put: Constant<Bits<8>>,
    kind_get: Constant<Bits<8>>,
    kind_atomic: Constant<Bits<8>>,
    kind_fetch_atomic: Constant<Bits<8>>,
    kind_xtq_put: Constant<Bits<8>>,
    kind_pt_disabled: Constant<Bits<8>>,
    fail_ok: Constant<Bits<8>>,
    fail_dropped: Constant<Bits<8>>,
    fail_pt_disabled: Constant<Bits<8>>,
    fail_segv: Constant<Bits<8>>,
    wire_version: Constant<Bits<8>>,
    opcode_ack: Constant<Bits<8>>,
}

impl Default for Outcome {
    fn default() -> Self {
        Self {
            found: Signal::default(),
            early: Signal::default(),
            done: Signal::default(),
            flow: Signal::default(),
            enabled: Signal::default(),
            xtq: Signal::default(),
            get: Signal::default(),
            atomic: Signal::default(),
            fetch: Signal::default(),
            told: Signal::default(),
            disabling: Signal::default(),
            disabled: Signal::default(),
            ok: Signal::default(),
            memory_error: Signal::default(),
            kind: Signal::default(),
            ni_fail: Signal::default(),
            version: Signal::default(),
            opcode: Signal::default(),
            auto_unlink: Signal::default(),
            auto_free: Signal::default(),
            success: Signal::default(),
            no_fail: Signal::default(),
            status_perm_violation: Constant::new(status::PERM_VIOLATION.to_bits()),
            status_op_violation: Constant::new(status::OP_VIOLATION.to_bits()),
            kind_auto_unlink: Constant::new(kind::AUTO_UNLINK.to_bits()),
            kind_auto_free: Constant::new(kind::AUTO_FREE.to_bits()),
            fail_perm_violation: Constant::new(ni_fail::PERM_VIOLATION.to_bits()),
            fail_op_violation: Constant::new(ni_fail::OP_VIOLATION.to_bits()),
            status_ok: Constant::new(status::OK.to_bits()),
            status_memory_error: Constant::new(status::MEMORY_ERROR.to_bits()),
            status_pt_disabled: Constant::new(status::PT_DISABLED.to_bits()),
            status_queue_full: Constant::new(status::QUEUE_FULL.to_bits()),
            late: Signal::default(),
            kind_put: Constant::new(kind::PUT.to_bits()),
            kind_get: Constant::new(kind::GET.to_bits()),
            kind_atomic: Constant::new(kind::ATOMIC.to_bits()),
            kind_fetch_atomic: Constant::new(kind::FETCH_ATOMIC.to_bits()),
            kind_xtq_put: Constant::new(kind::XTQ_PUT.to_bits()),
            kind_pt_disabled: Constant::new(kind::PT_DISABLED.to_bits()),
            fail_ok: Constant::new(ni_fail::OK.to_bits()),
            fail_dropped: Constant::new(ni_fail::DROPPED.to_bits()),
            fail_pt_disabled: Constant::new(ni_fail::PT_DISABLED.to_bits()),
            fail_segv: Constant::new(ni_fail::SEGV.to_bits()),
            wire_version: Constant::new(wire_header::VERSION.to_bits()),
            opcode_ack: Constant::new(opcode::ACK.to_bits()),
        }
    }
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
