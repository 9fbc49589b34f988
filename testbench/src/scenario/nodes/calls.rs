//! The calls of a program as they are written: each has the name and the arguments of the [host library](crate::host)'s function.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::scenario::message::AckRequest;
use crate::scenario::values::Data;

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

/// The steps of a program: one key for each call, of which a step has exactly one. The macro also lists them ([`Step::call`]).
macro_rules! steps {
    ($($(#[$doc:meta])* $key:ident: $kind:ident,)*) => {
        /// A step of a program: exactly one call, and what goes with it.
        #[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct Step {
            /// Name in the report, and for `wait_event`; no other step of the program has it.
            pub name: Option<String>,
            /// Makes a call of the NIC the triggered one (`PtlTriggeredPut` and so on): it waits in the NIC for a counter.
            pub trigger: Option<Trigger>,
            /// A call of the NIC tells by an event that it has ended; without, there is one only if it fails.
            pub completion: bool,
            /// User pointer of a call of the NIC, which its events carry; left out: the number of the step, from 1.
            pub user_ptr: Option<u64>,
            $($(#[$doc])* pub $key: Option<$kind>,)*
        }

        /// What a step does.
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)] // the keys of `Step` say it
        pub enum Call<'a> {
            $($kind(&'a $kind),)*
        }

        impl Step {
            /// The calls that the step has, with their names: one, if it is right.
            pub fn calls(&self) -> Vec<(&'static str, Call<'_>)> {
                let mut calls = Vec::new();
                $(if let Some(call) = &self.$key {
                    calls.push((stringify!($key), Call::$kind(call)));
                })*
                calls
            }

            /// The names of all calls.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($key)),*];
        }
    };
}

steps! {
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
    /// Waits until success + failure of a counter is at least the threshold; a failure is a fault. (A triggered `nop` with an event, then `ptl_ct_get`.)
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
    /// Ends when all messages of the commands before it are answered.
    fence: Fence,
    /// Does nothing.
    nop: Nop,
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
}

call! {
    /// When a triggered call is done: as soon as success + failure of a counter is at least the threshold.
    Trigger {
        /// Counter.
        ct: String,
        /// Threshold.
        threshold: u64,
    }
}

call! {
    /// Arguments of `ptl_pt_alloc`.
    PtAlloc {
        /// Its name.
        pt: String,
        /// A message that finds no room disables the entry, and is not lost but refused.
        #[serde(default)]
        flow_control: bool,
    }
}

call! {
    /// Arguments of `ptl_pt_free`.
    PtFree {
        /// Portal entry.
        pt: String,
    }
}

call! {
    /// Arguments of `ptl_pt_enable`.
    PtEnable {
        /// Portal entry.
        pt: String,
    }
}

call! {
    /// Arguments of `ptl_pt_disable`.
    PtDisable {
        /// Portal entry.
        pt: String,
    }
}

/// An option of a memory descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MdOption {
    /// Posts events.
    Events,
    /// The counter counts sent messages.
    CtSend,
    /// The counter counts acknowledgements.
    CtAck,
    /// The counter counts replies.
    CtReply,
    /// The counter counts bytes, not messages.
    CtBytes,
    /// No events of what succeeded.
    SuccessDisable,
    /// No `send` events of what succeeded.
    SendDisable,
}

call! {
    /// Arguments of `ptl_md_bind`.
    MdBind {
        /// Its name.
        md: String,
        /// Address of its first byte.
        start: u64,
        /// Bytes.
        length: u64,
        /// Options.
        #[serde(default)]
        options: Vec<MdOption>,
        /// Counter that counts what the options say.
        #[serde(default)]
        ct: Option<String>,
    }
}

call! {
    /// Arguments of `ptl_md_release`.
    MdRelease {
        /// Memory descriptor.
        md: String,
    }
}

/// List of a portal entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListName {
    /// Searched first.
    #[default]
    Priority,
    /// Searched behind the priority list; its messages are unexpected.
    Overflow,
}

/// An option of a match entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeOption {
    /// Takes puts and atomics.
    OpPut,
    /// Takes gets and atomics that fetch.
    OpGet,
    /// Unlinked after one message.
    UseOnce,
    /// Sends no acknowledgements.
    AckDisable,
    /// Messages that it takes from the overflow list leave no header.
    UnexpectedHdrDisable,
    /// No `link` event.
    LinkDisable,
    /// No events of messages.
    CommDisable,
    /// No events of flow control.
    FlowctrlDisable,
    /// No events of what succeeded.
    SuccessDisable,
    /// No events of unexpected messages.
    OverDisable,
    /// No `auto_unlink` and `auto_free` events.
    UnlinkDisable,
    /// The counter counts messages.
    CtComm,
    /// The counter counts unexpected messages.
    CtOverflow,
    /// The counter counts bytes, not messages.
    CtBytes,
    /// Keeps its own offset: message behind message.
    ManageLocal,
    /// Does not match what is longer than it has room.
    NoTruncate,
}

call! {
    /// Arguments of `ptl_me_append`.
    MeAppend {
        /// Its name.
        me: String,
        /// Portal entry.
        pt: String,
        /// List.
        #[serde(default)]
        list: ListName,
        /// Address of the buffer.
        start: u64,
        /// Bytes of the buffer.
        length: u64,
        /// Options.
        options: Vec<MeOption>,
        /// Counter that counts what the options say.
        #[serde(default)]
        ct: Option<String>,
        /// User that may use it; left out: all.
        #[serde(default)]
        user_id: Option<u32>,
        /// Process whose messages match; left out: all.
        #[serde(default)]
        source: Option<String>,
        /// Bits that a message's match bits are compared with.
        #[serde(default)]
        match_bits: u64,
        /// Bits that are not compared.
        #[serde(default)]
        ignore_bits: u64,
        /// With `manage_local`: unlinked when fewer bytes are left; 0: never.
        #[serde(default)]
        min_free: u64,
    }
}

call! {
    /// Arguments of `ptl_me_unlink`.
    MeUnlink {
        /// Match entry.
        me: String,
    }
}

/// What a search does with what it finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchName {
    /// Leaves it.
    #[default]
    Only,
    /// Takes it.
    Delete,
}

call! {
    /// Arguments of `ptl_me_search`.
    MeSearch {
        /// Portal entry.
        pt: String,
        /// `"only"` or `"delete"`.
        #[serde(default)]
        search: SearchName,
        /// Options: `op_put` or `op_get`, `use_once` for one message only.
        options: Vec<MeOption>,
        /// User whose messages are looked for; left out: all.
        #[serde(default)]
        user_id: Option<u32>,
        /// Process whose messages are looked for; left out: all.
        #[serde(default)]
        source: Option<String>,
        /// Match bits.
        #[serde(default)]
        match_bits: u64,
        /// Bits that are not compared.
        #[serde(default)]
        ignore_bits: u64,
    }
}

call! {
    /// Arguments of `ptl_ct_alloc`.
    CtAlloc {
        /// Its name.
        ct: String,
    }
}

call! {
    /// Arguments of `ptl_ct_free`.
    CtFree {
        /// Counter.
        ct: String,
    }
}

call! {
    /// Arguments of `ptl_ct_inc`; only one of the numbers may be other than 0.
    CtInc {
        /// Counter.
        ct: String,
        /// Successes more.
        #[serde(default)]
        success: u64,
        /// Failures more.
        #[serde(default)]
        failure: u64,
    }
}

call! {
    /// Arguments of `ptl_ct_set`.
    CtSet {
        /// Counter.
        ct: String,
        /// Successes.
        #[serde(default)]
        success: u64,
        /// Failures.
        #[serde(default)]
        failure: u64,
    }
}

call! {
    /// Arguments of `ptl_ct_cancel_triggered`.
    CtCancel {
        /// Counter.
        ct: String,
    }
}

call! {
    /// Arguments of `ptl_ct_get`.
    CtGet {
        /// Counter.
        ct: String,
        /// Expected successes; left out: any.
        #[serde(default)]
        success: Option<u64>,
        /// Expected failures; left out: any.
        #[serde(default)]
        failure: Option<u64>,
    }
}

call! {
    /// Arguments of `ptl_ct_wait`.
    CtWait {
        /// Counter.
        ct: String,
        /// Threshold.
        threshold: u64,
    }
}

send! {
    /// Arguments of `ptl_put`.
    Put {}
}

call! {
    /// Arguments of `ptl_get`.
    Get {
        /// Memory descriptor that the data go to.
        md: String,
        /// Where the first byte goes, as offset in the descriptor.
        #[serde(default)]
        local_offset: u64,
        /// Bytes.
        length: u64,
        /// Process that is asked.
        target: String,
        /// Portal entry of that process.
        pt: String,
        /// Match bits.
        #[serde(default)]
        match_bits: u64,
        /// Offset in the matching entry, unless that keeps its own.
        #[serde(default)]
        remote_offset: u64,
    }
}

/// Atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the names say it
pub enum OpName {
    Min,
    Max,
    Sum,
    Prod,
    Lor,
    Land,
    Bor,
    Band,
    Lxor,
    Bxor,
    Swap,
    Cswap,
    CswapNe,
    CswapLe,
    CswapLt,
    CswapGe,
    CswapGt,
    Mswap,
}

/// Datatype of an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the names say it
pub enum TypeName {
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Float,
    Int64,
    Uint64,
    Double,
    FloatComplex,
    DoubleComplex,
}

send! {
    /// Arguments of `ptl_atomic`.
    Atomic {
        /// Operation.
        operation: OpName,
        /// Datatype.
        datatype: TypeName,
    }
}

send! {
    /// Arguments of `ptl_fetch_atomic`; there is always a reply, so `ack` has no meaning.
    FetchAtomic {
        /// Memory descriptor that the old values go to.
        get_md: String,
        /// Where the first byte goes, as offset in that descriptor.
        #[serde(default)]
        local_get_offset: u64,
        /// Operation.
        operation: OpName,
        /// Datatype.
        datatype: TypeName,
    }
}

send! {
    /// Arguments of `ptl_swap`; there is always a reply, so `ack` has no meaning.
    Swap {
        /// Memory descriptor that the old values go to.
        get_md: String,
        /// Where the first byte goes, as offset in that descriptor.
        #[serde(default)]
        local_get_offset: u64,
        /// Operation.
        operation: OpName,
        /// Datatype.
        datatype: TypeName,
        /// Operand of the conditional and the masked swap.
        #[serde(default)]
        operand: u64,
    }
}

send! {
    /// Arguments of `xtq_put`; `md`, `local_offset` and `length` are the payload's.
    XtqPut {
        /// Memory descriptor of AQL packet and kernel arguments.
        command_md: String,
        /// First byte of the packet, as offset in that descriptor.
        #[serde(default)]
        command_offset: u64,
        /// Bytes of packet and arguments: 64 and more.
        command_length: u16,
    }
}

call! {
    /// Arguments of `xtq_register_kernel`.
    RegisterKernel {
        /// Index in the kernel table.
        index: u16,
        /// Handle of the kernel's code, the new `kernel_object`.
        kernel: u64,
        /// Bytes of arguments; with less than 16 they are left alone.
        #[serde(default)]
        kernarg_size: u32,
        /// Offset of the two rewritten arguments, a multiple of 8.
        #[serde(default)]
        rewrite_offset: u32,
        /// Target buffer, the new first argument; 0: the argument stays as sent.
        #[serde(default)]
        buffer_pointer: u64,
        /// Signal of the process for the packet; left out: the sender's stays.
        #[serde(default)]
        completion_signal: Option<String>,
    }
}

call! {
    /// Arguments of `xtq_register_function`.
    RegisterFunction {
        /// Index in the function table.
        index: u16,
        /// Address of the function, the new `return_address`.
        function: u64,
        /// Target buffer, the new `arg0`; 0: it stays as sent.
        #[serde(default)]
        buffer_pointer: u64,
    }
}

call! {
    /// Arguments of `xtq_register_queue`.
    RegisterQueue {
        /// Index in the queue table.
        index: u16,
        /// Queue of the process.
        queue: String,
    }
}

call! {
    /// `fence` has no arguments.
    Fence {}
}

call! {
    /// `nop` has no arguments.
    Nop {}
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KindName {
    /// Target: a get was answered.
    Get,
    /// Append: a get that came before the entry.
    GetOverflow,
    /// Target: a put was delivered or failed.
    Put,
    /// Append: a put that came before the entry.
    PutOverflow,
    /// Target: an atomic was performed.
    Atomic,
    /// Append: an atomic that came before the entry.
    AtomicOverflow,
    /// Target: a fetch or swap was performed.
    FetchAtomic,
    /// Append: a fetch or swap that came before the entry.
    FetchAtomicOverflow,
    /// Initiator: the reply has come.
    Reply,
    /// Initiator: the message is with the link.
    Send,
    /// Initiator: the acknowledgement has come.
    Ack,
    /// Flow control disabled a portal entry.
    PtDisabled,
    /// An entry is in its list.
    Link,
    /// An entry has unlinked itself.
    AutoUnlink,
    /// Nothing refers to the buffer of an entry that has unlinked itself any more.
    AutoFree,
    /// A search found something, or nothing.
    Search,
    /// Target: an XTQ put was enqueued or refused.
    XtqPut,
    /// A command has ended.
    Command,
}

call! {
    /// Arguments of `wait_event`: `kind` and `of` say which, the other keys what is expected of it.
    WaitEvent {
        /// What happened.
        kind: KindName,
        /// Step of this program that it is about (by user pointer); left out: any.
        #[serde(default)]
        of: Option<String>,
        /// Expected outcome; left out: `ok`.
        #[serde(default)]
        status: Option<String>,
        /// Expected bytes moved.
        #[serde(default)]
        length: Option<u64>,
        /// Target: the process that it is expected from.
        #[serde(default)]
        from: Option<String>,
        /// Expected match bits.
        #[serde(default)]
        match_bits: Option<u64>,
        /// Expected header data.
        #[serde(default)]
        hdr_data: Option<u64>,
        /// Expected address where the message landed.
        #[serde(default)]
        start: Option<u64>,
    }
}

call! {
    /// Arguments of `wait_signal`.
    WaitSignal {
        /// Signal of the process.
        signal: String,
        /// Value.
        #[serde(default)]
        value: i64,
    }
}

call! {
    /// Arguments of `wait_memory`.
    WaitMemory {
        /// Address of the first byte.
        address: u64,
        /// The bytes.
        bytes: Data,
    }
}

call! {
    /// Arguments of `write_memory`.
    WriteMemory {
        /// Address of the first byte.
        address: u64,
        /// The bytes.
        bytes: Data,
    }
}

call! {
    /// Arguments of `expect_memory`.
    ExpectMemory {
        /// Address of the first byte.
        address: u64,
        /// The bytes.
        bytes: Data,
    }
}

call! {
    /// Arguments of `barrier`.
    Barrier {
        /// Its name; a program has it once.
        name: String,
    }
}

call! {
    /// Arguments of `delay`.
    Delay {
        /// Cycles.
        cycles: u64,
    }
}
