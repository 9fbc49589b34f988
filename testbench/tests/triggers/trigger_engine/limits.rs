//! The store at its limit, long lists, and sums near the end of 64 and 65 bits.

use xtq_types::counter::counter_status::{NO_SPACE, NOT_ALLOCATED, NOT_OWNER, OK};

use super::model::{Change, Post, Request};
use super::rig::{Rig, full, small};

/// Posts `count` commands on counter 0 with these thresholds, on an engine that is as large as it is built.
fn filled(count: u64, threshold: impl Fn(u64) -> u64) -> Rig {
    let mut rig = full();
    rig.alloc([0], 0);
    for command in 0..count {
        rig.post(0, threshold(command), command);
    }
    rig.settle();
    assert!(rig.seen.codes().iter().all(|code| *code == OK));
    rig
}

#[test]
fn a_store_that_is_exactly_full_answers_no_space_and_stores_nothing() {
    let mut rig = small();
    rig.alloc(0..2, 0);
    for command in 0..7 {
        rig.post(0, 10 + command, command);
    }
    rig.settle();
    assert_eq!(rig.seen.codes(), [OK; 7]);
    rig.post(0, 5, 100);
    rig.post(1, 5, 101);
    rig.settle();
    assert_eq!(rig.seen.codes()[7..], [NO_SPACE; 2]);
    rig.value(1, 9u32);
    rig.value(0, 9u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0u64; 0]);
    rig.value(0, 12u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 1, 2]);
    for command in 200..204 {
        rig.post(0, 12, command);
        rig.post(0, 12, command + 100);
    }
    rig.settle();
    assert_eq!(rig.seen.codes()[9..], [OK; 8]);
    rig.value(0, 100u32);
    rig.settle();
    assert_eq!(rig.seen.fired.len(), 15);
}

#[test]
fn what_is_reached_at_posting_finds_a_place_in_a_full_store() {
    let mut rig = small();
    rig.alloc(0..2, 0);
    for command in 0..7 {
        rig.post(0, 10 + command, command);
    }
    rig.value(1, 4u32);
    rig.settle();
    for command in 10..15 {
        rig.post(1, command - 10, command);
        rig.settle();
    }
    assert_eq!(rig.seen.codes(), [OK; 12]);
    rig.post(1, 5, 100);
    // While the one waits that fired at once, there is no place for a second.
    rig.stalled = true;
    rig.post(1, 0, 20);
    rig.post(1, 0, 21);
    rig.settle();
    assert_eq!(rig.seen.codes()[12..], [NO_SPACE, OK, NO_SPACE]);
    rig.stalled = false;
    rig.settle();
    assert_eq!(rig.seen.commands(), [10, 11, 12, 13, 14, 20]);
}

#[test]
fn a_full_context_takes_no_place_of_another() {
    let mut rig = small();
    let post = |context, threshold| Request {
        counter: context as usize,
        context,
        post: Some(Post::once(threshold, context)),
    };
    for context in 0..4 {
        rig.change(context as usize, context, Change::Alloc);
    }
    rig.settle();
    // Each fills its share while those before it are full.
    for context in [2, 0, 3, 1] {
        rig.requests.extend([post(context, 5); 10]);
    }
    rig.settle();
    let filled = [[OK; 7].as_slice(), &[NO_SPACE; 3]].concat();
    assert_eq!(rig.seen.codes(), filled.repeat(4));
    // What context 3 fires, 1 cancels and 0 gives back with its counter is room for each of them, not for 2.
    rig.change(3, 3, Change::Value(5));
    rig.change(0, 0, Change::Free);
    rig.change(0, 0, Change::Alloc);
    rig.requests.push_back(Request {
        post: None,
        ..post(1, 0)
    });
    rig.settle();
    assert_eq!(rig.occupied(), [0, 0, 7, 0]);
    for context in [2, 0, 3, 1] {
        rig.requests.push_back(post(context, 9));
    }
    rig.settle();
    assert_eq!(rig.seen.codes()[41..], [NO_SPACE, OK, OK, OK]);
    assert_eq!(rig.occupied(), [1, 1, 7, 1]);
}

#[test]
fn a_full_context_is_told_first_that_a_counter_is_not_its_own() {
    let mut rig = small();
    rig.alloc([0], 0);
    rig.change(1, 1, Change::Alloc);
    for command in 0..7 {
        rig.post(0, 9, command);
    }
    rig.post(1, 0, 8);
    rig.post(2, 0, 9);
    rig.post(0, 1, 10);
    rig.settle();
    assert_eq!(rig.seen.codes()[7..], [NOT_OWNER, NOT_ALLOCATED, NO_SPACE]);
}

#[test]
fn a_full_store_takes_the_place_of_what_has_left() {
    let mut rig = small();
    rig.alloc([0], 0);
    rig.stalled = true;
    for command in 0..10 {
        rig.post(0, 0, command);
    }
    rig.settle();
    assert_eq!(
        rig.seen.codes(),
        [OK, OK, OK, OK, OK, OK, OK, OK, NO_SPACE, NO_SPACE]
    );
    rig.stalled = false;
    rig.cycle();
    rig.stalled = true;
    rig.cycle();
    // The second cycle after that in which the command left.
    rig.post(0, 0, 20);
    rig.post(0, 0, 21);
    rig.settle();
    assert_eq!(rig.seen.codes()[10..], [OK, NO_SPACE]);
    rig.stalled = false;
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 1, 2, 3, 4, 5, 6, 7, 20]);
}

#[test]
fn a_full_store_takes_operations_again_behind_a_cancellation() {
    let mut rig = small();
    rig.alloc(0..2, 0);
    for command in 0..7 {
        rig.post((command / 4) as usize, 3, command);
    }
    rig.settle();
    rig.cancel(0);
    for command in 10..15 {
        rig.post(0, 3, command);
    }
    rig.settle();
    assert_eq!(rig.seen.codes()[7..], [OK, OK, OK, OK, OK, NO_SPACE]);
    rig.value(0, 3u32);
    rig.value(1, 3u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [10, 11, 12, 13, 4, 5, 6]);
}

#[test]
fn places_free_by_a_cancellation_can_be_used_while_fired_commands_wait() {
    let mut rig = small();
    rig.alloc(0..2, 0);
    rig.stalled = true;
    for command in 0..7 {
        rig.post((command % 2) as usize, 3, command);
    }
    rig.value(1, 3u32);
    rig.settle();
    rig.cancel(0);
    for command in 10..15 {
        rig.post(1, 7, command);
    }
    rig.settle();
    assert_eq!(rig.seen.codes()[8..], [OK, OK, OK, OK, NO_SPACE]);
    rig.stalled = false;
    rig.value(1, 7u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [1, 3, 5, 10, 11, 12, 13]);
}

#[test]
fn a_cancellation_ends_while_fired_commands_leave() {
    let mut rig = full();
    rig.alloc(0..2, 0);
    rig.stalled = true;
    for command in 0..127 {
        rig.post((command % 2) as usize, 3, command);
    }
    rig.value(1, 3u32);
    rig.settle();
    rig.cancel(0);
    rig.stalled = false;
    rig.settle();
    assert_eq!(rig.occupied(), [0; 4]);
    assert_eq!(rig.seen.fired.len(), 63);
}

#[test]
fn rising_thresholds_of_127_operations_on_one_counter_fire_one_by_one() {
    let mut rig = filled(127, |command| command + 1);
    rig.post(0, 1, 999);
    for sum in 1..=127u32 {
        rig.value(0, sum);
    }
    rig.settle();
    assert_eq!(rig.seen.codes()[127], NO_SPACE);
    assert_eq!(rig.seen.commands(), (0..127).collect::<Vec<_>>());
}

#[test]
fn falling_thresholds_of_120_operations_on_one_counter_fire_one_by_one() {
    let mut rig = filled(120, |command| 120 - command);
    for sum in (8..=120u32).step_by(8) {
        rig.value(0, sum);
        rig.settle();
    }
    // Of eight that one update reaches the oldest has the highest threshold.
    let expected = (0..15).rev().flat_map(|group| 8 * group..8 * group + 8);
    assert_eq!(rig.seen.commands(), expected.collect::<Vec<u64>>());
}

#[test]
fn mixed_thresholds_of_127_operations_on_one_counter_fire_together_in_posting_order() {
    let mut rig = filled(127, |command| 1 + command * 7919 % 1009);
    rig.value(0, 500u32);
    rig.value(0, 1009u32);
    rig.settle();
    assert_eq!(rig.seen.fired.len(), 127);
    let low = rig
        .seen
        .commands()
        .iter()
        .filter(|command| *command * 7919 % 1009 < 500)
        .count();
    assert!(rig.seen.commands()[..low].is_sorted() && rig.seen.commands()[low..].is_sorted());
}

#[test]
fn sums_near_the_end_of_64_bits_reach_the_thresholds_there() {
    let mut rig = small();
    rig.alloc([0], 0);
    for (command, threshold) in [u64::MAX, u64::MAX - 1, 1 << 63].into_iter().enumerate() {
        rig.post(0, threshold, command as u64);
    }
    rig.settle();
    for (sum, fired) in [
        ((1u128 << 63) - 1, 0),
        (1 << 63, 1),
        (u128::from(u64::MAX) - 2, 1),
        (u128::from(u64::MAX) - 1, 2),
        (u128::from(u64::MAX), 3),
    ] {
        rig.value(0, sum);
        rig.settle();
        assert_eq!(rig.seen.fired.len(), fired, "{sum:x}");
    }
}

#[test]
fn a_sum_of_65_bits_reaches_every_threshold() {
    for sum in [1u128 << 64, (1 << 64) + 5, (1 << 65) - 2] {
        let mut rig = small();
        rig.alloc([0], 0);
        rig.post(0, u64::MAX, 0);
        rig.post(0, 6, 1);
        rig.settle();
        rig.value(0, sum);
        rig.post(0, u64::MAX, 2);
        rig.settle();
        rig.post(0, u64::MAX, 3);
        rig.settle();
        assert_eq!(rig.seen.fired.len(), 4, "{sum:x}");
    }
}

#[test]
fn thresholds_that_differ_in_any_one_bit_are_told_apart() {
    let mut rig = small();
    rig.alloc([0], 0);
    for bit in 0..64 {
        let threshold = 1u64 << bit | 0x0101_0101_0101_0101 & !(u64::MAX << bit);
        for (sum, fires) in [
            (threshold - 1, false),
            (threshold, true),
            (threshold | !(u64::MAX << bit), true),
        ] {
            rig.value(0, 0u32);
            rig.settle();
            let before = rig.seen.fired.len();
            rig.post(0, threshold, bit);
            rig.settle();
            rig.value(0, sum);
            rig.settle();
            assert_eq!(
                rig.seen.fired.len() - before,
                usize::from(fires),
                "bit {bit}, {sum:x}"
            );
            rig.cancel(0);
            rig.settle();
        }
    }
}
