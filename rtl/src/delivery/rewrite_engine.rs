//! `RewriteEngine`: joins what admission decided with the bytes that wait, and rewrites pointers on the way to memory.
//!
//! **Purpose.** Everything between the receive stream and the receive buffer that changes bytes happens here; where the
//! bytes go and how bursts are cut is the payload writer's business. It decides nothing.
//!
//! ```text
//!                +---------------+
//!   job       -->|               |--> beat
//!   job_valid -->|               |--> beat_valid
//!   job_ready <--|               |<-- beat_ready
//!                | RewriteEngine |
//!   body      -->|               |--> packet        (pulse)
//!   body_valid ->|               |--> packet_slot
//!   body_ready <-|               |--> packet_valid
//!                +---------------+
//! ```
//!
//! **Contract.** A beat is on `beat` in the cycle after the one in which its bytes and its job are there; one beat a
//! cycle, no bubble between jobs. A job makes [rewritten AQL packet, if `command`][its body beats, if `has_body`], the
//! first with `first`, the last with `last`. `discard` takes the body and makes nothing. A job with none of the three
//! ends a message that was broken off: one beat without bytes, first, last and `bad`. A job is taken with the last of
//! its beats, so a body beat always belongs to the job on `job`. `packet` is the rewritten AQL packet, in the cycle in
//! which its beat is first on `beat`.
//!
//! **Internals.** [`CommandRewrite`] for the AQL packet, [`ArgumentPatch`] for the body, a [`Skid`] for the result.
//! State: `written_q` (the job's AQL packet is through) and `index_q` (its body beats that are through).
//!
//! ```text
//!   job     | A (command)     | B (command)     |
//!   body    | -      | A0     | -      | B0     |
//!   beat    |        | A aql  | A0     | B aql  | B0
//! ```

mod argument_patch;
mod command_rewrite;

pub use argument_patch::{ArgumentPatch, BeatWords, BeatWordsUnpack};
pub use command_rewrite::CommandRewrite;

use crate::bundle::{PulseOut, StreamIn, StreamOut};
use crate::leaf::{Delay, Reg, Skid};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::pipe::{BodyBeat, RewriteJob, WriteBeat};

/// Rewrites command packets and arguments.
#[block]
pub struct RewriteEngine {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; what waits is lost.
    pub rst: Signal<In, Bit>,
    /// From admission: what to do with the next packet. A job is taken when it is done.
    pub job: StreamIn<RewriteJob>,
    /// From the parser: the packet's bytes after the AQL packet.
    pub body: StreamIn<BodyBeat>,
    /// To the payload writer.
    pub beat: StreamOut<WriteBeat>,
    /// Rewritten AQL packet, for the enqueuer.
    pub packet: PulseOut<Bits<512>>,
    /// Its message slot.
    pub packet_slot: Signal<Out, Bits<8>>,
    command: CommandRewrite,
    arguments: ArgumentPatch,
    beats: Skid<WriteBeat>,
    written_q: Reg<Bit>,
    index_q: Reg<Bits<10>>,
    packet_q: Reg<Bits<512>>,
    packet_slot_q: Reg<Bits<8>>,
    packet_valid_q: Delay<Bit>,
    is_command: Signal<Local, Bit>,
    discard: Signal<Local, Bit>,
    has_body: Signal<Local, Bit>,
    on_command: Signal<Local, Bit>,
    on_body: Signal<Local, Bit>,
    on_end: Signal<Local, Bit>,
    write_command: Signal<Local, Bit>,
    take_body: Signal<Local, Bit>,
    last_body: Signal<Local, Bit>,
    finish: Signal<Local, Bit>,
    out: Signal<Local, WriteBeat>,
}

#[kernel]
impl Logic for RewriteEngine {
    fn update(&mut self) {
        self.discard.next = self.job.data.val().discard.any();
        self.has_body.next = self.job.data.val().has_body.any();
        self.is_command.next = self.job.data.val().command.any() & !self.discard.val();

        // Which part of the job this cycle is for.
        self.on_command.next =
            self.job.valid.val() & self.is_command.val() & !self.written_q.q.val();
        self.on_body.next = self.job.valid.val() & self.has_body.val() & !self.on_command.val();

        self.on_end.next = self.job.valid.val()
            & !self.is_command.val()
            & !self.has_body.val()
            & !self.discard.val();

        self.write_command.next = self.on_command.val() & self.beats.write.ready.val();
        self.body.ready.next =
            self.on_body.val() & (self.discard.val() | self.beats.write.ready.val());
        self.take_body.next = self.body.valid.val() & self.body.ready.val();
        self.last_body.next = self.take_body.val() & self.body.data.val().last.any();
        self.finish.next = self.last_body.val();
        if !self.has_body.val() {
            self.finish.next = self.job.valid.val()
                & (self.write_command.val()
                    | (self.on_end.val() & self.beats.write.ready.val())
                    | self.discard.val());
        }
        self.job.ready.next = self.finish.val();

        self.written_q.en.next = self.write_command.val() | self.finish.val();
        self.written_q.d.next = !self.finish.val();
        self.index_q.en.next = self.take_body.val();
        self.index_q.d.next = self.index_q.q.val() + 1;
        if self.last_body.val() {
            self.index_q.d.next = 0.into();
        }

        self.command.job.next = self.job.data.val();
        self.arguments.data.next = self.body.data.val().data;
        self.arguments.index.next = self.index_q.q.val();
        self.arguments.patch.next = self.job.data.val().patch.any() & self.is_command.val();
        self.arguments.buffer_valid.next = self.job.data.val().buffer_valid.any();
        self.arguments.rewrite_offset.next = self.job.data.val().rewrite_offset;
        self.arguments.buffer_pointer.next = self.job.data.val().buffer_pointer;
        self.arguments.payload_address.next = self.job.data.val().payload_address;

        self.out.next.slot = self.job.data.val().slot;
        self.out.next.context = self.job.data.val().context;
        self.out.next.limit = self.job.data.val().limit;
        self.out.next.first = (!self.is_command.val() & !self.index_q.q.val().any()).into();
        self.out.next.last = self.body.data.val().last;
        self.out.next.message_last = self.job.data.val().message_last;
        self.out.next.bad = self.body.data.val().bad;
        self.out.next.lost = 0.into();
        self.out.next.bytes = self.body.data.val().bytes;
        self.out.next.address = self.job.data.val().address;
        self.out.next.data = self.arguments.patched.val();
        if self.on_command.val() {
            self.out.next.first = 1.into();
            self.out.next.last = (!self.has_body.val()).into();
            self.out.next.bad = 0.into();
            self.out.next.bytes = 64.into();
            self.out.next.data = self.command.aql.val();
        }
        if self.on_end.val() {
            self.out.next.first = 1.into();
            self.out.next.last = 1.into();
            self.out.next.bad = 1.into();
            self.out.next.bytes = 0.into();
        }
        self.beats.write.data.next = self.out.val();
        self.beats.write.valid.next = self.on_command.val()
            | self.on_end.val()
            | (self.on_body.val() & self.body.valid.val() & !self.discard.val());
        connect!(self.beats.read => self.beat);

        self.packet_q.en.next = self.write_command.val();
        self.packet_q.d.next = self.command.aql.val();
        self.packet_slot_q.en.next = self.write_command.val();
        self.packet_slot_q.d.next = self.job.data.val().slot;
        self.packet_valid_q.d.next = self.write_command.val();
        self.packet.data.next = self.packet_q.q.val();
        self.packet_slot.next = self.packet_slot_q.q.val();
        self.packet.valid.next = self.packet_valid_q.q.val();
    }
}
