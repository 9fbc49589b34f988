//! Cases that need more than a NIC has: they run on the large one, or are unsupported by the name of the limit, and never fail.

use crate::run_on;
use serde_json::{Value, json};
use xtq_testbench::cases::{On, Status};

fn case(limits: Value, steps: Vec<Value>) -> Value {
    json!({
        "id": "L", "kind": "portals",
        "config": {"nodes": {"0": {"mem_size": 4096, "cts": [1], "limits": limits}}},
        "steps": steps, "expect": {"0": {"returns": ["nothing returns this"]}}
    })
}

/// The hardware does what the model does.
fn is_as_the_model(mut case: Value) {
    let model = run_on(On::Model, &case);
    assert_eq!(model.status, Status::Failed, "{model:?}");
    case["expect"] = model.result;
    let rtl = run_on(On::Rtl, &case);
    assert_eq!(rtl.status, Status::Passed, "{rtl:?}");
}

fn is_unsupported(case: &Value, what: &str, limit: &str) {
    let rtl = run_on(On::Rtl, case);
    assert_eq!(rtl.status, Status::Unsupported, "{rtl:?}");
    assert_eq!(rtl.missing.as_deref(), Some(what));
    assert!(rtl.differences[0].contains(limit), "{rtl:?}");
}

/// An overflow entry and so many messages that it takes.
fn unexpected(messages: u64) -> Vec<Value> {
    let overflow = json!({"op": "me_append", "id": "O", "list": "OVERFLOW", "start": 0, "length": 4096, "ignore_bits": u64::MAX, "options": ["OP_PUT", "MANAGE_LOCAL"]});
    let message = |bits| json!({"op": "recv", "src": 1, "match_bits": bits, "data": "ee"});
    std::iter::once(overflow)
        .chain((0..messages).map(message))
        .collect()
}

#[test]
fn more_unexpected_messages_than_a_nic_keeps_go_to_a_large_one() {
    is_as_the_model(case(json!({}), unexpected(32)));
    is_as_the_model(case(json!({}), unexpected(33)));
    is_as_the_model(case(json!({}), unexpected(256)));
    is_unsupported(
        &case(json!({}), unexpected(257)),
        "LIMITS",
        "max_unexpected_headers",
    );
    // A limit of the case between the two, and one above.
    is_as_the_model(case(
        json!({"max_unexpected_headers": 100}),
        unexpected(120),
    ));
    let beyond = case(json!({"max_unexpected_headers": 300}), unexpected(257));
    is_unsupported(&beyond, "LIMITS", "max_unexpected_headers");
}

#[test]
fn a_message_that_finds_no_entry_while_there_are_headers_is_dropped_as_ever() {
    let mut steps = unexpected(31);
    steps.push(json!({"op": "recv", "src": 1, "pt": 9, "data": "ee"}));
    is_as_the_model(case(json!({}), steps));
}

/// So many entries.
fn entries(count: u64) -> Vec<Value> {
    let append = |n| json!({"op": "me_append", "id": format!("E{n}"), "start": n, "length": 1, "match_bits": n, "options": ["OP_PUT"]});
    (0..count).map(append).collect()
}

#[test]
fn more_entries_than_a_nic_has_go_to_a_large_one() {
    let with_messages = |count| {
        let mut steps = entries(count);
        steps.extend(
            [0, count / 2, count - 1]
                .map(|n| json!({"op": "recv", "src": 1, "match_bits": n, "data": "ee"})),
        );
        steps
    };
    is_as_the_model(case(json!({}), with_messages(64)));
    is_as_the_model(case(json!({}), with_messages(65)));
    is_as_the_model(case(json!({}), with_messages(256)));
    is_unsupported(&case(json!({}), with_messages(257)), "ENTRIES", "256");
    is_as_the_model(case(json!({"max_entries": 100}), with_messages(120)));
}

#[test]
fn more_operations_than_can_wait_are_unsupported() {
    let waiting = |count| {
        let one = json!({"op": "triggered", "trig_ct": 1, "threshold": 1, "do": {"op": "ct_inc", "ct": 1, "success": 1}});
        vec![one; count]
    };
    is_as_the_model(case(json!({}), waiting(127)));
    is_as_the_model(case(json!({"max_triggered_ops": 5}), waiting(7)));
    is_unsupported(
        &case(json!({}), waiting(128)),
        "LIMITS",
        "max_triggered_ops",
    );
}

#[test]
fn long_queues_of_mpi_go_to_a_large_nic() {
    let name = |kind: &str, n: u64| format!("{kind}{n}");
    for count in [32, 64, 200] {
        let arrive = (0..count).map(|n| json!(["arrive", name("m", n), 1, n, 0]));
        let early = arrive.chain([json!(["post", "r", 1, count - 1, 0])]);
        let left: Vec<_> = (0..count - 1).map(|n| name("m", n)).collect();
        let expect =
            json!({"pairs": [["r", name("m", count - 1)]], "prq": [], "umq": left, "probes": []});
        let case =
            json!({"id": "M", "kind": "mpi", "steps": early.collect::<Vec<_>>(), "expect": expect});
        let rtl = run_on(On::Rtl, &case);
        assert_eq!(rtl.status, Status::Passed, "{rtl:?}");
        let post = (0..count).map(|n| json!(["post", name("r", n), 1, n, 0]));
        let late = post.chain([json!(["arrive", "m", 1, count - 1, 0])]);
        let left: Vec<_> = (0..count - 1).map(|n| name("r", n)).collect();
        let expect =
            json!({"pairs": [[name("r", count - 1), "m"]], "prq": left, "umq": [], "probes": []});
        let case =
            json!({"id": "M", "kind": "mpi", "steps": late.collect::<Vec<_>>(), "expect": expect});
        let rtl = run_on(On::Rtl, &case);
        assert_eq!(rtl.status, Status::Passed, "{rtl:?}");
    }
}
