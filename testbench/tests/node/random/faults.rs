//! Drawn memory faults on every kind of access, where the next messages will meet them.

use super::draw::{Draw, draw, favour, pick};
use super::world::{Process, QueuePlan, World};
use rand::Rng;
use xtq_testbench::bus::{Access, ErrorResponse, Fault};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::golden::Checked;
use xtq_testbench::tables::format::BYTES;
use xtq_types::tables::table_id;

const LINE: u64 = BYTES as u64;

/// Injects the fault that a seed gives.
pub fn inject(checked: &mut Checked, world: &World, seed: u64) {
    let draw = &mut draw(seed);
    let process = favour(draw, &world.processes);
    let queue = favour(draw, &process.queues);
    match draw.random_range(0..10) {
        0 => table(checked, process, draw),
        1 => payload(checked, process, draw),
        2..=5 => slot(checked, process, queue, draw),
        6 => word(checked, process, queue.queue.write_index_address, draw),
        7 => word(checked, process, queue.queue.doorbell_address, draw),
        8 => index_read(checked, process, queue, draw),
        _ => event(checked, process, draw),
    }
}

fn fault(process: &Process, access: Access, first: u64, bytes: u64, draw: &mut Draw) -> Fault {
    Fault {
        context: Some(process.context),
        addresses: first..=first + (bytes - 1),
        access,
        response: *pick(
            draw,
            &[ErrorResponse::SlaveError, ErrorResponse::DecodeError],
        ),
        code: draw.random_range(0..16),
        count: None,
    }
}

/// Writes an entry as it is once more: the NIC forgets it.
fn forget(checked: &mut Checked, process: &Process, table: u8, index: u16) -> u64 {
    let (base, _) = process.config.tables[usize::from(table)];
    let address = base + LINE * u64::from(index);
    let mut entry = [0; BYTES];
    checked
        .node
        .memory
        .memory(process.context)
        .read(address, &mut entry);
    checked
        .node
        .write_entry(process.context, table, index, &entry)
        .unwrap();
    address
}

fn table(checked: &mut Checked, process: &Process, draw: &mut Draw) {
    let table = draw.random_range(0..3);
    let index = match table {
        table_id::KERNEL => pick(draw, &process.kernels).0,
        table_id::FUNCTION => pick(draw, &process.functions).0,
        _ => pick(draw, &process.queues).index,
    };
    let address = forget(checked, process, table, index);
    checked.inject(fault(process, Access::Read, address, LINE, draw), 0);
}

fn payload(checked: &mut Checked, process: &Process, draw: &mut Draw) {
    let (entry, _) = pick(draw, &process.portals);
    let state = &checked.node.state.contexts[usize::from(process.context)];
    let portal = state.portals[usize::from(*entry)];
    let next = portal.start.wrapping_add(portal.offset);
    let line = (next + draw.random_range(0..700)) / LINE * LINE;
    checked.inject(fault(process, Access::Write, line, LINE, draw), 0);
}

/// A slot of the next few: its body, what comes after it (header word or repair), or all.
fn slot(checked: &mut Checked, process: &Process, queue: &QueuePlan, draw: &mut Draw) {
    let known = checked
        .node
        .state
        .queues
        .get(&(process.context, queue.index));
    let memory = checked.node.memory.memory(process.context);
    let write = match known.filter(|_| !queue.queue.shared) {
        Some(queue) => queue.write,
        None => memory.read_u64(queue.queue.write_index_address),
    };
    let id = write.wrapping_add(draw.random_range(0..3));
    let place = id % u64::from(queue.queue.size.max(1));
    let line = queue.queue.base.wrapping_add(LINE * place);
    let fault = fault(process, Access::Write, line, LINE, draw);
    match draw.random_range(0..4) {
        0 => checked.inject(fault, 0),
        spared => {
            let count = Some(1);
            checked.inject(Fault { count, ..fault }, spared - 1);
        }
    }
}

fn word(checked: &mut Checked, process: &Process, address: u64, draw: &mut Draw) {
    checked.inject(fault(process, Access::Write, address, 8, draw), 0);
}

/// Either index when the queue is opened.
fn index_read(checked: &mut Checked, process: &Process, queue: &QueuePlan, draw: &mut Draw) {
    forget(checked, process, table_id::QUEUE, queue.index);
    let words = [
        queue.queue.write_index_address,
        queue.queue.read_index_address,
    ];
    let address = *pick(draw, &words);
    checked.inject(fault(process, Access::Read, address, 8, draw), 0);
}

/// One of the next events, or all that come to its place.
fn event(checked: &mut Checked, process: &Process, draw: &mut Draw) {
    let ring = checked.node.state.contexts[usize::from(process.context)].events;
    let number = ring.produced.wrapping_add(draw.random_range(0..4));
    let place = ring.base + LINE * u64::from(number % ring.size.max(1));
    let count = *pick(draw, &[None, Some(1)]);
    let fault = fault(process, Access::Write, place, LINE, draw);
    checked.inject(Fault { count, ..fault }, 0);
}
