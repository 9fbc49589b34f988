//! The format of portals and mpi cases, line by line where a case can be meant in two ways: what may be left out, what
//! is named as wrong.

use crate::cases::run_on;
use serde_json::{Value, json};
use xtq_testbench::cases::{On, Status};

/// A case of one node with 64 bytes of memory that are 0 to 63, and counter 1.
fn portals(steps: Value, expect: Value) -> Value {
    let bytes: Vec<u8> = (0..64).collect();
    json!({
        "id": "P", "kind": "portals", "title": "", "source": [],
        "config": {"nodes": {"0": {"mem_size": 64, "mem_init": [[0, hex::encode(bytes)]], "cts": [1]}}},
        "steps": steps, "expect": expect
    })
}

/// An entry over all of the memory.
fn entry() -> Value {
    json!({"op": "me_append", "id": "A", "start": 0, "length": 64, "match_bits": 0, "options": ["OP_PUT", "OP_GET"]})
}

fn both(case: &Value, status: Status) -> Vec<String> {
    let [model, rtl] = [On::Model, On::Rtl].map(|on| run_on(on, case));
    assert_eq!(model.status, status, "{model:?}");
    assert_eq!(rtl.status, status, "{rtl:?}");
    rtl.differences
}

/// The reason of a case that is wrong, found before anything is played.
fn fault(case: &Value) -> String {
    let outcome = run_on(On::Model, case);
    assert_eq!(outcome.status, Status::Malformed, "{outcome:?}");
    outcome.differences.join("; ")
}

#[test]
fn a_get_has_as_many_bytes_as_its_data_unless_it_says_so_and_carries_none() {
    for (recv, bytes) in [
        (json!({"data": "ffffffff"}), 4),
        (json!({"data": "ffffffff", "rlength": 6}), 6),
        (json!({"data": "ffffffff", "rlength": 2}), 2),
        (json!({"rlength": 64}), 64),
        (json!({"rlength": 100}), 64),
        (json!({}), 0),
    ] {
        let mut step = json!({"op": "recv", "src": 7, "kind": "GET"});
        let (Value::Object(step_keys), Value::Object(keys)) = (&mut step, recv) else {
            unreachable!("both are objects");
        };
        step_keys.extend(keys);
        let data: Vec<u8> = (0..bytes).collect();
        let reply = json!({"kind": "REPLY", "ni_fail": "OK", "mlength": bytes, "moffset": 0, "data": hex::encode(data), "to": 7});
        let expect = json!({"0": {"acks": [reply], "mem_diff": []}});
        both(&portals(json!([entry(), step]), expect), Status::Passed);
    }
}

#[test]
fn a_put_has_as_many_bytes_as_it_says_of_its_data_and_zeros_behind_them() {
    for (rlength, written) in [(2, "eeee"), (4, "eeeeeeee"), (6, "eeeeeeee0000")] {
        let step = json!({"op": "recv", "src": 7, "data": "eeeeeeee", "rlength": rlength, "roffset": 8, "ack": "ACK"});
        let ack =
            json!({"kind": "ACK", "ni_fail": "OK", "mlength": rlength, "moffset": 8, "to": 7});
        let expect = json!({"0": {"acks": [ack], "mem_diff": [[8, written]]}});
        both(&portals(json!([entry(), step]), expect), Status::Passed);
    }
    let step = json!({"op": "recv", "src": 7, "rlength": 1_u64 << 40});
    let why = fault(&portals(json!([step]), json!({"0": {"ct": {}}})));
    assert!(why.starts_with("steps[0]: rlength: "), "{why}");
}

#[test]
fn what_no_nic_does_is_not_triggered() {
    let triggered = |what: Value| {
        let step = json!({"op": "triggered", "trig_ct": 1, "threshold": 1, "do": what});
        portals(json!([entry(), step]), json!({"0": {"acks": []}}))
    };
    for what in [
        json!({"op": "recv", "src": 1}),
        json!({"op": "mem_write", "addr": 0, "hex": "00"}),
    ] {
        let why = both(&triggered(what.clone()), Status::Unsupported);
        let op = &what["op"];
        let expected = format!("TRIGGERED: steps[1]: do.op: {op} is nothing that a NIC does");
        assert_eq!(why, [expected]);
    }
    assert_eq!(
        fault(&triggered(json!({"op": "deliver"}))),
        "steps[1]: do.op: \"deliver\" cannot be triggered"
    );
    let again =
        json!({"op": "triggered", "trig_ct": 1, "threshold": 1, "do": {"op": "ct_inc", "ct": 1}});
    assert_eq!(
        fault(&triggered(again)),
        "steps[1]: do.op: \"triggered\" cannot be triggered"
    );
    let elsewhere = json!({"op": "ct_inc", "node": 1, "ct": 1, "success": 1});
    assert!(fault(&triggered(elsewhere)).ends_with("do.node: not the node of the step"));
}

#[test]
fn what_is_not_expected_is_not_compared_and_what_an_alternative_does_not_say_is_as_expected() {
    let put = json!({"op": "recv", "src": 7, "data": "ee", "roffset": 3});
    let steps = json!([entry(), put]);
    let right = json!({"mem_diff": [[3, "ee"]], "acks": []});
    both(&portals(steps.clone(), json!({"0": right})), Status::Passed);
    let wrong = json!({"mem_diff": [[4, "ee"]]});
    let lines = both(&portals(steps.clone(), json!({"0": wrong})), Status::Failed);
    assert_eq!(lines, ["0.mem_diff[0][0]: expected 4, got 3"]);
    // The alternative sets the one value right; then also when it says something that is wrong.
    let mut case = portals(
        steps.clone(),
        json!({"0": {"mem_diff": [[4, "ee"]], "acks": []}}),
    );
    case["also_accept"] = json!([{"0": {"mem_diff": [[3, "ee"]]}}]);
    both(&case, Status::Passed);
    case["also_accept"] = json!([{"0": {"mem_diff": [[3, "ee"]], "pending": {"1": 1}}}]);
    both(&case, Status::Failed);
    case["expect"] = json!({"0": {"mem_diff": [[4, "ee"]], "pending": {"1": 1}}});
    case["also_accept"] = json!([{"0": {"mem_diff": [[3, "ee"]]}}]);
    both(&case, Status::Failed);
    for nothing in [json!({}), json!({"0": {}})] {
        let lines = both(&portals(steps.clone(), nothing), Status::Failed);
        assert_eq!(lines, ["expect: says nothing"]);
    }
    let mut mpi = json!({"id": "M", "kind": "mpi", "steps": [["post", "r", 1, 1, 0], ["arrive", "m", 1, 1, 0]], "expect": {"pairs": [["r", "m"]]}});
    both(&mpi, Status::Passed);
    mpi["expect"] = json!({"umq": ["m"]});
    both(&mpi, Status::Failed);
    mpi["expect"] = json!({});
    assert_eq!(both(&mpi, Status::Failed), ["expect: says nothing"]);
}

#[test]
fn no_steps_change_nothing() {
    let expect = json!({"0": {
        "ct": {"1": [0, 0]}, "pending": {}, "events": [], "acks": [], "sent": [], "returns": [],
        "status": {"drop": 0, "perm": 0, "op": 0}, "mem_diff": [],
        "lists": {"0": {"priority": [], "overflow": [], "unexpected": 0, "enabled": true}}
    }});
    both(&portals(json!([]), expect), Status::Passed);
    let nothing = json!({"pairs": [], "prq": [], "umq": [], "probes": []});
    let mpi = json!({"id": "M", "kind": "mpi", "steps": [], "expect": nothing});
    both(&mpi, Status::Passed);
}

#[test]
fn a_search_needs_no_name_and_an_append_does() {
    let search =
        json!({"op": "me_search", "search": "ONLY", "match_bits": 1, "options": ["OP_PUT"]});
    let event = json!({"type": "SEARCH", "pt": 0, "ni_fail": "NO_MATCH"});
    let expect = json!({"0": {"events": [event]}});
    both(&portals(json!([search]), expect), Status::Passed);
    let mut append = entry();
    append.as_object_mut().expect("an object").remove("id");
    let why = fault(&portals(json!([append]), json!({"0": {"ct": {}}})));
    assert_eq!(why, "steps[0]: missing field `id`");
}

#[test]
fn a_search_with_the_name_of_an_entry_leaves_the_name_to_the_entry() {
    let search = json!({"op": "me_search", "id": "A", "search": "ONLY", "options": ["OP_PUT"]});
    let expect = json!({"0": {
        "events": [{"type": "LINK", "pt": 0, "user_ptr": "A"}, {"type": "SEARCH", "pt": 0, "user_ptr": "A", "ni_fail": "NO_MATCH"}],
        "lists": {"0": {"priority": [], "overflow": [], "unexpected": 0, "enabled": true}}
    }});
    let steps = json!([entry(), search, {"op": "me_unlink", "id": "A"}]);
    both(&portals(steps, expect), Status::Passed);
}

/// A case with everything, one of whose objects gets a key that nobody knows.
#[test]
fn a_key_that_nobody_knows_is_named_with_its_place() {
    let mut case = portals(
        json!([
            entry(),
            {"op": "recv", "src": 7, "data": "ee"},
            {"op": "mem_write", "addr": 0, "hex": "00"},
            {"op": "deliver"},
            {"op": "ct_inc", "ct": 1, "success": 1},
            {"op": "triggered", "trig_ct": 1, "threshold": 9, "do": {"op": "put", "dst": 0, "md": "M", "length": 1}},
            {"op": "pt_disable", "pt": 0},
            {"op": "me_search", "search": "ONLY", "options": ["OP_PUT"]}
        ]),
        json!({"0": {"events": [{"type": "LINK", "pt": 0, "user_ptr": "A"}], "status": {"drop": 0, "perm": 0, "op": 0},
            "acks": [{"kind": "ACK", "to": 7}], "lists": {"0": {"priority": [], "overflow": [], "unexpected": 0, "enabled": true}},
            "sent": [{"op": "PUT", "dst": 0, "pt": 0, "match_bits": 0, "rlength": 0, "roffset": 0}]}}),
    );
    case["config"]["nodes"]["0"]["pts"] = json!([{"index": 0}]);
    case["config"]["nodes"]["0"]["mds"] = json!([{"id": "M", "start": 0, "length": 4}]);
    case["config"]["nodes"]["0"]["limits"] = json!({"max_entries": 5});
    case["also_accept"] = json!([{"0": {"returns": []}}]);
    assert_eq!(
        run_on(On::Model, &case).status,
        Status::Failed,
        "nothing is malformed"
    );
    for place in [
        "/config",
        "/config/nodes/0",
        "/config/nodes/0/pts/0",
        "/config/nodes/0/mds/0",
        "/config/nodes/0/limits",
        "/steps/0",
        "/steps/1",
        "/steps/2",
        "/steps/3",
        "/steps/4",
        "/steps/5",
        "/steps/5/do",
        "/steps/6",
        "/steps/7",
        "/expect/0",
        "/expect/0/events/0",
        "/expect/0/status",
        "/expect/0/acks/0",
        "/expect/0/sent/0",
        "/expect/0/lists/0",
        "/also_accept/0/0",
    ] {
        let mut wrong = case.clone();
        let object = wrong.pointer_mut(place).and_then(Value::as_object_mut);
        object
            .expect("it is there")
            .insert("sise".to_owned(), json!(1));
        let why = fault(&wrong);
        assert!(why.contains("unknown field `sise`"), "{place}: {why}");
        // The key of the case, and the step.
        let path: Vec<&str> = place.split('/').skip(1).collect();
        assert!(why.starts_with(path[0]), "{place}: {why}");
        if path[0] == "steps" {
            assert!(
                why.starts_with(&format!("steps[{}]", path[1])),
                "{place}: {why}"
            );
        }
    }
    let mpi = json!({"id": "M", "kind": "mpi", "steps": [], "expect": {"pears": []}});
    let why = fault(&mpi);
    assert!(
        why.starts_with("expect") && why.contains("unknown field `pears`"),
        "{why}"
    );
}

#[test]
fn numbers_are_numbers() {
    let mut case = portals(
        json!([entry(), {"op": "recv", "src": 7, "data": "ee"}, {"op": "ct_inc", "ct": 1, "success": 1}]),
        json!({"0": {"ct": {"1": [1, 0]}, "events": [{"type": "LINK", "pt": 0, "user_ptr": "A"}]}}),
    );
    case["config"]["nodes"]["0"]["limits"] = json!({"max_entries": 5});
    for (place, key) in [
        ("/config/nodes/0", "mem_size"),
        ("/config/nodes/0/limits", "max_entries"),
        ("/steps/0", "match_bits"),
        ("/steps/0", "src"),
        ("/steps/1", "src"),
        ("/steps/1", "roffset"),
        ("/steps/2", "ct"),
        ("/expect/0/events/0", "pt"),
    ] {
        for wrong in [
            json!("0x10"),
            json!("16"),
            json!(1.5),
            json!(-2),
            json!(1e30),
            json!(null),
        ] {
            // Nothing may stand for what may be left out.
            let optional = ["src", "pt"].contains(&key) || place.contains("limits");
            if wrong.is_null() && optional {
                continue;
            }
            let mut case = case.clone();
            *case
                .pointer_mut(place)
                .expect("it is there")
                .get_mut(key)
                .unwrap_or(&mut json!(0)) = json!(0);
            case.pointer_mut(place).expect("it is there")[key] = wrong.clone();
            let why = fault(&case);
            assert!(why.contains(key), "{place}, {key} = {wrong}: {why}");
        }
    }
    // 64 bits are.
    let bits = u64::MAX;
    let put = json!({"op": "recv", "src": 7, "match_bits": bits, "data": "ee"});
    let mut append = entry();
    append["match_bits"] = json!(bits);
    let expect = json!({"0": {"mem_diff": [[0, "ee"]]}});
    both(&portals(json!([append, put]), expect), Status::Passed);
}
