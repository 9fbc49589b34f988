//! The same in case files, which have no schema: each table of the open cases is changed in turn.

use serde_json::{Value, json};
use xtq_testbench::cases::{CaseError, CaseOutcome, On, Status, run_text};

const OPEN: [&str; 2] = [
    include_str!("../../cases/aql-xtq.json"),
    include_str!("../../cases/portals-mpi.json"),
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

/// The paths (JSON pointers) of all tables in a value.
fn tables(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Object(table) => {
            for (key, value) in table {
                tables(value, format!("{path}/{key}"), found);
            }
            found.push(path);
        }
        Value::Array(list) => {
            for (i, member) in list.iter().enumerate() {
                tables(member, format!("{path}/{i}"), found);
            }
        }
        _ => {}
    }
}

/// What becomes of each file when `change` has changed one of its tables: all tables but those of what is expected, one after the other.
fn with_each_table_changed(
    change: impl Fn(&mut Value),
    check: impl Fn(&str, Result<CaseOutcome, CaseError>),
) {
    let mut seen = 0;
    for file in files() {
        let mut found = Vec::new();
        tables(&file, String::new(), &mut found);
        found.retain(|path| !path.contains("/expect"));
        for path in found {
            let mut file = file.clone();
            change(file.pointer_mut(&path).unwrap());
            let outcomes = run_text("c.json", &file.to_string(), On::Model);
            check(&path, outcomes.map(|mut outcomes| outcomes.remove(0)));
            seen += 1;
        }
    }
    assert!(seen > 400, "{seen}");
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

fn error(text: &str) -> String {
    run_text("c.json", text, On::Model).unwrap_err().to_string()
}

/// cedar-policy/cedar#356, serde-rs/json#762
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
    ] {
        assert_eq!(
            error(&file(&case)),
            format!("c.json:{place}: {key}: stands twice, first in line 2")
        );
    }
    let error = error("{\"schema\": 1, \"cases\": [], \"schema\": 1}");
    assert_eq!(error, "c.json:1:28: schema: stands twice, first in line 1");
}

/// zeroc-ice/ice#6316
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
    assert!(error("\u{feff}\u{feff}{}").contains("not JSON"));
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
        "c.json:3:14: cases[0].given.queue: case list: invalid type: sequence, expected a table",
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
