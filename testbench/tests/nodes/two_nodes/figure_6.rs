//! The program of the XTQ paper's figure 6, from host to signal.

use xtq_testbench::aql::{Layout, encode};
use xtq_testbench::bus::Access;
use xtq_testbench::host::{
    AckRequest, CommandError, Ct, Event, EventKind, Kernel, MatchEntry, Md, ProcessId, Put,
    Trigger, XtqPut, me_option, portal_option, ptl_ct_alloc, ptl_md_release, ptl_me_append,
    ptl_pt_alloc, ptl_put, xtq_put, xtq_register_kernel, xtq_register_queue,
};
use xtq_testbench::node::GpuTiming;
use xtq_testbench::signals::Signals;
use xtq_testbench::tables::HostQueue;
use xtq_types::event::{access, status};
use xtq_types::wire_header::ni_fail;

use super::fixture::{
    LANDING, LISTS, SOURCE, TARGET, World, bind, entry, fault, kinds, pattern, put,
};

const KERNEL: u64 = 0x5000_0000;
const SIGNAL: u64 = 0x6000_0000;
const TARGET_BUFFER: u64 = 0x7000_0000;

fn queue() -> HostQueue {
    HostQueue {
        base: 0x3000_0000,
        size: 16,
        write_index_address: 0x3001_0000,
        read_index_address: 0x3001_0080,
        doorbell_address: 0x3002_0000,
        ..HostQueue::default()
    }
}

/// Bytes of the arguments of kernel 42.
pub const ARGUMENTS: usize = 32;

/// Two nodes; the second has registered, by commands, kernel 42 and queue 5, which a GPU empties.
pub fn world_with_kernel() -> World {
    let mut world = World::two();
    let node = &mut world.cluster.nodes_mut()[1];
    node.create_queue(0, &queue());
    node.attach_gpu(0, &queue(), GpuTiming::default()).unwrap();
    node.memory.memory_mut(0).store_signal(SIGNAL, 1);
    let kernel = Kernel {
        kernel: KERNEL,
        kernarg_size: ARGUMENTS as u32,
        rewrite_offset: 8,
        buffer_pointer: TARGET_BUFFER,
        completion_signal: SIGNAL,
    };
    let registrations = [
        xtq_register_kernel(42, &kernel).with_completion(),
        xtq_register_queue(5, &queue()).with_completion(),
    ];
    let told = world.run(1, &registrations);
    let results: Vec<_> = told.iter().map(|event| event.result()).collect();
    assert_eq!(results, [Some(Ok(())), Some(Ok(()))]);
    world
}

/// A task for kernel 42 in queue 5, as its sender writes it.
pub fn packet() -> [u8; 64] {
    let fields = [
        ("header", 0x1402),
        ("setup", 1),
        ("workgroup_size_x", 64),
        ("workgroup_size_y", 1),
        ("workgroup_size_z", 1),
        ("grid_size_x", 1024),
        ("grid_size_y", 1),
        ("grid_size_z", 1),
        ("kernel_object", 42),
        ("reserved2", 5),
    ];
    let packet = encode(Layout::KernelDispatch, fields).unwrap();
    packet.try_into().expect("64 bytes")
}

/// The first task has been reported, has landed, was rewritten and has run.
pub fn check_task(world: &mut World, arguments: &[u8], payload: &[u8]) {
    let delivered = world.events(1);
    check_delivered(world, &delivered, arguments, payload);
}

fn check_delivered(world: &World, delivered: &[Event], arguments: &[u8], payload: &[u8]) {
    assert_eq!(delivered.len(), 1, "{delivered:?}");
    let event = &delivered[0];
    assert_eq!(
        (event.kind, event.status, event.packet_id()),
        (EventKind::XtqPut, status::OK, Some(0))
    );
    assert_eq!((event.user_id, event.initiator.node), (100, 0));
    assert_eq!(world.read(1, LANDING + 96, payload.len()), payload);
    let rewritten = world.read(1, LANDING + 64, ARGUMENTS);
    assert_eq!(rewritten[..8], arguments[..8]);
    assert_eq!(rewritten[8..16], TARGET_BUFFER.to_le_bytes());
    assert_eq!(rewritten[16..24], (LANDING + 96).to_le_bytes());
    assert_eq!(rewritten[24..], arguments[24..]);
    let node = &world.cluster.nodes()[1];
    assert_eq!(node.gpus()[0].error(), None);
    let signal = node.memory.memory(0).load_signal(SIGNAL);
    assert_eq!(signal, 0, "the task has run");
    assert_eq!(node.gpus()[0].runs().len(), 1);
}

#[test]
fn a_task_that_one_host_sends_runs_on_the_gpu_of_another() {
    let mut world = world_with_kernel();
    // The initiator sends kernel index and payload from two descriptors.
    let arguments = pattern(ARGUMENTS, 3);
    let payload = pattern(1000, 4);
    world.write(0, SOURCE, &packet());
    world.write(0, SOURCE + 64, &arguments);
    world.write(0, SOURCE + 0x2345, &payload);
    world.post(0, &[bind(1, SOURCE + 0x2345, 1000).with_completion()]);
    let put = xtq_put(&XtqPut {
        command_md: Md(0),
        command_offset: 0,
        command_length: 96,
        payload: Put {
            md: Md(1),
            length: 1000,
            ack: AckRequest::Ack,
            target: TARGET,
            user_ptr: 0xabcd,
            hdr_data: 99,
            ..Put::default()
        },
    });
    let told = world.run(0, &[put]);
    let kinds: Vec<EventKind> = told.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventKind::Command, EventKind::Send, EventKind::Ack]);
    assert_eq!((told[1].status, told[1].user_ptr()), (0, Some(0xabcd)));
    assert_eq!((told[2].ni_fail, told[2].mlength), (0, 1096));
    check_task(&mut world, &arguments, &payload);
}

#[test]
fn a_task_is_sent_when_its_counter_is_reached_with_both_hosts_asleep() {
    let mut world = world_with_kernel();
    let (arguments, payload) = (pattern(ARGUMENTS, 5), pattern(200, 6));
    world.write(0, SOURCE, &packet());
    world.write(0, SOURCE + 64, &arguments);
    world.write(0, SOURCE + 96, &payload);
    let task = XtqPut {
        command_md: Md(0),
        command_offset: 0,
        command_length: 96,
        payload: Put {
            md: Md(0),
            local_offset: 96,
            length: 200,
            target: TARGET,
            ..Put::default()
        },
    };
    // The second of two puts of node 1 to a counting entry of node 0 fires it.
    let counting = MatchEntry {
        options: me_option::OP_PUT
            | me_option::CT_COMM
            | me_option::LINK_DISABLE
            | me_option::COMM_DISABLE,
        counter: Some(Ct(3)),
        ..entry(1, 5, 64)
    };
    let commands = [
        ptl_ct_alloc(Ct(3)),
        ptl_pt_alloc(LISTS, portal_option::MATCHING),
        ptl_me_append(&counting),
        xtq_put(&task).triggered(Trigger {
            counter: Ct(3),
            threshold: 2,
        }),
    ];
    assert_eq!(world.run(0, &commands), []);
    let origin = ProcessId {
        node: 0,
        context: 0,
    };
    let ready = || {
        ptl_put(&Put {
            target: origin,
            ..put(0, 8, 0)
        })
    };
    world.run(1, &[ready()]);
    assert_eq!(world.cluster.nodes()[1].gpus()[0].runs().len(), 0);
    world.post(1, &[ready()]);
    world.settle();
    let told = world.events(0);
    assert_eq!(kinds(&told), [EventKind::Send]);
    let sent = |event: &Event| event.kind == EventKind::Send;
    let told = world.events(1);
    assert!(told.iter().any(sent));
    let delivered: Vec<_> = told.into_iter().filter(|event| !sent(event)).collect();
    check_delivered(&world, &delivered, &arguments, &payload);
}

/// Of an XTQ put nothing may be missing, so it is not cut.
#[test]
fn a_task_that_is_longer_than_its_target_takes_is_refused() {
    for (limit, fits) in [
        (296, true),
        (295, false),
        (96, false),
        (63, false),
        (0, false),
    ] {
        let mut world = world_with_kernel();
        let node = &mut world.cluster.nodes_mut()[1];
        node.set_size_limits(0, limit, 0).unwrap();
        let commands = [
            ptl_pt_alloc(LISTS, portal_option::MATCHING),
            ptl_me_append(&entry(1, 5, 4096)),
        ];
        assert_eq!(world.run(1, &commands), []);
        world.write(0, SOURCE, &packet());
        let task = xtq_put(&XtqPut {
            command_md: Md(0),
            command_offset: 0,
            command_length: 96,
            payload: Put {
                ack: AckRequest::Ack,
                ..put(96, 200, 0)
            },
        });
        world.post(0, &[task]);
        world.settle();
        let delivered = world.events(1);
        let ends: Vec<_> = delivered.iter().map(|event| event.status).collect();
        let end = match fits {
            true => status::OK,
            false => status::BUFFER_TOO_SMALL,
        };
        assert_eq!(ends, [end], "{limit}");
        let told = world.events(0);
        let answer = told.iter().find(|event| event.kind == EventKind::Ack);
        let answered_ok = answer.expect("it is answered").ni_fail == ni_fail::OK;
        assert_eq!(answered_ok, fits, "{limit}");
        let runs = world.cluster.nodes()[1].gpus()[0].runs().len();
        assert_eq!(runs, usize::from(fits), "{limit}");
    }
}

#[test]
fn a_task_whose_packet_cannot_be_read_is_refused_and_its_sender_told() {
    for (command_length, length) in [(64, 0), (64, 10), (96, 0), (96, 5000), (4160, 0)] {
        let mut world = World::two();
        world.write(0, SOURCE, &pattern(5200, 3));
        fault(&mut world, 0, SOURCE..=SOURCE + 63, Access::Read);
        let put = xtq_put(&XtqPut {
            command_md: Md(0),
            command_offset: 0,
            command_length,
            payload: Put {
                md: Md(0),
                length,
                ack: AckRequest::Ack,
                target: TARGET,
                user_ptr: 7,
                ..Put::default()
            },
        });
        world.post(0, &[put]);
        world.settle();
        let told = world.events(0);
        let about = |kind| told.iter().find(|event| event.kind == kind);
        let sent = about(EventKind::Send).expect("it has left");
        assert_eq!(
            (sent.status, sent.access),
            (status::MEMORY_ERROR, access::GATHER)
        );
        let answered = about(EventKind::Ack).expect("it is answered");
        assert_ne!(answered.ni_fail, ni_fail::OK, "{command_length}, {length}");
        let delivered = world.events(1);
        assert!(delivered.iter().all(|event| event.status != status::OK));
        // Nothing holds the descriptor any more.
        world.post(0, &[ptl_md_release(Md(0)).with_completion()]);
        world.settle();
        assert_eq!(world.events(0)[0].result(), Some(Ok(())));
    }
}

#[test]
fn an_index_that_is_not_in_the_table_is_told_and_the_next_registration_works() {
    let mut world = World::two();
    let commands = [
        xtq_register_queue(64, &queue()),
        xtq_register_queue(63, &queue()).with_completion(),
    ];
    world.post(1, &commands);
    world.settle();
    let results: Vec<_> = world.events(1).iter().map(|e| e.result()).collect();
    assert_eq!(results, [Some(Err(CommandError::BadIndex)), Some(Ok(()))]);
}
