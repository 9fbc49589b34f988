//! Triggered operations that wait again: what the NIC makes of REARM, and that what fires for ever stops nobody else.

use xtq_testbench::host::{
    AckRequest, Command, CommandError, Ct, Event, Process, ProcessConfig, nop, ptl_ct_alloc,
    ptl_ct_cancel_triggered, ptl_ct_free, ptl_ct_inc, ptl_ct_set, ptl_put,
};

use super::fixture::{SOURCE, World, pattern};
use super::triggers::{at, byte, put, results, success, value};

fn reports(events: &[Event]) -> Vec<(u64, Result<(), CommandError>)> {
    let ended = events
        .iter()
        .filter_map(|event| Some((event.user_ptr()?, event.result()?)));
    ended.collect()
}

#[test]
fn one_put_is_sent_each_time_that_its_counter_is_higher_by_its_period() {
    let mut world = World::two();
    world.write(0, SOURCE, &pattern(64, 1));
    world.post(
        0,
        &[ptl_ct_alloc(Ct(0)), ptl_put(&byte(1)).rearming(at(0, 2), 3)],
    );
    for count in 1..20 {
        world.post(0, &[ptl_ct_inc(Ct(0), success(1))]);
        world.settle();
        let sent = usize::from(count % 3 == 2);
        assert_eq!(world.events(1).len(), sent, "count {count}");
    }
    // A jump of five periods.
    world.post(0, &[ptl_ct_inc(Ct(0), success(15))]);
    world.settle();
    assert_eq!(world.events(1).len(), 5);
}

#[test]
fn it_is_reported_each_time_with_its_completion_or_its_error() {
    let mut world = World::two();
    // Descriptor 9 is not bound.
    let wrong = ptl_put(&put(9, 1, AckRequest::None));
    world.post(
        0,
        &[
            ptl_ct_alloc(Ct(0)),
            nop()
                .with_completion()
                .with_user_ptr(7)
                .rearming(at(0, 1), 2),
            wrong.with_user_ptr(8).rearming(at(0, 2), 2),
            ptl_ct_inc(Ct(0), success(6)),
        ],
    );
    world.settle();
    let events = world.events(0);
    let good = (7, Ok(()));
    let bad = (8, Err(CommandError::BadDescriptor));
    assert_eq!(reports(&events), [good, bad, good, bad, good, bad]);
}

#[test]
fn without_trigger_or_period_it_is_a_bad_argument() {
    let mut world = World::two();
    let commands = [
        ptl_ct_alloc(Ct(0)),
        nop().rearming(at(0, 0), 0),
        nop().rearming(at(99, 1), 1),
    ];
    let ended = results(&mut world, &commands);
    assert_eq!(
        ended,
        [
            Ok(()),
            Err(CommandError::BadArgument),
            Err(CommandError::BadCounter)
        ]
    );
}

#[test]
fn cancellation_and_free_end_it() {
    let end: [&[Command]; 2] = [
        &[ptl_ct_cancel_triggered(Ct(0))],
        &[ptl_ct_free(Ct(0)), ptl_ct_alloc(Ct(0))],
    ];
    for commands in end {
        let mut world = World::two();
        world.post(
            0,
            &[ptl_ct_alloc(Ct(0)), ptl_put(&byte(1)).rearming(at(0, 1), 1)],
        );
        world.post(0, &[ptl_ct_inc(Ct(0), success(2))]);
        world.settle();
        assert_eq!(world.events(1).len(), 2);
        world.post(0, commands);
        world.post(0, &[ptl_ct_inc(Ct(0), success(9))]);
        world.settle();
        assert_eq!(world.events(1).len(), 0);
    }
}

#[test]
fn a_counter_that_counts_itself_can_be_cancelled_and_holds_up_no_other_context() {
    let mut world = World::two();
    let mut other = {
        let mut port = world.cluster.port(0);
        Process::open(&mut port, 1, &ProcessConfig::default()).unwrap()
    };
    world.post(0, &[ptl_ct_alloc(Ct(0))]);
    for _ in 0..3 {
        let counts = ptl_ct_inc(Ct(0), success(1)).rearming(at(0, 1), 1);
        world.post(0, &vec![counts; 40]);
        world.settle();
    }
    world.post(0, &[ptl_ct_inc(Ct(0), success(1))]);
    let run = |world: &mut World| (0..5000).for_each(|_| world.cluster.cycle().unwrap());
    run(&mut world);
    let mut port = world.cluster.port(0);
    let set = [
        ptl_ct_alloc(Ct(0)),
        ptl_ct_set(Ct(0), success(5)).with_completion(),
    ];
    other.post_all(&mut port, &set).unwrap();
    run(&mut world);
    let mut port = world.cluster.port(0);
    let ended = other.next_event(&mut port).unwrap();
    assert!(ended.is_some_and(|event| event.result() == Some(Ok(()))));
    // Its own ring too.
    world.post(0, &[ptl_ct_cancel_triggered(Ct(0)).with_completion()]);
    world.settle();
    assert_eq!(world.events(0).len(), 1);
    let before = value(&mut world, 0);
    assert!(before.success > 200, "{before:?}");
    world.post(0, &[ptl_ct_inc(Ct(0), success(1))]);
    world.settle();
    assert_eq!(value(&mut world, 0).success, before.success + 1);
}
