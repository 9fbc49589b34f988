//! Case files: the open cases, the faults a file can have, and that no JSON makes the loader panic.

mod format;
mod limits;

use proptest::prelude::*;
use serde_json::{Value, json};
use xtq_testbench::cases::{
    CaseOutcome, On, Status, differences, results_map, run_file, run_text, xtq,
};

const OPEN: &str = include_str!("../../cases/aql-xtq.json");

/// Runs one case of a file made for it.
fn run_one(case: Value) -> CaseOutcome {
    run_on(On::Rtl, &case)
}

fn run_on(on: On, case: &Value) -> CaseOutcome {
    let file = json!({"schema": "xtq-cases-1", "cases": [case]}).to_string();
    let mut outcomes = run_text("one.json", &file, on).expect("the file is well formed");
    outcomes.remove(0)
}

/// The reason of a case that must be malformed.
fn fault(kind: &str, given: Value) -> String {
    let outcome = run_one(json!({"id": "T", "kind": kind, "given": given, "expect": {}}));
    assert_eq!(outcome.status, Status::Malformed, "{outcome:?}");
    assert_eq!(outcome.result, Value::Null);
    outcome.differences.join("; ")
}

#[test]
fn every_open_case_passes_in_the_models_and_in_the_hardware() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../cases/aql-xtq.json");
    let outcomes = run_file(path, On::Rtl, &mut |_, _| ()).expect("the open cases load");
    assert_eq!(outcomes.len(), 13);
    for outcome in &outcomes {
        assert_eq!(outcome.status, Status::Passed, "{outcome:?}");
    }
}

#[test]
fn the_results_map_holds_each_result_in_the_shape_of_expect() {
    let document: Value = serde_json::from_str(OPEN).unwrap();
    let results = results_map(&run_text("open.json", OPEN, On::Rtl).unwrap());
    for case in document["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        assert_eq!(results[id], case["expect"], "{id}");
    }
}

#[test]
fn an_error_and_signals_show_in_the_result_of_a_packet_processor_case() {
    let packet = |kind: u8, signal: u8| {
        let mut bytes = [0_u8; 64];
        (bytes[0], bytes[2], bytes[56]) = (kind, u8::from(kind == 2), signal);
        hex::encode(bytes)
    };
    let steps = json!([
        ["reserve", 3],
        ["publish", 0, packet(2, 16)],
        ["publish", 1, packet(6, 17)],
        ["publish", 2, packet(2, 18)],
        ["finish", 0],
        ["doorbell", 2],
        ["finish", 2],
        ["store_signal", 40, -7],
        ["finish", 0],
        ["finish", 0]
    ]);
    let queue = json!({"base": 4096, "size": 4});
    let outcome = run_one(json!({
        "id": "T", "kind": "packet_processor",
        "given": {"queue": queue, "signals": {"17": 3}, "steps": steps},
        "expect": {
            "log": [["launch", 0], ["error", 1], ["complete", 0]],
            "read_index": 1, "write_index": 3, "signals": {"16": -1, "17": 3, "40": -7},
            "error": 4105, "header_types": [1, 6, 2, 1]
        }
    }));
    assert_eq!(outcome.status, Status::Passed, "{:?}", outcome.differences);
}

#[test]
fn a_wrong_expectation_fails_and_names_the_path() {
    let mut document: Value = serde_json::from_str(OPEN).unwrap();
    let cases = document["cases"].as_array_mut().unwrap();
    let case = cases.iter_mut().find(|case| case["id"] == "D01").unwrap();
    case["expect"]["log"][1] = json!(["launch", 7]);
    let outcome = run_one(case.clone());
    assert_eq!(outcome.status, Status::Failed);
    assert_eq!(outcome.differences, ["log[1][1]: expected 7, got 1"]);
    assert_eq!(outcome.result["log"][1], json!(["launch", 1]));
}

#[test]
fn every_value_counts_in_a_comparison() {
    let expected = json!({"a": [1, 2], "b": {"c": null}, "d": "x"});
    assert!(differences(&expected, &expected).is_empty());
    let got = json!({"a": [1], "b": {"c": 0}, "e": 5});
    assert_eq!(
        differences(&expected, &got),
        [
            "a[1]: expected 2, got nothing",
            "b.c: expected null, got 0",
            "d: expected \"x\", got nothing",
            "e: expected nothing, got 5",
        ]
    );
    assert_eq!(
        differences(&json!(1), &json!(2)),
        ["expect: expected 1, got 2"]
    );
    let big = json!(u64::MAX);
    assert!(!differences(&big, &json!(u64::MAX - 1)).is_empty());
    assert!(!differences(&json!(-1), &big).is_empty());
}

#[test]
fn what_the_hardware_does_not_do_is_unsupported_by_name_and_never_passed() {
    let sum = json!({"op": "recv", "src": 1, "kind": "ATOMIC", "aop": "SUM", "dtype": "LONG_DOUBLE", "data": "00".repeat(16)});
    let case = json!({
        "id": "P", "kind": "portals",
        "config": {"nodes": {"0": {}}}, "steps": [sum], "expect": {}
    });
    let outcome = run_one(case.clone());
    assert_eq!(outcome.status, Status::Unsupported, "{outcome:?}");
    assert_eq!(outcome.missing.as_deref(), Some("DATATYPE"));
    assert!(outcome.differences[0].starts_with("DATATYPE: steps[0]: "));
    assert_eq!(results_map(&[outcome])["P"], "unsupported");
}

#[test]
fn an_index_field_elsewhere_in_the_packet_is_unsupported() {
    let document: Value = serde_json::from_str(OPEN).unwrap();
    let cases = document["cases"].as_array().unwrap();
    let mut case = cases.iter().find(|c| c["kind"] == "xtq").unwrap().clone();
    case["given"]["queue_index_field"]["offset"] = json!(10);
    let outcome = run_one(case);
    assert_eq!(outcome.status, Status::Unsupported, "{outcome:?}");
    assert_eq!(outcome.missing.as_deref(), Some("INDEX_FIELD"));
    assert!(outcome.differences[0].contains("offset 48"));
}

#[test]
fn a_file_that_is_no_case_file_is_refused_with_its_name() {
    let error = |text: &str| run_text("bad.json", text, On::Rtl).unwrap_err().to_string();
    assert!(
        error("{").starts_with("bad.json:1:1: not JSON: EOF"),
        "{}",
        error("{")
    );
    assert_eq!(
        error("[]"),
        "bad.json:1:1: schema: missing, must be \"xtq-cases-1\""
    );
    assert_eq!(
        error(r#"{"schema": "xtq-cases-2", "cases": []}"#),
        "bad.json:1:12: schema: is \"xtq-cases-2\", not \"xtq-cases-1\""
    );
    assert_eq!(
        error(r#"{"schema": "xtq-cases-1"}"#),
        "bad.json:1:1: cases: missing, or not a list"
    );
    assert_eq!(
        error("{\"schema\": \"xtq-cases-1\",\n\"casses\": []}"),
        "bad.json:1:1: cases: missing, or not a list"
    );
    assert_eq!(
        error("{\"schema\": \"xtq-cases-1\", \"cases\": [{\"id\": \"A\"},\n{\"id\": \"A\"}]}"),
        "bad.json:2:8: cases[1].id: \"A\" was used before, by cases[0]"
    );
    let missing = run_file("no/such/file.json", On::Rtl, &mut |_, _| ())
        .unwrap_err()
        .to_string();
    assert!(missing.starts_with("no/such/file.json: "), "{missing}");
}

#[test]
fn a_case_without_its_parts_is_malformed() {
    let reason = |case: Value| {
        let outcome = run_one(case);
        assert_eq!(outcome.status, Status::Malformed, "{outcome:?}");
        (outcome.id, outcome.differences.join("; "))
    };
    let (id, why) = reason(json!({"kind": "aql_slot"}));
    assert_eq!(
        (id.as_str(), why.as_str()),
        ("cases[0]", "id: missing, or not a text")
    );
    for none in [json!(7), json!(null), json!([])] {
        let outcome = run_one(none);
        assert_eq!(outcome.differences, ["not an object"]);
        let fault = outcome.fault.unwrap().to_string();
        assert_eq!(fault, "one.json:1:11: cases[0]: not an object");
    }
    assert!(
        reason(json!({"id": "T"}))
            .1
            .starts_with("kind: \"\" is none of aql_header")
    );
    assert!(
        reason(json!({"id": "T", "kind": "mip"}))
            .1
            .contains("kind: \"mip\"")
    );
    let no_given = json!({"id": "T", "kind": "aql_slot", "expect": {}});
    assert_eq!(reason(no_given).1, "given: missing");
    let no_expect = json!({"id": "T", "kind": "aql_slot", "given": {"rows": []}});
    assert_eq!(reason(no_expect).1, "expect: missing");
}

#[test]
fn faults_in_encodings_name_the_key() {
    let row = json!({"type": 2, "barrier": 2, "acquire": 0, "release": 0});
    assert_eq!(
        fault("aql_header", json!({"rows": [row]})),
        "given.rows[0]: barrier is 2, not 0 or 1"
    );
    let row = json!({"type": 256, "barrier": 0, "acquire": 0, "release": 0});
    assert!(fault("aql_header", json!({"rows": [row]})).starts_with("given.rows[0].type: "));
    let row = json!({"type": 2, "barrier": 0, "acquire": 4, "release": 0});
    assert!(fault("aql_header", json!({"rows": [row]})).contains("4 does not fit the 2-bit"));
    assert!(fault("aql_header", json!({})).starts_with("given: missing field `rows`"));
    assert!(
        fault("aql_encode", json!({"layout": "barrier", "fields": {}}))
            .starts_with("given.layout: \"barrier\" is none of kernel_dispatch")
    );
    let fields = json!({"header": 65536});
    assert_eq!(
        fault(
            "aql_encode",
            json!({"layout": "barrier_or", "fields": fields})
        ),
        "given.fields: 65536 does not fit the 16-bit field 'header'"
    );
    let fields = json!({"dep5": 1});
    assert!(
        fault(
            "aql_encode",
            json!({"layout": "barrier_or", "fields": fields})
        )
        .starts_with("given.fields: barrier_or has no field 'dep5' (it has header, reserved0")
    );
    let fields = json!({"arg0": -1});
    assert!(
        fault(
            "aql_encode",
            json!({"layout": "agent_dispatch", "fields": fields})
        )
        .starts_with("given.fields.arg0: invalid value: integer `-1`")
    );
    let row = json!({"base": 64, "size": 0, "packet_id": 1});
    assert!(fault("aql_slot", json!({"rows": [row]})).starts_with("given.rows[0]: size is 0"));
}

#[test]
fn faults_in_packet_processor_steps_name_the_step() {
    let with = |size: u64, steps: Value| {
        let queue = json!({"base": 4096, "size": size});
        fault(
            "packet_processor",
            json!({"queue": queue, "signals": {}, "steps": steps}),
        )
    };
    assert!(with(3, json!([])).ends_with("queue size 3 is not a power of two"));
    assert!(with(0, json!([])).ends_with("queue size 0 is not a power of two"));
    assert!(with(1 << 40, json!([])).starts_with("given.queue.size: "));
    assert!(with(4, json!([["reserve", 1], ["jump", 1]])).starts_with("given.steps[1]: \"jump\""));
    assert!(with(4, json!([["reserve"]])).contains("\"reserve\" with 0 arguments"));
    assert!(with(4, json!([[]])).starts_with("given.steps[0]: a step is one of"));
    assert!(
        with(4, json!([["publish", 0, "0200"]]))
            .starts_with("given.steps[0]: packet_hex: 64 bytes of hex expected, 2 found")
    );
    assert!(with(4, json!([["publish", 0, "0x"]])).contains("packet_hex: Invalid character"));
    assert!(with(4, json!([["doorbell", -1]])).contains("given.steps[0]: id: "));
    assert!(
        with(4, json!([["reserve", u64::MAX], ["reserve", 1]]))
            .starts_with("given.steps[1]: the write index passes 2^64")
    );
    let given = json!({"queue": {"base": 65, "size": 4}, "signals": {}, "steps": []});
    assert!(fault("packet_processor", given).contains("not a multiple of 64"));
    let given = json!({"queue": {"base": u64::MAX - 63, "size": 4}, "signals": {}, "steps": []});
    assert!(fault("packet_processor", given).contains("does not fit 64-bit addresses"));
    let given = json!({"queue": {"base": 64, "size": 4}, "signals": {"x": 1}, "steps": []});
    assert!(fault("packet_processor", given).starts_with("given.signals"));
}

#[test]
fn faults_in_xtq_cases_name_the_key() {
    let given = open_xtq_given();
    let mut short = given.clone();
    short["messages"][0]["packet_hex"] = json!("02");
    assert_eq!(
        fault("xtq", short),
        "given.messages[0].packet_hex: 64 bytes of hex expected, 1 found"
    );
    let mut wide = given.clone();
    wide["kernel_table"]["42"]["kernel"] = json!(1e30);
    assert!(fault("xtq", wide).starts_with("given.kernel_table.42.kernel: "));
    let mut extra = given.clone();
    extra["queue_table"]["5"]["sise"] = json!(8);
    assert!(fault("xtq", extra).starts_with("given.queue_table.5.sise: unknown field"));
}

/// Any JSON value, with words of these files.
fn any_json() -> impl Strategy<Value = Value> {
    let strings = [
        "[0-9a-f]{0,130}",
        "(aql_slot|packet_processor|xtq|finish|doorbell|publish|.{0,3})",
    ];
    crate::json_change::any_json(strings, "[a-z0-9]{0,3}")
}

/// The open file without the kind that runs the hardware, whose cases take too long to run them hundreds of times.
fn open_software_cases() -> Value {
    let mut document: Value = serde_json::from_str(OPEN).unwrap();
    let cases = document["cases"].as_array_mut().unwrap();
    cases.retain(|case| case["kind"] != "xtq");
    document
}

/// The `given` of the first open case of kind `xtq`.
fn open_xtq_given() -> Value {
    let document: Value = serde_json::from_str(OPEN).unwrap();
    let cases = document["cases"].as_array().unwrap();
    cases.iter().find(|c| c["kind"] == "xtq").unwrap()["given"].clone()
}

type Changes = Vec<(prop::sample::Index, Value)>;

fn any_changes() -> impl Strategy<Value = Changes> {
    prop::collection::vec((any::<prop::sample::Index>(), any_json()), 1..4)
}

fn change(document: &mut Value, changes: Changes) {
    for (place, value) in changes {
        let mut n = place.index(crate::json_change::count(document));
        *crate::json_change::nth(document, &mut n).expect("n is below the count") = value;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_changed_value_makes_the_loader_panic(changes in any_changes()) {
        let mut document = open_software_cases();
        change(&mut document, changes);
        if let Ok(outcomes) = run_text("fuzz.json", &document.to_string(), On::Model) {
            for outcome in outcomes {
                let reasons = outcome.differences.len();
                prop_assert_eq!(outcome.status == Status::Passed, reasons == 0);
            }
        }
    }

    #[test]
    fn no_changed_byte_makes_the_loader_panic(
        place in any::<prop::sample::Index>(),
        inserted in ".{0,4}",
        removed in 0..40_usize,
    ) {
        let text = open_software_cases().to_string();
        let cut = place.index(text.len());
        let rest = (cut + removed).min(text.len());
        let text = format!("{}{inserted}{}", &text[..cut], &text[rest..]);
        let _ = run_text("fuzz.json", &text, On::Model);
    }

    #[test]
    fn no_changed_value_makes_the_types_of_an_xtq_case_panic(changes in any_changes()) {
        let mut given = open_xtq_given();
        change(&mut given, changes);
        let _ = serde_json::from_value::<xtq::Given>(given);
    }
}
