//! Commands that send messages.

use xtq_types::command::operation;

use super::command::Command;
use super::ids::{Md, ProcessId, Pt};
use crate::tables::{AckRequest, AtomicOp, Datatype};

/// Arguments of [`ptl_put`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Put {
    /// Descriptor of the data.
    pub md: Md,
    /// First byte, as offset in the descriptor.
    pub local_offset: u64,
    /// Bytes.
    pub length: u64,
    /// Acknowledgement asked for.
    pub ack: AckRequest,
    /// Process that it goes to.
    pub target: ProcessId,
    /// Its portal entry.
    pub pt_index: Pt,
    /// Match bits.
    pub match_bits: u64,
    /// Offset in the matching entry, unless that keeps its own.
    pub remote_offset: u64,
    /// Returned in the events here.
    pub user_ptr: u64,
    /// Given to the target in its event.
    pub hdr_data: u64,
}

/// Arguments of [`ptl_get`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Get {
    /// Descriptor that the data go to.
    pub md: Md,
    /// Where the first byte goes, as offset in the descriptor.
    pub local_offset: u64,
    /// Bytes.
    pub length: u64,
    /// Process that is asked.
    pub target: ProcessId,
    /// Its portal entry.
    pub pt_index: Pt,
    /// Match bits.
    pub match_bits: u64,
    /// Offset in the matching entry, unless that keeps its own.
    pub remote_offset: u64,
    /// Returned in the events here.
    pub user_ptr: u64,
}

/// Arguments of [`ptl_atomic`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Atomic {
    /// As a put.
    pub put: Put,
    /// Operation.
    pub operation: AtomicOp,
    /// Datatype.
    pub datatype: Datatype,
}

/// Arguments of [`ptl_fetch_atomic`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FetchAtomic {
    /// Descriptor that the old values go to.
    pub get_md: Md,
    /// Where the first byte goes, as offset in that descriptor.
    pub local_get_offset: u64,
    /// As a put; there is always a reply, so `ack` has no meaning.
    pub put: Put,
    /// Operation.
    pub operation: AtomicOp,
    /// Datatype.
    pub datatype: Datatype,
}

/// Arguments of [`ptl_swap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swap {
    /// As a fetch.
    pub fetch: FetchAtomic,
    /// Operand of the conditional and the masked swap: one datum in the low bytes.
    pub operand: u64,
}

/// Arguments of [`xtq_put`]: the NIC gathers command and payload from two descriptors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct XtqPut {
    /// Descriptor of AQL packet and kernel arguments.
    pub command_md: Md,
    /// First byte of the packet, as offset in that descriptor.
    pub command_offset: u64,
    /// Bytes of packet and arguments: 64 and more.
    pub command_length: u16,
    /// The payload, and where all of it goes.
    pub payload: Put,
}

fn common(put: &Put) -> [(&'static str, u64); 9] {
    [
        ("user_pointer", put.user_ptr),
        ("ack_request", put.ack as u64),
        ("length", put.length),
        ("node", put.target.node.into()),
        ("context", put.target.context.into()),
        ("portal_index", put.pt_index.0.into()),
        ("match_bits", put.match_bits),
        ("remote_offset", put.remote_offset),
        ("ignore_bits", put.hdr_data),
    ]
}

/// `common` with the descriptor of what is sent.
fn send(put: &Put) -> Vec<(&'static str, u64)> {
    let source = [("descriptor", put.md.0.into()), ("start", put.local_offset)];
    [&common(put)[..], &source].concat()
}

fn atomic(put: &Put, operation: AtomicOp, datatype: Datatype) -> Vec<(&'static str, u64)> {
    let kind = [("atomic", operation as u64), ("datatype", datatype as u64)];
    [send(put), kind.to_vec()].concat()
}

fn fetch(fetch: &FetchAtomic) -> Vec<(&'static str, u64)> {
    let mut fields = atomic(&fetch.put, fetch.operation, fetch.datatype);
    fields.extend([
        ("ack_request", 0),
        ("second_descriptor", fetch.get_md.0.into()),
        ("second_start", fetch.local_get_offset),
    ]);
    fields
}

/// `PtlPut`: writes into a matching entry of another process.
///
/// ```
/// use xtq_testbench::host::{AckRequest, Md, ProcessId, Pt, Put, ptl_put};
///
/// let put = ptl_put(&Put {
///     md: Md(2),
///     local_offset: 128,
///     length: 4096,
///     ack: AckRequest::Ack,
///     target: ProcessId { node: 3, context: 1 },
///     pt_index: Pt(4),
///     match_bits: 0x1234,
///     ..Put::default()
/// });
/// assert_eq!((put.get("descriptor"), put.get("start"), put.get("length")), (2, 128, 4096));
/// assert_eq!((put.get("node"), put.get("context"), put.get("portal_index")), (3, 1, 4));
/// ```
pub fn ptl_put(put: &Put) -> Command {
    Command::new(operation::PUT, &send(put))
}

/// `PtlGet`: reads from a matching entry of another process.
///
/// ```
/// use xtq_testbench::host::{Get, Md, ptl_get};
///
/// let get = ptl_get(&Get { md: Md(1), local_offset: 64, length: 8, ..Get::default() });
/// assert_eq!((get.get("second_descriptor"), get.get("second_start"), get.get("length")), (1, 64, 8));
/// ```
pub fn ptl_get(get: &Get) -> Command {
    let fields = [
        ("user_pointer", get.user_ptr),
        ("second_descriptor", get.md.0.into()),
        ("second_start", get.local_offset),
        ("length", get.length),
        ("node", get.target.node.into()),
        ("context", get.target.context.into()),
        ("portal_index", get.pt_index.0.into()),
        ("match_bits", get.match_bits),
        ("remote_offset", get.remote_offset),
    ];
    Command::new(operation::GET, &fields)
}

/// `PtlAtomic`: combines data with what is in a matching entry of another process.
///
/// ```
/// use xtq_testbench::host::{Atomic, AtomicOp, Datatype, Put, ptl_atomic};
///
/// let put = Put { length: 8, ..Put::default() };
/// let sum = ptl_atomic(&Atomic { put, operation: AtomicOp::Sum, datatype: Datatype::Int64 });
/// assert_eq!((sum.get("atomic"), sum.get("datatype")), (2, 7));
/// ```
pub fn ptl_atomic(arguments: &Atomic) -> Command {
    let Atomic {
        put,
        operation: kind,
        datatype,
    } = arguments;
    Command::new(operation::ATOMIC, &atomic(put, *kind, *datatype))
}

/// `PtlFetchAtomic`: the same, and the old values come back.
///
/// ```
/// use xtq_testbench::host::{FetchAtomic, Md, Put, ptl_fetch_atomic};
///
/// let put = Put { md: Md(1), length: 8, ..Put::default() };
/// let fetch = ptl_fetch_atomic(&FetchAtomic { get_md: Md(2), local_get_offset: 16, put, ..FetchAtomic::default() });
/// assert_eq!((fetch.get("descriptor"), fetch.get("second_descriptor"), fetch.get("second_start")), (1, 2, 16));
/// ```
pub fn ptl_fetch_atomic(arguments: &FetchAtomic) -> Command {
    Command::new(operation::FETCH_ATOMIC, &fetch(arguments))
}

/// `PtlSwap`: puts data in the place of the old values, always or on a condition; the old values come back.
///
/// ```
/// use xtq_testbench::host::{AtomicOp, FetchAtomic, Swap, ptl_swap};
///
/// let fetch = FetchAtomic { operation: AtomicOp::Cswap, ..FetchAtomic::default() };
/// let swap = ptl_swap(&Swap { fetch, operand: 42 });
/// assert_eq!((swap.get("atomic"), swap.get("operand")), (11, 42));
/// ```
pub fn ptl_swap(arguments: &Swap) -> Command {
    let fields = [
        fetch(&arguments.fetch),
        vec![("operand", arguments.operand)],
    ];
    Command::new(operation::SWAP, &fields.concat())
}

/// `XtqPut`: a put that launches a task at the target. The message is \[AQL packet\]\[kernel arguments\]\[payload\].
///
/// ```
/// use xtq_testbench::host::{Md, Put, XtqPut, xtq_put};
///
/// let payload = Put { md: Md(1), length: 4096, ..Put::default() };
/// let task = xtq_put(&XtqPut { command_md: Md(0), command_offset: 0, command_length: 64 + 32, payload });
/// assert_eq!((task.get("command_length"), task.get("second_descriptor"), task.get("length")), (96, 1, 4096));
/// ```
pub fn xtq_put(put: &XtqPut) -> Command {
    let gathered = [
        ("descriptor", put.command_md.0.into()),
        ("start", put.command_offset),
        ("command_length", put.command_length.into()),
        ("second_descriptor", put.payload.md.0.into()),
        ("second_start", put.payload.local_offset),
    ];
    let fields = [&common(&put.payload)[..], &gathered].concat();
    Command::new(operation::XTQ_PUT, &fields)
}
