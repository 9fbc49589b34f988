//! What an exact matcher cannot have, and what it has no place for.

use super::contract::{pool, put, receive, unit};
use crate::match_unit::common::{overflow, taker};
use crate::match_unit::unit::Size;
use crate::match_unit::words::{Command, Request};
use xtq_types::matching::{match_code, match_op, me_option, outcome, portal_option, request_kind};

/// A search of the key of a message of node 1.
fn search(op: u8, bits: u64, options: u32) -> Command {
    Command {
        op,
        options,
        ..receive(0, bits)
    }
}

#[test]
fn what_a_table_cannot_have_is_refused_and_changes_nothing() {
    let mut unit = unit(Size::Exact);
    unit.link(pool(9));
    unit.request(put(7));
    let good = receive(1, 7);
    let with = |option: u32| Command {
        options: good.options | option,
        ..good.clone()
    };
    let without = |option: u32| Command {
        options: good.options & !option,
        ..good.clone()
    };
    let only = search(match_op::ME_SEARCH_ONLY, 7, me_option::USE_ONCE);
    let delete = search(match_op::ME_SEARCH_DELETE, 7, 0);
    let mut refused = vec![
        with(me_option::NO_TRUNCATE),
        with(me_option::OP_GET),
        with(me_option::IOVEC),
        with(me_option::MANAGE_LOCAL),
        without(me_option::USE_ONCE),
        without(me_option::OP_PUT),
        Command {
            any_user: false,
            ..good.clone()
        },
        overflow(1, 0, me_option::USE_ONCE),
        Command {
            min_free: 1,
            ..overflow(1, 0, me_option::MANAGE_LOCAL)
        },
        search(match_op::ME_SEARCH_ONLY, 7, 0),
        Command::alloc(0, 1, true),
        Command {
            options: portal_option::DISABLED,
            ..Command::alloc(0, 1, false)
        },
    ];
    for exact in [&good, &only, &delete] {
        refused.push(Command {
            any_node: true,
            ..exact.clone()
        });
        refused.push(Command {
            any_context: true,
            ..exact.clone()
        });
        refused.push(Command {
            ignore: 1 << 63,
            ..exact.clone()
        });
        refused.push(Command {
            options: exact.options | me_option::NO_TRUNCATE,
            ..exact.clone()
        });
    }
    for command in refused {
        assert_eq!(
            unit.code(command.clone()),
            match_code::BAD_COMMAND,
            "{command:?}"
        );
    }
    // The header is still there, number 1 is free, and portal entry 1 is not there.
    assert_eq!(unit.code(only), match_code::FOUND);
    assert_eq!(unit.code(good), match_code::CONSUMED);
    assert_eq!(unit.code(delete), match_code::NOT_FOUND);
    let told = unit.request(Request {
        portal: 1,
        ..put(7)
    });
    assert_eq!(told.outcome, outcome::NO_PORTAL);
}

#[test]
fn who_reads_and_who_is_crowded_leave_the_entry() {
    let mut unit = unit(Size::Exact);
    unit.link(receive(3, 7));
    for kind in [request_kind::GET, request_kind::FETCH, request_kind::SWAP] {
        let told = unit.request(Request { kind, ..put(7) });
        assert_eq!(told.outcome, outcome::OP_VIOLATION);
    }
    let told = unit.request(Request {
        crowded: true,
        ..put(7)
    });
    assert_eq!((told.outcome, told.crowded), (outcome::DROPPED, true));
    for kind in [request_kind::XTQ_PUT, request_kind::ATOMIC] {
        let told = unit.request(Request { kind, ..put(7) });
        assert_eq!(taker(&told), Some(3));
        unit.link(receive(3, 7));
    }
}

#[test]
fn what_has_no_place_in_the_table_changes_nothing() {
    let mut unit = unit(Size::TightExact);
    let bits = |context: u64, id: u64| (0x1111 * (id + 1)) << (4 * context);
    // More keys than there are places; each context has 8 entries.
    let mut full = None;
    for context in 0..4 {
        if context > 0 {
            unit.code(Command::alloc(context, 0, false));
        }
        for id in 0..8 {
            let entry = Command {
                context,
                ..receive(id, bits(context, id))
            };
            if unit.code(entry) == match_code::NO_SPACE {
                full.get_or_insert((context, id));
            }
        }
    }
    let (context, id) = full.expect("32 keys do not fit into 17 places");
    let entry = Command {
        context,
        ..receive(id, bits(context, id))
    };
    // An overflow entry needs no place, a header does; the refused number is still free.
    unit.link(Command {
        context,
        ..pool(id)
    });
    let message = Request {
        context,
        ..put(entry.bits)
    };
    let before = unit.status(context as usize).drop;
    let told = unit.request(message.clone());
    assert_eq!(told.outcome, outcome::DROPPED);
    assert_eq!(unit.status(context as usize).drop, before + 1);
    // With a place it waits.
    for context in 0..4 {
        for id in 0..8 {
            unit.code(Command::unlink(context, id));
        }
    }
    assert_eq!(
        unit.code(Command {
            context,
            ..pool(id)
        }),
        match_code::LINKED
    );
    assert!(unit.request(message).unexpected);
}

#[test]
fn a_portal_entry_is_given_up_only_when_nothing_is_in_it() {
    let free = || Command::portal(match_op::PT_FREE, 0, 0);
    let mut unit = unit(Size::Exact);
    unit.link(receive(1, 7));
    assert_eq!(unit.code(free()), match_code::PORTAL_IN_USE);
    assert_eq!(taker(&unit.request(put(7))), Some(1));
    unit.link(pool(2));
    assert_eq!(unit.code(free()), match_code::PORTAL_IN_USE);
    // The region is open again.
    unit.link(receive(1, 7));
    assert_eq!(taker(&unit.request(put(7))), Some(1));
    assert!(unit.request(put(8)).unexpected);
    assert_eq!(unit.code(Command::unlink(0, 2)), match_code::IN_USE);
    assert_eq!(unit.code(free()), match_code::PORTAL_IN_USE);
    assert_eq!(unit.code(receive(1, 8)), match_code::CONSUMED);
    assert_eq!(unit.code(Command::unlink(0, 2)), match_code::UNLINKED);
    assert_eq!(unit.code(free()), match_code::OK);
    assert_eq!(unit.request(put(7)).outcome, outcome::NO_PORTAL);
    assert_eq!(unit.code(receive(1, 7)), match_code::BAD_PORTAL);
    assert_eq!(unit.code(Command::alloc(0, 0, false)), match_code::OK);
    unit.link(receive(1, 7));
    unit.command(Command::portal(match_op::PT_DISABLE, 0, 0));
    assert_eq!(unit.request(put(7)).outcome, outcome::PT_DISABLED);
    unit.command(Command::portal(match_op::PT_ENABLE, 0, 0));
    assert_eq!(taker(&unit.request(put(7))), Some(1));
}

#[test]
fn a_number_is_one_of_both_lists() {
    let mut unit = unit(Size::Exact);
    unit.link(receive(3, 0));
    assert_eq!(unit.code(receive(3, 1)), match_code::ID_BUSY);
    assert_eq!(unit.code(pool(3)), match_code::ID_BUSY);
    assert_eq!(unit.code(Command::unlink(0, 3)), match_code::UNLINKED);
    assert_eq!(unit.code(Command::unlink(0, 3)), match_code::NOT_LINKED);
    unit.link(pool(3));
    assert_eq!(unit.code(receive(3, 1)), match_code::ID_BUSY);
    assert!(unit.request(put(5)).unexpected);
    unit.link(receive(4, 0));
    // A message takes a number while the append with it comes.
    for round in 0..40 {
        unit.offer(put(0));
        unit.idle(round % 12);
        unit.order_command(receive(4, 0));
        unit.settle();
    }
}

#[test]
fn a_buffer_that_keeps_its_offset_takes_messages_until_it_is_full() {
    let mut unit = unit(Size::Exact);
    unit.link(Command {
        options: me_option::OP_PUT | me_option::MANAGE_LOCAL | me_option::NO_TRUNCATE,
        length: 20,
        ..pool(1)
    });
    unit.link(pool(2));
    assert_eq!(taker(&unit.request(put(1))), Some(1));
    assert_eq!(unit.request(put(2)).landing, Some((8, 8)));
    assert_eq!(taker(&unit.request(put(3))), Some(2));
}
