//! The calls and their arguments as the schema of the files says them, and a right value of each.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;
use xtq_testbench::host::PLAIN;
use xtq_testbench::scenario::nodes_schema;

use crate::scenario_calls::fixture::{fault, file, first_line};

/// Keys of a step that are no calls.
const STEP_KEYS: [&str; 4] = ["name", "trigger", "completion", "user_ptr"];

/// What names stand for in the steps of [`RIGHT`].
const BEFORE: &str = r#"  { ptl_pt_alloc = { pt = "pt" } },
  { ptl_ct_alloc = { ct = "ct" } },
  { ptl_md_bind = { md = "md", start = 0x1000, length = 64 } },
  { name = "entry", ptl_me_append = { me = "me", pt = "pt", start = 0x2000, length = 64, options = ["op_put"] } },
  { barrier = { name = "first" } },
"#;

/// A call with a right value of each argument.
pub type Sample = (&'static str, &'static [(&'static str, &'static str)]);

/// What a message has.
macro_rules! send {
    ($name:literal, $length:literal $(, $more:expr)*) => {
        (
            $name,
            &[
                ("md", "\"md\""),
                ("local_offset", "0"),
                ("length", $length),
                ("ack", "\"ack\""),
                ("target", "\"p\""),
                ("pt", "\"pt\""),
                ("match_bits", "1"),
                ("remote_offset", "0"),
                ("hdr_data", "1"),
                $($more,)*
            ],
        )
    };
}

/// Every call.
pub static RIGHT: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let plain = PLAIN.iter().map(|call| (*call, &[][..]));
    WITH_ARGUMENTS.iter().copied().chain(plain).collect()
});

/// Every call but the commands without operands.
#[rustfmt::skip]
const WITH_ARGUMENTS: &[Sample] = &[
    ("ptl_pt_alloc", &[("pt", "\"pt 2\""), ("flow_control", "true")]),
    ("ptl_pt_free", &[("pt", "\"pt\"")]),
    ("ptl_pt_enable", &[("pt", "\"pt\"")]),
    ("ptl_pt_disable", &[("pt", "\"pt\"")]),
    ("ptl_md_bind", &[("md", "\"md 2\""), ("start", "0"), ("length", "8"), ("options", "[\"events\", \"ct_send\"]"), ("ct", "\"ct\"")]),
    ("ptl_md_release", &[("md", "\"md\"")]),
    ("ptl_me_append", &[
        ("me", "\"me 2\""), ("pt", "\"pt\""), ("list", "\"overflow\""), ("start", "0"), ("length", "8"), ("options", "[\"op_put\"]"), ("ct", "\"ct\""),
        ("user_id", "7"), ("source", "\"p\""), ("match_bits", "1"), ("ignore_bits", "2"), ("min_free", "3"),
    ]),
    ("ptl_me_unlink", &[("me", "\"me\"")]),
    ("ptl_me_search", &[
        ("pt", "\"pt\""), ("search", "\"delete\""), ("options", "[\"op_put\"]"), ("user_id", "7"), ("source", "\"p\""), ("match_bits", "1"), ("ignore_bits", "2"),
    ]),
    ("ptl_ct_alloc", &[("ct", "\"ct 2\"")]),
    ("ptl_ct_free", &[("ct", "\"ct\"")]),
    ("ptl_ct_inc", &[("ct", "\"ct\""), ("success", "1"), ("failure", "0")]),
    ("ptl_ct_set", &[("ct", "\"ct\""), ("success", "1"), ("failure", "1")]),
    ("ptl_ct_cancel_triggered", &[("ct", "\"ct\"")]),
    ("ptl_ct_get", &[("ct", "\"ct\""), ("success", "1"), ("failure", "1")]),
    ("ptl_ct_wait", &[("ct", "\"ct\""), ("threshold", "1")]),
    send!("ptl_put", "8"),
    ("ptl_get", &[
        ("md", "\"md\""), ("local_offset", "0"), ("length", "8"), ("target", "\"p\""), ("pt", "\"pt\""), ("match_bits", "1"), ("remote_offset", "0"),
    ]),
    send!("ptl_atomic", "8", ("operation", "\"sum\""), ("datatype", "\"uint64\"")),
    send!("ptl_fetch_atomic", "8", ("operation", "\"sum\""), ("datatype", "\"uint64\""), ("get_md", "\"md\""), ("local_get_offset", "0")),
    send!("ptl_swap", "8", ("operation", "\"cswap\""), ("datatype", "\"uint64\""), ("get_md", "\"md\""), ("local_get_offset", "0"), ("operand", "1")),
    send!("xtq_put", "8", ("command_md", "\"md\""), ("command_offset", "0"), ("command_length", "64")),
    ("xtq_register_kernel", &[
        ("index", "1"), ("kernel", "2"), ("kernarg_size", "16"), ("rewrite_offset", "0"), ("buffer_pointer", "3"), ("completion_signal", "\"s\""),
    ]),
    ("xtq_register_function", &[("index", "1"), ("function", "2"), ("buffer_pointer", "3")]),
    ("xtq_register_queue", &[("index", "1"), ("queue", "\"q\"")]),
    ("wait_event", &[
        ("kind", "\"put\""), ("of", "\"entry\""), ("status", "\"ok\""), ("length", "8"), ("from", "\"p\""), ("match_bits", "1"), ("hdr_data", "1"), ("start", "0"),
    ]),
    ("wait_signal", &[("signal", "\"s\""), ("value", "-1")]),
    ("wait_memory", &[("address", "0"), ("bytes", "\"00\"")]),
    ("write_memory", &[("address", "0"), ("bytes", "\"00\"")]),
    ("expect_memory", &[("address", "0"), ("bytes", "\"00\"")]),
    ("barrier", &[("name", "\"second\"")]),
    ("delay", &[("cycles", "1")]),
];

/// The file in which this is the last step, and the line of that.
pub fn with_step(step: &str) -> (String, usize) {
    let line = first_line() + BEFORE.matches('\n').count();
    (file(&format!("{BEFORE}  {step},")), line)
}

/// Key of the last step.
pub const STEP: &str = "nodes[0].processes[0].program[5]";

/// A step of a call.
pub fn step(call: &str, arguments: &[(&str, &str)]) -> String {
    let arguments: Vec<String> = arguments
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    format!("{{ {call} = {{ {} }} }}", arguments.join(", "))
}

/// The arguments of a sample with one of another value, or without it.
pub fn with(
    arguments: &[(&'static str, &'static str)],
    name: &str,
    value: Option<&'static str>,
) -> Vec<(&'static str, &'static str)> {
    let replaced = arguments
        .iter()
        .filter_map(|(one, right)| match *one == name {
            true => value.map(|value| (*one, value)),
            false => Some((*one, *right)),
        });
    replaced.collect()
}

/// An argument, and whether it is needed.
type Argument = (String, bool);

/// The calls with their arguments, as the schema has them.
pub fn of_schema() -> BTreeMap<String, Vec<Argument>> {
    let schema = nodes_schema();
    let definition = |name: &str| &schema["$defs"][name];
    let step = definition("Step")["properties"].as_object().expect("keys");
    let calls = step
        .iter()
        .filter(|(key, _)| !STEP_KEYS.contains(&key.as_str()));
    let calls = calls.map(|(call, value)| {
        let table = definition(&referred(value));
        let needed = |key: &String| {
            let list = table["required"].as_array();
            list.is_some_and(|list| list.iter().any(|one| one == key.as_str()))
        };
        let arguments = table["properties"].as_object().into_iter().flatten();
        let arguments = arguments.map(|(key, _)| (key.clone(), needed(key)));
        (call.clone(), arguments.collect())
    });
    calls.collect()
}

/// The definition that a key's value refers to.
fn referred(value: &Value) -> String {
    let text = value.to_string();
    let from = text.find("#/$defs/").expect("a table") + "#/$defs/".len();
    text[from..]
        .split('"')
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn the_samples_have_every_call_and_every_argument() {
    let told: BTreeMap<String, Vec<String>> = of_schema()
        .into_iter()
        .map(|(call, arguments)| {
            let mut names: Vec<String> = arguments.into_iter().map(|(name, _)| name).collect();
            names.sort();
            (call, names)
        })
        .collect();
    let samples: BTreeMap<String, Vec<String>> = RIGHT
        .iter()
        .map(|(call, arguments)| {
            let mut names: Vec<String> = arguments
                .iter()
                .map(|(name, _)| (*name).to_owned())
                .collect();
            names.sort();
            ((*call).to_owned(), names)
        })
        .collect();
    assert_eq!(told, samples);
    assert!(told.len() > 30);
}

#[test]
fn the_samples_are_right_with_all_arguments_and_with_those_that_are_needed() {
    let schema = of_schema();
    for (call, arguments) in RIGHT.iter() {
        let needed = |(name, _): &&(&str, &str)| {
            let known = &schema[*call];
            known.iter().any(|(one, needed)| one == name && *needed)
        };
        let least: Vec<_> = arguments.iter().filter(needed).copied().collect();
        for arguments in [arguments.to_vec(), least] {
            let (text, _) = with_step(&step(call, &arguments));
            let fault = fault(&text);
            assert!(fault.is_none(), "{call}: {}", fault.expect("it is there"));
        }
    }
}
