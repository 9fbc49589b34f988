//! The places of the fields on the wire and in memory, pinned: host software and other NICs depend on them, and the golden
//! model takes them from the same definitions as the hardware, so a slip there would move both.

use xtq_rtl::types::Field;
use xtq_rtl::types::event::Event;
use xtq_rtl::types::tables::{FunctionEntry, KernelEntry, QueueEntry};
use xtq_rtl::types::wire_header::WireHeader;

/// Compares each field's lowest bit with the literal place.
fn pinned(fields: &[Field], places: &[(&str, usize)]) {
    let actual: Vec<_> = fields
        .iter()
        .map(|field| (field.name, field.offset))
        .collect();
    assert_eq!(actual, places);
    assert_eq!(fields.iter().map(|field| field.width).sum::<usize>(), 512);
}

/// Lowest bit of a field that starts at a byte.
const fn byte(n: usize) -> usize {
    8 * n
}

#[test]
fn the_header_beat_keeps_its_places() {
    let places = [
        ("version", byte(0)),
        ("opcode", byte(1)),
        ("ack_request", byte(2)),
        ("ni_fail", byte(3)),
        ("source_node", byte(4)),
        ("target_node", byte(6)),
        ("source_context", byte(8)),
        ("target_context", byte(9)),
        ("portal_index", byte(10)),
        ("user_id", byte(12)),
        ("match_bits", byte(16)),
        ("remote_offset", byte(24)),
        ("header_data", byte(32)),
        ("message_length", byte(40)),
        ("packet_offset", byte(44)),
        ("message_id", byte(48)),
        ("command_length", byte(50)),
        ("sequence", byte(52)),
        ("cumulative_ack", byte(54)),
        ("initiator_handle", byte(56)),
        ("operation", byte(58)),
        ("datatype", byte(59)),
        ("header_crc", byte(60)),
    ];
    pinned(WireHeader::FIELDS, &places);
}

#[test]
fn the_table_entries_keep_their_places() {
    let kernel = [
        ("registered", 0),
        ("buffer_valid", 1),
        ("signal_valid", 2),
        ("no_rewrite", 3),
        ("flags_reserved", 4),
        ("kernarg_size", byte(4)),
        ("rewrite_offset", byte(8)),
        ("reserved0", byte(12)),
        ("kernel", byte(16)),
        ("buffer_pointer", byte(24)),
        ("completion_signal", byte(32)),
        ("reserved1", byte(40)),
    ];
    pinned(KernelEntry::FIELDS, &kernel);
    let function = [
        ("registered", 0),
        ("buffer_valid", 1),
        ("flags_reserved", 2),
        ("reserved0", byte(4)),
        ("function", byte(8)),
        ("buffer_pointer", byte(16)),
        ("reserved1", byte(24)),
    ];
    pinned(FunctionEntry::FIELDS, &function);
    let queue = [
        ("registered", 0),
        ("doorbell_plus_one", 1),
        ("shared", 2),
        ("flags_reserved", 3),
        ("size", byte(4)),
        ("ring_base", byte(8)),
        ("write_index_address", byte(16)),
        ("read_index_address", byte(24)),
        ("doorbell_address", byte(32)),
        ("reserved1", byte(40)),
    ];
    pinned(QueueEntry::FIELDS, &queue);
}

#[test]
fn the_event_keeps_its_places() {
    let places = [
        ("kind", byte(0)),
        ("status", byte(1)),
        ("access", byte(2)),
        ("ni_fail", byte(3)),
        ("source_node", byte(4)),
        ("portal_index", byte(6)),
        ("user_id", byte(8)),
        ("queue_index", byte(12)),
        ("source_context", byte(14)),
        ("dropped", byte(15)),
        ("match_bits", byte(16)),
        ("header_data", byte(24)),
        ("start", byte(32)),
        ("requested_length", byte(40)),
        ("delivered_length", byte(44)),
        ("remote_offset", byte(48)),
        ("packet_id", byte(56)),
    ];
    pinned(Event::FIELDS, &places);
}
