//! Cycles: the latency of a request, both rates of the contract, and what the exceptions cost.

use xtq_engine::Engine;
use xtq_types::matching::{match_op, me_option, request_kind};

use super::common::{entry, overflow, put, search, unit};
use super::unit::{Gaps, Size, Unit};
use super::words::{Command, Request};

/// Cycles from the acceptance of a request to its result, alone.
fn latency(unit: &mut Unit, request: Request) -> u64 {
    unit.idle(10);
    let n = unit.results.len();
    unit.offer(request);
    unit.settle();
    unit.results[n].0 - unit.accepted(n)
}

/// Cycles between the results of requests that are offered without a gap, from the third on.
fn distances(unit: &mut Unit, requests: impl IntoIterator<Item = Request>) -> Vec<u64> {
    let before = unit.results.len();
    requests.into_iter().for_each(|request| unit.offer(request));
    unit.settle();
    let cycles: Vec<u64> = unit.results[before..]
        .iter()
        .map(|(cycle, _)| *cycle)
        .collect();
    cycles
        .windows(2)
        .skip(1)
        .map(|pair| pair[1] - pair[0])
        .collect()
}

#[test]
fn a_first_entry_hit_is_answered_in_6_cycles() {
    let mut unit = unit(false);
    unit.link(entry(0, 0, 0));
    assert_eq!(latency(&mut unit, put(0)), 6);
    unit.link(overflow(1, 1, 0));
    assert_eq!(
        latency(&mut unit, put(1)),
        7,
        "the overflow list is looked at behind the priority list"
    );
    let xtq = Request {
        kind: request_kind::XTQ_PUT,
        ..put(0)
    };
    assert_eq!(latency(&mut unit, xtq), 7);
}

#[test]
fn first_entry_hits_come_every_two_cycles_whatever_the_entry() {
    let local = me_option::MANAGE_LOCAL;
    for options in [
        0,
        me_option::USE_ONCE,
        local,
        local | me_option::NO_TRUNCATE,
        me_option::NO_TRUNCATE,
    ] {
        for many in [1, 60] {
            let mut unit = unit(false);
            let once = options == me_option::USE_ONCE;
            for id in 0..if once { 60 } else { many } {
                unit.order_command(Command {
                    length: 100_000,
                    min_free: 5,
                    ..entry(id, 0, options)
                });
            }
            unit.settle();
            let distances = distances(&mut unit, (0..60).map(|_| put(0)));
            // The first time a chunk of used-up entries leaves the list everything after it is a cycle later, once for
            // all.
            let late = distances.iter().filter(|cycles| **cycles == 3).count();
            assert!(late <= usize::from(once), "{options:x}: {distances:?}");
            assert!(
                distances.iter().all(|cycles| *cycles <= 3),
                "{options:x}: {distances:?}"
            );
        }
    }
}

#[test]
fn first_entry_hits_in_the_overflow_list_come_every_two_cycles_too() {
    let mut unit = unit(false);
    unit.link(overflow(0, 0, 0));
    let distances = distances(&mut unit, (0..100).map(|_| put(0)));
    assert!(distances.iter().all(|cycles| *cycles == 2), "{distances:?}");
}

#[test]
fn xtq_puts_come_every_three_cycles() {
    let mut unit = unit(false);
    unit.link(Command {
        length: 1 << 20,
        ..entry(0, 0, me_option::MANAGE_LOCAL)
    });
    let xtq = || Request {
        kind: request_kind::XTQ_PUT,
        length: 65,
        ..put(0)
    };
    let distances = distances(&mut unit, (0..50).map(|_| xtq()));
    assert!(distances.iter().all(|cycles| *cycles == 3), "{distances:?}");
}

#[test]
fn first_entry_hits_of_four_contexts_come_every_two_cycles() {
    let mut unit = Unit::simple();
    for context in 0..4 {
        unit.command(Command::alloc(context, 9, false));
        for n in 0..20 {
            unit.order_command(Command {
                context,
                portal: 9,
                ..entry(n, 0, me_option::USE_ONCE)
            });
        }
    }
    unit.settle();
    let requests = (0..80).map(|n| Request {
        context: n % 4,
        portal: 9,
        ..put(0)
    });
    let distances = distances(&mut unit, requests);
    assert!(distances.iter().all(|cycles| *cycles == 2), "{distances:?}");
}

#[test]
fn a_list_is_walked_four_entries_a_cycle() {
    for size in [Size::Default, Size::Large] {
        let mut unit = Unit::new(size, Gaps::default(), 0);
        unit.command(Command::alloc(0, 0, false));
        let all = size.share();
        for id in 0..all {
            unit.order_command(entry(id, id, 0));
        }
        unit.settle();
        for at in (0..all).step_by(7) {
            assert_eq!(latency(&mut unit, put(at)), 6 + at / 4, "entry {at}");
        }
        let last = all - 1;
        assert_eq!(latency(&mut unit, put(last)), 6 + last / 4, "the last one");
    }
}

#[test]
fn a_chunk_whose_entries_are_gone_costs_no_cycle() {
    let mut unit = unit(false);
    for id in 0..12 {
        unit.link(entry(id, id, 0));
    }
    assert_eq!(latency(&mut unit, put(8)), 6 + 2);
    for id in 4..8 {
        unit.command(Command::unlink(0, id));
    }
    assert_eq!(latency(&mut unit, put(8)), 6 + 1);
    for id in 0..4 {
        unit.command(Command::unlink(0, id));
    }
    assert_eq!(latency(&mut unit, put(8)), 6);
}

#[test]
fn full_buffers_that_do_not_truncate_are_walked_four_a_cycle_once_it_is_known() {
    let mut unit = unit(false);
    for id in 0..60 {
        unit.order_command(Command {
            length: 8,
            ..entry(id, 0, me_option::MANAGE_LOCAL | me_option::NO_TRUNCATE)
        });
    }
    unit.link(entry(60, 0, 0));
    for _ in 0..60 {
        unit.offer(put(0));
    }
    unit.settle();
    assert_eq!(latency(&mut unit, put(0)), 6 + 60 / 4);
}

#[test]
fn hits_deep_in_a_list_follow_each_other_at_four_entries_a_cycle() {
    let mut unit = Unit::new(Size::Large, Gaps::default(), 0);
    unit.command(Command::alloc(0, 0, false));
    for id in 0..1024 {
        unit.order_command(entry(id, id, 0));
    }
    unit.settle();
    // 255 chunks before the last one: 255 cycles, and what a start costs.
    let distances = distances(&mut unit, (0..20).map(|_| put(1023)));
    assert!(
        distances.iter().all(|cycles| *cycles <= 255 + 8),
        "{distances:?}"
    );
}

#[test]
fn a_queue_of_receives_is_drained_from_its_head_every_two_cycles() {
    let mut unit = Unit::new(Size::Large, Gaps::default(), 0);
    unit.command(Command::alloc(0, 0, false));
    for id in 0..1024 {
        unit.order_command(entry(id, id, me_option::USE_ONCE));
    }
    unit.settle();
    let distances = distances(&mut unit, (0..1024).map(put));
    let sum: u64 = distances.iter().sum();
    assert_eq!(sum, 2 * 1022 + 1, "{distances:?}");
}

#[test]
fn commands_take_a_few_cycles_and_searches_one_for_each_header() {
    fn cycles(unit: &mut Unit, command: Command) -> u64 {
        unit.idle(10);
        let start = unit.engine().cycle();
        unit.command(command);
        unit.responses.last().expect("a FINAL").0 - start
    }
    let mut unit = unit(false);
    for (command, expected) in [
        (Command::alloc(0, 1, false), 5),
        (Command::portal(match_op::PT_DISABLE, 0, 1), 5),
        (Command::portal(match_op::PT_ENABLE, 0, 2), 5),
        (Command::portal(match_op::PT_FREE, 0, 1), 7),
        (search(match_op::ME_SEARCH_ONLY, 0, 0), 6),
        (entry(0, 1, 0), 8),
        (overflow(1, 0, 0), 7),
        (Command::unlink(0, 0), 7),
        (Command::unlink(0, 0), 5),
    ] {
        let shown = format!("{command:?}");
        assert_eq!(cycles(&mut unit, command), expected, "{shown}");
    }
    // Nine headers are three chunks.
    for _ in 0..9 {
        unit.offer(put(0));
    }
    unit.settle();
    let only = match_op::ME_SEARCH_ONLY;
    let once = me_option::USE_ONCE;
    assert_eq!(cycles(&mut unit, search(only, 1, 0)), 6 + 3 * 4);
    assert_eq!(cycles(&mut unit, search(only, 0, 0)), 6 + 3 * 4 + 9 * 6);
    assert_eq!(cycles(&mut unit, search(only, 0, once)), 6 + 4 + 2);
    assert_eq!(cycles(&mut unit, entry(0, 1, 0)), 8 + 3 * 4);
}

#[test]
fn an_idle_unit_does_nothing() {
    let mut unit = unit(true);
    unit.link(entry(0, 0, 0));
    unit.request(put(0));
    unit.idle(10);
    let before = unit.engine().slept();
    for _ in 0..100 {
        unit.engine().step().expect("settles");
    }
    assert_eq!(
        unit.engine().slept() - before,
        100,
        "every cycle is slept through"
    );
}
