//! `CommandStage`: executes commands.
//!
//! **Purpose.** Takes the commands of the rings, checks them, and has each done by the block that can do it. Reports to
//! the process how it ended.
//!
//! ```text
//!                          +--------------+--> lookup, bind_md, release_md, hold    (MdTable)
//!   waiting, command    -->|              |--> open, fence                     (MessageTable)
//!   choose, take        <--| CommandStage |--> gather, send                    (GatherUnit, Packetiser)
//!   room, epoch_clear   -->|              |--> register                        (TableWriter)
//!   user_ids            -->|              |--> act, request                    (CounterUnit)
//!   fired, list_done    -->|              |--> list_command                    (ListUnit)
//!   iovec_result        -->|              |--> iovec_request                   (ReadPort)
//!                          |              |--> done                            (InitiatorCompleter)
//!                          +--------------+
//! ```
//!
//! **Contract.** Commands that have fired go first, of one context in the order of firing, contexts in turn; one that
//! must wait holds up its own context only. Then come those of the rings, of one context in the order of its ring,
//! contexts in turn, but none of a context of which something that has fired waits. What has fired and waits again
//! holds up no ring: after each such command it is the turn of the rings. A command that sends is chosen only
//! if its context has a free message place, a triggered one is posted without, and while a FENCE waits no other command
//! of its context is. A command of a ring is taken in the cycle after `waiting`, in the same one if its context had the
//! last turn, and `take` is in the next. A put that is taken in cycle *n* offers its jobs in *n + 6* (an XTQ put with
//! payload in *n + 7*) if nothing is before it; the next command is taken in *n + 2* (*n + 3*) while fewer than four
//! messages are under way. Anything but a message begins when none is. A command ends with `done` if it failed or asks
//! for a completion. A put's completion says that it is under way; SEND says that it left. A command that fails has
//! done nothing. A command of lists leaves when the lists are changed: its end comes when it has been reported, and
//! until then no other of its context is taken but messages and counts that have fired.
//!
//! A command that names a list of pieces reads it first; until then no other command of any context is taken.
//!
//! **Internals.** [`CommandChoice`] takes the next command, [`CommandCheck`] judges the one at hand,
//! [`MessagePipeline`] has the messages that are under way, [`ListJob`] says what others need of a command of lists,
//! [`ListEnds`] waits for how it ended, [`IovecSum`] adds the bytes of lists of pieces. What concerns messages is in
//! `message`, what concerns counters in `counters`, the states in `steps`. States as the kinds of command need them.
//! What a command says stands still from Check on, so what is made of it slowly (the counter that is waited for) goes
//! to a register.

mod counters;
mod message;
mod steps;

use crate::bundle::{PulseIn, PulseOut, StreamIn, StreamOut};
use crate::codes::command_codes::CommandCodes;
use crate::codes::counter_codes::CounterStatusCodes;
use crate::commands::command_check::{CommandCheck, CommandKind};
use crate::commands::command_choice::CommandChoice;
use crate::commands::list_ends::ListEnds;
use crate::commands::list_job::ListJob;
use crate::commands::message_pipeline::MessagePipeline;
use crate::leaf::{Delay, Junction, Reg};
use crate::memory::iovec::iovec_sum::IovecSum;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::command::{Command, CommandUnpack};
use xtq_types::counter::{CounterAct, CounterAnswer, FiredCommand, TriggerRequest};
use xtq_types::matching::MatchCommand;
use xtq_types::memory::{BurstRequest, BurstResult};
use xtq_types::send::{
    CommandDone, GatherJob, IovecJob, MdBind, MdFound, MdLookup, MessageFacts, MessageNote,
    RingCommand, SendJob, TableWrite,
};

/// States of [`CommandStage`].
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum CommandStageState {
    /// Chooses a command.
    Idle,
    /// Judges it.
    Check,
    /// Has the second span of a message looked up.
    Second,
    /// Has the pieces of a list added.
    Add,
    /// Waits until they are.
    Adding,
    /// Has a descriptor made.
    Bind,
    /// Waits until it is.
    Binding,
    /// Has a descriptor given back.
    Release,
    /// Waits until it is.
    Releasing,
    /// Has a table entry written.
    Register,
    /// Waits until it is.
    Registering,
    /// Has something done to a counter.
    Count,
    /// Waits until it is.
    Counting,
    /// Has something done to lists.
    List,
    /// Has the command wait for a counter, or removes those that wait.
    Wait,
    /// Waits until it does.
    Waiting,
    /// Says how it ended.
    Done,
}

/// The command stage of a NIC with `2^A` counters, a fourth of them for each context.
#[block]
pub struct CommandStage<const A: usize = 8> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From CommandRing, one bit per context: a command is there.
    pub waiting: Signal<In, Bits<4>>,
    /// To CommandRing: whose command.
    pub choose: Signal<Out, Bits<2>>,
    /// To CommandRing: whose command in the next cycle.
    pub choose_next: Signal<Out, Bits<2>>,
    /// It, in the same cycle.
    pub command: Signal<In, RingCommand>,
    /// To CommandRing: that of `choose` was taken in the cycle before.
    pub take: Signal<Out, Bit>,

    /// From CounterUnit: a command that has fired.
    pub fired: StreamIn<FiredCommand>,
    /// It cannot be taken now, that of another context may.
    pub fired_pass: Signal<Out, Bit>,
    /// From CounterUnit, one bit per context: a command that fires once has fired and is not taken, or is being posted.
    pub fired_waits: Signal<In, Bits<4>>,
    /// To CounterUnit: what is done to a counter.
    pub act: StreamOut<CounterAct>,
    /// From CounterUnit: how that ended.
    pub acted: PulseIn<CounterAnswer>,
    /// To CounterUnit: the command waits, or those that wait are removed.
    pub request: StreamOut<TriggerRequest>,
    /// From CounterUnit: how that ended.
    pub decided_status: Signal<In, Bits<3>>,
    /// Pulse.
    pub decided: Signal<In, Bit>,

    /// To ReadPort: lines of lists of pieces.
    pub iovec_request: StreamOut<BurstRequest>,
    /// From ReadPort: the next line.
    pub iovec_result: PulseIn<BurstResult>,

    /// To MdTable: a span.
    pub lookup: PulseOut<MdLookup>,
    /// From MdTable: where it lies.
    pub found: PulseIn<MdFound>,
    /// To MdTable: a new descriptor.
    pub bind_md: StreamOut<MdBind>,
    /// From MdTable: how that ended.
    pub bind_status: Signal<In, Bits<8>>,
    /// Pulse.
    pub bound: Signal<In, Bit>,
    /// To MdTable: give back {context 2, number 16}.
    pub release_md: StreamOut<Bits<18>>,
    /// From MdTable: how that ended.
    pub release_status: Signal<In, Bits<8>>,
    /// Pulse.
    pub released: Signal<In, Bit>,
    /// To MdTable: a message uses {context, number}.
    pub hold: PulseOut<Bits<10>>,

    /// From MessageTable, one bit per context: a place is free.
    pub room: Signal<In, Bits<4>>,
    /// From MessageTable, one bit per context: eight places are free.
    pub ample: Signal<In, Bits<4>>,
    /// To MessageTable: a message begins.
    pub open: PulseOut<MessageNote>,
    /// Generation and place of the context of `open`, in the same cycle.
    pub open_handle: Signal<In, Bits<16>>,
    /// To MessageTable: draw a line after the messages of `fence_context`.
    pub fence: Signal<Out, Bit>,
    /// Context.
    pub fence_context: Signal<Out, Bits<2>>,
    /// From MessageTable, one bit per context: the messages before the line have ended.
    pub epoch_clear: Signal<In, Bits<4>>,

    /// From Registers: user ids, context 0 lowest.
    pub user_ids: Signal<In, Bits<128>>,
    /// To GatherUnit: the bytes of a message.
    pub gather: StreamOut<GatherJob>,
    /// To Packetiser: its headers.
    pub send: StreamOut<SendJob>,

    /// To TableWriter: an entry.
    pub register: StreamOut<TableWrite>,
    /// From TableWriter: how that ended.
    pub register_status: Signal<In, Bits<8>>,
    /// Pulse.
    pub registered: Signal<In, Bit>,

    /// From PortalTable, one bit per entry {context 2, entry 4}: it is a single buffer.
    pub single: Signal<In, Bits<64>>,
    /// To ListUnit: what is done to lists. It is taken when it is done.
    pub list_command: StreamOut<MatchCommand>,
    /// From ListUnit: the command of `list_context` ended (pulse).
    pub list_done: Signal<In, Bit>,
    /// With `list_done`: its context.
    pub list_context: Signal<In, Bits<2>>,
    /// With `list_done`: how.
    pub list_status: Signal<In, Bits<8>>,

    /// To InitiatorCompleter: how a command ended.
    pub done: StreamOut<CommandDone>,
    /// Something is being done.
    pub working: Signal<Out, Bit>,

    codes: CommandCodes,
    counter_codes: CounterStatusCodes,
    choice: CommandChoice,
    unpack: CommandUnpack,
    check: CommandCheck<A>,
    pipeline: MessagePipeline,
    list: ListJob,
    ends: ListEnds,
    dones: Junction<CommandDone>,
    adder: IovecSum,
    state_q: Delay<CommandStageState>,
    command_q: Reg<Bits<1024>>,
    unread_q: Reg<Bit>,
    context_q: Reg<Bits<2>>,
    /// What the counter of the command at hand answered.
    value_q: Reg<CounterAnswer>,
    status_q: Reg<Bits<8>>,
    counter_low: Signal<Local, Bits<8>>,
    trigger: Signal<Local, Bits<16>>,
    trigger_low: Signal<Local, Bits<8>>,
    asked_counter: Signal<Local, Bits<8>>,
    /// The counter that the command waits for, or whose commands are cancelled.
    asked_counter_q: Delay<Bits<8>>,
    threshold: Signal<Local, Bits<64>>,
    period: Signal<Local, Bits<16>>,
    waits: Signal<Local, Bits<1024>>,
    one: Signal<Local, Bits<1024>>,
    told: Signal<Local, Bits<3>>,
    told_status: Signal<Local, Bits<8>>,
    answer: Signal<Local, CounterAnswer>,
    value: Signal<Local, CounterAnswer>,
    at_hand: Signal<Local, Command>,
    descriptor: Signal<Local, Bits<16>>,
    second_descriptor: Signal<Local, Bits<16>>,
    counter: Signal<Local, Bits<16>>,
    options: Signal<Local, Bits<32>>,
    length: Signal<Local, Bits<64>>,
    pieces: Signal<Local, Bits<11>>,
    room_length: Signal<Local, Bits<64>>,
    summed: Signal<Local, IovecJob>,
    command_length: Signal<Local, Bits<16>>,
    second_start: Signal<Local, Bits<64>>,
    second_turn: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
    facts: Signal<Local, MessageFacts>,
    sends: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    portal: Signal<Local, Bits<16>>,
    portal_high: Signal<Local, Bits<12>>,
    entry: Signal<Local, Bits<6>>,
    is_single: Signal<Local, Bit>,
    flags: Signal<Local, Bits<8>>,
    wanted: Signal<Local, Bit>,
    ended: Signal<Local, CommandDone>,
    tells: Signal<Local, Bit>,
}

#[kernel]
impl<const A: usize> Logic for CommandStage<A> {
    fn update(&mut self) {
        // The next command.
        self.idle.next = self.state_q.q.val() == CommandStageState::Idle;
        self.choice.idle.next = self.idle.val();
        self.choice.waiting.next = self.waiting.val();
        self.choose.next = self.choice.choose.val();
        self.choose_next.next = self.choice.choose_next.val();
        self.choice.command.next = self.command.val();
        self.take.next = self.choice.take.val();
        connect!(self.fired => self.choice.fired);
        self.fired_pass.next = self.choice.fired_pass.val();
        self.choice.fired_waits.next = self.fired_waits.val();
        self.choice.epoch_clear.next = self.epoch_clear.val();
        self.choice.away.next = self.ends.away.val();
        self.fence.next = self.choice.fence.val();
        self.fence_context.next = self.choice.fence_context.val();
        self.command_q.d.next = self.choice.next_command.val();
        self.command_q.en.next = self.idle.val();
        self.unread_q.d.next = self.choice.unread.val();
        self.unread_q.en.next = self.idle.val();
        self.context_q.d.next = self.choice.next_context.val();
        self.context_q.en.next = self.idle.val();

        // The command at hand.
        self.unpack.raw.next = self.command_q.q.val();
        self.at_hand.next = self.unpack.fields.val();
        self.check.command.next = self.at_hand.val();
        self.check.unread.next = self.unread_q.q.val();
        self.descriptor.next = self.at_hand.val().descriptor;
        self.second_descriptor.next = self.at_hand.val().second_descriptor;
        self.counter.next = self.at_hand.val().counter;
        self.options.next = self.at_hand.val().options;
        self.length.next = self.at_hand.val().length;
        self.command_length.next = self.at_hand.val().command_length;
        self.second_start.next = self.at_hand.val().second_start;

        self.spans();
        self.messages();
        // Lists of pieces: what is kept are the bytes of all together.
        self.pieces.next = 0.into();
        self.room_length.next = self.length.val();
        if self.check.iovec.val() {
            self.pieces.next = self.length.val().get_bits::<11>(0);
            self.room_length.next = self.adder.sum.val();
        }
        self.summed.next.context = self.context_q.q.val();
        self.summed.next.list = self.at_hand.val().start;
        self.summed.next.pieces = self.pieces.val();
        self.summed.next.offset = 0.into();
        self.summed.next.length = 0.into();
        self.summed.next.follows = 0.into();
        self.adder.job.data.next = self.summed.val();
        self.adder.job.valid.next = self.state_q.q.val() == CommandStageState::Add;
        connect!(self.adder.request => self.iovec_request);
        connect!(self.iovec_result => self.adder.result);

        // Descriptors and tables.
        self.bind_md.data.next.context = self.context_q.q.val();
        self.bind_md.data.next.number = self.descriptor.val();
        self.bind_md.data.next.start = self.at_hand.val().start;
        self.bind_md.data.next.length = self.room_length.val();
        self.bind_md.data.next.pieces = self.pieces.val();
        self.bind_md.data.next.options = self.options.val().get_bits::<16>(0);
        self.bind_md.data.next.counter = self.counter.val().get_bits::<8>(0);
        self.bind_md.data.next.counted = 0.into();
        if !self.counter.val().all() {
            self.bind_md.data.next.counted = 1.into();
        }
        self.bind_md.valid.next = self.state_q.q.val() == CommandStageState::Bind;
        self.release_md.data.next = (bit_cast::<18, 2>(self.context_q.q.val()) << 16)
            | bit_cast::<18, 16>(self.descriptor.val());
        self.release_md.valid.next = self.state_q.q.val() == CommandStageState::Release;
        self.register.data.next.context = self.context_q.q.val();
        self.register.data.next.kind = self.check.which_table.val();
        self.register.data.next.index = self.at_hand.val().entry;
        self.register.data.next.entry = self.command_q.q.val().get_bits::<512>(512);
        self.register.valid.next = self.state_q.q.val() == CommandStageState::Register;

        self.counters();
        // Lists.
        self.list.command.next = self.at_hand.val();
        self.list.owner.next = self.context_q.q.val();
        self.list.op.next = self.check.list_op.val();
        self.list.length.next = self.room_length.val();
        self.list.pieces.next = self.pieces.val();
        // An entry that is a single buffer gets no lists.
        self.portal.next = self.at_hand.val().portal_index;
        self.portal_high.next = self.portal.val().get_bits::<12>(4);
        self.entry.next = (bit_cast::<6, 2>(self.context_q.q.val()) << 4)
            | bit_cast::<6, 4>(self.portal.val().get_bits::<4>(0));
        self.is_single.next = (self.at_hand.val().operation == self.codes.pt_alloc.val())
            & !self.portal_high.val().any()
            & self.single.val().get_bit(self.entry.val().index());
        self.list_command.data.next = self.list.job.val();
        self.list_command.valid.next = self.state_q.q.val() == CommandStageState::List;
        self.ends.list_done.next = self.list_done.val();
        self.ends.list_context.next = self.list_context.val();
        self.ends.list_status.next = self.list_status.val();

        // How it ends: a command that waits now is reported when it has fired.
        self.flags.next = self.at_hand.val().flags;
        self.wanted.next = (self.flags.val() & self.codes.completion.val()).any();
        self.ended.next.context = self.context_q.q.val();
        self.ended.next.operation = self.at_hand.val().operation;
        self.ended.next.status = self.status_q.q.val();
        self.ended.next.user_pointer = self.at_hand.val().user_pointer;
        self.ended.next.success = self.value.val().success;
        self.ended.next.failure = self.value.val().failure;
        self.tells.next = (self.wanted.val() & (self.check.kind.val() != CommandKind::Wait))
            | (self.status_q.q.val() != self.codes.ok.val());
        // The pipeline is empty while another command is done.
        self.dones.first.data.next = self.ended.val();
        if self.pipeline.done.valid.val() {
            self.dones.first.data.next = self.pipeline.done.data.val();
        }
        self.dones.first.valid.next = self.pipeline.done.valid.val()
            | ((self.state_q.q.val() == CommandStageState::Done) & self.tells.val());
        self.pipeline.done.ready.next = self.dones.first.ready.val();
        self.ends.left.next = self.ended.val();
        self.ends.wanted.next = self.wanted.val();
        self.ends.leave.next =
            self.list_command.ready.val() & (self.state_q.q.val() == CommandStageState::List);
        connect!(self.ends.done => self.dones.second);
        connect!(self.dones.read => self.done);

        self.steps();
    }
}
