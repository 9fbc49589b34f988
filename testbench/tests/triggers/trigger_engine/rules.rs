//! What fires, when, and in which order; who may do what.

use xtq_types::counter::counter_status::{NO_SPACE, NOT_ALLOCATED, NOT_OWNER, OK};

use super::model::{Change, Post, Request};
use super::rig::{Rig, full, small};

/// A small engine whose first two counters belong to context 0.
fn rig() -> Rig {
    let mut rig = small();
    rig.alloc(0..2, 0);
    rig
}

/// Posts, in this order, commands 0, 1, .. with these thresholds on counter 0.
fn with_thresholds(thresholds: &[u64]) -> Rig {
    let mut rig = rig();
    for (threshold, command) in thresholds.iter().zip(0..) {
        rig.post(0, *threshold, command);
    }
    rig.settle();
    rig
}

#[test]
fn an_operation_fires_when_its_threshold_is_reached_and_not_before() {
    let mut rig = with_thresholds(&[5]);
    for sum in 1..5u32 {
        rig.value(0, sum);
    }
    rig.settle();
    assert_eq!(rig.seen.commands(), [0u64; 0]);
    rig.value(0, 5u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0]);
}

#[test]
fn an_operation_fires_once_and_is_gone() {
    let mut rig = with_thresholds(&[3]);
    for sum in [3u32, 4, 0, 3, 100] {
        rig.value(0, sum);
        rig.settle();
    }
    assert_eq!(rig.seen.commands(), [0]);
    assert_eq!(rig.occupied(), [0; 4]);
}

#[test]
fn what_is_reached_at_posting_and_threshold_0_fire_at_once() {
    let mut rig = rig();
    rig.post(1, 0, 7);
    rig.settle();
    rig.value(0, 10u32);
    rig.settle();
    rig.post(0, 10, 8);
    rig.post(0, 11, 9);
    rig.post(0, 3, 10);
    rig.settle();
    assert_eq!(rig.seen.commands(), [7, 8, 10]);
    assert_eq!(rig.model.pending.len(), 1);
}

#[test]
fn what_one_update_reaches_fires_in_posting_order_whatever_the_thresholds() {
    let mut rig = with_thresholds(&[9, 1, 5, 5, 2, 12, 9]);
    rig.value(0, 9u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 1, 2, 3, 4, 6]);
    rig.value(0, 12u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 1, 2, 3, 4, 6, 5]);
}

#[test]
fn thresholds_that_are_reached_one_after_the_other_fire_in_that_order() {
    let mut rig = with_thresholds(&[8, 6, 7, 2, 4, 1, 5]);
    for sum in 1..=8u32 {
        rig.value(0, sum);
    }
    rig.settle();
    assert_eq!(rig.seen.commands(), [5, 3, 4, 6, 1, 2, 0]);
}

#[test]
fn a_byte_count_that_jumps_many_thresholds_fires_all() {
    let mut rig = with_thresholds(&[4096, 1, 100_000, 8192, 4097, 4095]);
    rig.value(0, 4096u32);
    rig.value(0, 12_288u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 1, 5, 3, 4]);
}

#[test]
fn what_stays_keeps_its_order_and_its_lowest_threshold() {
    // Entries leave from the front, the middle and the end; what is left must be found again each time.
    let mut rig = with_thresholds(&[30, 10, 40, 20, 30, 10, 40]);
    for sum in [10u32, 20, 29, 30] {
        rig.value(0, sum);
        rig.settle();
    }
    rig.post(0, 35, 8);
    rig.post(0, 50, 9);
    for sum in [34u32, 35, 39, 40, 50] {
        rig.value(0, sum);
        rig.settle();
    }
    assert_eq!(rig.seen.commands(), [1, 5, 3, 0, 4, 8, 2, 6, 9]);
}

#[test]
fn what_is_reached_fires_even_if_the_counter_is_lowered_before_it_has_left() {
    let mut rig = with_thresholds(&[5, 5, 6]);
    rig.stalled = true;
    rig.value(0, 5u32);
    rig.value(0, 0u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0u64; 0]);
    rig.stalled = false;
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 1]);
}

#[test]
fn lowering_a_counter_does_not_arm_again_and_raising_it_reaches_what_is_left() {
    let mut rig = with_thresholds(&[2, 4]);
    for sum in [3u32, 0, 3, 0, 4] {
        rig.value(0, sum);
    }
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 1]);
}

#[test]
fn an_operation_posted_behind_a_lowering_waits_again() {
    let mut rig = rig();
    rig.value(0, 10u32);
    rig.value(0, 1u32);
    rig.settle();
    rig.post(0, 5, 0);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0u64; 0]);
    rig.value(0, 5u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0]);
}

#[test]
fn of_a_counter_that_increments_another_the_siblings_come_first() {
    // Command 0 increments counter 1, on which 10 and 11 wait; 1 and 2 are its siblings on counter 0.
    let mut rig = rig();
    for (counter, threshold, command) in [(0, 1, 0), (1, 1, 10), (0, 1, 1), (1, 1, 11), (0, 1, 2)] {
        rig.post(counter, threshold, command);
    }
    rig.settle();
    rig.value(0, 1u32);
    while rig.seen.fired.is_empty() {
        rig.cycle();
    }
    rig.value(1, 1u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 1, 2, 10, 11]);
}

#[test]
fn a_cancellation_removes_what_is_pending_on_its_counter_and_leaves_the_value() {
    let mut rig = with_thresholds(&[5, 9, 7]);
    rig.post(1, 3, 10);
    rig.value(0, 4u32);
    rig.settle();
    rig.cancel(0);
    rig.settle();
    assert_eq!(rig.model.pending.len(), 1);
    rig.value(0, 20u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0u64; 0]);
    rig.cancel(0);
    rig.post(0, 20, 11);
    rig.value(1, 3u32);
    rig.settle();
    assert_eq!(rig.seen.codes(), [OK; 7]);
    assert_eq!(rig.seen.commands().len(), 2);
}

#[test]
fn a_cancellation_leaves_what_is_reached() {
    let mut rig = with_thresholds(&[5, 6, 5]);
    rig.stalled = true;
    rig.value(0, 5u32);
    rig.settle();
    rig.cancel(0);
    rig.settle();
    assert_eq!(rig.occupied(), [2, 0, 0, 0]);
    rig.stalled = false;
    rig.value(0, 6u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 2]);
}

#[test]
fn a_free_cancels_what_is_pending_and_the_next_owner_starts_with_nothing() {
    let mut rig = with_thresholds(&[5, 3, 9]);
    rig.value(0, 4u32);
    rig.settle();
    rig.change(0, 0, Change::Free);
    rig.settle();
    assert_eq!(rig.occupied(), [0; 4]);
    rig.post(0, 1, 3);
    rig.cancel(0);
    rig.settle();
    assert_eq!(rig.seen.codes()[3..], [NOT_ALLOCATED; 2]);
    assert_eq!(rig.seen.commands(), [1]);
    rig.alloc([0], 2);
    rig.change(0, 2, Change::Value(100));
    rig.settle();
    assert_eq!(rig.seen.commands(), [0u64; 0]);
}

#[test]
fn a_context_can_not_post_on_a_counter_of_another_or_cancel_there() {
    let mut rig = rig();
    rig.alloc([2], 3);
    rig.requests.push_back(Request {
        counter: 2,
        context: 3,
        post: Some(Post::once(4, 0)),
    });
    for context in 0..3 {
        rig.requests.push_back(Request {
            counter: 2,
            context,
            post: Some(Post::once(0, 9)),
        });
        rig.requests.push_back(Request {
            counter: 2,
            context,
            post: None,
        });
    }
    rig.requests.push_back(Request {
        counter: 3,
        context: 3,
        post: Some(Post::once(0, 9)),
    });
    rig.requests.push_back(Request {
        counter: 3,
        context: 0,
        post: None,
    });
    rig.settle();
    let mut codes = vec![OK];
    codes.extend([NOT_OWNER; 6]);
    codes.extend([NOT_ALLOCATED; 2]);
    assert_eq!(rig.seen.codes(), codes);
    assert_eq!(rig.occupied(), [0, 0, 0, 1]);
    rig.change(2, 3, Change::Value(4));
    rig.settle();
    assert_eq!(rig.seen.commands(), [0]);
}

#[test]
fn a_command_that_posts_itself_again_goes_on_for_ever_and_holds_one_place() {
    let mut rig = rig();
    rig.post(0, 1, 0);
    rig.value(0, 1u32);
    for round in 0..50 {
        while rig.seen.fired.len() <= round {
            rig.cycle();
        }
        rig.post(0, round as u64 % 2, 1 + round as u64);
    }
    rig.settle();
    assert_eq!(rig.seen.commands(), (0..=50).collect::<Vec<_>>());
}

#[test]
fn a_chain_that_doubles_itself_ends_with_no_space() {
    let mut rig = rig();
    rig.post(0, 0, 0);
    let (mut posted, mut answered) = (1, 0);
    while answered < 100 {
        rig.cycle();
        while answered < rig.seen.fired.len() {
            for _ in 0..2 {
                rig.post(0, 0, posted);
                posted += 1;
            }
            answered += 1;
        }
    }
    rig.stalled = true;
    rig.settle();
    assert!(rig.seen.codes().contains(&NO_SPACE));
    rig.stalled = false;
    rig.settle();
    assert_eq!(rig.occupied(), [0; 4]);
}

#[test]
fn a_stalled_consumer_can_post_cancel_and_count() {
    let mut rig = rig();
    rig.stalled = true;
    for command in 0..4 {
        rig.post(0, 1, command);
    }
    rig.value(0, 1u32);
    rig.settle();
    for round in 0..20u64 {
        rig.post(1, 10, 100 + round);
        rig.value(0, round);
        rig.settle();
        rig.cancel(1);
        rig.settle();
    }
    assert_eq!(rig.seen.codes(), [OK; 44]);
    rig.stalled = false;
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 1, 2, 3]);
}

/// Counters 0 to 3 of contexts 0 to 3, with `count` operations each: 10 * context + number.
fn of_four_contexts(count: u64) -> Rig {
    let mut rig = small();
    for context in 0..4 {
        rig.alloc([context as usize], context);
        for number in 0..count {
            rig.requests.push_back(Request {
                counter: context as usize,
                context,
                post: Some(Post::once(1, 10 * context + number)),
            });
        }
    }
    rig.settle();
    rig
}

#[test]
fn a_context_that_cannot_go_on_holds_nobody_else_up() {
    for blocked in 0..4 {
        let mut rig = of_four_contexts(3);
        rig.blocked[blocked as usize] = true;
        // Its own fire first.
        for context in (blocked..4).chain(0..blocked) {
            rig.change(context as usize, context, Change::Value(1));
        }
        rig.settle();
        let others = rig.seen.commands();
        assert_eq!(others.len(), 9, "{blocked}: {others:?}");
        assert!(others.iter().all(|command| command / 10 != blocked));
        assert_eq!(rig.occupied()[blocked as usize], 3);
        rig.blocked = [false; 4];
        rig.settle();
        let left = [0, 1, 2].map(|number| 10 * blocked + number);
        assert_eq!(rig.seen.commands()[9..], left);
    }
}

#[test]
fn contexts_leave_in_turn_and_each_in_its_order() {
    let mut rig = of_four_contexts(3);
    rig.stalled = true;
    for context in 0..4 {
        rig.change(context as usize, context, Change::Value(1));
    }
    rig.settle();
    rig.cycles(200);
    assert_eq!(rig.get("fire_waits"), [15]);
    rig.stalled = false;
    rig.settle();
    let left = rig.seen.commands();
    assert_eq!(left, [0, 1, 10, 20, 30, 2, 11, 21, 31, 12, 22, 32]);
    assert_eq!(rig.get("fire_waits"), [0]);
}

#[test]
fn of_a_context_that_is_passed_again_and_again_nothing_is_lost_or_overtaken() {
    let mut rig = of_four_contexts(3);
    rig.blocked = [true, false, true, false];
    for context in 0..4 {
        rig.change(context as usize, context, Change::Value(1));
    }
    for round in 0..60 {
        rig.cycles(1);
        rig.blocked = std::array::from_fn(|context| (round + context) % 3 != 0);
    }
    rig.settle();
    rig.blocked = [false; 4];
    rig.settle();
    assert_eq!(rig.seen.fired.len(), 12);
}

#[test]
fn reset_forgets_what_is_pending_what_has_fired_and_who_has_a_counter() {
    let mut rig = with_thresholds(&[5, 3, 9]);
    rig.stalled = true;
    rig.value(0, 4u32);
    rig.settle();
    let mut rig = rig.reset();
    rig.cycles(20);
    assert_eq!(rig.occupied(), [0; 4]);
    rig.post(0, 1, 3);
    rig.settle();
    assert_eq!(rig.seen.codes(), [NOT_ALLOCATED]);
    rig.alloc([0], 0);
    rig.value(0, 100u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0u64; 0]);
    rig.post(0, 200, 4);
    rig.post(0, 150, 5);
    rig.settle();
    rig.value(0, 200u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [4, 5]);
}

#[test]
fn one_operation_waits_on_each_of_256_counters() {
    let mut rig = full();
    for context in 0..4 {
        rig.alloc((0..64).map(|counter| 4 * counter + context), context as u64);
    }
    for counter in 0..256 {
        rig.requests.push_back(Request {
            counter,
            context: counter as u64 % 4,
            post: Some(Post::once(1000 - counter as u64, counter as u64)),
        });
    }
    rig.settle();
    assert_eq!(rig.occupied(), [64; 4]);
    for counter in (0..256).rev() {
        rig.change(
            counter,
            counter as u64 % 4,
            Change::Value(1000 - counter as u128),
        );
    }
    rig.settle();
    assert_eq!(rig.seen.commands(), (0..256).rev().collect::<Vec<_>>());
}
