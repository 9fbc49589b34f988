//! `Invalidator` against the order it promises.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use xtq_testbench::by_name::Hardware;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn an_entry_is_forgotten_while_no_message_is_looked_up_and_its_asker_is_told(seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut hardware = Hardware::block("invalidator");
        // What each asker waits for, and what was done for the request at hand.
        let mut asked: [Option<u64>; 2] = [None; 2];
        let (mut current, mut drained, mut cached, mut queued) = (None, false, false, false);
        let (mut finished, mut at_once) = (0, 0);
        let names = ["host", "command"];
        for cycle in 0..3000 {
            for (asker, name) in names.iter().enumerate() {
                if asked[asker].is_none() && current != Some(asker) && rng.random_bool(0.2) {
                    let kind = rng.random_range(0..3_u64);
                    let index = [rng.random_range(0..70), rng.random_range(0..0x1_0000)][rng.random_range(0..2)];
                    asked[asker] = Some(rng.random_range(0..4) << 18 | kind << 16 | index);
                }
                hardware.set(name, &[asked[asker].unwrap_or(rng.random_range(0..1 << 20))]);
                hardware.set(&format!("{name}_valid"), &[asked[asker].is_some().into()]);
            }
            let owners = ["lookup_empty", "cache_invalidate_ready", "queue_invalidate_ready"];
            let ready = owners.map(|name| {
                let ready = rng.random_bool(0.4);
                hardware.set(name, &[ready.into()]);
                ready
            });
            hardware.eval();
            let done = names.map(|name| hardware.high(&format!("{name}_done")));
            let halted = hardware.high("lookup_halt");
            prop_assert_eq!(halted, current.is_some(), "cycle {}", cycle);
            let Some(asker) = current else {
                prop_assert_eq!(done, [false; 2]);
                let taken: Vec<usize> = (0..2)
                    .filter(|a| asked[*a].is_some() && hardware.high(&format!("{}_ready", names[*a])))
                    .collect();
                let first = asked.iter().position(Option::is_some);
                prop_assert_eq!(taken, first.into_iter().collect::<Vec<_>>(), "the host goes first");
                at_once += u64::from(asked.iter().all(Option::is_some));
                current = first;
                (drained, cached, queued) = (false, false, false);
                hardware.step();
                continue;
            };
            let entry = asked[asker].expect("it asks until it is told");
            let cache = hardware.high("cache_invalidate_valid");
            let queue = hardware.high("queue_invalidate_valid");
            prop_assert!(drained || !cache, "before the lookup stage was empty");
            prop_assert!(cached || !queue, "before the cache");
            prop_assert!(!cache || hardware.get("cache_invalidate") == [entry]);
            prop_assert!(!queue || hardware.get("queue_invalidate") == [entry >> 18 << 6 | entry & 63]);
            drained |= ready[0];
            cached |= cache && ready[1];
            queued |= queue && ready[2];
            let needs_queue = entry >> 16 & 3 == 2 && entry & 0xffff < 64;
            let complete = cached && (queued || !needs_queue);
            let mut expected = [false; 2];
            expected[asker] = complete;
            prop_assert_eq!(done, expected, "cycle {}", cycle);
            prop_assert!(needs_queue || !queue, "a queue that does not exist");
            if complete {
                asked[asker] = None;
                current = None;
                finished += 1;
            }
            hardware.step();
        }
        prop_assert!(finished > 100 && at_once > 5, "{} {}", finished, at_once);
    }
}
