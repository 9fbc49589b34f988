//! A context is given from one process to another: nothing of the first is left.

use xtq_testbench::aql::{Layout, encode};
use xtq_testbench::host::{
    AckRequest, Command, CounterValue, Ct, EventKind, Kernel, List, MatchEntry, Md, Me, Process,
    ProcessConfig, ProcessError, ProcessId, Pt, Put, Trigger, XtqPut, me_option, portal_option,
    ptl_ct_alloc, ptl_ct_get, ptl_ct_inc, ptl_me_append, ptl_pt_alloc, ptl_put, ptl_triggered_put,
    xtq_put, xtq_register_kernel, xtq_register_queue,
};
use xtq_testbench::node::Buffer;
use xtq_testbench::tables::HostQueue;
use xtq_types::event::status;

use super::fixture::{LANDING, LANDING_BYTES, SOURCE, TARGET, World, bind, pattern};

const LOOKS: u32 = 1000;

fn entry(me: u16, pt: u16, list: List) -> MatchEntry {
    MatchEntry {
        me: Me(me),
        pt_index: Pt(pt),
        list,
        start: LANDING,
        length: 0x1000,
        options: me_option::OP_PUT | me_option::MANAGE_LOCAL | me_option::LINK_DISABLE,
        ignore_bits: u64::MAX,
        ..MatchEntry::default()
    }
}

fn put(target: ProcessId, pt: u16, ack: AckRequest) -> Put {
    Put {
        md: Md(0),
        length: 64,
        ack,
        target,
        pt_index: Pt(pt),
        ..Put::default()
    }
}

/// As many of everything as there may be; also of portal entry 0, which was the fixture's single buffer.
fn everything() -> Vec<Command> {
    let mut commands = Vec::new();
    for number in 0..64 {
        commands.push(ptl_ct_alloc(Ct(number)));
        commands.push(bind(number, SOURCE, 4096));
        commands.push(ptl_pt_alloc(Pt(number), portal_option::MATCHING));
        let list = [List::Priority, List::Overflow][usize::from(number % 2)];
        commands.push(ptl_me_append(&entry(number, number, list)));
    }
    commands
}

/// Posts these in pieces that fit the ring; each must end well.
fn must(world: &mut World, node: usize, commands: &[Command]) {
    for some in commands.chunks(32) {
        let some: Vec<_> = some
            .iter()
            .map(|command| command.clone().with_completion())
            .collect();
        for event in world.run(node, &some) {
            assert!(!matches!(event.result(), Some(Err(_))), "{event:?}");
        }
    }
}

/// Two nodes; the process of node 1 has one of everything, headers, and puts that wait.
fn busy() -> World {
    let mut world = World::two();
    world.write(0, SOURCE, &pattern(64, 1));
    // The fixture has bound a descriptor.
    world.processes[1]
        .close(&mut world.cluster.port(1), LOOKS)
        .unwrap();
    reopen(&mut world, 7);
    must(&mut world, 1, &everything());
    let origin = ProcessId {
        node: 0,
        context: 0,
    };
    let waiting: Vec<_> = (0..8u16)
        .map(|i| {
            let (counter, threshold) = (Ct(i), 1);
            let trigger = Trigger { counter, threshold };
            ptl_triggered_put(&put(origin, 0, AckRequest::None), trigger)
        })
        .collect();
    must(&mut world, 1, &waiting);
    // Into overflow lists: they leave headers.
    let unexpected: Vec<_> = (1..16)
        .step_by(2)
        .map(|pt| ptl_put(&put(TARGET, pt, AckRequest::None)))
        .collect();
    must(&mut world, 0, &unexpected);
    world
}

/// Another process in context 0 of node 1.
fn reopen(world: &mut World, user_id: u32) {
    let config = ProcessConfig {
        user_id,
        ..ProcessConfig::default()
    };
    let mut port = world.cluster.port(1);
    world.processes[1] = Process::open(&mut port, 0, &config).unwrap();
}

/// Nothing takes a put of node 0.
fn is_refused(world: &mut World) {
    let told = world.run(0, &[ptl_put(&put(TARGET, 5, AckRequest::Ack))]);
    assert!(
        told.iter()
            .any(|event| event.kind == EventKind::Ack && event.ni_fail != 0),
        "{told:?}"
    );
}

#[test]
fn the_next_process_finds_nothing_of_the_one_before() {
    let mut world = busy();
    let before = world.read(0, LANDING, 4096);
    world.processes[1]
        .close(&mut world.cluster.port(1), LOOKS)
        .unwrap();
    // Nobody is there.
    world.events(0);
    is_refused(&mut world);

    reopen(&mut world, 8);
    is_refused(&mut world);
    assert_eq!(world.events(1), []);
    // Everything is free again; counters are zero, and nothing waits for them.
    must(&mut world, 1, &everything());
    let one = CounterValue {
        success: 1,
        failure: 0,
    };
    for ct in (0..64).map(Ct) {
        let get = ptl_ct_get(ct).with_completion();
        let told = world.run(1, &[get, ptl_ct_inc(ct, one)]);
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0].counter(), CounterValue::default());
    }
    let landed = world.read(0, LANDING, 4096);
    assert_eq!(landed, before, "a put of the first process fired");
}

/// Node 0 sends kernel 42 for queue 5; what is reported to node 1.
fn task(world: &mut World) -> Vec<u8> {
    let fields = [
        ("header", 0x1402),
        ("setup", 1),
        ("kernel_object", 42),
        ("reserved2", 5),
    ];
    let packet = encode(Layout::KernelDispatch, fields).unwrap();
    world.write(0, SOURCE, &packet);
    let task = xtq_put(&XtqPut {
        command_md: Md(0),
        command_offset: 0,
        command_length: 64,
        payload: put(TARGET, 0, AckRequest::None),
    });
    world.post(0, &[task]);
    world.settle();
    world.events(0);
    world.events(1).iter().map(|event| event.status).collect()
}

#[test]
fn what_the_nic_has_kept_of_the_tables_is_forgotten() {
    let queue = HostQueue {
        base: 0x3000_0000,
        size: 16,
        write_index_address: 0x3001_0000,
        read_index_address: 0x3001_0080,
        doorbell_address: 0x3002_0000,
        ..HostQueue::default()
    };
    let mut world = World::two();
    let registrations = [
        xtq_register_kernel(42, &Kernel::default()),
        xtq_register_queue(5, &queue),
    ];
    must(&mut world, 1, &registrations);
    assert_eq!(task(&mut world), [status::OK]);
    world.processes[1]
        .close(&mut world.cluster.port(1), LOOKS)
        .unwrap();
    // The next process has empty tables, and the same buffer.
    world.write(1, 0x1000_0000, &[0; 0x3000]);
    reopen(&mut world, 8);
    let buffer = Buffer::new(LANDING, LANDING_BYTES);
    let node = &mut world.cluster.nodes_mut()[1];
    node.post_buffer(0, 0, &buffer).unwrap();
    assert_eq!(task(&mut world), [status::BAD_KERNEL_INDEX]);
    must(&mut world, 1, &registrations[..1]);
    assert_eq!(task(&mut world), [status::BAD_QUEUE_INDEX]);
}

#[test]
fn a_process_whose_messages_have_not_ended_is_not_closed() {
    let mut world = World::two();
    // Nobody answers for a node that does not exist.
    let nowhere = ProcessId {
        node: 9,
        context: 0,
    };
    world.post(0, &[ptl_put(&put(nowhere, 0, AckRequest::Ack))]);
    world.settle();
    let mut port = world.cluster.port(0);
    let closed = world.processes[0].close(&mut port, LOOKS);
    assert!(matches!(closed, Err(ProcessError::InUse(1))), "{closed:?}");
}
