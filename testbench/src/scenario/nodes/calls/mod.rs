//! The calls of a program as they are written: each has the name and the arguments of the [host library](crate::host)'s
//! function.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::host::{self, Command};

/// A table of a call.
macro_rules! call {
    ($(#[$doc:meta])* $name:ident { $($(#[$key_doc:meta])* $key:ident: $kind:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name { $($(#[$key_doc])* pub $key: $kind,)* }
    };
}

/// A table of a call that sends a message: what all have, and more.
macro_rules! send {
    ($(#[$doc:meta])* $name:ident { $($(#[$key_doc:meta])* $key:ident: $kind:ty,)* }) => {
        call! {
            $(#[$doc])*
            $name {
                $($(#[$key_doc])* $key: $kind,)*
                /// Memory descriptor of the data.
                md: String,
                /// First byte, as offset in the descriptor.
                #[serde(default)]
                local_offset: u64,
                /// Bytes.
                length: u64,
                /// `"none"`, `"ack"`, `"ct"` or `"oc"`.
                #[serde(default)]
                ack: AckRequest,
                /// Process that it goes to.
                target: String,
                /// Portal entry of that process.
                pt: String,
                /// Match bits.
                #[serde(default)]
                match_bits: u64,
                /// Offset in the matching entry, unless that keeps its own.
                #[serde(default)]
                remote_offset: u64,
                /// Given to the target in its event.
                #[serde(default)]
                hdr_data: u64,
            }
        }
    };
}

mod atomics;
mod counters;
mod matching;
mod objects;
mod tasks;
mod transfer;
mod waits;

pub use atomics::{Atomic, FetchAtomic, OpName, Swap, TypeName};
pub use counters::{CtAlloc, CtCancel, CtFree, CtGet, CtInc, CtSet, CtWait};
pub use matching::{ListName, MeAppend, MeOption, MeSearch, MeUnlink, SearchName};
pub use objects::{MdBind, MdOption, MdRelease, PtAlloc, PtDisable, PtEnable, PtFree};
pub use tasks::{RegisterFunction, RegisterKernel, RegisterQueue};
pub use transfer::{Get, Put, XtqPut};
pub use waits::{
    Barrier, Delay, ExpectMemory, KindName, WaitEvent, WaitMemory, WaitSignal, WriteMemory,
};

/// The steps of a program: one key for each call, of which a step has exactly one. The macro also lists them
/// ([`Step::call`]).
macro_rules! steps {
    ({ $($(#[$doc:meta])* $key:ident: $kind:ident,)* } $($(#[$plain_doc:meta])* $plain:ident,)*) => {
        /// A step of a program: exactly one call, and what goes with it.
        #[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct Step {
            /// Name in the report, and for `wait_event`; no other step of the program has it.
            pub name: Option<String>,
            /// Makes a call of the NIC the triggered one (`PtlTriggeredPut` and so on): it waits in the NIC for a
            /// counter.
            pub trigger: Option<Trigger>,
            /// A call of the NIC says by an event that it has ended; without, there is one only if it fails.
            pub completion: bool,
            /// User pointer of a call of the NIC, which its events carry, below 2^63; left out: the number of the step,
            /// from 1. `wait_event` does not distinguish steps that have the same.
            pub user_ptr: Option<u64>,
            $($(#[$doc])* pub $key: Option<$kind>,)*
            $($(#[$plain_doc])* pub $plain: Option<NoArguments>,)*
        }

        /// What a step does.
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)] // the keys of `Step` say it
        pub enum Call<'a> {
            $($kind(&'a $kind),)*
            /// A command without operands.
            Plain(fn() -> Command),
        }

        impl Step {
            /// The calls that the step has, with their names: one, if it is right.
            pub fn calls(&self) -> Vec<(&'static str, Call<'_>)> {
                let mut calls = Vec::new();
                $(if let Some(call) = &self.$key {
                    calls.push((stringify!($key), Call::$kind(call)));
                })*
                $(if self.$plain.is_some() {
                    calls.push((stringify!($plain), Call::Plain(host::$plain)));
                })*
                calls
            }

            /// The names of all calls.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($key),)* $(stringify!($plain)),*];
        }
    };
}

host::with_plain_commands! { steps {
    /// Makes a portal entry with lists.
    ptl_pt_alloc: PtAlloc,
    /// Gives a portal entry back.
    ptl_pt_free: PtFree,
    /// Lets a portal entry take messages (again).
    ptl_pt_enable: PtEnable,
    /// Stops a portal entry.
    ptl_pt_disable: PtDisable,
    /// Makes a memory descriptor.
    ptl_md_bind: MdBind,
    /// Gives a memory descriptor up.
    ptl_md_release: MdRelease,
    /// Appends a match entry to a list of a portal entry.
    ptl_me_append: MeAppend,
    /// Removes a match entry.
    ptl_me_unlink: MeUnlink,
    /// Looks for unexpected messages.
    ptl_me_search: MeSearch,
    /// Makes a counter; it is 0.
    ptl_ct_alloc: CtAlloc,
    /// Gives a counter back; what waits for it is removed.
    ptl_ct_free: CtFree,
    /// Adds to a counter.
    ptl_ct_inc: CtInc,
    /// Sets a counter.
    ptl_ct_set: CtSet,
    /// Removes everything that waits for a counter.
    ptl_ct_cancel_triggered: CtCancel,
    /// Reads a counter, and checks what is given of it.
    ptl_ct_get: CtGet,
    /// Waits until success + failure of a counter is at least the threshold; a failure is a fault. (A triggered `nop`
    /// with an event, then `ptl_ct_get`.)
    ptl_ct_wait: CtWait,
    /// Writes into a matching entry of another process.
    ptl_put: Put,
    /// Reads from a matching entry of another process.
    ptl_get: Get,
    /// Combines data with what is in a matching entry of another process.
    ptl_atomic: Atomic,
    /// The same, and the old values come back.
    ptl_fetch_atomic: FetchAtomic,
    /// Puts data in the place of the old values, which come back.
    ptl_swap: Swap,
    /// A put that launches a task at the target.
    xtq_put: XtqPut,
    /// Messages that name the index launch this kernel.
    xtq_register_kernel: RegisterKernel,
    /// Messages that name the index call this function.
    xtq_register_function: RegisterFunction,
    /// Messages that name the index go to this queue.
    xtq_register_queue: RegisterQueue,
    /// Waits for an event, takes it and leaves the others, and checks what is given of it.
    wait_event: WaitEvent,
    /// Waits until a signal has a value.
    wait_signal: WaitSignal,
    /// Waits until memory holds these bytes.
    wait_memory: WaitMemory,
    /// Writes memory.
    write_memory: WriteMemory,
    /// Checks that memory holds these bytes.
    expect_memory: ExpectMemory,
    /// Waits until all processes whose programs have this barrier have reached it.
    barrier: Barrier,
    /// Waits so many cycles.
    delay: Delay,
} }

call! {
    /// Arguments of a command without operands: none.
    NoArguments {}
}

impl Call<'_> {
    /// Whether it is a command for the NIC: it can be triggered, and events report it by its user pointer.
    pub fn is_command(&self) -> bool {
        match self {
            Call::CtGet(_)
            | Call::CtWait(_)
            | Call::WaitEvent(_)
            | Call::WaitSignal(_)
            | Call::WaitMemory(_)
            | Call::WriteMemory(_)
            | Call::ExpectMemory(_)
            | Call::Barrier(_)
            | Call::Delay(_) => false,
            Call::PtAlloc(_)
            | Call::PtFree(_)
            | Call::PtEnable(_)
            | Call::PtDisable(_)
            | Call::MdBind(_)
            | Call::MdRelease(_)
            | Call::MeAppend(_)
            | Call::MeUnlink(_)
            | Call::MeSearch(_)
            | Call::CtAlloc(_)
            | Call::CtFree(_)
            | Call::CtInc(_)
            | Call::CtSet(_)
            | Call::CtCancel(_)
            | Call::Put(_)
            | Call::Get(_)
            | Call::Atomic(_)
            | Call::FetchAtomic(_)
            | Call::Swap(_)
            | Call::XtqPut(_)
            | Call::RegisterKernel(_)
            | Call::RegisterFunction(_)
            | Call::RegisterQueue(_)
            | Call::Plain(_) => true,
        }
    }
}

call! {
    /// When a triggered call is done: as soon as success + failure of a counter is at least the threshold.
    Trigger {
        /// Counter.
        ct: String,
        /// Threshold; with `every` below 2^48.
        threshold: u64,
        /// It is done again each time that the counter is higher by so much, 1 to 65535, than it had to be last.
        /// Without, it is done once.
        every: Option<u16>,
    }
}
