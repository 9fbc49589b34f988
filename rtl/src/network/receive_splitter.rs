//! `ReceiveSplitter`: takes the acknowledgements out of the network stream.
//!
//! **Purpose.** What comes from the network is for the target pipeline, but for the answers to this node's own
//! messages.
//!
//! ```text
//!                     +-----------------+--> answer         (InitiatorCompleter)
//!   rx_*           -->| ReceiveSplitter |
//!   node           -->|                 |--> rest_*         (ReceiveParser)
//!                     +-----------------+
//! ```
//!
//! **Contract.** A packet of one whole beat with the right version, opcode ACK, this node as its target and a context
//! that exists is an acknowledgement. Everything else goes on in the same cycle, and so to the parser, which knows no
//! acknowledgements: it counts them by DROP_OPCODE. Eight acknowledgements may wait; then the stream stalls.
//!
//! **Internals.** Only the first beat of a packet is looked at.

use crate::bundle::{AxiStreamIn, AxiStreamOut, StreamOut};
use crate::codes::initiator_codes::InitiatorCodes;
use crate::leaf::{Fifo, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::wire_header::{WireHeader, WireHeaderUnpack};

/// Acknowledgements, and the rest.
#[block]
pub struct ReceiveSplitter {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// This node.
    pub node: Signal<In, Bits<16>>,
    /// Packets from the network.
    pub rx: AxiStreamIn,
    /// To ReceiveParser: what is no acknowledgement.
    pub rest: AxiStreamOut,
    /// To InitiatorCompleter: an acknowledgement.
    pub answer: StreamOut<WireHeader>,

    codes: InitiatorCodes,
    unpack: WireHeaderUnpack,
    answers: Fifo<WireHeader, 3, 4>,
    /// Within a packet.
    inside_q: Reg<Bit>,
    header: Signal<Local, WireHeader>,
    target_context: Signal<Local, Bits<8>>,
    is_answer: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
}

#[kernel]
impl Logic for ReceiveSplitter {
    fn update(&mut self) {
        self.unpack.raw.next = self.rx.data.val();
        self.header.next = self.unpack.fields.val();
        self.target_context.next = self.header.val().target_context;
        self.is_answer.next = !self.inside_q.q.val()
            & self.rx.last.val()
            & self.rx.keep.val().all()
            & (self.header.val().version == self.codes.version.val())
            & (self.header.val().opcode == self.codes.ack.val())
            & (self.header.val().target_node == self.node.val())
            & (self.target_context.val() < 4);
        self.taken.next = self.rest.ready.val();
        if self.is_answer.val() {
            self.taken.next = self.answers.write.ready.val();
        }
        self.rx.ready.next = self.taken.val();
        self.inside_q.d.next = !self.rx.last.val();
        self.inside_q.en.next = self.rx.valid.val() & self.taken.val();

        self.rest.data.next = self.rx.data.val();
        self.rest.keep.next = self.rx.keep.val();
        self.rest.last.next = self.rx.last.val();
        self.rest.valid.next = self.rx.valid.val() & !self.is_answer.val();
        self.answers.write.data.next = self.header.val();
        self.answers.write.valid.next = self.rx.valid.val() & self.is_answer.val();
        connect!(self.answers.read => self.answer);
    }
}
