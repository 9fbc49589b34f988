//! `HeaderCheck`: reads a header beat and says why its packet must be dropped, if it must.
//!
//! **Purpose.** The part of [`ReceiveParser`](super::ReceiveParser) that depends on the header alone. It does not look
//! at the packet's real length.
//!
//! ```text
//!                      +-------------+
//!   raw             -->|             |--> head     (PacketHead)
//!   node            -->| HeaderCheck |--> command  (first packet of an XTQ put)
//!   context_enabled -->|             |--> cause
//!   gets, answer    -->|             |
//!                      +-------------+
//! ```
//!
//! **Contract.** Combinational. `cause` is the first that applies, in the order of [`Cause`]; `head` means nothing
//! unless it is `None`; with `Context` its `first`, `get`, `fetch` and `ack_request` say whether the sender waits for
//! an answer. With `answer` nothing is known but a REPLY, without it no REPLY is. Only the first packet of a message is
//! held back by a context that is not enabled: had it passed before, the message must not lose its others, for then
//! nobody would end it. GET, REPLY and atomics are known with `gets` only. A GET is one packet without body, whatever
//! its `message_length`; a REPLY has the lengths of a put, and is not held back: it ends a message of this node, also
//! if its context is not enabled any more. Neither asks for an acknowledgement, nor does an atomic that is answered. An
//! atomic is one packet of at most 4,096 bytes; one with an operand has a body of 16 bytes, whatever its
//! `message_length`. An operation that its opcode does not have becomes 255, which nobody has.
//!
//! **Internals.** An accepted `packet_offset` is a multiple of the MTU, so the body is a whole MTU unless offset and
//! length lie in the same MTU block: only the upper 20 bits are compared, and nothing is subtracted.

use crate::atomics::atomic_check::AtomicCheck;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::pipe::PacketHead;
use xtq_types::wire_header::{VERSION, WireHeader, WireHeaderUnpack, opcode};

/// Why a packet is dropped or damaged.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum Cause {
    /// It is good.
    None,
    /// Another version of the wire format.
    Version,
    /// Neither PUT nor XTQ_PUT, nor, with `gets`, GET, REPLY or an atomic; or not of the class of its stream.
    Opcode,
    /// For another node.
    Target,
    /// For a context that does not exist; or the first of a message for one that is not enabled.
    Context,
    /// A length or offset that cannot be, or not the length of the packet.
    Length,
}

/// The header's own rules.
#[block]
pub struct HeaderCheck {
    /// Header beat.
    pub raw: Signal<In, Bits<512>>,
    /// This node.
    pub node: Signal<In, Bits<16>>,
    /// One bit per context.
    pub context_enabled: Signal<In, Bits<4>>,
    /// GET, REPLY and atomics are known.
    pub gets: Signal<In, Bit>,
    /// It came on the stream of answers.
    pub answer: Signal<In, Bit>,
    /// What the header says.
    pub head: Signal<Out, PacketHead>,
    /// First packet of an XTQ put: an AQL packet follows.
    pub command: Signal<Out, Bit>,
    /// Why not.
    pub cause: Signal<Out, Cause>,
    unpack: WireHeaderUnpack,
    atomics: AtomicCheck,
    header: Signal<Local, WireHeader>,
    offset: Signal<Local, Bits<32>>,
    length: Signal<Local, Bits<32>>,
    command_length: Signal<Local, Bits<32>>,
    offset_low: Signal<Local, Bits<12>>,
    length_low: Signal<Local, Bits<12>>,
    offset_block: Signal<Local, Bits<20>>,
    length_block: Signal<Local, Bits<20>>,
    next_block: Signal<Local, Bits<20>>,
    target_context: Signal<Local, Bits<8>>,
    known_context: Signal<Local, Bits<2>>,
    ack_request: Signal<Local, Bits<8>>,
    is_xtq: Signal<Local, Bit>,
    is_get: Signal<Local, Bit>,
    is_reply: Signal<Local, Bit>,
    is_swap: Signal<Local, Bit>,
    is_fetch: Signal<Local, Bit>,
    is_atomic: Signal<Local, Bit>,
    operation: Signal<Local, Bits<8>>,
    known: Signal<Local, Bit>,
    is_first: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    same_block: Signal<Local, Bit>,
    past_end: Signal<Local, Bit>,
    #[value(VERSION.to_bits())]
    version: Constant<Bits<8>>,
    #[value(opcode::PUT.to_bits())]
    put: Constant<Bits<8>>,
    #[value(opcode::XTQ_PUT.to_bits())]
    xtq_put: Constant<Bits<8>>,
    #[value(opcode::GET.to_bits())]
    get: Constant<Bits<8>>,
    #[value(opcode::REPLY.to_bits())]
    reply: Constant<Bits<8>>,
    #[value(opcode::ATOMIC.to_bits())]
    atomic: Constant<Bits<8>>,
    #[value(opcode::FETCH_ATOMIC.to_bits())]
    fetch_atomic: Constant<Bits<8>>,
    #[value(opcode::SWAP.to_bits())]
    swap: Constant<Bits<8>>,
}

#[kernel]
impl Logic for HeaderCheck {
    fn update(&mut self) {
        self.unpack.raw.next = self.raw.val();
        self.header.next = self.unpack.fields.val();

        self.offset.next = self.header.val().packet_offset;
        self.length.next = self.header.val().message_length;
        self.command_length.next = bit_cast::<32, 16>(self.header.val().command_length);
        self.offset_low.next = self.offset.val().get_bits::<12>(0);
        self.length_low.next = self.length.val().get_bits::<12>(0);
        self.offset_block.next = self.offset.val().get_bits::<20>(12);
        self.length_block.next = self.length.val().get_bits::<20>(12);
        self.next_block.next = self.offset_block.val() + 1;
        self.target_context.next = self.header.val().target_context;
        self.known_context.next = self.target_context.val().get_bits::<2>(0);
        self.ack_request.next = self.header.val().ack_request;

        self.is_xtq.next = self.header.val().opcode == self.xtq_put.val();
        self.is_get.next = self.gets.val() & (self.header.val().opcode == self.get.val());
        self.is_reply.next = self.gets.val() & (self.header.val().opcode == self.reply.val());
        self.is_swap.next = self.gets.val() & (self.header.val().opcode == self.swap.val());
        self.is_fetch.next = self.is_swap.val()
            | (self.gets.val() & (self.header.val().opcode == self.fetch_atomic.val()));
        self.is_atomic.next = self.is_fetch.val()
            | (self.gets.val() & (self.header.val().opcode == self.atomic.val()));
        self.known.next = self.is_xtq.val()
            | self.is_get.val()
            | self.is_atomic.val()
            | (self.header.val().opcode == self.put.val());
        if self.answer.val() {
            self.known.next = self.is_reply.val();
        }
        self.is_first.next = !self.offset.val().any();
        self.same_block.next = self.length_block.val() == self.offset_block.val();
        self.is_last.next = self.same_block.val()
            | ((self.length_block.val() == self.next_block.val()) & !self.length_low.val().any());
        self.past_end.next = (self.offset_block.val() > self.length_block.val())
            | (self.same_block.val() & !self.length_low.val().any() & !self.is_first.val());

        self.cause.next = Cause::None;
        if self.header.val().version != self.version.val() {
            self.cause.next = Cause::Version;
        } else if !self.known.val() {
            self.cause.next = Cause::Opcode;
        } else if self.header.val().target_node != self.node.val() {
            self.cause.next = Cause::Target;
        } else if (self.target_context.val() > 3)
            | (self.is_first.val()
                & !self.is_reply.val()
                & !self
                    .context_enabled
                    .val()
                    .get_bit(self.known_context.val().index()))
        {
            self.cause.next = Cause::Context;
        } else if self.offset_low.val().any()
            | self.past_end.val()
            | ((self.is_get.val() | self.is_atomic.val()) & !self.is_first.val())
            | (self.is_atomic.val() & (self.length.val() > 4096))
            | (self.is_xtq.val()
                & ((self.command_length.val() < 64)
                    | (self.command_length.val() > self.length.val())))
        {
            self.cause.next = Cause::Length;
        }

        self.command.next = self.is_xtq.val() & self.is_first.val();
        self.head.next.xtq = self.is_xtq.val().into();
        self.head.next.get = self.is_get.val().into();
        self.head.next.reply = self.is_reply.val().into();
        self.head.next.atomic = self.is_atomic.val().into();
        self.head.next.fetch = self.is_fetch.val().into();
        self.head.next.swap = self.is_swap.val().into();
        self.head.next.lists = 0.into();
        self.head.next.first = self.is_first.val().into();
        self.head.next.last = self.is_last.val().into();
        self.head.next.ack_request = self.ack_request.val().get_bits::<2>(0);
        self.head.next.context = self.known_context.val();
        self.head.next.body_bytes = 4096.into();
        if self.same_block.val() {
            self.head.next.body_bytes = bit_cast::<13, 12>(self.length_low.val());
        }
        if self.is_get.val() {
            self.head.next.last = 1.into();
            self.head.next.body_bytes = 0.into();
        }
        if self.is_get.val() | self.is_reply.val() | self.is_fetch.val() {
            self.head.next.ack_request = 0.into();
        }
        self.operation.next = self.header.val().operation;
        self.atomics.operation.next = self.operation.val();
        self.atomics.datatype.next = self.header.val().datatype;
        if self.is_atomic.val() & self.atomics.single.val() {
            self.head.next.body_bytes = 16.into();
        }
        self.head.next.source_node = self.header.val().source_node;
        self.head.next.source_context = self.header.val().source_context;
        self.head.next.portal_index = self.header.val().portal_index;
        self.head.next.user_id = self.header.val().user_id;
        self.head.next.match_bits = self.header.val().match_bits;
        self.head.next.remote_offset = self.header.val().remote_offset;
        self.head.next.header_data = self.header.val().header_data;
        self.head.next.message_length = self.length.val();
        self.head.next.packet_offset = self.offset.val();
        self.head.next.message_id = self.header.val().message_id;
        self.head.next.command_length = self.header.val().command_length;
        self.head.next.initiator_handle = self.header.val().initiator_handle;
        self.head.next.ni_fail = self.header.val().ni_fail;
        self.head.next.operation = self.operation.val();
        if self.is_atomic.val() & (self.atomics.swap.val() != self.is_swap.val()) {
            self.head.next.operation = 255.into();
        }
        self.head.next.datatype = self.header.val().datatype;
    }
}
