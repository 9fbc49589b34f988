//! Lists of every length, full lists, and the share of a context.

use xtq_types::matching::{match_code, match_op, me_option, outcome};

use super::field;
use crate::match_unit::common::{entry, overflow, put, search, taker, unit};
use crate::match_unit::unit::{Gaps, Size, Unit};
use crate::match_unit::words::{Command, Request};

#[test]
fn a_context_that_has_used_its_share_takes_nothing_from_the_others() {
    let mut unit = Unit::new(Size::Tiny, Gaps::default(), 0);
    let of = |context, command: Command| Command { context, ..command };
    for context in [2, 0, 3, 1] {
        unit.command(Command::alloc(context, 0, false));
        unit.link(of(context, overflow(0, 0, 0)));
        for n in 0..5 {
            let told = unit.request(Request { context, ..put(0) });
            assert_eq!(told.unexpected, n < 4, "header {n} of context {context}");
        }
        for id in 1..9 {
            let code = unit.code(of(context, entry(id, 1, 0)));
            let expected = match id {
                8 => match_code::NO_SPACE,
                _ => match_code::LINKED,
            };
            assert_eq!(code, expected, "entry {id} of context {context}");
        }
    }
    // A header that goes makes room in its own context only.
    let once = search(match_op::ME_SEARCH_DELETE, 0, me_option::USE_ONCE);
    assert_eq!(unit.code(of(3, once)), match_code::FOUND);
    for context in 0..4 {
        let told = unit.request(Request { context, ..put(0) });
        assert_eq!(told.unexpected, context == 3);
    }
}

#[test]
fn all_entries_can_be_used_and_one_more_is_refused() {
    for size in [Size::Tiny, Size::Default] {
        let mut unit = Unit::new(size, Gaps::default(), 0);
        unit.command(Command::alloc(0, 0, false));
        let all = size.share();
        for id in 0..all {
            unit.link(entry(id, 0, me_option::USE_ONCE));
        }
        assert_eq!(unit.code(entry(all, 0, 0)), match_code::NO_SPACE);
        assert_eq!(unit.code(entry(65_535, 0, 0)), match_code::NO_SPACE);
        assert_eq!(unit.code(entry(all - 1, 0, 0)), match_code::ID_BUSY);
        for id in 0..all {
            assert_eq!(taker(&unit.request(put(0))), Some(id));
        }
        assert_eq!(unit.request(put(0)).outcome, outcome::DROPPED);
    }
}

#[test]
fn holes_cost_no_room() {
    let mut unit = Unit::new(Size::Tiny, Gaps::default(), 0);
    unit.command(Command::alloc(0, 0, false));
    // In each round all entries but one are unlinked, so that chunks with one entry stay after.
    for round in 0..40 {
        for id in 0..8 {
            unit.command(entry(id, id, 0));
        }
        for id in (0..8).filter(|id| *id != round % 8) {
            assert_eq!(unit.code(Command::unlink(0, id)), match_code::UNLINKED);
        }
        // A chunk that is used again has nothing after it.
        assert_eq!(unit.request(put(99)).outcome, outcome::DROPPED);
    }
}

#[test]
fn hits_at_head_middle_and_tail_of_lists_of_any_length() {
    for length in [0, 1, 2, 3, 4, 5, 8, 9, 31, 32, 63, 64] {
        let mut unit = unit(false);
        for id in 0..length {
            unit.order_command(entry(id, id + 1, 0));
        }
        unit.settle();
        for bits in [1, 2, length / 2, length.saturating_sub(1), length] {
            let expected = (1..=length).contains(&bits).then(|| bits - 1);
            assert_eq!(
                taker(&unit.request(put(bits))),
                expected,
                "{bits} of {length}"
            );
        }
        assert_eq!(taker(&unit.request(put(length + 1))), None);
    }
}

#[test]
fn headers_at_head_middle_and_tail_of_lists_of_any_length() {
    for length in [0, 1, 2, 4, 5, 31, 32] {
        let mut unit = unit(false);
        unit.link(overflow(9, 0, 0).with_ignore(u64::MAX));
        for bits in 1..=length {
            unit.offer(put(bits));
        }
        unit.settle();
        for bits in [1, length / 2, length] {
            let hits = unit
                .command(search(match_op::ME_SEARCH_ONLY, bits, 0))
                .len()
                - 1;
            assert_eq!(hits, usize::from((1..=length).contains(&bits)));
        }
        let taken = unit.command(search(match_op::ME_SEARCH_DELETE, length / 2, 0));
        assert_eq!(taken.len() - 1, usize::from(length / 2 > 0));
        let rest = unit.command(search(match_op::ME_SEARCH_DELETE, 0, 0).with_ignore(u64::MAX));
        let bits: Vec<u64> = rest[..rest.len() - 1]
            .iter()
            .map(|hit| field(hit, "match_bits"))
            .collect();
        let expected: Vec<u64> = (1..=length).filter(|bits| *bits != length / 2).collect();
        assert_eq!(bits, expected, "oldest first");
    }
}
