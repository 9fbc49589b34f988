//! A full queue after match lists.

use xtq_testbench::bus::MemoryTiming;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::host::{
    EventKind, MatchEntry, Me, Pt, portal_option, ptl_me_append, ptl_pt_alloc, ptl_pt_enable,
};
use xtq_testbench::node::Message;
use xtq_types::event::status;

use super::{LISTS, Listed, managed};
use crate::fixture::*;

#[test]
fn a_full_queue_stops_a_portal_entry_with_flow_control_until_it_is_enabled() {
    let queue = queue(QUEUE);
    let mut listed = Listed::new(
        MemoryTiming::ideal(),
        &queue,
        portal_option::FLOW_CONTROL,
        &[managed()],
    );
    for id in 0..14 {
        listed.send(&kernel_message(id, 10));
    }
    let told = listed.settle();
    let delivered = told.iter().filter(|event| event.kind == EventKind::XtqPut);
    assert!(delivered.clone().all(|event| event.status == status::OK));
    assert_eq!(delivered.count(), 8);
    let closed: Vec<_> = told
        .iter()
        .filter(|event| event.kind == EventKind::PtDisabled)
        .collect();
    assert_eq!(closed.len(), 1, "{told:?}");
    assert_eq!((closed[0].status, told.len()), (status::QUEUE_FULL, 9));
    let memory = listed.node.memory.memory(0);
    assert_eq!(memory.read_u64(queue.write_index_address), 8);
    // Still refused, though the queue has room again.
    drain(&mut listed.node, 0, &queue);
    listed.send(&kernel_message(20, 10));
    assert_eq!(listed.settle(), []);
    listed
        .process
        .post(&mut listed.node, &ptl_pt_enable(LISTS))
        .unwrap();
    listed.settle();
    listed.send(&kernel_message(21, 10));
    let told = listed.settle();
    assert_eq!(
        (told.len(), told[0].status, told[0].packet_id()),
        (1, status::OK, Some(8))
    );
}

#[test]
fn a_full_queue_without_flow_control_drops_and_goes_on() {
    let queue = queue(QUEUE);
    let mut listed = Listed::new(MemoryTiming::ideal(), &queue, 0, &[managed()]);
    for id in 0..10 {
        listed.send(&kernel_message(id, 10));
    }
    let told = listed.settle();
    let codes: Vec<u8> = told.iter().map(|event| event.status).collect();
    assert_eq!(
        codes,
        [vec![status::OK; 8], vec![status::QUEUE_FULL; 2]].concat()
    );
    drain(&mut listed.node, 0, &queue);
    listed.send(&kernel_message(11, 10));
    assert_eq!(listed.settle()[0].status, status::OK);
}

#[test]
fn a_full_queue_stops_many_portal_entries_at_once() {
    const PORTALS: u16 = 12;
    let queue = queue(QUEUE);
    let mut listed = Listed::new(MemoryTiming::ideal(), &queue, 0, &[managed()]);
    let mut commands = Vec::new();
    for portal in 0..PORTALS {
        let options = portal_option::FLOW_CONTROL | portal_option::MATCHING;
        commands.push(ptl_pt_alloc(Pt(portal), options));
        commands.push(ptl_me_append(&MatchEntry {
            me: Me(20 + portal),
            pt_index: Pt(portal),
            start: BUFFER + 0x10_0000 * u64::from(portal + 1),
            ..managed()
        }));
    }
    listed
        .process
        .post_all(&mut listed.node, &commands)
        .unwrap();
    listed.settle();
    for id in 0..8 {
        listed.send(&kernel_message(id, 10));
    }
    for round in 0..2 {
        for portal in 0..PORTALS {
            listed.node.send(&Message {
                portal_index: portal,
                ..kernel_message(100 + 20 * round + portal, 10)
            });
        }
    }
    let told = listed.settle();
    let closed: Vec<u16> = told
        .iter()
        .filter(|event| event.kind == EventKind::PtDisabled)
        .map(|event| event.pt_index.0)
        .collect();
    assert_eq!(closed, (0..PORTALS).collect::<Vec<u16>>());
    assert_eq!(told.len(), 8 + usize::from(PORTALS));
    let refused = listed.node.acknowledgements().iter().skip(8);
    assert_eq!(refused.count(), 2 * usize::from(PORTALS));
}
