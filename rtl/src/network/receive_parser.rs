//! `ReceiveParser`: splits the packets of the network stream into heads and bodies, and drops what is malformed.
//!
//! **Purpose.** First block of the target pipeline. It knows the wire format and nothing after it: what a packet means
//! is for the blocks that read `head`. It checks no CRC (`link_checked`: the MAC has).
//!
//! ```text
//!                       +---------------+
//!   rx_data          -->|               |--> head, head_aql
//!   rx_keep, rx_last -->|               |--> head_valid
//!   rx_valid         -->|               |<-- head_ready
//!   rx_ready         <--| ReceiveParser |--> body
//!   answer           -->|               |
//!                       |               |--> body_valid
//!   node             -->|               |<-- body_ready
//!   context_enabled  -->|               |--> refusal      (to the network)
//!   gets             -->|               |--> dropped, fetch_dropped  (to RequestGate)
//!                       |               |--> count_packet
//!                       |               |--> drop_version .. drop_length
//!                       +---------------+
//! ```
//!
//! **Contract.** One beat a cycle, no bubbles between packets. A head is on `head`, and a body beat on `body`, in the
//! cycle after the beat that completes it. Two heads and 16 body beats may wait; the stream stalls only for the one
//! that the next beat may need. Each packet gives one `count_packet` and at most one `drop_*`, in the cycle after the
//! beat that decides it. A packet that gives a head with body bytes (less 64 for the first packet of an XTQ put) gives
//! exactly one body beat with `last`, whatever its real length. `head_aql` has a meaning only with the first packet of
//! an XTQ put. A message whose context does not exist or is not enabled, and whose sender waits for an acknowledgement
//! or a reply, is answered by `refusal`, once, in the cycle after its header beat, whatever becomes of the rest of its
//! packet. Two refusals may wait, then the next header does. `answer` says of which class `rx` is: of requests a REPLY
//! is dropped, of answers all else. `dropped`, one cycle after the beat that decides it: a packet of requests with
//! offset 0 gave neither a head nor a refusal; `fetch_dropped`: one that fetches gave no head.
//!
//! **Internals.** [`HeaderCheck`] judges the header beat, [`Refusal`] is the answer of those that no context takes,
//! [`KeepBytes`] counts the last beat. States: `Header`; `Command` (the AQL packet comes, the head waits in `head_q`);
//! `Body` (`left_q` bytes are to come); `Skip` up to `rx_last`.
//!
//! ```text
//!   rx      | header | AQL    | args   | header
//!   head    |        |        | head   |
//!   body    |        |        |        | args
//! ```

mod header_check;
mod keep_bytes;
mod refusal;

pub use header_check::{Cause, HeaderCheck};
pub use keep_bytes::KeepBytes;
pub use refusal::{Refusal, RefusalCodes};

use crate::bundle::{AxiStreamIn, DropsOut, StreamOut};
use crate::leaf::{Delay, Fifo, Reg, Skid};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::pipe::{BodyBeat, PacketHead};
use xtq_types::wire_header::WireHeader;

/// What the next beat is.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum State {
    Header,
    Command,
    Body,
    Skip,
}

/// The parser of the receive stream.
#[block]
pub struct ReceiveParser {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; what waits is lost, the next beat is a header.
    pub rst: Signal<In, Bit>,
    /// Packets from the network; of `rx_keep` only the last beat's counts.
    pub rx: AxiStreamIn,
    /// They are answers, not requests.
    pub answer: Signal<In, Bit>,
    /// This node.
    pub node: Signal<In, Bits<16>>,
    /// One bit per context: takes messages.
    pub context_enabled: Signal<In, Bits<4>>,
    /// GET, REPLY and atomics are known.
    pub gets: Signal<In, Bit>,
    /// To the lookup stage: what the header says.
    pub head: StreamOut<PacketHead>,
    /// AQL packet of an XTQ put's first packet.
    pub head_aql: Signal<Out, Bits<512>>,
    /// To the rewrite engine: the body after the AQL packet.
    pub body: StreamOut<BodyBeat>,
    /// To the network: the answer to a message that no context takes.
    pub refusal: StreamOut<WireHeader>,
    /// To RequestGate: nothing follows from the first packet of a request (pulse).
    pub dropped: Signal<Out, Bit>,
    /// To RequestGate: no old bytes follow from a request that fetches (pulse).
    pub fetch_dropped: Signal<Out, Bit>,
    /// Pulse: a packet came, good or not.
    pub count_packet: Signal<Out, Bit>,
    /// Packets dropped (pulses).
    pub drop: DropsOut,
    check: HeaderCheck,
    count: KeepBytes,
    refuse: Refusal,
    refusals: Skid<WireHeader>,
    heads: Skid<PacketHead>,
    commands: Skid<Bits<512>>,
    bodies: Fifo<BodyBeat, 4, 5>,
    state_q: Reg<State>,
    head_q: Reg<PacketHead>,
    left_q: Reg<Bits<13>>,
    counted_q: Delay<Bit>,
    dropped_q: Delay<Bit>,
    fetch_dropped_q: Delay<Bit>,
    cause_q: Delay<Cause>,
    new_head: Signal<Local, PacketHead>,
    beat: Signal<Local, BodyBeat>,
    got: Signal<Local, Bits<7>>,
    complete: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    wanted: Signal<Local, Bits<7>>,
    take: Signal<Local, Bit>,
    write_head: Signal<Local, Bit>,
    write_body: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    replies: Signal<Local, Bit>,
    write_refusal: Signal<Local, Bit>,
    is_first: Signal<Local, Bit>,
    goes_on: Signal<Local, Bit>,
    cause: Signal<Local, Cause>,
}

#[kernel]
impl Logic for ReceiveParser {
    fn update(&mut self) {
        self.check.raw.next = self.rx.data.val();
        self.check.node.next = self.node.val();
        self.check.gets.next = self.gets.val();
        self.check.answer.next = self.answer.val();
        self.check.context_enabled.next = self.context_enabled.val();
        self.wanted.next = self.left_q.q.val().get_bits::<7>(0);
        self.count.keep.next = self.rx.keep.val();
        self.count.wanted.next = self.wanted.val();
        self.ends.next = self.left_q.q.val() <= 64;
        // Nobody takes it: does its sender wait for an answer?
        self.refuse.raw.next = self.rx.data.val();
        self.refuse.node.next = self.node.val();
        self.replies.next = (self.check.head.val().get == 1) | (self.check.head.val().fetch == 1);
        self.refuse.reply.next = self.replies.val();
        self.waits.next = (self.check.cause.val() == Cause::Context)
            & (self.check.head.val().first == 1)
            & (self.replies.val() | self.check.head.val().ack_request.any());
        self.write_refusal.next = false;

        // A beat waits for room only where it may be written.
        self.rx.ready.next = self.heads.write.ready.val()
            & self.bodies.write.ready.val()
            & self.refusals.write.ready.val();
        if self.state_q.q.val() == State::Body {
            self.rx.ready.next = self.bodies.write.ready.val();
        }
        if self.state_q.q.val() == State::Skip {
            self.rx.ready.next = true;
        }
        self.take.next = self.rx.valid.val() & self.rx.ready.val();

        self.got.next = 64.into();
        if self.rx.last.val() {
            self.got.next = self.count.bytes.val();
        }
        self.complete.next = !self.rx.last.val() | self.count.bytes.val().get_bit(6);

        self.new_head.next = self.head_q.q.val();
        self.head_q.en.next = self.take.val();
        self.head_q.d.next = self.head_q.q.val();
        self.left_q.en.next = self.take.val();
        self.left_q.d.next = self.left_q.q.val() - 64;
        self.state_q.en.next = self.take.val();
        self.state_q.d.next = self.state_q.q.val();
        self.write_head.next = false;
        self.write_body.next = false;
        // The first packet of a request, and whether it is decided about with a later beat.
        self.is_first.next = false;
        self.goes_on.next = false;
        self.cause.next = Cause::None;
        // The beat that reports a packet that ended before its body began.
        self.beat.next.data = self.rx.data.val();
        self.beat.next.bytes = 0.into();
        self.beat.next.last = 1.into();
        self.beat.next.bad = 1.into();

        match self.state_q.q.val() {
            State::Header => {
                self.new_head.next = self.check.head.val();
                self.head_q.d.next = self.check.head.val();
                self.left_q.d.next = self.new_head.val().body_bytes;
                self.cause.next = self.check.cause.val();
                self.state_q.d.next = State::Skip;
                self.write_refusal.next = self.complete.val() & self.waits.val();
                self.is_first.next = !self.answer.val() & (self.check.head.val().first == 1);
                if !self.complete.val() {
                    self.cause.next = Cause::Length;
                } else if self.check.cause.val() == Cause::None {
                    if self.check.command.val() {
                        self.left_q.d.next = self.new_head.val().body_bytes - 64;
                        self.state_q.d.next = State::Command;
                        self.goes_on.next = !self.rx.last.val();
                        if self.rx.last.val() {
                            self.cause.next = Cause::Length;
                        }
                    } else if self.new_head.val().body_bytes.any() {
                        self.write_head.next = true;
                        self.state_q.d.next = State::Body;
                        if self.rx.last.val() {
                            self.write_body.next = true;
                            self.cause.next = Cause::Length;
                        }
                    } else if self.rx.last.val() {
                        self.write_head.next = true;
                    } else {
                        self.cause.next = Cause::Length;
                    }
                }
            }
            State::Command => {
                self.left_q.d.next = self.left_q.q.val();
                self.state_q.d.next = State::Skip;
                self.is_first.next = true;
                if !self.complete.val() {
                    self.cause.next = Cause::Length;
                } else if self.left_q.q.val().any() {
                    self.write_head.next = true;
                    self.state_q.d.next = State::Body;
                    if self.rx.last.val() {
                        self.write_body.next = true;
                        self.cause.next = Cause::Length;
                    }
                } else if self.rx.last.val() {
                    self.write_head.next = true;
                } else {
                    self.cause.next = Cause::Length;
                }
            }
            State::Body => {
                self.write_body.next = true;
                self.beat.next.bytes = self.got.val();
                if self.ends.val() {
                    self.state_q.d.next = State::Skip;
                    if !self.rx.last.val() | self.count.more.val() {
                        self.beat.next.bytes = self.wanted.val();
                    }
                    if self.rx.last.val() & self.count.exact.val() {
                        self.beat.next.bad = 0.into();
                    } else {
                        self.cause.next = Cause::Length;
                    }
                } else if self.rx.last.val() {
                    self.cause.next = Cause::Length;
                } else {
                    self.beat.next.last = 0.into();
                    self.beat.next.bad = 0.into();
                }
            }
            _ => {}
        }
        if self.rx.last.val() {
            self.state_q.d.next = State::Header;
        }

        self.dropped_q.d.next = self.take.val()
            & self.is_first.val()
            & !self.write_head.val()
            & !self.write_refusal.val()
            & !self.goes_on.val();
        self.dropped.next = self.dropped_q.q.val();
        self.fetch_dropped_q.d.next = self.take.val()
            & self.is_first.val()
            & !self.write_head.val()
            & (self.check.head.val().fetch == 1)
            & (self.state_q.q.val() == State::Header);
        self.fetch_dropped.next = self.fetch_dropped_q.q.val();
        self.refusals.write.data.next = self.refuse.answer.val();
        self.refusals.write.valid.next = self.take.val() & self.write_refusal.val();
        connect!(self.refusals.read => self.refusal);
        self.heads.write.data.next = self.new_head.val();
        self.heads.write.valid.next = self.take.val() & self.write_head.val();
        connect!(self.heads.read => self.head);
        self.commands.write.data.next = self.rx.data.val();
        self.commands.write.valid.next = self.take.val() & self.write_head.val();
        self.commands.read.ready.next = self.head.ready.val();
        self.bodies.write.data.next = self.beat.val();
        self.bodies.write.valid.next = self.take.val() & self.write_body.val();
        connect!(self.bodies.read => self.body);
        self.head_aql.next = self.commands.read.data.val();

        self.counted_q.d.next = self.take.val() & (self.state_q.q.val() == State::Header);
        self.cause_q.d.next = Cause::None;
        if self.take.val() {
            self.cause_q.d.next = self.cause.val();
        }
        self.count_packet.next = self.counted_q.q.val();
        self.drop.version.next = self.cause_q.q.val() == Cause::Version;
        self.drop.opcode.next = self.cause_q.q.val() == Cause::Opcode;
        self.drop.target.next = self.cause_q.q.val() == Cause::Target;
        self.drop.context.next = self.cause_q.q.val() == Cause::Context;
        self.drop.length.next = self.cause_q.q.val() == Cause::Length;
    }
}
