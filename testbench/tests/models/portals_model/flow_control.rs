//! Flow control and event queues (rules 4 of `docs/portals-model.md`).

use crate::portals_model::setup::*;
use xtq_testbench::portals::{
    Command, Event, EventKind, Limits, List, MatchEntry, MeOption, NiFail, Node, NodeConfig,
    Portal, PortalOptions, Rank, Refusal, Request,
};

const FLOW: PortalOptions = PortalOptions {
    flowctrl: true,
    ..PLAIN
};

/// A node whose event queue has so many places.
fn cramped(places: usize, options: PortalOptions) -> Node {
    let config = NodeConfig {
        queues: vec![places, 0],
        ..config(Limits::default())
    };
    let mut node = Node::new(Rank(0), &config);
    furnish(&mut node, options);
    node
}

fn take(node: &mut Node) -> Option<(EventKind, bool)> {
    let (event, dropped): (Event, bool) = node.queue_mut(EVENTS)?.get()?;
    Some((event.kind, dropped))
}

#[test]
fn flow_control_needs_an_event_queue() {
    let mut node = Node::new(Rank(0), &config(Limits::default()));
    let options = PortalOptions {
        queue: None,
        ..FLOW
    };
    assert_eq!(
        node.post(Command::PtAlloc(PORTAL, options)),
        Err(Refusal::PtEqNeeded)
    );
    assert!(node.portals().is_empty());
}

#[test]
fn the_lack_of_a_header_disables_the_portal_with_one_event() {
    let limits = Limits {
        max_unexpected_headers: 1,
        ..Limits::default()
    };
    let mut node = node_with(limits, FLOW);
    append_overflow(&mut node, 1, entry(&[MeOption::OpPut]));
    assert_eq!(outcome(&mut node, &put(1, &[1])).0, NiFail::Ok);
    for _ in 0..3 {
        assert_eq!(outcome(&mut node, &put(2, &[1])).0, NiFail::PtDisabled);
    }
    let disabled = kinds(&node)
        .iter()
        .filter(|(kind, _)| *kind == EventKind::PtDisabled)
        .count();
    assert_eq!((disabled, node.status().drop), (1, 3));
    assert!(!node.portals()[&PORTAL].enabled);
    // Enabled without room being made: disabled again, with an event again.
    node.post(Command::PtEnable(PORTAL)).unwrap();
    receive(&mut node, &put(2, &[1]));
    let disabled = kinds(&node)
        .iter()
        .filter(|(kind, _)| *kind == EventKind::PtDisabled)
        .count();
    assert_eq!(disabled, 2);
}

#[test]
fn a_full_event_queue_disables_the_portal_and_its_event_has_a_place() {
    let mut node = cramped(4, FLOW);
    append(&mut node, 1, entry(&[MeOption::OpPut]));
    // LINK, PUT, PUT, and the place kept for PT_DISABLED.
    assert_eq!(outcome(&mut node, &put(0, &[1])).0, NiFail::Ok);
    assert_eq!(outcome(&mut node, &put(0, &[2])).0, NiFail::Ok);
    assert_eq!(outcome(&mut node, &put(0, &[3])).0, NiFail::PtDisabled);
    assert_eq!(bytes(&node, 256, 1), [2], "nothing was delivered");
    let seen: Vec<_> = std::iter::from_fn(|| take(&mut node)).collect();
    let wanted = [
        EventKind::Link,
        EventKind::Put,
        EventKind::Put,
        EventKind::PtDisabled,
    ];
    assert_eq!(
        seen,
        wanted.map(|kind| (kind, false)),
        "and nothing was lost"
    );
    node.post(Command::PtEnable(PORTAL)).unwrap();
    assert_eq!(outcome(&mut node, &put(0, &[4])).0, NiFail::Ok);
}

#[test]
fn a_message_is_taken_only_with_places_for_all_its_events() {
    let mut node = cramped(3, FLOW);
    let once = entry(&[MeOption::OpPut, MeOption::UseOnce, MeOption::LinkDisable]);
    append(&mut node, 1, once.clone());
    append(&mut node, 2, once);
    assert_eq!(
        outcome(&mut node, &put(0, &[1])).0,
        NiFail::Ok,
        "PUT, AUTO_UNLINK, and one place kept"
    );
    assert_eq!(outcome(&mut node, &put(0, &[1])).0, NiFail::PtDisabled);
    assert_eq!(linked(&node, List::Priority), [2]);
    // A message without events needs no place.
    let mut node = cramped(1, FLOW);
    append(
        &mut node,
        1,
        entry(&[
            MeOption::OpPut,
            MeOption::CommDisable,
            MeOption::LinkDisable,
        ]),
    );
    assert_eq!(outcome(&mut node, &put(0, &[1])).0, NiFail::Ok);
}

#[test]
fn an_entry_that_may_unlink_itself_needs_places_for_that_too() {
    use MeOption::*;
    // Options, minimum free, list, places: for the message's events, and the one that is kept.
    let wanted: [(&[MeOption], u64, List, usize); 8] = [
        (&[], 0, List::Priority, 2),
        (&[UseOnce], 0, List::Priority, 3),
        (&[UseOnce, UnlinkDisable], 0, List::Priority, 2),
        (&[ManageLocal], 0, List::Priority, 2),
        (&[ManageLocal], 8, List::Priority, 3),
        (&[UseOnce], 0, List::Overflow, 3),
        (&[UseOnce, UnexpectedHdrDisable], 0, List::Overflow, 4),
        (
            &[UseOnce, UnexpectedHdrDisable, CommDisable],
            0,
            List::Overflow,
            3,
        ),
    ];
    for (options, min_free, list, places) in wanted {
        let me = MatchEntry {
            min_free,
            ..entry(&[options, &[OpPut, LinkDisable]].concat())
        };
        for (places, result) in [(places - 1, NiFail::PtDisabled), (places, NiFail::Ok)] {
            let mut node = cramped(places, FLOW);
            node.post(append_to(list, 1, me.clone())).unwrap();
            let got = outcome(&mut node, &put(0, &[1])).0;
            assert_eq!(got, result, "{options:?} {list:?} {places}");
        }
    }
}

#[test]
fn a_disabled_portal_needs_no_place_for_its_event() {
    for (enabled, result) in [(true, NiFail::PtDisabled), (false, NiFail::Ok)] {
        let mut node = cramped(2, FLOW);
        node.post(Command::PtAlloc(Portal(1), FLOW)).unwrap();
        if !enabled {
            node.post(Command::PtDisable(Portal(1))).unwrap();
        }
        let me = entry(&[MeOption::OpPut, MeOption::LinkDisable]);
        append(&mut node, 1, me);
        assert_eq!(outcome(&mut node, &put(0, &[1])).0, result);
    }
}

#[test]
fn every_portal_with_flow_control_keeps_a_place_for_its_event() {
    let mut node = cramped(3, FLOW);
    node.post(Command::PtAlloc(Portal(1), FLOW)).unwrap();
    append(
        &mut node,
        1,
        entry(&[MeOption::OpPut, MeOption::LinkDisable]),
    );
    assert_eq!(outcome(&mut node, &put(0, &[1])).0, NiFail::Ok);
    assert_eq!(outcome(&mut node, &put(0, &[1])).0, NiFail::PtDisabled);
    let elsewhere = Request {
        portal: Portal(1),
        ..put(0, &[1])
    };
    assert_eq!(outcome(&mut node, &elsewhere).0, NiFail::PtDisabled);
    let seen: Vec<_> = std::iter::from_fn(|| take(&mut node)).collect();
    let wanted = [EventKind::Put, EventKind::PtDisabled, EventKind::PtDisabled];
    assert_eq!(seen, wanted.map(|kind| (kind, false)));
}

#[test]
fn flowctrl_disable_keeps_quiet_about_an_entry_that_ran_out() {
    let limits = Limits {
        max_unexpected_headers: 0,
        ..Limits::default()
    };
    let mut node = node_with(limits, FLOW);
    append_overflow(
        &mut node,
        1,
        entry(&[MeOption::OpPut, MeOption::FlowctrlDisable]),
    );
    assert_eq!(outcome(&mut node, &put(0, &[1])).0, NiFail::PtDisabled);
    assert_eq!(kinds(&node), [(EventKind::Link, 1)]);
}

#[test]
fn a_violation_does_not_disable_the_portal() {
    let mut node = node_with(Limits::default(), FLOW);
    let me = MatchEntry {
        uid: Some(9),
        ..entry(&[MeOption::OpPut])
    };
    append(&mut node, 1, me);
    assert_eq!(outcome(&mut node, &put(0, &[1])).0, NiFail::PermViolation);
    assert!(node.portals()[&PORTAL].enabled);
}

#[test]
fn without_flow_control_the_newest_events_stay_and_the_reader_is_told() {
    let mut node = cramped(2, PLAIN);
    append(&mut node, 1, entry(&[MeOption::OpPut]));
    for byte in 1..=2 {
        assert_eq!(outcome(&mut node, &put(0, &[byte])).0, NiFail::Ok);
    }
    assert_eq!(
        take(&mut node),
        Some((EventKind::Put, true)),
        "the LINK was lost"
    );
    assert_eq!(take(&mut node), Some((EventKind::Put, false)));
    assert_eq!(take(&mut node), None);
}
