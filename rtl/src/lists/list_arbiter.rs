//! `ListArbiter`: commands for the match unit, of the host and of the target pipeline.
//!
//! **Purpose.** The host changes lists and portal entries; the pipeline stops a portal entry whose queue it found full.
//! The match unit takes one command at a time.
//!
//! ```text
//!               +-------------+
//!   command  -->|             |--> job    (MatchUnit)
//!   stop     -->| ListArbiter |
//!               +-------------+
//! ```
//!
//! **Contract.** Combinational; in turns if both wait. What is offered stays until the match unit has done it, so
//! `command_ready` and `stop_ready` mean done. The handle of a job comes back in its responses: the operation in the
//! low four bits, and bit 15 if it is the pipeline's.
//!
//! **Internals.** A [`Junction`].

use crate::bundle::{StreamIn, StreamOut};
use crate::codes::match_codes::MatchCodes;
use crate::leaf::Junction;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::matching::MatchCommand;

/// Joins the commands of host and pipeline.
#[block]
pub struct ListArbiter {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// From CommandStage: a command. It is taken when it is done.
    pub command: StreamIn<MatchCommand>,
    /// From TargetPipeline: disable {context 2, portal entry 6}. It is taken when that is done.
    pub stop: StreamIn<Bits<8>>,
    /// To MatchUnit: one of them. It is taken when it is done.
    pub job: StreamOut<MatchCommand>,
    codes: MatchCodes,
    junction: Junction<MatchCommand>,
    asked: Signal<Local, MatchCommand>,
    op: Signal<Local, Bits<4>>,
    closing: Signal<Local, MatchCommand>,
    /// Handle of what the pipeline wants.
    #[value(0x8000u64.to_bits())]
    pipeline: Constant<Bits<16>>,
}

#[kernel]
impl Logic for ListArbiter {
    fn update(&mut self) {
        self.op.next = self.command.data.val().op;
        self.asked.next = self.command.data.val();
        self.asked.next.handle = bit_cast::<16, 4>(self.op.val());
        self.junction.first.data.next = self.asked.val();
        self.junction.first.valid.next = self.command.valid.val();
        self.command.ready.next = self.junction.first.ready.val();

        self.closing.next.op = self.codes.pt_disable.val();
        self.closing.next.context = self.stop.data.val().get_bits::<2>(6);
        self.closing.next.portal_index = bit_cast::<16, 6>(self.stop.data.val().get_bits::<6>(0));
        self.closing.next.id = 0.into();
        self.closing.next.list = 0.into();
        self.closing.next.options = 0.into();
        self.closing.next.any_node = 0.into();
        self.closing.next.any_context = 0.into();
        self.closing.next.any_user = 0.into();
        self.closing.next.source_node = 0.into();
        self.closing.next.source_context = 0.into();
        self.closing.next.user_id = 0.into();
        self.closing.next.match_bits = 0.into();
        self.closing.next.ignore_bits = 0.into();
        self.closing.next.start = 0.into();
        self.closing.next.pieces = 0.into();
        self.closing.next.length = 0.into();
        self.closing.next.min_free = 0.into();
        self.closing.next.counter = 0.into();
        self.closing.next.user_ptr = 0.into();
        self.closing.next.handle = self.pipeline.val();
        self.junction.second.data.next = self.closing.val();
        self.junction.second.valid.next = self.stop.valid.val();
        self.stop.ready.next = self.junction.second.ready.val();

        connect!(self.junction.read => self.job);
    }
}
