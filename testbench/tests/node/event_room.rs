//! Places of the event ring that are kept for flow control, when entries are enabled with little room left.

use crate::fixture::*;
use xtq_testbench::golden::Checked;
use xtq_testbench::node::{Buffer, ContextConfig, Message, NodeConfig};
use xtq_testbench::tables::Outcome;
use xtq_testbench::tables::format::EVENT;
use xtq_types::event::{kind, status};

/// A node with so many places for events, none of which the host takes. Entry 0 is without flow control.
fn new(places: u32) -> Checked {
    let mut checked = checked(&NodeConfig::default());
    let mut config = ContextConfig::default();
    config.events.1 = places;
    checked.node.open_context(0, &config).unwrap();
    checked.leaves_events = true;
    checked
}

/// Posts a buffer with flow control, which holds one put.
fn post(checked: &mut Checked, entry: u8) {
    let start = BUFFER + u64::from(entry) * BUFFER_BYTES;
    let buffer = Buffer {
        flow_control: true,
        ..Buffer::new(start, 100)
    };
    checked.node.post_buffer(0, entry, &buffer).unwrap();
}

fn put(checked: &mut Checked, entry: u16) -> Outcome {
    let message = Message {
        portal_index: entry,
        ack_request: 1,
        ..Message::put(1, pattern(80, entry.into()))
    };
    deliver(checked, &message).unwrap()
}

/// Kind of the outcome's event, and its count of events lost before.
fn event(outcome: &Outcome) -> Option<(u8, u64)> {
    let (_, bytes) = outcome.event?;
    Some((
        EVENT.get(&bytes, "kind") as u8,
        EVENT.get(&bytes, "dropped"),
    ))
}

#[test]
fn an_enabled_entry_keeps_a_place_that_ordinary_events_do_not_get() {
    let mut checked = new(4);
    post(&mut checked, 1);
    post(&mut checked, 2);
    let ordinary: Vec<_> = (0..3).map(|_| event(&put(&mut checked, 0))).collect();
    let posted = Some((kind::PUT, 0));
    assert_eq!(ordinary, [posted, posted, None]);
    // Exhausted, each entry reports it in the place kept for it.
    for (entry, dropped) in [(1, 1), (2, 0)] {
        let outcome = put(&mut checked, entry);
        assert_eq!(outcome.status, status::PT_DISABLED);
        assert_eq!(event(&outcome), Some((kind::PT_DISABLED, dropped)));
    }
    assert_eq!(event(&put(&mut checked, 0)), None, "the ring is full");
    checked
        .check_registers()
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn entries_enabled_when_fewer_places_are_left_than_entries_share_what_there_is() {
    let mut checked = new(2);
    assert_eq!(event(&put(&mut checked, 0)), Some((kind::PUT, 0)));
    for entry in 1..4 {
        post(&mut checked, entry);
    }
    // One place for three entries: the first to be exhausted gets it; the others are disabled without an event.
    let outcomes: Vec<_> = (1..4).map(|entry| put(&mut checked, entry)).collect();
    assert!(outcomes.iter().all(|outcome| outcome.disabled));
    let events: Vec<_> = outcomes.iter().map(event).collect();
    assert_eq!(events, [Some((kind::PT_DISABLED, 0)), None, None]);
    for entry in 1..4 {
        assert!(!checked.node.portal_enabled(0, entry).unwrap());
    }
    // Once the host takes events the places are there again: one for a delivery, one kept for the entry.
    let taken = checked.node.take_events(0).unwrap();
    assert_eq!(taken.len(), 2);
    post(&mut checked, 1);
    let delivered = put(&mut checked, 1);
    assert_eq!(event(&delivered), Some((kind::PUT, 2)), "two were lost");
    let exhausted = put(&mut checked, 1);
    assert_eq!(exhausted.status, status::BUFFER_TOO_SMALL);
    assert_eq!(event(&exhausted), Some((kind::PT_DISABLED, 0)));
    checked
        .check_registers()
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_disabled_entry_gives_its_place_back() {
    let mut checked = new(2);
    post(&mut checked, 1);
    post(&mut checked, 2);
    assert_eq!(event(&put(&mut checked, 0)), None, "both are kept");
    checked.node.disable_portal(0, 2).unwrap();
    assert_eq!(event(&put(&mut checked, 0)), Some((kind::PUT, 1)));
    checked.node.enable_portal(0, 2).unwrap();
    assert_eq!(event(&put(&mut checked, 0)), None, "one left for two");
}
