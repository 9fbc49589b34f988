//! Commands that no sane program posts, and mutants of those that it does.

use crate::fuzz::packets::ENDLESS;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use xtq_testbench::host::{Function, HostQueue, Kernel};
use xtq_testbench::tables::format::COMMAND;
use xtq_types::command::{COMMAND_BYTES, ENTRY_OFFSET, flag, operation as op};

pub type Bytes = [u8; COMMAND_BYTES];

/// Those that do most, drawn as often as all operations together.
const BUSY: [u8; 11] = [
    op::PUT,
    op::PUT,
    op::ATOMIC,
    op::FETCH_ATOMIC,
    op::SWAP,
    op::XTQ_PUT,
    op::ME_APPEND,
    op::ME_APPEND,
    op::CT_INC,
    op::XTQ_REGISTER_KERNEL,
    op::XTQ_REGISTER_FUNCTION,
];
/// Bits of lengths that are kept: a put of megabytes would hold up everything after it for as many cycles, which is no
/// hang.
const LENGTH: u64 = 0x3fff;

/// One of few values, or any.
fn few(random: &mut ChaCha8Rng, few: u64, any: u64) -> u64 {
    match random.random_range(0..30) {
        0 => random.random::<u64>() & any,
        _ => random.random_range(0..few),
    }
}

/// An address in the first 64 KiB, or any, or one near the end.
fn address(random: &mut ChaCha8Rng) -> u64 {
    match random.random_range(0..20) {
        0 => random.random(),
        1 => u64::MAX - random.random_range(0..5000),
        _ => random.random_range(0..0x1_0000),
    }
}

/// What a command may carry, all fields from small sets.
fn structured(random: &mut ChaCha8Rng) -> Bytes {
    let mut bytes = [0; COMMAND_BYTES];
    let operation = match random.random_bool(0.5) {
        true => BUSY[random.random_range(0..BUSY.len())],
        false => op::CODES[random.random_range(0..op::CODES.len())].value as u8,
    };
    let triggered = if random.random_bool(0.2) {
        flag::TRIGGERED
    } else {
        0
    };
    let rearms = if random.random_bool(if triggered > 0 { 0.3 } else { 0.01 }) {
        flag::REARM
    } else {
        0
    };
    // Seldom with a period of 0.
    let drawn = few(random, 6, 0xffff);
    let period = if rearms == 0 { 0 } else { drawn << 48 };
    let told = if random.random_bool(0.5) {
        flag::COMPLETION
    } else {
        0
    };
    // Of an atomic the operation usually is one of its call, and the data are whole.
    let swap = operation == op::SWAP;
    let is_atomic = swap || [op::ATOMIC, op::FETCH_ATOMIC].contains(&operation);
    let atomic = match random.random_bool(0.9) {
        true if swap => random.random_range(10..18),
        true if is_atomic => random.random_range(0..10),
        _ => few(random, 18, 0xff),
    };
    let length = match is_atomic && random.random_bool(0.7) {
        true if atomic > 10 => [1, 2, 4, 8][random.random_range(0..4)],
        true => 8 * random.random_range(0..65),
        false => few(random, 300, u64::MAX),
    };
    let options = random.random::<u64>() & random.random::<u64>() & 0xe00f_ffff;
    let fields = [
        ("operation", operation.into()),
        ("flags", (triggered | rearms | told).into()),
        ("trigger_counter", few(random, 4, 0xffff)),
        ("threshold", period | few(random, 6, u64::MAX)),
        ("ack_request", few(random, 4, 0xff)),
        ("atomic", atomic),
        ("datatype", few(random, 12, 0xff)),
        ("list", few(random, 2, 0xff)),
        ("user_pointer", random.random()),
        ("descriptor", few(random, 4, 0xffff)),
        ("second_descriptor", few(random, 4, 0xffff)),
        ("counter", few(random, 4, 0xffff)),
        ("entry", few(random, 16, 0xffff)),
        ("portal_index", few(random, 8, 0xffff)),
        ("node", few(random, 10, 0xffff)),
        ("context", few(random, 4, 0xff)),
        (
            "command_length",
            [64, 64, 80, 96, 7][random.random_range(0..5)],
        ),
        // Usually for everybody, and to be written to.
        (
            "options",
            options
                | if random.random_bool(0.8) {
                    0xe000_0002
                } else {
                    0
                },
        ),
        ("user_id", few(random, 3, 0xffff_ffff)),
        ("match_bits", few(random, 3, u64::MAX)),
        (
            "ignore_bits",
            if random.random_bool(0.3) {
                u64::MAX
            } else {
                few(random, 4, u64::MAX)
            },
        ),
        // Sends stay in their descriptors, mostly.
        (
            "start",
            match operation {
                op::PUT | op::XTQ_PUT | op::ATOMIC | op::FETCH_ATOMIC | op::SWAP => {
                    few(random, 0x1000, u64::MAX)
                }
                _ => address(random),
            },
        ),
        ("length", length),
        ("remote_offset", few(random, 70, u64::MAX)),
        ("second_start", few(random, 70, u64::MAX)),
        ("operand", random.random()),
    ];
    for (name, value) in fields {
        COMMAND.set(&mut bytes, name, value);
    }
    let entry = match operation {
        op::XTQ_REGISTER_KERNEL => Kernel {
            kernel: 0x77,
            kernarg_size: [0, 16, 32, 64][random.random_range(0..4)],
            rewrite_offset: [0, 8][random.random_range(0..2)],
            ..Kernel::default()
        }
        .entry(),
        op::XTQ_REGISTER_FUNCTION => Function {
            function: 0x99,
            buffer_pointer: random.random_range(0..2) * 0x4000,
        }
        .entry(),
        op::XTQ_REGISTER_QUEUE => queue(random.random_range(0..4)).entry(),
        _ => return bytes,
    };
    bytes[ENTRY_OFFSET..].copy_from_slice(&entry);
    COMMAND.set(&mut bytes, "entry", few(random, 4, 0xffff));
    bytes
}

/// The queues of a context.
pub fn queue(index: u64) -> HostQueue {
    let base = 0x2_0000 + 0x1000 * index;
    HostQueue {
        base,
        size: 2 << index,
        write_index_address: base + 0x800,
        read_index_address: base + 0x840,
        doorbell_address: base + 0x880,
        doorbell_plus_one: false,
        shared: false,
    }
}

/// A command: noise, or from small sets, often with something changed. Some may wait again when they have fired.
pub fn command(random: &mut ChaCha8Rng, rearms: bool) -> Bytes {
    let mut bytes = [0; COMMAND_BYTES];
    if random.random_bool(0.1) {
        random.fill(&mut bytes[..]);
    } else {
        bytes = structured(random);
        if random.random_bool(0.3) {
            let fields = COMMAND.fields();
            let field = &fields[random.random_range(0..fields.len())];
            COMMAND.set(&mut bytes, field.name, random.random());
        }
        if random.random_bool(0.1) {
            let bit = random.random_range(0..8 * COMMAND_BYTES);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
    if !rearms {
        // The flags are the second byte.
        bytes[1] &= !flag::REARM;
    }
    if bytes[0] != op::MD_BIND && bytes[0] != op::ME_APPEND {
        let length = COMMAND.get(&bytes, "length");
        COMMAND.set(&mut bytes, "length", length & LENGTH);
    }
    bytes
}

/// What a context is given again before each batch, so that commands and packets find something; `first` is the number
/// of the first of six match entries.
pub fn furniture(first: u16) -> Vec<xtq_testbench::host::Command> {
    use xtq_testbench::host::{
        Ct, List, MatchEntry, Md, Me, MemoryDescriptor, Pt, md_option, me_option, portal_option,
        ptl_ct_alloc, ptl_md_bind, ptl_me_append, ptl_me_unlink, ptl_pt_alloc, ptl_pt_enable,
        xtq_register_function, xtq_register_kernel, xtq_register_queue,
    };
    let portals = (0..6).flat_map(|index| {
        let flow = if index % 2 == 0 {
            portal_option::FLOW_CONTROL
        } else {
            0
        };
        let matching = if index < 5 {
            portal_option::MATCHING
        } else {
            0
        };
        [
            ptl_pt_alloc(Pt(index), flow | matching),
            ptl_pt_enable(Pt(index)),
        ]
    });
    // An entry each that takes everything, a third of them in the overflow list, where those of the random commands
    // come first. A new one, as the old one may be full.
    let entries = (0..6).flat_map(|index| {
        let list = if index % 3 == 2 {
            List::Overflow
        } else {
            List::Priority
        };
        let managed = if index == ENDLESS {
            0
        } else {
            me_option::MANAGE_LOCAL
        };
        let everything = MatchEntry {
            me: Me(first + index),
            pt_index: Pt(index),
            list,
            start: 0x4000 + 0x2000 * u64::from(index),
            length: 0x2000,
            options: me_option::OP_PUT | me_option::OP_GET | managed,
            ignore_bits: u64::MAX,
            ..MatchEntry::default()
        };
        [ptl_me_unlink(Me(first + index)), ptl_me_append(&everything)]
    });
    let tasks = (0..4).flat_map(|index| {
        let kernel = Kernel {
            kernel: 0x77,
            kernarg_size: 16 * u32::from(index),
            rewrite_offset: 0,
            ..Kernel::default()
        };
        let function = Function {
            function: 0x99,
            buffer_pointer: 0x4000,
        };
        [
            xtq_register_kernel(index, &kernel),
            xtq_register_function(index, &function),
        ]
    });
    let counters = (0..4).map(|ct| ptl_ct_alloc(Ct(ct)));
    let descriptors = (0..4).map(|md| {
        ptl_md_bind(&MemoryDescriptor {
            md: Md(md),
            start: 0x1000 * u64::from(md),
            length: 0x2000,
            options: md_option::EVENTS
                | md_option::CT_ACK
                | md_option::CT_SEND
                | md_option::CT_REPLY,
            counter: Some(Ct(md)),
        })
    });
    let queues = (0..4).map(|index| xtq_register_queue(index, &queue(index.into())));
    portals
        .chain(counters)
        .chain(descriptors)
        .chain(queues)
        .chain(entries)
        .chain(tasks)
        .collect()
}
