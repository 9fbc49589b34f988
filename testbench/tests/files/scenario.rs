//! Scenario files: the shipped ones are right, and whatever is wrong with one is reported with its place.

use proptest::prelude::*;
use std::path::{Path, PathBuf};
use xtq_testbench::input::{Fault, FaultKind, InputError};
use xtq_testbench::scenario::{File, load, load_file, parse};

const GOOD: &str = include_str!("../../../scenarios/mixed.toml");

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

fn fault(text: &str) -> Fault {
    match parse("s.toml", text, Path::new(".")) {
        Err(InputError::Invalid(fault)) => *fault,
        other => panic!("a fault was expected, not {other:?}"),
    }
}

/// `GOOD` with one text replaced, which must be there.
fn changed(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    GOOD.replacen(from, to, 1)
}

#[test]
fn every_shipped_scenario_can_be_read() {
    let mut seen = 0;
    for entry in std::fs::read_dir(scenarios()).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            let file = load_file(&path).unwrap_or_else(|error| panic!("{error}"));
            let (messages, title) = match file {
                File::Target(plan) => (plan.messages.len(), plan.scenario.title),
                File::Nodes(plan) => (plan.messages(), plan.scenario.title),
                File::L2(scenario) => (scenario.steps.len(), scenario.title),
            };
            assert!(messages > 0 && !title.is_empty());
            seen += 1;
        }
    }
    assert!(seen >= 8);
}

#[test]
fn figure_6_sends_the_index_42_in_both_places() {
    let plan = load(&scenarios().join("figure6-target.toml")).unwrap();
    let body = &plan.messages[0].message.as_ref().unwrap().body;
    assert_eq!(body.len(), 64 + 32 + 64);
    assert_eq!(body[..4], [0x02, 0x15, 1, 0]);
    assert_eq!(body[32..40], 42_u64.to_le_bytes());
    assert_eq!(body[48..56], 42_u64.to_le_bytes());
}

#[test]
fn a_file_of_packets_shares_out_arguments_and_payload() {
    let plan = load(&scenarios().join("aql-file.toml")).unwrap();
    let lengths: Vec<_> = plan
        .messages
        .iter()
        .map(|m| m.message.as_ref().unwrap().body.len())
        .collect();
    assert_eq!(lengths, [64 + 32 + 128, 64 + 128, 64 + 32 + 128]);
    let commands: Vec<_> = plan
        .messages
        .iter()
        .map(|m| m.message.as_ref().unwrap().command_length)
        .collect();
    assert_eq!(commands, [96, 64, 96]);
    assert_eq!(plan.messages[2].at, 40);
    assert_eq!(plan.messages[2].name, "aql-2");
}

#[test]
fn text_that_is_not_toml_is_told_with_line_and_column() {
    let fault = fault("title = \"a\"\n[[messages]\n");
    assert_eq!((fault.kind, fault.line), (FaultKind::Syntax, 2));
    assert!(fault.to_string().starts_with("s.toml:2:"), "{fault}");
}

#[test]
fn an_unknown_key_is_told_with_its_path_and_the_known_ones() {
    let text = changed("poll = 10", "poll = 10\npolling = 3");
    let fault = fault(&text);
    assert_eq!(
        (fault.kind, fault.key.as_str(), fault.column),
        (FaultKind::Schema, "gpu.polling", 1)
    );
    let line = text.lines().position(|line| line == "polling = 3").unwrap() + 1;
    assert_eq!(fault.line, line);
    assert!(fault.message.contains("launch"), "{fault}");
}

#[test]
fn a_value_of_the_wrong_type_is_told_with_its_key() {
    let text = changed("size = 64", "size = \"many\"");
    let fault = fault(&text);
    assert_eq!(
        (fault.kind, fault.key.as_str()),
        (FaultKind::Schema, "queues[0].size")
    );
    assert_eq!(&fault.text[fault.span.clone()], "\"many\"");
}

#[test]
fn a_missing_key_is_told_with_its_table() {
    let fault = fault(&changed("size = 64\n", ""));
    assert_eq!(fault.kind, FaultKind::Schema);
    assert!(fault.key.starts_with("queues"), "{fault}");
    assert!(fault.message.contains("size"), "{fault}");
}

/// A change of `GOOD`, the key that must be named, a part of the message.
const WRONG: &[(&str, &str, &str, &str)] = &[
    (
        "base = 0x3000_0000",
        "base = 0x3000_0004",
        "queues[0].base",
        "not a multiple of 64",
    ),
    ("size = 64", "size = 48", "queues[0].size", "power of two"),
    (
        "duration = 120",
        "duration = 0xffff_ffff_ffff_ffff",
        "gpu.duration",
        "more than",
    ),
    (
        "cycles = 40",
        "cycles = 0xffff_ffff_ffff_ffff",
        "gpu.tasks[0].cycles",
        "more than",
    ),
    ("size = 64", "size = 131072", "queues[0].size", "more than"),
    ("size = 64", "size = 0", "queues[0].size", "power of two"),
    (
        "doorbell_address = 0x3002_0000",
        "doorbell_address = 0x3002_0001",
        "queues[0].doorbell_address",
        "multiple of 8",
    ),
    (
        "write_index_address = 0x3001_0000",
        "write_index_address = 0x3000_0040",
        "queues[0].write_index_address",
        "overlap",
    ),
    (
        "start = 0x2000_0000",
        "start = 0x1000_0fc0",
        "portals[0].start",
        "overlap",
    ),
    (
        "start = 0x2000_0000",
        "start = 0xffff_ffff_ffff_ffc0",
        "portals[0].start",
        "end of the address space",
    ),
    (
        "start = 0x2000_0000",
        "start = 0x2000_0001",
        "portals[0].start",
        "multiple of 64",
    ),
    ("index = 5", "index = 16", "portals[1].index", "0 to 15"),
    (
        "context = 1",
        "context = 2",
        "portals[1].context",
        "no context 2",
    ),
    ("id = 1", "id = 4", "contexts[1].id", "0 to 3"),
    ("id = 1", "id = 0", "contexts[1].id", "new number"),
    (
        "events = 128",
        "events = 100",
        "contexts[1].events",
        "power of two",
    ),
    (
        "rewrite_offset = 16",
        "rewrite_offset = 12",
        "kernels[0].rewrite_offset",
        "multiple of 8",
    ),
    (
        "rewrite_offset = 16",
        "rewrite_offset = 40",
        "kernels[0].rewrite_offset",
        "end behind",
    ),
    ("index = 7", "index = 64", "kernels[1].index", "0 to 63"),
    (
        "handle = 0x4000_0000",
        "handle = 0",
        "signals[0].handle",
        "no signal",
    ),
    ("aw = 0.1", "aw = 1.0", "memory.pauses.aw", "probability"),
    ("aw = 0.1", "aw = nan", "memory.pauses.aw", "probability"),
    (
        "read_latency = [20, 60]",
        "read_latency = [60, 20]",
        "memory.read_latency",
        "least",
    ),
    (
        "read_latency = [20, 60]",
        "read_latency = 0",
        "memory.read_latency",
        "0 is not",
    ),
    (
        "read_latency = [20, 60]",
        "beats = [3, 2]",
        "memory.beats",
        "beats",
    ),
    (
        "payload = { count = 100 }",
        "payload = \"xy\"",
        "messages[0].payload",
        "hex",
    ),
    (
        "payload = { count = 100 }",
        "payload = { count = 99_999_999 }",
        "messages[0].payload",
        "more than",
    ),
    (
        "payload = { count = 100 }",
        "packet = \"00\"",
        "messages[0].packet",
        "either",
    ),
    (
        "payload = { count = 100 }",
        "payload_length = 3",
        "messages[0].payload_length",
        "payload_file",
    ),
    (
        "payload = { count = 100 }",
        "interval = 3",
        "messages[0].interval",
        "packets_file",
    ),
    (
        "payload = { count = 100 }",
        "wire = { cut = 999 }",
        "messages[0].wire.cut",
        "leave nothing",
    ),
    (
        "payload = { count = 100 }",
        "phase = 5000",
        "messages[0].phase",
        "below",
    ),
    (
        "payload = { count = 9000 }",
        "arguments = [1]",
        "messages[2].arguments",
        "go with",
    ),
    (
        "payload = { count = 9000 }",
        "packet = \"00\"",
        "messages[2].packet",
        "64 bytes",
    ),
    (
        "payload = { count = 9000 }",
        "packets_file = \"absent.aql\"",
        "messages[2].packets_file",
        "absent.aql",
    ),
];

#[test]
fn a_value_that_makes_no_sense_is_told_with_key_line_and_reason() {
    for (from, to, key, reason) in WRONG {
        let text = changed(from, to);
        let fault = fault(&text);
        assert_eq!(fault.key, *key, "{to}: {fault}");
        assert!(fault.message.contains(reason), "{to}: {fault}");
        let name = key.rsplit('.').next().unwrap();
        let line = text.lines().nth(fault.line - 1).unwrap();
        assert!(line.contains(name), "{to}: line {} is {line}", fault.line);
    }
}

#[test]
fn settings_that_test_the_hardware_are_accepted_on_purpose() {
    for (from, to) in [
        ("size = 64", "size = 48"),
        ("rewrite_offset = 16", "rewrite_offset = 40"),
        ("start = 0x2000_0000", "start = 0x2000_0001"),
    ] {
        let text = format!("allow_invalid = true\n{}", changed(from, to));
        parse("s.toml", &text, Path::new(".")).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn an_empty_file_has_no_message() {
    let fault = fault("");
    assert_eq!(
        (fault.line, fault.column, fault.key.as_str()),
        (1, 1, "messages")
    );
}

#[test]
fn a_file_that_does_not_exist_is_told_by_name() {
    let error = load(Path::new("no/such.toml")).unwrap_err();
    assert!(error.to_string().starts_with("no/such.toml: "), "{error}");
}

#[test]
fn all_64_bits_of_a_number_can_be_written_in_hex() {
    let text = changed(
        "match_bits = 0xfeed_beef",
        "match_bits = 0xffff_ffff_ffff_fffe",
    );
    let plan = parse("s.toml", &text, Path::new(".")).unwrap();
    let found = plan
        .messages
        .iter()
        .find(|m| m.name.starts_with("plain"))
        .unwrap();
    assert_eq!(found.message.as_ref().unwrap().match_bits, u64::MAX - 1);
}

/// Whatever the text is: no panic, and a fault has a place inside it.
fn placed(text: &str) -> Result<(), TestCaseError> {
    match parse("s.toml", text, Path::new("no-such-folder")) {
        Ok(_) => Ok(()),
        Err(InputError::Io { .. }) => Err(TestCaseError::fail("no file is read")),
        Err(InputError::Invalid(fault)) => {
            prop_assert!(
                fault.line >= 1 && fault.line <= text.matches('\n').count() + 1,
                "{}",
                fault
            );
            prop_assert!(fault.column >= 1);
            prop_assert!(text.get(fault.span.clone()).is_some());
            prop_assert!(!fault.message.is_empty());
            let prefix = format!("s.toml:{}:{}: ", fault.line, fault.column);
            prop_assert!(fault.to_string().starts_with(&prefix));
            if fault.kind == FaultKind::Value {
                prop_assert!(!fault.key.is_empty());
            }
            Ok(())
        }
    }
}

proptest! {
    #[test]
    fn a_changed_byte_never_panics(at in any::<prop::sample::Index>(), byte in any::<char>()) {
        let mut text: Vec<char> = GOOD.chars().collect();
        let at = at.index(text.len());
        text[at] = byte;
        placed(&text.into_iter().collect::<String>())?;
    }

    #[test]
    fn a_changed_value_never_panics(at in any::<prop::sample::Index>(), value in prop::sample::select(vec![
        "0", "-1", "1", "64", "65536", "0xffff_ffff", "0xffff_ffff_ffff_ffff", "99999999999999999999", "1e300", "nan",
        "true", "\"\"", "\"ff\"", "[]", "[1]", "[1, 2]", "{}", "{ a = 1 }", "{ fill = { byte = 1, length = 1 } }",
        "1979-05-27", "'''x'''",
    ])) {
        let lines: Vec<&str> = GOOD.lines().collect();
        let keys: Vec<usize> = (0..lines.len()).filter(|i| lines[*i].contains(" = ") && !lines[*i].starts_with('#')).collect();
        let line = keys[at.index(keys.len())];
        let key = lines[line].split(" = ").next().unwrap();
        let new = format!("{key} = {value}");
        let text: Vec<&str> = lines.iter().enumerate().map(|(i, old)| if i == line { new.as_str() } else { old }).collect();
        placed(&text.join("\n"))?;
    }

    #[test]
    fn lost_and_doubled_lines_never_panic(at in any::<prop::sample::Index>(), double in any::<bool>()) {
        let mut lines: Vec<&str> = GOOD.lines().collect();
        let at = at.index(lines.len());
        if double { lines.insert(at, lines[at]) } else { lines.remove(at); }
        placed(&lines.join("\n"))?;
    }

    #[test]
    fn any_text_never_panics(text in "(\\[\\[?[a-z_.]{0,9}\\]?\\]?|[a-z_]{1,9} = [0-9\"'{}\\[\\]]{0,6}|\\PC{0,12}|\n){0,12}") {
        placed(&text)?;
    }
}
