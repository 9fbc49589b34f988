//! Searches of the unexpected headers (rules 3 of `docs/portals-model.md`).

use crate::portals_model::setup::*;
use xtq_testbench::portals::{
    CounterId, EntryId, EventKind, List, MatchEntry, MeOption, NiFail, Node, Search,
};

fn with_headers(bits: &[u64]) -> Node {
    let mut node = node();
    append_overflow(
        &mut node,
        100,
        entry(&[
            MeOption::OpPut,
            MeOption::LinkDisable,
            MeOption::CommDisable,
        ]),
    );
    for bits in bits {
        receive(&mut node, &put(*bits, &[7; 3]));
    }
    node
}

fn for_bits(match_bits: u64, options: &[MeOption]) -> MatchEntry {
    MatchEntry {
        match_bits,
        ignore_bits: 0,
        counter: Some(CounterId(1)),
        ..entry(options)
    }
}

#[test]
fn search_only_tells_and_leaves_everything() {
    let mut node = with_headers(&[1, 2, 1]);
    search(&mut node, Search::Only, 5, for_bits(1, &[]));
    assert_eq!(
        kinds(&node),
        [(EventKind::Search, 5), (EventKind::Search, 5)]
    );
    assert_eq!((headers(&node), events(&node)[0].ni_fail), (3, NiFail::Ok));
    assert_eq!(details(&node)[0].list, List::Overflow);
    search(
        &mut node,
        Search::Only,
        6,
        for_bits(1, &[MeOption::UseOnce]),
    );
    assert_eq!(
        &kinds(&node)[2..],
        [(EventKind::Search, 6)],
        "USE_ONCE: one hit"
    );
}

#[test]
fn search_delete_takes_as_an_append_does_and_links_nothing() {
    let mut node = with_headers(&[1, 2, 1]);
    search(
        &mut node,
        Search::Delete,
        5,
        for_bits(1, &[MeOption::UseOnce]),
    );
    assert_eq!(
        (kinds(&node), headers(&node)),
        (vec![(EventKind::PutOverflow, 5)], 2)
    );
    search(
        &mut node,
        Search::Delete,
        6,
        entry(&[MeOption::OverDisable]),
    );
    assert_eq!((kinds(&node).len(), headers(&node)), (1, 0));
    assert!(linked(&node, List::Priority).is_empty());
}

#[test]
fn a_search_that_finds_nothing_tells_so_once() {
    for kind in [Search::Only, Search::Delete] {
        let mut node = with_headers(&[2]);
        search(&mut node, kind, 5, for_bits(1, &[]));
        let told = events(&node);
        assert_eq!(
            (told.len(), told[0].kind, told[0].ni_fail),
            (1, EventKind::Search, NiFail::NoMatch)
        );
        search(&mut node, kind, 5, for_bits(1, &[MeOption::CommDisable]));
        assert_eq!(events(&node).len(), 1);
    }
}

#[test]
fn deleting_the_last_header_frees_the_entry() {
    let mut node = node();
    append_overflow(&mut node, 100, entry(&[MeOption::OpPut, MeOption::UseOnce]));
    receive(&mut node, &put(1, &[7]));
    search(&mut node, Search::Delete, 5, entry(&[]));
    let wanted = [(EventKind::PutOverflow, 5), (EventKind::AutoFree, 100)];
    assert_eq!(&kinds(&node)[3..], wanted);
    assert!(!node.entries().contains_key(&EntryId(100)));
}

#[test]
fn searches_count_hits_and_mark_their_end_by_a_failure() {
    // API 4.3: hits are successes; a persistent search ends with a failure, one of USE_ONCE only if it found nothing.
    for kind in [Search::Only, Search::Delete] {
        for (options, hits, wanted) in [
            (&[MeOption::CtOverflow][..], 2, (2, 1)),
            (&[MeOption::CtOverflow, MeOption::UseOnce], 2, (1, 0)),
            (&[MeOption::CtOverflow], 0, (0, 1)),
            (&[MeOption::CtOverflow, MeOption::UseOnce], 0, (0, 1)),
            (&[MeOption::CtOverflow, MeOption::CtBytes], 2, (6, 1)),
            (&[], 2, (0, 0)),
        ] {
            let mut node = with_headers(&vec![1; hits]);
            search(&mut node, kind, 5, for_bits(1, options));
            assert_eq!(count(&node, 1), wanted, "{kind:?} {options:?} {hits}");
        }
    }
}
