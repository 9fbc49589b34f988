//! Operations that wait again when they have left: each rule by name, and races at every distance of cycles.

use xtq_types::counter::counter_status::{NO_SPACE, OK};

use super::model::{Change, Post, Request};
use super::rig::{Rig, full, small};

/// More cycles than anything is under way.
const FAR: u64 = 26;

/// A small engine whose counters belong to context 0, with operations of counter 0: threshold and period.
fn with(operations: &[(u64, u64)]) -> Rig {
    let mut rig = small();
    rig.alloc(0..4, 0);
    for (command, (threshold, period)) in operations.iter().enumerate() {
        rig.post_every(0, *threshold, *period, command as u64);
    }
    rig.settle();
    rig
}

/// The same; they have fired and wait for the consumer.
fn fired(operations: &[(u64, u64)], sum: u64) -> Rig {
    let mut rig = with(operations);
    rig.stalled = true;
    rig.value(0, sum);
    rig.cycles(2 * FAR);
    rig
}

#[test]
fn it_fires_at_its_threshold_and_each_time_a_period_later() {
    let mut rig = with(&[(3, 4)]);
    let mut at = Vec::new();
    for sum in 0..30u32 {
        let before = rig.seen.fired.len();
        rig.value(0, sum);
        rig.settle();
        if rig.seen.fired.len() > before {
            at.push(sum);
        }
    }
    assert_eq!(at, [3, 7, 11, 15, 19, 23, 27]);
    assert_eq!(rig.occupied(), [1, 0, 0, 0]);
}

#[test]
fn a_jump_of_n_periods_makes_it_fire_n_times_one_after_the_other() {
    let mut rig = with(&[(2, 3), (3, 3), (9, 0)]);
    rig.value(0, 14u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 1, 2, 0, 1, 0, 1, 0, 1, 0]);
    assert_eq!(rig.model.pending.len(), 2);
}

#[test]
fn it_comes_behind_what_was_posted_before_it_waits_again() {
    let mut rig = fired(&[(1, 9)], 1);
    rig.post(0, 10, 5);
    rig.cycles(FAR);
    rig.stalled = false;
    rig.settle();
    rig.post(0, 10, 6);
    rig.value(0, 10u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 5, 0, 6]);
}

#[test]
fn its_place_is_nobody_elses_until_it_ends() {
    let mut rig = with(&[(1, 1); 7]);
    for sum in 1..6u32 {
        rig.stalled = true;
        rig.value(0, sum);
        rig.post(0, 100, 50);
        rig.cycles(2 * FAR);
        assert_eq!(rig.occupied()[0], 7);
        rig.stalled = false;
        rig.post(0, 100, 51);
        rig.settle();
        assert_eq!(rig.occupied()[0], 7);
    }
    assert_eq!(rig.seen.codes()[..7], [OK; 7]);
    assert_eq!(rig.seen.codes()[7..], [NO_SPACE; 10]);
    assert_eq!(rig.seen.fired.len(), 35);
    rig.cancel(0);
    rig.settle();
    assert_eq!(rig.occupied(), [0; 4]);
}

#[test]
fn the_last_place_is_not_for_one_that_waits_again_also_if_it_is_reached() {
    let mut rig = with(&[(5, 1); 7]);
    rig.value(1, 1u32);
    rig.post_every(1, 0, 1, 50);
    rig.settle();
    rig.post(1, 0, 51);
    rig.settle();
    assert_eq!(rig.seen.codes()[7..], [NO_SPACE, OK]);
    assert_eq!(rig.seen.commands(), [51]);
}

#[test]
fn a_threshold_that_does_not_fit_ends_it() {
    for below in 0..4 {
        let mut rig = with(&[(u64::MAX - below, 2)]);
        rig.value(0, u128::MAX >> 63);
        rig.settle();
        let times = 1 + below as usize / 2;
        assert_eq!(rig.seen.fired.len(), times, "{below} below");
        assert_eq!(rig.occupied(), [0; 4]);
    }
}

#[test]
fn every_bit_of_threshold_and_period_is_added() {
    for bit in 0..64 {
        for period in [1, 3, 0x8000, 0xffff, 0x5555] {
            let threshold = (1u64 << bit).wrapping_sub(1);
            let mut rig = with(&[(threshold, period)]);
            rig.value(0, threshold);
            rig.settle();
            let Some(next) = threshold.checked_add(period) else {
                continue;
            };
            rig.value(0, next - 1);
            rig.settle();
            assert_eq!(rig.seen.fired.len(), 1, "bit {bit}, period {period}");
            rig.value(0, next);
            rig.settle();
            assert_eq!(rig.seen.fired.len(), 2, "bit {bit}, period {period}");
        }
    }
}

#[test]
fn what_has_fired_and_is_cancelled_fires_once_more_and_not_again() {
    let mut rig = fired(&[(1, 1), (2, 1)], 1);
    rig.cancel(0);
    rig.cycles(FAR);
    rig.value(0, 50u32);
    rig.stalled = false;
    rig.settle();
    assert_eq!(rig.seen.commands(), [0]);
    assert_eq!(rig.occupied(), [0; 4]);
    // The counter may be used on.
    rig.post_every(0, 49, 1, 7);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 7, 7]);
}

#[test]
fn what_has_fired_does_not_wait_again_for_a_counter_that_was_freed() {
    for next in [None, Some(0), Some(1)] {
        let mut rig = fired(&[(1, 1)], 1);
        rig.change(0, 0, Change::Free);
        if let Some(context) = next {
            rig.change(0, context, Change::Alloc);
            rig.change(0, context, Change::Value(9));
        }
        rig.cycles(FAR);
        rig.stalled = false;
        rig.settle();
        assert_eq!(rig.seen.commands(), [0], "next owner {next:?}");
        assert_eq!(rig.occupied(), [0; 4]);
    }
}

#[test]
fn the_cancellation_of_another_counter_changes_nothing() {
    let mut rig = fired(&[(1, 1)], 1);
    rig.cancel(1);
    rig.change(2, 0, Change::Free);
    rig.change(2, 0, Change::Alloc);
    rig.cycles(FAR);
    rig.stalled = false;
    rig.value(0, 3u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 0, 0]);
}

#[test]
fn a_cancellation_counts_also_while_counters_are_allocated_in_every_cycle() {
    for distance in 0..12 {
        let mut rig = fired(&[(1, 1)], 1);
        for _ in 0..8 {
            for counter in [1, 2, 3] {
                rig.change(counter, 0, Change::Alloc);
            }
        }
        rig.cycles(distance);
        rig.cancel(0);
        rig.cycles(12);
        rig.stalled = false;
        rig.value(0, 9u32);
        rig.settle();
        assert_eq!(rig.seen.commands(), [0], "{distance}");
    }
}

#[test]
fn it_holds_up_no_ring_of_its_context() {
    let mut rig = fired(&[(1, 1)], 9);
    assert_eq!(rig.get("fire_valid"), [1]);
    assert_eq!(rig.get("fire_waits"), [0]);
    rig.post(0, 0, 5);
    rig.cycles(FAR);
    assert_eq!(rig.get("fire_waits"), [1]);
    rig.stalled = false;
    rig.settle();
    assert_eq!(rig.seen.commands()[..3], [0, 5, 0]);
}

#[test]
fn all_places_wait_again_in_the_order_of_leaving() {
    let mut rig = full();
    for context in 0..4 {
        rig.alloc([context as usize], context);
    }
    for number in 0..127 {
        for context in 0..4 {
            rig.requests.push_back(Request {
                counter: context as usize,
                context,
                post: Some(Post {
                    threshold: 1 + (number * 37 + context) % 5,
                    period: 5,
                    command: 1000 * context + number,
                }),
            });
        }
    }
    rig.settle();
    for round in 1..4 {
        rig.stalled = true;
        for context in 0..4 {
            rig.change(context as usize, context, Change::Value(5 * round));
        }
        rig.cycles(4000);
        assert_eq!(rig.occupied(), [127; 4]);
        rig.stalled = false;
        rig.settle();
        assert_eq!(rig.seen.fired.len() as u128, 508 * round);
    }
    assert_eq!(rig.occupied(), [127; 4]);
}

#[test]
fn reset_forgets_what_is_to_wait_again() {
    for wait in 0..FAR {
        let mut rig = fired(&[(1, 1), (1, 2), (1, 3)], 50);
        rig.stalled = false;
        rig.cycles(wait);
        let mut rig = rig.reset();
        rig.cycles(FAR);
        assert_eq!(rig.occupied(), [0; 4], "{wait}");
        rig.alloc(0..4, 0);
        rig.value(0, 5u32);
        rig.settle();
        assert_eq!(rig.seen.commands(), [0u64; 0], "{wait}");
    }
}

/// What has fired leaves, and so many cycles later (or before) something else happens; the model is compared.
fn race(operations: &[(u64, u64)], sum: u64, other: impl Fn(&mut Rig), check: impl Fn(Rig, u64)) {
    for distance in 0..=2 * FAR {
        let mut rig = fired(operations, sum);
        for cycle in 0..=2 * FAR {
            if cycle == FAR {
                rig.stalled = false;
            }
            if cycle == distance {
                other(&mut rig);
            }
            rig.cycle();
        }
        rig.settle();
        check(rig, distance);
    }
}

#[test]
fn a_cancellation_meets_the_leaving_at_every_distance() {
    race(
        &[(1, 1), (1, 2), (1, 3)],
        1,
        |rig| rig.cancel(0),
        |mut rig, distance| {
            assert_eq!(rig.occupied(), [0; 4], "{distance}");
            rig.value(0, 9u32);
            rig.settle();
            assert_eq!(rig.seen.commands(), [0, 1, 2], "{distance}");
        },
    );
}

#[test]
fn free_and_alloc_meet_the_leaving_at_every_distance() {
    race(
        &[(1, 1), (1, 2), (1, 3)],
        1,
        |rig| {
            rig.change(0, 0, Change::Free);
            rig.change(0, 0, Change::Alloc);
            rig.change(0, 0, Change::Value(9));
        },
        |mut rig, distance| {
            assert_eq!(rig.seen.commands(), [0, 1, 2], "{distance}");
            assert_eq!(rig.occupied(), [0; 4], "{distance}");
        },
    );
}

#[test]
fn the_update_that_reaches_it_again_meets_the_leaving_at_every_distance() {
    race(
        &[(1, 1), (1, 2)],
        1,
        |rig| rig.value(0, 2u32),
        |rig, distance| assert_eq!(rig.seen.commands(), [0, 1, 0], "{distance}"),
    );
}

#[test]
fn a_value_that_comes_and_goes_meets_the_leaving_at_every_distance() {
    race(
        &[(1, 1), (1, 2)],
        1,
        |rig| {
            rig.value(0, 3u32);
            rig.value(0, 0u32);
        },
        |rig, _| assert!(rig.seen.fired.len() <= 6),
    );
}

#[test]
fn posts_meet_the_leaving_at_every_distance() {
    race(
        &[(1, 1), (1, 2)],
        1,
        |rig| {
            rig.post(0, 2, 5);
            rig.post_every(0, 3, 1, 6);
            rig.value(0, 3u32);
        },
        |rig, distance| assert_eq!(rig.seen.fired.len(), 7, "{distance}"),
    );
}

#[test]
fn it_waits_again_6_cycles_behind_its_leaving_and_fires_10_behind_if_it_is_reached() {
    let mut rig = with(&[(1, 1)]);
    rig.value(0, 4u32);
    rig.settle();
    let fired: Vec<u64> = rig.seen.fired.iter().map(|fired| fired.0).collect();
    assert!(fired.windows(2).all(|pair| pair[1] - pair[0] == 10));
    let again: Vec<u64> = rig.seen.rearms.clone();
    assert!(
        fired
            .iter()
            .zip(again)
            .all(|(left, again)| again - left == 6)
    );
}

#[test]
fn those_that_left_wait_again_every_9_cycles_or_every_6_if_they_are_reached() {
    for (sum, distance) in [(1u32, 9), (2, 6)] {
        let mut rig = fired(&[(1, 1); 7], 1);
        rig.stalled = false;
        rig.value(0, sum);
        rig.cycles(3);
        rig.stalled = true;
        rig.settle();
        rig.stalled = false;
        rig.settle();
        let seven = &rig.seen.rearms[..7];
        let distances: Vec<u64> = seven.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(distances[1..], [distance; 5], "{sum}");
    }
}

#[test]
fn requests_and_what_waits_again_come_in_turn() {
    let mut rig = fired(&[(1, 1), (1, 1)], u64::MAX);
    rig.stalled = false;
    rig.cycles(FAR);
    rig.seen = Default::default();
    for _ in 0..60 {
        rig.cancel(1);
    }
    while !rig.requests.is_empty() {
        rig.cycle();
    }
    let (asked, again) = (&rig.seen.requests, &rig.seen.rearms);
    assert_eq!(asked.len(), 60);
    let between = |pair: &[u64]| {
        again
            .iter()
            .filter(|at| (pair[0]..pair[1]).contains(*at))
            .count()
    };
    let counts: Vec<usize> = asked.windows(2).map(between).collect();
    assert!(counts.iter().all(|count| *count <= 1), "{counts:?}");
    assert!(counts.iter().sum::<usize>() > 50, "{counts:?}");
    rig.value(0, 0u32);
    rig.settle();
}
