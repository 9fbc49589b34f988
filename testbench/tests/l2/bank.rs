//! What a bank does as a cache: exact cycles, order, misses, write-backs, errors.

use super::memory::{Timing, initial};
use super::rig::{Ask, FULL, MIDDLE, Rig, SMALL, Who};
use xtq_engine::Engine;
use xtq_types::l2::{op, status};

const CU: Who = Who::Cu(3);

fn load(line: u64) -> Ask {
    Ask::new(CU, op::LOAD, line)
}

fn store(line: u64, word: u64) -> Ask {
    Ask::new(CU, op::STORE, line).with(word)
}

#[test]
fn a_hit_is_answered_three_cycles_after_it_was_accepted() {
    for shape in [SMALL, MIDDLE, FULL] {
        let mut rig = Rig::simple(shape);
        let miss = rig.done(load(6));
        assert!(!miss.hit && !miss.uncached);
        assert_eq!(miss.data, initial(6, shape.words));
        let hit = rig.done(load(6));
        assert_eq!((hit.hit, hit.cycle - hit.accepted), (true, 3));
        assert_eq!(hit.data, initial(6, shape.words));
    }
}

#[test]
fn a_miss_is_on_ar_after_three_cycles_and_answered_four_after_r() {
    let mut rig = Rig::new(FULL, Timing::fixed(10), 0.0);
    let miss = rig.done(load(6));
    assert_eq!(rig.memory.read_log, [(miss.accepted + 3, 6)]);
    assert_eq!(miss.cycle, miss.accepted + 3 + 10 + 4);
}

#[test]
fn hits_are_answered_one_a_cycle_also_stores_and_atomics_to_one_line() {
    let mut rig = Rig::simple(FULL);
    rig.done(load(9));
    rig.run(4);
    let first = rig.answers.len();
    for i in 0..64 {
        rig.ask(match i % 4 {
            0 => Ask {
                byte: 16,
                ..Ask::new(CU, op::ATOMIC_ADD, 9).with(1)
            },
            1 => load(9),
            2 => Ask {
                strobe: 0xff,
                ..store(9, 100 + i)
            },
            _ => Ask {
                byte: 0,
                compare: 100 + i - 1,
                ..Ask::new(CU, op::ATOMIC_CAS, 9).with(7)
            },
        });
    }
    rig.finish_within(80);
    let answers = &rig.answers[first..];
    let start = answers[0].accepted;
    let before = initial(9, 8);
    for (i, answer) in answers.iter().enumerate() {
        assert_eq!(answer.accepted, start + i as u64);
        assert_eq!(answer.cycle, answer.accepted + 3);
        assert!(answer.hit);
        let adds = (i as u64).div_ceil(4);
        assert_eq!(answer.data[2], before[2] + adds, "answer {i}");
        let word = match i % 4 {
            3 => 100 + i as u64 - 1,
            _ if i >= 4 => 7,
            _ => before[0],
        };
        assert_eq!(answer.data[0], word, "answer {i}");
    }
}

#[test]
fn hits_go_on_while_as_many_misses_as_there_are_places_but_one_are_fetched() {
    let mut rig = Rig::simple(FULL);
    rig.done(load(0));
    rig.memory.held = true;
    for i in 1..FULL.places as u64 {
        rig.ask(load(i));
    }
    rig.run(40);
    assert_eq!(rig.memory.reads_under_way(), FULL.places - 1);
    let first = rig.answers.len();
    rig.ask(load(0));
    rig.run(8);
    // One place is left, and a request is taken only if two are: the miss before it may need one.
    assert_eq!(rig.answers.len(), first, "the last place is kept free");
    rig.memory.held = false;
    rig.finish_within(100);

    let mut rig = Rig::simple(FULL);
    rig.done(load(0));
    rig.memory.held = true;
    for i in 1..FULL.places as u64 - 1 {
        rig.ask(load(i));
    }
    rig.run(40);
    let first = rig.answers.len();
    for _ in 0..20 {
        rig.ask(load(0));
    }
    rig.run(24);
    assert_eq!(rig.answers.len(), first + 20, "one a cycle under misses");
}

#[test]
fn misses_to_one_line_share_one_fetch_and_are_answered_in_order() {
    let mut rig = Rig::simple(FULL);
    rig.memory.held = true;
    for i in 0..6 {
        rig.ask(Ask {
            byte: 8,
            ..Ask::new(Who::Cu(i), op::ATOMIC_ADD, 5).with(1)
        });
    }
    rig.run(30);
    assert_eq!(rig.memory.read_log.len(), 1);
    rig.memory.held = false;
    rig.finish_within(60);
    assert_eq!(rig.memory.read_log.len(), 1);
    for (i, answer) in rig.answers.iter().enumerate() {
        assert_eq!(answer.ask.who, Who::Cu(i as u8));
        assert_eq!(answer.data[1], initial(5, 8)[1] + i as u64);
        assert!(!answer.hit, "it waited for memory");
    }
    assert_eq!((rig.out("cu_hits"), rig.out("cu_misses")), (0, 6));
}

#[test]
fn a_dirty_victim_is_written_back_and_a_clean_one_is_not() {
    let mut rig = Rig::simple(SMALL);
    rig.done(store(0, 77));
    rig.done(load(2));
    assert!(rig.memory.write_log.is_empty());
    rig.done(load(4)); // takes the place of 0, dirty
    rig.run(20);
    assert_eq!(rig.memory.write_log.len(), 1);
    assert_eq!(rig.memory.line(0), [77]);
    rig.done(load(6)); // that of 2, clean
    rig.run(20);
    assert_eq!(rig.memory.write_log.len(), 1);
    rig.done(load(8)); // that of 4: clean, although its way was dirty before
    rig.run(20);
    assert_eq!(rig.memory.write_log.len(), 1);
    assert_eq!(rig.done(load(0)).data, [77]);
}

#[test]
fn the_way_used_last_is_not_replaced() {
    let mut rig = Rig::simple(SMALL);
    for line in [0, 2, 0, 4] {
        rig.done(load(line)); // 4 must take the place of 2
    }
    assert!(rig.done(load(0)).hit);
    assert!(!rig.done(load(2)).hit);
}

#[test]
fn a_line_is_not_fetched_while_its_write_back_is_under_way() {
    let mut rig = Rig::simple(SMALL);
    rig.done(store(0, 77));
    rig.done(load(2));
    rig.done(load(4));
    rig.memory.held = true;
    let reads = rig.memory.read_log.len();
    rig.ask(load(0));
    rig.run(30);
    assert_eq!(rig.memory.read_log.len(), reads);
    rig.memory.held = false;
    rig.finish_within(30);
    assert_eq!(rig.answers.last().unwrap().data, [77]);
}

#[test]
fn bytes_that_are_not_stored_stay() {
    let mut rig = Rig::simple(FULL);
    let strobe = 0x00f0_0000_0000_8001;
    rig.done(Ask {
        strobe,
        ..store(1, u64::MAX)
    });
    let mut expected = initial(1, 8);
    expected[0] |= 0xff;
    expected[1] |= 0xff << 56;
    expected[6] |= 0xffff_ffff << 32;
    assert_eq!(rig.done(load(1)).data, expected);
}

#[test]
fn atomics_of_four_bytes_carry_nothing_over() {
    let mut rig = Rig::simple(FULL);
    rig.done(store(1, 0xffff_ffff_ffff_ffff));
    rig.done(Ask {
        byte: 12,
        wide: false,
        ..Ask::new(CU, op::ATOMIC_ADD, 1).with(1 << 32)
    });
    rig.done(Ask {
        byte: 16,
        wide: false,
        ..Ask::new(CU, op::ATOMIC_ADD, 1).with(1)
    });
    rig.done(Ask {
        byte: 28,
        wide: false,
        ..Ask::new(CU, op::ATOMIC_SWAP, 1).with(0x1234_5678 << 32)
    });
    let fails = Ask {
        byte: 32,
        wide: false,
        compare: 0xffff_fffe,
        ..Ask::new(CU, op::ATOMIC_CAS, 1).with(0)
    };
    rig.done(fails.clone());
    rig.done(Ask {
        byte: 40,
        compare: 0x7_ffff_ffff,
        ..fails
    });
    let line = rig.done(load(1)).data;
    let ones = u64::MAX;
    let expected = [
        ones,
        0xffff_ffff,
        0xffff_ffff_0000_0000,
        0x1234_5678_ffff_ffff,
        ones,
        0xffff_ffff_0000_0000,
        ones,
        ones,
    ];
    assert_eq!(line, expected);
}

#[test]
fn invalidate_writes_back_and_forgets_write_back_keeps() {
    let mut rig = Rig::simple(SMALL);
    rig.done(store(0, 5));
    assert!(rig.done(Ask::new(CU, op::WRITE_BACK, 0)).hit);
    rig.run(12);
    assert_eq!(rig.memory.line(0), [5]);
    assert!(rig.done(load(0)).hit);
    rig.done(Ask::new(CU, op::INVALIDATE, 0));
    rig.run(12);
    assert_eq!(rig.memory.write_log.len(), 1, "it was clean");
    assert!(!rig.done(load(0)).hit);
    rig.done(store(0, 6));
    rig.done(Ask::new(CU, op::INVALIDATE, 0));
    assert_eq!(rig.done(load(0)).data, [6]);
    for op in [op::INVALIDATE, op::WRITE_BACK] {
        let absent = rig.done(Ask::new(CU, op, 14));
        assert_eq!((absent.hit, absent.status), (false, status::OK));
    }
}

#[test]
fn a_failed_fetch_is_an_error_that_changes_nothing() {
    let mut rig = Rig::simple(SMALL);
    rig.memory.bad_lines = vec![2];
    let thread = Who::Cp(1);
    for ask in [
        load(2),
        store(2, 9),
        Ask::new(CU, op::LOCKED_STORE, 2),
        Ask::new(thread, op::RMW_READ, 2),
    ] {
        assert_eq!(rig.done(ask).status, status::MEMORY);
    }
    assert_eq!(rig.out("locked_lines"), 0);
    rig.run(1);
    assert_eq!(rig.out("fetch_errors"), 4);
    rig.memory.bad_lines.clear();
    let answer = rig.done(load(2));
    assert_eq!((answer.hit, answer.status), (false, status::OK));
    assert_eq!(answer.data, initial(2, 1));
}

#[test]
fn a_failed_write_is_counted() {
    let mut rig = Rig::simple(SMALL);
    rig.memory.bad_writes = true;
    rig.done(store(0, 1));
    rig.done(Ask::new(CU, op::WRITE_BACK, 0));
    rig.run(20);
    assert_eq!(rig.out("write_errors"), 1);
}

#[test]
fn what_is_not_known_or_not_allowed_is_refused() {
    let mut rig = Rig::simple(SMALL);
    for op in 10..16 {
        assert_eq!(rig.done(Ask::new(CU, op, 0)).status, status::REFUSED);
    }
    assert_eq!(
        rig.done(Ask::new(CU, op::RMW_READ, 0)).status,
        status::REFUSED
    );
    rig.done(Ask::new(Who::Cp(3), op::RMW_READ, 0));
    for (who, op) in [(Who::Cp(3), op::RMW_WRITE), (Who::Cp(3), op::STORE)] {
        rig.ask_wrong_port(Ask::new(who, op, 0));
        rig.finish_within(20);
        assert_eq!(rig.answers.last().unwrap().status, status::REFUSED, "{op}");
    }
    assert_eq!(rig.out("locked_lines"), 1);
}

#[test]
fn answers_wait_for_a_requester_that_does_not_listen() {
    let mut rig = Rig::simple(SMALL);
    rig.done(load(0));
    rig.deaf = true;
    for _ in 0..20 {
        rig.ask(load(0));
    }
    rig.run(50);
    assert_eq!(rig.unaccepted(), 12, "eight answers have room");
    rig.deaf = false;
    rig.finish_within(30);
}

#[test]
fn reset_forgets_everything() {
    let mut rig = Rig::simple(SMALL);
    rig.done(store(0, 77));
    rig.done(Ask::new(Who::Cp(0), op::RMW_READ, 2));
    rig.engine.reset(1).unwrap();
    assert_eq!(rig.out("locked_lines"), 0);
    assert!(!rig.done(load(0)).hit);
    assert!(!rig.done(load(2)).hit);
    // What was dirty is lost, and what comes in its place is clean.
    rig.done(load(4));
    rig.run(20);
    assert!(rig.memory.write_log.is_empty());
}

#[test]
fn sixteen_lines_of_a_set_fit_and_a_seventeenth_replaces_one() {
    let mut rig = Rig::simple(FULL);
    for number in 0..17 {
        let line = rig.line(5, number);
        rig.done(load(line));
    }
    for number in 1..17 {
        let line = rig.line(5, number);
        assert!(rig.done(load(line)).hit, "line {number}");
    }
    let first = rig.line(5, 0);
    assert!(!rig.done(load(first)).hit);
}

#[test]
fn slow_memory_with_pauses_loses_nothing() {
    let timing = Timing {
        latency: 60,
        pauses: 0.5,
        errors: 0.0,
        seed: 7,
    };
    let mut rig = Rig::new(SMALL, timing, 0.3);
    for round in 0..20 {
        for line in 0..8 {
            rig.ask(store(line, 1000 * round + line));
        }
    }
    for line in 0..8 {
        rig.ask(load(line));
    }
    rig.finish_within(60_000);
    for answer in rig
        .answers
        .iter()
        .filter(|answer| answer.ask.op == op::LOAD)
    {
        assert_eq!(answer.data, [19_000 + answer.ask.line]);
    }
}
