//! Threads and units that count together.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use xtq_testbench::bus::MemoryTiming;
use xtq_types::l2::{op, status};

use super::{Ask, Bench, get};

/// Threads and units count together in a few words, by atomics and by read-modify-writes, while others store what is
/// theirs.
fn count_together(seed: u64, gaps: f64) -> Result<(), TestCaseError> {
    let mut bench = Bench::new(MemoryTiming::random(seed), gaps, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let counter = |rng: &mut ChaCha8Rng| rng.random_range(0..12u64) * 64 * 37;
    let mut expected: HashMap<u64, u64> = HashMap::new();
    let mut busy = [[false; 4]; 2];
    let (mut seen, mut made, mut cycles, mut rmws) = (0, 0, 0, 0);
    while made < 300 || bench.requesters.pending() > 0 {
        for (class, busy) in busy.iter_mut().enumerate() {
            for (requester, busy) in busy.iter_mut().enumerate() {
                if *busy || made >= 300 || !rng.random_bool(0.3) {
                    continue;
                }
                let (cp, number) = (class == 1, requester as u8);
                let own = 64
                    * (1000
                        + 16 * rng.random_range(0..40)
                        + 8 * class as u64
                        + 2 * requester as u64)
                    + 8 * rng.random_range(0..8);
                let ask = match rng.random_range(0..6) {
                    0 | 1 if cp => {
                        rmws += 1;
                        Ask {
                            cp,
                            requester: number,
                            op: op::RMW_READ,
                            address: counter(&mut rng),
                            value: 0,
                        }
                    }
                    0..3 => Ask {
                        cp,
                        requester: number,
                        op: op::ATOMIC_ADD,
                        address: counter(&mut rng),
                        value: 1,
                    },
                    3 => Ask {
                        cp,
                        requester: number,
                        op: op::STORE,
                        address: own,
                        value: rng.random(),
                    },
                    4 => Ask {
                        cp,
                        requester: number,
                        op: op::LOCKED_STORE,
                        address: own,
                        value: rng.random(),
                    },
                    _ => Ask {
                        cp,
                        requester: number,
                        op: op::LOAD,
                        address: own,
                        value: 0,
                    },
                };
                match ask.op {
                    op::RMW_READ | op::ATOMIC_ADD => *expected.entry(ask.address).or_default() += 1,
                    op::STORE | op::LOCKED_STORE => {
                        expected.insert(ask.address, ask.value);
                    }
                    _ => {}
                }
                bench.requesters.ask(ask);
                *busy = true;
                made += 1;
            }
        }
        bench.cycle();
        cycles += 1;
        prop_assert!(
            cycles < 300_000,
            "{} requests are not answered",
            bench.requesters.pending()
        );
        while let Some(answer) = bench.requesters.answers.get(seen).copied() {
            seen += 1;
            prop_assert_eq!(answer.status, status::OK);
            let ask = answer.ask;
            if ask.op == op::LOAD {
                prop_assert_eq!(
                    answer.word,
                    expected.get(&ask.address).copied().unwrap_or(0),
                    "{:?}",
                    answer
                );
            }
            if ask.op == op::RMW_READ {
                bench.requesters.ask(Ask {
                    op: op::RMW_WRITE,
                    value: answer.word + 1,
                    ..ask
                });
            } else {
                busy[usize::from(ask.cp)][usize::from(ask.requester)] = false;
            }
        }
    }
    let addresses: Vec<u64> = expected.keys().copied().collect();
    bench.requesters.answers.clear();
    for address in addresses {
        bench.requesters.ask(Ask {
            cp: true,
            requester: 9,
            op: op::LOAD,
            address,
            value: 0,
        });
    }
    bench.finish_within(200_000);
    for answer in &bench.requesters.answers {
        prop_assert_eq!(
            answer.word,
            expected[&answer.ask.address],
            "at {:x}",
            answer.ask.address
        );
    }
    for _ in 0..40 {
        bench.cycle();
    }
    // Every RMW lock has ended, and every STORE lock, for the CP has loaded all lines.
    prop_assert_eq!(
        (
            get(&bench.engine, "locked_lines"),
            get(&bench.engine, "lost_lock_ends"),
            get(&bench.engine, "watchdog_drops")
        ),
        (0, 0, 0)
    );
    prop_assert!(bench.requesters.ends >= rmws);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn threads_and_units_that_count_together_lose_nothing(seed: u64, gaps in prop_oneof![Just(0.0), Just(0.3)]) {
        count_together(seed, gaps)?;
    }
}
