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
//! **Contract.** One operation a cycle; a command's before a message's, as commands are rare. `answer` comes once for each `act`, `decided` once for each `request`, as a pulse with `decided_status`. What a message counts on a counter that nobody has is thrown away.
//! From `count` to `fired` 9 cycles, if the oldest command that waits for the counter is reached.
//!
//! **Internals.** A bit for each operation under way tells whether its result is a command's.

use crate::codes::counter_codes::CounterOperationCodes;
use crate::leaf::Fifo;
use crate::triggers::counter_bank::CounterBank;
use crate::triggers::trigger_engine::TriggerEngine;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::send::{CounterAct, CounterAnswer, CounterCount, FiredCommand, TriggerRequest};

/// Counters and triggered operations.
#[block]
pub struct CounterUnit {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// From InitiatorCompleter, ListUnit and TargetPipeline: what a message counts.
    pub count: Signal<In, CounterCount>,
    /// `count` is valid.
    pub count_valid: Signal<In, Bit>,
    /// It is taken.
    pub count_ready: Signal<Out, Bit>,
    /// From CommandStage: what a command does.
    pub act: Signal<In, CounterAct>,
    /// `act` is valid.
    pub act_valid: Signal<In, Bit>,
    /// It is taken.
    pub act_ready: Signal<Out, Bit>,
    /// To CommandStage: how it ended.
    pub answer: Signal<Out, CounterAnswer>,
    /// Pulse.
    pub answer_valid: Signal<Out, Bit>,
    /// From CommandStage: a command that waits, or a cancellation.
    pub request: Signal<In, TriggerRequest>,
    /// `request` is valid.
    pub request_valid: Signal<In, Bit>,
    /// It is taken.
    pub request_ready: Signal<Out, Bit>,
    /// To CommandStage: how that ended, see [`counter_status`](xtq_types::counter::counter_status).
    pub decided_status: Signal<Out, Bits<3>>,
    /// Pulse.
    pub decided: Signal<Out, Bit>,
    /// To CommandStage: a command that has fired.
    pub fired: Signal<Out, FiredCommand>,
    /// `fired` is valid.
    pub fired_valid: Signal<Out, Bit>,
    /// It is taken.
    pub fired_ready: Signal<In, Bit>,
    /// It cannot go now, that of another context may.
    pub fired_pass: Signal<In, Bit>,
    /// To CommandStage, a bit a context: a command has fired and is not taken, or is being posted.
    pub fired_waits: Signal<Out, Bits<4>>,

    codes: CounterOperationCodes,
    bank: CounterBank<8, 256>,
    engine: TriggerEngine<8, 256, 9, 10>,
    counts: Fifo<CounterCount, 2, 3>,
    /// Whose results are to come: 1 a command's.
    order: Fifo<Bit, 3, 4>,
    waiting: Signal<Local, CounterCount>,
    acting: Signal<Local, Bit>,
    result: Signal<Local, CounterAnswer>,
    told: Signal<Local, FiredCommand>,
}

#[kernel]
impl Logic for CounterUnit {
    fn update(&mut self) {
        // One operation a cycle.
        self.counts.write.next = self.count.val();
        self.counts.write_valid.next = self.count_valid.val();
        self.count_ready.next = self.counts.write_ready.val();
        self.waiting.next = self.counts.read.val();
        self.acting.next = self.act_valid.val();
        self.bank.operation_valid.next =
            (self.acting.val() | self.counts.read_valid.val()) & self.order.write_ready.val();
        self.bank.operation_code.next = self.codes.count.val();
        self.bank.operation_context.next = self.waiting.val().context;
        self.bank.operation_counter.next = self.waiting.val().counter;
        self.bank.operation_success.next = self.waiting.val().success;
        self.bank.operation_failure.next = self.waiting.val().failure;
        if self.acting.val() {
            self.bank.operation_code.next = self.act.val().code;
            self.bank.operation_context.next = self.act.val().context;
            self.bank.operation_counter.next = self.act.val().counter;
            self.bank.operation_success.next = self.act.val().success;
            self.bank.operation_failure.next = self.act.val().failure;
        }
        self.act_ready.next = self.bank.operation_ready.val() & self.order.write_ready.val();
        self.counts.read_ready.next =
            self.bank.operation_ready.val() & self.order.write_ready.val() & !self.acting.val();
        self.order.write.next = self.acting.val();
        self.order.write_valid.next =
            (self.acting.val() | self.counts.read_valid.val()) & self.bank.operation_ready.val();
        self.order.read_ready.next = self.bank.result_valid.val();
        self.result.next.status = self.bank.result.val();
        self.result.next.success = self.bank.result_success.val();
        self.result.next.failure = self.bank.result_failure.val();
        self.answer.next = self.result.val();
        self.answer_valid.next =
            self.bank.result_valid.val() & self.order.read.val() & self.order.read_valid.val();

        // What waits for the counters.
        self.engine.update_valid.next = self.bank.update_valid.val();
        self.engine.update_counter.next = self.bank.update_counter.val();
        self.engine.update_context.next = self.bank.update_context.val();
        self.engine.update_change.next = self.bank.update_change.val();
        self.engine.update_sum.next = self.bank.update_sum.val();
        self.bank.update_ready.next = self.engine.update_ready.val();
        self.engine.request_valid.next = self.request_valid.val();
        self.engine.request_cancel.next = self.request.val().cancel == 1;
        self.engine.request_context.next = self.request.val().context;
        self.engine.request_counter.next = self.request.val().counter;
        self.engine.request_threshold.next = self.request.val().threshold;
        self.engine.request_command.next = self.request.val().command;
        self.request_ready.next = self.engine.request_ready.val();
        self.decided.next = self.engine.answer_valid.val();
        self.decided_status.next = self.engine.answer.val();
        self.engine.occupied_context.next = 0.into();
        self.told.next.context = self.engine.fire_context.val();
        self.told.next.command = self.engine.fire_command.val();
        self.fired.next = self.told.val();
        self.fired_valid.next = self.engine.fire_valid.val();
        self.engine.fire_ready.next = self.fired_ready.val();
        self.engine.fire_pass.next = self.fired_pass.val();
        self.fired_waits.next = self.engine.fire_waits.val();
    }
}
