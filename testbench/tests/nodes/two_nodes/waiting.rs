//! Programs that wait for counters: `ptl_ct_wait` and `ptl_ct_poll`, beside the events of everything else.

use xtq_testbench::host::{
    CommandError, CounterValue, Ct, EventKind, MatchEntry, ProcessError, me_option, ptl_ct_alloc,
    ptl_ct_inc, ptl_ct_poll, ptl_ct_wait, ptl_me_append, ptl_put,
};

use super::fixture::{BOTH, World, entry, put};

/// Readings that are enough.
const ROUNDS: u32 = 100;

fn value(success: u64, failure: u64) -> CounterValue {
    CounterValue { success, failure }
}

/// Two nodes; the entry of the second counts messages on its counter 1.
fn counting() -> World {
    let counted = MatchEntry {
        counter: Some(Ct(1)),
        options: BOTH | me_option::CT_COMM,
        ..entry(1, 5, 4096)
    };
    let commands = [1, 2].map(|ct| ptl_ct_alloc(Ct(ct)));
    World::with_lists(None, &[&commands[..], &[ptl_me_append(&counted)]].concat())
}

#[test]
fn a_program_waits_until_messages_are_counted_and_loses_no_event() {
    let mut world = counting();
    let puts = [0; 3].map(|_| ptl_put(&put(0, 64, 0)));
    world.post(0, &puts);
    let World { cluster, processes } = &mut world;
    let reached = ptl_ct_wait(&mut processes[1], &mut cluster.port(1), Ct(1), 3, ROUNDS);
    assert_eq!(reached.unwrap(), value(3, 0));
    // What the messages reported is there, what the readings reported is not.
    let told = world.events(1);
    let kinds: Vec<EventKind> = told.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventKind::Put; 3]);
    // It was not only read once: a value that is not reached is waited for as often as is asked.
    let World { cluster, processes } = &mut world;
    let begun = cluster.cycle_count();
    let late = ptl_ct_wait(&mut processes[1], &mut cluster.port(1), Ct(1), 4, ROUNDS);
    let late = late.unwrap_err().to_string();
    assert_eq!(late, "counter 1 is below 4 after 100 readings");
    assert!(cluster.cycle_count() > begun + 10 * u64::from(ROUNDS));
}

#[test]
fn a_failure_ends_the_waiting_and_a_counter_that_is_not_there_is_named() {
    let mut world = counting();
    let fails = ptl_ct_inc(Ct(2), value(0, 1));
    assert_eq!(world.run(1, &[fails]), []);
    let World { cluster, processes } = &mut world;
    let (process, mut port) = (&mut processes[1], cluster.port(1));
    let reached = ptl_ct_wait(process, &mut port, Ct(2), 1000, 1);
    assert_eq!(reached.unwrap(), value(0, 1));
    let none = ptl_ct_wait(process, &mut port, Ct(9), 1, 1);
    assert!(matches!(
        none,
        Err(ProcessError::Refused(CommandError::BadCounter))
    ));
    assert_eq!(process.events(&mut port).unwrap(), []);
}

#[test]
fn polling_tells_the_first_counter_that_is_there() {
    let mut world = counting();
    let tests = [(Ct(1), 1), (Ct(2), 2)];
    let poll = |world: &mut World| {
        let World { cluster, processes } = world;
        ptl_ct_poll(&mut processes[1], &mut cluster.port(1), &tests, 3).unwrap()
    };
    assert_eq!(poll(&mut world), None);
    assert_eq!(world.run(1, &[ptl_ct_inc(Ct(2), value(2, 0))]), []);
    assert_eq!(poll(&mut world), Some((1, value(2, 0))));
    world.run(0, &[ptl_put(&put(0, 1, 0))]);
    assert_eq!(poll(&mut world), Some((0, value(1, 0))));
    let World { cluster, processes } = &mut world;
    let none = ptl_ct_poll(&mut processes[1], &mut cluster.port(1), &[], 3);
    assert!(matches!(none, Ok(None)));
}
