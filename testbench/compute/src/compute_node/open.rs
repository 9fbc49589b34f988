//! What every node has before time begins: its NIC's contexts with their rings, and the heap for everybody.

use super::{ALL, HEAP, HEAP_BYTES, HEAP_CONTEXT, HEAP_PORTAL, NO_EVENT, REACH};
use std::ops::Range;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::host::{
    Command, Event, MatchEntry, MemoryDescriptor, Process, ProcessConfig, Ring, md_option,
    me_option, portal_option, ptl_md_bind, ptl_me_append, ptl_pt_alloc,
};
use xtq_testbench::node::Node;

/// Where rings and tables of the NIC lie, and how far those of its contexts are apart.
pub(super) const RINGS: Range<u64> = 0x5000_0000..0x6000_0000;
const STRIDE: u64 = 0x10_0000;
const EVENTS_AFTER: u64 = 0x4_0000;
const TABLES_AFTER: u64 = 0x8_0000;
/// Places of the rings.
pub(super) const COMMANDS: u32 = 256;
pub(super) const EVENTS: u32 = 1024;
/// Bytes of a command and of an event.
pub(super) const COMMAND_BYTES: u64 = 128;
pub(super) const EVENT_BYTES: u64 = 64;
/// Entries of each table, none of which is used.
const TABLE: u32 = 64;
/// How often a command's end is looked for.
const LOOKS: u32 = 100_000;

fn process(context: u8) -> ProcessConfig {
    let base = RINGS.start + u64::from(context) * STRIDE;
    let table = |number: u64| (base + TABLES_AFTER + number * 0x1000, TABLE);
    ProcessConfig {
        commands: Ring {
            base,
            size: COMMANDS,
        },
        events: Ring {
            base: base + EVENTS_AFTER,
            size: EVENTS,
        },
        tables: [table(0), table(1), table(2)],
        user_id: 0,
    }
}

/// Address of a command's place.
pub(super) fn command_place(context: u8, count: u32) -> u64 {
    process(context).commands.base + u64::from(count % COMMANDS) * COMMAND_BYTES
}

/// Address of an event's place.
pub(super) fn event_place(context: u8, count: u32) -> u64 {
    process(context).events.base + u64::from(count % EVENTS) * EVENT_BYTES
}

fn objects(context: u8) -> Vec<Command> {
    let mut commands = vec![
        ptl_pt_alloc(HEAP_PORTAL, portal_option::MATCHING),
        ptl_md_bind(&MemoryDescriptor {
            md: ALL,
            start: 0,
            length: REACH,
            options: md_option::EVENTS | md_option::SEND_DISABLE,
            counter: None,
        }),
    ];
    if context == HEAP_CONTEXT {
        commands.push(ptl_me_append(&MatchEntry {
            pt_index: HEAP_PORTAL,
            start: HEAP,
            length: HEAP_BYTES,
            options: me_option::OP_PUT
                | me_option::OP_GET
                | me_option::LINK_DISABLE
                | me_option::COMM_DISABLE,
            ignore_bits: u64::MAX,
            ..MatchEntry::default()
        }));
    }
    commands
}

/// Opens a context of the NIC and gives it what it needs; commands in its ring and events taken from it so far. Errors:
/// as text.
pub(super) fn open(node: &mut Node, context: u8) -> Result<[u32; 2], String> {
    let opened = Process::open(node, context, &process(context));
    let mut process = opened.map_err(|error| error.to_string())?;
    for command in objects(context) {
        let command = command.with_completion();
        let posted = process.post(node, &command);
        let ended = posted
            .and_then(|()| process.wait_for(node, |event: &Event| event.result().is_some(), LOOKS));
        let ended = ended.map_err(|error| error.to_string())?;
        if let Some(Err(why)) = ended.result() {
            return Err(format!("context {context}: {why}"));
        }
    }
    for place in 0..EVENTS {
        let memory = node.memory.memory_mut(context);
        memory.write(event_place(context, place), &[NO_EVENT]);
    }
    Ok([process.posted(), process.consumed()])
}
