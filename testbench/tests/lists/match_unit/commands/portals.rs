//! Contexts and their portal entries, operations that do not exist, and reset.

use xtq_engine::Engine;
use xtq_types::matching::{match_code, match_op, me_option, outcome};

use crate::match_unit::common::{entry, overflow, put, search, taker, unit};
use crate::match_unit::unit::Unit;
use crate::match_unit::words::{Command, Request};

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
    // The model compares `flow_portals` after each of these.
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
