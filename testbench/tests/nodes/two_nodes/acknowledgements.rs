//! Acknowledgements at the edge of one NIC: only the one that a put waits for is reported and counted, once.

use xtq_testbench::host::{
    AckRequest, Ct, Event, EventKind, Md, MemoryDescriptor, ProcessId, Pt, Put, md_option,
    ptl_ct_alloc, ptl_ct_get, ptl_md_bind, ptl_put,
};
use xtq_testbench::tables::format::WIRE;
use xtq_types::event::status;
use xtq_types::wire_header::opcode;

use super::fixture::{SOURCE, SOURCE_BYTES, config, kinds};
use super::replies::Rig;

/// Counts what is acknowledged.
const COUNTER: Ct = Ct(3);

fn rig() -> Rig {
    let mut rig = Rig::new(&config(None));
    let counting = MemoryDescriptor {
        md: Md(1),
        start: SOURCE,
        length: SOURCE_BYTES,
        options: md_option::EVENTS | md_option::CT_ACK,
        counter: Some(COUNTER),
    };
    assert_eq!(
        rig.run(&[ptl_ct_alloc(COUNTER), ptl_md_bind(&counting)]),
        []
    );
    rig
}

/// 100 bytes to context 2 of node 1; the handle that is to come back.
fn put(rig: &mut Rig) -> u64 {
    let before = rig.node.acknowledgements().len();
    let put = Put {
        md: Md(1),
        length: 100,
        ack: AckRequest::Ack,
        target: ProcessId {
            node: 1,
            context: 2,
        },
        pt_index: Pt(3),
        user_ptr: 5,
        ..Put::default()
    };
    assert_eq!(kinds(&rig.run(&[ptl_put(&put)])), [EventKind::Send]);
    let sent = &rig.node.acknowledgements()[before..];
    assert_eq!(sent.len(), 1);
    WIRE.get(&sent[0].bytes, "initiator_handle")
}

/// What comes of an acknowledgement of context 2 of node 1, but for these fields.
fn answer(rig: &mut Rig, handle: u64, fields: &[(&str, u64)]) -> Vec<Event> {
    let mut all = vec![
        ("opcode", opcode::ACK.into()),
        ("initiator_handle", handle),
        ("message_length", 100),
    ];
    all.extend(fields);
    rig.reply(&all, &[])
}

fn counted(rig: &mut Rig) -> (u64, u64) {
    let told = rig.run(&[ptl_ct_get(COUNTER).with_completion()]);
    let value = told[0].counter();
    (value.success, value.failure)
}

/// The right one is reported and counted.
fn right(rig: &mut Rig, handle: u64) {
    let told = answer(rig, handle, &[]);
    assert_eq!(kinds(&told), [EventKind::Ack]);
    let event = &told[0];
    assert_eq!(
        (event.status, event.mlength, event.user_ptr()),
        (status::OK, 100, Some(5))
    );
}

/// A put waits; these change nothing, and are thrown away; the right one is still taken.
fn strange(strays: &[(u64, &[(&str, u64)])]) {
    let mut rig = rig();
    let handle = put(&mut rig);
    for (other, fields) in strays {
        assert_eq!(answer(&mut rig, handle ^ other, fields), [], "{fields:?}");
    }
    let thrown_away = rig.counter("STRAY_ANSWERS") + rig.counter("DROP_STRAY");
    assert_eq!(thrown_away as usize, strays.len());
    assert_eq!(counted(&mut rig), (0, 0));
    right(&mut rig, handle);
    assert_eq!(counted(&mut rig), (1, 0));
}

#[test]
fn an_acknowledgement_of_another_generation_or_place_changes_nothing() {
    strange(&[(0x100, &[]), (0x8000, &[]), (1, &[]), (0x40, &[])]);
}

#[test]
fn an_acknowledgement_from_somebody_else_changes_nothing() {
    strange(&[(0, &[("source_node", 3)]), (0, &[("source_context", 1)])]);
}

#[test]
fn an_acknowledgement_to_somebody_else_changes_nothing() {
    strange(&[
        (0, &[("target_context", 1)]),
        (0, &[("target_context", 2)]),
        (0, &[("target_context", 3)]),
    ]);
}

#[test]
fn a_forged_failure_changes_nothing_either() {
    let failed = [("source_node", 3), ("ni_fail", 2), ("operation", 3)];
    strange(&[(0, &failed)]);
}

#[test]
fn a_reply_does_not_acknowledge_a_put() {
    strange(&[(0, &[("opcode", opcode::REPLY.into())])]);
}

#[test]
fn an_acknowledgement_that_is_repeated_or_late_changes_nothing() {
    let mut rig = rig();
    let old = put(&mut rig);
    right(&mut rig, old);
    assert_eq!(answer(&mut rig, old, &[]), [], "repeated");
    // Nor when its place belongs to a younger put.
    let mut puts = 1;
    let younger = loop {
        let next = put(&mut rig);
        puts += 1;
        if next & 255 == old & 255 {
            break next;
        }
        right(&mut rig, next);
    };
    assert_ne!(younger, old);
    assert_eq!(answer(&mut rig, old, &[]), [], "late");
    assert_eq!(rig.counter("STRAY_ANSWERS"), 2);
    assert_eq!(counted(&mut rig), (puts - 1, 0));
    right(&mut rig, younger);
    assert_eq!(counted(&mut rig), (puts, 0));
}
