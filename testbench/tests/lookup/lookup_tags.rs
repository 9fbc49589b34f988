//! `LookupTags` against lists of what each set holds.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use xtq_testbench::by_name::Hardware;

/// A set: what its ways hold, and whose turn it is.
#[derive(Clone, Default)]
struct Set {
    ways: [Option<u32>; 4],
    turn: usize,
}

/// {context 2, kind 2, index 16}: its set.
fn set_of(key: u32) -> usize {
    let (context, kind) = (key >> 18, key >> 16 & 3);
    ((key & 15) ^ context ^ kind << 2) as usize
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_line_is_held_where_it_went_until_it_is_forgotten_or_its_place_is_taken(seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut part = Hardware::block("lookup_tags");
        let mut sets = vec![Set::default(); 16];
        let mut hits = 0;
        for cycle in 0..3000 {
            // Entries 0..16 and two far ones of all tables: some 14 for each set of four.
            let far = if rng.random_bool(0.2) { rng.random_range(1..3u32) << 12 } else { 0 };
            let key = rng.random_range(0..12u32) << 16 | far | rng.random_range(0..16);
            let set = &mut sets[set_of(key)];
            let held = set.ways.iter().position(|line| *line == Some(key));
            let action = rng.random_range(0..10);
            let fill = action < 5 && held.is_none();
            let forget = action == 9;
            part.drive("key", key);
            part.drive("fill", fill);
            part.drive("invalidate", forget);
            part.eval();
            prop_assert_eq!(part.high("hit"), held.is_some(), "cycle {}, key {:#x}", cycle, key);
            let free = set.ways.iter().position(Option::is_none);
            let way = held.or(free).unwrap_or(set.turn);
            prop_assert_eq!(part.word("place") as usize, way << 4 | set_of(key), "cycle {}", cycle);
            part.step();
            hits += u32::from(held.is_some());
            if fill {
                set.ways[way] = Some(key);
                set.turn = if free.is_none() { (set.turn + 1) % 4 } else { set.turn };
            }
            if let (true, Some(way)) = (forget, held) {
                set.ways[way] = None;
            }
        }
        prop_assert!((300..2700).contains(&hits), "{} hits", hits);
    }
}
