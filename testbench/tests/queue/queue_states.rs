//! `QueueStates` against two lists of flags.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use xtq_testbench::by_name::Hardware;

const FAILS: [&str; 4] = ["enqueue_fail", "slot_fail", "header_fail", "doorbell_fail"];
const ASKS: [(&str, &str); 3] = [
    ("claim_queue", "claim_open"),
    ("header_queue", "header_open"),
    ("ring_queue", "ring_open"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_queue_is_what_was_told_of_it_and_a_failure_wins(seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut part = Hardware::block("queue_states");
        let (mut open, mut failed) = ([false; 256], [false; 256]);
        // Few queues, so that everything meets; of all contexts.
        let keys: [u8; 6] = rng.random();
        for cycle in 0..2000 {
            let key = |rng: &mut ChaCha8Rng| keys[rng.random_range(0..6)];
            let (queue, closed) = (key(&mut rng), key(&mut rng));
            let opens = rng.random_bool(0.2);
            let closes = !opens && rng.random_bool(0.2);
            part.drive("queue", queue);
            part.drive("open", opens);
            part.drive("closed", closed);
            part.drive("close", closes);
            let fails: Vec<Option<u8>> = FAILS
                .iter()
                .map(|name| {
                    let (of, fails) = (key(&mut rng), rng.random_bool(0.06));
                    part.drive(name, of);
                    part.drive(&format!("{name}_valid"), fails);
                    fails.then_some(of)
                })
                .collect();
            let asked: Vec<u8> = ASKS
                .iter()
                .map(|(ask, _)| {
                    let of = if rng.random_bool(0.9) { key(&mut rng) } else { rng.random() };
                    part.drive(ask, of);
                    of
                })
                .collect();
            part.eval();
            prop_assert_eq!(part.high("is_open"), open[usize::from(queue)], "cycle {}", cycle);
            prop_assert_eq!(part.high("is_failed"), failed[usize::from(queue)], "cycle {}", cycle);
            for ((_, answer), of) in ASKS.iter().zip(asked) {
                let of = usize::from(of);
                prop_assert_eq!(part.high(answer), open[of] && !failed[of], "cycle {}, {}", cycle, answer);
            }
            part.step();
            if opens {
                open[usize::from(queue)] = true;
            }
            if closes {
                open[usize::from(closed)] = false;
                failed[usize::from(closed)] = false;
            }
            for of in fails.into_iter().flatten() {
                failed[usize::from(of)] = true;
            }
        }
    }
}
