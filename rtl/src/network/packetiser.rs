//! `Packetiser`: puts headers in front of the bytes of messages, for the network.
//!
//! **Purpose.** Cuts a message into packets of up to 4,096 body bytes with a header beat each. Who sends what to whom
//! was decided before. There is one for the messages of commands and one for replies.
//!
//! ```text
//!               +------------+
//!   job      -->|            |--> tx    (to the network, TxArbiter)
//!   beat     -->| Packetiser |
//!   old      -->|            |--> sent  (to InitiatorCompleter, ReplyUnit)
//!   node     -->|            |
//!               +------------+
//! ```
//!
//! **Contract.** 64 jobs may be here, the one under way among them: as many messages of a line as are read in a hundred
//! cycles, and more. A job without `has_body` or of `length` 0 is one bare header and takes no beat; another takes
//! exactly ceil(`length` / 64) beats, of `old` if it is `kept`, else of `beat`, in the order of the jobs. A job
//! accepted in cycle *n* by an idle packetiser is a header on `tx` in *n + 1*, whether its bytes are there or not; a
//! beat offered goes out in the same cycle; no bubble within or between messages. `sent` is offered in the cycle after
//! the message's last beat; while eight wait no message begins. `node` stays as it is while packets go out.
//! `command_length`, `ni_fail`, `operation` and `datatype` go into the header as the job has them. The lower 15 bits of
//! `message_id` count the messages, its highest bit says that it is a reply, so that the two packetisers of a node
//! never give one number to two messages under way. The body of a `single` job, of a datum of up to 8 bytes, is 16
//! bytes: the datum, zeros, from byte 8 on the operand.
//!
//! *Errors.* A beat with `error` ends its packet: a beat of zeros goes out for it with one byte, or two if one was due,
//! so that the target finds BAD_LENGTH. The first beat of a message with `command_length` goes out whole, as zeros: the
//! target needs an AQL packet to answer at all, and refuses this one at the latest by its type. The message's other
//! beats are swallowed, then a header alone is sent for each packet not yet begun. `sent` has `error`.
//!
//! **Internals.** The job stays at the head of its FIFO until its message is through. `packet_q` counts the packets of
//! the message, `index_q` the beats of the packet.
//!
//! ```text
//!           +----------------- end of packet ------------------+
//!           v                                                  |
//!   +--> Header -- has body --> Body -- beat with error --> Swallow
//!   |     |  ^                   | |                           |
//!   |     |  +-- end of packet --+ |                           |
//!   +-----+---- end of message ----+---------------------------+
//! ```

use crate::bundle::{StreamIn, StreamOut};
use crate::leaf::{Delay, Fifo, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::send::{PackedBeat, SendJob, SentNote, TxBeat};
use xtq_types::wire_header::{self, WireHeader};

/// What the message under way is at.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum State {
    /// The next beat is a header, or there is no message.
    Header,
    /// The next beat is body.
    Body,
    /// The packet has ended early; the message's beats are thrown away.
    Swallow,
}

constants! {
    /// What every header of [`Packetiser`] says.
    pub struct PacketConstants : 8 {
        /// Wire format.
        version / version_code = wire_header::VERSION;
        /// Opcode of a reply.
        reply / reply_code = wire_header::opcode::REPLY;
    }
}

/// The maker of packets.
#[block]
pub struct Packetiser {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; what waits is lost, message ids begin at 0.
    pub rst: Signal<In, Bit>,
    /// This node's number.
    pub node: Signal<In, Bits<16>>,

    /// From the command stage: what the headers of a message say.
    pub job: StreamIn<SendJob>,

    /// From the gather unit: the bytes of a message.
    pub beat: StreamIn<PackedBeat>,

    /// From the store of old bytes: the bytes of a `kept` message, without `error`.
    pub old: StreamIn<PackedBeat>,

    /// To the network.
    pub tx: StreamOut<TxBeat>,

    /// To the initiator completer: a message is sent.
    pub sent: StreamOut<SentNote>,

    jobs: Fifo<SendJob, 6, 7>,
    sents: Fifo<SentNote, 3, 4>,
    state_q: Delay<State>,
    packet_q: Reg<Bits<20>>,
    final_packet_q: Delay<Bits<20>>,
    index_q: Delay<Bits<6>>,
    failed_q: Delay<Bits<1>>,
    message_id_q: Reg<Bits<15>>,
    constants: PacketConstants,

    message: Signal<Local, SendJob>,
    place_and_generation: Signal<Local, Bits<16>>,
    is_reply: Signal<Local, Bit>,
    length_less_one: Signal<Local, Bits<32>>,
    bare: Signal<Local, Bit>,
    final_packet: Signal<Local, Bit>,
    header: Signal<Local, WireHeader>,

    kept: Signal<Local, Bit>,
    body: Signal<Local, PackedBeat>,
    body_valid: Signal<Local, Bit>,
    body_ready: Signal<Local, Bit>,
    datum: Signal<Local, Bits<64>>,
    pair: Signal<Local, Bits<512>>,
    bytes: Signal<Local, Bits<7>>,
    lane: Signal<Local, Bits<6>>,
    ones: Signal<Local, Bits<64>>,
    above: Signal<Local, Bits<64>>,
    is_command: Signal<Local, Bit>,
    wrong: Signal<Local, Bit>,
    body_end: Signal<Local, Bit>,

    out: Signal<Local, TxBeat>,
    next_packet: Signal<Local, Bit>,
    failed: Signal<Local, Bits<1>>,
    finish: Signal<Local, Bit>,
    note: Signal<Local, SentNote>,
}

#[kernel]
impl Logic for Packetiser {
    fn update(&mut self) {
        // The message under way. Its last packet is asked for two cycles later at the earliest, after a header and a
        // beat.
        connect!(self.job => self.jobs.write);
        self.message.next = self.jobs.read.data.val();
        self.place_and_generation.next = self.message.val().initiator_handle;
        self.is_reply.next = self.message.val().opcode == self.constants.reply.val();
        self.bare.next = !self.message.val().has_body.any() | !self.message.val().length.any();
        self.length_less_one.next = self.message.val().length - 1;
        self.final_packet_q.d.next = self.length_less_one.val().get_bits::<20>(12);
        self.final_packet.next = self.packet_q.q.val() == self.final_packet_q.q.val();

        self.header.next.version = self.constants.version.val();
        self.header.next.opcode = self.message.val().opcode;
        self.header.next.ack_request = bit_cast::<8, 2>(self.message.val().ack_request);
        self.header.next.ni_fail = self.message.val().ni_fail;
        self.header.next.source_node = self.node.val();
        self.header.next.target_node = self.message.val().target_node;
        self.header.next.source_context = bit_cast::<8, 2>(self.message.val().context);
        self.header.next.target_context = self.message.val().target_context;
        self.header.next.portal_index = self.message.val().portal_index;
        self.header.next.user_id = self.message.val().user_id;
        self.header.next.match_bits = self.message.val().match_bits;
        self.header.next.remote_offset = self.message.val().remote_offset;
        self.header.next.header_data = self.message.val().header_data;
        self.header.next.message_length = self.message.val().length;
        self.header.next.packet_offset = bit_cast::<32, 20>(self.packet_q.q.val()) << 12;
        self.header.next.message_id = bit_cast::<16, 15>(self.message_id_q.q.val());
        if self.is_reply.val() {
            self.header.next.message_id = bit_cast::<16, 15>(self.message_id_q.q.val()) | 0x8000;
        }
        self.header.next.command_length = self.message.val().command_length;
        self.header.next.sequence = 0.into();
        self.header.next.cumulative_ack = 0.into();
        self.header.next.initiator_handle = self.message.val().initiator_handle;
        self.header.next.operation = self.message.val().operation;
        self.header.next.datatype = self.message.val().datatype;
        self.header.next.header_crc = 0.into();

        // A body beat: `above` are the lanes that its bytes do not reach.
        self.kept.next = self.message.val().kept.any();
        self.body.next = self.beat.data.val();
        self.body_valid.next = self.beat.valid.val();
        if self.kept.val() {
            self.body.next = self.old.data.val();
            self.body_valid.next = self.old.valid.val();
        }
        self.bytes.next = self.body.val().bytes;
        self.lane.next = self.bytes.val().get_bits::<6>(0);
        self.ones.next = 0xFFFF_FFFF_FFFF_FFFF_u64.into();
        self.above.next = self.ones.val() << self.lane.val();
        if self.bytes.val().get_bit(6) {
            self.above.next = 0.into();
        }
        self.wrong.next = self.body.val().error.any();
        self.is_command.next = self.message.val().command_length.any()
            & !self.packet_q.q.val().any()
            & !self.index_q.q.val().any();
        self.body_end.next = self.body.val().last.any();

        // One datum and its operand: what lies after the datum in memory stays here.
        self.datum.next = self.body.val().data.get_bits::<64>(0);
        if self.bytes.val() == 1 {
            self.datum.next = self.body.val().data.get_bits::<64>(0) & 0xFF;
        }
        if self.bytes.val() == 2 {
            self.datum.next = self.body.val().data.get_bits::<64>(0) & 0xFFFF;
        }
        if self.bytes.val() == 4 {
            self.datum.next = self.body.val().data.get_bits::<64>(0) & 0xFFFF_FFFF_u64;
        }
        self.pair.next = bit_cast::<512, 64>(self.datum.val())
            | (bit_cast::<512, 64>(self.message.val().operand) << 64);

        // What goes out, and what comes after it.
        self.out.next.data = self.body.val().data;
        self.out.next.keep = !self.above.val();
        if self.message.val().single.any() {
            self.out.next.data = self.pair.val();
            self.out.next.keep = 0xFFFF.into();
        }
        self.out.next.last = 0.into();
        self.tx.valid.next = false;
        self.body_ready.next = false;
        self.next_packet.next = false;
        self.finish.next = false;
        self.state_q.d.next = self.state_q.q.val();
        self.index_q.d.next = self.index_q.q.val();
        self.failed.next = self.failed_q.q.val();
        match self.state_q.q.val() {
            State::Header => {
                self.tx.valid.next = self.jobs.read.valid.val() & self.sents.write.ready.val();
                self.out.next.data = self.header.val().into();
                self.out.next.keep = self.ones.val();
                if self.bare.val() | self.failed_q.q.val().any() {
                    self.out.next.last = 1.into();
                }
                if self.jobs.read.valid.val() & self.sents.write.ready.val() & self.tx.ready.val() {
                    if self.bare.val() {
                        self.finish.next = true;
                    } else if !self.failed_q.q.val().any() {
                        self.state_q.d.next = State::Body;
                    } else if self.final_packet.val() {
                        self.finish.next = true;
                    } else {
                        self.next_packet.next = true;
                    }
                }
            }
            State::Body => {
                self.tx.valid.next = self.body_valid.val();
                self.body_ready.next = self.tx.ready.val();
                if self.body_end.val() | self.wrong.val() | self.index_q.q.val().all() {
                    self.out.next.last = 1.into();
                }
                if self.wrong.val() {
                    self.out.next.data = 0.into();
                    self.out.next.keep = 1.into();
                    if self.bytes.val() == 1 {
                        self.out.next.keep = 3.into();
                    }
                    if self.is_command.val() {
                        self.out.next.keep = self.ones.val();
                    }
                }
                if self.body_valid.val() & self.tx.ready.val() {
                    self.index_q.d.next = self.index_q.q.val() + 1;
                    if self.wrong.val() {
                        self.failed.next = 1.into();
                        self.state_q.d.next = State::Swallow;
                    } else if self.index_q.q.val().all() {
                        self.state_q.d.next = State::Header;
                        self.next_packet.next = true;
                    }
                    self.finish.next = self.body_end.val();
                }
            }
            State::Swallow => {
                self.body_ready.next = true;
                if self.body_valid.val() & self.body_end.val() {
                    self.state_q.d.next = State::Header;
                    self.finish.next = self.final_packet.val();
                    self.next_packet.next = true;
                }
            }
            _ => {}
        }
        self.tx.data.next = self.out.val();
        self.beat.ready.next = self.body_ready.val() & !self.kept.val();
        self.old.ready.next = self.body_ready.val() & self.kept.val();

        self.packet_q.d.next = self.packet_q.q.val() + 1;
        self.packet_q.en.next = self.next_packet.val() | self.finish.val();
        self.message_id_q.d.next = self.message_id_q.q.val() + 1;
        self.message_id_q.en.next = self.finish.val();
        self.note.next.place = self.place_and_generation.val().get_bits::<8>(0);
        self.note.next.error = self.failed.val();
        self.jobs.read.ready.next = self.finish.val();
        self.failed_q.d.next = self.failed.val();
        if self.finish.val() {
            self.state_q.d.next = State::Header;
            self.packet_q.d.next = 0.into();
            self.index_q.d.next = 0.into();
            self.failed_q.d.next = 0.into();
        }
        self.sents.write.data.next = self.note.val();
        self.sents.write.valid.next = self.finish.val();
        connect!(self.sents.read => self.sent);
    }
}
