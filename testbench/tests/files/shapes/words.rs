//! What is reported of a wrong file: the key, the value and what was expected, in the words of the file and in few of
//! them.

use super::places::{FIGURE_6, HITRATE, PING_PONG, changed, check, fault, scenario};
use xtq_testbench::cases::{On, run_text};
use xtq_testbench::experiments::compnet_hitrate::Parameters;
use xtq_testbench::input::FaultKind;

/// cedar-policy/cedar#356, serde-rs/json#762
#[test]
fn a_key_of_toml_stands_once_and_the_place_of_the_second_is_named() {
    for (text, expected) in [
        (
            "title = 'a'\n\"t\\u0069tle\" = 'b'",
            "2:1: title: stands twice, first in line 1",
        ),
        (
            "[memory]\nseed = 1\n seed = 2",
            "3:2: memory.seed: stands twice, first in line 2",
        ),
        (
            "[memory]\n[gpu]\n[memory]",
            "3:2: memory: stands twice, first in line 1",
        ),
        (
            "[[m]]\na = 1\n[[m]]\n'a.c' = 1\n'a.c' = 2",
            "5:1: m[1].a.c: stands twice, first in line 4",
        ),
        (
            "x = { a.b = 1, a.b = 2 }",
            "1:18: x.a.b: stands twice, first in line 1",
        ),
        (
            "'' = 1\n\n'' = 2",
            "3:1: \"\": stands twice, first in line 1",
        ),
    ] {
        let fault = scenario(text);
        assert_eq!(fault.to_string(), format!("s.toml:{expected}"));
        assert_eq!(fault.kind, FaultKind::Syntax);
    }
    let text = HITRATE.replacen("[sweep]", "[sweep]\nseeds = [1]\nseeds = [2]", 1);
    let fault = fault(Parameters::parse("p.toml", &text));
    assert_eq!(fault.key, "sweep.seeds", "{fault}");
}

#[test]
fn no_type_of_the_program_is_named_in_an_error() {
    let faults = [
        scenario("[[nodes]]\n[[nodes.processes]]\nprogram = ['barrier']\n"),
        scenario(&format!("{FIGURE_6}\n[memory]\ntiming = 3")),
        scenario(&format!("network = 1\n{FIGURE_6}")),
        scenario(&format!("faults = [1]\n{FIGURE_6}")),
    ];
    let parameters = HITRATE.split("[[variants]]").next().unwrap();
    let variants = [
        "[1]",
        "[[]]",
        "[{ name = 'v', set = { memory = 3 } }]",
        "[{ name = 'v', set = [] }]",
    ];
    let of_variants = variants.map(|variants| {
        fault(Parameters::parse(
            "p.toml",
            &format!("variants = {variants}\n{parameters}"),
        ))
    });
    for fault in faults.iter().chain(&of_variants) {
        names_no_type(&fault.message);
        assert!(
            fault.message.contains("expected a table")
                || fault.message.contains("expected one of `ideal`"),
            "{fault}"
        );
        assert!(fault.line >= 1 && !fault.key.is_empty(), "{fault}");
    }
}

/// Fails if a message names a type of Rust or of serde.
#[track_caller]
fn names_no_type(message: &str) {
    for word in message.split(|part: char| !part.is_alphanumeric()) {
        let number = word.strip_prefix(['u', 'i', 'f']).unwrap_or("no");
        let is_type = ["struct", "enum", "map", "sequence", "usize"].contains(&word);
        assert!(
            !is_type && number.parse::<u8>().is_err(),
            "{word}: {message}"
        );
    }
}

#[test]
fn a_value_of_another_type_or_out_of_range_is_said_in_words() {
    let range = |last: u64| format!("expected a whole number from 0 to {last}");
    for (line, expected) in [
        ("max_cycles = 1.5", range(u64::MAX)),
        ("max_cycles = [1]", range(u64::MAX)),
        (
            "max_cycles = 99999999999999999999",
            format!("integer `99999999999999999999`, {}", range(u64::MAX)),
        ),
        (
            "network = []",
            "invalid type: a list, expected a table".into(),
        ),
        (
            "nodes = {}",
            "invalid type: a table, expected a list".into(),
        ),
        ("title = 1", "expected a string".into()),
    ] {
        let fault = scenario(line);
        names_no_type(&fault.message);
        assert!(fault.message.contains(&expected), "{fault}");
    }
    let cases = |kind: &str, given: &str| {
        let text = format!(
            r#"{{"schema": "xtq-cases-1", "cases": [{{"id": "a", "kind": "{kind}", "expect": {{}}, "given": {given}}}]}}"#
        );
        let outcomes = run_text("c.json", &text, On::Model).unwrap();
        outcomes[0].fault.as_ref().unwrap().to_string()
    };
    let packet = |header: &str, kind: &str| {
        let steps = format!(r#"[["doorbell", {header}], ["finish", {kind}]]"#);
        cases(
            "packet_processor",
            &format!(
                r#"{{"queue": {{"base": 65536, "size": 4}}, "signals": {{}}, "steps": {steps}}}"#
            ),
        )
    };
    for (fault, expected) in [
        (
            cases(
                "aql_slot",
                r#"{"rows": [{"base": 65536, "size": 1.5, "packet_id": 5}]}"#,
            ),
            "expected a whole number from 0 to ",
        ),
        (
            cases("aql_slot", r#"{"rows": {}}"#),
            "invalid type: an object, expected a list",
        ),
        (
            cases("aql_slot", r#"{"rows": [[]]}"#),
            "invalid type: a list, expected an object",
        ),
        (packet("[1.5]", "1"), "expected a whole number from 0 to "),
        (
            packet("1", "1111111111111111111111"),
            "expected a whole number from 0 to ",
        ),
    ] {
        names_no_type(&fault);
        assert!(fault.contains(expected), "{fault}");
    }
}

#[test]
fn a_value_that_is_a_table_further_down_is_named_with_its_first_line() {
    for (text, expected) in [
        ("a = 1\na.b = 2", "2:1: a"),
        ("a = 1\n[a.b]", "2:2: a"),
        ("a = {}\na.b = 1", "2:1: a"),
        ("a = [1]\n[[a.b]]", "2:3: a"),
        ("x = { a = 1, a.b = 2 }", "1:14: x.a"),
        ("y.z = 'z'\ny.z.b = 2", "2:3: y.z"),
    ] {
        let fault = scenario(text);
        let expected = format!("s.toml:{expected}: stands twice, as a table here, first in line 1");
        assert_eq!(fault.to_string(), expected);
    }
}

#[test]
fn a_date_is_called_one() {
    let dates = ["2020-01-01", "2020-01-01T00:00:00Z", "07:32:00"];
    for date in dates {
        for key in ["max_cycles", "network", "memory", "node"] {
            let fault = scenario(&format!("{key} = {date}\n{FIGURE_6}"));
            check(
                &fault,
                key,
                date,
                "a date or time, which no key has as its value",
            );
        }
        let text = changed(
            HITRATE,
            "[sweep]",
            &format!("[sweep]\nparts = [{date}]\n[sweep_]"),
        );
        let fault = fault(Parameters::parse("p.toml", &text));
        check(&fault, "sweep.parts[0]", date, "a date or time");
    }
}

#[test]
fn keys_and_messages_are_cut_to_what_a_person_reads() {
    let long = "k".repeat(300_000);
    let unknown_key = scenario(&format!("{long} = 1\n{PING_PONG}"));
    assert!(unknown_key.message.ends_with("`nodes`"), "{unknown_key}");
    let put =
        format!("[[nodes]]\n[[nodes.processes]]\nprogram = [{{ ptl_put = {{ ack = '{long}' }} }}]");
    let unknown_name = scenario(&put);
    let names = "expected one of `none`, `ack`, `ct`, `oc`";
    assert!(unknown_name.message.ends_with(names), "{unknown_name}");
    for fault in [unknown_key, unknown_name] {
        assert!(fault.to_string().chars().count() < 700, "{fault}");
    }
}

#[test]
fn numbers_in_errors_are_short() {
    let speed = HITRATE
        .lines()
        .find(|line| line.starts_with("gigabytes_per_second"))
        .unwrap();
    for number in ["1e-300", "-1e300"] {
        let text = changed(HITRATE, speed, &format!("gigabytes_per_second = {number}"));
        let fault = fault(Parameters::parse("p.toml", &text));
        assert!(
            fault
                .message
                .starts_with(&format!("{number} is not from 0.01")),
            "{fault}"
        );
        let fault = scenario(&format!("max_cycles = {number}\n{FIGURE_6}"));
        assert!(fault.message.contains(&format!("`{number}`")), "{fault}");
        let fault = scenario(&format!(
            "{FIGURE_6}\n[network]\npauses = {}",
            number.replace("e-", "e")
        ));
        assert!(fault.message.chars().count() < 100, "{fault}");
    }
}
