//! `IovecSum`: bytes of lists.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_testbench::bus::{Gaps, PulseMonitor, WordSource, run_cycle};
use xtq_types::send::IovecJob;

use crate::iovec::engine;
use crate::iovec::list::{List, TIMINGS};
use crate::iovec::memory::Memory;

/// What is reported of lists: sum, unread, overflow.
fn sums(lists: &mut [(List, bool)], timing: (u64, u64, [f64; 3]), seed: u64) -> Vec<[u64; 3]> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut engine = engine("iovec_sum");
    let (least, most, pauses) = timing;
    let mut memory = Memory::new(&*engine, least..=most, pauses[1], seed);
    let mut jobs = WordSource::new(&*engine, "job", Gaps::random(pauses[0], seed)).unwrap();
    let mut done = PulseMonitor::new(&*engine, "done", &["sum", "unread", "overflow"]).unwrap();
    for (list, bad) in lists.iter_mut() {
        list.store(&mut memory, *bad, &mut rng);
        jobs.push_value(IovecJob {
            context: list.context.to_bits(),
            list: list.address.to_bits(),
            pieces: (list.pieces.len() as u64).to_bits(),
            // Not looked at.
            offset: rng.random::<u64>().to_bits(),
            length: u64::from(rng.random::<u32>()).to_bits(),
            follows: 1.into(),
        });
    }
    for _ in 0..300_000 {
        if done.seen().len() == lists.len() {
            break;
        }
        run_cycle(&mut *engine, &mut [&mut jobs, &mut memory, &mut done]).unwrap();
    }
    (0..20)
        .for_each(|_| run_cycle(&mut *engine, &mut [&mut jobs, &mut memory, &mut done]).unwrap());
    let told = done.seen().iter();
    told.map(|(_, words)| [words[0], words[1], words[2]])
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sums_are_those_of_all_lengths(seed in any::<u64>(), timing in prop::sample::select(TIMINGS.to_vec())) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut lists = Vec::new();
        for number in 0..20u64 {
            let mut list = List::draw(&mut rng, 0x10_0000 * (number + 1));
            // Some so long that the sum does not fit, or does just so.
            if rng.random_bool(0.4) {
                let rest = u64::MAX - list.length();
                list.pieces.push((0, rest));
                if rng.random_bool(0.5) {
                    let at = rng.random_range(0..=list.pieces.len());
                    list.pieces.insert(at, (7, 1));
                }
            }
            lists.push((list, rng.random_bool(0.2)));
        }
        let told = sums(&mut lists, timing, seed);
        prop_assert_eq!(told.len(), lists.len());
        for ((list, _), [sum, unread, overflow]) in lists.iter().zip(told) {
            prop_assert_eq!(unread == 1, list.broken.is_some());
            if unread == 0 {
                let exact: u128 = list.pieces.iter().map(|piece| u128::from(piece.1)).sum();
                prop_assert_eq!(overflow == 1, exact > u128::from(u64::MAX));
                prop_assert_eq!(sum, exact as u64);
            }
        }
    }
}

#[test]
fn a_list_of_1024_pieces_is_added_up_and_one_without_pieces_is_0() {
    let many = List {
        context: 3,
        address: 0x7ff8,
        pieces: (0..1024).map(|i| (i, i)).collect(),
        broken: None,
    };
    let none = List {
        pieces: Vec::new(),
        ..many.clone()
    };
    let mut lists = [(many.clone(), false), (none, false), (many, false)];
    let told = sums(&mut lists, TIMINGS[0], 1);
    assert_eq!(told, [[1023 * 512, 0, 0], [0, 0, 0], [1023 * 512, 0, 0]]);
}
