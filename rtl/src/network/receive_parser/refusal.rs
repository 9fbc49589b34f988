//! `Refusal`: what is reported to the sender of a message whose context takes none.
//!
//! **Purpose.** The part of [`ReceiveParser`](super::ReceiveParser) that answers: a sender that waits for an
//! acknowledgement or a reply must not wait for ever, and the rest of the pipeline must not learn of a message whose
//! context does not take any.
//!
//! ```text
//!             +---------+
//!   raw    -->|         |
//!   node   -->| Refusal |--> answer
//!   reply  -->|         |
//!             +---------+
//! ```
//!
//! **Contract.** Combinational. `answer` is the header beat of an acknowledgement, with `reply` of a bare REPLY, to who
//! sent the message with the header `raw`: `ni_fail` UNDELIVERABLE, status BAD_CONTEXT, no bytes. It comes from the
//! context that was named, also if there is no such.
//!
//! **Internals.** Wires and constants.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::event::status;
use xtq_types::wire_header::{VERSION, WireHeader, WireHeaderUnpack, ni_fail, opcode};

constants! {
    /// What a [`Refusal`] says.
    pub struct RefusalCodes : 8 {
        /// [`VERSION`] of the wire format.
        version / version_code = VERSION;
        /// [`opcode::ACK`].
        ack / ack_code = opcode::ACK;
        /// [`opcode::REPLY`].
        reply / reply_code = opcode::REPLY;
        /// [`ni_fail::UNDELIVERABLE`].
        undeliverable / undeliverable_code = ni_fail::UNDELIVERABLE;
        /// [`status::BAD_CONTEXT`].
        bad_context / bad_context_code = status::BAD_CONTEXT;
    }
}

/// The answer to a message that nobody takes.
#[block]
pub struct Refusal {
    /// Header beat of the message.
    pub raw: Signal<In, Bits<512>>,
    /// This node.
    pub node: Signal<In, Bits<16>>,
    /// It is answered by a REPLY, not by an acknowledgement.
    pub reply: Signal<In, Bit>,
    /// The answer.
    pub answer: Signal<Out, WireHeader>,
    codes: RefusalCodes,
    unpack: WireHeaderUnpack,
    header: Signal<Local, WireHeader>,
}

#[kernel]
impl Logic for Refusal {
    fn update(&mut self) {
        self.unpack.raw.next = self.raw.val();
        self.header.next = self.unpack.fields.val();

        self.answer.next.version = self.codes.version.val();
        self.answer.next.opcode = self.codes.ack.val();
        if self.reply.val() {
            self.answer.next.opcode = self.codes.reply.val();
        }
        self.answer.next.ack_request = 0.into();
        self.answer.next.ni_fail = self.codes.undeliverable.val();
        self.answer.next.source_node = self.node.val();
        self.answer.next.target_node = self.header.val().source_node;
        self.answer.next.source_context = self.header.val().target_context;
        self.answer.next.target_context = self.header.val().source_context;
        self.answer.next.portal_index = self.header.val().portal_index;
        self.answer.next.user_id = 0.into();
        self.answer.next.match_bits = 0.into();
        self.answer.next.remote_offset = 0.into();
        self.answer.next.header_data = 0.into();
        self.answer.next.message_length = 0.into();
        self.answer.next.packet_offset = 0.into();
        self.answer.next.message_id = self.header.val().message_id;
        self.answer.next.command_length = 0.into();
        self.answer.next.sequence = 0.into();
        self.answer.next.cumulative_ack = 0.into();
        self.answer.next.initiator_handle = self.header.val().initiator_handle;
        self.answer.next.operation = self.codes.bad_context.val();
        self.answer.next.datatype = 0.into();
        self.answer.next.header_crc = 0.into();
    }
}
