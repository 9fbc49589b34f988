//! Cycles: the rate of updates, the way from an update to its command, and when an update has to wait.

use super::model::{Change, Post, Request};
use super::rig::{Rig, full, small};

/// A full engine whose counters 0 to 63 belong to context 0.
fn rig() -> Rig {
    let mut rig = full();
    rig.alloc(0..64, 0);
    rig
}

/// Cycles from the handshake of the newest update to `fire_valid` of each command from number `first` on.
fn latencies(rig: &Rig, first: usize) -> Vec<u64> {
    let update = *rig.seen.updates.last().expect("there was one");
    let fired = rig.seen.fired[first..].iter();
    fired.map(|fired| fired.0 - update).collect()
}

#[test]
fn a_command_is_offered_6_cycles_behind_the_update_that_reaches_it() {
    let mut rig = rig();
    rig.post(5, 3, 0);
    rig.settle();
    rig.value(5, 3u32);
    rig.settle();
    assert_eq!(latencies(&rig, 0), [6]);
}

#[test]
fn each_further_command_of_an_update_and_each_entry_before_it_takes_2_cycles() {
    let mut rig = rig();
    for (command, threshold) in [3, 9, 9, 2, 1].into_iter().enumerate() {
        rig.post(5, threshold, command as u64);
    }
    rig.settle();
    rig.value(5, 3u32);
    rig.settle();
    assert_eq!(rig.seen.commands(), [0, 3, 4]);
    assert_eq!(latencies(&rig, 0), [6, 12, 14]);
}

#[test]
fn of_126_operations_with_rising_thresholds_the_next_takes_6_cycles_too() {
    let mut rig = rig();
    for command in 0..126 {
        rig.post(5, 1 + command / 2, command);
    }
    rig.settle();
    for sum in 1..=63u32 {
        let first = rig.seen.fired.len();
        rig.value(5, sum);
        rig.settle();
        assert_eq!(latencies(&rig, first), [6, 8]);
    }
}

#[test]
fn what_is_reached_at_posting_is_offered_4_cycles_behind_the_post() {
    let mut rig = rig();
    rig.post(5, 0, 0);
    rig.settle();
    assert_eq!(rig.seen.fired[0].0 - rig.seen.requests[0], 4);
}

#[test]
fn posts_are_answered_in_2_cycles_and_taken_every_8() {
    let mut rig = rig();
    for command in 0..100 {
        rig.post(command as usize % 64, 5, command);
    }
    rig.settle();
    let (asked, answers) = (&rig.seen.requests, &rig.seen.answers);
    assert!(
        asked.windows(2).all(|pair| pair[1] - pair[0] == 8),
        "{asked:?}"
    );
    assert!(
        asked
            .iter()
            .zip(answers)
            .all(|(asked, answer)| answer.0 - asked == 2)
    );
}

#[test]
fn a_cancellation_of_n_operations_is_answered_behind_4_and_2_n_cycles() {
    for count in [0, 1, 2, 17, 127] {
        let mut rig = rig();
        for command in 0..count {
            rig.post(5, 9, command);
        }
        rig.settle();
        rig.cancel(5);
        rig.settle();
        let (asked, answer) = (rig.seen.requests.last(), rig.seen.answers.last());
        assert_eq!(
            answer.expect("is there").0 - asked.expect("is there"),
            4 + 2 * count
        );
    }
}

#[test]
fn updates_come_in_every_cycle_while_nothing_fires() {
    let mut rig = rig();
    for counter in 0..64 {
        rig.post(counter, 1_000_000, counter as u64);
    }
    rig.settle();
    for sum in 0..2000u32 {
        rig.value((sum * 7 % 64) as usize, sum);
    }
    rig.settle();
    assert_eq!(rig.seen.held, 0);
    assert_eq!(rig.seen.fired.len(), 0);
}

#[test]
fn updates_of_one_counter_come_in_every_cycle_while_single_operations_fire() {
    let mut rig = rig();
    for command in 0..20 {
        rig.post(3, 100 + 40 * command, command);
    }
    rig.settle();
    for sum in 1..1000u32 {
        rig.value(3, sum);
    }
    rig.settle();
    assert_eq!(rig.seen.held, 0);
    assert_eq!(rig.seen.fired.len(), 20);
    // Each is offered 6 cycles after the update that has reached it.
    let first = rig.seen.updates.len() - 999;
    for (command, (cycle, _)) in rig.seen.fired.iter().enumerate() {
        assert_eq!(cycle - rig.seen.updates[first + 99 + 40 * command], 6);
    }
}

#[test]
fn updates_come_in_every_cycle_while_operations_are_posted() {
    let mut rig = rig();
    for command in 0..100 {
        rig.post(3, 1_000_000, command);
    }
    for sum in 1..2000u32 {
        rig.value((3 + sum % 2) as usize, sum);
    }
    rig.settle();
    assert_eq!(rig.seen.held, 0);
}

#[test]
fn operations_of_different_counters_fire_every_5_cycles() {
    let mut rig = rig();
    for counter in 0..64 {
        rig.post(counter, 1, counter as u64);
    }
    rig.settle();
    for counter in 0..64 {
        rig.value(counter, 1u32);
    }
    rig.settle();
    let cycles: Vec<u64> = rig.seen.fired.iter().map(|fired| fired.0).collect();
    assert!(
        cycles.windows(2).all(|pair| pair[1] - pair[0] == 5),
        "{cycles:?}"
    );
}

#[test]
fn an_update_waits_only_behind_28_that_fire_and_not_longer_than_four_of_them_take() {
    let mut rig = rig();
    for command in 0..127 {
        rig.post(command as usize % 2, 1000 - command, command);
    }
    rig.settle();
    for counter in 2..64 {
        rig.value(counter, 1u32);
    }
    rig.settle();
    let before = rig.seen.updates.len();
    for sum in 400..800u32 {
        rig.value(sum as usize % 2, 2 * sum);
    }
    rig.settle();
    let waits: Vec<u64> = rig.seen.updates[before..]
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .collect();
    let first = waits.iter().position(|wait| *wait > 1).expect("some wait");
    assert!(first >= 28, "{first}");
    let longest = waits.iter().max().expect("there are some");
    // Each of the two counters has 64 entries, or one less.
    assert!((100..=4 * (3 + 2 * 64)).contains(longest), "{longest}");
}

#[test]
fn a_stalled_consumer_holds_no_update_back() {
    let mut rig = rig();
    rig.stalled = true;
    for command in 0..127 {
        rig.post(command as usize % 64, 1 + command / 64, command);
    }
    rig.settle();
    for round in 1..=2u32 {
        for counter in 0..64 {
            rig.value(counter, round);
            // What fires, and the entry after it.
            rig.cycles(7);
        }
    }
    rig.settle();
    assert_eq!((rig.seen.held, rig.seen.fired.len()), (0, 0));
    rig.stalled = false;
    let start = rig.cycle_number();
    rig.settle();
    let last = rig.seen.fired.last().expect("all fired").0;
    assert_eq!(last - start, 3 * 126, "one every three cycles");
}

/// Cycle and context of what is on offer in the next cycles.
fn offers(rig: &mut Rig, cycles: u64) -> Vec<(u64, u64)> {
    let mut seen = Vec::new();
    for cycle in 0..cycles {
        if rig.get("fire_valid") == [1] {
            seen.push((cycle, rig.get("fire_context")[0]));
        }
        rig.cycles(1);
    }
    seen
}

/// What has fired on counter 0 of context 0 is passed; on counter 64 a command of context 1 waits, which will be passed
/// too.
fn passed() -> Rig {
    let mut rig = full();
    rig.alloc([0], 0);
    rig.alloc([64], 1);
    for (counter, context) in [(0, 0), (64, 1)] {
        rig.requests.push_back(Request {
            counter,
            context,
            post: Some(Post::once(1, context)),
        });
    }
    rig.settle();
    rig.blocked = [true; 4];
    rig.change(0, 0, Change::Value(1));
    rig.settle();
    rig
}

#[test]
fn what_is_passed_comes_again_every_2_cycles_and_another_context_3_cycles_behind() {
    let mut rig = passed();
    while rig.get("fire_valid") == [0] {
        rig.cycles(1);
    }
    assert_eq!(offers(&mut rig, 6), [(0, 0), (2, 0), (4, 0)], "alone");
    rig.change(64, 1, Change::Value(1));
    while rig.get("fire_context") == [0] || rig.get("fire_valid") == [0] {
        rig.cycles(1);
    }
    let both = [(0, 1), (3, 0), (6, 1), (9, 0)];
    assert_eq!(offers(&mut rig, 12), both, "two that are passed in turn");
}

#[test]
fn what_fires_in_the_cycle_behind_a_pass_is_on_offer_in_the_next() {
    // At every distance from the first offer of one that is passed: all other pairs of cycles are those of the test
    // above.
    let mut soonest = 99;
    for wait in 0..12 {
        let mut rig = passed();
        rig.cycles(wait);
        rig.change(64, 1, Change::Value(1));
        let seen = offers(&mut rig, 30);
        let first = seen.iter().position(|offer| offer.1 == 1).expect("fires");
        soonest = soonest.min(seen[first].0 - seen[first - 1].0);
    }
    assert_eq!(soonest, 2);
}

#[test]
fn no_valid_follows_a_ready() {
    let mut rig = small();
    rig.alloc(0..2, 0);
    for command in 0..40 {
        rig.post(0, command % 3, command);
        rig.value(0, command * 5 % 8);
    }
    for cycle in 0..400 {
        rig.drive();
        let mut seen = Vec::new();
        for ready in [0, 1] {
            rig.set("fire_ready", &[ready]);
            rig.engine.eval().expect("settles");
            seen.push(["fire_valid", "answer_valid"].map(|name| rig.get(name)));
        }
        assert_eq!(seen[0], seen[1], "cycle {cycle}");
        rig.cycle();
    }
    assert!(rig.seen.fired.len() > 20);
}
