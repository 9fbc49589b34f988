//! When the buffer of an overflow entry is free.

use xtq_testbench::portals::{Command, EntryId, EventKind, MatchEntry, MeOption};

use super::{exact, freed, with_unexpected};
use crate::portals_model::setup::*;

#[test]
fn auto_free_waits_for_the_last_header_and_comes_once() {
    let mut node = node();
    let me = MatchEntry {
        min_free: 60,
        ..entry(&[MeOption::OpPut, MeOption::ManageLocal])
    };
    append_overflow(&mut node, 100, me);
    for bits in [1, 2] {
        receive(&mut node, &put(bits, &[7; 4]));
    }
    receive(&mut node, &put(3, &[7; 4]));
    assert_eq!(
        kinds(&node).last(),
        Some(&(EventKind::AutoUnlink, 100)),
        "60 left is not below 60; 56 is"
    );
    append(&mut node, 1, exact(2, &[MeOption::UseOnce]));
    assert!(
        node.entries().contains_key(&EntryId(100)),
        "a header still needs it"
    );
    append(&mut node, 2, exact(1, &[MeOption::UseOnce]));
    let end = &kinds(&node)[4..];
    let wanted = [
        (EventKind::PutOverflow, 1),
        (EventKind::AutoUnlink, 1),
        (EventKind::PutOverflow, 2),
        (EventKind::AutoFree, 100),
        (EventKind::AutoUnlink, 2),
    ];
    assert_eq!(end, wanted);
    assert!(node.entries().is_empty());
}

#[test]
fn unlink_disable_silences_auto_unlink_and_auto_free() {
    let mut node = freed(&[MeOption::UnlinkDisable]);
    append(&mut node, 1, entry(&[MeOption::UseOnce]));
    let wanted = [
        (EventKind::Link, 100),
        (EventKind::Put, 100),
        (EventKind::PutOverflow, 1),
        (EventKind::AutoUnlink, 1),
    ];
    assert_eq!(kinds(&node), wanted);
    assert!(node.entries().is_empty());
}

#[test]
fn an_entry_that_the_host_unlinks_is_not_freed_automatically() {
    let mut node = with_unexpected(&[(1, 1)]);
    append(&mut node, 1, entry(&[MeOption::UseOnce]));
    node.post(Command::MeUnlink(EntryId(100))).unwrap();
    assert_eq!(
        kinds(&node),
        [(EventKind::PutOverflow, 1), (EventKind::AutoUnlink, 1)]
    );
}
