//! `xtq run` of the protocols of Schneider et al. on three nodes: each message at its cycle, on two engines, while the
//! hosts sleep.

use crate::common::report;
use serde_json::Value;

/// Name of a message, the cycle of its first beat and its status.
type Row<'a> = (&'a str, Option<u64>, &'a str);

fn row(message: &Value) -> Row<'_> {
    let text = |key: &str| message[key].as_str().unwrap();
    (text("name"), message["first_beat"].as_u64(), text("status"))
}

/// The cycle in which the program of a process had ended.
fn ended(report: &Value, name: &str) -> u64 {
    let nodes = report["nodes"].as_array().unwrap().iter();
    let mut processes = nodes.flat_map(|node| node["processes"].as_array().unwrap());
    let process = processes.find(|process| process["name"] == name).unwrap();
    process["ended"].as_u64().unwrap()
}

/// The hardware decides these numbers, and nothing else does. Who sends has nothing left to do before the data leave:
/// anna and bert.
fn check(scenario: &str, expected: &[Row], data: &[&str]) {
    for engine in ["jit", "interp"] {
        let (code, report) = report(&[scenario, "--engine", engine]);
        assert_eq!((code, &report["failure"]), (0, &"".into()), "{engine}");
        let messages = report["messages"].as_array().unwrap();
        let rows: Vec<Row> = messages.iter().map(row).collect();
        assert_eq!(rows, expected, "{scenario} on {engine}");
        let last = ["anna", "bert"].map(|name| ended(&report, name));
        for (name, asleep) in data.iter().zip(last) {
            let sent = expected.iter().find(|row| row.0 == *name).unwrap();
            assert!(sent.1.unwrap() > asleep, "{name} left when its host slept");
        }
    }
}

#[test]
fn rendezvous_with_matching_beforehand() {
    let expected = [
        ("ready 1", Some(688), "ok"),
        ("ready 2", Some(690), "ok"),
        ("data 1", Some(766), "ok"),
        ("data 2", Some(1021), "ok"),
    ];
    let scenario = "scenarios/rendezvous-prematched.toml";
    check(scenario, &expected, &["data 1", "data 2"]);
}

#[test]
fn rendezvous_without_matching_beforehand() {
    let expected = [
        ("to send 1", Some(728), "no_match"),
        ("to receive 2", Some(748), "no_match"),
        ("to receive 1", Some(1246), "ok"),
        ("data 1", Some(1324), "ok"),
        ("to send 2", Some(1595), "ok"),
        ("to receive 2 again", Some(1673), "ok"),
        ("data 2", Some(1751), "ok"),
        // Nobody asked bert: his first answer was enough.
        ("to receive 1 again", None, "waits"),
    ];
    check(
        "scenarios/rendezvous.toml",
        &expected,
        &["data 1", "data 2"],
    );
}

#[test]
fn eager_messages_through_shadow_buffers() {
    let expected = [
        ("data 1", Some(688), "ok"),
        ("copy 1", Some(1199), "ok"),
        ("data 2", Some(1291), "ok"),
        ("copy 2", Some(1422), "ok"),
    ];
    check("scenarios/eager.toml", &expected, &["data 1", "copy 1"]);
}
