//! Cycles and rates, and that they do not depend on how many wait.

use crate::match_unit::common::{overflow, taker};
use crate::match_unit::unit::{Accepted, Gaps, Size, Unit};
use crate::match_unit::words::{Command, Request};
use xtq_engine::Engine;
use xtq_types::matching::{match_code, match_op, me_option, outcome};

pub fn unit(size: Size) -> Unit {
    let mut unit = Unit::new(size, Gaps::default(), 0);
    assert_eq!(unit.code(Command::alloc(0, 0, false)), match_code::OK);
    unit
}

/// A receive of node 1 with these bits.
pub fn receive(id: u64, bits: u64) -> Command {
    Command {
        op: match_op::ME_APPEND,
        id,
        options: me_option::OP_PUT | me_option::USE_ONCE,
        any_user: true,
        node: 1,
        bits,
        start: 0x1000 * (id + 1),
        length: 1000,
        counter: id & 255,
        user_ptr: 0xAA00 + id,
        handle: id,
        ..Command::default()
    }
}

/// A message of node 1 with these bits.
pub fn put(bits: u64) -> Request {
    Request {
        bits,
        ..Request::default()
    }
}

/// The overflow entry that takes all.
pub fn pool(id: u64) -> Command {
    Command {
        ignore: u64::MAX,
        ..overflow(id, 0, 0)
    }
}

/// Cycles from the acceptance of the last request to its result.
fn last_latency(unit: &Unit) -> u64 {
    let n = unit.results.len() - 1;
    unit.results[n].0 - unit.accepted(n)
}

/// Cycles from when a command is offered to its last response.
fn command_cycles(unit: &mut Unit, command: Command) -> (u8, u64) {
    let begin = unit.engine().cycle();
    let code = unit.code(command);
    let (end, _) = unit.responses.last().expect("a FINAL");
    (code, end - begin)
}

#[test]
fn a_hit_is_answered_in_9_cycles_however_many_wait() {
    let mut unit = unit(Size::Exact);
    for id in 0..1024 {
        unit.order_command(receive(id, id.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    }
    unit.settle();
    for id in [0u64, 1023, 511] {
        let told = unit.request(put(id.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        assert_eq!(taker(&told), Some(id));
        assert_eq!(last_latency(&unit), 9);
    }
}

/// Cycles for each of 240 results, without the first 40.
fn cycles_each(unit: &mut Unit, bits: impl Fn(u64) -> u64) -> f64 {
    let before = unit.results.len();
    for n in 0..240 {
        unit.offer(put(bits(n)));
    }
    unit.settle();
    let cycles: Vec<u64> = unit.results[before..].iter().map(|one| one.0).collect();
    (cycles[239] - cycles[39]) as f64 / 200.0
}

#[test]
fn messages_that_find_their_receive_have_a_result_a_cycle() {
    for bits in [|_| 7, |n| n * 77, |n| (n * 97) % 240] {
        let mut unit = unit(Size::Exact);
        for id in 0..240 {
            unit.order_command(receive(id, bits(id)));
        }
        unit.settle();
        assert_eq!(cycles_each(&mut unit, bits), 1.0);
    }
}

#[test]
fn unexpected_messages_take_longer_and_do_not_overtake() {
    let mut unit = unit(Size::Exact);
    unit.link(pool(9));
    assert_eq!(cycles_each(&mut unit, |n| n), 8.0);
    // Between two of them a message that finds its receive waits for its turn: the model has the order.
    for id in 10..30 {
        unit.link(receive(id, 1000 + id));
    }
    for id in 10..30 {
        unit.offer(put(5000 + id));
        unit.offer(put(1000 + id));
    }
    unit.settle();
}

#[test]
fn a_receive_finds_its_message_in_the_same_time_however_many_wait() {
    let mut unit = unit(Size::Exact);
    unit.link(pool(1023));
    let mut times = vec![];
    for length in [1, 1000] {
        for n in 0..length {
            unit.offer(put(length * 10_000 + n));
        }
        unit.settle();
        let last = length * 10_000 + length - 1;
        let (code, cycles) = command_cycles(&mut unit, receive(1, last));
        assert_eq!(code, match_code::CONSUMED);
        times.push(cycles);
    }
    assert_eq!(times, [13, 13]);
}

#[test]
fn receives_that_follow_each_other_find_their_messages_one_every_14_cycles() {
    // In another order than the messages came.
    for length in [10, 1000] {
        let mut unit = unit(Size::Exact);
        unit.link(pool(1023));
        for n in 0..length {
            unit.offer(put(n));
        }
        unit.settle();
        let before = unit.responses.len();
        for n in 0..length {
            unit.order_command(receive(n, (n * 7 + 3) % length));
        }
        unit.settle();
        let finals: Vec<u64> = unit.responses[before..].iter().map(|one| one.0).collect();
        // Two responses each, a HIT and the end.
        let cycles = finals[finals.len() - 1] - finals[1];
        assert_eq!(cycles, 14 * (length - 1), "{length} receives");
    }
}

#[test]
fn an_unlink_takes_a_cycle_more_for_each_entry_of_its_key() {
    let mut unit = unit(Size::Exact);
    let mut times = vec![];
    for length in [1, 2, 33] {
        for id in 0..length {
            let (code, cycles) = command_cycles(&mut unit, receive(id, 5));
            assert_eq!((code, cycles), (match_code::LINKED, 11));
        }
        let (code, cycles) = command_cycles(&mut unit, Command::unlink(0, length - 1));
        assert_eq!(code, match_code::UNLINKED);
        times.push(cycles);
        for id in 0..length - 1 {
            assert_eq!(taker(&unit.request(put(5))), Some(id), "of {length}");
        }
        assert_eq!(unit.request(put(5)).outcome, outcome::DROPPED);
    }
    assert_eq!(times, [11, 12, 43]);
}

#[test]
fn neither_requests_nor_commands_starve() {
    let mut unit = unit(Size::Exact);
    unit.link(Command {
        options: me_option::OP_PUT | me_option::UNEXPECTED_HDR_DISABLE,
        ..pool(1)
    });
    for n in 0..200 {
        unit.offer(put(n));
        unit.order_command(Command::portal(match_op::PT_ENABLE, 0, 0));
    }
    unit.settle();
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
    assert!(longest[0] < 40, "{} requests in a row", longest[0]);
}
