//! Random interleavings against the model of one match unit: the same pairs, results in the order of the requests,
//! what is refused changes nothing, and each request ends once.

use crate::match_unit::random::{gaps, run};
use crate::match_unit::unit::{Gaps, Size};
use crate::match_unit::words::Words;
use proptest::prelude::*;
use std::collections::BTreeSet;
use xtq_types::matching::{MatchResponse, MatchResult, list, match_code, outcome, response_kind};

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn any_interleaving_is_what_the_model_of_one_unit_says(
        seed: u64,
        commands in prop_oneof![Just(0.2), Just(0.5), Just(0.8)],
        gaps in gaps(),
        tiny: bool,
    ) {
        let size = if tiny { Size::TinyParts } else { Size::Parts };
        run(size, seed, 300, commands, gaps);
    }
}

#[test]
fn random_runs_meet_every_outcome_and_code_that_there_can_be() {
    let mut outcomes = BTreeSet::new();
    let mut codes = BTreeSet::new();
    let (mut kept, mut hits) = (0, 0);
    for seed in 0..12 {
        let unit = run(Size::TinyParts, seed, 600, 0.5, Gaps([0.1; 4]));
        for (_, words) in &unit.results {
            let words = Words(words.clone());
            outcomes.insert(words.get(MatchResult::FIELDS, "outcome") as u8);
            kept += words.get(MatchResult::FIELDS, "unexpected");
        }
        for (_, words) in &unit.responses {
            let words = Words(words.clone());
            let get = |name| words.get(MatchResponse::FIELDS, name) as u8;
            match get("kind") {
                response_kind::FINAL => drop(codes.insert(get("code"))),
                kind => {
                    assert_eq!(kind, response_kind::HIT, "no buffer is freed by itself");
                    hits += 1;
                }
            }
        }
    }
    let all: BTreeSet<u8> = outcome::CODES.iter().map(|code| code.value as u8).collect();
    assert_eq!(outcomes, all);
    let all: BTreeSet<u8> = match_code::CODES
        .iter()
        .map(|code| code.value as u8)
        .collect();
    assert_eq!(codes, all);
    assert!(kept > 100 && hits > 100, "{kept} headers, {hits} hits");
}

#[test]
fn each_request_is_matched_kept_or_dropped_once() {
    for seed in 20..24 {
        let unit = run(Size::Parts, seed, 600, 0.3, Gaps([0.1; 4]));
        let (mut matched, mut kept, mut dropped) = (0, 0, 0);
        for (_, words) in &unit.results {
            let words = Words(words.clone());
            let get = |name| words.get(MatchResult::FIELDS, name) as u8;
            match get("outcome") {
                outcome::MATCHED if get("list") == list::PRIORITY => matched += 1,
                outcome::MATCHED => kept += 1,
                _ => dropped += 1,
            }
        }
        let counted: u64 = (0..4)
            .map(|context| unit.status(context))
            .map(|status| status.drop + status.permission + status.operation)
            .sum();
        assert_eq!(dropped, counted);
        assert_eq!(matched + kept + dropped, unit.results.len() as u64);
        assert!(matched > 5 && kept > 20, "{matched} matched, {kept} kept");
    }
}
