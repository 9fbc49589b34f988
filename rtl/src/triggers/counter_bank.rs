//! `CounterBank`: the counting events of all contexts, success and failure of 64 bits each, one operation a cycle.
//!
//! **Purpose.** Everything that counts (messages delivered, sent, acknowledged; commands; triggered operations) does so
//! through this one port, in order. It does not know what waits for a counter: every change goes to
//! [`TriggerEngine`](crate::triggers::trigger_engine::TriggerEngine).
//!
//! ```text
//!                        +-------------+
//!   operation        -->|             |--> result_valid, result  (pulse, 3 cycles later)
//!   operation_code   -->|             |--> result_success, result_failure
//!   operation_context-->|             |
//!   operation_counter-->| CounterBank |--> update_counter, update_context
//!   .._success,      -->|             |--> update_change, update_sum
//!   .._failure       -->|             |--> update_valid
//!   operation_valid  -->|             |<-- update_ready
//!   operation_ready  <--|             |
//!                        +-------------+
//! ```
//!
//! **Contract.** Operations are those of [`counter_operation`](xtq_types::counter::counter_operation), done in the
//! order in which they are taken, each atomic; one a cycle. `result`
//! ([`counter_status`](xtq_types::counter::counter_status)) comes once for each, in order, as a pulse that nobody can
//! hold back, three cycles after the handshake; later only while `update_ready` is low. `result_success` and
//! `result_failure` are the value after the operation, 0 if it was refused. A refused operation changes nothing and
//! reports nothing of the counter but who does not have it. Every operation that changes a counter gives one word on
//! `update`, in order, the first time in the cycle of its result. `update_sum` is success + failure, all 65 bits of it.
//! Each field counts modulo 2^64. Reset: nobody has a counter.
//!
//! **Internals.** Three stages. All of them stand while `update` waits; the table's word is then read again.
//!
//! ```text
//!   cycle 0                1                     2                               3
//!   pins; read the owner | arguments, total    | base + amounts; write value,  | result, update
//!                        | may it be done?     | owner                         |
//! ```
//!
//! The sum is kept beside the two fields and grows with them, so that no addition stands after an addition; where a
//! field has wrapped, bit 64 of the sum flips. An operation after another one on the same counter takes its base from
//! stage 3: in stage 1 that of the operation two before it, in stage 2 that of the one right before it. So it is with
//! the owner, which is read in stage 0 and written in stage 2: what the two operations before it do to the owner of the
//! same counter counts already in stage 1.

use crate::bundle::PulseOut;
use crate::codes::counter_codes::{CounterChangeCodes, CounterOperationCodes, CounterStatusCodes};
use crate::leaf::{Delay, Ram, Reg};
use crate::triggers::counter_owners::CounterOwners;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// A counter's value.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Value {
    success: Bits<64>,
    failure: Bits<64>,
    /// success + failure.
    sum: Bits<65>,
}

/// Stage 1: an operation as it came.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Asked {
    valid: Bits<1>,
    code: Bits<3>,
    context: Bits<2>,
    /// Just one of the amounts is not 0.
    one_amount: Bits<1>,
    success: Bits<64>,
    failure: Bits<64>,
}

/// Stage 2: what is to be done.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Planned {
    valid: Bits<1>,
    /// The counter changes.
    changes: Bits<1>,
    /// It starts from 0.
    clears: Bits<1>,
    /// The amounts are added.
    adds: Bits<1>,
    /// The base is in stage 3.
    near: Bits<1>,
    /// The owner changes.
    owner: Bits<1>,
    status: Bits<3>,
    change: Bits<2>,
    context: Bits<2>,
}

/// Stage 3: what was done.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Done {
    changes: Bits<1>,
    /// The owner has changed.
    owner: Bits<1>,
    status: Bits<3>,
    change: Bits<2>,
    context: Bits<2>,
}

/// `2^A` counters; `N` = `2^A`.
#[block]
pub struct CounterBank<const A: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From all that count: there is an operation.
    pub operation_valid: Signal<In, Bit>,
    /// It is taken.
    pub operation_ready: Signal<Out, Bit>,
    /// What to do, [`counter_operation`](xtq_types::counter::counter_operation).
    pub operation_code: Signal<In, Bits<3>>,
    /// Context for which it is done.
    pub operation_context: Signal<In, Bits<2>>,
    /// Counter.
    pub operation_counter: Signal<In, Bits<A>>,
    /// COUNT, INC: what is added to success; SET: its new value; in bytes or messages.
    pub operation_success: Signal<In, Bits<64>>,
    /// COUNT, INC: what is added to failure; SET: its new value.
    pub operation_failure: Signal<In, Bits<64>>,

    /// How an operation ended, done or refused: [`counter_status`](xtq_types::counter::counter_status).
    pub result: PulseOut<Bits<3>>,
    /// Success after it; 0 if it was refused.
    pub result_success: Signal<Out, Bits<64>>,
    /// Failure after it; 0 if it was refused.
    pub result_failure: Signal<Out, Bits<64>>,

    /// To TriggerEngine: a counter has changed.
    pub update_valid: Signal<Out, Bit>,
    /// It is taken.
    pub update_ready: Signal<In, Bit>,
    /// Counter.
    pub update_counter: Signal<Out, Bits<A>>,
    /// Its owner.
    pub update_context: Signal<Out, Bits<2>>,
    /// What has changed, [`counter_change`](xtq_types::counter::counter_change).
    pub update_change: Signal<Out, Bits<2>>,
    /// success + failure.
    pub update_sum: Signal<Out, Bits<65>>,

    asked_q: Reg<Asked>,
    counter1_q: Reg<Bits<A>>,
    planned_q: Reg<Planned>,
    counter2_q: Reg<Bits<A>>,
    amount_q: Reg<Value>,
    base_q: Reg<Value>,
    done_q: Reg<Done>,
    counter3_q: Reg<Bits<A>>,
    value_q: Reg<Value>,
    tells_q: Delay<Bit>,
    allocated_q: Delay<Bit>,
    owner_q: Delay<Bits<2>>,
    values: Ram<Value, A>,
    owners: CounterOwners<A, N>,
    operations: CounterOperationCodes,
    statuses: CounterStatusCodes,
    changes: CounterChangeCodes,

    advance: Signal<Local, Bit>,
    code: Signal<Local, Bits<3>>,
    is_alloc: Signal<Local, Bit>,
    is_free: Signal<Local, Bit>,
    is_set: Signal<Local, Bit>,
    is_count: Signal<Local, Bit>,
    is_inc: Signal<Local, Bit>,
    address: Signal<Local, Bits<A>>,
    near: Signal<Local, Bit>,
    far: Signal<Local, Bit>,
    allocated: Signal<Local, Bit>,
    owner: Signal<Local, Bits<2>>,
    status: Signal<Local, Bits<3>>,
    good: Signal<Local, Bit>,
    asked: Signal<Local, Asked>,
    planned: Signal<Local, Planned>,
    amount: Signal<Local, Value>,
    base: Signal<Local, Value>,
    added: Signal<Local, Value>,
    success: Signal<Local, Bits<65>>,
    failure: Signal<Local, Bits<65>>,
    sum: Signal<Local, Bits<65>>,
    wrapped: Signal<Local, Bits<1>>,
    value: Signal<Local, Value>,
    done: Signal<Local, Done>,
}

#[kernel]
impl<const A: usize, const N: usize> Logic for CounterBank<A, N> {
    fn update(&mut self) {
        // Nothing moves while the trigger engine does not take a change.
        self.advance.next = (self.done_q.q.val().changes == 0) | self.update_ready.val();
        self.asked_q.en.next = self.advance.val();
        self.counter1_q.en.next = self.advance.val();
        self.planned_q.en.next = self.advance.val();
        self.counter2_q.en.next = self.advance.val();
        self.amount_q.en.next = self.advance.val();
        self.base_q.en.next = self.advance.val();
        self.done_q.en.next = self.advance.val();
        self.counter3_q.en.next = self.advance.val();
        self.value_q.en.next = self.advance.val();

        // Stage 0: take the operation, read the counter and its owner; while nothing moves, those of stage 1 are read
        // again.
        self.operation_ready.next = self.advance.val();
        self.asked.next.valid = self.operation_valid.val().into();
        self.asked.next.code = self.operation_code.val();
        self.asked.next.context = self.operation_context.val();
        self.asked.next.one_amount =
            (self.operation_success.val().any() ^ self.operation_failure.val().any()).into();
        self.asked.next.success = self.operation_success.val();
        self.asked.next.failure = self.operation_failure.val();
        self.asked_q.d.next = self.asked.val();
        self.counter1_q.d.next = self.operation_counter.val();
        self.address.next = self.counter1_q.q.val();
        if self.advance.val() {
            self.address.next = self.operation_counter.val();
        }
        self.values.read_addr.next = self.address.val();
        self.owners.counter.next = self.address.val();
        self.allocated_q.d.next = self.owners.allocated.val();
        self.owner_q.d.next = self.owners.owner.val();

        // Stage 1: may it be done?
        self.code.next = self.asked_q.q.val().code;
        self.is_alloc.next = self.code.val() == self.operations.alloc.val();
        self.is_free.next = self.code.val() == self.operations.free.val();
        self.is_set.next = self.code.val() == self.operations.set.val();
        self.is_count.next = self.code.val() == self.operations.count.val();
        self.is_inc.next = self.code.val() == self.operations.inc.val();
        self.near.next = self.counter2_q.q.val() == self.counter1_q.q.val();
        self.far.next = self.counter3_q.q.val() == self.counter1_q.q.val();
        // The owner, as the operations before this one leave it.
        self.allocated.next = self.allocated_q.q.val();
        self.owner.next = self.owner_q.q.val();
        if self.far.val() & (self.done_q.q.val().owner == 1) {
            self.allocated.next = self.done_q.q.val().change == self.changes.alloc.val();
            self.owner.next = self.done_q.q.val().context;
        }
        if self.near.val() & (self.planned_q.q.val().owner == 1) {
            self.allocated.next = self.planned_q.q.val().change == self.changes.alloc.val();
            self.owner.next = self.planned_q.q.val().context;
        }
        self.status.next = self.statuses.ok.val();
        if self.code.val() > self.operations.free.val() {
            self.status.next = self.statuses.argument_invalid.val();
        } else if self.is_alloc.val() {
            if self.allocated.val() {
                self.status.next = self.statuses.in_use.val();
            }
        } else if !self.allocated.val() {
            self.status.next = self.statuses.not_allocated.val();
        } else if self.owner.val() != self.asked_q.q.val().context {
            self.status.next = self.statuses.not_owner.val();
        } else if self.is_inc.val() & (self.asked_q.q.val().one_amount == 0) {
            self.status.next = self.statuses.argument_invalid.val();
        }
        self.good.next =
            (self.asked_q.q.val().valid == 1) & (self.status.val() == self.statuses.ok.val());

        self.planned.next.valid = self.asked_q.q.val().valid;
        self.planned.next.changes =
            (self.good.val() & (self.code.val() != self.operations.get.val())).into();
        self.planned.next.clears =
            (self.good.val() & (self.is_alloc.val() | self.is_set.val())).into();
        self.planned.next.adds = (self.good.val()
            & (self.is_count.val() | self.is_inc.val() | self.is_set.val()))
        .into();
        self.planned.next.near = self.near.val().into();
        self.planned.next.owner =
            (self.good.val() & (self.is_alloc.val() | self.is_free.val())).into();
        self.planned.next.status = self.status.val();
        self.planned.next.change = self.changes.value.val();
        if self.is_alloc.val() {
            self.planned.next.change = self.changes.alloc.val();
        }
        if self.is_free.val() {
            self.planned.next.change = self.changes.free.val();
        }
        self.planned.next.context = self.asked_q.q.val().context;
        self.planned_q.d.next = self.planned.val();
        self.counter2_q.d.next = self.counter1_q.q.val();
        self.amount.next.success = self.asked_q.q.val().success;
        self.amount.next.failure = self.asked_q.q.val().failure;
        self.amount.next.sum = bit_cast::<65, 64>(self.asked_q.q.val().success)
            + bit_cast::<65, 64>(self.asked_q.q.val().failure);
        self.amount_q.d.next = self.amount.val();
        self.base_q.d.next = self.values.read_data.val();
        if self.far.val() {
            self.base_q.d.next = self.value_q.q.val();
        }

        // Stage 2: the new value. Without an operation, or if it is refused, that is the old one.
        self.base.next = self.base_q.q.val();
        if self.planned_q.q.val().near == 1 {
            self.base.next = self.value_q.q.val();
        }
        if self.planned_q.q.val().clears == 1 {
            self.base.next.success = 0.into();
            self.base.next.failure = 0.into();
            self.base.next.sum = 0.into();
        }
        self.added.next.success = 0.into();
        self.added.next.failure = 0.into();
        self.added.next.sum = 0.into();
        if self.planned_q.q.val().adds == 1 {
            self.added.next = self.amount_q.q.val();
        }
        self.success.next = bit_cast::<65, 64>(self.base.val().success)
            + bit_cast::<65, 64>(self.added.val().success);
        self.failure.next = bit_cast::<65, 64>(self.base.val().failure)
            + bit_cast::<65, 64>(self.added.val().failure);
        self.sum.next = self.base.val().sum + self.added.val().sum;
        self.wrapped.next =
            self.success.val().get_bits::<1>(64) ^ self.failure.val().get_bits::<1>(64);
        self.value.next.success = self.success.val().get_bits::<64>(0);
        self.value.next.failure = self.failure.val().get_bits::<64>(0);
        self.value.next.sum = self.sum.val() ^ (bit_cast::<65, 1>(self.wrapped.val()) << 64);
        self.value_q.d.next = self.value.val();
        self.values.write_addr.next = self.counter2_q.q.val();
        self.values.write_data.next = self.value.val();
        self.values.write_en.next = (self.planned_q.q.val().changes == 1) & self.advance.val();
        self.owners.set.next = (self.planned_q.q.val().owner == 1) & self.advance.val();
        self.owners.set_counter.next = self.counter2_q.q.val();
        self.owners.set_context.next = self.planned_q.q.val().context;
        self.owners.set_allocated.next = self.planned_q.q.val().change == self.changes.alloc.val();
        self.counter3_q.d.next = self.counter2_q.q.val();
        self.done.next.changes = self.planned_q.q.val().changes;
        self.done.next.owner = self.planned_q.q.val().owner;
        self.done.next.status = self.planned_q.q.val().status;
        self.done.next.change = self.planned_q.q.val().change;
        self.done.next.context = self.planned_q.q.val().context;
        self.done_q.d.next = self.done.val();

        // Stage 3: the result is reported once, the change until it is taken.
        self.tells_q.d.next = (self.planned_q.q.val().valid == 1) & self.advance.val();
        self.result.valid.next = self.tells_q.q.val();
        self.result.data.next = self.done_q.q.val().status;
        self.result_success.next = 0.into();
        self.result_failure.next = 0.into();
        if self.done_q.q.val().status == self.statuses.ok.val() {
            self.result_success.next = self.value_q.q.val().success;
            self.result_failure.next = self.value_q.q.val().failure;
        }
        self.update_valid.next = self.done_q.q.val().changes == 1;
        self.update_counter.next = self.counter3_q.q.val();
        self.update_context.next = self.done_q.q.val().context;
        self.update_change.next = self.done_q.q.val().change;
        self.update_sum.next = self.value_q.q.val().sum;
    }
}
