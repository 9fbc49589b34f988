//! A request and updates at every distance of cycles: nothing is lost, nothing fires twice, and the order is that of
//! the handshakes.

use super::model::Change;
use super::rig::{Rig, small};

/// More cycles than anything is under way.
const FAR: i64 = 14;

/// A small engine whose counters belong to context 0, with `updates` from cycle `at` and `requests` from cycle `FAR`
/// on, counted from now.
fn race(
    prepare: impl Fn(&mut Rig),
    updates: impl Fn(&mut Rig),
    requests: impl Fn(&mut Rig),
    check: impl Fn(Rig, i64),
) {
    for distance in -FAR..=FAR {
        let mut rig = small();
        rig.alloc(0..4, 0);
        prepare(&mut rig);
        rig.settle();
        for cycle in 0..=2 * FAR {
            if cycle == FAR + distance {
                updates(&mut rig);
            }
            if cycle == FAR {
                requests(&mut rig);
            }
            rig.cycle();
        }
        rig.settle();
        check(rig, distance);
    }
}

#[test]
fn a_post_and_the_update_that_reaches_it_meet_at_every_distance() {
    race(
        |_| (),
        |rig| rig.value(0, 5u32),
        |rig| rig.post(0, 5, 0),
        |rig, distance| assert_eq!(rig.seen.commands(), [0], "{distance}"),
    );
}

#[test]
fn a_post_meets_a_stream_of_updates_at_every_distance() {
    race(
        |rig| rig.post(0, 4, 0),
        |rig| (1..20u32).for_each(|sum| rig.value(0, sum)),
        |rig| {
            rig.post(0, 6, 1);
            rig.post(0, 2, 2);
            rig.post(0, 18, 3);
        },
        |rig, distance| assert_eq!(rig.seen.fired.len(), 4, "{distance}"),
    );
}

#[test]
fn a_post_fires_if_it_comes_before_the_lowering_or_reaches_the_value_behind_it() {
    race(
        |_| (),
        |rig| {
            rig.value(0, 5u32);
            rig.value(0, 0u32);
        },
        |rig| rig.post(0, 3, 0),
        // Before the first of the two, or between them.
        |rig, distance| {
            let fired = rig.seen.fired.len();
            assert_eq!(fired, usize::from(distance >= -1), "{distance}");
        },
    );
}

#[test]
fn a_cancellation_meets_the_update_that_fires_at_every_distance() {
    race(
        |rig| (0..6).for_each(|command| rig.post(0, 6 - command, command)),
        |rig| rig.value(0, 4u32),
        |rig| rig.cancel(0),
        |rig, distance| {
            let fired = rig.seen.fired.len();
            assert_eq!(fired, if distance < 0 { 4 } else { 0 }, "{distance}");
            assert!(rig.model.pending.is_empty());
        },
    );
}

#[test]
fn a_cancellation_during_the_firing_of_two_counters_removes_what_is_left() {
    race(
        |rig| (0..7).for_each(|command| rig.post((command % 2) as usize, command + 1, command)),
        |rig| {
            rig.value(1, 8u32);
            rig.value(0, 3u32);
            rig.value(0, 7u32);
        },
        |rig| rig.cancel(0),
        |rig, distance| {
            let expected = match distance {
                ..-2 => 7,
                -2 => 5,
                _ => 3,
            };
            assert_eq!(rig.seen.fired.len(), expected, "{distance}");
        },
    );
}

#[test]
fn a_post_and_the_free_of_its_counter_meet_at_every_distance() {
    race(
        |rig| rig.post(0, 5, 0),
        |rig| {
            rig.change(0, 0, Change::Free);
            rig.change(0, 1, Change::Alloc);
            rig.change(0, 1, Change::Value(100));
        },
        |rig| {
            rig.post(0, 1, 1);
            rig.post(0, 200, 2);
        },
        |rig, distance| {
            assert_eq!(rig.seen.commands(), [0u64; 0], "{distance}");
            assert!(rig.model.pending.is_empty(), "{distance}");
        },
    );
}

#[test]
fn a_post_on_one_counter_and_updates_of_others_meet_at_every_distance() {
    race(
        |rig| {
            rig.post(1, 1, 10);
            rig.post(2, 1, 20);
        },
        |rig| {
            rig.value(1, 1u32);
            rig.value(2, 1u32);
            rig.value(0, 1u32);
        },
        |rig| {
            rig.post(0, 0, 0);
            rig.post(1, 1, 11);
        },
        |rig, distance| assert_eq!(rig.seen.fired.len(), 4, "{distance}"),
    );
}

#[test]
fn two_updates_reach_neighbours_at_every_distance() {
    for distance in 0..FAR {
        let mut rig = small();
        rig.alloc(0..4, 0);
        for (command, threshold) in [(0, 2), (1, 1), (2, 3), (3, 2), (4, 1)] {
            rig.post(0, threshold, command);
        }
        rig.settle();
        rig.value(0, 1u32);
        rig.cycles(1 + distance as u64);
        rig.value(0, 2u32);
        rig.settle();
        assert_eq!(rig.seen.commands(), [1, 4, 0, 3], "{distance}");
    }
}

#[test]
fn what_fires_when_a_stalled_consumer_goes_on_comes_behind_what_waited() {
    for distance in 0..=2 * FAR as u64 {
        let mut rig = small();
        rig.alloc(0..4, 0);
        for command in 0..3 {
            rig.post(0, 1, command);
        }
        rig.post(1, 1, 3);
        rig.settle();
        rig.stalled = true;
        rig.value(0, 1u32);
        rig.settle();
        for cycle in 0..=2 * FAR as u64 {
            if cycle == FAR as u64 {
                rig.value(1, 1u32);
            }
            if cycle == distance {
                rig.stalled = false;
            }
            rig.cycle();
        }
        rig.settle();
        assert_eq!(rig.seen.commands(), [0, 1, 2, 3], "{distance}");
    }
}
