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

use crate::bundle::StreamOut;
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
    /// Packets from the network: bytes, lane 0 first.
    pub rx_data: Signal<In, Bits<512>>,
    /// Valid lanes.
    pub rx_keep: Signal<In, Bits<64>>,
    /// Last beat of a packet.
    pub rx_last: Signal<In, Bit>,
    /// `rx_data` is valid.
    pub rx_valid: Signal<In, Bit>,
    /// The beat is taken.
    pub rx_ready: Signal<Out, Bit>,
    /// To ReceiveParser: what is no acknowledgement.
    pub rest_data: Signal<Out, Bits<512>>,
    /// Valid lanes.
    pub rest_keep: Signal<Out, Bits<64>>,
    /// Last beat of a packet.
    pub rest_last: Signal<Out, Bit>,
    /// `rest_data` is valid.
    pub rest_valid: Signal<Out, Bit>,
    /// The beat is taken.
    pub rest_ready: Signal<In, Bit>,
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
        self.unpack.raw.next = self.rx_data.val();
        self.header.next = self.unpack.fields.val();
        self.target_context.next = self.header.val().target_context;
        self.is_answer.next = !self.inside_q.q.val()
            & self.rx_last.val()
            & self.rx_keep.val().all()
            & (self.header.val().version == self.codes.version.val())
            & (self.header.val().opcode == self.codes.ack.val())
            & (self.header.val().target_node == self.node.val())
            & (self.target_context.val() < 4);
        self.taken.next = self.rest_ready.val();
        if self.is_answer.val() {
            self.taken.next = self.answers.write.ready.val();
        }
        self.rx_ready.next = self.taken.val();
        self.inside_q.d.next = !self.rx_last.val();
        self.inside_q.en.next = self.rx_valid.val() & self.taken.val();

        self.rest_data.next = self.rx_data.val();
        self.rest_keep.next = self.rx_keep.val();
        self.rest_last.next = self.rx_last.val();
        self.rest_valid.next = self.rx_valid.val() & !self.is_answer.val();
        self.answers.write.data.next = self.header.val();
        self.answers.write.valid.next = self.rx_valid.val() & self.is_answer.val();
        connect!(self.answers.read => self.answer);
    }
}
