//! Help, wrong usage, wrong files, `check`, completions: exit codes and where texts go.

use crate::common::{Folder, root, xtq};
use serde_json::Value;
use std::io::Read;
use std::process::{Command, Stdio};

#[test]
fn help_goes_to_standard_output_with_examples_and_exit_codes() {
    let main = xtq(&["--help"]);
    assert_eq!(main.code, 0);
    assert!(main.stdout.contains("Exit codes:") && main.stderr.is_empty());
    for verb in ["run", "check", "export", "lint", "completions"] {
        let help = xtq(&[verb, "--help"]);
        assert_eq!(help.code, 0, "{verb}");
        assert!(help.stdout.contains("Example"), "{verb}: {}", help.stdout);
    }
}

#[test]
fn wrong_usage_exits_with_2_and_says_so_on_standard_error() {
    let wrong: &[&[&str]] = &[
        &["fly"],
        &["run", "--wat"],
        &["run", "--from", "3"],
        &["run", "--max-cycles", "0"],
        &["run", "--dump-memory", "1:2"],
        &["run", "-q", "-v"],
        &["check"],
        &["export"],
        &["export", "x", "--top", "1x"],
        &["export", "x", "--name", "1x"],
        &["completions", "dos"],
    ];
    for arguments in wrong {
        let ran = xtq(arguments);
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(
            ran.stdout.is_empty() && ran.stderr.starts_with("error: "),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}

#[test]
fn a_missing_scenario_is_named() {
    let ran = xtq(&["run", "no/such.toml"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.is_empty());
    assert!(
        ran.stderr.contains("no/such.toml: ") && ran.stderr.contains("xtq::scenario::unreadable"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_wrong_scenario_is_shown_with_code_place_key_and_help() {
    let folder = Folder::new("wrong");
    let good = std::fs::read_to_string(root().join("scenarios/figure6-target.toml")).unwrap();
    let file = folder.write("s.toml", &good.replace("size = 16", "size = 15"));
    let ran = xtq(&["run", &file]);
    assert_eq!(ran.code, 2);
    let line = good.lines().position(|line| line == "size = 16").unwrap() + 1;
    let place = format!("s.toml:{line}:8: queues[0].size: 15 is not a power of two");
    for part in [place.as_str(), "xtq::scenario::value", "allow_invalid"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
}

#[test]
fn a_scenario_that_is_a_folder_or_no_text_is_refused() {
    let folder = Folder::new("no-text");
    std::fs::write(folder.0.join("b.toml"), [0xff, 0xfe, 0]).unwrap();
    assert_eq!(xtq(&["run", &folder.path("b.toml")]).code, 2);
    assert_eq!(xtq(&["run", &folder.path("")]).code, 2);
}

#[test]
fn the_schema_is_json_and_knows_the_tables() {
    let ran = xtq(&["run", "--print-schema"]);
    assert_eq!(ran.code, 0);
    let schema: Value = serde_json::from_str(&ran.stdout).unwrap();
    let tables = |shape: &str| schema["$defs"][shape]["properties"].as_object().unwrap();
    assert!(schema["anyOf"].as_array().unwrap().len() == 3);
    for table in ["network", "nodes"] {
        assert!(tables("NodesScenario").contains_key(table), "{table}");
    }
    assert!(tables("L2Scenario").contains_key("steps"));
    for table in [
        "memory",
        "portals",
        "queues",
        "kernels",
        "functions",
        "signals",
        "messages",
        "faults",
    ] {
        assert!(tables("Scenario").contains_key(table), "{table}");
    }
}

#[test]
fn completions_are_printed_for_each_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = xtq(&["completions", shell]);
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains("xtq"), "{shell}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_xtq"))
        .args(["run", "--print-schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(stderr, "");
}

/// A case file with one case that passes, one that fails, one that cannot run.
const CASES: &str = r#"{ "schema": "xtq-cases-1", "cases": [
  { "id": "good", "kind": "aql_slot", "given": { "rows": [ { "base": 65536, "size": 4, "packet_id": 5 } ] }, "expect": { "slot_addr": [65600] } },
  { "id": "bad", "kind": "aql_slot", "given": { "rows": [ { "base": 65536, "size": 4, "packet_id": 5 } ] }, "expect": { "slot_addr": [1] } },
  { "id": "later", "kind": "xtq", "given": { "kernel_table": {}, "function_table": {}, "queue_table": {}, "messages": [],
    "queue_index_field": { "offset": 10, "width": 8 }, "function_index_field": { "offset": 8, "width": 8 } }, "expect": {} } ] }"#;

#[test]
fn check_tells_each_case_and_fails_if_one_does_not_pass() {
    let folder = Folder::new("check");
    let (file, out) = (folder.write("c.json", CASES), folder.path("r.json"));
    let ran = xtq(&["check", &file, "--out", &out, "--json", "-"]);
    assert_eq!(ran.code, 1);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["passed"], false);
    let status: Vec<_> = report["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| case["status"].as_str().unwrap())
        .collect();
    assert_eq!(status, ["passed", "failed", "unsupported"]);
    assert!(
        ran.stderr.contains("slot_addr[0]: expected 1, got 65600"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains("3 cases: 1 passed, 1 failed, 1 unsupported, 0 malformed")
    );
    let results: Value = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
    assert_eq!(results["good"]["slot_addr"][0], 65600);
    assert_eq!(results["later"], "unsupported");
}

/// Sovereign-Labs/sovereign-sdk#2466
#[test]
fn check_exits_with_2_if_a_case_is_wrong_after_the_others_have_run() {
    let folder = Folder::new("check-wrong");
    let wrong = r#"{ "id": "list", "kind": "packet_processor", "expect": {}, "given": {
      "queue": [65536, 1], "signals": {}, "steps": [] } },
  { "id": "good""#;
    let cases = CASES.replacen(r#"{ "id": "good""#, wrong, 1);
    let (file, out) = (folder.write("c.json", &cases), folder.path("r.json"));
    let ran = xtq(&["check", &file, "--out", &out, "--json", "-"]);
    assert_eq!(ran.code, 2);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let first = &report["cases"][0];
    assert_eq!(
        (&first["status"], &first["line"], &first["column"]),
        (&"malformed".into(), &3.into(), &16.into())
    );
    assert_eq!(report["cases"][1]["status"], "passed");
    for part in [
        "c.json:3:16: given.queue: ",
        "4 cases: 1 passed, 1 failed, 1 unsupported, 1 malformed",
        "c.json:3:16: cases[0].given.queue: case list: invalid type: a list, expected an object",
        "xtq::cases",
        "here",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    let results: Value = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
    assert_eq!(results["list"], "malformed");
    assert_eq!(results["good"]["slot_addr"][0], 65600);
    let quiet = xtq(&["check", &file, "-q"]);
    assert_eq!((quiet.code, quiet.stdout.as_str()), (2, ""));
    assert!(quiet.stderr.contains("case list"), "{}", quiet.stderr);
}

/// cedar-policy/cedar#356, SceneWorks/SceneWorks#1503, zeroc-ice/ice#6316, dart-lang/test#1173, microsoft/vstest#2247,
/// jqlang/jq#45
#[test]
fn check_refuses_a_key_that_stands_twice_and_no_cases_and_skips_a_byte_order_mark() {
    let folder = Folder::new("check-files");
    let twice = CASES.replacen(
        "\"kind\": \"aql_slot\"",
        "\"kind\": \"x\", \"kind\": \"aql_slot\"",
        1,
    );
    let ran = xtq(&["check", &folder.write("t.json", &twice)]);
    ran.check(2, "t.json:2:32: cases[0].kind: stands twice");
    let none = r#"{"schema": "xtq-cases-1", "cases": []}"#;
    let ran = xtq(&["check", &folder.write("n.json", none)]);
    ran.check(2, "no cases");
    let marked = format!("\u{feff}{CASES}");
    let ran = xtq(&["check", &folder.write("m.json", &marked)]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
}

/// A line of brackets, as long as a file may be.
#[test]
fn the_excerpt_of_a_long_line_is_short_and_shows_the_place() {
    let folder = Folder::new("long-line");
    let nested = format!("a = {}", "[".repeat(40_000));
    let wrong = format!(
        "title = \"{}\"\nnode = \"{}\"",
        "x".repeat(40_000),
        "y".repeat(40_000)
    );
    let unknown = format!("{} = 1", "k".repeat(40_000));
    for text in [nested, wrong, unknown] {
        let ran = xtq(&["run", &folder.write("s.toml", &text)]);
        assert_eq!(ran.code, 2);
        assert!(
            ran.stderr.contains("here") && ran.stderr.contains('…'),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.len() < 8000, "{}", ran.stderr.len());
    }
    let cases = CASES.replacen("\"good\"", &format!("\"{}\"", "x".repeat(40_000)), 1);
    let cases = cases.replace('\n', " ").replace("[1]", "[1],,");
    let ran = xtq(&["check", &folder.write("c.json", &cases)]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("\"slot_addr\": [1],,"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.len() < 4000, "{}", ran.stderr.len());
}

#[test]
fn check_lets_nothing_be_missing_but_what_it_is_told() {
    let folder = Folder::new("check-missing");
    let mut cases: Value = serde_json::from_str(CASES).unwrap();
    cases["cases"].as_array_mut().unwrap().remove(1);
    let file = folder.write("c.json", &cases.to_string());
    let ran = xtq(&["check", &file]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("INDEX_FIELD: "), "{}", ran.stdout);
    assert_eq!(xtq(&["check", &file, "--allow-unsupported", "GET"]).code, 1);
    let allowed = ["check", &file, "--allow-unsupported", "GET,INDEX_FIELD"];
    let ran = xtq(&allowed);
    assert_eq!(ran.code, 0);
    assert!(
        ran.stdout
            .ends_with("2 cases: 1 passed, 0 failed, 1 unsupported, 0 malformed\n")
    );
    // What fails fails.
    let file = folder.write("all.json", CASES);
    assert_eq!(
        xtq(&["check", &file, "--allow-unsupported", "INDEX_FIELD"]).code,
        1
    );
}

#[test]
fn check_plays_the_cases_of_nodes_to_the_model_if_asked() {
    let cases = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testbench/cases/portals-mpi.json"
    );
    let ran = xtq(&["check", cases, "--on", "model"]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.stdout
            .ends_with("48 cases: 48 passed, 0 failed, 0 unsupported, 0 malformed\n")
    );
    assert_eq!(xtq(&["check", cases, "--on", "paper"]).code, 2);
}

#[test]
fn check_exits_with_0_if_every_case_passes_and_with_2_if_the_file_is_none() {
    let folder = Folder::new("check-good");
    let mut cases: Value = serde_json::from_str(CASES).unwrap();
    cases["cases"].as_array_mut().unwrap().truncate(1);
    let file = folder.write("c.json", &cases.to_string());
    let ran = xtq(&["check", &file]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(
        ran.stdout
            .ends_with("1 cases: 1 passed, 0 failed, 0 unsupported, 0 malformed\n")
    );
    assert_eq!(xtq(&["check", &file, "-q"]).stdout, "");
    let broken = folder.write("b.json", "{ \"schema\": 3 ");
    let ran = xtq(&["check", &broken]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("b.json:1:") && ran.stderr.contains("not JSON"),
        "{}",
        ran.stderr
    );
    assert_eq!(xtq(&["check", &folder.path("absent.json")]).code, 2);
    assert_eq!(
        xtq(&["check", &file, "--out", &folder.path("no/dir/r.json")]).code,
        2
    );
}
