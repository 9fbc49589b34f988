//! Triggered operations: what cancels them, how many may wait, what is refused, what a fence holds.

use xtq_testbench::host::{
    AckRequest, CommandError, Ct, EventKind, Md, ProcessId, Put, fence, md_option, ptl_ct_alloc,
    ptl_ct_cancel_triggered, ptl_ct_free, ptl_ct_inc, ptl_ct_set, ptl_put, ptl_triggered_ct_inc,
    ptl_triggered_put,
};
use xtq_types::event::status;

use super::fixture::{SOURCE, World, pattern};
use super::triggers::{at, byte, counting, put, results, success, value};

#[test]
fn what_waits_can_be_cancelled_and_goes_with_its_counter() {
    let mut world = World::two();
    let wait = |n| ptl_triggered_put(&byte(n), at(3, 1));
    let found = results(
        &mut world,
        &[
            ptl_ct_alloc(Ct(3)),
            wait(1),
            wait(2),
            ptl_ct_cancel_triggered(Ct(3)),
            ptl_ct_inc(Ct(3), success(1)),
            ptl_ct_set(Ct(3), success(0)),
            wait(3),
            ptl_ct_free(Ct(3)),
            wait(4),
            ptl_ct_alloc(Ct(3)),
            ptl_ct_inc(Ct(3), success(1)),
            ptl_ct_cancel_triggered(Ct(4)),
        ],
    );
    // A command that waits is reported when it has fired, so four answers are missing; the wait on a counter that
    // nobody has fails at once.
    assert_eq!(
        found,
        [
            Ok(()),
            Ok(()),
            Ok(()),
            Ok(()),
            Ok(()),
            Err(CommandError::BadCounter),
            Ok(()),
            Ok(()),
            Err(CommandError::BadCounter),
        ]
    );
    assert_eq!(world.events(1), []);
}

#[test]
fn a_context_can_keep_127_commands_waiting_and_the_next_is_refused_whole() {
    let mut world = World::two();
    world.post(0, &[ptl_ct_alloc(Ct(0)), ptl_ct_alloc(Ct(1))]);
    for count in [32, 32, 32, 31] {
        let wait = ptl_triggered_ct_inc(Ct(1), success(1), at(0, 1));
        world.post(0, &vec![wait; count]);
        world.settle();
    }
    assert_eq!(world.events(0), []);
    world.post(0, &[ptl_triggered_ct_inc(Ct(1), success(1), at(0, 1))]);
    world.settle();
    let events = world.events(0);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].result(), Some(Err(CommandError::NoSpace)));
    // What is reached when it is posted needs none of these places, however many there are of it.
    for _ in 0..4 {
        let reached = ptl_triggered_ct_inc(Ct(1), success(1), at(0, 0));
        world.post(0, &vec![reached; 25]);
        world.settle();
        assert_eq!(world.events(0), []);
    }
    assert_eq!(value(&mut world, 1), success(100));
    world.post(0, &[ptl_ct_inc(Ct(0), success(1))]);
    world.settle();
    assert_eq!(value(&mut world, 1), success(227));
}

#[test]
fn a_triggered_command_that_is_wrong_is_refused_when_it_is_posted() {
    let mut world = World::two();
    let far = Put {
        target: ProcessId {
            node: 1,
            context: 9,
        },
        ..byte(0)
    };
    world.post(
        0,
        &[
            ptl_ct_alloc(Ct(0)),
            ptl_triggered_put(&far, at(0, 0)),
            ptl_triggered_put(&byte(0), at(64, 0)),
            ptl_triggered_put(
                &Put {
                    md: Md(50),
                    ..byte(0)
                },
                at(0, 0),
            ),
        ],
    );
    world.settle();
    let events = world.events(0);
    let found: Vec<_> = events.iter().filter_map(|event| event.result()).collect();
    assert_eq!(
        found,
        [
            Err(CommandError::BadArgument),
            Err(CommandError::BadCounter),
            Err(CommandError::BadDescriptor),
        ]
    );
}

#[test]
fn events_of_a_counting_descriptor_come_too_if_they_are_wanted() {
    let mut world = World::two();
    world.post(
        0,
        &[
            ptl_ct_alloc(Ct(0)),
            counting(
                1,
                md_option::CT_SEND | md_option::CT_ACK | md_option::EVENTS,
                0,
            ),
            ptl_put(&put(1, 10, AckRequest::Ack)),
        ],
    );
    world.settle();
    let kinds: Vec<(EventKind, u8)> = world.events(0).iter().map(|e| (e.kind, e.status)).collect();
    assert_eq!(
        kinds,
        [(EventKind::Send, status::OK), (EventKind::Ack, status::OK)]
    );
    assert_eq!(value(&mut world, 0), success(2));
}

/// The contract: at most 16 cycles from the change of a counter to the first beat of the put that it triggers.
#[test]
fn a_triggered_put_leaves_16_cycles_after_its_counter_changed() {
    let mut world = World::two();
    world.post(
        0,
        &[ptl_ct_alloc(Ct(0)), ptl_triggered_put(&byte(1), at(0, 1))],
    );
    world.settle();
    world.post(0, &[ptl_ct_inc(Ct(0), success(1))]);
    let (mut changed, mut sent) = (None, None);
    for _ in 0..400 {
        let node = &mut world.cluster.nodes_mut()[0];
        let cycle = node.cycle_count();
        let engine = node.engine();
        let high = |name: &str| engine.peek(name).unwrap()[0] == 1;
        if high("initiator.counters.bank.operation_valid") {
            changed = Some(cycle);
        }
        if sent.is_none() && changed.is_some() && high("m_axis_net_tvalid") {
            sent = Some(cycle);
        }
        world.cluster.cycle().unwrap();
    }
    let cycles = sent.unwrap() - changed.unwrap();
    assert_eq!(cycles, 16);
}

#[test]
fn a_fence_that_fires_waits_for_the_messages_before_it_and_holds_what_fires_behind_it() {
    let mut world = World::two();
    world.write(0, SOURCE, &pattern(9000, 1));
    let acked = |user_ptr| Put {
        user_ptr,
        ..put(0, 9000, AckRequest::Ack)
    };
    world.post(
        0,
        &[
            ptl_ct_alloc(Ct(0)),
            ptl_triggered_put(&acked(1), at(0, 1)),
            ptl_triggered_put(&acked(2), at(0, 1)),
            fence()
                .with_user_ptr(3)
                .with_completion()
                .triggered(at(0, 1)),
            ptl_triggered_put(&acked(4), at(0, 1)),
            fence()
                .with_user_ptr(5)
                .with_completion()
                .triggered(at(0, 2)),
            // This one is no fence: it is posted, and what comes after it does not wait for it.
            ptl_put(&acked(6)),
            fence().with_user_ptr(7).with_completion(),
            ptl_ct_inc(Ct(0), success(1)),
        ],
    );
    world.settle();
    let told: Vec<(EventKind, u64)> = world
        .events(0)
        .iter()
        .map(|event| (event.kind, event.user_ptr().unwrap_or(0)))
        .collect();
    let place = |what| {
        let found = told.iter().position(|told| *told == what);
        found.unwrap_or_else(|| panic!("no {what:?} in {told:?}"))
    };
    assert!(place((EventKind::Ack, 6)) < place((EventKind::Command, 7)));
    assert!(place((EventKind::Ack, 1)) < place((EventKind::Command, 3)));
    assert!(place((EventKind::Ack, 2)) < place((EventKind::Command, 3)));
    assert!(place((EventKind::Command, 3)) < place((EventKind::Send, 4)));
    // The other one waits for its counter.
    assert!(!told.contains(&(EventKind::Command, 5)), "{told:?}");
    let told = world.run(0, &[ptl_ct_inc(Ct(0), success(1))]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(
        (told[0].result(), told[0].user_ptr()),
        (Some(Ok(())), Some(5))
    );
}
