//! `AdmissionSteps`: the steps of a decision, and when it is made.
//!
//! **Purpose.** The state machine of [`Admission`](crate::admission::admission::Admission): which of the tests and
//! answers counts, and in which cycle. It changes nothing outside.
//!
//! ```text
//!   head_there, head_valid -->+----------------+--> checking, deciding, sending, waiting
//!   first, xtq             -->|                |--> finish, stray, aborting, orphaning
//!   open_hit, continues    -->| AdmissionSteps |--> status, access
//!   orphan, early, task_*  -->|                |--> admit_valid <-- admit_ready
//!   can                    -->|                |<-- admitted, admit_status, admit_access
//!                             +----------------+
//! ```
//!
//! **Contract.** `finish`: the message or packet at hand is decided about, with `status` and `access`; `stray`: the
//! packet belongs to no message; `aborting`: an open message is ended (with `orphaning`: the orphan), the packet stays.
//! An orphan goes before the next packet. Each is up until it meets `can`, at whose edge it is done. A plain put takes
//! 2 cycles, and so do a GET and a reply; a later packet 3, as `continues` counts only in the second cycle after
//! `checking`. The first packet of a reply that nobody waits for (`unasked`, known last) is stray; an XTQ put 5 if the
//! queue answers in the second cycle after `admit_valid`.
//!
//! **Internals.**
//!
//! ```text
//!   Check -> Orphan -> Check                  the context of an open message was disabled
//!   Check -> Decide -> Check                  plain put, stray reply
//!            Decide -> Follow -> Check        later packet, stray packet
//!            Decide, Follow -> Abort -> Check the open message of the source has to go first
//!            Decide -> Send -> Wait -> Check  XTQ put
//!                      Send -> Finish, Wait -> Finish -> Check
//! ```

use crate::codes::status_codes::StatusCodes;
use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Where a decision is.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum AdmissionState {
    /// Wait for a packet; latch what it needs.
    Check,
    /// Finish a plain put; go on with an XTQ put or a later packet.
    Decide,
    /// Finish a later packet.
    Follow,
    /// Ask the queue.
    Send,
    /// Wait for the queue's answer.
    Wait,
    /// Finish with the latched status.
    Finish,
    /// End the open message of this source.
    Abort,
    /// End an orphan: an open message for which no packet will be taken any more.
    Orphan,
}

/// The state machine of admission.
#[block]
pub struct AdmissionSteps {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// There is a packet; its table entries may not be there yet.
    pub head_there: Signal<In, Bit>,
    /// Packet and table entries are there.
    pub head_valid: Signal<In, Bit>,
    /// It is the first of its message.
    pub first: Signal<In, Bit>,
    /// It is of an XTQ put.
    pub xtq: Signal<In, Bit>,
    /// Its source has an open message.
    pub open_hit: Signal<In, Bit>,
    /// It is the next packet of that message; known in the cycle after `deciding`.
    pub continues: Signal<In, Bit>,
    /// It is the first of a reply that nobody waits for; never with `xtq`.
    pub unasked: Signal<In, Bit>,
    /// What the portal entry says.
    pub early: Signal<In, Bits<8>>,
    /// What the table entries say.
    pub task_status: Signal<In, Bits<8>>,
    /// With `task_status`: memory access that failed.
    pub task_access: Signal<In, Bits<8>>,
    /// Ask the queue.
    pub admit_valid: Signal<Out, Bit>,
    /// The question was taken.
    pub admit_ready: Signal<In, Bit>,
    /// The queue's answer (pulse).
    pub admitted: Signal<In, Bit>,
    /// The answer.
    pub admit_status: Signal<In, Bits<8>>,
    /// With `admit_status`: memory access that failed.
    pub admit_access: Signal<In, Bits<8>>,
    /// The context of an open message was disabled.
    pub orphan: Signal<In, Bit>,
    /// Everything that a decision needs has room.
    pub can: Signal<In, Bit>,
    /// Step: latch what the packet needs.
    pub checking: Signal<Out, Bit>,
    /// Step: decide about plain puts.
    pub deciding: Signal<Out, Bit>,
    /// Step: look at the table entries, ask the queue.
    pub sending: Signal<Out, Bit>,
    /// Step: wait for its answer.
    pub waiting: Signal<Out, Bit>,
    /// Step: end an open message.
    pub aborting: Signal<Out, Bit>,
    /// With `aborting`: the orphan (else that of the packet's source).
    pub orphaning: Signal<Out, Bit>,
    /// The decision is made.
    pub finish: Signal<Out, Bit>,
    /// The packet is to be discarded.
    pub stray: Signal<Out, Bit>,
    /// With `finish`: outcome.
    pub status: Signal<Out, Bits<8>>,
    /// With `finish`: memory access that failed.
    pub access: Signal<Out, Bits<8>>,

    state_q: Reg<AdmissionState>,
    status_q: Reg<Bits<8>>,
    access_q: Reg<Bits<8>>,
    codes: StatusCodes,
}

#[kernel]
impl Logic for AdmissionSteps {
    fn update(&mut self) {
        self.state_q.en.next = false;
        self.state_q.d.next = AdmissionState::Check;
        self.status_q.en.next = false;
        self.status_q.d.next = self.admit_status.val();
        self.access_q.en.next = false;
        self.access_q.d.next = self.codes.none.val();

        self.checking.next = self.state_q.q.val() == AdmissionState::Check;
        self.deciding.next = self.state_q.q.val() == AdmissionState::Decide;
        self.sending.next = self.state_q.q.val() == AdmissionState::Send;
        self.waiting.next = self.state_q.q.val() == AdmissionState::Wait;
        self.orphaning.next = self.state_q.q.val() == AdmissionState::Orphan;
        self.aborting.next = (self.state_q.q.val() == AdmissionState::Abort) | self.orphaning.val();
        self.finish.next = false;
        self.stray.next = false;
        self.status.next = self.status_q.q.val();
        self.access.next = self.access_q.q.val();
        self.admit_valid.next = false;
        match self.state_q.q.val() {
            AdmissionState::Check => {
                self.access_q.en.next = true;
                self.state_q.en.next = self.head_there.val();
                self.state_q.d.next = AdmissionState::Decide;
                if self.orphan.val() {
                    self.state_q.en.next = true;
                    self.state_q.d.next = AdmissionState::Orphan;
                }
            }
            AdmissionState::Decide => {
                self.status.next = self.early.val();
                self.state_q.en.next = self.can.val();
                if !self.first.val() {
                    self.state_q.en.next = true;
                    self.state_q.d.next = AdmissionState::Follow;
                } else if self.open_hit.val() {
                    self.state_q.en.next = true;
                    self.state_q.d.next = AdmissionState::Abort;
                } else if self.xtq.val() {
                    self.state_q.en.next = true;
                    self.state_q.d.next = AdmissionState::Send;
                } else {
                    // Either way it is done at this edge: only which it is waits for `unasked`.
                    self.finish.next = !self.unasked.val();
                    self.stray.next = self.unasked.val();
                }
            }
            AdmissionState::Follow => {
                self.state_q.en.next = self.can.val();
                self.status.next = self.codes.ok.val();
                if self.open_hit.val() & !self.continues.val() {
                    self.state_q.en.next = true;
                    self.state_q.d.next = AdmissionState::Abort;
                } else {
                    self.finish.next = self.continues.val();
                    self.stray.next = !self.continues.val();
                }
            }
            AdmissionState::Send => {
                self.state_q.en.next = self.head_valid.val();
                self.state_q.d.next = AdmissionState::Finish;
                self.status_q.en.next = true;
                if self.early.val().any() {
                    self.status_q.d.next = self.early.val();
                } else if self.task_status.val().any() {
                    self.status_q.d.next = self.task_status.val();
                    self.access_q.en.next = true;
                    self.access_q.d.next = self.task_access.val();
                } else {
                    self.admit_valid.next = self.head_valid.val();
                    self.state_q.en.next = self.head_valid.val() & self.admit_ready.val();
                    self.state_q.d.next = AdmissionState::Wait;
                }
            }
            AdmissionState::Wait => {
                self.status_q.en.next = true;
                self.access_q.en.next = true;
                self.access_q.d.next = self.admit_access.val();
                self.status.next = self.admit_status.val();
                self.access.next = self.admit_access.val();
                self.finish.next = self.admitted.val();
                self.state_q.en.next = self.admitted.val();
                if !self.can.val() {
                    self.state_q.d.next = AdmissionState::Finish;
                }
            }
            AdmissionState::Finish => {
                self.finish.next = true;
                self.state_q.en.next = self.can.val();
            }
            AdmissionState::Abort => {
                self.state_q.en.next = self.can.val();
            }
            AdmissionState::Orphan => {
                self.state_q.en.next = self.can.val();
            }
            _ => {}
        }
    }
}
