//! Random requests, with few keys and many, in both sizes, against the model.

use super::model::{LARGE, Model, SMALL, Sizes};
use super::unit::{Ask, Key, Said, Unit, ask, close, open};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use xtq_types::hash_match::{hash_mode, hash_op, hash_outcome};

/// Posts and arrivals of `keys` keys, each with a number that is free; cancels, mostly of what waits; now and then a
/// portal entry is opened or closed.
pub fn draw(
    random: &mut ChaCha8Rng,
    model: &mut Model,
    keys: &[Key],
    numbers: u64,
    length: usize,
) -> (Vec<Ask>, Vec<Said>) {
    let mut asks = vec![];
    let mut said = vec![];
    for _ in 0..length {
        let key = keys[random.random_range(0..keys.len())];
        let ask = match random.random_range(0..40) {
            0 => close(key),
            1..=4 => open(key),
            draw => {
                let op = if draw % 2 == 0 {
                    hash_op::POST
                } else {
                    hash_op::ARRIVE
                };
                let mode = match draw {
                    5..9 => hash_mode::CANCEL,
                    9 | 10 => hash_mode::TAKE,
                    11 | 12 => hash_mode::LOOK,
                    _ => hash_mode::WAIT,
                };
                let used = model.used(op);
                let mut given: Vec<u64> = (0..numbers).filter(|n| !used.contains(n)).collect();
                if mode == hash_mode::CANCEL && random.random_bool(0.8) {
                    given = model.waiting(op, &key);
                }
                if given.is_empty() {
                    continue;
                }
                let number = given[random.random_range(0..given.len())];
                Ask {
                    mode,
                    ..ask(op, number, key)
                }
            }
        };
        said.push(model.ask(&ask));
        asks.push(ask);
    }
    (asks, said)
}

fn some_key(random: &mut ChaCha8Rng) -> Key {
    Key {
        context: random.random_range(0..4),
        portal: random.random_range(0..3),
        source_node: random.random_range(0..4),
        source_context: random.random_range(0..2),
        match_bits: random.random::<u64>() >> random.random_range(0..64),
    }
}

/// A key that shares both buckets with all others of its kind.
fn crowded_key(random: &mut ChaCha8Rng, sizes: &Sizes) -> Key {
    loop {
        let key = some_key(random);
        if sizes.buckets(&key) == [0, 0] {
            return key;
        }
    }
}

/// Keys of a run.
pub fn some_keys(random: &mut ChaCha8Rng, sizes: &Sizes, count: usize, crowded: bool) -> Vec<Key> {
    let keys = (0..count).map(|_| match crowded {
        true => crowded_key(random, sizes),
        false => some_key(random),
    });
    keys.collect()
}

/// How often each outcome came.
fn compare(
    seed: u64,
    block: &str,
    sizes: Sizes,
    numbers: u64,
    keys: usize,
    crowded: bool,
) -> BTreeMap<u8, usize> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let keys = some_keys(&mut random, &sizes, keys, crowded);
    let mut model = Model::new(sizes);
    let mut unit = Unit::new(block);
    let (asks, expected) = draw(&mut random, &mut model, &keys, numbers, 300);
    let said = unit.ask_with_pauses(&asks, &mut random);
    for (number, (said, expected)) in said.iter().zip(&expected).enumerate() {
        assert_eq!(
            said, expected,
            "{block}, seed {seed}, request {number}: {:?}",
            asks[number]
        );
    }
    assert_eq!(unit.keys(), model.keys());
    let mut counts = BTreeMap::new();
    for said in said {
        *counts.entry(said.outcome).or_default() += 1;
    }
    counts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_small_one_does_what_the_model_does(seed: u64, keys in 1..20usize, crowded: bool) {
        compare(seed, "hash_match_2", SMALL, 4, keys, crowded);
    }

    #[test]
    fn the_large_one_does_what_the_model_does(seed: u64, keys in 1..20usize) {
        compare(seed, "hash_match", LARGE, 4096, keys, false);
    }
}

#[test]
fn every_outcome_comes_in_the_small_one() {
    let mut counts = BTreeMap::new();
    for seed in 0..8 {
        for (outcome, count) in compare(seed, "hash_match_2", SMALL, 4, 16, true) {
            *counts.entry(outcome).or_insert(0) += count;
        }
    }
    for code in hash_outcome::CODES {
        let count = counts.get(&(code.value as u8)).copied().unwrap_or(0);
        assert!(count > 10, "{}: {count}", code.name);
    }
}

#[test]
fn thousands_of_keys_find_a_place() {
    // All entries of four contexts with keys of their own, which then match in another order.
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut model = Model::new(LARGE);
    let mut unit = Unit::new("hash_match");
    let key = |number: u64| Key {
        context: number % 4,
        match_bits: number.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        source_node: number / 64,
        ..Key::default()
    };
    let portals: Vec<Ask> = (0..4).map(|number| open(key(number))).collect();
    let posts = (0..4096).map(|number| ask(hash_op::POST, number, key(number)));
    let asks: Vec<Ask> = portals.into_iter().chain(posts).collect();
    let expected: Vec<Said> = asks.iter().map(|ask| model.ask(ask)).collect();
    assert_eq!(unit.ask(&asks), expected);
    let refused = expected
        .iter()
        .filter(|said| said.outcome == hash_outcome::NO_SPACE);
    assert!(refused.count() <= 1);
    assert_eq!(unit.keys(), model.keys());

    let mut numbers: Vec<u64> = (0..4096).collect();
    for at in (1..numbers.len()).rev() {
        numbers.swap(at, random.random_range(0..=at));
    }
    let arrivals = numbers.iter().enumerate();
    let arrivals: Vec<Ask> = arrivals
        .map(|(number, at)| ask(hash_op::ARRIVE, number as u64, key(*at)))
        .collect();
    for (said, at) in unit.ask(&arrivals).iter().zip(numbers) {
        assert_eq!((said.outcome, said.partner), (hash_outcome::MATCHED, at));
    }
    assert_eq!(unit.keys(), 0);
}

#[test]
fn as_many_keys_find_a_place_as_the_page_says() {
    let outcome = |count: u64| {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut model = Model::new(LARGE);
        let mut refused = 0;
        for number in 0..count {
            let key = Key {
                context: number % 4,
                source_node: random.random_range(0..65_536),
                match_bits: random.random(),
                ..Key::default()
            };
            model.ask(&open(key));
            let said = model.ask(&ask(hash_op::POST, number, key));
            refused += usize::from(said.outcome == hash_outcome::NO_SPACE);
        }
        (count, model.in_stash(), refused)
    };
    // Keys, of them in the stash, and without a place: the table of docs/blocks/lists/hash_match.md.
    let page = [(1024, 0, 0), (4096, 1, 0), (5000, 14, 0), (6144, 16, 90)];
    assert_eq!(page.map(|(count, ..)| outcome(count)), page);
}
