//! Cases that need more than a NIC has: they run on the large one, or are unsupported by the name of the limit, and
//! never fail.

use crate::cases::run_on;
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
    is_as_the_model(case(json!({}), unexpected(1024)));
    is_unsupported(
        &case(json!({"max_unexpected_headers": 1025}), unexpected(1025)),
        "LIMITS",
        "max_unexpected_headers",
    );
    // A limit of the case between the two, and one above.
    is_as_the_model(case(
        json!({"max_unexpected_headers": 100}),
        unexpected(120),
    ));
    let beyond = case(json!({"max_unexpected_headers": 1100}), unexpected(1025));
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
    is_as_the_model(case(json!({}), with_messages(300)));
    is_unsupported(
        &case(json!({"max_entries": 2000}), with_messages(1025)),
        "ENTRIES",
        "1024",
    );
    is_as_the_model(case(json!({"max_entries": 100}), with_messages(120)));
}

#[test]
fn more_operations_than_can_wait_are_unsupported() {
    let waiting = |count| {
        let one = json!({"op": "triggered", "trig_ct": 1, "threshold": 1, "do": {"op": "ct_inc", "ct": 1, "success": 1}});
        vec![one; count]
    };
    is_as_the_model(case(json!({}), waiting(511)));
    is_as_the_model(case(json!({"max_triggered_ops": 5}), waiting(7)));
    is_unsupported(
        &case(json!({}), waiting(512)),
        "LIMITS",
        "max_triggered_ops",
    );
}

/// So many bytes arrive, are cut as the limit says, and the same is got.
#[test]
fn messages_are_cut_at_the_limit_of_their_target() {
    for limit in [0, 1, 64, 100, 4096, 4100, 1 << 20] {
        let limits = json!({"max_msg_size": limit});
        for length in [0usize, 1, 64, 100, 4096, 4097, 8200] {
            let entry = json!({"op": "me_append", "id": "E", "start": 8, "length": 10_000, "match_bits": 1, "ct": 1, "options": ["OP_PUT", "OP_GET", "CT_COMM", "CT_BYTES", "MANAGE_LOCAL"]});
            let put = json!({"op": "recv", "src": 1, "match_bits": 1, "data": "5a".repeat(length), "ack": "ACK"});
            let get =
                json!({"op": "recv", "src": 1, "kind": "GET", "match_bits": 1, "rlength": length});
            let mut case = case(limits.clone(), vec![entry, put.clone(), get, put]);
            case["config"]["nodes"]["0"]["mem_size"] = json!(20_000);
            is_as_the_model(case);
        }
    }
}

/// Also entries that are used up, or moved on, by what is left, unexpected messages, and what does not fit.
#[test]
fn entries_and_headers_know_what_was_cut() {
    let limits = json!({"max_msg_size": 10});
    let entry = |id: &str, list: &str, options: &[&str], min_free: u64| json!({"op": "me_append", "id": id, "list": list, "start": 8, "length": 64, "match_bits": 1, "ct": 1, "options": options, "min_free": min_free});
    let put =
        json!({"op": "recv", "src": 1, "match_bits": 1, "data": "5a".repeat(40), "ack": "ACK"});
    let puts = vec![put; 4];
    for (options, min_free) in [
        (&["OP_PUT", "MANAGE_LOCAL", "CT_COMM"][..], 40),
        (&["OP_PUT", "USE_ONCE", "CT_COMM", "CT_BYTES"], 0),
        (&["OP_PUT", "MANAGE_LOCAL", "NO_TRUNCATE"], 0),
        (&["OP_GET"], 0),
    ] {
        let first = vec![entry("E", "PRIORITY", options, min_free)];
        is_as_the_model(case(limits.clone(), [first, puts.clone()].concat()));
        let overflow = vec![entry("O", "OVERFLOW", options, min_free)];
        for late in [
            &["OP_PUT", "CT_OVERFLOW", "CT_BYTES"][..],
            &["OP_PUT", "USE_ONCE", "CT_OVERFLOW"],
        ] {
            let late = vec![entry("L", "PRIORITY", late, 0)];
            is_as_the_model(case(
                limits.clone(),
                [overflow.clone(), puts.clone(), late].concat(),
            ));
        }
    }
}

#[test]
fn what_is_sent_is_refused_beyond_the_limit() {
    for (limit, length) in [
        (40, 40),
        (40, 41),
        (4100, 4100),
        (4100, 4101),
        (0, 0),
        (0, 1),
    ] {
        let send = |op: &str| json!({"op": op, "dst": 5, "md": "m", "get_md": "m", "offset": 0, "length": length, "match_bits": 1});
        let later =
            |op: &str| json!({"op": "triggered", "trig_ct": 1, "threshold": 0, "do": send(op)});
        let mut case = case(
            json!({"max_msg_size": limit}),
            vec![send("put"), send("get"), later("put"), later("get")],
        );
        let node = &mut case["config"]["nodes"]["0"];
        (node["mem_size"], node["mds"]) = (
            json!(8192),
            json!([{"id": "m", "start": 0, "length": 8192}]),
        );
        is_as_the_model(case);
    }
}

#[test]
fn a_list_is_as_long_as_the_limit_lets_it_be() {
    let limits = json!({"max_list_size": 2});
    let append = |id: &str, list: &str, options: &[&str]| json!({"op": "me_append", "id": id, "list": list, "start": 0, "length": 8, "match_bits": 1, "options": options});
    let (once, message) = (
        ["OP_PUT", "USE_ONCE"],
        json!({"op": "recv", "src": 1, "match_bits": 1, "data": "ee"}),
    );
    is_as_the_model(case(
        limits.clone(),
        vec![
            append("a", "PRIORITY", &once),
            append("b", "PRIORITY", &["OP_PUT"]),
            append("c", "PRIORITY", &["OP_PUT"]),
            append("o", "OVERFLOW", &["OP_PUT"]),
            message,
            append("d", "PRIORITY", &["OP_PUT"]),
            append("e", "PRIORITY", &["OP_PUT"]),
            json!({"op": "me_unlink", "id": "d"}),
            append("f", "PRIORITY", &["OP_PUT"]),
        ],
    ));
    // A list of pieces that cannot be read, or is of 2^64 bytes, is refused first.
    for start in [4, 4096, 64] {
        let mut pieces = append("p", "PRIORITY", &["OP_PUT", "IOVEC"]);
        (pieces["start"], pieces["length"]) = (json!(start), json!(2));
        let full = [
            append("a", "PRIORITY", &["OP_PUT"]),
            append("b", "PRIORITY", &["OP_PUT"]),
        ];
        let half = "0000000000000000 0000000000000080".replace(' ', "");
        let mut case = case(limits.clone(), [&full[..], &[pieces]].concat());
        case["config"]["nodes"]["0"]["mem_init"] = json!([[64, half.repeat(2)]]);
        is_as_the_model(case);
    }
    let later = json!({"op": "triggered", "trig_ct": 1, "threshold": 1, "do": append("a", "PRIORITY", &once)});
    is_unsupported(&case(limits, vec![later]), "LIMITS", "max_list_size");
}

#[test]
fn long_queues_of_mpi_go_to_a_large_nic() {
    let name = |kind: &str, n: u64| format!("{kind}{n}");
    for count in [32, 64, 500] {
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
