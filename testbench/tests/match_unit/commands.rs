//! Append, search, unlink and portal entries, one rule a test.

use xtq_engine::Engine;
use xtq_rtl::types::matching::{match_code, match_op, me_option, outcome};

use super::common::{BOTH, entry, long_put, overflow, put, search, taker, unit};
use super::unit::{Gaps, Size, Unit};
use super::words::{Command, Request, Response};

/// Field of a HIT.
fn field(response: &Response, name: &str) -> u64 {
    let Response::Hit(values) = response else {
        panic!("{response:?} is no hit");
    };
    let place = super::words::HIT_FIELDS
        .iter()
        .position(|field| *field == name);
    values[place.expect("a field")]
}

#[test]
fn an_append_takes_the_oldest_header_that_matches_and_tells_all_about_it() {
    let mut unit = unit(false);
    unit.link(overflow(9, 0, me_option::MANAGE_LOCAL));
    unit.request(long_put(100));
    let message = Request {
        node: 5,
        source_context: 3,
        user: 77,
        length: 950,
        offset: 1 << 40,
        header_data: 0x1234_5678_9ABC_DEF0,
        ..put(0)
    };
    unit.request(message);
    unit.request(Request { node: 5, ..put(0) });
    let responses = unit.command(Command {
        any_node: false,
        node: 5,
        ..entry(1, 0, me_option::USE_ONCE)
    });
    assert_eq!(responses.len(), 2, "one hit, and CONSUMED");
    let hit = &responses[0];
    for (name, value) in [
        ("entry_id", 9),
        ("user_ptr", 0xAA01),
        ("start", 0xA000),
        ("offset", 100),
        ("mlength", 900),
        ("length", 950),
        ("source_node", 5),
        ("source_context", 3),
        ("user_id", 77),
        ("remote_offset", 1 << 40),
        ("header_data", 0x1234_5678_9ABC_DEF0),
    ] {
        assert_eq!(field(hit, name), value, "{name}");
    }
    assert_eq!(responses[1].code(), Some(match_code::CONSUMED));
    // It was never linked: its id is free, and the next message is unexpected.
    assert_eq!(unit.code(Command::unlink(0, 1)), match_code::NOT_LINKED);
    assert_eq!(taker(&unit.request(put(0))), Some(9));
}

#[test]
fn a_persistent_append_takes_all_headers_that_match_and_is_linked_then() {
    let mut unit = unit(false);
    unit.link(overflow(9, 0, 0).with_ignore(u64::MAX));
    for n in 0..10 {
        unit.request(put(n % 2));
    }
    let responses = unit.command(entry(1, 1, 0));
    assert_eq!(responses.len(), 6);
    assert_eq!(responses[5].code(), Some(match_code::LINKED));
    assert_eq!(taker(&unit.request(put(1))), Some(1));
    assert_eq!(
        unit.command(search(match_op::ME_SEARCH_ONLY, 0, 0)).len(),
        6
    );
}

#[test]
fn an_append_to_the_overflow_list_never_searches() {
    let mut unit = unit(false);
    unit.link(overflow(9, 0, 0));
    unit.request(put(0));
    assert_eq!(unit.command(overflow(1, 0, 0)).len(), 1);
}

#[test]
fn the_search_looks_at_no_permission_but_at_requested_lengths() {
    let mut unit = unit(false);
    unit.link(overflow(9, 0, 0));
    unit.request(Request {
        offset: 600,
        ..long_put(600)
    });
    unit.request(Request {
        offset: u64::MAX,
        ..long_put(1)
    });
    // 600 of it landed, but 600 + 600 are too many for 1,000 bytes.
    let strict = |id, options| Command {
        options: me_option::USE_ONCE | me_option::NO_TRUNCATE | options,
        any_user: false,
        user: 1,
        ..entry(id, 0, 0)
    };
    assert_eq!(unit.code(strict(1, 0)), match_code::LINKED);
    assert_eq!(
        unit.code(strict(2, me_option::MANAGE_LOCAL)),
        match_code::CONSUMED
    );
    let last = Command {
        length: 0,
        ..strict(2, me_option::MANAGE_LOCAL)
    };
    assert_eq!(unit.code(last), match_code::LINKED);
}

#[test]
fn auto_free_comes_behind_the_last_header_of_an_entry_that_was_used_up() {
    let mut unit = unit(false);
    unit.link(Command {
        min_free: 900,
        ..overflow(9, 0, me_option::MANAGE_LOCAL)
    });
    unit.request(long_put(60));
    assert!(unit.request(long_put(60)).auto_unlink);
    let once = |id| entry(id, 0, me_option::USE_ONCE);
    assert_eq!(unit.command(once(1)).len(), 2);
    assert_eq!(
        unit.code(overflow(9, 0, 0)),
        match_code::ID_BUSY,
        "its buffer is needed"
    );
    assert_eq!(unit.code(Command::unlink(0, 9)), match_code::IN_USE);
    let seen = unit.command(search(match_op::ME_SEARCH_ONLY, 0, 0));
    assert_eq!(seen.len(), 2, "a search only frees nothing");
    let responses = unit.command(once(2));
    assert_eq!(
        responses[1],
        Response::AutoFree(
            2,
            9,
            u64::from(BOTH | me_option::MANAGE_LOCAL),
            9,
            0xAA09,
            0xA000
        )
    );
    assert_eq!(responses.len(), 3);
    unit.link(overflow(9, 0, 0));
}

#[test]
fn an_overflow_entry_that_is_linked_gives_no_auto_free() {
    let mut unit = unit(false);
    unit.link(overflow(9, 0, 0));
    unit.request(put(0));
    assert_eq!(unit.command(entry(1, 0, me_option::USE_ONCE)).len(), 2);
}

#[test]
fn headers_taken_move_a_kept_offset_only_if_they_are_to() {
    let local = me_option::MANAGE_LOCAL;
    for (options, min_free, hits, code, landing) in [
        (local, 900, 4, match_code::LINKED, Some((0, 8))),
        (
            local | me_option::LOCAL_INC_UH_RLENGTH,
            0,
            4,
            match_code::LINKED,
            Some((400, 8)),
        ),
        (
            local | me_option::LOCAL_INC_UH_RLENGTH,
            800,
            3,
            match_code::CONSUMED,
            None,
        ),
        (
            local | me_option::LOCAL_INC_UH_RLENGTH,
            801,
            2,
            match_code::CONSUMED,
            None,
        ),
        (
            local | me_option::LOCAL_INC_UH_RLENGTH | me_option::NO_TRUNCATE,
            0,
            4,
            match_code::LINKED,
            Some((400, 8)),
        ),
        (
            me_option::LOCAL_INC_UH_RLENGTH,
            900,
            4,
            match_code::LINKED,
            Some((0, 8)),
        ),
    ] {
        let mut unit = unit(false);
        unit.link(overflow(9, 0, 0));
        for _ in 0..4 {
            unit.request(long_put(100));
        }
        let responses = unit.command(Command {
            min_free,
            ..entry(1, 0, options)
        });
        assert_eq!(responses.len(), hits + 1, "{options:x} {min_free}");
        assert_eq!(responses[hits].code(), Some(code));
        if landing.is_some() {
            assert_eq!(unit.request(put(0)).landing, landing);
        }
    }
}

#[test]
fn headers_longer_than_the_buffer_leave_no_room_and_do_not_wrap() {
    let mut unit = unit(false);
    unit.link(overflow(9, 0, 0));
    unit.request(long_put(0xFFFF_FFFF));
    unit.request(long_put(0xFFFF_FFFF));
    let options = me_option::MANAGE_LOCAL | me_option::LOCAL_INC_UH_RLENGTH;
    assert_eq!(unit.command(entry(1, 0, options)).len(), 3);
    for _ in 0..2 {
        assert_eq!(unit.request(put(0)).landing, Some((0x1_FFFF_FFFE, 0)));
    }
}

#[test]
fn a_search_only_leaves_the_list_and_a_deleting_one_does_not() {
    let mut unit = unit(false);
    unit.link(overflow(9, 0, 0).with_ignore(u64::MAX));
    for bits in [1, 2, 1, 1, 2, 1] {
        unit.request(put(bits));
    }
    let once = me_option::USE_ONCE;
    for (op, bits, options, hits) in [
        (match_op::ME_SEARCH_ONLY, 1, 0, 4),
        (match_op::ME_SEARCH_ONLY, 1, once, 1),
        (match_op::ME_SEARCH_ONLY, 3, once, 0),
        (match_op::ME_SEARCH_DELETE, 1, once, 1),
        (match_op::ME_SEARCH_ONLY, 1, 0, 3),
        (match_op::ME_SEARCH_DELETE, 2, 0, 2),
        (match_op::ME_SEARCH_DELETE, 2, 0, 0),
        (match_op::ME_SEARCH_DELETE, 1, 0, 3),
        (match_op::ME_SEARCH_ONLY, 1, 0, 0),
    ] {
        let responses = unit.command(search(op, bits, options));
        assert_eq!(responses.len(), hits + 1);
        let code = if hits == 0 {
            match_code::NOT_FOUND
        } else {
            match_code::FOUND
        };
        assert_eq!(responses[hits].code(), Some(code));
    }
}

#[test]
fn an_entry_without_headers_is_unlinked_and_its_id_is_free() {
    let mut unit = unit(false);
    unit.link(entry(3, 0, 0));
    assert_eq!(unit.code(entry(3, 0, 0)), match_code::ID_BUSY);
    assert_eq!(unit.code(Command::unlink(0, 3)), match_code::UNLINKED);
    assert_eq!(unit.request(put(0)).outcome, outcome::DROPPED);
    for id in [3, 200, 256, 65_535] {
        assert_eq!(
            unit.code(Command::unlink(0, id)),
            match_code::NOT_LINKED,
            "{id}"
        );
    }
    unit.link(entry(3, 0, 0));
}

#[test]
fn an_entry_with_headers_is_in_use_until_they_are_taken() {
    let mut unit = unit(false);
    unit.link(overflow(3, 0, 0));
    unit.request(put(0));
    assert_eq!(unit.code(Command::unlink(0, 3)), match_code::IN_USE);
    unit.command(search(match_op::ME_SEARCH_DELETE, 0, 0));
    assert_eq!(unit.code(Command::unlink(0, 3)), match_code::UNLINKED);
}

#[test]
fn a_consumed_entry_is_no_longer_there_to_unlink() {
    let mut unit = unit(false);
    unit.link(entry(3, 0, me_option::USE_ONCE));
    unit.request(put(0));
    assert_eq!(unit.code(Command::unlink(0, 3)), match_code::NOT_LINKED);
}

#[test]
fn entries_are_unlinked_from_the_head_the_middle_and_the_tail() {
    for length in 1..=10 {
        for gone in 0..length {
            let mut unit = unit(false);
            for id in 0..length {
                unit.link(entry(id, 0, me_option::USE_ONCE));
            }
            assert_eq!(unit.code(Command::unlink(0, gone)), match_code::UNLINKED);
            unit.link(entry(20, 0, me_option::USE_ONCE));
            let mut expected: Vec<u64> = (0..length).filter(|id| *id != gone).collect();
            expected.push(20);
            for id in expected {
                assert_eq!(
                    taker(&unit.request(put(0))),
                    Some(id),
                    "{length} without {gone}"
                );
            }
            assert_eq!(unit.request(put(0)).outcome, outcome::DROPPED);
        }
    }
}

#[test]
fn the_same_numbers_name_other_things_in_each_context() {
    let mut unit = unit(true);
    unit.link(overflow(3, 0, 0));
    unit.request(put(0));
    let of = |context, command: Command| Command { context, ..command };
    // Nothing is set up in the other contexts.
    assert_eq!(unit.code(of(1, entry(3, 0, 0))), match_code::BAD_PORTAL);
    for op in [match_op::ME_SEARCH_ONLY, match_op::ME_SEARCH_DELETE] {
        assert_eq!(unit.code(of(2, search(op, 0, 0))), match_code::BAD_PORTAL);
    }
    for op in [match_op::PT_FREE, match_op::PT_ENABLE, match_op::PT_DISABLE] {
        assert_eq!(unit.code(Command::portal(op, 3, 0)), match_code::BAD_PORTAL);
    }
    assert_eq!(unit.code(Command::unlink(1, 3)), match_code::NOT_LINKED);
    // The same portal entry and the same entry in each.
    for context in 1..4 {
        assert_eq!(unit.code(Command::alloc(context, 0, false)), match_code::OK);
        let found = unit.command(of(context, search(match_op::ME_SEARCH_DELETE, 0, 0)));
        assert_eq!(found.len(), 1, "no header of context 0");
        unit.link(of(context, entry(3, context, me_option::USE_ONCE)));
    }
    for context in 1..4 {
        let told = unit.request(Request {
            context,
            ..put(context)
        });
        assert_eq!(
            (told.context, taker(&told), told.auto_unlink),
            (context, Some(3), true)
        );
    }
    // Closing one leaves the others open.
    unit.command(Command::portal(match_op::PT_DISABLE, 2, 0));
    unit.command(Command::portal(match_op::PT_FREE, 1, 0));
    let found = unit.command(search(match_op::ME_SEARCH_DELETE, 0, 0));
    assert_eq!(found.len(), 2);
    assert_eq!(taker(&unit.request(put(0))), Some(3));
}

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
fn a_portal_entry_is_allocated_once_and_freed_when_it_is_empty() {
    let mut unit = unit(false);
    assert_eq!(
        unit.code(Command::alloc(0, 0, false)),
        match_code::PORTAL_IN_USE
    );
    assert_eq!(
        unit.code(Command::alloc(1, 64, false)),
        match_code::BAD_PORTAL
    );
    let free = || Command::portal(match_op::PT_FREE, 0, 0);
    for list in [0, 1] {
        unit.link(Command {
            list,
            ..entry(0, 0, 0)
        });
        assert_eq!(unit.code(free()), match_code::PORTAL_IN_USE);
        unit.command(Command::unlink(0, 0));
    }
    unit.link(overflow(0, 0, me_option::USE_ONCE));
    unit.request(put(0));
    assert_eq!(
        unit.code(free()),
        match_code::PORTAL_IN_USE,
        "a header is there"
    );
    unit.command(search(match_op::ME_SEARCH_DELETE, 0, 0));
    assert_eq!(unit.code(free()), match_code::OK);
    assert_eq!(unit.code(free()), match_code::BAD_PORTAL);
    assert_eq!(unit.request(put(0)).outcome, outcome::NO_PORTAL);
    assert_eq!(unit.code(Command::alloc(0, 0, false)), match_code::OK);
}

#[test]
fn each_context_has_64_portal_entries_and_those_with_flow_control_are_counted() {
    let mut unit = Unit::simple();
    for context in 0..4 {
        for portal in 0..64 {
            unit.order_command(Command::alloc(context, portal, portal % 4 <= context));
        }
    }
    unit.settle();
    // The model compares `flow_portals` behind each of these.
    for op in [
        match_op::PT_ENABLE,
        match_op::PT_DISABLE,
        match_op::PT_DISABLE,
        match_op::PT_ENABLE,
        match_op::PT_FREE,
        match_op::PT_FREE,
    ] {
        unit.command(Command::portal(op, 3, 63));
    }
    for context in 0..4 {
        let told = unit.request(Request { context, ..put(0) });
        assert!(told.portal_disabled, "nothing is linked");
    }
}

#[test]
fn an_operation_that_does_not_exist_is_named_and_does_nothing() {
    let mut unit = unit(false);
    for op in 8..16 {
        assert_eq!(
            unit.code(Command::portal(op, 0, 0)),
            match_code::BAD_COMMAND
        );
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
    // In each round all entries but one are unlinked, so that chunks with one entry stay behind.
    for round in 0..40 {
        for id in 0..8 {
            unit.command(entry(id, id, 0));
        }
        for id in (0..8).filter(|id| *id != round % 8) {
            assert_eq!(unit.code(Command::unlink(0, id)), match_code::UNLINKED);
        }
        // A chunk that is used again has nothing behind it.
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

#[test]
fn reset_forgets_everything() {
    let mut unit = unit(false);
    unit.link(overflow(9, 0, 0));
    unit.request(put(0));
    let mut engine = Unit::simple();
    std::mem::swap(unit.engine(), engine.engine());
    engine.engine().reset(2).expect("has rst");
    engine.idle(520);
    assert_eq!(engine.request(put(0)).outcome, outcome::NO_PORTAL);
    engine.command(Command::alloc(0, 0, false));
    assert_eq!(
        engine.code(search(match_op::ME_SEARCH_ONLY, 0, 0)),
        match_code::NOT_FOUND
    );
    assert_eq!(engine.code(Command::unlink(0, 9)), match_code::NOT_LINKED);
}

impl Command {
    fn with_ignore(self, ignore: u64) -> Self {
        Self { ignore, ..self }
    }
}
