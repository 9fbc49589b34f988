//! The properties of the matcher, judged by its results alone, without the model.

use super::model::{LARGE, Model, SMALL, Sizes};
use super::random::{draw, some_keys};
use super::unit::{Ask, Key, Said, Unit, arrive, open, post};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xtq_types::hash_match::{hash_mode, hash_op, hash_outcome};

/// Receives and messages that wait with each key, oldest first; and the portal entries that are open.
#[derive(Default)]
struct Waiting([BTreeMap<Key, VecDeque<u64>>; 2], BTreeSet<u64>);

impl Waiting {
    /// What a result breaks.
    fn hear(&mut self, portal: u64, ask: &Ask, said: &Said) -> Result<(), &'static str> {
        let is_open = self.1.contains(&portal);
        match said.outcome {
            hash_outcome::DONE if ask.op == hash_op::OPEN => drop(self.1.insert(portal)),
            hash_outcome::DONE => drop(self.1.remove(&portal)),
            hash_outcome::IN_USE => {}
            outcome if (outcome == hash_outcome::NOT_OPEN) == is_open => {
                return Err("H4: what is refused opens and closes nothing");
            }
            _ => {}
        }
        let own = usize::from(ask.op == hash_op::ARRIVE);
        let place = |queue: &VecDeque<u64>, number| queue.iter().position(|other| *other == number);
        let queue = self.0[own].entry(ask.key).or_default();
        let waits = place(queue, ask.number);
        match said.outcome {
            hash_outcome::CANCELLED => {
                let place = waits.ok_or("H6: only what waits is cancelled")?;
                queue.remove(place);
                return Ok(());
            }
            hash_outcome::NOT_FOUND if ask.mode == hash_mode::CANCEL && waits.is_some() => {
                return Err("H6: what waits can be cancelled");
            }
            _ => {}
        }
        let others = self.0[1 - own].entry(ask.key).or_default();
        let looks = ask.mode == hash_mode::LOOK;
        match said.outcome {
            hash_outcome::WAITS => {
                if !others.is_empty() {
                    return Err("H1: no key has receives and messages that wait");
                }
                self.0[own]
                    .entry(ask.key)
                    .or_default()
                    .push_back(ask.number);
            }
            hash_outcome::MATCHED => {
                match place(others, said.partner) {
                    Some(0) if looks => None,
                    None => return Err("H2: each receive and message leaves once"),
                    Some(0) => others.pop_front(),
                    Some(_) => return Err("H3: of a key, who came first leaves first"),
                };
            }
            hash_outcome::NOT_FOUND if ask.mode != hash_mode::CANCEL && !others.is_empty() => {
                return Err("H6: who waits is found");
            }
            _ => {}
        }
        Ok(())
    }

    /// Keys with something that waits.
    fn keys(&self) -> u64 {
        let queues = self.0.iter().flat_map(BTreeMap::values);
        queues.filter(|queue| !queue.is_empty()).count() as u64
    }
}

/// What a run breaks first; `keys` is what the block says at its end.
fn judge(sizes: &Sizes, asks: &[Ask], said: &[Said], keys: u64) -> Result<(), &'static str> {
    let mut waiting = Waiting::default();
    for (ask, said) in asks.iter().zip(said) {
        waiting.hear(sizes.portal(&ask.key), ask, said)?;
    }
    match waiting.keys() == keys {
        true => Ok(()),
        false => Err("H5: as many slots are in use as keys have something that waits"),
    }
}

fn is_refused(said: &Said) -> bool {
    [
        hash_outcome::NO_SPACE,
        hash_outcome::NOT_OPEN,
        hash_outcome::IN_USE,
        hash_outcome::NOT_FOUND,
    ]
    .contains(&said.outcome)
}

/// A random run; the same without what was refused must say the same (H4).
fn check(block: &str, sizes: Sizes, numbers: u64, seed: u64, keys: usize, crowded: bool) -> usize {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let keys = some_keys(&mut random, &sizes, keys, crowded);
    let mut model = Model::new(sizes);
    let (asks, _) = draw(&mut random, &mut model, &keys, numbers, 300);
    let mut unit = Unit::new(block);
    let said = unit.ask_with_pauses(&asks, &mut random);
    let judged = judge(&sizes, &asks, &said, unit.keys());
    judged.unwrap_or_else(|broken| panic!("{block}, seed {seed}: {broken}"));

    let pairs = asks.iter().zip(&said);
    let kept = pairs.filter(|(_, said)| !is_refused(said));
    let (asks, kept): (Vec<Ask>, Vec<Said>) = kept.map(|(ask, said)| (*ask, *said)).unzip();
    let mut again = Unit::new(block);
    assert_eq!(
        again.ask(&asks),
        kept,
        "{block}, seed {seed}: H4: what is refused changes nothing"
    );
    assert_eq!(again.keys(), unit.keys(), "{block}, seed {seed}: H4");
    said.len() - kept.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn they_hold_in_the_small_one(seed: u64, keys in 1..20usize, crowded: bool) {
        check("hash_match_2", SMALL, 4, seed, keys, crowded);
    }

    #[test]
    fn they_hold_in_the_large_one(seed: u64, keys in 1..20usize) {
        check("hash_match", LARGE, 4096, seed, keys, false);
    }
}

#[test]
fn runs_of_the_small_one_refuse_much() {
    let refused: usize = (0..8)
        .map(|seed| check("hash_match_2", SMALL, 4, seed, 16, true))
        .sum();
    assert!(refused > 100, "{refused}");
}

#[test]
fn a_run_that_breaks_a_property_is_found() {
    let key = Key::default();
    let asks = [
        open(key),
        post(1, key),
        post(2, key),
        arrive(5, key),
        arrive(6, key),
    ];
    let said = |outcomes: [(u8, u64); 5]| {
        let said = asks.iter().zip(outcomes);
        let said = said.map(|(ask, (outcome, partner))| Said {
            op: ask.op,
            number: ask.number,
            outcome,
            partner,
        });
        said.collect::<Vec<_>>()
    };
    use hash_outcome::{DONE, MATCHED, WAITS};
    let begin = [(DONE, 0), (WAITS, 0), (WAITS, 0)];
    let run = |third, fourth| said([begin[0], begin[1], begin[2], third, fourth]);
    let broken = |run: &[Said], keys| judge(&SMALL, &asks, run, keys).err().map(|text| &text[..2]);
    assert_eq!(broken(&run((MATCHED, 1), (MATCHED, 2)), 0), None);
    assert_eq!(broken(&run((MATCHED, 1), (WAITS, 0)), 1), Some("H1"));
    assert_eq!(broken(&run((MATCHED, 1), (MATCHED, 1)), 0), Some("H2"));
    assert_eq!(broken(&run((MATCHED, 2), (MATCHED, 1)), 0), Some("H3"));
    let refused = (hash_outcome::NOT_OPEN, 0);
    assert_eq!(broken(&run((MATCHED, 1), refused), 1), Some("H4"));
    assert_eq!(broken(&run((MATCHED, 1), (MATCHED, 2)), 1), Some("H5"));
    let cancelled = (hash_outcome::CANCELLED, 0);
    assert_eq!(broken(&run((MATCHED, 1), cancelled), 1), Some("H6"));
}
