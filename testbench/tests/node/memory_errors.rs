//! A memory error on each kind of access: reported by name, and the next good message goes through.

use crate::fixture::*;
use xtq_testbench::bus::{Access, ErrorResponse, Fault, MemoryTiming};
use xtq_testbench::golden::Checked;
use xtq_testbench::node::{Message, NodeConfig};
use xtq_testbench::tables::Outcome;
use xtq_testbench::tables::format::EVENT;
use xtq_types::event::{access, status};

fn fault(access: Access, first: u64, bytes: u64) -> Fault {
    Fault {
        context: Some(0),
        addresses: first..=first + bytes - 1,
        access,
        response: ErrorResponse::SlaveError,
        code: 5,
        count: None,
    }
}

/// Delivers a message while this fault strikes, but for the first `spared` accesses.
fn with_fault(checked: &mut Checked, message: &Message, fault: Fault, spared: u32) -> Outcome {
    checked.inject(fault, spared);
    let outcome = deliver(checked, message).unwrap();
    checked.clear_faults();
    outcome
}

fn same_fault(checked: &mut Checked, message: &Message, fault: Fault) -> Outcome {
    with_fault(checked, message, fault, 0)
}

fn good(checked: &mut Checked) {
    let outcome = deliver(checked, &kernel_message(900, 30)).unwrap();
    assert_eq!(outcome.status, status::OK);
}

/// Registering the queue again makes it work again.
fn good_after_repair(checked: &mut Checked) {
    let refused = deliver(checked, &kernel_message(901, 30)).unwrap();
    assert_eq!(
        refused.status,
        status::BAD_QUEUE_INDEX,
        "a failed queue stays failed"
    );
    checked.node.create_queue(0, &queue(QUEUE));
    checked.node.register_queue(0, QUEUE, queue(QUEUE)).unwrap();
    good(checked);
}

fn failed(outcome: &Outcome, access: u8) {
    assert_eq!(
        (outcome.status, outcome.access),
        (status::MEMORY_ERROR, access)
    );
    assert!(outcome.event.is_some());
}

#[test]
fn a_failed_read_of_a_table_fails_the_message_and_is_not_kept() {
    let mut checked = checked(&NodeConfig::default());
    for (table, entry) in [(0x1000_0000, KERNEL), (0x1000_2000, QUEUE.into())] {
        let fault = fault(Access::Read, table + 64 * entry, 64);
        // Registering takes the entries that a good message before has fetched out of the cache.
        let (id, size) = (KERNEL as u16, KERNEL_ARGUMENTS as u32);
        let node = &mut checked.node;
        node.register_kernel(0, id, TARGET_BUFFER, size, 0, KERNEL_SIGNAL, KERNEL_OBJECT)
            .unwrap();
        checked.node.create_queue(0, &queue(QUEUE));
        checked.node.register_queue(0, QUEUE, queue(QUEUE)).unwrap();
        let outcome = same_fault(&mut checked, &kernel_message(1, 30), fault);
        failed(&outcome, access::TABLE);
        good(&mut checked);
    }
}

#[test]
fn a_failed_read_of_the_function_table_fails_the_message() {
    let mut checked = checked(&NodeConfig::default());
    let fault = fault(Access::Read, 0x1000_1000 + 64 * FUNCTION, 64);
    let outcome = same_fault(&mut checked, &agent_message(1, 30), fault);
    failed(&outcome, access::TABLE);
    good(&mut checked);
}

#[test]
fn a_failed_read_of_an_index_fails_the_message_and_is_tried_again() {
    let mut checked = checked(&NodeConfig::default());
    let queue = queue(QUEUE);
    for address in [queue.write_index_address, queue.read_index_address] {
        checked.node.register_queue(0, QUEUE, queue).unwrap();
        let fault = fault(Access::Read, address, 8);
        let outcome = same_fault(&mut checked, &kernel_message(1, 30), fault);
        failed(&outcome, access::INDEX);
        good(&mut checked);
    }
}

#[test]
fn a_failed_write_of_the_payload_fails_the_message_and_its_place_in_the_queue_is_filled() {
    let mut checked = checked(&NodeConfig::default());
    for part in [0, 64, 128, 300] {
        let portal = checked.node.state.contexts[0].portals[0];
        let landing = portal.start + portal.offset.next_multiple_of(64);
        let fault = fault(Access::Write, landing + part, 8);
        let outcome = same_fault(&mut checked, &kernel_message(1, 300), fault);
        failed(&outcome, access::PAYLOAD);
        good(&mut checked);
        drain(&mut checked.node, 0, &queue(QUEUE));
    }
    let mut put = Message::put(3, pattern(500, 1));
    put.ack_request = 1;
    let portal = checked.node.state.contexts[0].portals[0];
    let fault = fault(Access::Write, portal.start + portal.offset + 450, 1);
    failed(&same_fault(&mut checked, &put, fault), access::PAYLOAD);
    good(&mut checked);
}

#[test]
fn a_failed_write_of_slot_or_index_fails_the_queue_and_publishes_nothing() {
    let mut checked = checked(&NodeConfig::default());
    let first = queue(QUEUE);
    let outcome = same_fault(
        &mut checked,
        &kernel_message(1, 30),
        fault(Access::Write, first.base, 64),
    );
    failed(&outcome, access::SLOT);
    good_after_repair(&mut checked);
    let index = fault(Access::Write, first.write_index_address, 8);
    let outcome = same_fault(&mut checked, &kernel_message(2, 30), index);
    failed(&outcome, access::INDEX);
    good_after_repair(&mut checked);
}

#[test]
fn a_failed_write_of_the_header_word_fails_the_queue_and_rings_nothing() {
    let timing = MemoryTiming::fixed_write(30);
    let mut checked = checked(&NodeConfig {
        timing,
        ..NodeConfig::default()
    });
    let base = queue(QUEUE).base;
    // The header word lies in the line of the slot's body: the second write of the line fails.
    let fault = Fault {
        count: Some(1),
        ..fault(Access::Write, base, 64)
    };
    let outcome = with_fault(&mut checked, &kernel_message(1, 30), fault, 1);
    failed(&outcome, access::HEADER);
    good_after_repair(&mut checked);
}

#[test]
fn a_failed_write_of_the_doorbell_fails_the_queue() {
    let mut checked = checked(&NodeConfig::default());
    let doorbell = fault(Access::Write, queue(QUEUE).doorbell_address, 8);
    let outcome = same_fault(&mut checked, &kernel_message(1, 30), doorbell);
    failed(&outcome, access::DOORBELL);
    good_after_repair(&mut checked);
}

#[test]
fn a_failed_doorbell_of_a_packet_that_does_nothing_fails_the_queue_and_leaves_its_message_its_error()
 {
    let mut checked = checked(&NodeConfig::default());
    let landing = checked.node.state.contexts[0].portals[0].start;
    checked.inject(fault(Access::Write, landing, 8), 0);
    let doorbell = fault(Access::Write, queue(QUEUE).doorbell_address, 8);
    let outcome = with_fault(&mut checked, &kernel_message(1, 30), doorbell, 0);
    failed(&outcome, access::PAYLOAD);
    good_after_repair(&mut checked);
}

#[test]
fn a_repair_that_fails_fails_the_queue() {
    let mut checked = checked(&NodeConfig::default());
    let landing = checked.node.state.contexts[0].portals[0].start;
    checked.inject(fault(Access::Write, landing, 8), 0);
    // After the slot's body come zeros, because the payload failed.
    let zeros = fault(Access::Write, queue(QUEUE).base, 64);
    let outcome = with_fault(&mut checked, &kernel_message(1, 30), zeros, 1);
    failed(&outcome, access::SLOT);
    good_after_repair(&mut checked);
}

#[test]
fn a_failed_write_of_an_event_is_told_and_the_ring_goes_on() {
    let mut checked = checked(&NodeConfig::default());
    let ring = checked.node.state.contexts[0].events.base;
    let fault = fault(Access::Write, ring, 64);
    let outcome = same_fault(&mut checked, &kernel_message(1, 30), fault);
    let (_, bytes) = outcome.event.unwrap();
    assert_eq!(bytes, [0; 64], "a place without an event");
    let cause = checked.node.error_cause(0).unwrap();
    assert_eq!(cause, 1, "the error register tells it");
    let next = deliver(&mut checked, &kernel_message(2, 30)).unwrap();
    assert_eq!(EVENT.get(&next.event.unwrap().1, "packet_id"), 1);
    checked
        .check_registers()
        .unwrap_or_else(|error| panic!("{error}"));
}
