//! XTQ puts in random programs: what is registered, the commands that are sent, the entries that take them, and who
//! consumes the queues.

use crate::cosim::program::{Call, LISTS, LISTS_BYTES, NOWHERE, Step, ack, bits, counter, portal};
use proptest::prelude::*;
use xtq_testbench::aql::{PACKET_BYTES, field, packet_type};
use xtq_testbench::cases::portals::MD_EVENTS;
use xtq_testbench::host::{Function, HostQueue, Kernel};
use xtq_testbench::portals::{
    Command, CounterId, List, MatchEntry, MdId, MdOption, MeOption, MeOptions, MemoryDescriptor,
    Place, Portal, Rank, Registration, Request, RequestKind, Transfer,
};
use xtq_types::wire_header::MTU;

/// Entries of each table.
pub const ENTRIES: u16 = 8;
/// Queues, the numbers 0 to 3; where they lie, after the lists of pieces.
const QUEUES: u64 = 4;
pub const QUEUES_AT: u64 = LISTS + LISTS_BYTES;
/// Bytes of a queue: ring of at most 8 packets, write index, read index, doorbell.
const QUEUE_BYTES: u64 = 0x400;
/// Where the commands lie that hosts send.
const COMMANDS_AT: u64 = QUEUES_AT + QUEUES * QUEUE_BYTES;
/// From one to the next; arguments may run into those after.
const COMMAND_BYTES: u64 = 0x140;
/// After all that.
pub const END: u64 = COMMANDS_AT + COMMANDS.len() as u64 * COMMAND_BYTES;
/// The match bits that most XTQ puts have, and few other messages.
const BITS: u64 = 2;
/// The portal entry with flow control.
const FLOW_CONTROL: Portal = Portal(1);
/// Bytes of arguments of kernels 0 to 3. The last one's do not end in the first packet.
const ARGUMENTS: [u16; 4] = [32, 0, 64, 4200];

/// Packet type, index of kernel or function, queue of each command. Number 5 of each kind is nothing at first, number 6
/// never; from 8 on they are beyond the table.
const COMMANDS: [(u8, u64, u64); 16] = [
    (packet_type::KERNEL_DISPATCH, 3, 0),
    (packet_type::KERNEL_DISPATCH, 0, 0),
    (packet_type::KERNEL_DISPATCH, 0, 1),
    (packet_type::KERNEL_DISPATCH, 1, 0),
    (packet_type::KERNEL_DISPATCH, 2, 2),
    (packet_type::AGENT_DISPATCH, 0, 0),
    (packet_type::AGENT_DISPATCH, 1, 1),
    (packet_type::AGENT_DISPATCH, 2, 2),
    (packet_type::KERNEL_DISPATCH, 0, 3),
    (packet_type::KERNEL_DISPATCH, 6, 0),
    (packet_type::AGENT_DISPATCH, 5, 0),
    (packet_type::KERNEL_DISPATCH, 0, 6),
    (packet_type::BARRIER_AND, 0, 0),
    (packet_type::KERNEL_DISPATCH, 1 << 32, 0),
    (packet_type::KERNEL_DISPATCH, 1, 70),
    (packet_type::AGENT_DISPATCH, 1 << 20, 1),
];

/// A command's AQL packet.
fn packet(which: usize) -> [u8; PACKET_BYTES] {
    let (kind, index, queue) = COMMANDS[which];
    let mut packet = std::array::from_fn(|at| (at * 5 + which) as u8);
    field::HEADER.write(&mut packet, 0x1400 | u64::from(kind));
    field::RESERVED2.write(&mut packet, queue);
    match kind {
        packet_type::AGENT_DISPATCH => field::RETURN_ADDRESS.write(&mut packet, index),
        _ => field::KERNEL_OBJECT.write(&mut packet, index),
    }
    packet
}

/// Bytes of a command as its kernel was registered first.
fn command_length(which: usize) -> u16 {
    let arguments = match COMMANDS[which] {
        (packet_type::KERNEL_DISPATCH, index, _) => {
            ARGUMENTS.get(index as usize).copied().unwrap_or(16)
        }
        _ => 0,
    };
    PACKET_BYTES as u16 + arguments
}

/// A queue. Its indices begin at a number of its own.
fn queue(index: u16, size: u32) -> HostQueue {
    let base = QUEUES_AT + u64::from(index) % QUEUES * QUEUE_BYTES;
    HostQueue {
        base,
        size,
        write_index_address: base + 0x200,
        read_index_address: base + 0x240,
        doorbell_address: base + 0x280,
        doorbell_plus_one: index == 1,
        shared: false,
    }
}

/// What lies in the memory of a node from [`QUEUES_AT`] on.
pub fn memory() -> Vec<u8> {
    let mut memory: Vec<u8> = (QUEUES_AT..END).map(|at| at as u8).collect();
    let mut put = |at: u64, bytes: &[u8]| {
        let at = (at - QUEUES_AT) as usize;
        memory[at..at + bytes.len()].copy_from_slice(bytes);
    };
    for index in 0..QUEUES as u16 {
        let queue = queue(index, 1);
        for address in [queue.write_index_address, queue.read_index_address] {
            put(address, &(3 * u64::from(index)).to_le_bytes());
        }
    }
    for (which, at) in (0..COMMANDS.len()).zip((COMMANDS_AT..).step_by(COMMAND_BYTES as usize)) {
        put(at, &packet(which));
    }
    memory
}

fn kernel(index: u16) -> Kernel {
    let which = usize::from(index) % ARGUMENTS.len();
    Kernel {
        kernel: 0x1000 + u64::from(index),
        kernarg_size: ARGUMENTS[which].into(),
        rewrite_offset: [0, 0, 40, 4008][which],
        buffer_pointer: [0x7000, 0, 0x7200, 0][which],
        completion_signal: [0, 0x8100, 0, 0x8300][which],
    }
}

fn function(index: u16) -> Function {
    Function {
        function: 0x2000 + u64::from(index),
        buffer_pointer: if index == 1 { 0 } else { 0x9000 },
    }
}

/// What every node has before the first step: kernels 0 to 3, functions 0 to 2, queues 0 to 3, and descriptors 4 and 5
/// of the commands.
pub fn furniture() -> Vec<Command> {
    let kernels = (0..4).map(|index| (index, Registration::Kernel(kernel(index))));
    let functions = (0..3).map(|index| (index, Registration::Function(function(index))));
    let queues = (0..4).zip([1, 2, 4, 1]);
    let queues = queues.map(|(index, size)| (index, Registration::Queue(queue(index, size))));
    let all = kernels.chain(functions).chain(queues);
    let register = all.map(|(index, one)| Command::XtqRegister(index, one));
    let descriptor = |options: &[MdOption]| MemoryDescriptor {
        start: COMMANDS_AT,
        length: END - COMMANDS_AT,
        options: options.iter().copied().collect(),
        queue: Some(MD_EVENTS),
        counter: Some(CounterId(1)),
    };
    let counts = [MdOption::CtSend, MdOption::CtAck, MdOption::CtBytes];
    let descriptors = [descriptor(&[]), descriptor(&counts)];
    let descriptors = (4..).zip(descriptors);
    register
        .chain(descriptors.map(|(id, md)| Command::MdBind(MdId(id), md)))
        .collect()
}

/// A kernel, a function or a queue, sometimes one that nothing fits.
pub fn registration() -> impl Strategy<Value = Command> {
    let index = || prop_oneof![8 => 0..4u16, 1 => Just(5u16), 1 => Just(ENTRIES + 1)];
    let arguments = prop::sample::select(vec![0u32, 8, 16, 32, 64, 4200]);
    let offset = prop::sample::select(vec![0u32, 0, 8, 16, 40, 4, 4008, 4040]);
    let pointer = || prop_oneof![Just(0u64), Just(0x7700u64)];
    let kernels = (index(), arguments, offset, pointer(), pointer()).prop_map(
        |(index, kernarg_size, rewrite_offset, buffer_pointer, completion_signal)| {
            let kernel = Kernel {
                kernarg_size,
                rewrite_offset,
                buffer_pointer,
                completion_signal,
                ..kernel(index)
            };
            (index, Registration::Kernel(kernel))
        },
    );
    let usual = index().prop_map(|index| (index, Registration::Kernel(kernel(index))));
    let functions = (index(), pointer()).prop_map(|(index, buffer_pointer)| {
        let function = Function {
            buffer_pointer,
            ..function(index)
        };
        (index, Registration::Function(function))
    });
    // One ring for each number.
    let number = prop_oneof![8 => 0..4u16, 1 => Just(ENTRIES)];
    let size = prop_oneof![8 => prop::sample::select(vec![1u32, 2, 4, 8]), 1 => Just(3u32), 1 => Just(0u32)];
    let lost = prop_oneof![8 => Just(9usize), 2 => 0..4usize];
    let queues = (number, size, lost, 0..12u32).prop_map(|(index, size, lost, shared)| {
        let mut queue = HostQueue {
            shared: shared == 0,
            ..queue(index, size)
        };
        let addresses = [
            &mut queue.base,
            &mut queue.write_index_address,
            &mut queue.read_index_address,
            &mut queue.doorbell_address,
        ];
        if let Some(address) = addresses.into_iter().nth(lost) {
            *address = NOWHERE;
        }
        (index, Registration::Queue(queue))
    });
    let all = prop_oneof![3 => kernels, 1 => usual, 2 => functions, 4 => queues];
    all.prop_map(|(index, one)| Command::XtqRegister(index, one))
}

/// An entry that takes XTQ puts, most of them.
pub fn entry(list: List) -> impl Strategy<Value = MatchEntry> {
    let set = |options: &[MeOption]| -> MeOptions { options.iter().copied().collect() };
    use MeOption as Me;
    let options = prop::sample::select(vec![
        set(&[Me::OpPut]),
        set(&[Me::OpPut, Me::CtComm, Me::CtOverflow]),
        set(&[Me::OpPut, Me::OpGet, Me::ManageLocal]),
        set(&[Me::OpPut, Me::ManageLocal, Me::CtComm, Me::CtBytes]),
        set(&[Me::OpPut, Me::ManageLocal, Me::NoTruncate]),
        set(&[Me::OpPut, Me::UseOnce, Me::CtComm]),
        set(&[Me::OpPut, Me::AckDisable, Me::SuccessDisable]),
        set(&[Me::OpPut, Me::CommDisable, Me::FlowctrlDisable]),
        set(&[Me::OpPut, Me::ManageLocal, Me::UnexpectedHdrDisable]),
        set(&[Me::OpPut, Me::ManageLocal, Me::LocalIncUhRlength]),
    ]);
    let ignore = match list {
        List::Priority => prop_oneof![6 => Just(0u64), 1 => Just(u64::MAX)],
        List::Overflow => prop_oneof![1 => Just(0u64), 2 => Just(u64::MAX)],
    };
    let start = prop_oneof![
        12 => (0..0x80u64).prop_map(|line| line * PACKET_BYTES as u64),
        1 => 0..0x1000u64,
        1 => Just(NOWHERE),
    ];
    let length = prop_oneof![4 => 200..900u64, 2 => 5000..6000u64, 1 => 64..200u64];
    let min_free = prop_oneof![2 => Just(0u64), 2 => 1..200u64];
    let fields = (start, length, options, ignore, counter(), min_free);
    fields.prop_map(
        |(start, length, options, ignore_bits, counter, min_free)| MatchEntry {
            start,
            length,
            options,
            match_bits: BITS,
            ignore_bits,
            counter: Some(CounterId(counter)),
            min_free,
            ..MatchEntry::default()
        },
    )
}

/// Such an entry, where XTQ puts come to.
pub fn append() -> impl Strategy<Value = Call> {
    let list = prop_oneof![3 => Just(List::Priority), 1 => Just(List::Overflow)];
    let portal = prop_oneof![3 => Just(0u32), 3 => Just(FLOW_CONTROL.0), 1 => Just(2u32)];
    let append = list.prop_flat_map(move |list| (Just(list), portal.clone(), entry(list)));
    append.prop_map(|(list, portal, entry)| Call::Append(portal, list, entry))
}

/// Match bits, portal entry and offset asked for.
fn place() -> impl Strategy<Value = (u64, Portal, u64)> {
    let bits = prop_oneof![5 => Just(BITS), 1 => bits()];
    let offset = prop_oneof![
        10 => Just(0u64),
        2 => (0..12u64).prop_map(|line| line * PACKET_BYTES as u64),
        1 => 1..100u64,
        1 => Just(u64::MAX - 63),
    ];
    let portal = prop_oneof![2 => portal().prop_map(Portal), 1 => Just(FLOW_CONTROL)];
    (bits, portal, offset)
}

/// A command and the bytes it claims to have.
fn command() -> impl Strategy<Value = (usize, u16)> {
    let which = prop_oneof![3 => 0..COMMANDS.len(), 5 => 1..9usize];
    let wrong = prop_oneof![12 => Just(0u16), 1 => Just(8u16), 1 => Just(48u16)];
    (which, wrong).prop_map(|(which, wrong)| (which, command_length(which) + wrong))
}

fn payload() -> impl Strategy<Value = u64> {
    prop_oneof![2 => Just(0u64), 6 => 1..100u64, 1 => 100..300u64, 1 => 4000..4400u64]
}

/// One that a host sends.
pub fn transfer() -> impl Strategy<Value = Transfer> {
    // Now and then too short for a packet.
    let command = (command(), 0..20u32)
        .prop_map(|((which, length), short)| (which, if short == 0 { 60 } else { length }));
    let target = prop::sample::select(vec![0u32, 0, 0, 0, 0, 1, 1, 7]);
    let source = (
        prop_oneof![8 => 4..6u32, 1 => Just(9u32)],
        prop_oneof![8 => 0..3u32, 2 => Just(3u32), 1 => Just(9u32)],
        prop_oneof![3 => Just(0u64), 1 => 0..300u64],
    );
    let what = (payload(), ack(), place(), any::<u16>());
    (command, source, target, what).prop_map(
        |(
            (which, command_length),
            (command_md, md, offset),
            target,
            (length, ack, (match_bits, portal, roffset), number),
        )| Transfer {
            kind: RequestKind::XtqPut { command_length },
            from: Some(Place {
                md: MdId(command_md),
                offset: which as u64 * COMMAND_BYTES,
            }),
            payload: Some(Place {
                md: MdId(md),
                offset,
            }),
            into: None,
            length,
            ack,
            target: Rank(target),
            portal,
            match_bits,
            roffset,
            hdr_data: number.into(),
            operand: Vec::new(),
            user_ptr: u64::from(number) + 1,
        },
    )
}

/// One that comes from outside to a node.
pub fn arrival(target: Rank) -> impl Strategy<Value = Request> {
    let who = prop::sample::select(vec![(1u32, 1u32), (1, 5), (5, 1), (7, 5)]);
    let what = (command(), payload(), ack(), place(), any::<u16>());
    (who, what).prop_map(
        move |(
            (source, uid),
            ((which, command_length), payload, ack, (match_bits, portal, roffset), number),
        )| {
            let rlength = u64::from(command_length) + payload;
            let mut data: Vec<u8> = (0..rlength)
                .map(|at| (at * 11 + u64::from(number)) as u8)
                .collect();
            data[..PACKET_BYTES].copy_from_slice(&packet(which));
            Request {
                kind: RequestKind::XtqPut { command_length },
                source: Rank(source),
                uid,
                target,
                portal,
                match_bits,
                roffset,
                rlength,
                ack,
                hdr_data: number.into(),
                data,
                operand: Vec::new(),
                handle: 0,
            }
        },
    )
}

/// A step of a program of XTQ puts: most find an entry, a kernel and a queue, which is soon full.
pub fn step() -> impl Strategy<Value = Step> {
    let portals = || prop::sample::select(vec![Portal(0), FLOW_CONTROL, FLOW_CONTROL]);
    let queues = || prop::sample::select(vec![0u16, 0, 0, 1, 3]);
    let arrival = (arrival(Rank(0)), portals()).prop_map(|(request, portal)| {
        Step::Arrive(Request {
            portal,
            match_bits: BITS,
            roffset: 0,
            ..request
        })
    });
    let transfer = (transfer(), portals()).prop_map(|(transfer, portal)| {
        let ends = Transfer {
            portal,
            match_bits: BITS,
            target: Rank(transfer.target.0 % 2),
            ..transfer
        };
        Step::Call(0, Call::Transfer(ends))
    });
    let call = prop_oneof![
        4 => append(),
        2 => (3..6u32).prop_map(Call::Release),
        3 => Just(Call::Plain(Command::PtEnable(FLOW_CONTROL))),
        2 => queues().prop_map(|index| {
            let queue = Registration::Queue(queue(index, 1));
            Call::Plain(Command::XtqRegister(index, queue))
        }),
        1 => registration().prop_map(Call::Plain),
    ];
    prop_oneof![
        9 => arrival,
        4 => transfer,
        5 => call.prop_map(|call| Step::Call(0, call)),
        2 => queues().prop_map(|queue| Step::Consume(0, queue)),
        1 => Just(Step::Deliver),
    ]
}

/// Where the write index of a queue is, and its read index.
pub fn indices(number: u16) -> (u64, u64) {
    let HostQueue {
        write_index_address,
        read_index_address,
        ..
    } = queue(number, 1);
    (write_index_address, read_index_address)
}

/// The same step where messages overlap; `None` if it is left out there. What is left out depends on more than the
/// order in which messages are matched:
/// * ids of packets are given when the last packet of a message has come, so messages are of one packet;
/// * a full queue closes a portal entry with flow control some cycles after the match, so they go to another one;
/// * a queue fails when the answer to a write comes: which of the messages after it are stopped where is [another
///   test's](../node/failed_queue.rs).
pub fn racing(step: &Step) -> Option<Step> {
    let mut step = step.clone();
    let (length, portal) = match &mut step {
        Step::Call(_, Call::Transfer(transfer)) | Step::Triggered(.., Call::Transfer(transfer)) => {
            match transfer.kind {
                RequestKind::XtqPut { command_length } => {
                    let length = u64::from(command_length) + transfer.length;
                    (length, &mut transfer.portal)
                }
                _ => return Some(step),
            }
        }
        Step::Arrive(request) if matches!(request.kind, RequestKind::XtqPut { .. }) => {
            (request.rlength, &mut request.portal)
        }
        Step::Call(_, Call::Plain(Command::XtqRegister(_, Registration::Queue(queue)))) => {
            let addresses = [
                queue.base,
                queue.write_index_address,
                queue.read_index_address,
                queue.doorbell_address,
            ];
            return (!addresses.contains(&NOWHERE)).then_some(step);
        }
        _ => return Some(step),
    };
    if *portal == FLOW_CONTROL {
        *portal = Portal(0);
    }
    (length <= MTU as u64).then_some(step)
}
