//! `CounterUnit`: the counters of the NIC and the commands that wait for them.
//!
//! **Purpose.** Joins [`CounterBank`] and [`TriggerEngine`], and lets messages and commands share them.
//!
//! ```text
//!   count   (messages)  -->+-------------+
//!   act     (commands)  -->| CounterUnit |--> answer    (to the command that acts)
//!   request (commands)  -->|             |--> decided   (to the command that waits or cancels)
//!                          +-------------+--> fired     (commands)
//! ```
//!
//! **Contract.** One operation a cycle; a command's before a message's, as commands are rare. `answer` comes once for
//! each `act`, `decided` once for each `request`, as a pulse with `decided_status`. What a message counts on a counter
//! that nobody has is thrown away. From `count` to `fired` 9 cycles, if the oldest command that waits for the counter
//! is reached. A counter is that of its context: 64 for each context of `2^8`, 256 of `2^10`.
//!
//! **Internals.** A bit for each operation under way says whether its result is a command's.

use crate::bundle::{PulseOut, StreamIn, StreamOut};
use crate::codes::counter_codes::CounterOperationCodes;
use crate::leaf::Fifo;
use crate::triggers::counter_bank::CounterBank;
use crate::triggers::trigger_engine::TriggerEngine;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::counter::{CounterAct, CounterAnswer, CounterCount, FiredCommand, TriggerRequest};

/// `2^A` counters and `2^S` triggered operations, a fourth of them for each context; `N` = `2^A`, `L` = `S + 1`. `A` is
/// 4 to 10.
#[block]
pub struct CounterUnit<
    const A: usize = 8,
    const N: usize = 256,
    const S: usize = 9,
    const L: usize = 10,
> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// From InitiatorCompleter, ListUnit and TargetPipeline: what a message counts.
    pub count: StreamIn<CounterCount>,
    /// From CommandStage: what a command does.
    pub act: StreamIn<CounterAct>,
    /// To CommandStage: how it ended.
    pub answer: PulseOut<CounterAnswer>,
    /// From CommandStage: a command that waits, or a cancellation.
    pub request: StreamIn<TriggerRequest>,
    /// To CommandStage: how that ended, see [`counter_status`](xtq_types::counter::counter_status).
    pub decided_status: Signal<Out, Bits<3>>,
    /// Pulse.
    pub decided: Signal<Out, Bit>,
    /// To CommandStage: a command that has fired.
    pub fired: StreamOut<FiredCommand>,
    /// It cannot go now, that of another context may.
    pub fired_pass: Signal<In, Bit>,
    /// To CommandStage, one bit per context: a command that fires once has fired and is not taken, or is being posted.
    pub fired_waits: Signal<Out, Bits<4>>,

    codes: CounterOperationCodes,
    bank: CounterBank<A, N>,
    engine: TriggerEngine<A, N, S, L>,
    counts: Fifo<CounterCount, 2, 3>,
    /// Whose results are to come: 1 a command's.
    order: Fifo<Bit, 3, 4>,
    /// Where the counters of a context begin: its number, so many bits up.
    #[value((A as u64 - 2).to_bits())]
    share: Constant<Bits<4>>,
    /// Bits of the number of a counter in its context.
    #[value(((1u64 << (A - 2)) - 1).to_bits())]
    number: Constant<Bits<10>>,
    waiting: Signal<Local, CounterCount>,
    owner: Signal<Local, Bits<2>>,
    counter: Signal<Local, Bits<8>>,
    place: Signal<Local, Bits<10>>,
    asked_owner: Signal<Local, Bits<2>>,
    asked_counter: Signal<Local, Bits<8>>,
    asked_place: Signal<Local, Bits<10>>,
    acting: Signal<Local, Bit>,
    result: Signal<Local, CounterAnswer>,
    told: Signal<Local, FiredCommand>,
}

#[kernel]
impl<const A: usize, const N: usize, const S: usize, const L: usize> Logic
    for CounterUnit<A, N, S, L>
{
    fn update(&mut self) {
        // One operation a cycle.
        connect!(self.count => self.counts.write);
        self.waiting.next = self.counts.read.data.val();
        self.acting.next = self.act.valid.val();
        self.bank.operation_valid.next =
            (self.acting.val() | self.counts.read.valid.val()) & self.order.write.ready.val();
        self.bank.operation_code.next = self.codes.count.val();
        self.owner.next = self.waiting.val().context;
        self.counter.next = self.waiting.val().counter;
        self.bank.operation_success.next = self.waiting.val().success;
        self.bank.operation_failure.next = self.waiting.val().failure;
        if self.acting.val() {
            self.bank.operation_code.next = self.act.data.val().code;
            self.owner.next = self.act.data.val().context;
            self.counter.next = self.act.data.val().counter;
            self.bank.operation_success.next = self.act.data.val().success;
            self.bank.operation_failure.next = self.act.data.val().failure;
        }
        self.place.next = (bit_cast::<10, 2>(self.owner.val()) << self.share.val())
            | (bit_cast::<10, 8>(self.counter.val()) & self.number.val());
        self.bank.operation_context.next = self.owner.val();
        self.bank.operation_counter.next = self.place.val().get_bits::<A>(0);
        self.act.ready.next = self.bank.operation_ready.val() & self.order.write.ready.val();
        self.counts.read.ready.next =
            self.bank.operation_ready.val() & self.order.write.ready.val() & !self.acting.val();
        self.order.write.data.next = self.acting.val();
        self.order.write.valid.next =
            (self.acting.val() | self.counts.read.valid.val()) & self.bank.operation_ready.val();
        self.order.read.ready.next = self.bank.result.valid.val();
        self.result.next.status = self.bank.result.data.val();
        self.result.next.success = self.bank.result_success.val();
        self.result.next.failure = self.bank.result_failure.val();
        self.answer.data.next = self.result.val();
        self.answer.valid.next =
            self.bank.result.valid.val() & self.order.read.data.val() & self.order.read.valid.val();

        // What waits for the counters.
        self.engine.update_valid.next = self.bank.update_valid.val();
        self.engine.update_counter.next = self.bank.update_counter.val();
        self.engine.update_context.next = self.bank.update_context.val();
        self.engine.update_change.next = self.bank.update_change.val();
        self.engine.update_sum.next = self.bank.update_sum.val();
        self.bank.update_ready.next = self.engine.update_ready.val();
        self.engine.request_valid.next = self.request.valid.val();
        self.engine.request_cancel.next = self.request.data.val().cancel == 1;
        self.asked_owner.next = self.request.data.val().context;
        self.asked_counter.next = self.request.data.val().counter;
        self.asked_place.next = (bit_cast::<10, 2>(self.asked_owner.val()) << self.share.val())
            | (bit_cast::<10, 8>(self.asked_counter.val()) & self.number.val());
        self.engine.request_context.next = self.asked_owner.val();
        self.engine.request_counter.next = self.asked_place.val().get_bits::<A>(0);
        self.engine.request_threshold.next = self.request.data.val().threshold;
        self.engine.request_period.next = self.request.data.val().period;
        self.engine.request_command.next = self.request.data.val().command;
        self.request.ready.next = self.engine.request_ready.val();
        self.decided.next = self.engine.answer.valid.val();
        self.decided_status.next = self.engine.answer.data.val();
        self.engine.occupied_context.next = 0.into();
        self.told.next.context = self.engine.fire_context.val();
        self.told.next.rearms = self.engine.fire_rearms.val().into();
        self.told.next.command = self.engine.fire_command.val();
        self.fired.data.next = self.told.val();
        self.fired.valid.next = self.engine.fire_valid.val();
        self.engine.fire_ready.next = self.fired.ready.val();
        self.engine.fire_pass.next = self.fired_pass.val();
        self.fired_waits.next = self.engine.fire_waits.val();
    }
}
