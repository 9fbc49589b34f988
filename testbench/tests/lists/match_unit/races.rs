//! Commands against requests in every cycle, and the large configuration.

use xtq_types::matching::{match_code, match_op, me_option};

use super::common::{entry, overflow, put, search, taker, unit};
use super::random;
use super::unit::{Gaps, Size, Unit};
use super::words::{Command, Request};

#[test]
fn an_append_and_a_message_meet_exactly_once_whatever_the_cycle() {
    for requests in 1..=3 {
        for delay in 0..24 {
            for command_first in [false, true] {
                let mut unit = unit(false);
                unit.link(overflow(9, 0, 0));
                let append = entry(1, 0, me_option::USE_ONCE);
                let offer = |unit: &mut Unit| (0..requests).for_each(|_| unit.offer(put(0)));
                match command_first {
                    true => unit.order_command(append),
                    false => offer(&mut unit),
                }
                unit.idle(delay);
                match command_first {
                    true => offer(&mut unit),
                    false => unit.order_command(entry(1, 0, me_option::USE_ONCE)),
                }
                unit.settle();
                // One message is with the receive, the others have headers.
                let left = unit.command(search(match_op::ME_SEARCH_ONLY, 0, 0)).len() - 1;
                assert_eq!(left, requests - 1, "{delay} {command_first}");
                assert_eq!(unit.code(Command::unlink(0, 1)), match_code::NOT_LINKED);
            }
        }
    }
}

#[test]
fn an_unlink_and_a_message_meet_at_most_once_whatever_the_cycle() {
    for delay in 0..24 {
        let mut unit = unit(false);
        unit.link(entry(1, 0, me_option::USE_ONCE));
        unit.link(entry(2, 0, 0));
        unit.offer(put(0));
        unit.idle(delay);
        unit.order_command(Command::unlink(0, 1));
        unit.offer(put(0));
        unit.settle();
        assert_eq!(taker(&unit.request(put(0))), Some(2));
    }
}

#[test]
fn streams_that_never_pause_starve_neither_requests_nor_commands() {
    let mut unit = unit(false);
    unit.link(entry(0, 0, 0));
    for _ in 0..200 {
        unit.offer(put(0));
        unit.order_command(Command::unlink(0, 77));
    }
    unit.idle(1500);
    let commands = unit.responses.len();
    assert!(commands > 100, "{commands} commands");
    let requests = unit.results.len();
    assert!(requests > 100, "{requests} requests");
    unit.settle();
}

#[test]
fn results_that_nobody_takes_stop_the_unit_and_lose_nothing() {
    let mut unit = Unit::new(Size::Default, Gaps([0.0, 0.97, 0.0, 0.97]), 3);
    unit.command(Command::alloc(0, 0, false));
    for id in 0..50 {
        unit.order_command(entry(id, 0, me_option::USE_ONCE));
        unit.offer(put(0));
        unit.offer(put(1));
    }
    unit.settle();
}

#[test]
fn the_large_configuration_keeps_the_rules_and_uses_all_it_has() {
    let mut unit = Unit::new(Size::Large, Gaps::default(), 0);
    let of = |context, command: Command| Command { context, ..command };
    for context in 0..4 {
        unit.command(Command::alloc(context, 0, false));
        unit.link(Command {
            context,
            ignore: u64::MAX,
            ..overflow(1023, 0, 0)
        });
        for bits in 0..1024 {
            unit.offer(Request {
                context,
                ..put(bits)
            });
        }
    }
    unit.settle();
    for context in 0..4 {
        let told = unit.request(Request { context, ..put(0) });
        assert_eq!(taker(&told), None, "no header is left");
        for bits in (0..1024).rev() {
            let append = entry(bits % 1023, bits, me_option::USE_ONCE);
            let responses = unit.command(of(context, append));
            assert_eq!(responses.len(), 2, "header {bits}");
        }
        for id in 0..1023 {
            unit.order_command(of(context, entry(id, id, me_option::USE_ONCE)));
        }
        unit.settle();
        assert_eq!(
            unit.code(of(context, entry(1024, 0, 0))),
            match_code::NO_SPACE
        );
    }
    for context in 0..4 {
        for id in (0..1023).rev() {
            let told = unit.request(Request { context, ..put(id) });
            assert_eq!(taker(&told), Some(id));
        }
        let told = unit.request(Request { context, ..put(5) });
        assert_eq!(taker(&told), Some(1023));
    }
    for seed in 0..10 {
        random::run(Size::Large, seed, 400, 0.5, Gaps([0.2; 4]));
    }
}
