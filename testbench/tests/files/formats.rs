//! The places of the fields on the wire and in memory, pinned: host software and other NICs depend on them, and the
//! golden model takes them from the same definitions as the hardware, so a slip there would move both.

use xtq_types::Field;
use xtq_types::event::{Event, access, kind, status};
use xtq_types::register_list::{
    CONTEXT_REGISTERS, COUNTERS, GLOBAL_INITIATOR_REGISTERS, GLOBAL_REGISTERS, INITIATOR_REGISTERS,
    PORTAL_REGISTERS, RegisterInfo,
};
use xtq_types::register_map::{error_cause, global, irq_cause, portal_control, portal_options};
use xtq_types::tables::{FunctionEntry, KernelEntry, QueueEntry, table_id};
use xtq_types::wire_header::{MTU, VERSION, WireHeader, ack, ni_fail, opcode};

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

#[test]
fn the_codes_of_events_keep_their_values() {
    use status::*;
    let codes = [
        OK,
        BAD_TYPE,
        BAD_ALIGNMENT,
        BAD_KERNEL_INDEX,
        BAD_FUNCTION_INDEX,
        BAD_KERNARG_SIZE,
        BAD_QUEUE_INDEX,
        QUEUE_FULL,
        BAD_QUEUE_SIZE,
        SHARED_REFUSED,
        BUFFER_TOO_SMALL,
        BAD_LENGTH,
        MEMORY_ERROR,
        PT_DISABLED,
        NO_PORTAL,
        NO_MESSAGE_SLOT,
    ];
    assert!(codes.into_iter().eq(0..16), "{codes:?}");
    use access::*;
    let codes = [
        NONE, TABLE, PAYLOAD, SLOT, INDEX, HEADER, DOORBELL, EVENT, GATHER,
    ];
    assert!(codes.into_iter().eq(0..9), "{codes:?}");
    assert_eq!([kind::PUT, kind::PT_DISABLED, kind::XTQ_PUT], [2, 11, 32]);
    assert_eq!(
        [kind::REPLY, kind::SEND, kind::ACK, kind::COMMAND],
        [8, 9, 10, 40]
    );
}

#[test]
fn the_codes_on_the_wire_and_of_the_tables_keep_their_values() {
    assert_eq!((VERSION, MTU), (1, 4096));
    assert_eq!([opcode::PUT, opcode::ACK, opcode::XTQ_PUT], [1, 7, 8]);
    assert_eq!([ack::NONE, ack::ACK, ack::CT, ack::OC], [0, 1, 2, 3]);
    use ni_fail::*;
    assert_eq!(
        [OK, UNDELIVERABLE, DROPPED, PT_DISABLED, SEGV],
        [0, 1, 2, 3, 7]
    );
    use table_id::*;
    assert_eq!([KERNEL, FUNCTION, QUEUE], [0, 1, 2]);
}

/// Compares names and offsets of registers with the literal ones.
fn placed(registers: &[RegisterInfo], places: &[(&str, u32)]) {
    let actual: Vec<_> = registers
        .iter()
        .map(|info| (info.name, info.offset))
        .collect();
    assert_eq!(actual, places);
}

#[test]
fn the_registers_keep_their_addresses() {
    let places = [
        ("VERSION", 0x000),
        ("BUILD", 0x004),
        ("NODE", 0x008),
        ("MESSAGE_TIMEOUT", 0x018),
        ("LINK_CHECKED", 0x00c),
        ("COUNTERS_CLEAR", 0x010),
    ];
    placed(&GLOBAL_REGISTERS, &places);
    let places = [
        ("MESSAGE_LIMIT", 0x014),
        ("USER_ID_0", 0x020),
        ("USER_ID_1", 0x024),
        ("USER_ID_2", 0x028),
        ("USER_ID_3", 0x02c),
    ];
    placed(&GLOBAL_INITIATOR_REGISTERS, &places);
    let places = [
        ("ENABLE", 0x000),
        ("ERROR_CAUSE", 0x004),
        ("IRQ_MASK", 0x008),
        ("IRQ_STATUS", 0x00c),
        ("EQ_BASE_LO", 0x010),
        ("EQ_BASE_HI", 0x014),
        ("EQ_SIZE", 0x018),
        ("EQ_CONSUMER", 0x01c),
        ("EQ_PRODUCER", 0x020),
        ("EQ_DROPPED", 0x024),
        ("KERNEL_BASE_LO", 0x040),
        ("KERNEL_BASE_HI", 0x044),
        ("KERNEL_SIZE", 0x048),
        ("FUNCTION_BASE_LO", 0x050),
        ("FUNCTION_BASE_HI", 0x054),
        ("FUNCTION_SIZE", 0x058),
        ("QUEUE_BASE_LO", 0x060),
        ("QUEUE_BASE_HI", 0x064),
        ("QUEUE_SIZE", 0x068),
        ("TABLE_INVALIDATE", 0x070),
    ];
    placed(&CONTEXT_REGISTERS, &places);
    let places = [
        ("CQ_BASE_LO", 0x080),
        ("CQ_BASE_HI", 0x084),
        ("CQ_SIZE", 0x088),
        ("CQ_TAIL", 0x08c),
        ("CQ_HEAD", 0x090),
        ("MAX_MESSAGE_SIZE", 0x0a0),
        ("MAX_ATOMIC_SIZE", 0x0a4),
        ("DROP_COUNT", 0x0b0),
        ("PERMISSION_VIOLATIONS", 0x0b4),
        ("OPERATION_VIOLATIONS", 0x0b8),
        ("CT_INC", 0x0c0),
    ];
    placed(&INITIATOR_REGISTERS, &places);
    let places = [
        ("START_LO", 0x200),
        ("START_HI", 0x204),
        ("LENGTH_LO", 0x208),
        ("LENGTH_HI", 0x20c),
        ("OPTIONS", 0x210),
        ("OFFSET_LO", 0x214),
        ("OFFSET_HI", 0x218),
        ("CONTROL", 0x21c),
    ];
    placed(&PORTAL_REGISTERS, &places);
    assert_eq!(CONTEXT_REGISTERS[0].context_address(3), 0x4000);
    assert_eq!(PORTAL_REGISTERS[7].portal_address(3, 15), 0x43fc);
}

#[test]
fn the_counters_and_the_bits_of_registers_keep_their_places() {
    let names = COUNTERS.map(|(name, _)| name);
    let expected = [
        "PACKETS",
        "DROP_VERSION",
        "DROP_OPCODE",
        "DROP_TARGET",
        "DROP_CONTEXT",
        "DROP_LENGTH",
        "CACHE_HIT",
        "CACHE_MISS",
        "MESSAGES_OK",
        "MESSAGES_FAILED",
        "DOORBELLS",
        "EVENTS_LOST",
        "MEMORY_ERRORS",
        "DROP_STRAY",
        "STRAY_ANSWERS",
    ];
    assert_eq!((global::COUNTERS, names), (0x040, expected));
    use error_cause::*;
    assert_eq!(
        [EVENT_FAILED, EVENT_LOST, MEMORY_ERROR, BAD_TAIL],
        [1, 2, 4, 8]
    );
    assert_eq!([irq_cause::EVENT, irq_cause::ERROR], [1, 2]);
    use portal_options::*;
    assert_eq!([FLOW_CONTROL, EVENT_SUCCESS, EVENT_FAILURE], [1, 2, 4]);
    use portal_control::*;
    assert_eq!([ENABLE, DISABLE, RELEASE], [1, 2, 3]);
}
