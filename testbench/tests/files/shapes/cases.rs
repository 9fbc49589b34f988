//! The same in case files, which have no schema: each table of the open cases is changed in turn.

use serde_json::{Value, json};
use xtq_testbench::cases::{CaseError, CaseOutcome, On, Status, run_text};

const OPEN: [&str; 2] = [
    include_str!("../../../cases/aql-xtq.json"),
    include_str!("../../../cases/portals-mpi.json"),
];

/// The open cases, each as a file of its own.
fn files() -> Vec<Value> {
    let files = OPEN.map(|text| serde_json::from_str::<Value>(text).unwrap());
    let cases = files
        .iter()
        .flat_map(|file| file["cases"].as_array().unwrap());
    cases
        .map(|case| json!({"schema": "xtq-cases-1", "cases": [case]}))
        .collect()
}

/// The paths (JSON pointers) of all values in a value that are of a kind.
fn paths(value: &Value, is: fn(&Value) -> bool, path: String, found: &mut Vec<String>) {
    match value {
        Value::Object(table) => {
            for (key, value) in table {
                paths(value, is, format!("{path}/{key}"), found);
            }
        }
        Value::Array(list) => {
            for (i, member) in list.iter().enumerate() {
                paths(member, is, format!("{path}/{i}"), found);
            }
        }
        _ => {}
    }
    if is(value) {
        found.push(path);
    }
}

/// What becomes of each file when `change` has changed one of its tables: all tables, one after the other.
fn with_each_table_changed(
    change: impl Fn(&mut Value),
    check: impl Fn(&str, Result<CaseOutcome, CaseError>),
) {
    let mut seen = 0;
    for file in files() {
        let mut found = Vec::new();
        paths(&file, Value::is_object, String::new(), &mut found);
        for path in found {
            let mut file = file.clone();
            change(file.pointer_mut(&path).unwrap());
            let outcomes = run_text("c.json", &file.to_string(), On::Model);
            check(&path, outcomes.map(|mut outcomes| outcomes.remove(0)));
            seen += 1;
        }
    }
    assert!(seen > 800, "{seen}");
}

/// The fault of a malformed case, or of a file that is none.
fn fault_of(outcome: Result<CaseOutcome, CaseError>) -> String {
    match outcome {
        Ok(outcome) => {
            assert_eq!(outcome.status, Status::Malformed, "{outcome:?}");
            outcome
                .fault
                .expect("a malformed case has a fault")
                .to_string()
        }
        Err(error) => error.to_string(),
    }
}

/// serde-rs/json#540
#[test]
fn no_table_of_a_case_is_a_list_of_its_values() {
    let as_list = |table: &mut Value| {
        *table = table.as_object().unwrap().values().cloned().collect();
    };
    with_each_table_changed(as_list, |path, outcome| {
        assert!(fault_of(outcome).starts_with("c.json:1:"), "{path}");
    });
}

/// ron-rs/ron#405
#[test]
fn no_table_of_a_case_has_a_key_that_nobody_knows() {
    let surplus = |table: &mut Value| table["surplus"] = json!(1);
    with_each_table_changed(surplus, |path, outcome| {
        let fault = fault_of(outcome);
        let named = ["surplus", "expected key to be a number in quotes"];
        assert!(
            named.iter().any(|part| fault.contains(part)),
            "{path}: {fault}"
        );
    });
}

/// docs/cases.md says which keys may be null.
#[test]
fn null_is_nothing_that_a_case_expects_unless_its_kind_says_so() {
    let may_be_null = |path: &str| {
        ["/expect/error", "/kernarg_addr"]
            .iter()
            .any(|end| path.ends_with(end))
    };
    let mut seen = 0;
    for file in files() {
        let case = &file["cases"][0];
        let mut found = Vec::new();
        for part in ["/expect", "/also_accept"] {
            if let Some(value) = case.pointer(part) {
                paths(value, |value| !value.is_null(), part.to_owned(), &mut found);
            }
        }
        for path in found.iter().filter(|path| !may_be_null(path)) {
            let is_probe = path.starts_with("/expect/probes/");
            let mut file = file.clone();
            *file["cases"][0].pointer_mut(path).unwrap() = Value::Null;
            let outcome = run_text("c.json", &file.to_string(), On::Model)
                .unwrap()
                .remove(0);
            let status = match is_probe {
                true => Status::Failed,
                false => Status::Malformed,
            };
            assert_eq!(outcome.status, status, "{}: {path}", outcome.id);
            seen += 1;
        }
    }
    assert!(seen > 1000, "{seen}");
}

/// What a case of another kind than `portals` and `mpi` expects, changed; how it ended, with its fault.
fn expecting(kind: &str, change: impl Fn(&mut Value)) -> (Status, String) {
    let mut files = files().into_iter();
    let mut file = files.find(|file| file["cases"][0]["kind"] == kind).unwrap();
    change(&mut file["cases"][0]["expect"]);
    let outcome = run_text("c.json", &file.to_string(), On::Model)
        .unwrap()
        .remove(0);
    (
        outcome.status,
        outcome
            .fault
            .map_or_else(String::new, |fault| fault.to_string()),
    )
}

#[test]
fn a_wrong_shape_of_what_is_expected_is_malformed_and_another_value_fails() {
    let wrong = |kind: &str, key: &str, value: Value| {
        let (status, fault) = expecting(kind, |expect| expect[key] = value.clone());
        assert_eq!(status, Status::Malformed, "{kind} {key} {value}");
        let place = format!(": cases[0].expect.{key}");
        assert!(
            fault.starts_with("c.json:1:") && fault.contains(&place),
            "{fault}"
        );
    };
    wrong("aql_header", "header", json!({}));
    wrong("aql_header", "header", json!(["1"]));
    wrong("aql_slot", "slot_addr", json!([65600.5]));
    wrong("aql_encode", "packet_hex", json!("0x"));
    wrong("packet_processor", "log", json!([["launch", 0, 1]]));
    wrong("packet_processor", "error", json!("none"));
    wrong("xtq", "queues", json!([]));
    wrong(
        "xtq",
        "results",
        json!([{"status": "queue_full", "queue": 5}]),
    );
    wrong("xtq", "results", json!([{"status": "enqueued"}]));
    for (kind, keys) in [
        ("aql_header", &["header"][..]),
        ("aql_encode", &["packet_hex"]),
        ("aql_slot", &["slot_addr"]),
        (
            "packet_processor",
            &[
                "log",
                "read_index",
                "write_index",
                "signals",
                "error",
                "header_types",
            ],
        ),
        ("xtq", &["results", "queues"]),
    ] {
        for key in keys {
            let (status, fault) = expecting(kind, |expect| {
                expect.as_object_mut().unwrap().remove(*key);
            });
            assert_eq!(status, Status::Malformed, "{kind} {key}");
            assert!(
                fault.ends_with(&format!("missing field `{key}`")),
                "{fault}"
            );
        }
    }
    let enqueued =
        |change: fn(&mut Value)| expecting("xtq", |expect| change(&mut expect["results"][0]));
    let (_, fault) = enqueued(|result| {
        result.as_object_mut().unwrap().remove("kernarg_addr");
    });
    assert!(fault.ends_with("missing field `kernarg_addr`"), "{fault}");
    for (kind, key, value) in [
        ("aql_header", "header", json!([])),
        ("aql_header", "header", json!([1_u64 << 40])),
        ("aql_encode", "packet_hex", json!("00")),
        ("aql_slot", "slot_addr", json!([1])),
        ("packet_processor", "error", json!(1)),
        ("packet_processor", "log", json!([["lunch", 0]])),
    ] {
        let (status, _) = expecting(kind, |expect| expect[key] = value.clone());
        assert_eq!(status, Status::Failed, "{kind} {key} {value}");
    }
}

fn error(text: &str) -> String {
    run_text("c.json", text, On::Model).unwrap_err().to_string()
}

/// cedar-policy/cedar#356, serde-rs/json#762, SceneWorks/SceneWorks#1503
#[test]
fn a_key_stands_once_and_the_place_of_the_second_is_named() {
    let file = |case: &str| format!("{{\"schema\": \"xtq-cases-1\",\n \"cases\": [{case}]}}");
    let given = r#""given": {"rows": [{"base": 65536, "size": 4, "packet_id": 5}]}"#;
    let head = r#""id": "d", "kind": "aql_slot""#;
    for (case, place, key) in [
        (
            format!("{{{head}, {given}, \"expect\": 1, \n\"expect\": 2}}"),
            "3:1",
            "cases[0].expect",
        ),
        (
            format!("{{{head}, {given},\n \"\\u0069d\": \"d\"}}"),
            "3:2",
            "cases[0].id",
        ),
        (
            format!(
                "{{{head}, \"given\": {{\"rows\": [{{\"base\": 1,\n  \"size\": 4, \"base\": 1}}]}}}}"
            ),
            "3:14",
            "cases[0].given.rows[0].base",
        ),
        (
            format!(
                "{{{head}, {given}, \"source\": [[{{\"a\": 1}}, {{\"a\": 1,\n\"é\": 1, \"a\": 1}}]]}}"
            ),
            "3:9",
            "cases[0].source[0][1].a",
        ),
        (
            format!("{{{head}, \"given\": {{\"rows\": [{{\"\": 1,\n \"\": 1}}]}}}}"),
            "3:2",
            "cases[0].given.rows[0].\"\"",
        ),
    ] {
        assert_eq!(
            error(&file(&case)),
            format!("c.json:{place}: {key}: stands twice, first in line 2")
        );
    }
    let error = error("{\"schema\": 1, \"cases\": [], \"schema\": 1}");
    assert_eq!(error, "c.json:1:28: schema: stands twice, first in line 1");
}

/// zeroc-ice/ice#6316, dart-lang/test#1173, microsoft/vstest#2247
#[test]
fn a_file_without_cases_is_refused() {
    assert_eq!(
        error(r#"{"schema": "xtq-cases-1", "cases": []}"#),
        "c.json:1:36: cases: no cases"
    );
}

/// jotaen/klog#217
#[test]
fn a_byte_order_mark_is_skipped_in_cases_too() {
    for text in OPEN {
        let marked = run_text("c.json", &format!("\u{feff}{text}"), On::Model).unwrap();
        assert!(
            marked
                .iter()
                .all(|outcome| outcome.status == Status::Passed)
        );
    }
    assert!(
        error("\u{feff}[").starts_with("c.json:1:1: not JSON: "),
        "{}",
        error("\u{feff}[")
    );
    assert_eq!(
        error("\u{feff}\u{feff}{}"),
        "c.json:1:1: a second byte order mark"
    );
}

#[test]
fn the_fault_of_a_case_has_the_place_of_its_key_and_the_other_cases_run() {
    let text = r#"{"schema": "xtq-cases-1", "cases": [
  {"id": "list", "kind": "packet_processor", "expect": {}, "given": {
    "queue": [65536, 1], "signals": {}, "steps": []}},
  {"id": "good", "kind": "aql_slot", "given": {"rows": [{"base": 65536, "size": 4, "packet_id": 5}]}, "expect": {"slot_addr": [65600]}},
  {"id": "dots", "kind": "aql_encode", "expect": {}, "given": {"layout": "hsa_queue", "fields": {"a.b[0]: c": 1,
    "a.b": -1}}},
  {"id": "step", "kind": "portals", "config": {"nodes": {"0": {}}}, "expect": {"0": {}}, "steps": [{"op": "deliver"},
    {"op": "ct_inc", "ct": "x"}]},
  {"id": "name", "kind": "portals", "config": {"nodes": {"0": {}}}, "expect": {"0": {}}, "steps": [
    {"op": "recv", "src": 1, "kind": "ATOMIC", "aop": {"SUM": null}, "dtype": "UINT8_T", "data": "00"}]},
  {"id": "none", "kind": "aql_slot",
    "expect": {}}
]}"#;
    let outcomes = run_text("c.json", text, On::Model).unwrap();
    let faults: Vec<_> = outcomes
        .iter()
        .map(|outcome| outcome.fault.as_deref().map(ToString::to_string))
        .collect();
    let starts = [
        "c.json:3:14: cases[0].given.queue: case list: invalid type: a list, expected an object",
        "",
        "c.json:6:12: cases[2].given.fields.a.b: case dots: ",
        "c.json:8:28: cases[3].steps[1].ct: case step: ",
        "c.json:10:63: cases[4].steps[0].aop.SUM: case name: a name stands alone",
        "c.json:11:3: cases[5].given: case none: missing",
    ];
    assert_eq!(faults.len(), starts.len());
    for (fault, start) in faults.into_iter().zip(starts) {
        let fault = fault.unwrap_or_default();
        assert!(
            fault.starts_with(start) && fault.is_empty() == start.is_empty(),
            "{fault}"
        );
    }
    assert_eq!(outcomes[1].status, Status::Passed);
}

#[test]
fn beside_the_keys_of_a_case_stands_only_text() {
    let run = |note: Value| {
        let mut file = files().remove(0);
        file["cases"][0]["note"] = note;
        run_text("c.json", &file.to_string(), On::Model)
            .unwrap()
            .remove(0)
            .status
    };
    assert_eq!(run(json!("text")), Status::Passed);
    assert_eq!(run(json!(["text", "more"])), Status::Passed);
    for wrong in [json!(1), json!([1]), json!({}), json!(null)] {
        assert_eq!(run(wrong), Status::Malformed);
    }
}

#[test]
fn json_is_not_nested_so_deeply_that_the_stack_overflows() {
    let deep = 100_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let lists = format!("{}1{}", open.repeat(deep), close.repeat(deep));
        assert!(
            error(&lists).contains("recursion limit"),
            "{}",
            error(&lists)
        );
        let lists = format!("{}1{}", open.repeat(100), close.repeat(100));
        let _ = run_text("c.json", &lists, On::Model);
    }
}
