//! What every node has before time begins: portal entries, descriptors, rooms, the GPU's kernel and queue.

use super::codes::{Role, kind};
use super::layout::{self, FLUSH_ENTRY, KERNEL, REACH, ROOM_BYTES, ROOMS};
use super::{Job, Options, Way};
use crate::gpu::CombineKernel;
use crate::{Machine, MachineError};
use std::sync::Arc;
use xtq_testbench::host::{
    Command, HostQueue, Kernel, List, MatchEntry, Me, MemoryDescriptor, md_option, me_option,
    portal_option, ptl_md_bind, ptl_me_append, ptl_pt_alloc, xtq_register_kernel,
    xtq_register_queue,
};

/// What matches everything.
const ANY: u64 = u64::MAX;

/// Sets up the library on every node of a machine that has not begun. Errors: of the machine.
pub fn set_up(machine: &mut Machine, options: &Options) -> Result<Job, MachineError> {
    let ranks = machine.nodes();
    let (landing, bytes) = layout::landing(options, ranks);
    if landing.saturating_add(bytes) > layout::HEAP {
        let room = layout::HEAP - landing;
        let why = format!("landing places of {bytes} bytes: there is room for {room}");
        return Err(MachineError::Node { node: 0, why });
    }
    let mut queue = HostQueue::default();
    for node in 0..ranks {
        queue = machine.create_queue(node, layout::QUEUE)?;
        let mut commands = objects(options, ranks);
        if options.way == Way::Xtq {
            commands.extend((0..ranks).map(|rank| kernel(options, rank)));
            commands.push(xtq_register_queue(layout::QUEUE, &queue));
        }
        machine.set_up(node, &commands)?;
    }
    machine.add_kernel(KERNEL, Arc::new(CombineKernel(options.combine)));
    Ok(Job {
        options: *options,
        queue,
    })
}

/// The kernel as a rank names it: what it changes is the window, and each rank has a signal of its own.
fn kernel(options: &Options, rank: usize) -> Command {
    let kernel = Kernel {
        kernel: KERNEL,
        kernarg_size: layout::ARGUMENTS as u32,
        rewrite_offset: 0,
        buffer_pointer: options.window.address,
        completion_signal: layout::task_signal(rank),
    };
    xtq_register_kernel(rank as u16, &kernel)
}

/// Portal entries, descriptors and the match entries that stay.
fn objects(options: &Options, ranks: usize) -> Vec<Command> {
    let portals = [
        layout::MESSAGES,
        layout::DATA,
        layout::TASKS,
        layout::WINDOW,
        layout::CONTROL,
    ];
    let mut commands: Vec<Command> = portals
        .into_iter()
        .map(|portal| ptl_pt_alloc(portal, portal_option::MATCHING))
        .collect();
    for (md, options) in [(layout::ALL, md_option::EVENTS), (layout::SILENT, 0)] {
        commands.push(ptl_md_bind(&MemoryDescriptor {
            md,
            start: 0,
            length: REACH,
            options,
            counter: None,
        }));
    }
    let eager = options.library.eager_bytes;
    commands.extend((0..ROOMS).map(|number| room(number, eager)));
    let put = me_option::OP_PUT | me_option::LINK_DISABLE;
    let (landing, landing_bytes) = layout::landing(options, ranks);
    let entries = [
        MatchEntry {
            me: layout::TASKS_ENTRY,
            pt_index: layout::TASKS,
            start: landing,
            length: landing_bytes,
            options: put | me_option::COMM_DISABLE,
            ignore_bits: ANY,
            ..MatchEntry::default()
        },
        MatchEntry {
            me: layout::WINDOW_ENTRY,
            pt_index: layout::WINDOW,
            start: options.window.address,
            length: options.window.bytes,
            options: put,
            ignore_bits: ANY,
            user_ptr: Role::Window.pointer(0),
            ..MatchEntry::default()
        },
        control(layout::ACK_ENTRY, kind::ACK, Role::Ack),
        control(FLUSH_ENTRY, kind::FLUSH, Role::Flush),
    ];
    commands.extend(entries.iter().map(ptl_me_append));
    commands
}

/// The entry of messages without data that are distinguished by their kind.
fn control(me: Me, kind: u64, role: Role) -> MatchEntry {
    MatchEntry {
        me,
        pt_index: layout::CONTROL,
        options: me_option::OP_PUT | me_option::LINK_DISABLE,
        match_bits: kind,
        user_ptr: role.pointer(0),
        ..MatchEntry::default()
    }
}

/// Appends a room for unexpected messages of so many bytes at most.
pub(super) fn room(number: u16, eager: u64) -> Command {
    ptl_me_append(&MatchEntry {
        me: Me(number),
        pt_index: layout::MESSAGES,
        list: List::Overflow,
        start: layout::room(number),
        length: ROOM_BYTES,
        options: me_option::OP_PUT
            | me_option::MANAGE_LOCAL
            | me_option::COMM_DISABLE
            | me_option::LINK_DISABLE,
        ignore_bits: ANY,
        min_free: eager,
        user_ptr: Role::Room.pointer(number.into()),
        ..MatchEntry::default()
    })
}
