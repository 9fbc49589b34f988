//! `MessageJobs`: what the blocks that send need to know of a message.
//!
//! **Purpose.** The part of [`CommandStage`](crate::commands::command_stage::CommandStage) that knows where a command
//! keeps what a message says.
//!
//! ```text
//!   command, owner      -->+-------------+--> gather   (GatherUnit)
//!   total, xtq, get, two -->| MessageJobs |--> send     (Packetiser)
//!   fetch, single       -->|             |--> open     (MessageTable)
//!   first, second       -->|             |--> has_body
//!   open_handle         -->+-------------+
//! ```
//!
//! **Contract.** Combinational. An XTQ put has packet and arguments in `first` and its payload in `second`; any other
//! message has its bytes in `first`; a GET, which sends none, has there where its reply goes, a FETCH_ATOMIC or SWAP in
//! `second`.
//!
//! **Internals.** Wires.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::command::Command;
use xtq_types::send::{GatherJob, MdFound, MessageNote, SendJob};

/// The jobs of a message.
#[block]
pub struct MessageJobs {
    /// The command.
    pub command: Signal<In, Command>,
    /// Who gave it.
    pub owner: Signal<In, Bits<2>>,
    /// From Registers: user ids, context 0 lowest.
    pub user_ids: Signal<In, Bits<128>>,
    /// Bytes of the whole message.
    pub total: Signal<In, Bits<32>>,
    /// It is an XTQ put.
    pub xtq: Signal<In, Bit>,
    /// It is a GET.
    pub get: Signal<In, Bit>,
    /// It is a FETCH_ATOMIC or a SWAP.
    pub fetch: Signal<In, Bit>,
    /// The operand goes with one datum.
    pub single: Signal<In, Bit>,
    /// The second descriptor is used too.
    pub two: Signal<In, Bit>,
    /// Where the first span lies.
    pub first: Signal<In, MdFound>,
    /// Where the second span lies.
    pub second: Signal<In, MdFound>,
    /// From MessageTable: generation and place.
    pub open_handle: Signal<In, Bits<16>>,
    /// The bytes.
    pub gather: Signal<Out, GatherJob>,
    /// The headers.
    pub send: Signal<Out, SendJob>,
    /// What is kept until the message has ended.
    pub open: Signal<Out, MessageNote>,
    /// It has bytes.
    pub has_body: Signal<Out, Bit>,
    length: Signal<Local, Bits<64>>,
    command_length: Signal<Local, Bits<16>>,
    ack: Signal<Local, Bits<8>>,
    descriptor: Signal<Local, Bits<16>>,
    second_descriptor: Signal<Local, Bits<16>>,
    user_id: Signal<Local, Bits<32>>,
    some: Signal<Local, Bit>,
}

#[kernel]
impl Logic for MessageJobs {
    fn update(&mut self) {
        self.length.next = self.command.val().length;
        self.command_length.next = self.command.val().command_length;
        self.ack.next = self.command.val().ack_request;
        self.descriptor.next = self.command.val().descriptor;
        self.second_descriptor.next = self.command.val().second_descriptor;
        self.user_id.next = self.user_ids.val().get_bits::<32>(0);
        match self.owner.val().index() {
            1 => self.user_id.next = self.user_ids.val().get_bits::<32>(32),
            2 => self.user_id.next = self.user_ids.val().get_bits::<32>(64),
            3 => self.user_id.next = self.user_ids.val().get_bits::<32>(96),
            _ => self.user_id.next = self.user_ids.val().get_bits::<32>(0),
        }
        self.some.next = self.total.val().any() & !self.get.val();
        self.has_body.next = self.some.val();

        self.gather.next.context = self.owner.val();
        self.gather.next.first_address = self.first.val().address;
        self.gather.next.first_length = self.total.val();
        self.gather.next.second_address = self.second.val().address;
        self.gather.next.second_length = 0.into();
        self.gather.next.first_pieces = self.first.val().pieces;
        self.gather.next.first_offset = self.command.val().start;
        self.gather.next.second_pieces = self.second.val().pieces;
        self.gather.next.second_offset = self.command.val().second_start;
        if self.xtq.val() {
            self.gather.next.first_length = bit_cast::<32, 16>(self.command_length.val());
            self.gather.next.second_length = self.length.val().get_bits::<32>(0);
        }

        self.send.next.opcode = self.command.val().operation;
        self.send.next.ack_request = self.ack.val().get_bits::<2>(0);
        self.send.next.ni_fail = 0.into();
        self.send.next.context = self.owner.val();
        self.send.next.user_id = self.user_id.val();
        self.send.next.target_node = self.command.val().node;
        self.send.next.target_context = self.command.val().context;
        self.send.next.portal_index = self.command.val().portal_index;
        self.send.next.match_bits = self.command.val().match_bits;
        self.send.next.remote_offset = self.command.val().remote_offset;
        self.send.next.header_data = self.command.val().ignore_bits;
        self.send.next.length = self.total.val();
        self.send.next.has_body = self.some.val().into();
        self.send.next.command_length = 0.into();
        if self.xtq.val() {
            self.send.next.command_length = self.command_length.val();
        }
        self.send.next.initiator_handle = self.open_handle.val();
        self.send.next.operation = self.command.val().atomic;
        self.send.next.datatype = self.command.val().datatype;
        self.send.next.single = self.single.val().into();
        self.send.next.operand = self.command.val().operand;
        self.send.next.kept = 0.into();

        self.open.next.context = self.owner.val();
        self.open.next.operation = self.command.val().operation;
        self.open.next.ack_request = self.ack.val().get_bits::<2>(0);
        self.open.next.replies = self.get.val().into();
        self.open.next.descriptor = self.descriptor.val().get_bits::<8>(0);
        self.open.next.second_descriptor = self.second_descriptor.val().get_bits::<8>(0);
        self.open.next.two = self.two.val().into();
        self.open.next.target_node = self.command.val().node;
        self.open.next.target_context = self.command.val().context;
        self.open.next.portal_index = self.command.val().portal_index;
        self.open.next.length = self.total.val();
        self.open.next.user_pointer = self.command.val().user_pointer;
        self.open.next.address = self.first.val().address;
        self.open.next.pieces = self.first.val().pieces;
        self.open.next.offset = self.command.val().second_start;
        if self.get.val() {
            self.send.next.ack_request = 0.into();
            self.send.next.header_data = 0.into();
            self.open.next.ack_request = 1.into();
            self.open.next.descriptor = self.second_descriptor.val().get_bits::<8>(0);
        }
        if self.fetch.val() {
            self.send.next.ack_request = 0.into();
            self.open.next.ack_request = 1.into();
            self.open.next.replies = 1.into();
            self.open.next.address = self.second.val().address;
            self.open.next.pieces = self.second.val().pieces;
        }
    }
}
