//! What no argument may be: of another type, left out, unknown.

use crate::scenario_calls::arguments::{RIGHT, STEP, of_schema, step, with, with_step};
use crate::scenario_calls::fixture::fault;
use xtq_testbench::input::{Fault, FaultKind};

/// The fault of this last step, which must be in its line and under its key.
pub fn fault_of(step: &str) -> Fault {
    let (text, line) = with_step(step);
    let fault = fault(&text).unwrap_or_else(|| panic!("no fault: {step}"));
    assert_eq!(fault.line, line, "{step}: {fault}");
    let told = fault.to_string();
    assert!(told.starts_with(&format!("s.toml:{line}:")), "{told}");
    assert!(fault.key.starts_with(STEP), "{step}: {told}");
    fault
}

/// Values of no type that an argument has: a date, and one of each type that may be another's.
const VALUES: [&str; 6] = [
    "1979-05-27",
    "1.5",
    "\"what\"",
    "true",
    "[[]]",
    "{ what = 1 }",
];

/// Whether this may be a value of it: names, texts of bytes, and flags.
fn may_be(call: &str, argument: &str, value: &str) -> bool {
    let right = RIGHT.iter().find(|(name, _)| *name == call);
    let arguments = right.map_or(&[][..], |(_, arguments)| arguments);
    let right = arguments.iter().find(|(name, _)| *name == argument);
    let right = right.map_or("", |(_, value)| value);
    match value {
        "true" => right == "true",
        // Names that nobody defines and words that are no choice are wrong values.
        "\"what\"" => right.starts_with('"'),
        _ => false,
    }
}

#[test]
fn a_value_of_another_type_is_told_with_file_line_and_key() {
    let mut tried = 0;
    for (call, arguments) in RIGHT.iter() {
        for (argument, _) in *arguments {
            for value in VALUES
                .into_iter()
                .filter(|value| !may_be(call, argument, value))
            {
                let fault = fault_of(&step(call, &with(arguments, argument, Some(value))));
                assert_eq!(
                    fault.kind,
                    FaultKind::Schema,
                    "{call}.{argument} = {value}: {fault}"
                );
                let key = format!("{STEP}.{call}.{argument}");
                assert!(
                    fault.key.starts_with(&key),
                    "{call}.{argument} = {value}: {fault}"
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 600, "{tried}");
}

#[test]
fn a_negative_or_too_large_number_is_told_with_file_line_and_key() {
    let mut tried = 0;
    for (call, arguments) in RIGHT.iter() {
        let numbers = arguments
            .iter()
            .filter(|(_, value)| value.bytes().all(|byte| byte.is_ascii_digit()));
        for (argument, _) in numbers {
            for value in ["-1", "0x1_0000_0000_0000_0000"] {
                let fault = fault_of(&step(call, &with(arguments, argument, Some(value))));
                let key = format!("{STEP}.{call}.{argument}");
                assert!(
                    fault.key.starts_with(&key),
                    "{call}.{argument} = {value}: {fault}"
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn an_argument_that_is_needed_and_left_out_is_told_with_file_line_and_name() {
    let schema = of_schema();
    for (call, arguments) in RIGHT.iter() {
        for (argument, _) in schema[*call].iter().filter(|(_, needed)| *needed) {
            let fault = fault_of(&step(call, &with(arguments, argument, None)));
            assert_eq!(fault.message, format!("missing field `{argument}`"));
            assert_eq!(fault.key, format!("{STEP}.{call}"), "{fault}");
        }
    }
}

#[test]
fn an_argument_that_does_not_exist_is_told_with_the_ones_that_do() {
    for (call, arguments) in RIGHT.iter() {
        let more = [arguments.to_vec(), vec![("what", "1")]].concat();
        let fault = fault_of(&step(call, &more));
        assert_eq!(fault.key, format!("{STEP}.{call}.what"), "{fault}");
        assert!(fault.message.starts_with("unknown field `what`"), "{fault}");
        for (argument, _) in *arguments {
            assert!(fault.message.contains(argument), "{fault}");
        }
    }
}

#[test]
fn a_call_that_is_no_table_is_told_with_its_key() {
    for (call, _) in RIGHT.iter() {
        let fault = fault_of(&format!("{{ {call} = 1 }}"));
        assert_eq!(fault.key, format!("{STEP}.{call}"), "{fault}");
    }
}
