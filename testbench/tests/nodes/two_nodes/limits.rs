//! How many messages of a context are under way at once.

use xtq_testbench::host::{
    AckRequest, CounterValue, Ct, EventKind, NicPort, ProcessId, Put, Trigger, ptl_ct_alloc,
    ptl_ct_get, ptl_ct_inc, ptl_put, ptl_triggered_put,
};
use xtq_types::register_map::{context, context_address, global};

use super::fixture::{SOURCE, TARGET, World, kinds, pattern};

/// Nobody answers for a node that does not exist.
const NOWHERE: ProcessId = ProcessId {
    node: 9,
    context: 0,
};

fn put(target: ProcessId, ack: AckRequest) -> Put {
    Put {
        length: 8,
        ack,
        target,
        ..Put::default()
    }
}

fn limit(world: &mut World, messages: u32) {
    let mut port = world.cluster.port(0);
    port.post(global::MESSAGE_LIMIT as u16, messages);
    wait(world);
}

/// Runs for longer than anything takes; commands stay in the ring.
fn wait(world: &mut World) {
    for _ in 0..3000 {
        world.cluster.cycle().unwrap();
    }
}

/// Commands that were taken.
fn taken(world: &mut World) -> u32 {
    let address = context_address(0, context::CQ_HEAD);
    world.cluster.port(0).read(address).unwrap()
}

#[test]
fn no_more_messages_are_under_way_than_the_limit_says() {
    let mut world = World::two();
    limit(&mut world, 2);
    let before = taken(&mut world);
    let commands: Vec<_> = (0..6)
        .map(|_| ptl_put(&put(NOWHERE, AckRequest::Ack)))
        .collect();
    world.post(0, &commands);
    wait(&mut world);
    assert_eq!(taken(&mut world) - before, 2);
    for (messages, under_way) in [(3, 3), (1, 3), (5, 5), (64, 6)] {
        limit(&mut world, messages);
        assert_eq!(taken(&mut world) - before, under_way, "limit {messages}");
    }
}

#[test]
fn what_was_answered_makes_room() {
    let mut world = World::two();
    world.write(0, SOURCE, &pattern(8, 1));
    limit(&mut world, 1);
    let commands: Vec<_> = (0..20)
        .map(|_| ptl_put(&put(TARGET, AckRequest::Ack)))
        .collect();
    world.post(0, &commands);
    wait(&mut world);
    let told = world.events(0);
    // One after the other.
    assert_eq!(kinds(&told), [EventKind::Send, EventKind::Ack].repeat(20));
}

#[test]
fn a_triggered_put_is_posted_without_a_place_and_waits_for_one_when_it_has_fired() {
    let mut world = World::two();
    limit(&mut world, 0);
    let trigger = Trigger {
        counter: Ct(1),
        threshold: 1,
    };
    let one = CounterValue {
        success: 1,
        failure: 0,
    };
    world.post(
        0,
        &[
            ptl_ct_alloc(Ct(1)),
            ptl_triggered_put(&put(TARGET, AckRequest::Ack), trigger),
            ptl_ct_get(Ct(1)).with_completion(),
        ],
    );
    wait(&mut world);
    assert_eq!(kinds(&world.events(0)), [EventKind::Command]);
    world.post(0, &[ptl_ct_inc(Ct(1), one)]);
    wait(&mut world);
    assert_eq!(kinds(&world.events(0)), []);
    limit(&mut world, 1);
    assert_eq!(kinds(&world.events(0)), [EventKind::Send, EventKind::Ack]);
}
