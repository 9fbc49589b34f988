//! Every operation on every datatype that the hardware has.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use crate::atomics_rtl::fixture::{
    arrives, beside, both, called, config, data, deliver, hex, pairs, request,
};

/// All pairs in an order of this seed's own.
fn shuffled(rng: &mut ChaCha8Rng) -> Vec<(usize, &'static str, usize)> {
    let mut pairs = pairs();
    for last in (1..pairs.len()).rev() {
        pairs.swap(last, rng.random_range(0..=last));
    }
    pairs
}

#[test]
fn there_are_174_pairs() {
    assert_eq!(pairs().len(), 174);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    #[test]
    fn every_pair_from_outside_is_done(seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut steps = vec![both()];
        for pair in shuffled(&mut rng) {
            let request = request(&mut rng, pair);
            // Some values that meet the data and the operand.
            let bytes = data(&mut rng, pair.1, 1);
            steps.push(json!({"op": "mem_write", "node": 1, "addr": request["roffset"], "hex": hex(&bytes)}));
            steps.push(arrives(request));
        }
        let (_, wrong) = beside(&config(), &steps);
        prop_assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn every_pair_from_another_node_is_sent_done_and_answered(seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut steps = vec![both()];
        for pair in shuffled(&mut rng) {
            let request = request(&mut rng, pair);
            steps.extend(called(request, rng.random_range(0..400)));
            if rng.random_bool(0.3) {
                steps.push(deliver());
            }
        }
        steps.push(deliver());
        let (_, wrong) = beside(&config(), &steps);
        prop_assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
