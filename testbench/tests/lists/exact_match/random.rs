//! Random interleavings against the model of a match unit: the same pairs, results in the order of the requests, what
//! is refused changes nothing, and each request ends once.

use crate::match_unit::random::{gaps, run};
use crate::match_unit::unit::{Gaps, Size};
use crate::match_unit::words::Words;
use proptest::prelude::*;
use std::collections::BTreeMap;
use xtq_types::matching::{MatchResponse, MatchResult, match_code, outcome, response_kind};

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn any_interleaving_is_what_the_model_of_a_match_unit_says(
        seed: u64,
        commands in prop_oneof![Just(0.2), Just(0.5), Just(0.8)],
        gaps in gaps(),
        size in prop_oneof![Just(Size::TinyExact), Just(Size::TightExact), Just(Size::Exact)],
    ) {
        run(size, seed, 300, commands, gaps);
    }
}

#[test]
fn random_runs_meet_every_outcome_and_code_that_there_can_be() {
    let mut outcomes: BTreeMap<u8, usize> = BTreeMap::new();
    let mut codes: BTreeMap<u8, usize> = BTreeMap::new();
    let (mut kept, mut taken, mut hits) = (0, 0, 0);
    for seed in 0..24 {
        let size = if seed % 2 == 0 {
            Size::TightExact
        } else {
            Size::TinyExact
        };
        let unit = run(size, seed, 600, 0.5, Gaps([0.1; 4]));
        for (_, words) in &unit.results {
            let words = Words(words.clone());
            let get = |name| words.get(MatchResult::FIELDS, name);
            *outcomes.entry(get("outcome") as u8).or_default() += 1;
            kept += get("unexpected");
            taken += get("auto_unlink");
        }
        for (_, words) in &unit.responses {
            let words = Words(words.clone());
            let get = |name| words.get(MatchResponse::FIELDS, name) as u8;
            match get("kind") {
                response_kind::FINAL => *codes.entry(get("code")).or_default() += 1,
                kind => {
                    assert_eq!(kind, response_kind::HIT, "no buffer is freed by itself");
                    hits += 1;
                }
            }
        }
    }
    for code in outcome::CODES {
        let count = outcomes.get(&(code.value as u8)).copied().unwrap_or(0);
        assert!(count > 20, "{}: {count}", code.name);
    }
    for code in match_code::CODES {
        let count = codes.get(&(code.value as u8)).copied().unwrap_or(0);
        assert!(count > 5, "{}: {count}", code.name);
    }
    assert!(
        kept > 100 && taken > 100 && hits > 100,
        "{kept} headers, {taken} entries taken, {hits} hits"
    );
}
