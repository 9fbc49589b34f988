//! Shapes that serde alone would take: each is reported with line, column and key.

use std::path::Path;
use xtq_testbench::experiments::compnet_hitrate::Parameters;
use xtq_testbench::input::{Fault, FaultKind, InputError};
use xtq_testbench::scenario::parse_file;

pub const PING_PONG: &str = include_str!("../../../../scenarios/ping-pong.toml");
pub const FIGURE_6: &str = include_str!("../../../../scenarios/figure6-target.toml");
const LOCK: &str = include_str!("../../../../scenarios/l2-lock.toml");
pub const HITRATE: &str = include_str!("../../../../scenarios/experiments/compnet-hitrate.toml");

pub fn fault<T: std::fmt::Debug>(read: Result<T, InputError>) -> Fault {
    match read {
        Err(InputError::Invalid(fault)) => *fault,
        other => panic!("a fault was expected, not {other:?}"),
    }
}

pub fn scenario(text: &str) -> Fault {
    fault(parse_file("s.toml", text, Path::new(".")))
}

/// `text` with one part replaced, which must be there.
pub fn changed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

/// Checks the key, and that `marked` stands at the place.
pub fn check(fault: &Fault, key: &str, marked: &str, message: &str) {
    assert_eq!(fault.kind, FaultKind::Schema, "{fault}");
    assert_eq!(fault.key, key, "{fault}");
    assert!(fault.message.contains(message), "{fault}");
    assert!(
        fault.text[fault.span.start..].starts_with(marked),
        "{fault}"
    );
    let line = fault.text.lines().nth(fault.line - 1).unwrap();
    let place: String = line.chars().skip(fault.column - 1).collect();
    assert!(place.starts_with(marked), "{fault}");
}

/// toml-rs/toml#373
#[test]
fn a_list_of_fixed_length_has_no_more_and_no_fewer_members() {
    for (list, length) in [("[64, 1, 2]", 3), ("[64]", 1), ("[]", 0)] {
        let text = format!("{PING_PONG}\n[network]\nbandwidth = {list}\n");
        let message = format!("invalid length {length}");
        check(&scenario(&text), "network.bandwidth", list, &message);
    }
    let text = format!("{FIGURE_6}\n[memory]\nbeats = [1, 2, 3]\n");
    check(&scenario(&text), "memory.beats", "[1, 2, 3]", "length 3");
    for arguments in ["[1, 2, 3, 4, 5]", "[1, 2, 3]"] {
        let text = format!(
            "{FIGURE_6}\n[[messages]]\nagent = {{ header = 4, arg = {arguments}, reserved2 = 42 }}\n"
        );
        check(
            &scenario(&text),
            "messages[1].agent.arg",
            arguments,
            "length",
        );
    }
}

/// ron-rs/ron#405, serde-rs/json#540
#[test]
fn a_table_is_no_list_of_its_values() {
    let list = "[500, [64, 1], 20, 0, 0]";
    let text = format!("network = {list}\n{PING_PONG}");
    check(&scenario(&text), "network", list, "expected a table");
    let text = format!("memory = [\"fixed\", 1]\n{FIGURE_6}");
    check(&scenario(&text), "memory", "[\"fixed\"", "expected a table");
    let text = format!("{FIGURE_6}\n[[raw_packets]]\nbytes = {{ fill = [1, 2] }}\n");
    let key = "raw_packets[0].bytes.fill";
    check(&scenario(&text), key, "[1, 2]", "expected a table");
    let text = changed(LOCK, "expect = {", "expect = [true] #");
    check(
        &scenario(&text),
        "steps[0].expect",
        "[true]",
        "expected a table",
    );
}

#[test]
fn a_call_is_no_list_of_its_arguments() {
    let call = "{ ptl_pt_alloc = { pt = \"court\" } }";
    let text = changed(PING_PONG, call, "{ ptl_pt_alloc = [\"court\"] }");
    let key = "nodes[0].processes[0].program[0].ptl_pt_alloc";
    check(&scenario(&text), key, "[\"court\"]", "expected a table");
    let text = changed(PING_PONG, call, "[\"court\"]");
    let key = "nodes[0].processes[0].program[0]";
    check(&scenario(&text), key, "[\"court\"]", "expected a table");
    let text = changed(
        PING_PONG,
        call,
        "{ ptl_pt_alloc = { pt = \"court\", surplus = 1 } }",
    );
    let key = "nodes[0].processes[0].program[0].ptl_pt_alloc.surplus";
    check(&scenario(&text), key, "surplus", "unknown field");
}

#[test]
fn bytes_have_one_form() {
    let bytes = "{ text = \"ping\" }";
    let two = "{ count = 4, text = \"ping\" }";
    let text = changed(PING_PONG, bytes, two);
    let key = "nodes[0].processes[0].data[0].bytes";
    check(
        &scenario(&text),
        &format!("{key}.text"),
        "text",
        "`text` is too much",
    );
    let text = changed(PING_PONG, bytes, "{}");
    check(&scenario(&text), key, "{}", "");
}

#[test]
fn a_name_is_no_table() {
    let text = format!("[memory]\ntiming = {{ fixed = {{}} }}\n{FIGURE_6}");
    let fault = scenario(&text);
    assert!(fault.key.starts_with("memory.timing"), "{fault}");
    assert_eq!((fault.kind, fault.line), (FaultKind::Schema, 2), "{fault}");
}

/// Sovereign-Labs/sovereign-sdk#2466
#[test]
fn parameters_of_an_experiment_have_the_shapes_of_their_types_too() {
    let parameters = |text: &str| fault(Parameters::parse("p.toml", text));
    let latency = HITRATE
        .lines()
        .find(|line| line.starts_with("latency_ns"))
        .unwrap();
    let text = changed(HITRATE, latency, "latency_ns = [1.0, 2.0, 3.0]");
    let key = "system.memory.latency_ns";
    check(&parameters(&text), key, "[1.0, 2.0, 3.0]", "length 3");
    let variant = |set: &str| format!("{HITRATE}\n[[variants]]\nname = \"v\"\nset = {set}\n");
    let number = HITRATE.matches("[[variants]]").count();
    for (set, key, message) in [
        (
            "{ memory = { latency_ns = [1.0, 2.0, 3.0] } }",
            "memory.latency_ns",
            "length 3",
        ),
        (
            "{ memory = [[1.0, 2.0], 3.0] }",
            "memory",
            "expected a table",
        ),
        (
            "{ memory = { latncy_ns = 1.0 } }",
            "memory.latncy_ns",
            "unknown field",
        ),
    ] {
        let fault = parameters(&variant(set));
        assert_eq!(fault.key, format!("variants[{number}].set.{key}"));
        assert!(fault.message.contains(message), "{fault}");
        assert!(
            fault.line >= HITRATE.lines().count() && fault.column > 1,
            "{fault}"
        );
    }
}

/// axodotdev/axoasset#87, jqlang/jq#45
#[test]
fn a_byte_order_mark_is_skipped_and_moves_no_column() {
    let marked = format!("\u{feff}{PING_PONG}");
    assert!(parse_file("s.toml", &marked, Path::new(".")).is_ok());
    assert!(Parameters::parse("p.toml", &format!("\u{feff}{HITRATE}")).is_ok());
    let fault = scenario(&format!("\u{feff}wrong = 1\n{PING_PONG}"));
    assert_eq!(
        (fault.line, fault.column, fault.key.as_str()),
        (1, 1, "wrong")
    );
}

/// jqlang/jq#45
#[test]
fn a_second_byte_order_mark_is_refused() {
    let expected = "s.toml:1:1: a second byte order mark";
    assert_eq!(
        scenario(&format!("\u{feff}\u{feff}{PING_PONG}")).to_string(),
        expected
    );
    let text = format!("\u{feff}\u{feff}{HITRATE}");
    assert_eq!(
        fault(Parameters::parse("s.toml", &text)).to_string(),
        expected
    );
}

#[test]
fn nothing_is_nested_so_deeply_that_the_reader_gives_up_without_a_word() {
    let deep = 100_000;
    let lists = format!("a = {}{}", "[".repeat(deep), "]".repeat(deep));
    let tables = format!("a = {}1{}", "{ a = ".repeat(deep), " }".repeat(deep));
    let keys = format!("{}a = 1", "a.".repeat(deep));
    let head = format!("[{}a]", "a.".repeat(deep));
    let both = format!(
        "[{}a]\n{}a = {}",
        "a.".repeat(70),
        "b.".repeat(70),
        "[".repeat(70)
    );
    for text in [lists, tables, keys, head, both] {
        let fault = scenario(&text);
        assert!(
            fault.message.len() < 1000 && fault.key.len() < 1000,
            "{fault}"
        );
        assert!(Parameters::parse("p.toml", &text).is_err());
    }
}
