//! Random programs: what the hosts of two nodes call, and what comes to them from outside.
//!
//! Few values of everything, so that much meets: three match bits, four counters, four portal entries.

use crate::tasks;
use proptest::prelude::*;
use std::collections::BTreeMap;
use xtq_testbench::cases::NotRun;
use xtq_testbench::cases::portals::{MD_EVENTS, PORTAL_EVENTS, PortalsNodes};
use xtq_testbench::cases::rtl::built;
use xtq_testbench::portals::{
    AckRequest, AtomicOp, Command, Counter, CounterId, Datatype, EntryId, Limits, List, MatchEntry,
    MdId, MdOption, MdOptions, MeOption, MeOptions, MemoryDescriptor, NodeConfig, Operation, Place,
    Portal, PortalOptions, Rank, Request, RequestKind, SearchKind, Transfer, Trigger,
};

/// Nodes, of rank 0 and 1.
pub const NODES: u32 = 2;
/// Bytes of memory of a node.
pub const MEMORY: usize = tasks::END as usize;
/// Where the lists of pieces begin, behind all other buffers: for match entries, then for descriptors, a number of each.
pub const LISTS: u64 = 0x4000;
/// Lists of each kind.
const LISTS_OF_A_KIND: u64 = 4;
/// Bytes of all lists.
pub const LISTS_BYTES: u64 = 2 * LISTS_OF_A_KIND * LIST_BYTES;
/// Bytes of a list, and pieces.
const LIST_BYTES: u64 = 0x100;
const MOST_PIECES: u64 = LIST_BYTES / 16;
/// Where there is no memory, far from its end: of a message that lands half inside it the hardware writes the half, the model nothing.
pub const NOWHERE: u64 = 0x10_0000;
/// Whether descriptors may lie where there is no memory. They may not: the hardware has sent a header beat before it knows (docs/initiator.md), the
/// model sends nothing.
const UNREADABLE_DESCRIPTORS: bool = false;
/// Bytes of the longest datum.
const ALIGNED: u64 = 8;

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Few entries and unexpected headers.
    pub scarce: bool,
    /// Entries may have ACK_DISABLE.
    pub ack_disable: bool,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub enum Step {
    Call(u32, Call),
    Triggered(u32, u32, u64, Call),
    /// A request from outside; its data are as long as it says.
    Arrive(Request),
    /// All that is in a queue has been consumed: of a node, the number of the queue.
    Consume(u32, u16),
    Deliver,
}

impl Step {
    /// The same step in a program whose atomics are all done: addresses, offsets and lengths are multiples of [`ALIGNED`], and no entry keeps its own offset.
    fn aligned(self) -> Self {
        let down = |number: u64| number / ALIGNED * ALIGNED;
        let list = |me: &MatchEntry| me.options.has(MeOption::Iovec);
        let entry = |me: MatchEntry| MatchEntry {
            start: down(me.start),
            length: if list(&me) {
                me.length
            } else {
                down(me.length)
            },
            // The offset that it keeps would be one behind data of one byte.
            options: MeOptions(me.options.0 & !(1 << MeOption::ManageLocal as u32)),
            ..me
        };
        let call = |call| match call {
            Call::Append(portal, list, me) => Call::Append(portal, list, entry(me)),
            Call::Transfer(transfer) => {
                let plain = transfer.kind.operation().is_none();
                Call::Transfer(Transfer {
                    roffset: down(transfer.roffset),
                    length: if plain {
                        down(transfer.length)
                    } else {
                        transfer.length
                    },
                    ..transfer
                })
            }
            other => other,
        };
        match self {
            Self::Call(node, one) => Self::Call(node, call(one)),
            Self::Triggered(node, counter, threshold, one) => {
                Self::Triggered(node, counter, threshold, call(one))
            }
            Self::Arrive(request) => {
                let length = match request.kind.operation() {
                    None => down(request.rlength),
                    Some(_) => request.rlength,
                };
                let mut data = request.data;
                data.truncate(length as usize);
                Self::Arrive(Request {
                    roffset: down(request.roffset),
                    rlength: length,
                    data,
                    ..request
                })
            }
            other => other,
        }
    }

    /// The same step in a program without atomics: puts in their place.
    fn without_atomics(self) -> Self {
        let plain = |kind: RequestKind| match kind.operation() {
            Some(_) => RequestKind::Put,
            None => kind,
        };
        let call = |call| match call {
            Call::Transfer(transfer) => {
                let kind = plain(transfer.kind);
                let into = transfer.into.filter(|_| kind.wants_data());
                Call::Transfer(Transfer {
                    kind,
                    into,
                    operand: Vec::new(),
                    ..transfer
                })
            }
            other => other,
        };
        match self {
            Self::Call(node, one) => Self::Call(node, call(one)),
            Self::Triggered(node, counter, threshold, one) => {
                Self::Triggered(node, counter, threshold, call(one))
            }
            Self::Arrive(request) => Self::Arrive(Request {
                kind: plain(request.kind),
                operand: Vec::new(),
                ..request
            }),
            other => other,
        }
    }
}

/// What a host calls. Entries have no number yet.
#[derive(Clone, Debug)]
pub enum Call {
    Append(u32, List, MatchEntry),
    /// The entry that was appended so many appends ago.
    Unlink(usize),
    Search(u32, SearchKind, MatchEntry),
    Transfer(Transfer),
    Release(u32),
    Bind(u32, MemoryDescriptor),
    /// What needs no more.
    Plain(Command),
}

/// Atomics that the hardware has, 164 pairs of operation and datatype, and those that Portals has not.
fn atomics(exist: bool) -> Vec<RequestKind> {
    let mut all = Vec::new();
    for op in OPERATIONS {
        for datatype in DATATYPES {
            let operation = Operation { op, datatype };
            let kinds = [
                RequestKind::Atomic(operation),
                RequestKind::Fetch(operation),
                RequestKind::Swap(operation),
            ];
            all.extend(kinds.into_iter().filter(|kind| {
                let swap = matches!(kind, RequestKind::Swap(_));
                built(*kind).is_ok() && operation.check(swap).is_ok() == exist
            }));
        }
    }
    all
}

const OPERATIONS: [AtomicOp; 18] = [
    AtomicOp::Min,
    AtomicOp::Max,
    AtomicOp::Sum,
    AtomicOp::Prod,
    AtomicOp::Lor,
    AtomicOp::Land,
    AtomicOp::Bor,
    AtomicOp::Band,
    AtomicOp::Lxor,
    AtomicOp::Bxor,
    AtomicOp::Swap,
    AtomicOp::Cswap,
    AtomicOp::CswapNe,
    AtomicOp::CswapLe,
    AtomicOp::CswapLt,
    AtomicOp::CswapGe,
    AtomicOp::CswapGt,
    AtomicOp::Mswap,
];

const DATATYPES: [Datatype; 10] = [
    Datatype::Int8,
    Datatype::Uint8,
    Datatype::Int16,
    Datatype::Uint16,
    Datatype::Int32,
    Datatype::Uint32,
    Datatype::Float,
    Datatype::Int64,
    Datatype::Uint64,
    Datatype::Double,
];

/// The kind of a message; from outside come only those that exist.
fn kind(called: bool) -> impl Strategy<Value = RequestKind> {
    prop_oneof![
        6 => Just(RequestKind::Put),
        4 => Just(RequestKind::Get),
        10 => prop::sample::select(atomics(true)),
        1 => prop::sample::select(atomics(!called)),
    ]
}

fn options() -> impl Strategy<Value = MeOptions> {
    // All but IOVEC, which comes with a list.
    let any = (0..1u32 << 20).prop_map(|bits| bits & !1);
    let sparse = (any.clone(), any.clone()).prop_map(|(one, other)| one & other);
    let allowed = prop_oneof![
        12 => Just(1 << MeOption::OpPut as u32 | 1 << MeOption::OpGet as u32),
        1 => Just(1 << MeOption::OpPut as u32),
        1 => Just(0u32),
    ];
    let usual = [
        0,
        1 << MeOption::UseOnce as u32,
        1 << MeOption::ManageLocal as u32,
        1 << MeOption::CtComm as u32,
        1 << MeOption::CtOverflow as u32 | 1 << MeOption::CtComm as u32,
        1 << MeOption::CtComm as u32 | 1 << MeOption::CtBytes as u32,
    ];
    let usual = prop::collection::vec(prop::sample::select(usual.to_vec()), 0..3);
    let usual = usual.prop_map(|sets| sets.into_iter().fold(0, |all, set| all | set));
    (
        allowed,
        usual,
        prop_oneof![3 => Just(0), 1 => sparse, 1 => any],
    )
        .prop_map(|(allowed, usual, any)| MeOptions(allowed | usual | any))
}

pub fn bits() -> impl Strategy<Value = u64> {
    prop_oneof![12 => 0..2u64, 1 => Just(2u64), 1 => Just(u64::MAX)]
}

fn length() -> impl Strategy<Value = u64> {
    prop_oneof![
        2 => Just(0u64),
        6 => 1..40u64,
        3 => 40..300u64,
        1 => 4000..6000u64,
    ]
}

fn offset() -> impl Strategy<Value = u64> {
    prop_oneof![6 => Just(0u64), 3 => 1..100u64, 1 => 100..6000u64, 1 => u64::MAX - 70..=u64::MAX]
}

fn entry(list: List) -> impl Strategy<Value = MatchEntry> {
    let everything = if list == List::Overflow { 8 } else { 1 };
    let ignore = prop_oneof![2 => Just(0u64), 1 => Just(1u64), everything => Just(u64::MAX)];
    let source =
        prop_oneof![12 => Just(None), 1 => prop::sample::select(vec![0u32, 1, 5]).prop_map(Some)];
    let uid =
        prop_oneof![12 => Just(None), 1 => prop::sample::select(vec![0u32, 1, 5]).prop_map(Some)];
    let counter = prop_oneof![1 => Just(None), 3 => counter().prop_map(Some)];
    let min_free = prop_oneof![2 => Just(0u64), 3 => 1..100u64, 1 => Just(u64::MAX)];
    let start = prop_oneof![8 => 0..0x2000u64, 1 => NOWHERE..NOWHERE + 64];
    let place = (start, length());
    (
        options(),
        bits(),
        ignore,
        source,
        uid,
        counter,
        min_free,
        place,
    )
        .prop_map(
            |(
                options,
                match_bits,
                ignore_bits,
                source,
                uid,
                counter,
                min_free,
                (start, length),
            )| {
                MatchEntry {
                    start,
                    length,
                    options,
                    match_bits,
                    ignore_bits,
                    source: source.map(Rank),
                    uid,
                    counter: counter.map(CounterId),
                    min_free,
                    user_ptr: 0,
                }
            },
        )
}

/// Most happens at one node.
fn node() -> impl Strategy<Value = u32> {
    prop_oneof![3 => Just(0u32), 1 => Just(1u32)]
}

/// One of those of which there are four; counter 4 comes and goes.
pub fn counter() -> impl Strategy<Value = u32> {
    prop_oneof![5 => Just(1u32), 3 => Just(2u32), 1 => Just(3u32), 1 => Just(4u32)]
}

/// One of the four, or one that is not there.
pub fn portal() -> impl Strategy<Value = u32> {
    prop_oneof![22 => Just(0u32), 6 => Just(1u32), 1 => Just(2u32), 1 => Just(3u32), 1 => Just(9u32), 1 => Just(90u32)]
}

fn value(least: u64) -> impl Strategy<Value = Counter> {
    let field = move || prop_oneof![3 => least..4, 1 => Just(u64::MAX)];
    prop_oneof![
        4 => (least..4).prop_map(|success| Counter { success, failure: 0 }),
        1 => (least..4).prop_map(|failure| Counter { success: 0, failure }),
        1 => (field(), field()).prop_map(|(success, failure)| Counter { success, failure }),
    ]
}

pub fn ack() -> impl Strategy<Value = AckRequest> {
    prop::sample::select(vec![
        AckRequest::None,
        AckRequest::Ack,
        AckRequest::Ack,
        AckRequest::Ct,
        AckRequest::Oc,
    ])
}

fn descriptor() -> impl Strategy<Value = MemoryDescriptor> {
    let options = prop_oneof![1 => Just(0u32), 2 => 0..1u32 << 8, 1 => (0..1u32 << 8).prop_map(|bits| bits | 1 << 15)];
    let start = if UNREADABLE_DESCRIPTORS {
        NOWHERE
    } else {
        0x2000
    };
    let queue = prop_oneof![3 => Just(Some(MD_EVENTS)), 1 => Just(None)];
    let counter = prop_oneof![1 => Just(None), 2 => counter().prop_map(Some)];
    (start..0x2400, 0..0x1c00u64, options, queue, counter).prop_map(
        |(start, length, options, queue, counter)| MemoryDescriptor {
            start,
            length,
            options: MdOptions(options & !(1 << MdOption::Iovec as u32)),
            queue,
            counter: counter.map(CounterId),
        },
    )
}

/// A descriptor, perhaps of a list of pieces.
fn any_descriptor() -> impl Strategy<Value = MemoryDescriptor> {
    (
        descriptor(),
        prop_oneof![1 => Just(None), 1 => pieces(1).prop_map(Some)],
    )
        .prop_map(|(md, list)| match list {
            None => md,
            Some((start, length)) => MemoryDescriptor {
                start,
                length,
                options: MdOptions(md.options.0 | 1 << MdOption::Iovec as u32),
                ..md
            },
        })
}

/// One that is no XTQ put.
fn plain_transfer() -> impl Strategy<Value = Transfer> {
    let place = || {
        (
            prop_oneof![8 => 0..3u32, 2 => Just(3u32), 1 => Just(9u32)],
            prop_oneof![3 => Just(0u64), 1 => 0..300u64],
        )
    };
    let target = prop::sample::select(vec![0u32, 0, 0, 0, 0, 1, 1, 7]);
    let what = (
        kind(true),
        length(),
        ack(),
        portal(),
        bits(),
        offset(),
        any::<u16>(),
    );
    (place(), place(), target, what).prop_map(
        |(from, into, target, (kind, length, ack, portal, match_bits, roffset, number))| {
            let at = |(md, offset)| Place {
                md: MdId(md),
                offset,
            };
            Transfer {
                kind,
                from: kind.carries_data().then_some(at(from)),
                payload: None,
                into: kind.wants_data().then_some(at(into)),
                length: whole(kind, length),
                ack: if kind.wants_data() {
                    AckRequest::None
                } else {
                    ack
                },
                target: Rank(target),
                portal: Portal(portal),
                match_bits,
                roffset,
                // A get has none.
                hdr_data: if kind == RequestKind::Get {
                    0
                } else {
                    number.into()
                },
                operand: operand(kind, number),
                user_ptr: u64::from(number) + 1,
            }
        },
    )
}

/// Atomics have whole data, at most 512 bytes or one datum, or, now and then, not.
fn whole(kind: RequestKind, length: u64) -> u64 {
    match kind.operation() {
        Some(_) if length.is_multiple_of(23) => length,
        Some(operation) if operation.uses_operand() => operation.datatype.size() as u64,
        Some(operation) => (length % 520).next_multiple_of(operation.datatype.size() as u64),
        None => length,
    }
}

/// The operand of a swap that has one.
fn operand(kind: RequestKind, number: u16) -> Vec<u8> {
    match kind
        .operation()
        .filter(|operation| operation.uses_operand())
    {
        Some(operation) => (0..operation.datatype.size())
            .map(|at| (at as u16 * 13 + number % 3 * 40) as u8)
            .collect(),
        None => Vec::new(),
    }
}

/// What comes from outside, but XTQ puts.
fn plain_arrival() -> impl Strategy<Value = Request> {
    let source = prop::sample::select(vec![1u32, 1, 5, 7]);
    let uid = prop::sample::select(vec![1u32, 1, 5]);
    let what = (
        kind(false),
        length(),
        ack(),
        portal(),
        bits(),
        offset(),
        any::<u16>(),
    );
    (node(), source, uid, what).prop_map(
        |(target, source, uid, (kind, length, ack, portal, match_bits, roffset, number))| {
            // A node sends no other than whole data.
            let length = match kind.operation() {
                Some(operation) if operation.uses_operand() => operation.datatype.size() as u64,
                Some(operation) => {
                    length % 513 / operation.datatype.size() as u64
                        * operation.datatype.size() as u64
                }
                None => length,
            };
            let carried = if kind.carries_data() { length } else { 0 };
            Request {
                kind,
                source: Rank(source),
                uid,
                target: Rank(target),
                portal: Portal(portal),
                match_bits,
                roffset,
                rlength: length,
                ack: if kind.wants_data() {
                    AckRequest::None
                } else {
                    ack
                },
                hdr_data: number.into(),
                data: (0..carried)
                    .map(|at| (at * 7 + u64::from(number)) as u8)
                    .collect(),
                operand: operand(kind, number),
                handle: 0,
            }
        },
    )
}

/// An entry as an MPI library has them: one that takes everything that is not expected, or a receive that counts.
fn sane(list: List) -> impl Strategy<Value = MatchEntry> {
    let bit = |option: MeOption| 1u32 << option as u32;
    let allowed = bit(MeOption::OpPut) | bit(MeOption::OpGet);
    let options = match list {
        List::Overflow => vec![
            allowed,
            allowed | bit(MeOption::ManageLocal),
            allowed | bit(MeOption::UseOnce),
        ],
        List::Priority => vec![
            allowed | bit(MeOption::UseOnce),
            allowed | bit(MeOption::UseOnce) | bit(MeOption::CtComm) | bit(MeOption::CtOverflow),
            allowed | bit(MeOption::CtComm) | bit(MeOption::CtOverflow),
            allowed | bit(MeOption::CtBytes) | bit(MeOption::CtComm) | bit(MeOption::CtOverflow),
        ],
    };
    let ignore = match list {
        List::Overflow => Just(u64::MAX).boxed(),
        List::Priority => prop_oneof![2 => Just(0u64), 1 => Just(1u64)].boxed(),
    };
    // Every second one where tasks can land.
    let start = prop_oneof![0..0x1000u64, (0..0x40u64).prop_map(|line| line * 64)];
    let fields = (
        start,
        prop::sample::select(options),
        0..2u64,
        ignore,
        counter(),
    );
    fields.prop_map(
        |(start, options, match_bits, ignore_bits, counter)| MatchEntry {
            start,
            length: 400,
            options: MeOptions(options),
            match_bits,
            ignore_bits,
            counter: Some(CounterId(counter)),
            min_free: 40,
            ..MatchEntry::default()
        },
    )
}

fn any_entry(list: List) -> impl Strategy<Value = MatchEntry> {
    let plain = prop_oneof![2 => entry(list), 4 => sane(list), 1 => tasks::entry(list)];
    (
        plain,
        prop_oneof![3 => Just(None), 1 => pieces(0).prop_map(Some)],
    )
        .prop_map(|(entry, list)| match list {
            None => entry,
            Some((start, length)) => MatchEntry {
                start,
                length,
                options: MeOptions(entry.options.0 | 1 << MeOption::Iovec as u32),
                ..entry
            },
        })
}

/// A list of pieces of this kind: its address, and how many of its pieces.
fn pieces(kind: u64) -> impl Strategy<Value = (u64, u64)> {
    let number = prop_oneof![6 => 1..=MOST_PIECES, 1 => Just(0u64), 1 => 1025..1100u64];
    // Now and then it begins where no list may.
    let astray = prop_oneof![20 => Just(0u64), 1 => Just(4u64)];
    (0..LISTS_OF_A_KIND, number, astray).prop_map(move |(which, number, astray)| {
        let list = kind * LISTS_OF_A_KIND + which;
        (LISTS + list * LIST_BYTES + astray, number)
    })
}

/// The lists as they lie at [`LISTS`]: pieces of every length around lines and pages, also without bytes; of every second list one goes to and fro. Those of match entries lie
/// below 0x2000, those of descriptors above.
fn lists() -> Vec<u8> {
    let mut bytes = Vec::new();
    for list in 0..2 * LISTS_OF_A_KIND {
        let base = list / LISTS_OF_A_KIND * 0x2000;
        for piece in 0..MOST_PIECES {
            let lengths = [5, 0, 64, 1, 8, 130, 63, 0, 16, 700, 65, 24, 3, 512, 40, 8];
            let length: u64 = lengths[((piece * 5 + list * 3) % MOST_PIECES) as usize];
            // Places of 0x200 bytes; a page ends inside some.
            let place = if list % 2 == 0 {
                piece
            } else {
                piece * 7 % MOST_PIECES
            };
            let start = base + place * 0x1c0 + list * 8 + length % 13;
            bytes.extend(start.to_le_bytes());
            bytes.extend(length.to_le_bytes());
        }
    }
    bytes
}

fn append() -> impl Strategy<Value = Call> {
    let list = prop::sample::select(vec![List::Priority, List::Overflow]);
    let append = list.prop_flat_map(|list| (Just(list), portal(), any_entry(list)));
    let append = append.prop_map(|(list, portal, entry)| Call::Append(portal, list, entry));
    prop_oneof![6 => append, 1 => tasks::append()]
}

/// What can be called at once and by a trigger.
fn call() -> impl Strategy<Value = Call> {
    let search_kind = prop::sample::select(vec![SearchKind::Only, SearchKind::Delete]);
    let id = || counter().prop_map(CounterId);
    prop_oneof![
        12 => append(),
        4 => (0..6usize).prop_map(Call::Unlink),
        3 => (portal(), search_kind, any_entry(List::Priority)).prop_map(|(portal, kind, entry)| Call::Search(portal, kind, entry)),
        12 => plain_transfer().prop_map(Call::Transfer),
        6 => tasks::transfer().prop_map(Call::Transfer),
        2 => tasks::registration().prop_map(Call::Plain),
        6 => (id(), value(0)).prop_map(|(id, by)| Call::Plain(Command::CtInc(id, by))),
        2 => (id(), value(0)).prop_map(|(id, to)| Call::Plain(Command::CtSet(id, to))),
        1 => id().prop_map(|id| Call::Plain(Command::CtCancel(id))),
        4 => portal().prop_map(|index| Call::Plain(Command::PtEnable(Portal(index)))),
        1 => portal().prop_map(|index| Call::Plain(Command::PtDisable(Portal(index)))),
    ]
}

/// What is only called at once: the driver is a host library, which keeps books of these and cannot know when they fire.
fn only_now() -> impl Strategy<Value = Call> {
    prop_oneof![
        2 => Just(Call::Plain(Command::CtFree(CounterId(4)))),
        2 => Just(Call::Plain(Command::CtAlloc(CounterId(4)))),
        1 => Just(Call::Plain(Command::CtAlloc(CounterId(1)))),
        2 => prop_oneof![Just(3u32), Just(2u32)].prop_map(Call::Release),
        3 => any_descriptor().prop_map(|md| Call::Bind(3, md)),
        1 => Just(Call::Plain(Command::PtAlloc(Portal(1), plain()))),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let threshold = prop_oneof![8 => 1..4u64, 2 => Just(0u64), 1 => 4..60u64, 1 => Just(u64::MAX)];
    let trigger = prop_oneof![20 => counter(), 1 => Just(30u32)];
    prop_oneof![
        12 => (node(), call()).prop_map(|(node, call)| Step::Call(node, call)),
        2 => (node(), only_now()).prop_map(|(node, call)| Step::Call(node, call)),
        8 => (node(), trigger, threshold, call())
            .prop_map(|(node, counter, threshold, call)| Step::Triggered(node, counter, threshold, call)),
        14 => plain_arrival().prop_map(Step::Arrive),
        7 => node().prop_flat_map(|node| tasks::arrival(Rank(node))).prop_map(Step::Arrive),
        2 => (node(), 0..4u16).prop_map(|(node, queue)| Step::Consume(node, queue)),
        8 => Just(Step::Deliver),
    ]
}

/// The atomics of a program.
#[derive(Clone, Copy, Debug)]
enum Atomics {
    /// Puts in their place.
    None,
    /// None is refused for its address.
    Aligned,
    /// Most are.
    Anywhere,
}

/// Programs of up to so many steps.
pub fn program(steps: usize) -> impl Strategy<Value = Program> {
    // Lists are filled first: else most messages meet nothing.
    let begin = (node(), append()).prop_map(|(node, call)| Step::Call(node, call));
    let begin = prop::collection::vec(begin, 0..=steps / 4);
    let rest = prop_oneof![
        3 => prop::collection::vec(step(), steps / 2..=steps * 3 / 4),
        1 => prop::collection::vec(tasks::step(), steps / 2..=steps * 3 / 4),
    ];
    let atomics = prop_oneof![
        2 => Just(Atomics::None),
        2 => Just(Atomics::Aligned),
        1 => Just(Atomics::Anywhere),
    ];
    let kind = (any::<bool>(), any::<bool>(), atomics);
    (kind, begin, rest).prop_map(|((scarce, ack_disable, atomics), begin, rest)| {
        let steps = [begin, rest].concat().into_iter();
        let steps = steps.map(|step| match atomics {
            Atomics::None => step.without_atomics(),
            Atomics::Aligned => step.aligned(),
            Atomics::Anywhere => step,
        });
        Program {
            scarce,
            ack_disable,
            steps: steps.collect(),
        }
    })
}

fn plain() -> PortalOptions {
    PortalOptions {
        flowctrl: false,
        matching: true,
        queue: Some(PORTAL_EVENTS),
    }
}

/// What every node has before the first step: portal entries (0 and 1 match, 1 with flow control; 2 does not match; 3 has no events), counters 1 to 4, descriptors 0 to 2.
fn furniture() -> Vec<Command> {
    let portals = [
        plain(),
        PortalOptions {
            flowctrl: true,
            ..plain()
        },
        PortalOptions {
            matching: false,
            ..plain()
        },
        PortalOptions {
            queue: None,
            ..plain()
        },
    ];
    let portals = (0..).zip(portals);
    let portals = portals.map(|(index, options)| Command::PtAlloc(Portal(index), options));
    let counters = (1..5).map(|id| Command::CtAlloc(CounterId(id)));
    let descriptor = |options: &[MdOption], counter: Option<u32>| MemoryDescriptor {
        start: 0x2000,
        length: 0x2000,
        options: options.iter().copied().collect(),
        queue: Some(MD_EVENTS),
        counter: counter.map(CounterId),
    };
    let descriptors = [
        descriptor(&[], None),
        descriptor(
            &[MdOption::CtSend, MdOption::CtReply, MdOption::CtAck],
            Some(1),
        ),
        descriptor(
            &[MdOption::CtAck, MdOption::CtBytes, MdOption::SuccessDisable],
            Some(2),
        ),
    ];
    let descriptors = (0..).zip(descriptors);
    let descriptors = descriptors.map(|(id, md)| Command::MdBind(MdId(id), md));
    let all = portals.chain(counters).chain(descriptors);
    all.chain(tasks::furniture()).collect()
}

impl Program {
    pub fn configs(&self) -> BTreeMap<Rank, NodeConfig> {
        let limits = match self.scarce {
            true => Limits {
                max_entries: 8,
                max_unexpected_headers: 2,
                max_triggered_ops: 3,
                max_tasks: tasks::ENTRIES,
                ..Limits::default()
            },
            // As many as a context has.
            false => Limits {
                max_entries: 64,
                max_unexpected_headers: 32,
                max_triggered_ops: 127,
                max_tasks: tasks::ENTRIES,
                ..Limits::default()
            },
        };
        let config = NodeConfig {
            limits,
            memory: vec![(0, MEMORY)],
            queues: vec![1 << 16; 2],
            fires_by_step: false,
            aligned_atomics: true,
        };
        (0..NODES)
            .map(|rank| (Rank(rank), config.clone()))
            .collect()
    }

    /// The same program as far as it can be played back to back: everything is there in plenty, and no counter is set by a trigger.
    pub fn racing(&self) -> Self {
        let sets = |step: &Step| match step {
            Step::Triggered(.., Call::Plain(command)) => match command {
                Command::CtInc(_, by) => by.success > 1 << 32 || by.failure > 1 << 32,
                Command::CtSet(..) | Command::CtCancel(_) | Command::XtqRegister(..) => true,
                _ => false,
            },
            _ => false,
        };
        let steps = self.steps.iter().filter(|step| !sets(step));
        Self {
            scarce: false,
            steps: steps.filter_map(tasks::racing).collect(),
            ..self.clone()
        }
    }

    /// Plays it to nodes that are brought up for it.
    pub fn play<N: PortalsNodes>(&self) -> Result<N, NotRun> {
        let mut nodes = N::open(&self.configs())?;
        for rank in (0..NODES).map(Rank) {
            let bytes: Vec<u8> = (0..MEMORY).map(|at| (at * 13 + at / 256) as u8).collect();
            nodes.write_memory(rank, 0, &bytes)?;
            nodes.write_memory(rank, LISTS, &lists())?;
            nodes.write_memory(rank, tasks::QUEUES_AT, &tasks::memory())?;
            for command in furniture() {
                nodes
                    .post(rank, None, command)?
                    .map_err(|why| NotRun::Failed(why.to_string()))?;
            }
        }
        let mut appends = [0; NODES as usize];
        for step in &self.steps {
            let (node, trigger, call) = match step {
                Step::Deliver => {
                    nodes.deliver()?;
                    continue;
                }
                Step::Arrive(request) => {
                    nodes.receive(request)?;
                    continue;
                }
                Step::Consume(node, queue) => {
                    let (write, read) = tasks::indices(*queue);
                    nodes.copy_word(Rank(*node), write, read)?;
                    continue;
                }
                Step::Call(node, call) => (node, None, call),
                Step::Triggered(node, counter, threshold, call) => {
                    let (counter, threshold) = (CounterId(*counter), *threshold);
                    (node, Some(Trigger { counter, threshold }), call)
                }
            };
            if let Some(command) = self.command(call, &mut appends[*node as usize]) {
                let _ = nodes.post(Rank(*node), trigger, command)?;
            }
        }
        nodes.deliver()?;
        Ok(nodes)
    }

    /// A call as a command, with the numbers of entries; `None` if this program has not this call.
    fn command(&self, call: &Call, appends: &mut u32) -> Option<Command> {
        Some(match call {
            Call::Append(portal, list, me) => {
                *appends += 1;
                Command::MeAppend {
                    id: EntryId(*appends),
                    portal: Portal(*portal),
                    list: *list,
                    me: self.entry(me, *appends),
                }
            }
            Call::Unlink(back) => Command::MeUnlink(EntryId(appends.checked_sub(*back as u32)?)),
            Call::Search(portal, kind, me) => Command::MeSearch {
                portal: Portal(*portal),
                kind: *kind,
                me: self.entry(me, 1000 + *appends),
            },
            Call::Transfer(transfer) => Command::Transfer(transfer.clone()),
            Call::Release(id) => Command::MdRelease(MdId(*id)),
            Call::Bind(id, md) => Command::MdBind(MdId(*id), *md),
            Call::Plain(command) => command.clone(),
        })
    }

    fn entry(&self, me: &MatchEntry, user_ptr: u32) -> MatchEntry {
        let mut me = MatchEntry {
            user_ptr: user_ptr.into(),
            ..me.clone()
        };
        if !self.ack_disable {
            me.options.0 &= !(1 << MeOption::AckDisable as u32);
        }
        me
    }
}
