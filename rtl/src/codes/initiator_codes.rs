//! `InitiatorCodes`: the codes that events of the initiator need, as signals.
//!
//! **Purpose.** A kernel cannot name a Rust constant; it names an output of this block instead, so that every code is
//! typed once.
//!
//! ```text
//!   +----------------+--> send_event, ...   (kind)
//!   | InitiatorCodes |--> ok, memory_error  (status), none, payload (access)
//!   +----------------+--> ni_ok, segv       (ni_fail); ack (opcode)
//! ```
//!
//! **Contract.** Constant outputs, 8 bits each. No clock, no cost: synthesis folds them.
//!
//! **Internals.** One [`Constant`] an output.

use rust_hdl::prelude::*;
use xtq_types::command::operation;
use xtq_types::event::{access, kind, status};
use xtq_types::wire_header::{VERSION, ni_fail, opcode};

constants! {
    /// Codes of the initiator's events.
    pub struct InitiatorCodes : 8 {
        /// [`kind::SEND`].
        send_event / send_event_code = kind::SEND;
        /// [`kind::ACK`].
        ack_event / ack_event_code = kind::ACK;
        /// [`kind::REPLY`].
        reply_event / reply_event_code = kind::REPLY;
        /// [`operation::GET`] of a command.
        get / get_code = operation::GET;
        /// [`kind::COMMAND`].
        command_event / command_event_code = kind::COMMAND;
        /// [`status::OK`].
        ok / ok_code = status::OK;
        /// [`status::MEMORY_ERROR`].
        memory_error / memory_error_code = status::MEMORY_ERROR;
        /// [`access::NONE`].
        none / none_code = access::NONE;
        /// [`access::GATHER`].
        payload / payload_code = access::GATHER;
        /// [`ni_fail::OK`].
        ni_ok / ni_ok_code = ni_fail::OK;
        /// [`ni_fail::SEGV`].
        segv / segv_code = ni_fail::SEGV;
        /// [`opcode::ACK`].
        ack / ack_code = opcode::ACK;
        /// [`VERSION`] of the wire format.
        version / version_code = VERSION;
    }
}
