//! `RequestGate`: admits a request only with a place reserved for the answer that it may cause.
//!
//! **Purpose.** What the target pipeline has taken must not wait for the transmit side, or two nodes could wait for
//! each other (`docs/nic.md`, two classes). So a request waits here, in front of the pipeline, until all that it may
//! cause has room: a place in [`ReplyUnit`](crate::messages::reply_unit::ReplyUnit) or in the queue of
//! acknowledgements, and room for the old bytes of an atomic that fetches. Answers of others do not come this way.
//!
//! ```text
//!                        +-------------+
//!   rx                -->|             |--> admitted   (to PacketMerge)
//!   dropped, closed,  -->| RequestGate |
//!   left              -->|             |
//!   fetch_dropped,    -->|             |
//!   fetch_closed      -->+-------------+
//! ```
//!
//! **Contract.** Combinational from `rx` to `admitted`; one beat a cycle. The header beat of a packet with offset 0
//! passes while fewer than `2^W - 1` requests are inside, and then one more is. If it fetches, fewer than 255 that do
//! may be inside, too. All other beats pass: later packets of a message must reach it, and what has begun ends. A
//! request is inside until one of the pulses `dropped`, `closed` or `left` says that nothing more follows from it.
//! `fetch_dropped` and `fetch_closed` say the same of one that fetches. A packet that is offered stays.
//!
//! So the queues of replies and of acknowledgements, of at least `2^W - 1` places each, are never full, and neither is
//! that of old bytes: 2,047 beats, of which a message takes eight at most.
//!
//! Open messages, whose later packets may wait after a request that waits, hold fewer places than there are (240 of
//! 1,023 at most, 32 of 63 in the small NIC), and the others end without them.
//!
//! **Internals.** Two counters. Whoever sends what is no request through here takes a place too, and
//! [`ReceiveParser`](crate::network::receive_parser::ReceiveParser), which drops it, gives it back.

use crate::bundle::{AxiStreamIn, AxiStreamOut};
use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::wire_header::{WireHeader, WireHeaderUnpack, opcode};

/// Admits requests while fewer than `2^W - 1` are inside.
#[block]
pub struct RequestGate<const W: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; nothing is inside, the next beat is a header.
    pub rst: Signal<In, Bit>,
    /// Requests from the network.
    pub rx: AxiStreamIn,
    /// To PacketMerge: those that have room for what they may cause.
    pub admitted: AxiStreamOut,
    /// From ReceiveParser: one was dropped, which is reported to nobody (pulse).
    pub dropped: Signal<In, Bit>,
    /// From Completer: one is done with, and no acknowledgement follows (pulse).
    pub closed: Signal<In, Bit>,
    /// From the queue of acknowledgements: that of one has left (pulse).
    pub left: Signal<In, Bit>,
    /// From ReceiveParser: one that fetches was dropped or refused (pulse).
    pub fetch_dropped: Signal<In, Bit>,
    /// From Completer: one that fetches is done with (pulse).
    pub fetch_closed: Signal<In, Bit>,

    unpack: WireHeaderUnpack,
    /// Within a packet.
    inside_q: Reg<Bit>,
    /// Requests inside,
    requests_q: Delay<Bits<W>>,
    /// and those of them that fetch.
    fetches_q: Delay<Bits<8>>,
    header: Signal<Local, WireHeader>,
    first: Signal<Local, Bit>,
    fetches: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    comes: Signal<Local, Bit>,
    requests: Signal<Local, Bits<W>>,
    gone: Signal<Local, Bits<2>>,
    fetching: Signal<Local, Bits<8>>,
    fetched: Signal<Local, Bits<2>>,
    #[value(((1u64 << W) - 1).to_bits())]
    most: Constant<Bits<W>>,
    #[value(opcode::FETCH_ATOMIC.to_bits())]
    fetch_atomic: Constant<Bits<8>>,
    #[value(opcode::SWAP.to_bits())]
    swap: Constant<Bits<8>>,
}

#[kernel]
impl<const W: usize> Logic for RequestGate<W> {
    fn update(&mut self) {
        // What a header asks for.
        self.unpack.raw.next = self.rx.data.val();
        self.header.next = self.unpack.fields.val();
        self.first.next = !self.inside_q.q.val() & (self.header.val().packet_offset == 0);
        self.fetches.next = self.first.val()
            & ((self.header.val().opcode == self.fetch_atomic.val())
                | (self.header.val().opcode == self.swap.val()));
        self.open.next = !self.first.val()
            | ((self.requests_q.q.val() != self.most.val())
                & (!self.fetches.val() | !self.fetches_q.q.val().all()));

        self.admitted.data.next = self.rx.data.val();
        self.admitted.keep.next = self.rx.keep.val();
        self.admitted.last.next = self.rx.last.val();
        self.admitted.valid.next = self.rx.valid.val() & self.open.val();
        self.rx.ready.next = self.admitted.ready.val() & self.open.val();
        self.inside_q.d.next = !self.rx.last.val();
        self.inside_q.en.next = self.rx.valid.val() & self.admitted.ready.val() & self.open.val();

        // Who is inside.
        self.comes.next = self.inside_q.en.val() & self.first.val();
        self.requests.next = self.requests_q.q.val();
        if self.comes.val() {
            self.requests.next = self.requests_q.q.val() + 1;
        }
        self.gone.next = 0.into();
        if self.dropped.val() {
            self.gone.next = 1.into();
        }
        if self.closed.val() {
            self.gone.next = self.gone.val() + 1;
        }
        if self.left.val() {
            self.gone.next = self.gone.val() + 1;
        }
        self.requests_q.d.next = self.requests.val() - bit_cast::<W, 2>(self.gone.val());

        self.fetching.next = self.fetches_q.q.val();
        if self.comes.val() & self.fetches.val() {
            self.fetching.next = self.fetches_q.q.val() + 1;
        }
        self.fetched.next = 0.into();
        if self.fetch_dropped.val() {
            self.fetched.next = 1.into();
        }
        if self.fetch_closed.val() {
            self.fetched.next = self.fetched.val() + 1;
        }
        self.fetches_q.d.next = self.fetching.val() - bit_cast::<8, 2>(self.fetched.val());
    }
}
