//! Counters and the operations that wait for them (Portals counting events and triggered operations): codes, and what
//! travels to and from them.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

codes! {
    /// What is done to a counter.
    pub mod counter_operation: u8 {
        /// Read both fields.
        GET = 0,
        /// Add to success and failure what a message counts: bytes, 1, or 0.
        COUNT = 1,
        /// `PtlCTInc`: add to success or to failure, exactly one of which is not 0.
        INC = 2,
        /// `PtlCTSet`: replace both fields.
        SET = 3,
        /// Take a counter that nobody has; both fields become 0.
        ALLOC = 4,
        /// Give the counter back.
        FREE = 5,
    }
}

codes! {
    /// What a change of a counter is for those who follow it.
    pub mod counter_change: u8 {
        /// It has another value.
        VALUE = 0,
        /// It has an owner and is 0.
        ALLOC = 1,
        /// It has no owner any more.
        FREE = 2,
    }
}

codes! {
    /// How an operation on a counter, or a request to the trigger engine, ends.
    pub mod counter_status: u8 {
        /// Done.
        OK = 0,
        /// Nobody has the counter.
        NOT_ALLOCATED = 1,
        /// Another context has it.
        NOT_OWNER = 2,
        /// The arguments are not allowed, or there is no such operation.
        ARGUMENT_INVALID = 3,
        /// The counter to be allocated is not free.
        IN_USE = 4,
        /// The store of triggered operations is full.
        NO_SPACE = 5,
    }
}

wire_struct! {
    /// Inside the trigger engine: the lowest threshold that is pending on a counter.
    pub struct Floor / FloorUnpack : 65 {
        /// Something is pending.
        some: 1,
        /// The lowest threshold, if `some`.
        threshold: 64,
    }
}

wire_struct! {
    /// Inside the trigger engine: how an operation waits that waits again, beside its counter.
    pub struct Rearm / RearmUnpack : 114 {
        /// Context.
        context: 2,
        /// At what it has fired last, or will.
        threshold: 64,
        /// Added to the threshold each time that the command has left.
        period: 16,
        /// The last ALLOC or cancellation of its counter, when it was posted.
        generation: 32,
    }
}

wire_struct! {
    /// To the counter unit: what a message counts.
    pub struct CounterCount / CounterCountUnpack : 138 {
        /// Context.
        context: 2,
        /// Number of the counter among those of the context.
        counter: 8,
        /// Added to success.
        success: 64,
        /// Added to failure.
        failure: 64,
    }
}

wire_struct! {
    /// Command stage to counter unit: an operation of [`counter_operation`](counter_operation).
    pub struct CounterAct / CounterActUnpack : 141 {
        /// Operation.
        code: 3,
        /// Context.
        context: 2,
        /// Number of the counter among those of the context.
        counter: 8,
        /// Success.
        success: 64,
        /// Failure.
        failure: 64,
    }
}

wire_struct! {
    /// Counter unit to command stage.
    pub struct CounterAnswer / CounterAnswerUnpack : 131 {
        /// See [`counter_status`](counter_status).
        status: 3,
        /// Success after the operation.
        success: 64,
        /// Failure after the operation.
        failure: 64,
    }
}

wire_struct! {
    /// Command stage to counter unit: a command that waits, or the cancellation of all that wait.
    pub struct TriggerRequest / TriggerRequestUnpack : 1115 {
        /// Remove all that is pending on the counter.
        cancel: 1,
        /// Context.
        context: 2,
        /// Number of the counter among those of the context.
        counter: 8,
        /// Success + failure at which it fires.
        threshold: 64,
        /// Added to the threshold each time that the command has left; 0: it waits once.
        period: 16,
        /// The command, without the flags that it waits.
        command: 1024,
    }
}

wire_struct! {
    /// Counter unit to command stage: a command that has fired.
    pub struct FiredCommand / FiredCommandUnpack : 1027 {
        /// Context that posted it.
        context: 2,
        /// The command.
        command: 1024,
        /// It will wait again.
        rearms: 1,
    }
}
