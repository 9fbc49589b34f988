//! Cycles, and the commands that units could end differently.

use crate::match_unit::common::{entry, overflow, search, taker};
use crate::match_unit::unit::{Gaps, Size, Unit};
use crate::match_unit::words::{Command, Request};
use xtq_types::matching::{match_code, match_op, me_option, outcome, portal_option};

fn unit() -> Unit {
    let mut unit = Unit::new(Size::Parts, Gaps::default(), 0);
    assert_eq!(unit.code(Command::alloc(0, 0, false)), match_code::OK);
    unit
}

/// A receive from this node.
fn receive(id: u64, node: u64, bits: u64) -> Command {
    Command {
        any_node: false,
        node,
        ..entry(id, bits, me_option::USE_ONCE)
    }
}

fn put(node: u64, bits: u64) -> Request {
    Request {
        node,
        bits,
        ..Request::default()
    }
}

/// Cycles from the acceptance of the last request to its result.
fn last_latency(unit: &Unit) -> u64 {
    let n = unit.results.len() - 1;
    unit.results[n].0 - unit.accepted(n)
}

#[test]
fn a_first_entry_hit_is_answered_in_7_cycles() {
    let mut unit = unit();
    unit.link(receive(0, 1, 0));
    let told = unit.request(put(1, 0));
    assert_eq!(taker(&told), Some(0));
    assert_eq!(last_latency(&unit), 7);
}

/// Cycles for each result of 240 messages that `senders` nodes send in turn, to entries that stay.
fn cycles_each(senders: u64) -> f64 {
    let mut unit = unit();
    for node in 0..senders {
        unit.link(Command {
            options: entry(0, 0, 0).options,
            ..receive(node, node, 0)
        });
    }
    let before = unit.results.len();
    for n in 0..240 {
        unit.offer(put(n % senders, 0));
    }
    unit.settle();
    let cycles: Vec<u64> = unit.results[before..].iter().map(|one| one.0).collect();
    (cycles[239] - cycles[39]) as f64 / 200.0
}

#[test]
fn four_senders_in_turn_have_a_result_a_cycle_and_one_sender_one_every_two() {
    assert_eq!(cycles_each(1), 2.0);
    assert_eq!(cycles_each(2), 1.0);
    assert_eq!(cycles_each(4), 1.0);
    assert_eq!(cycles_each(8), 1.0);
}

#[test]
fn one_unit_may_hold_all_entries_of_a_context() {
    let mut unit = unit();
    let share = unit.size().share();
    for id in 0..share {
        unit.order_command(receive(id, 5, id));
    }
    unit.settle();
    assert_eq!(unit.code(receive(share, 5, 0)), match_code::NO_SPACE);
    let told = unit.request(put(5, share - 1));
    assert_eq!(taker(&told), Some(share - 1));
    let cycles = last_latency(&unit);
    let predicted = 7 + (share - 1) / 4;
    assert!(
        (predicted..=predicted + 4).contains(&cycles),
        "{cycles} cycles, predicted {predicted}"
    );
}

#[test]
fn one_overflow_entry_may_keep_all_headers_of_a_context_in_all_units() {
    let mut unit = unit();
    let each = unit.size().headers() as u64 / 4;
    let all = Command {
        ignore: u64::MAX,
        ..overflow(7, 0, 0)
    };
    unit.link(all);
    for bits in 0..each {
        for node in 0..4 {
            unit.offer(put(node, bits));
        }
    }
    unit.settle();
    for node in 0..4 {
        let told = unit.request(put(node, 0));
        assert_eq!(taker(&told), None, "no header is left for node {node}");
    }
    let unlink = || Command::unlink(0, 7);
    for bits in 0..each {
        for node in 0..4 {
            assert!(bits % 128 != 0 || unit.code(unlink()) == match_code::IN_USE);
            let responses = unit.command(receive(8, node, bits));
            assert_eq!(responses.len(), 2, "header {bits} of node {node}");
        }
    }
    assert_eq!(unit.code(unlink()), match_code::UNLINKED);
}

#[test]
fn a_list_is_as_long_as_the_receives_from_its_unit() {
    // 64 receives from each of four nodes: each finds its last after 64, not after 256.
    let mut unit = unit();
    for id in 0..256 {
        unit.order_command(receive(id, id % 4, id));
    }
    unit.settle();
    assert_eq!(taker(&unit.request(put(3, 255))), Some(255));
    let cycles = last_latency(&unit);
    assert!((7 + 63 / 4..=7 + 63 / 4 + 4).contains(&cycles), "{cycles}");
}

#[test]
fn what_could_concern_several_units_is_refused_and_changes_nothing() {
    let mut unit = unit();
    unit.link(overflow(9, 7, 0));
    unit.request(put(1, 7));
    let refused = [
        entry(1, 7, me_option::USE_ONCE),
        entry(9, 7, 0),
        overflow(1, 0, me_option::USE_ONCE),
        overflow(1, 0, me_option::MANAGE_LOCAL),
        search(match_op::ME_SEARCH_ONLY, 7, 0),
        search(match_op::ME_SEARCH_DELETE, 7, 0),
        Command::alloc(0, 1, true),
        Command {
            options: portal_option::DISABLED,
            ..Command::alloc(0, 1, false)
        },
    ];
    for command in refused {
        let op = command.op;
        assert_eq!(
            unit.code(command),
            match_code::BAD_COMMAND,
            "operation {op}"
        );
    }
    // The header is still there, number 1 is free, and portal entry 1 is not there.
    assert_eq!(unit.code(receive(1, 1, 7)), match_code::CONSUMED);
    let told = unit.request(Request {
        portal: 1,
        ..put(1, 7)
    });
    assert_eq!(told.outcome, outcome::NO_PORTAL);
}

#[test]
fn a_number_is_one_in_all_units() {
    let mut unit = unit();
    unit.link(receive(3, 1, 0));
    for node in 0..4 {
        assert_eq!(unit.code(receive(3, node, 1)), match_code::ID_BUSY);
    }
    assert_eq!(unit.code(overflow(3, 0, 0)), match_code::ID_BUSY);
    assert_eq!(taker(&unit.request(put(1, 0))), Some(3));
    unit.link(receive(3, 2, 0));
    assert_eq!(unit.code(Command::unlink(0, 3)), match_code::UNLINKED);
    assert_eq!(unit.code(Command::unlink(0, 3)), match_code::NOT_LINKED);
    unit.link(overflow(3, 0, 0));
    for node in 0..4 {
        assert_eq!(unit.code(receive(3, node, 0)), match_code::ID_BUSY);
        assert_eq!(taker(&unit.request(put(node, 0))), Some(3));
    }
}

#[test]
fn a_number_is_free_once_the_message_before_has_used_it_up() {
    // The append comes while the message is on its way, to another unit.
    let mut unit = unit();
    for round in 0..40 {
        unit.link(receive(3, 1, 0));
        for node in [1, 1, 1] {
            unit.offer(put(node, 0));
        }
        unit.idle(round % 12);
        unit.order_command(receive(3, 2, 0));
        unit.settle();
        assert_eq!(taker(&unit.request(put(2, 0))), Some(3), "round {round}");
    }
}

#[test]
fn an_overflow_entry_that_one_unit_needs_stays_in_all() {
    for needs in 0..4 {
        let mut unit = unit();
        unit.link(overflow(3, 0, 0));
        unit.link(overflow(4, 1, 0));
        unit.request(put(needs, 0));
        assert_eq!(unit.code(Command::unlink(0, 3)), match_code::IN_USE);
        for node in 0..4 {
            assert_eq!(taker(&unit.request(put(node, 0))), Some(3));
        }
        for node in [0, 1, 2, 3, needs] {
            assert_eq!(unit.code(Command::unlink(0, 3)), match_code::IN_USE);
            assert_eq!(unit.code(receive(5, node, 0)), match_code::CONSUMED);
        }
        assert_eq!(unit.code(Command::unlink(0, 3)), match_code::UNLINKED);
        for node in 0..4 {
            let told = unit.request(put(node, 0));
            assert_eq!(told.outcome, outcome::DROPPED);
            assert_eq!(taker(&unit.request(put(node, 1))), Some(4));
        }
    }
}

#[test]
fn a_portal_entry_that_one_unit_needs_stays_in_all_as_it_was() {
    for disabled in [false, true] {
        for needs in 0..4 {
            let mut unit = unit();
            unit.link(receive(0, needs, 0));
            if disabled {
                unit.command(Command::portal(match_op::PT_DISABLE, 0, 0));
            }
            let free = Command::portal(match_op::PT_FREE, 0, 0);
            assert_eq!(unit.code(free.clone()), match_code::PORTAL_IN_USE);
            for node in 0..4 {
                let told = unit.request(put(node, 9));
                let expected = match disabled {
                    false => outcome::DROPPED,
                    true => outcome::PT_DISABLED,
                };
                assert_eq!(told.outcome, expected, "node {node}");
            }
            unit.command(Command::portal(match_op::PT_ENABLE, 0, 0));
            assert_eq!(taker(&unit.request(put(needs, 0))), Some(0));
            assert_eq!(unit.code(free), match_code::OK);
            for node in 0..4 {
                let told = unit.request(put(node, 0));
                assert_eq!(told.outcome, outcome::NO_PORTAL);
            }
        }
    }
}

#[test]
fn neither_requests_nor_commands_starve() {
    let mut unit = unit();
    unit.link(overflow(1, 0, me_option::UNEXPECTED_HDR_DISABLE));
    for n in 0..200 {
        unit.offer(put(n % 4, 0));
        unit.order_command(Command::portal(match_op::PT_ENABLE, 0, 0));
    }
    unit.settle();
    // A request between two commands for all units, and so a command after a few requests.
    use crate::match_unit::unit::Accepted;
    let mut row = 0;
    let mut longest = [0, 0];
    let mut last = None;
    for (_, what) in unit.order.iter().skip(4).take(200) {
        row = if last == Some(*what) { row + 1 } else { 1 };
        last = Some(*what);
        let which = usize::from(*what == Accepted::Command);
        longest[which] = longest[which].max(row);
    }
    assert_eq!(longest[1], 1, "commands in a row");
    assert!(longest[0] < 20, "{} requests in a row", longest[0]);
}
