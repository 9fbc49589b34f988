//! Ways that only misses of the command processor fill, against plain words: which lines a set still has.

use super::rig::{Ask, FULL, MIDDLE, Rig, SMALL, Shape, Who};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_types::l2::op;

const CU: Who = Who::Cu(3);
const CP: Who = Who::Cp(1);

/// A bank whose lowest ways, so many, are the command processor's.
fn rig(shape: Shape, reserved: u64) -> Rig {
    rig_with(shape, (1 << reserved) - 1)
}

/// A bank of which these ways are the command processor's.
fn rig_with(shape: Shape, ways: u64) -> Rig {
    let mut rig = Rig::simple(shape);
    rig.cp_ways(ways);
    rig
}

fn load(rig: &mut Rig, who: Who, number: u64) -> (bool, bool) {
    let line = rig.line(0, number);
    let answer = rig.done(Ask::new(who, op::LOAD, line));
    (answer.hit, answer.uncached)
}

#[test]
fn streams_of_compute_units_leave_the_lines_of_the_command_processor() {
    for shape in [SMALL, MIDDLE, FULL] {
        let ways = shape.ways as u64;
        for reserved in 1..ways {
            let mut rig = rig(shape, reserved);
            for number in 0..reserved {
                assert_eq!(load(&mut rig, CP, number), (false, false));
            }
            for number in 100..100 + 3 * ways {
                assert_eq!(load(&mut rig, CU, number), (false, false), "kept");
            }
            for number in 0..reserved {
                assert!(
                    load(&mut rig, CP, number).0,
                    "{shape:?}, {reserved}: line {number}"
                );
            }
            // The last lines of the stream fill the other ways, and no more.
            let kept = (100..100 + 3 * ways).filter(|number| load(&mut rig, CU, *number).0);
            assert!(kept.count() as u64 <= ways - reserved);
        }
    }
}

#[test]
fn streams_of_compute_units_do_not_age_the_lines_of_the_command_processor() {
    let mut rig = rig(MIDDLE, 2);
    for number in [0, 1] {
        load(&mut rig, CP, number);
    }
    for number in 100..103 {
        load(&mut rig, CU, number);
    }
    assert!(load(&mut rig, CP, 0).0);
    // Its lines are still those used lately, so the next miss takes a way of the stream.
    load(&mut rig, CP, 7);
    for number in [0, 1, 7] {
        assert!(load(&mut rig, CP, number).0, "line {number}");
    }
}

#[test]
fn without_such_ways_a_stream_takes_all() {
    let mut rig = rig(MIDDLE, 0);
    load(&mut rig, CP, 0);
    for number in 100..112 {
        load(&mut rig, CU, number);
    }
    assert!(!load(&mut rig, CP, 0).0);
}

#[test]
fn with_all_ways_reserved_a_compute_unit_is_served_without_keeping_its_line() {
    let mut rig = rig(SMALL, 2);
    for _ in 0..2 {
        assert_eq!(load(&mut rig, CU, 5), (false, true));
    }
    let line = rig.line(0, 5);
    rig.done(Ask::new(CU, op::STORE, line).with(7));
    let answer = rig.done(Ask::new(CP, op::LOAD, line));
    assert_eq!((answer.data[0], answer.uncached), (7, false));
    assert!(load(&mut rig, CU, 5).0, "hits are for all");
}

/// The lines of set 0 as plain words: a bit for each way says that it was used lately.
struct Naive {
    lines: Vec<Option<u64>>,
    recent: u64,
    cp_ways: u64,
}

impl Naive {
    /// Whether the line was there, after which it is, if there was a way for it.
    fn load(&mut self, cp: bool, line: u64) -> bool {
        let closed = if cp { 0 } else { self.cp_ways };
        let all = (1 << self.lines.len()) - 1;
        let open = |way: &usize| closed >> way & 1 == 0;
        let held = self.lines.iter().position(|held| *held == Some(line));
        let ways = || (0..self.lines.len()).filter(open);
        let free = ways().find(|way| self.lines[*way].is_none());
        let old = ways().find(|way| self.recent >> way & 1 == 0);
        let Some(way) = held.or(free).or(old).or_else(|| ways().next()) else {
            return false;
        };
        self.lines[way] = Some(line);
        self.recent |= 1 << way;
        if self.recent | closed == all {
            self.recent = self.recent & closed | 1 << way;
        }
        held.is_some()
    }
}

#[test]
fn random_loads_hit_as_plain_words_say() {
    for (seed, shape) in (1..=24).zip([SMALL, MIDDLE, FULL].into_iter().cycle()) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let ways = shape.ways as u64;
        let mut mask = || rng.random::<u64>() & ((1 << ways) - 1);
        let masks = [mask(), mask()];
        let mut rig = rig_with(shape, masks[0]);
        let mut naive = Naive {
            lines: vec![None; shape.ways],
            recent: 0,
            cp_ways: masks[0],
        };
        for step in 0..400 {
            if step == 200 {
                rig.cp_ways(masks[1]);
                naive.cp_ways = masks[1];
            }
            let cp = rng.random_bool(0.4);
            let number = rng.random_range(0..2 * ways);
            let line = rig.line(0, number);
            let (hit, _) = load(&mut rig, if cp { CP } else { CU }, number);
            let expected = naive.load(cp, line);
            assert_eq!(
                hit, expected,
                "seed {seed}, ways {masks:x?} of {shape:?}, step {step}"
            );
        }
    }
}
