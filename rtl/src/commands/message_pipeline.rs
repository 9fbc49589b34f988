//! `MessagePipeline`: messages that were judged, on their way to those who send them.
//!
//! **Purpose.** The part of [`CommandStage`](crate::commands::command_stage::CommandStage) in which several commands
//! are under way at once. It waits for a message's spans, gives its jobs, and says how its command ended.
//!
//! ```text
//!   enter, command, facts -->+-----------------+--> gather, send  (GatherUnit, Packetiser)
//!   found                 -->| MessagePipeline |--> open          (MessageTable)
//!   open_handle           -->|                 |--> hold          (MdTable)
//!   user_ids              -->|                 |--> done
//!                            +-----------------+--> room, empty, under_way
//! ```
//!
//! **Contract.** Four messages are under way at most; `enter` only with `room`. They leave in the order in which they
//! entered. `found` comes in the order of the spans, for each message one, or two with `facts.two`, the first three
//! cycles after `enter` or later. A span that was not found ends the command with its status; then nothing is sent. A
//! message that enters in cycle *n* and is alone offers its jobs in *n + 5* (with two spans that come one after the
//! other in *n + 6*); from then on one message every two cycles (every three). It is opened in the cycle after that in
//! which `send` was accepted, with the handle of that cycle, and holds its descriptors then and in the cycle after.
//! `done` follows when both jobs are accepted, if the command failed or asks for it; the next message waits for that.
//! `under_way` bit *c*: a message of context *c* entered and may not be counted by the message table yet. `empty`: that
//! is so of none, and all ends are reported. Reset: empty.
//!
//! **Internals.** A memory with the commands and one with the facts, which are written a cycle later as their sum is
//! slow; a FIFO of what was found. Three states take a message from it: its first span, its second, its jobs.

use crate::bundle::{PulseIn, PulseOut, StreamOut};
use crate::codes::command_codes::CommandCodes;
use crate::commands::message_jobs::MessageJobs;
use crate::leaf::{Delay, Fifo, LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::command::{Command, CommandUnpack};
use xtq_types::send::{CommandDone, GatherJob, MdFound, MessageFacts, MessageNote, SendJob};

/// What the oldest message waits for.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum MessagePipelineState {
    /// Its first span.
    First,
    /// Its second span.
    Second,
    /// Those who take its jobs.
    Send,
}

/// The pipeline of messages.
#[block]
pub struct MessagePipeline {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// A message enters (pulse).
    pub enter: Signal<In, Bit>,
    /// Its command.
    pub command: Signal<In, Bits<1024>>,
    /// What it is.
    pub facts: Signal<In, MessageFacts>,
    /// Another may enter.
    pub room: Signal<Out, Bit>,
    /// None is under way.
    pub empty: Signal<Out, Bit>,
    /// One bit per context: one of it is under way.
    pub under_way: Signal<Out, Bits<4>>,

    /// From MdTable: where a span lies.
    pub found: PulseIn<MdFound>,
    /// To MdTable: a message uses {context, number}.
    pub hold: PulseOut<Bits<10>>,
    /// From Registers: user ids, context 0 lowest.
    pub user_ids: Signal<In, Bits<128>>,
    /// To MessageTable: a message begins.
    pub open: PulseOut<MessageNote>,
    /// Generation and place of the context of `open`, in the same cycle.
    pub open_handle: Signal<In, Bits<16>>,
    /// To GatherUnit: the bytes of a message.
    pub gather: StreamOut<GatherJob>,
    /// To Packetiser: its headers.
    pub send: StreamOut<SendJob>,
    /// How a command ended.
    pub done: StreamOut<CommandDone>,

    codes: CommandCodes,
    unpack: CommandUnpack,
    jobs: MessageJobs,
    commands: LutRam<Bits<1024>, 2>,
    all_facts: LutRam<MessageFacts, 2>,
    founds: Fifo<MdFound, 3, 4>,
    state_q: Delay<MessagePipelineState>,
    /// Messages that left, and that entered.
    head_q: Reg<Bits<3>>,
    tail_q: Reg<Bits<3>>,
    facts_q: Delay<MessageFacts>,
    entered_q: Delay<Bit>,
    place_q: Delay<Bits<2>>,
    /// Number of the last message of each context, and whether it is under way.
    last_q: [Reg<Bits<3>>; 4],
    under_way_q: Delay<Bits<4>>,
    left_q: Delay<Bit>,
    left_number_q: Delay<Bits<3>>,
    /// Of the oldest message.
    first_q: Reg<MdFound>,
    second_q: Reg<MdFound>,
    status_q: Reg<Bits<8>>,
    /// Its headers are with the packetiser.
    sent_q: Reg<Bit>,
    /// Its spans are with the gather unit.
    gathered_q: Reg<Bit>,
    /// It was given to the packetiser in the cycle before.
    open_q: Delay<Bit>,
    note_q: Reg<MessageNote>,
    hold_q: Delay<Bits<10>>,
    hold_valid_q: Delay<Bit>,
    second_hold_q: Reg<Bits<10>>,
    second_hold_valid_q: Delay<Bit>,
    ended_q: Reg<CommandDone>,
    ended_valid_q: Delay<Bit>,

    used: Signal<Local, Bits<3>>,
    at_hand: Signal<Local, Command>,
    fact: Signal<Local, MessageFacts>,
    owner: Signal<Local, Bits<2>>,
    two: Signal<Local, Bit>,
    enters: Signal<Local, Bits<4>>,
    enterer: Signal<Local, Bits<2>>,
    one: Signal<Local, Bits<4>>,
    leavers: Signal<Local, Bits<4>>,
    on_first: Signal<Local, Bit>,
    on_second: Signal<Local, Bit>,
    found_status: Signal<Local, Bits<8>>,
    good: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    on_send: Signal<Local, Bit>,
    sending: Signal<Local, Bit>,
    has_body: Signal<Local, Bit>,
    send_gone: Signal<Local, Bit>,
    gather_gone: Signal<Local, Bit>,
    both_gone: Signal<Local, Bit>,
    opens: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    number: Signal<Local, Bits<8>>,
    second_number: Signal<Local, Bits<8>>,
    descriptor: Signal<Local, Bits<16>>,
    second_descriptor: Signal<Local, Bits<16>>,
    owner_bits: Signal<Local, Bits<10>>,
    flags: Signal<Local, Bits<8>>,
    tells: Signal<Local, Bit>,
    ended: Signal<Local, CommandDone>,
}

#[kernel]
impl Logic for MessagePipeline {
    fn update(&mut self) {
        // What enters.
        self.used.next = self.tail_q.q.val() - self.head_q.q.val();
        self.room.next = !self.used.val().get_bit(2);
        self.commands.write_addr.next = self.tail_q.q.val().get_bits::<2>(0);
        self.commands.write_data.next = self.command.val();
        self.commands.write_en.next = self.enter.val();
        self.tail_q.d.next = self.tail_q.q.val() + 1;
        self.tail_q.en.next = self.enter.val();
        self.facts_q.d.next = self.facts.val();
        self.entered_q.d.next = self.enter.val();
        self.place_q.d.next = self.tail_q.q.val().get_bits::<2>(0);
        self.all_facts.write_addr.next = self.place_q.q.val();
        self.all_facts.write_data.next = self.facts_q.q.val();
        self.all_facts.write_en.next = self.entered_q.q.val();
        self.founds.write.data.next = self.found.data.val();
        self.founds.write.valid.next = self.found.valid.val();

        // The oldest message.
        self.commands.read_addr.next = self.head_q.q.val().get_bits::<2>(0);
        self.all_facts.read_addr.next = self.head_q.q.val().get_bits::<2>(0);
        self.unpack.raw.next = self.commands.read_data.val();
        self.at_hand.next = self.unpack.fields.val();
        self.fact.next = self.all_facts.read_data.val();
        self.owner.next = self.fact.val().owner;
        self.two.next = self.fact.val().two.any();
        self.on_first.next = self.state_q.q.val() == MessagePipelineState::First;
        self.on_second.next = self.state_q.q.val() == MessagePipelineState::Second;
        self.on_send.next = self.state_q.q.val() == MessagePipelineState::Send;

        // Its spans; of a message that is not sent the second one is passed by.
        self.founds.read.ready.next = self.on_first.val() | self.on_second.val();
        self.found_status.next = self.founds.read.data.val().status;
        self.first_q.d.next = self.founds.read.data.val();
        self.first_q.en.next = self.on_first.val();
        self.second_q.d.next = self.founds.read.data.val();
        self.second_q.en.next = self.on_second.val();
        self.good.next = self.status_q.q.val() == self.codes.ok.val();
        self.status_q.d.next = self.found_status.val();
        self.status_q.en.next = self.founds.read.valid.val()
            & (self.on_first.val() | (self.on_second.val() & self.good.val()));

        // Its jobs: each goes when its queue has room, and the message leaves when both are gone.
        self.jobs.command.next = self.at_hand.val();
        self.jobs.owner.next = self.owner.val();
        self.jobs.user_ids.next = self.user_ids.val();
        self.jobs.total.next = self.fact.val().total;
        self.jobs.xtq.next = self.fact.val().xtq.any();
        self.jobs.get.next = self.fact.val().get.any();
        self.jobs.fetch.next = self.fact.val().fetch.any();
        self.jobs.single.next = self.fact.val().single.any();
        self.jobs.two.next = self.two.val();
        self.jobs.first.next = self.first_q.q.val();
        self.jobs.second.next = self.second_q.q.val();
        self.jobs.open_handle.next = self.open_handle.val();
        self.gather.data.next = self.jobs.gather.val();
        self.send.data.next = self.jobs.send.val();
        self.has_body.next = self.jobs.has_body.val();
        self.free.next = !self.ended_valid_q.q.val();
        self.sending.next = self.on_send.val() & self.good.val() & self.free.val();
        self.send.valid.next = self.sending.val() & !self.sent_q.q.val();
        self.gather.valid.next =
            self.sending.val() & self.has_body.val() & !self.gathered_q.q.val();
        self.send_gone.next = self.sent_q.q.val() | self.send.ready.val();
        self.gather_gone.next =
            self.gathered_q.q.val() | self.gather.ready.val() | !self.has_body.val();
        self.both_gone.next = self.send_gone.val() & self.gather_gone.val();
        self.sent_q.d.next = self.send_gone.val() & !self.both_gone.val();
        self.sent_q.en.next = self.sending.val();
        self.gathered_q.d.next = self.gather_gone.val() & !self.both_gone.val();
        self.gathered_q.en.next = self.sending.val();
        self.leaves.next =
            self.on_send.val() & self.free.val() & (self.both_gone.val() | !self.good.val());
        self.head_q.d.next = self.head_q.q.val() + 1;
        self.head_q.en.next = self.leaves.val();

        // That it begins is reported in the next cycle: what the message table makes of it is not in the way of who has
        // room.
        self.opens.next = self.sending.val() & !self.sent_q.q.val() & self.send.ready.val();
        self.open_q.d.next = self.opens.val();
        self.open.valid.next = self.open_q.q.val();
        self.note_q.d.next = self.jobs.open.val();
        self.note_q.en.next = self.opens.val();
        self.open.data.next = self.jobs.open.val();
        if self.open_q.q.val() {
            self.open.data.next = self.note_q.q.val();
        }
        // What it holds: of a GET where the reply goes.
        self.descriptor.next = self.at_hand.val().descriptor;
        self.second_descriptor.next = self.at_hand.val().second_descriptor;
        self.number.next = self.descriptor.val().get_bits::<8>(0);
        self.second_number.next = self.second_descriptor.val().get_bits::<8>(0);
        if self.fact.val().get.any() {
            self.number.next = self.second_descriptor.val().get_bits::<8>(0);
        }
        self.owner_bits.next = bit_cast::<10, 2>(self.owner.val()) << 8;
        self.second_hold_q.d.next =
            self.owner_bits.val() | bit_cast::<10, 8>(self.second_number.val());
        self.second_hold_q.en.next = self.opens.val();
        self.second_hold_valid_q.d.next = self.opens.val() & self.two.val();
        self.hold_q.d.next = self.owner_bits.val() | bit_cast::<10, 8>(self.number.val());
        if self.second_hold_valid_q.q.val() {
            self.hold_q.d.next = self.second_hold_q.q.val();
        }
        self.hold_valid_q.d.next = self.opens.val() | self.second_hold_valid_q.q.val();
        self.hold.data.next = self.hold_q.q.val();
        self.hold.valid.next = self.hold_valid_q.q.val();

        // How it ended.
        self.flags.next = self.at_hand.val().flags;
        self.tells.next = (self.flags.val() & self.codes.completion.val()).any() | !self.good.val();
        self.ended.next.context = self.owner.val();
        self.ended.next.operation = self.at_hand.val().operation;
        self.ended.next.status = self.status_q.q.val();
        self.ended.next.user_pointer = self.at_hand.val().user_pointer;
        self.ended.next.success = 0.into();
        self.ended.next.failure = 0.into();
        self.ended_q.d.next = self.ended.val();
        self.ended_q.en.next = self.leaves.val();
        self.ended_valid_q.d.next = (self.leaves.val() & self.tells.val())
            | (self.ended_valid_q.q.val() & !self.done.ready.val());
        self.done.data.next = self.ended_q.q.val();
        self.done.valid.next = self.ended_valid_q.q.val();

        // Whose are under way: a message counts until the cycle in which the message table knows it.
        self.one.next = 1.into();
        self.enterer.next = self.facts.val().owner;
        self.enters.next = 0.into();
        if self.enter.val() {
            self.enters.next = self.one.val() << self.enterer.val();
        }
        self.left_q.d.next = self.leaves.val();
        self.left_number_q.d.next = self.head_q.q.val();
        self.leavers.next = 0.into();
        for i in 0..4 {
            self.last_q[i].d.next = self.tail_q.q.val();
            self.last_q[i].en.next = self.enters.val().get_bit(i);
            self.leavers.next = self.leavers.val().replace_bit(
                i,
                self.left_q.q.val() & (self.last_q[i].q.val() == self.left_number_q.q.val()),
            );
        }
        self.under_way_q.d.next =
            (self.under_way_q.q.val() & !self.leavers.val()) | self.enters.val();
        self.under_way.next = self.under_way_q.q.val();
        self.empty.next = !self.used.val().any()
            & !self.under_way_q.q.val().any()
            & !self.hold_valid_q.q.val()
            & !self.ended_valid_q.q.val();

        self.state_q.d.next = self.state_q.q.val();
        match self.state_q.q.val() {
            MessagePipelineState::First => {
                if self.founds.read.valid.val() {
                    self.state_q.d.next = MessagePipelineState::Send;
                    if self.two.val() {
                        self.state_q.d.next = MessagePipelineState::Second;
                    }
                }
            }
            MessagePipelineState::Second => {
                if self.founds.read.valid.val() {
                    self.state_q.d.next = MessagePipelineState::Send;
                }
            }
            _ => {
                if self.leaves.val() {
                    self.state_q.d.next = MessagePipelineState::First;
                }
            }
        }
    }
}
