//! Messages to contexts that take none: this is reported to their senders, and nothing else happens.

use xtq_testbench::host::{
    AckRequest, Command, Ct, Event, EventKind, Get, Md, MemoryDescriptor, NicPort, ProcessId, Put,
    fence, md_option, ptl_ct_alloc, ptl_ct_get, ptl_get, ptl_md_bind, ptl_md_release, ptl_put,
};
use xtq_types::event::status;
use xtq_types::register_map::context;
use xtq_types::wire_header::ni_fail;

use super::fixture::{LANDING, SOURCE, TARGET, World, pattern};

/// A context of node 1 that nobody has opened.
const CLOSED: ProcessId = ProcessId {
    node: 1,
    context: 2,
};

fn put(target: ProcessId, length: u64, ack: AckRequest) -> Command {
    ptl_put(&Put {
        length,
        ack,
        target,
        user_ptr: length,
        ..Put::default()
    })
}

fn get(target: ProcessId, length: u64) -> Command {
    ptl_get(&Get {
        length,
        target,
        ..Get::default()
    })
}

/// Kind, status, `ni_fail` and bytes of what is reported of answers.
fn answers(events: &[Event]) -> Vec<(EventKind, u8, u8, u32)> {
    let told = events.iter().filter(|event| event.kind != EventKind::Send);
    told.map(|event| (event.kind, event.status, event.ni_fail, event.mlength))
        .collect()
}

fn refused(kind: EventKind) -> (EventKind, u8, u8, u32) {
    (kind, status::BAD_CONTEXT, ni_fail::UNDELIVERABLE, 0)
}

/// What the registers of the closed context show.
fn registers(world: &mut World, number: u32) -> [u32; 5] {
    let mut port = world.cluster.port(1);
    let offsets = [
        context::EQ_PRODUCER,
        context::EQ_DROPPED,
        context::ERROR_CAUSE,
        context::DROP_COUNT,
        context::ENABLE,
    ];
    offsets.map(|offset| {
        let address = context::PAGE_BYTES * (1 + number) + offset;
        port.read(address as u16).unwrap()
    })
}

#[test]
fn a_put_or_get_to_a_context_that_nobody_has_opened_is_told_as_failed() {
    let mut world = World::two();
    world.write(0, SOURCE, &pattern(10_000, 1));
    let before = registers(&mut world, 2);
    for length in [0, 1, 64, 4096, 9000] {
        world.post(
            0,
            &[
                put(CLOSED, length, AckRequest::Ack),
                get(CLOSED, length),
                put(CLOSED, length, AckRequest::None),
            ],
        );
        world.settle();
        let told = answers(&world.events(0));
        assert_eq!(told, [refused(EventKind::Ack), refused(EventKind::Reply)]);
    }
    assert_eq!(world.read(0, SOURCE, 10_000), pattern(10_000, 1));
    assert_eq!(registers(&mut world, 2), before);
    let memory = world.cluster.nodes()[1].memory.memory(2);
    assert_eq!(memory.pages().count(), 0, "nothing is written");
    // Nothing is left behind: the descriptor is in nobody's hands.
    world.post(0, &[ptl_md_release(Md(0)).with_completion()]);
    world.settle();
    assert_eq!(world.events(0)[0].result(), Some(Ok(())));
}

#[test]
fn refused_messages_keep_no_place_and_a_fence_behind_them_ends() {
    let mut world = World::two();
    let kinds = [AckRequest::Ack, AckRequest::Ct, AckRequest::Oc];
    // More than a context has places.
    for round in 0..10 {
        let puts = (0..10).map(|i| put(CLOSED, 8 * i, kinds[(round + i as usize) % 3]));
        let gets = (0..10).map(|i| get(CLOSED, i));
        world.post(0, &puts.chain(gets).collect::<Vec<_>>());
        world.settle();
        world.events(0);
    }
    world.post(
        0,
        &[fence().with_completion(), put(TARGET, 5, AckRequest::Ack)],
    );
    world.settle();
    let told = answers(&world.events(0));
    let delivered = (EventKind::Ack, status::OK, ni_fail::OK, 5);
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!((told[0].0, told[1]), (EventKind::Command, delivered));
}

#[test]
fn a_refusal_counts_a_failure_and_of_an_oc_acknowledgement_an_operation() {
    let mut world = World::two();
    let counting = MemoryDescriptor {
        md: Md(1),
        start: SOURCE,
        length: 4096,
        options: md_option::CT_ACK | md_option::CT_REPLY | md_option::CT_BYTES,
        counter: Some(Ct(0)),
    };
    let from = |ack| {
        ptl_put(&Put {
            md: Md(1),
            length: 9,
            ack,
            target: CLOSED,
            ..Put::default()
        })
    };
    let read = ptl_get(&Get {
        md: Md(1),
        length: 9,
        target: CLOSED,
        ..Get::default()
    });
    world.post(
        0,
        &[
            ptl_ct_alloc(Ct(0)),
            ptl_md_bind(&counting),
            from(AckRequest::Ct),
            from(AckRequest::Ack),
            from(AckRequest::Oc),
            read,
        ],
    );
    world.settle();
    world.post(0, &[ptl_ct_get(Ct(0)).with_completion()]);
    world.settle();
    let counter = world.events(0).pop().unwrap().counter();
    assert_eq!((counter.success, counter.failure), (1, 3));
}

#[test]
fn a_context_that_was_closed_refuses_and_one_that_is_opened_again_takes() {
    let mut world = World::two();
    world.write(0, SOURCE, &pattern(64, 1));
    world.cluster.nodes_mut()[1]
        .enable_context(0, false)
        .unwrap();
    world.post(0, &[put(TARGET, 64, AckRequest::Ack)]);
    world.settle();
    assert_eq!(answers(&world.events(0)), [refused(EventKind::Ack)]);
    assert_eq!(world.read(1, LANDING, 64), [0; 64]);
    world.cluster.nodes_mut()[1]
        .enable_context(0, true)
        .unwrap();
    world.post(0, &[put(TARGET, 64, AckRequest::Ack)]);
    world.settle();
    let delivered = (EventKind::Ack, status::OK, ni_fail::OK, 64);
    assert_eq!(answers(&world.events(0)), [delivered]);
    assert_eq!(world.read(1, LANDING, 64), pattern(64, 1));
    assert_eq!(world.events(1).len(), 1);
}
