//! The steps of a Portals target and flow control, one rule a test; lengths and offsets are in `lengths.rs`.

use xtq_types::matching::{match_code, match_op, me_option, outcome, portal_option, request_kind};

use super::common::{entry, overflow, put, taker, unit};
use super::unit::Unit;
use super::words::{Command, Request};

#[test]
fn a_portal_entry_out_of_range_or_not_allocated_in_the_context_takes_nothing() {
    let mut unit = unit(false);
    unit.link(entry(0, 0, 0));
    for (context, portal) in [(0, 1), (0, 64), (0, 65_535), (1, 0), (3, 63)] {
        let told = unit.request(Request {
            context,
            portal,
            ..Request::default()
        });
        assert_eq!(told.outcome, outcome::NO_PORTAL, "{context} {portal}");
    }
    assert_eq!(
        [0, 1, 2, 3].map(|context| unit.status(context).drop),
        [3, 1, 0, 1]
    );
}

#[test]
fn a_disabled_portal_entry_refuses_and_counts_as_drop() {
    let mut unit = unit(false);
    unit.link(entry(0, 0, me_option::USE_ONCE));
    let close = Command::portal(match_op::PT_DISABLE, 0, 0);
    assert_eq!(unit.code(close), match_code::OK);
    let told = unit.request(put(0));
    assert_eq!(
        (told.outcome, told.auto_unlink),
        (outcome::PT_DISABLED, false)
    );
    assert!(!unit.request(put(0)).portal_disabled, "no transition");
    assert_eq!(unit.status(0).drop, 2);
    let open = Command::portal(match_op::PT_ENABLE, 0, 0);
    assert_eq!(unit.code(open), match_code::OK);
    assert_eq!(taker(&unit.request(put(0))), Some(0));
}

#[test]
fn a_portal_entry_may_start_disabled() {
    let mut unit = Unit::simple();
    let mut alloc = Command::alloc(2, 7, false);
    alloc.options |= portal_option::DISABLED;
    unit.command(alloc);
    let told = unit.request(Request {
        context: 2,
        portal: 7,
        ..Request::default()
    });
    assert_eq!(told.outcome, outcome::PT_DISABLED);
}

#[test]
fn the_first_entry_in_append_order_takes_it_priority_before_overflow() {
    let mut unit = unit(false);
    unit.link(overflow(0, 5, 0));
    unit.link(entry(1, 5, me_option::USE_ONCE));
    unit.link(entry(2, 5, me_option::USE_ONCE));
    for expected in [1, 2, 0, 0] {
        assert_eq!(taker(&unit.request(put(5))), Some(expected));
    }
}

#[test]
fn source_node_and_context_are_compared_unless_they_are_wildcards() {
    for (any_node, any_context) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut unit = unit(false);
        unit.link(Command {
            any_node,
            any_context,
            node: 0x8001,
            source_context: 0x81,
            ..entry(0, 0, 0)
        });
        for (node, source_context) in [(0x8001, 0x81), (0x8000, 0x81), (0x8001, 1), (1, 0x80)] {
            let told = unit.request(Request {
                node,
                source_context,
                ..Request::default()
            });
            let matches = (any_node || node == 0x8001) && (any_context || source_context == 0x81);
            assert_eq!(
                taker(&told).is_some(),
                matches,
                "{node:x} {source_context:x}"
            );
        }
    }
}

#[test]
fn each_of_the_64_match_bits_is_compared_and_each_can_be_ignored() {
    for bit in 0..64 {
        let mut unit = unit(false);
        let bits = 0x0123_4567_89AB_CDEF;
        unit.link(entry(0, bits, 0));
        assert_eq!(
            taker(&unit.request(put(bits ^ 1 << bit))),
            None,
            "bit {bit}"
        );
        unit.link(Command {
            ignore: 1 << bit,
            ..entry(1, bits, 0)
        });
        assert_eq!(
            taker(&unit.request(put(bits ^ 1 << bit))),
            Some(1),
            "bit {bit}"
        );
    }
}

#[test]
fn no_entry_drops_without_flow_control_and_disables_once_with_it() {
    let mut plain = unit(false);
    assert_eq!(plain.request(put(1)).outcome, outcome::DROPPED);
    let mut flow = unit(true);
    for n in 0..3 {
        let told = flow.request(put(1));
        assert_eq!(told.outcome, outcome::PT_DISABLED);
        assert_eq!(told.portal_disabled, n == 0, "one transition");
    }
    assert_eq!(flow.status(0).drop, 3);
    flow.command(Command::portal(match_op::PT_ENABLE, 0, 0));
    assert!(
        flow.request(put(1)).portal_disabled,
        "again after it was enabled"
    );
}

#[test]
fn requests_close_behind_the_one_that_disables_are_refused_without_a_transition() {
    let mut unit = unit(true);
    unit.link(entry(0, 5, 0));
    for bits in [5, 1, 5, 1, 5, 5] {
        unit.offer(put(bits));
    }
    unit.settle();
    assert_eq!(unit.status(0).drop, 5);
}

#[test]
fn permission_is_tested_behind_the_match_and_is_final() {
    let mut unit = unit(true);
    unit.link(Command {
        any_user: false,
        user: 0x8000_0001,
        ..entry(0, 0, me_option::USE_ONCE)
    });
    unit.link(entry(1, 0, 0));
    for user in [1, 0x8000_0000, 0] {
        let told = unit.request(Request {
            user,
            ..Request::default()
        });
        assert_eq!(told.outcome, outcome::PERM_VIOLATION);
        assert!(!told.auto_unlink && !told.portal_disabled);
    }
    assert_eq!(unit.status(0).permission, 3);
    assert_eq!(unit.status(0).drop, 0);
    let told = unit.request(Request {
        user: 0x8000_0001,
        ..Request::default()
    });
    assert_eq!((taker(&told), told.auto_unlink), (Some(0), true));
}

#[test]
fn each_kind_of_request_needs_its_operations() {
    use request_kind::{ATOMIC, FETCH, GET, PUT, SWAP, XTQ_PUT};
    for (options, allowed) in [
        (0, vec![]),
        (me_option::OP_PUT, vec![PUT, ATOMIC, XTQ_PUT]),
        (me_option::OP_GET, vec![GET]),
        (
            me_option::OP_PUT | me_option::OP_GET,
            vec![PUT, GET, ATOMIC, FETCH, SWAP, XTQ_PUT],
        ),
        // What is done to items, or to a command in one place, is not done to a list of pieces.
        (
            me_option::OP_PUT | me_option::OP_GET | me_option::IOVEC,
            vec![PUT, GET],
        ),
    ] {
        let mut unit = unit(false);
        unit.link(Command {
            options,
            ..entry(0, 0, 0)
        });
        for kind in [PUT, GET, ATOMIC, FETCH, SWAP, XTQ_PUT] {
            let told = unit.request(Request {
                kind,
                ..Request::default()
            });
            let expected = match allowed.contains(&kind) {
                true => outcome::MATCHED,
                false => outcome::OP_VIOLATION,
            };
            assert_eq!(told.outcome, expected, "kind {kind}, options {options}");
        }
        assert_eq!(unit.status(0).operation, 6 - allowed.len() as u64);
    }
}

#[test]
fn an_operation_violation_leaves_the_entry_as_it_was() {
    let mut unit = unit(false);
    let options = me_option::OP_GET | me_option::USE_ONCE | me_option::MANAGE_LOCAL;
    unit.link(Command {
        options,
        ..entry(0, 0, 0)
    });
    let told = unit.request(put(0));
    assert_eq!(
        (told.outcome, told.auto_unlink),
        (outcome::OP_VIOLATION, false)
    );
    let get = Request {
        kind: request_kind::GET,
        ..put(0)
    };
    let told = unit.request(get);
    assert_eq!((taker(&told), told.landing), (Some(0), Some((0, 8))));
}

#[test]
fn a_user_violation_wins_over_an_operation_violation() {
    let mut unit = unit(false);
    unit.link(Command {
        any_user: false,
        options: 0,
        ..entry(0, 0, 0)
    });
    assert_eq!(unit.request(put(0)).outcome, outcome::PERM_VIOLATION);
}

#[test]
fn a_crowded_message_takes_no_entry_and_leaves_no_header() {
    let crowded = || Request {
        crowded: true,
        ..put(0)
    };
    for flow in [false, true] {
        for linked in [entry(0, 0, me_option::USE_ONCE), overflow(0, 0, 0)] {
            let mut unit = unit(flow);
            unit.link(linked);
            let told = unit.request(crowded());
            assert_eq!((told.crowded, told.portal_disabled), (!flow, flow));
            unit.command(Command::portal(match_op::PT_ENABLE, 0, 0));
            let told = unit.request(put(0));
            assert_eq!(told.outcome, outcome::MATCHED, "it is still there");
        }
        // One that matches nothing is dropped for that.
        let told = unit(flow).request(crowded());
        assert!(!told.crowded);
    }
}

#[test]
fn without_a_free_header_the_message_is_as_if_nothing_matched() {
    for flow in [false, true] {
        let mut unit = unit(flow);
        unit.link(overflow(0, 0, 0));
        for _ in 0..32 {
            assert!(unit.request(put(0)).unexpected);
        }
        let told = unit.request(put(0));
        let expected = if flow {
            outcome::PT_DISABLED
        } else {
            outcome::DROPPED
        };
        assert_eq!((told.outcome, told.portal_disabled), (expected, flow));
        unit.command(Command::portal(match_op::PT_ENABLE, 0, 0));
        // One is taken; one fits again.
        unit.command(super::common::search(
            match_op::ME_SEARCH_DELETE,
            0,
            me_option::USE_ONCE,
        ));
        assert!(unit.request(put(0)).unexpected);
        assert!(!unit.request(put(0)).unexpected);
    }
}

#[test]
fn an_overflow_entry_without_headers_needs_none_and_leaves_none() {
    let mut unit = unit(true);
    unit.link(overflow(0, 0, me_option::UNEXPECTED_HDR_DISABLE));
    for _ in 0..200 {
        let told = unit.request(put(0));
        assert_eq!((taker(&told), told.unexpected), (Some(0), false));
    }
    assert_eq!(
        unit.code(super::common::search(match_op::ME_SEARCH_ONLY, 0, 0)),
        match_code::NOT_FOUND
    );
}

#[test]
fn use_once_unlinks_before_the_next_message() {
    let mut unit = unit(false);
    for id in 0..8 {
        unit.link(entry(id, 3, me_option::USE_ONCE));
    }
    for _ in 0..10 {
        unit.offer(put(3));
    }
    unit.settle();
    assert_eq!(unit.status(0).drop, 2);
}

#[test]
fn where_nothing_is_matched_the_first_entry_takes_all() {
    let mut unit = Unit::simple();
    unit.command(Command {
        options: 0,
        ..Command::alloc(0, 0, false)
    });
    let options = me_option::MANAGE_LOCAL | me_option::NO_TRUNCATE | me_option::USE_ONCE;
    for id in 0..2 {
        unit.link(Command {
            any_node: false,
            any_context: false,
            node: 77,
            min_free: 1000,
            any_user: id == 1,
            ..entry(
                id,
                99,
                options & if id == 1 { !me_option::USE_ONCE } else { !0 },
            )
        });
    }
    assert_eq!(
        unit.request(put(1)).outcome,
        outcome::PERM_VIOLATION,
        "the user still counts"
    );
    let told = unit.request(Request {
        user: 0,
        length: 5000,
        offset: 10,
        ..put(1)
    });
    assert_eq!((taker(&told), told.landing), (Some(0), Some((10, 990))));
    let told = unit.request(put(2));
    assert_eq!(
        (taker(&told), told.landing, told.auto_unlink),
        (Some(1), Some((0, 8)), false)
    );
}

#[test]
fn flow_control_needs_room_for_the_events_that_a_message_can_cause() {
    let once = me_option::USE_ONCE;
    for (list, options, needed) in [
        (0, 0, 1),
        (0, me_option::COMM_DISABLE, 0),
        (0, once, 2),
        (0, once | me_option::UNLINK_DISABLE, 1),
        (0, once | me_option::COMM_DISABLE, 1),
        (1, once, 2),
        (1, once | me_option::UNEXPECTED_HDR_DISABLE, 3),
        (
            1,
            once | me_option::UNEXPECTED_HDR_DISABLE | me_option::UNLINK_DISABLE,
            1,
        ),
    ] {
        for flow in [false, true] {
            for room in 0..4 {
                let mut unit = unit(flow);
                unit.link(Command {
                    list,
                    ..entry(0, 0, options)
                });
                let told = unit.request(Request {
                    event_room: room,
                    ..Request::default()
                });
                let disabled = flow && room < needed;
                assert_eq!(
                    told.portal_disabled, disabled,
                    "{list} {options:x} {flow} {room}"
                );
                assert_eq!(taker(&told).is_none(), disabled);
            }
        }
    }
}

#[test]
fn an_entry_that_min_free_may_unlink_needs_room_for_that_event() {
    for min_free in [0, 1] {
        for room in 0..3 {
            let mut unit = unit(true);
            unit.link(Command {
                min_free,
                ..entry(0, 0, me_option::MANAGE_LOCAL)
            });
            let told = unit.request(Request {
                event_room: room,
                ..Request::default()
            });
            assert_eq!(told.portal_disabled, room < 1 + min_free);
        }
    }
}

#[test]
fn too_little_room_for_events_does_not_matter_to_a_violation() {
    let mut unit = unit(true);
    unit.link(Command {
        options: 0,
        ..entry(0, 0, 0)
    });
    let told = unit.request(Request {
        event_room: 0,
        ..Request::default()
    });
    assert_eq!(told.outcome, outcome::OP_VIOLATION);
}

#[test]
fn an_overflow_entry_unlinked_without_headers_is_free_at_once() {
    let mut unit = unit(false);
    unit.link(overflow(
        0,
        0,
        me_option::USE_ONCE | me_option::UNEXPECTED_HDR_DISABLE,
    ));
    let told = unit.request(put(0));
    assert!(told.auto_unlink && told.auto_free && !told.unexpected);
    unit.link(overflow(0, 0, me_option::USE_ONCE));
    let told = unit.request(put(0));
    assert!(told.auto_unlink && !told.auto_free && told.unexpected);
}
