//! The contract, without a model: latency and rate, order of a key, refusals that change nothing, regions.

use super::unit::{Ask, Key, Said, Unit, arrive, close, open, post};
use xtq_types::hash_match::hash_outcome::{
    CANCELLED, DONE, IN_USE, MATCHED, NO_SPACE, NOT_FOUND, NOT_OPEN, WAITS,
};

const KEY: Key = Key {
    context: 1,
    portal: 5,
    source_node: 3,
    source_context: 0,
    match_bits: 0x1234,
};

fn other(match_bits: u64) -> Key {
    Key { match_bits, ..KEY }
}

fn outcomes(said: &[Said]) -> Vec<(u8, u64)> {
    said.iter()
        .map(|said| (said.outcome, said.partner))
        .collect()
}

fn opened(block: &str) -> Unit {
    let mut unit = Unit::new(block);
    assert_eq!(outcomes(&unit.ask(&[open(KEY)])), [(DONE, 0)]);
    unit
}

#[test]
fn a_request_a_cycle_with_the_result_four_cycles_later() {
    // One key, then keys of their own: posts, then their arrivals.
    let mut unit = opened("hash_match");
    for key in [|_| KEY, |number| other(number * 77)] {
        let posts = (0..200).map(|number| post(number, key(number)));
        let asks: Vec<Ask> = posts
            .chain((0..200).map(|number| arrive(number, key(number))))
            .collect();
        let said = unit.ask(&asks);
        assert!(
            said[200..]
                .iter()
                .all(|said| (said.outcome, said.partner) == (MATCHED, said.number))
        );
        assert!(unit.taken.windows(2).all(|pair| pair[1] == pair[0] + 1));
        let latency = unit
            .taken
            .iter()
            .zip(&unit.told)
            .map(|(taken, told)| told - taken);
        assert!(
            latency.clone().all(|cycles| cycles == 4),
            "{:?}",
            latency.collect::<Vec<_>>()
        );
    }
}

#[test]
fn the_time_does_not_depend_on_how_many_wait() {
    let mut unit = opened("hash_match");
    let posts: Vec<Ask> = (0..1024)
        .map(|number| post(number, other(number)))
        .collect();
    unit.ask(&posts);
    for at in [0, 511, 1023] {
        let said = unit.ask(&[arrive(at, other(at))]);
        assert_eq!((said[0].outcome, said[0].partner), (MATCHED, at));
        assert_eq!(unit.told[0] - unit.taken[0], 4);
    }
}

#[test]
fn partners_of_a_key_come_first_in_first_out() {
    let mut unit = opened("hash_match");
    let asks = [
        post(7, KEY),
        post(9, KEY),
        arrive(1, KEY),
        post(4, KEY),
        arrive(2, KEY),
        arrive(3, KEY),
        arrive(5, KEY),
        arrive(6, KEY),
        post(8, KEY),
        post(1, KEY),
    ];
    assert_eq!(
        outcomes(&unit.ask(&asks)),
        [
            (WAITS, 0),
            (WAITS, 0),
            (MATCHED, 7),
            (WAITS, 0),
            (MATCHED, 9),
            (MATCHED, 4),
            (WAITS, 0),
            (WAITS, 0),
            (MATCHED, 5),
            (MATCHED, 6)
        ]
    );
    assert_eq!(unit.keys(), 0);
}

/// Numbers that wait with the key, oldest first; then none does.
fn drain(unit: &mut Unit, posts: bool) -> Vec<u64> {
    let mut numbers = vec![];
    loop {
        let ask = match posts {
            true => arrive(0, KEY),
            false => post(0, KEY),
        };
        match outcomes(&unit.ask(&[ask.take()]))[0] {
            (MATCHED, number) => numbers.push(number),
            (outcome, _) => {
                assert_eq!(outcome, NOT_FOUND);
                return numbers;
            }
        }
    }
}

#[test]
fn a_cancel_takes_its_number_from_any_place_and_leaves_the_order_of_the_others() {
    let mut unit = opened("hash_match");
    for posts in [true, false] {
        let own = |number| match posts {
            true => post(number, KEY),
            false => arrive(number, KEY),
        };
        for length in 1..6 {
            for gone in 0..=length {
                let asks: Vec<Ask> = (0..length).map(|number| own(10 + number)).collect();
                unit.ask(&asks);
                // The last round cancels a number that does not wait.
                let said = unit.ask(&[own(10 + gone).cancel()]);
                let outcome = if gone < length { CANCELLED } else { NOT_FOUND };
                assert_eq!(outcomes(&said), [(outcome, 0)], "{gone} of {length}");
                unit.ask(&[own(30)]);
                let rest = (0..length).filter(|number| *number != gone);
                let expected: Vec<u64> = rest.map(|number| 10 + number).chain([30]).collect();
                assert_eq!(drain(&mut unit, posts), expected, "{gone} of {length}");
                assert_eq!(unit.keys(), 0);
            }
        }
    }
}

#[test]
fn a_cancel_takes_as_long_as_the_chain_and_requests_wait_for_it() {
    let mut unit = opened("hash_match");
    for length in 0..8 {
        let posts: Vec<Ask> = (0..length).map(|number| post(number, KEY)).collect();
        unit.ask(&posts);
        let absent = post(100, KEY).cancel();
        let said = unit.ask(&[absent, arrive(9, other(1)).look(), absent]);
        assert!(said.iter().all(|said| said.outcome == NOT_FOUND));
        let steps = length.max(1);
        assert_eq!(unit.told[0] - unit.taken[0], 3 + steps, "{length}");
        assert_eq!(unit.taken[1] - unit.taken[0], 2 + steps, "{length}");
        assert_eq!(unit.taken[2] - unit.taken[1], 1);
        assert_eq!(drain(&mut unit, true).len() as u64, length);
    }
}

#[test]
fn a_cancel_amid_requests_delays_and_disturbs_none() {
    let mut unit = opened("hash_match");
    let asks = [
        post(1, KEY),
        post(2, other(5)),
        post(3, KEY),
        post(4, KEY),
        post(3, KEY).cancel(),
        arrive(1, KEY),
        arrive(2, other(5)),
        post(1, KEY).cancel(),
        post(4, KEY).cancel(),
        arrive(3, KEY),
        post(5, KEY).take(),
    ];
    assert_eq!(
        outcomes(&unit.ask(&asks)),
        [
            (WAITS, 0),
            (WAITS, 0),
            (WAITS, 0),
            (WAITS, 0),
            (CANCELLED, 0),
            (MATCHED, 1),
            (MATCHED, 2),
            (NOT_FOUND, 0),
            (CANCELLED, 0),
            (WAITS, 0),
            (MATCHED, 3)
        ]
    );
    assert_eq!(unit.keys(), 0);
}

#[test]
fn a_cancel_names_entries_or_headers() {
    let mut unit = opened("hash_match");
    unit.ask(&[post(3, KEY)]);
    let asks = [arrive(3, KEY).cancel(), post(3, other(1)).cancel()];
    assert_eq!(outcomes(&unit.ask(&asks)), [(NOT_FOUND, 0); 2]);
    let said = unit.ask(&[post(3, KEY).cancel(), post(3, KEY).cancel()]);
    assert_eq!(outcomes(&said), [(CANCELLED, 0), (NOT_FOUND, 0)]);
    let closed = post(3, Key { portal: 9, ..KEY }).cancel();
    assert_eq!(outcomes(&unit.ask(&[closed])), [(NOT_OPEN, 0)]);
    // Nothing waits, so the region can be closed.
    assert_eq!(outcomes(&unit.ask(&[close(KEY)])), [(DONE, 0)]);
}

#[test]
fn take_and_look_never_wait_and_look_changes_nothing() {
    let mut unit = opened("hash_match");
    let nothing = [post(0, KEY).take(), post(0, KEY).look(), close(KEY)];
    let outcome = outcomes(&unit.ask(&nothing));
    assert_eq!(outcome, [(NOT_FOUND, 0), (NOT_FOUND, 0), (DONE, 0)]);
    unit.ask(&[open(KEY), post(7, KEY), post(8, KEY)]);
    let asks = [
        arrive(0, KEY).look(),
        post(0, KEY).look(),
        arrive(0, KEY).look(),
        arrive(0, KEY).take(),
        arrive(0, KEY).take(),
        arrive(0, KEY).take(),
    ];
    assert_eq!(
        outcomes(&unit.ask(&asks)),
        [
            (MATCHED, 7),
            (NOT_FOUND, 0),
            (MATCHED, 7),
            (MATCHED, 7),
            (MATCHED, 8),
            (NOT_FOUND, 0)
        ]
    );
    assert_eq!(unit.keys(), 0);
}

#[test]
fn each_part_of_the_key_has_to_be_equal() {
    let mut unit = opened("hash_match");
    let keys = [
        Key { context: 0, ..KEY },
        Key { portal: 4, ..KEY },
        Key {
            source_node: 2,
            ..KEY
        },
        Key {
            source_context: 1,
            ..KEY
        },
        other(0x1235),
        Key {
            match_bits: KEY.match_bits | 1 << 63,
            ..KEY
        },
    ];
    let opens: Vec<Ask> = keys[..2].iter().map(|key| open(*key)).collect();
    unit.ask(&opens);
    unit.ask(&[post(0, KEY)]);
    let asks: Vec<Ask> = keys
        .iter()
        .zip(0..)
        .map(|(key, number)| arrive(number, *key))
        .collect();
    assert!(unit.ask(&asks).iter().all(|said| said.outcome == WAITS));
    assert_eq!(outcomes(&unit.ask(&[arrive(9, KEY)])), [(MATCHED, 0)]);
}

#[test]
fn what_is_refused_changes_nothing() {
    // Match bits 0, 3, 5, ... have an even number of ones: with bit 0 of the whole key equal they share both buckets.
    let mut unit = opened("hash_match_2");
    let even: Vec<u64> = (0..32u64)
        .filter(|bits| bits.count_ones() % 2 == 0)
        .collect();
    let asks: Vec<Ask> = even[..5]
        .iter()
        .zip(0..)
        .map(|(bits, number)| post(number % 4, other(*bits)))
        .collect();
    assert!(unit.ask(&asks).iter().all(|said| said.outcome == WAITS));
    assert_eq!(unit.keys(), 5);
    let refused = [arrive(0, other(even[5])), arrive(1, other(even[6]))];
    assert_eq!(outcomes(&unit.ask(&refused)), [(NO_SPACE, 0); 2]);
    assert_eq!(unit.keys(), 5);
    // A key that has a slot still takes more, and each of the five still has its own.
    for (number, bits) in even[..5].iter().enumerate() {
        let said = unit.ask(&[arrive(3, other(*bits))]);
        assert_eq!(outcomes(&said), [(MATCHED, number as u64 % 4)]);
    }
    assert_eq!(outcomes(&unit.ask(&refused)), [(WAITS, 0); 2]);
}

#[test]
fn a_region_is_opened_and_closed_only_while_it_is_empty() {
    let mut unit = Unit::new("hash_match");
    let elsewhere = Key { portal: 6, ..KEY };
    let said = unit.ask(&[
        post(0, KEY),
        open(KEY),
        post(0, KEY),
        close(KEY),
        open(KEY),
        post(1, elsewhere),
        close(elsewhere),
        arrive(0, KEY),
        close(KEY),
        arrive(1, KEY),
    ]);
    assert_eq!(
        outcomes(&said),
        [
            (NOT_OPEN, 0),
            (DONE, 0),
            (WAITS, 0),
            (IN_USE, 0),
            (IN_USE, 0),
            (NOT_OPEN, 0),
            (DONE, 0),
            (MATCHED, 0),
            (DONE, 0),
            (NOT_OPEN, 0)
        ]
    );
}

#[test]
fn reset_forgets_all() {
    let mut unit = opened("hash_match");
    unit.ask(&[post(0, KEY), post(1, other(1))]);
    unit.hardware.drive("rst", true);
    unit.hardware.step();
    unit.hardware.drive("rst", false);
    for _ in 0..1024 {
        unit.hardware.eval();
        assert!(!unit.hardware.high("request_ready"));
        unit.hardware.step();
    }
    assert_eq!(unit.keys(), 0);
    let said = unit.ask(&[
        arrive(0, KEY),
        open(KEY),
        arrive(0, KEY),
        arrive(1, other(1)),
    ]);
    assert_eq!(
        outcomes(&said),
        [(NOT_OPEN, 0), (DONE, 0), (WAITS, 0), (WAITS, 0)]
    );
}
