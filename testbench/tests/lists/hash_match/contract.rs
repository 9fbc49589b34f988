//! The contract, without a model: latency and rate, order of a key, refusals that change nothing, regions.

use super::unit::{Ask, Key, Said, Unit, arrive, close, open, post};
use xtq_types::hash_match::hash_outcome::{DONE, IN_USE, MATCHED, NO_SPACE, NOT_OPEN, WAITS};

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
