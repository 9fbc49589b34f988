//! `MissTracker` against a list of reads.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use xtq_testbench::by_name::Hardware;

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    UnderWay,
    Arrived,
    Taken,
}

struct Read {
    key: u64,
    keep: bool,
    stage: Stage,
    waiting: BTreeSet<u64>,
}

const PULSES: [&str; 6] = [
    "allocate",
    "share",
    "invalidate",
    "arrive",
    "take",
    "answer",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_tag_that_waits_is_answered_once_by_a_read_that_may_serve_it(seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut part = Hardware::block("miss_tracker");
        let mut reads: [Option<Read>; 4] = [const { None }; 4];
        let (mut answered, mut full) = (0, 0);
        for cycle in 0..4000 {
            for pulse in PULSES {
                part.drive(pulse, false);
            }
            let keys = [3, 4, 0x4_0003, 0x1_0003];
            let key = keys[rng.random_range(0..4)];
            let all = || reads.iter().flatten();
            let used: BTreeSet<u64> = all().flat_map(|read| read.waiting.iter().copied()).collect();
            let tag = rng.random_range(0..16);
            let draining = rng.random_range(0..4usize);
            part.drive("key", key);
            part.drive("tag", tag);
            part.drive("draining", draining as u64);
            part.eval();

            let shareable = all().position(|read| read.keep && read.key == key).is_some();
            prop_assert_eq!(part.high("shareable"), shareable, "cycle {}", cycle);
            prop_assert_eq!(part.high("full"), reads.iter().all(Option::is_some), "cycle {}", cycle);
            let free = part.word("free") as usize;
            if part.high("full") {
                full += 1;
            } else {
                prop_assert!(reads[free].is_none(), "cycle {}: read {} is not free", cycle, free);
            }
            let pending = all().any(|read| read.stage == Stage::Arrived);
            prop_assert_eq!(part.high("pending"), pending, "cycle {}", cycle);
            let taken = part.word("pending_read") as usize;
            if pending {
                let read = reads[taken].as_ref().expect("is under way");
                prop_assert!(read.stage == Stage::Arrived, "cycle {}", cycle);
                prop_assert_eq!(part.word("pending_key"), read.key);
            }
            let drain_tag = part.word("drain_tag");
            let drains = reads[draining].as_ref().is_some_and(|read| read.stage == Stage::Taken);
            if drains {
                let read = reads[draining].as_ref().expect("is under way");
                prop_assert!(read.waiting.contains(&drain_tag), "cycle {}", cycle);
                prop_assert_eq!(part.high("drain_last"), read.waiting.len() == 1);
                prop_assert_eq!(part.high("drain_keep"), read.keep);
            }

            // One of four, and arrivals at any time.
            match rng.random_range(0..8) {
                0..4 if !used.contains(&tag) && shareable => {
                    part.drive("share", true);
                    let read = reads.iter_mut().flatten().find(|read| read.keep && read.key == key);
                    read.expect("is shareable").waiting.insert(tag);
                }
                0..4 if !used.contains(&tag) && reads[free].is_none() => {
                    part.drive("allocate", true);
                    let waiting = BTreeSet::from([tag]);
                    reads[free] = Some(Read { key, keep: true, stage: Stage::UnderWay, waiting });
                }
                4 if rng.random_bool(0.3) => {
                    part.drive("invalidate", true);
                    for read in reads.iter_mut().flatten().filter(|read| read.key == key) {
                        read.keep = false;
                    }
                }
                5..8 if drains => {
                    part.drive("answer", true);
                    answered += 1;
                    let read = reads[draining].as_mut().expect("is under way");
                    read.waiting.remove(&drain_tag);
                    if read.waiting.is_empty() {
                        reads[draining] = None;
                    }
                }
                _ => {}
            }
            if pending && rng.random_bool(0.5) {
                part.drive("take", true);
                reads[taken].as_mut().expect("is under way").stage = Stage::Taken;
            }
            let arrived = rng.random_range(0..4usize);
            let read = reads[arrived].as_mut().filter(|read| read.stage == Stage::UnderWay);
            // A read that begins at this edge cannot be back yet.
            if let Some(read) = read.filter(|_| arrived != free || part.high("full")) && rng.random_bool(0.4) {
                part.drive("arrive", true);
                part.drive("arrived", arrived as u64);
                read.stage = Stage::Arrived;
            }
            part.step();
        }
        prop_assert!(answered > 300 && full > 20, "{} answers, {} times full", answered, full);
    }
}
