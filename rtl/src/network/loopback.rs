//! `Loopback`: packets for this node come back inside, all others go to the network.
//!
//! **Purpose.** A message of a node to itself needs no link. One block for each class of packets stands between what
//! sends and what receives of that class.
//!
//! ```text
//!            +----------+--> network    (those for other nodes)
//!   tx    -->|          |
//!   node  -->| Loopback |<-- rx         (from the network)
//!            |          |--> received   (RequestGate, ReceiveSplitter)
//!            +----------+--> sent_inside, taken_inside   (trace)
//! ```
//!
//! **Contract.** The header beat of a packet on `tx` says which way the packet goes. One whose `target_node` is `node`
//! goes inside, all others to `network`. A packet that has been offered keeps its way to its last beat, also if `node`
//! changes meanwhile. `network` has each beat of `tx` in the same cycle. `received` has the packets of both ways, whole
//! and in turns ([`PacketMerge`]): those of `rx` in the same cycle, those from inside a cycle later. One beat a cycle
//! on all sides, no bubble, and each way keeps its order. What is offered stays. Two beats fit inside.
//!
//! `network` has data, keep and last of every beat of `tx`, and is valid with its own only. So with the pulse
//! `sent_inside` it shows a beat that goes inside. `taken_inside` says that the oldest of these was taken on
//! `received`.
//!
//! **Nobody waits for ever.** A packet inside that has begun waits for the rest of its own bytes, which wait for host
//! memory only, and for `received`. There a request waits at
//! [`RequestGate`](crate::network::request_gate::RequestGate) for answers to leave, and an answer is always taken in
//! bounded time. So requests wait for answers, answers for host memory, and nobody for a request that is to be sent
//! (`docs/nic.md`, two classes).
//!
//! **Internals.** `own_q` is the way of the packet that was on `tx` last, `held_q` that it is not through. A [`Skid`]
//! on the inner way: no path leads from the side that sends to the side that receives, or back, in one cycle.

use crate::bundle::{AxiStreamIn, AxiStreamOut, StreamIn};
use crate::leaf::{Reg, Skid};
use crate::network::packet_merge::PacketMerge;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::send::TxBeat;
use xtq_types::wire_header::{WireHeader, WireHeaderUnpack};

/// The inner way of one class of packets.
#[block]
pub struct Loopback {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; nothing is inside, the next beat is a header.
    pub rst: Signal<In, Bit>,
    /// This node.
    pub node: Signal<In, Bits<16>>,
    /// Packets of this node.
    pub tx: StreamIn<TxBeat>,
    /// To the network: those for other nodes.
    pub network: AxiStreamOut,
    /// Packets from the network.
    pub rx: AxiStreamIn,
    /// Packets from the network and from inside.
    pub received: AxiStreamOut,
    /// The beat on `network` goes inside (pulse).
    pub sent_inside: Signal<Out, Bit>,
    /// A beat from inside was taken on `received` (pulse).
    pub taken_inside: Signal<Out, Bit>,

    unpack: WireHeaderUnpack,
    skid: Skid<TxBeat>,
    merge: PacketMerge,
    /// Way of the packet on `tx`: inside.
    own_q: Reg<Bit>,
    /// It was offered and is not through.
    held_q: Reg<Bit>,
    header: Signal<Local, WireHeader>,
    sent: Signal<Local, TxBeat>,
    back: Signal<Local, TxBeat>,
    own: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Loopback {
    fn update(&mut self) {
        // Which way.
        self.sent.next = self.tx.data.val();
        self.unpack.raw.next = self.sent.val().data;
        self.header.next = self.unpack.fields.val();
        self.own.next = self.header.val().target_node == self.node.val();
        if self.held_q.q.val() {
            self.own.next = self.own_q.q.val();
        }
        self.own_q.d.next = self.own.val();
        self.own_q.en.next = self.tx.valid.val();

        self.network.data.next = self.sent.val().data;
        self.network.keep.next = self.sent.val().keep;
        self.network.last.next = self.sent.val().last == 1;
        self.network.valid.next = self.tx.valid.val() & !self.own.val();
        self.skid.write.data.next = self.tx.data.val();
        self.skid.write.valid.next = self.tx.valid.val() & self.own.val();
        self.moves.next = self.network.ready.val();
        if self.own.val() {
            self.moves.next = self.skid.write.ready.val();
        }
        self.tx.ready.next = self.moves.val();
        self.held_q.d.next = !(self.moves.val() & (self.sent.val().last == 1));
        self.held_q.en.next = self.tx.valid.val();

        // Both ways come together.
        self.back.next = self.skid.read.data.val();
        self.merge.first.data.next = self.back.val().data;
        self.merge.first.keep.next = self.back.val().keep;
        self.merge.first.last.next = self.back.val().last == 1;
        self.merge.first.valid.next = self.skid.read.valid.val();
        self.skid.read.ready.next = self.merge.first.ready.val();
        connect!(self.rx => self.merge.second);
        connect!(self.merge.out => self.received);

        self.sent_inside.next = self.tx.valid.val() & self.own.val() & self.skid.write.ready.val();
        self.taken_inside.next = self.skid.read.valid.val() & self.merge.first.ready.val();
    }
}
