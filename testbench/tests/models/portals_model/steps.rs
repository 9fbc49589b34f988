//! Reading cases of the kinds `portals` and `mpi`: defaults, every step, faults by place and key, and what a comparison
//! leaves open.

mod faults;

use crate::json_change;
use crate::portals_model::cases::{open_cases, play};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// A case of one node with these steps, that expects nothing in particular.
fn case(config: Value, steps: Value) -> Value {
    json!({"kind": "portals", "config": config, "steps": steps, "expect": {}})
}

/// The result of node 0.
fn result(config: Value, steps: Value) -> Value {
    let (result, _) = play(&case(config, steps)).expect("it runs");
    result["0"].clone()
}

fn one(node: Value) -> Value {
    json!({"nodes": {"0": node}})
}

/// The fault of a case with one such step.
fn fault(step: Value) -> String {
    let first = json!({"op": "pt_disable", "pt": 0});
    play(&case(one(json!({"cts": [1]})), json!([first, step])))
        .unwrap_err()
        .to_string()
}

#[test]
fn a_node_has_a_portal_with_events_and_matching_if_nothing_else_is_said() {
    let result = result(one(json!({})), json!([{"op": "me_append", "id": "a"}]));
    assert_eq!(
        result["events"],
        json!([{"type": "LINK", "pt": 0, "user_ptr": "a"}])
    );
    assert_eq!(
        result["lists"]["0"],
        json!({"priority": ["a"], "overflow": [], "unexpected": 0, "enabled": true})
    );
    assert_eq!(result["lists"].as_object().unwrap().len(), 1);
}

#[test]
fn every_step_does_what_it_says() {
    let config = json!({"nodes": {
        "0": {
            "cts": [1, 2], "mem_init": [[0, "0102030405060708"]],
            "mds": [{"id": "m", "start": 0, "length": 8, "ct": 1, "options": ["CT_SEND", "EVENT_CT_ACK", "CT_REPLY"]}],
        },
        "1": {"cts": [1], "mem_init": [[64, "1000000020000000"]]},
    }});
    let remote = json!({"op": "me_append", "node": 1, "id": "e", "start": 64, "length": 8, "options": ["OP_PUT", "OP_GET", "EVENT_COMM_DISABLE"],
        "ignore_bits": u64::MAX});
    let steps = json!([
        remote,
        {"op": "mem_write", "addr": 0, "hex": "01000000"},
        {"op": "put", "dst": 1, "md": "m", "length": 4, "roffset": 4, "ack": "CT", "match_bits": 3, "hdr_data": 9},
        {"op": "get", "dst": 1, "md": "m", "offset": 4, "length": 2},
        {"op": "atomic", "dst": 1, "md": "m", "length": 4, "aop": "SUM", "dtype": "UINT32", "ack": "OC"},
        {"op": "fetch", "dst": 1, "md": "m", "length": 4, "get_md": "m", "get_offset": 4, "aop": "SUM", "dtype": "UINT32"},
        {"op": "swap", "dst": 1, "md": "m", "length": 4, "get_md": "m", "get_offset": 4, "aop": "CSWAP", "dtype": "UINT32", "operand": "12000000"},
        {"op": "deliver"},
        {"op": "ct_set", "ct": 2, "success": 5},
        {"op": "triggered", "trig_ct": 2, "threshold": 9, "do": {"op": "pt_disable", "pt": 0}},
        {"op": "triggered", "trig_ct": 2, "threshold": 5, "do": {"op": "me_append", "id": "x", "list": "OVERFLOW", "options": ["OP_PUT"]}},
        {"op": "recv", "src": 7, "data": "", "match_bits": 0},
        {"op": "me_search", "id": "s", "search": "ONLY"},
        {"op": "me_search", "id": "t", "search": "DELETE"},
        {"op": "ct_cancel", "ct": 2},
        {"op": "ct_inc", "ct": 2, "failure": 9},
    ]);
    let (result, _) = play(&case(config, steps)).unwrap();
    // Four sends, two counting acknowledgements, three replies.
    assert_eq!(result["0"]["ct"], json!({"1": [9, 0], "2": [5, 9]}));
    let kinds: Vec<&Value> = result["0"]["sent"]
        .as_array()
        .unwrap()
        .iter()
        .map(|sent| &sent["op"])
        .collect();
    assert_eq!(
        json!(kinds),
        json!(["PUT", "GET", "ATOMIC", "FETCH", "SWAP"])
    );
    let acks = result["1"]["acks"].as_array().unwrap();
    assert_eq!(
        acks[0],
        json!({"kind": "CT_ACK", "ni_fail": "OK", "mlength": 4, "to": 0})
    );
    assert_eq!(acks[2], json!({"kind": "OC_ACK", "to": 0}));
    assert_eq!(acks[3]["data"], json!("11000000"));
    // 0x10 + 1 + 1 = 0x12 is the operand: swapped for 1.
    assert_eq!(result["1"]["mem_diff"], json!([[64, "01"], [68, "01"]]));
    assert_eq!(result["0"]["mem_diff"], json!([[1, "00000012000000"]]));
    assert_eq!(result["0"]["lists"]["0"]["enabled"], json!(true));
    let kinds: Vec<&Value> = result["0"]["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| &event["type"])
        .collect();
    assert_eq!(
        json!(kinds),
        json!(["LINK", "PUT", "SEARCH", "PUT_OVERFLOW"])
    );
    assert_eq!(result["0"]["pending"], json!({}));
}

#[test]
fn returned_codes_are_collected_and_limits_are_read() {
    let config = one(
        json!({"cts": [1], "limits": {"max_triggered_ops": 1, "max_entries": 1,
        "max_eqs": 4, "max_iovecs": 4, "max_waw_ordered_size": 64, "max_war_ordered_size": 8, "features": 0}}),
    );
    let waits = json!({"op": "triggered", "trig_ct": 1, "threshold": 1, "do": {"op": "ct_inc", "ct": 1, "success": 1}});
    let steps = json!([waits, waits, {"op": "me_append", "id": "a"}, {"op": "me_append", "id": "b"},
        {"op": "ct_inc", "ct": 9}, {"op": "put", "dst": 0, "ack": "CT"}]);
    let result = result(config, steps);
    assert_eq!(
        result["returns"],
        json!(["NO_SPACE", "NO_SPACE", "ARG_INVALID", "ARG_INVALID"])
    );
    assert_eq!(result["pending"], json!({"1": 1}));
}

#[test]
fn a_request_longer_than_its_data_has_zeros_behind_them() {
    let append = json!({"op": "me_append", "id": "a", "length": 8, "options": ["OP_PUT"]});
    let long = json!({"op": "recv", "src": 1, "data": "0102", "rlength": 100});
    let steps = json!([{"op": "mem_write", "addr": 0, "hex": "ffffffffffffffff"}, append, long]);
    let result = result(one(json!({})), steps);
    assert_eq!(result["mem_diff"], json!([[0, "0102"]]));
    assert_eq!(result["events"][1]["rlength"], json!(100));
}

#[test]
fn a_name_means_the_entry_appended_last() {
    let append = json!({"op": "me_append", "id": "a", "length": 8, "options": ["OP_PUT"]});
    let later = json!({"op": "triggered", "trig_ct": 1, "threshold": 2, "do": append});
    let gone = json!({"op": "triggered", "trig_ct": 1, "threshold": 3, "do": {"op": "me_unlink", "id": "a"}});
    let inc = json!({"op": "ct_inc", "ct": 1, "success": 2});
    let config = || one(json!({"cts": [1]}));
    let lists = |steps| result(config(), steps)["lists"]["0"]["priority"].clone();
    assert_eq!(lists(json!([append, append])), json!(["a", "a"]));
    assert_eq!(
        lists(json!([append, {"op": "me_unlink", "id": "a"}, append])),
        json!(["a"])
    );
    // An unlink that is posted first means the append that follows.
    let inc_one = json!({"op": "ct_inc", "ct": 1, "success": 1});
    assert_eq!(lists(json!([gone, later, inc])), json!(["a"]));
    assert_eq!(lists(json!([gone, later, inc, inc_one])), json!([]));
}

/// U01: PUT, AUTO_UNLINK, PUT_OVERFLOW, AUTO_FREE, AUTO_UNLINK.
fn with_events(order: &[usize]) -> Vec<String> {
    let mut case = open_cases("portals")
        .into_iter()
        .find(|case| case["id"] == "U01")
        .unwrap();
    let events = case["expect"]["0"]["events"].clone();
    let moved: Vec<&Value> = order.iter().map(|place| &events[*place]).collect();
    case["expect"]["0"]["events"] = json!(moved);
    play(&case).unwrap().1
}

#[test]
fn auto_free_floats_behind_its_auto_unlink_and_the_overflow_events_before_it() {
    assert!(with_events(&[0, 1, 2, 3, 4, 5]).is_empty());
    assert!(with_events(&[0, 1, 2, 3, 5, 4]).is_empty(), "at the end");
    assert!(
        with_events(&[0, 1, 2, 4, 3, 5]).is_empty(),
        "expected before the overflow event: later is allowed"
    );
    assert!(!with_events(&[0, 1, 2, 3, 5]).is_empty(), "missing");
    assert!(!with_events(&[0, 1, 2, 3, 4, 4, 5]).is_empty(), "twice");
    assert!(
        !with_events(&[0, 1, 3, 2, 4, 5]).is_empty(),
        "the others have their order"
    );
}

#[test]
fn an_auto_free_that_comes_too_early_is_reported() {
    // Two buffers; the model frees each after its own overflow event. A case that expects both at the end does not
    // agree.
    let overflow = |id: &str, start: u64| json!({"op": "me_append", "id": id, "list": "OVERFLOW", "start": start, "length": 8, "options": ["OP_PUT", "USE_ONCE"]});
    let steps = json!([overflow("a", 0), overflow("b", 8), {"op": "recv", "src": 1, "data": "01"}, {"op": "recv", "src": 1, "data": "02"},
        {"op": "me_append", "id": "p", "options": ["OP_PUT"]}]);
    let mut case = case(one(json!({})), steps);
    case["expect"] = play(&case).unwrap().0;
    assert!(play(&case).unwrap().1.is_empty());
    let events = case["expect"]["0"]["events"].as_array_mut().unwrap();
    let place = events
        .iter()
        .position(|event| event["type"] == "AUTO_FREE")
        .unwrap();
    let freed = events.remove(place);
    events.insert(place + 1, freed);
    let (_, differences) = play(&case).unwrap();
    assert!(
        differences.iter().any(|line| line.starts_with("0.events[")),
        "{differences:?}"
    );
}

#[test]
fn any_alternative_will_do() {
    let mut case = open_cases("portals")[0].clone();
    let right = case["expect"].clone();
    case["expect"]["0"]["ct"] = json!({"5": [1, 1]});
    assert!(!play(&case).unwrap().1.is_empty());
    case["also_accept"] = json!([case["expect"], right]);
    assert!(play(&case).unwrap().1.is_empty());
    case["also_accept"] = json!([case["expect"]]);
    assert_eq!(
        play(&case).unwrap().1,
        ["0.ct.5: expected [1,1], got nothing"]
    );
    // Nodes that an alternative does not name are as expected.
    let mut case = open_cases("portals")
        .into_iter()
        .find(|case| case["id"] == "R01")
        .unwrap();
    let right = case["expect"]["1"].clone();
    case["expect"]["1"]["returns"] = json!(["NO_SPACE"]);
    case["also_accept"] = json!([{"1": right}]);
    assert!(play(&case).unwrap().1.is_empty());
    case["also_accept"] = json!({"1": 0});
    assert!(
        play(&case)
            .unwrap_err()
            .to_string()
            .starts_with("also_accept: ")
    );
}

#[test]
fn an_acknowledgement_is_compared_in_what_its_kind_carries() {
    let steps = json!([{"op": "recv", "src": 1, "data": "", "ack": "OC"}, {"op": "recv", "src": 1, "kind": "GET", "rlength": 4}]);
    let mut case = case(one(json!({})), steps);
    case["expect"] = play(&case).unwrap().0;
    case["expect"]["0"]["acks"] = json!([
        {"kind": "OC_ACK", "to": 1, "ni_fail": "DROPPED", "mlength": 0},
        {"kind": "REPLY", "to": 1, "ni_fail": "DROPPED", "mlength": 0},
    ]);
    assert!(play(&case).unwrap().1.is_empty());
    case["expect"]["0"]["acks"][1]["moffset"] = json!(1);
    assert_eq!(
        play(&case).unwrap().1,
        ["0.acks[1].moffset: expected 1, got 0"]
    );
}

#[test]
fn a_search_that_found_nothing_is_compared_in_its_failure() {
    let mut case = case(
        one(json!({})),
        json!([{"op": "me_search", "id": "s", "search": "ONLY"}]),
    );
    case["expect"] = play(&case).unwrap().0;
    let event = &mut case["expect"]["0"]["events"][0];
    assert_eq!(
        *event,
        json!({"type": "SEARCH", "pt": 0, "user_ptr": "s", "ni_fail": "NO_MATCH"})
    );
    event["start"] = json!(0);
    assert!(play(&case).unwrap().1.is_empty());
    case["expect"]["0"]["events"][0]["ni_fail"] = json!("OK");
    assert!(!play(&case).unwrap().1.is_empty());
}

#[test]
fn what_was_sent_is_compared_in_its_operation_if_the_case_gives_it() {
    let step = json!({"op": "atomic", "dst": 0, "aop": "SUM", "dtype": "INT8"});
    let mut case = case(one(json!({})), json!([step]));
    case["expect"] = play(&case).unwrap().0;
    let sent = case["expect"]["0"]["sent"][0].as_object_mut().unwrap();
    sent.remove("dtype");
    sent.remove("operand");
    assert!(play(&case).unwrap().1.is_empty());
    case["expect"]["0"]["sent"][0]["aop"] = json!("MIN");
    assert_eq!(
        play(&case).unwrap().1,
        ["0.sent[0].aop: expected \"MIN\", got \"SUM\""]
    );
}

/// Any JSON value, with words of these files.
fn any_json() -> impl Strategy<Value = Value> {
    let strings = [
        "[0-9a-f]{0,20}",
        "(recv|put|get|swap|triggered|me_append|me_search|GET|SWAP|CSWAP|INT8|OVERFLOW|USE_ONCE|post|probe)",
    ];
    json_change::any_json(strings, "(op|do|id|src|data|rlength|[a-z]{0,3})")
}

/// All open cases, read once.
static CASES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    open_cases("portals")
        .into_iter()
        .chain(open_cases("mpi"))
        .collect()
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_changed_value_makes_the_reader_or_the_model_panic(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any_json()), 1..4),
    ) {
        let mut case = which.get(&CASES).clone();
        let kind = case["kind"].clone();
        for (place, value) in changes {
            let mut n = place.index(json_change::count(&case));
            *json_change::nth(&mut case, &mut n).expect("n is below the count") = value;
        }
        if let Some(case) = case.as_object_mut() {
            case.insert("kind".to_owned(), kind);
            let _ = play(&Value::Object(case.clone()));
        }
    }
}
