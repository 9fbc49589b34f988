//! Unlink, wherever the entry is and whatever it took.

use xtq_types::matching::{match_code, match_op, me_option, outcome};

use crate::match_unit::common::{entry, overflow, put, search, taker, unit};
use crate::match_unit::words::Command;

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
