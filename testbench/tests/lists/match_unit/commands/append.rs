//! Append with search, AUTO_FREE, and both searches.

use xtq_types::matching::{match_code, match_op, me_option};

use super::field;
use crate::match_unit::common::{BOTH, entry, long_put, overflow, put, search, taker, unit};
use crate::match_unit::words::{Command, Request, Response};

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
