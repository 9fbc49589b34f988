//! The golden model of the delivery against the open cases, which an independent reference computed.

use serde_json::Value;
use xtq_testbench::bytes::{Bytes, SparseMemory};
use xtq_testbench::cases::xtq::{Given, Message};
use xtq_testbench::golden::Delivery;
use xtq_testbench::node::Message as WireMessage;
use xtq_testbench::tables::format::{FUNCTION_ENTRY, KERNEL_ENTRY, QUEUE_ENTRY};
use xtq_testbench::tables::{NicState, Outcome, Portal, Table};
use xtq_types::event::status;

const OPEN: &str = include_str!("../../cases/aql-xtq.json");
/// Kernel, function and queue table; after them indices and doorbells, a page a queue.
const TABLES: [u64; 3] = [1 << 40, 2 << 40, 3 << 40];
const PLACES: u64 = 4 << 40;

fn model(given: &Given) -> Delivery {
    let mut memory = SparseMemory::new();
    let present = |value: u64| u64::from(value != 0);
    for (index, entry) in &given.kernel_table {
        let bytes = KERNEL_ENTRY.pack(&[
            ("registered", 1),
            ("buffer_valid", present(entry.buffer_pointer)),
            ("signal_valid", present(entry.completion_signal)),
            ("no_rewrite", (entry.kernarg_size < 16).into()),
            ("kernarg_size", entry.kernarg_size),
            ("rewrite_offset", entry.rewrite_offset),
            ("kernel", entry.kernel),
            ("buffer_pointer", entry.buffer_pointer),
            ("completion_signal", entry.completion_signal),
        ]);
        memory.write(TABLES[0] + 64 * index, &bytes);
    }
    for (index, entry) in &given.function_table {
        let bytes = FUNCTION_ENTRY.pack(&[
            ("registered", 1),
            ("buffer_valid", present(entry.buffer_pointer)),
            ("function", entry.function),
            ("buffer_pointer", entry.buffer_pointer),
        ]);
        memory.write(TABLES[1] + 64 * index, &bytes);
    }
    for (index, entry) in &given.queue_table {
        let places = PLACES + 4096 * index;
        let bytes = QUEUE_ENTRY.pack(&[
            ("registered", 1),
            ("size", entry.size),
            ("ring_base", entry.base),
            ("write_index_address", places),
            ("read_index_address", places + 64),
            ("doorbell_address", places + 128),
        ]);
        memory.write(TABLES[2] + 64 * index, &bytes);
        memory.write_u64(places, entry.write_index);
        memory.write_u64(places + 64, entry.read_index);
    }
    let mut state = NicState::default();
    state.contexts[0].enabled = true;
    state.contexts[0].tables = TABLES.map(|base| Table { base, entries: 64 });
    let mut memories: [SparseMemory; 4] = Default::default();
    memories[0] = memory;
    Delivery::new(state, memories)
}

fn deliver(model: &mut Delivery, message: &Message) -> Outcome {
    model.state.contexts[0].portals[0] = Portal {
        enabled: true,
        start: message.kernarg_landing_addr - 64,
        length: 1 << 20,
        remaining: 1 << 20,
        ..Portal::default()
    };
    let sent = WireMessage::xtq(1, &message.packet_hex.0, &message.kernargs_hex.0, &[7; 100]);
    sent.packets()
        .iter()
        .for_each(|packet| model.packet(packet));
    model
        .outcomes
        .last()
        .cloned()
        .expect("every message has an outcome")
}

fn name(code: u8) -> &'static str {
    match code {
        status::OK => "enqueued",
        status::BAD_TYPE => "bad_type",
        status::BAD_KERNEL_INDEX => "bad_kernel_index",
        status::BAD_FUNCTION_INDEX => "bad_function_index",
        status::BAD_KERNARG_SIZE => "bad_kernarg_size",
        status::BAD_QUEUE_INDEX => "bad_queue_index",
        status::QUEUE_FULL => "queue_full",
        _ => "a status the cases do not know",
    }
}

#[test]
fn the_golden_model_gives_the_results_of_the_open_cases() {
    let document: Value = serde_json::from_str(OPEN).unwrap();
    let cases = document["cases"].as_array().unwrap().iter();
    let mut messages = 0;
    for case in cases.filter(|case| case["kind"] == "xtq") {
        let id = &case["id"];
        let given: Given = serde_json::from_value(case["given"].clone()).unwrap();
        let mut model = model(&given);
        for (at, message) in given.messages.iter().enumerate() {
            let expected = &case["expect"]["results"][at];
            let outcome = deliver(&mut model, message);
            assert_eq!(
                expected["status"],
                name(outcome.status),
                "{id}, message {at}"
            );
            messages += 1;
            let Some(task) = outcome.task else { continue };
            assert_eq!(expected["queue"], task.queue, "{id}, message {at}");
            assert_eq!(expected["packet_id"], task.packet_id, "{id}, message {at}");
            assert_eq!(expected["slot_addr"], task.slot, "{id}, message {at}");
            assert_eq!(
                expected["doorbell_value"], task.doorbell_value,
                "{id}, message {at}"
            );
            let memory = &model.memories[0];
            let mut packet = [0; 64];
            memory.read(task.slot, &mut packet);
            assert_eq!(
                expected["packet_hex"],
                hex::encode(packet),
                "{id}, message {at}"
            );
            let mut arguments = vec![0; message.kernargs_hex.0.len()];
            memory.read(message.kernarg_landing_addr, &mut arguments);
            assert_eq!(
                expected["kernargs_hex"],
                hex::encode(arguments),
                "{id}, message {at}"
            );
        }
        for (index, expected) in case["expect"]["queues"].as_object().unwrap() {
            let places = PLACES + 4096 * index.parse::<u64>().unwrap();
            let write = model.memories[0].read_u64(places);
            assert_eq!(expected["write_index"], write, "{id}, queue {index}");
        }
    }
    assert!(messages >= 6, "only {messages} messages");
}
