//! The open cases on the model, and that the shape of a result is that of `expect`.

use serde_json::Value;
use xtq_testbench::cases::{NotRun, mpi, portals};
use xtq_testbench::portals::Network;

/// The open cases of a kind.
pub fn open_cases(kind: &str) -> Vec<Value> {
    let text = include_str!("../../../cases/portals-mpi.json");
    let document: Value = serde_json::from_str(text).expect("the open cases are JSON");
    let cases = document["cases"].as_array().expect("a list").iter();
    cases.filter(|case| case["kind"] == kind).cloned().collect()
}

/// Plays a case to the model.
pub fn play(case: &Value) -> Result<(Value, Vec<String>), NotRun> {
    match case["kind"].as_str() {
        Some("mpi") => mpi::run::<Network>(case),
        _ => portals::run::<Network>(case),
    }
}

#[test]
fn every_open_case_passes_on_the_model() {
    for (kind, count) in [("portals", 20), ("mpi", 28)] {
        let cases = open_cases(kind);
        assert_eq!(cases.len(), count);
        for case in cases {
            let (_, differences) =
                play(&case).unwrap_or_else(|why| panic!("{}: {why}", case["id"]));
            assert!(differences.is_empty(), "{}: {differences:#?}", case["id"]);
        }
    }
}

#[test]
fn a_result_has_the_shape_of_expect() {
    for case in open_cases("portals").into_iter().chain(open_cases("mpi")) {
        let (result, _) = play(&case).expect("it runs");
        let mut expect = case["expect"].clone();
        for node in expect.as_object_mut().expect("an object").values_mut() {
            if let Some(returns) = node.get_mut("returns").and_then(Value::as_array_mut) {
                returns.retain(|code| code != "OK");
            }
        }
        assert_eq!(result, expect, "{}", case["id"]);
    }
}
