//! What an argument may not be although its type is right; and which arguments may be anything.

use std::collections::BTreeSet;

use crate::scenario_calls::arguments::{RIGHT, STEP, step, with, with_step};
use crate::scenario_calls::fixture::{fault, file, first_line};
use crate::scenario_calls::wrong_types::fault_of;

/// Call (or `*`: all that have the argument), argument, wrong value, what the message says.
#[rustfmt::skip]
const WRONG: &[(&str, &str, &str, &str)] = &[
    // Names that are not there, and new ones that are.
    ("*", "pt", "\"nobody\"", "there is no portal entry 'nobody'"),
    ("*", "md", "\"nobody\"", "there is no memory descriptor 'nobody'"),
    ("*", "get_md", "\"nobody\"", "there is no memory descriptor 'nobody'"),
    ("*", "command_md", "\"nobody\"", "there is no memory descriptor 'nobody'"),
    ("*", "me", "\"nobody\"", "there is no match entry 'nobody'"),
    ("*", "ct", "\"nobody\"", "there is no counter 'nobody'"),
    ("*", "target", "\"nobody\"", "there is no process 'nobody'"),
    ("*", "source", "\"nobody\"", "there is no process 'nobody'"),
    ("*", "from", "\"nobody\"", "there is no process 'nobody'"),
    ("*", "of", "\"nobody\"", "there is no step 'nobody'"),
    ("*", "queue", "\"nobody\"", "there is no queue 'nobody'"),
    ("*", "signal", "\"nobody\"", "there is no signal 'nobody'"),
    ("*", "completion_signal", "\"nobody\"", "there is no signal 'nobody'"),
    ("ptl_pt_alloc", "pt", "\"pt\"", "there is a portal entry 'pt' already"),
    ("ptl_md_bind", "md", "\"md\"", "there is a memory descriptor 'md' already"),
    ("ptl_me_append", "me", "\"me\"", "there is a match entry 'me' already"),
    ("ptl_ct_alloc", "ct", "\"ct\"", "there is a counter 'ct' already"),
    ("ptl_pt_alloc", "pt", "\"\"", "a name has at least one letter"),
    ("ptl_md_bind", "md", "\"\"", "a name has at least one letter"),
    ("ptl_me_append", "me", "\"\"", "a name has at least one letter"),
    ("ptl_ct_alloc", "ct", "\"\"", "a name has at least one letter"),
    ("barrier", "name", "\"\"", "a name has at least one letter"),
    ("barrier", "name", "\"first\"", "the program has the barrier 'first' already"),
    // Words that are no choice.
    ("*", "options", "[\"what\"]", "unknown variant `what`"),
    ("*", "list", "\"what\"", "unknown variant `what`"),
    ("*", "search", "\"what\"", "unknown variant `what`"),
    ("*", "ack", "\"what\"", "unknown variant `what`"),
    ("*", "operation", "\"what\"", "unknown variant `what`"),
    ("*", "datatype", "\"what\"", "unknown variant `what`"),
    ("*", "kind", "\"what\"", "unknown variant `what`"),
    ("*", "status", "\"what\"", "nothing ends with 'what'"),
    // Atomics that Portals 4 has not.
    ("ptl_atomic", "operation", "\"cswap\"", "'cswap' is an operation of ptl_swap"),
    ("ptl_fetch_atomic", "operation", "\"mswap\"", "'mswap' is an operation of ptl_swap"),
    ("ptl_swap", "operation", "\"sum\"", "'sum' is an operation of ptl_atomic and ptl_fetch_atomic"),
    ("ptl_atomic", "length", "12", "12 bytes are no whole 'uint64' of 8 bytes"),
    ("ptl_fetch_atomic", "length", "7", "7 bytes are no whole 'uint64' of 8 bytes"),
    ("ptl_swap", "length", "16", "'cswap' takes one 'uint64' of 8 bytes, not 16"),
    ("ptl_swap", "length", "0", "'cswap' takes one 'uint64' of 8 bytes, not 0"),
    ("ptl_atomic", "length", "520", "520 bytes are more than 512"),
    ("ptl_fetch_atomic", "length", "1024", "1024 bytes are more than 512"),
    ("ptl_swap", "length", "520", "520 bytes are more than 512"),
    // Numbers of few bits.
    ("*", "index", "0x1_0000", "expected a whole number from 0 to 65535"),
    ("*", "user_id", "0x1_0000_0000", "expected a whole number from 0 to 4294967295"),
    ("*", "kernarg_size", "0x1_0000_0000", "expected a whole number from 0 to 4294967295"),
    ("*", "rewrite_offset", "0x1_0000_0000", "expected a whole number from 0 to 4294967295"),
    ("*", "command_length", "0x1_0000", "expected a whole number from 0 to 65535"),
    ("delay", "cycles", "0xffff_ffff_ffff_ffff", "cycles are more than"),
    // Bytes.
    ("*", "bytes", "\"\"", "no bytes"),
    ("*", "bytes", "[]", "no bytes"),
    ("*", "bytes", "{ text = \"\" }", "no bytes"),
    ("*", "bytes", "{ count = 0 }", "no bytes"),
    ("*", "bytes", "{ fill = { byte = 1, length = 0 } }", "no bytes"),
    ("*", "bytes", "\"abc\"", "not hex digits"),
    ("*", "bytes", "{ fill = { byte = 256, length = 1 } }", "expected a whole number from 0 to 255"),
    ("*", "bytes", "{ count = 0x100_0001 }", "more than"),
];

/// Arguments of which every value of their type is right for a file: the hardware says what it makes of them (an offset
/// beyond a descriptor ends with `descriptor_overflow`), or there is no wrong one.
const ANYTHING: &[&str] = &[
    "start",
    "length",
    "local_offset",
    "remote_offset",
    "local_get_offset",
    "command_offset",
    "match_bits",
    "ignore_bits",
    "hdr_data",
    "min_free",
    "success",
    "failure",
    "threshold",
    "kernel",
    "function",
    "buffer_pointer",
    "value",
    "flow_control",
];

/// Arguments whose wrong values need another argument, and have a test of their own below.
const WITH_OTHERS: &[&str] = &["operand", "address"];

#[test]
fn a_wrong_value_is_told_with_file_line_and_key() {
    for (wanted, argument, value, part) in WRONG {
        let mut tried = 0;
        for (call, arguments) in RIGHT
            .iter()
            .filter(|(call, _)| *wanted == "*" || wanted == call)
        {
            let new = matches!(
                (*call, *argument),
                ("ptl_pt_alloc", "pt")
                    | ("ptl_md_bind", "md")
                    | ("ptl_me_append", "me")
                    | ("ptl_ct_alloc", "ct")
            );
            let has = arguments.iter().any(|(name, _)| name == argument);
            if !has || (*wanted == "*" && new) {
                continue;
            }
            let fault = fault_of(&step(call, &with(arguments, argument, Some(value))));
            assert!(
                fault.message.contains(part),
                "{call}.{argument} = {value}: {fault}"
            );
            assert!(
                fault.key.starts_with(&format!("{STEP}.{call}.{argument}")),
                "{fault}"
            );
            tried += 1;
        }
        assert!(tried > 0, "{wanted}.{argument}: there is none");
    }
}

#[test]
fn no_argument_is_without_a_wrong_value_that_can_have_one() {
    let wrong: BTreeSet<&str> = WRONG.iter().map(|(_, argument, ..)| *argument).collect();
    for (call, arguments) in RIGHT.iter() {
        for (argument, _) in *arguments {
            let lists = [
                wrong.contains(argument),
                ANYTHING.contains(argument),
                WITH_OTHERS.contains(argument),
            ];
            assert!(lists.contains(&true), "{call}.{argument}");
        }
    }
}

#[test]
fn an_operand_is_one_datum_of_an_operation_that_has_one() {
    let (_, swap) = RIGHT
        .iter()
        .find(|(call, _)| *call == "ptl_swap")
        .expect("it is there");
    let small = with(
        &with(swap, "datatype", Some("\"int16\"")),
        "length",
        Some("2"),
    );
    let fault = fault_of(&step(
        "ptl_swap",
        &with(&small, "operand", Some("0x1_0000")),
    ));
    assert_eq!(fault.key, format!("{STEP}.ptl_swap.operand"));
    assert!(fault.message.contains("0x10000 is no 'int16'"), "{fault}");
    assert!(
        crate::scenario_calls::fixture::fault(
            &with_step(&step("ptl_swap", &with(&small, "operand", Some("0xffff")))).0
        )
        .is_none()
    );
    let plain = with(swap, "operation", Some("\"swap\""));
    let fault = fault_of(&step("ptl_swap", &plain));
    assert_eq!(fault.key, format!("{STEP}.ptl_swap.operand"));
    assert!(fault.message.contains("'swap' has no operand"), "{fault}");
}

/// Which operations Portals 4 has of which datatypes, written down once more. The letters: integers, floating point,
/// complex numbers.
const TABLE: &[(&str, &[&str])] = &[
    ("ptl_atomic min max", &["i", "f"]),
    ("ptl_atomic sum prod", &["i", "f", "c"]),
    ("ptl_atomic lor land bor band lxor bxor", &["i"]),
    ("ptl_swap swap cswap cswap_ne", &["i", "f", "c"]),
    ("ptl_swap cswap_le cswap_lt cswap_ge cswap_gt", &["i", "f"]),
    ("ptl_swap mswap", &["i"]),
];

/// Datatypes, their letter and their bytes.
const DATATYPES: [(&str, &str, &str); 14] = [
    ("int8", "i", "1"),
    ("uint8", "i", "1"),
    ("int16", "i", "2"),
    ("uint16", "i", "2"),
    ("int32", "i", "4"),
    ("uint32", "i", "4"),
    ("int64", "i", "8"),
    ("uint64", "i", "8"),
    ("float", "f", "4"),
    ("double", "f", "8"),
    ("long_double", "f", "16"),
    ("float_complex", "c", "8"),
    ("double_complex", "c", "16"),
    ("long_double_complex", "c", "32"),
];

#[test]
fn an_operation_that_portals_has_not_of_a_datatype_is_told_with_file_line_and_key() {
    let mut right = 0;
    for (operations, letters) in TABLE {
        let mut words = operations.split(' ');
        let call = words.next().expect("the call");
        let (_, sample) = RIGHT
            .iter()
            .find(|(name, _)| *name == call)
            .expect("it is there");
        for operation in words {
            for (datatype, letter, bytes) in DATATYPES {
                let arguments: Vec<_> = sample
                    .iter()
                    .filter(|(name, _)| *name != "operand")
                    .copied()
                    .collect();
                let quoted = |text: &str| -> &'static str { format!("\"{text}\"").leak() };
                let arguments = with(&arguments, "operation", Some(quoted(operation)));
                let arguments = with(&arguments, "datatype", Some(quoted(datatype)));
                let arguments = with(&arguments, "length", Some(bytes));
                let step = step(call, &arguments);
                if letters.contains(&letter) {
                    let fault = fault(&with_step(&step).0);
                    assert!(fault.is_none(), "{step}: {fault:?}");
                    right += 1;
                    continue;
                }
                let fault = fault_of(&step);
                assert_eq!(fault.key, format!("{STEP}.{call}.datatype"));
                let message = format!("there is no '{operation}' of '{datatype}'");
                assert_eq!(fault.message, message);
            }
        }
    }
    // Eight types of integers with 18 operations, three of floating point with 11, three of complex numbers with 5.
    assert_eq!(right, 8 * 18 + 3 * 11 + 3 * 5);
}

#[test]
fn bytes_end_with_the_address_space() {
    for call in ["wait_memory", "write_memory", "expect_memory"] {
        let arguments = |bytes| [("address", "0xffff_ffff_ffff_fff0"), ("bytes", bytes)];
        let last = arguments("{ count = 16 }");
        let fault = fault(&with_step(&step(call, &last)).0);
        assert!(fault.is_none(), "{fault:?}");
        let fault = fault_of(&step(call, &arguments("{ count = 17 }")));
        assert_eq!(fault.key, format!("{STEP}.{call}.address"));
        assert!(
            fault.message.contains("pass the end of the address space"),
            "{fault}"
        );
    }
}

/// What goes with a call: the step, the key in it, what the message says.
#[rustfmt::skip]
const STEPS: &[(&str, &str, &str)] = &[
    ("{ }", "", "the step has no call"),
    ("{ name = \"x\" }", "", "the step has no call"),
    ("{ nop = {}, fence = {} }", ".nop", "a step has one call, not 'fence' and 'nop'"),
    ("{ name = \"entry\", nop = {} }", ".name", "there is a step 'entry' already"),
    ("{ name = \"\", nop = {} }", ".name", "a name has at least one letter"),
    ("{ nop = {}, user_ptr = 0x8000_0000_0000_0000 }", ".user_ptr", "0x8000000000000000 is not below 0x8000000000000000"),
    ("{ nop = {}, user_ptr = -1 }", ".user_ptr", "expected a whole number"),
    ("{ nop = {}, completion = 1 }", ".completion", "boolean"),
    ("{ nop = {}, trigger = { ct = \"nobody\", threshold = 1 } }", ".trigger.ct", "there is no counter 'nobody'"),
    ("{ nop = {}, trigger = { ct = \"ct\", threshold = -1 } }", ".trigger.threshold", "expected a whole number"),
    ("{ nop = {}, trigger = { ct = \"ct\" } }", ".trigger", "missing field `threshold`"),
    ("{ nop = {}, trigger = { threshold = 1 } }", ".trigger", "missing field `ct`"),
    ("{ nop = {}, trigger = 1 }", ".trigger", "expected"),
    ("{ delay = { cycles = 1 }, trigger = { ct = \"ct\", threshold = 1 } }", ".trigger", "'delay' is no call of the NIC: only those have 'trigger'"),
    ("{ delay = { cycles = 1 }, user_ptr = 1 }", ".user_ptr", "'delay' is no call of the NIC: only those have 'user_ptr'"),
    ("{ ptl_ct_wait = { ct = \"ct\", threshold = 1 }, completion = true }", ".completion", "'ptl_ct_wait' is no call of the NIC: only those have 'completion'"),
    ("{ name = \"x\", wait_event = { kind = \"put\", of = \"x\" } }", ".wait_event.of", "'x' is a 'wait_event', which is no call of the NIC"),
];

#[test]
fn what_goes_with_a_call_is_checked_too() {
    for (step, key, part) in STEPS {
        let fault = fault_of(step);
        assert_eq!(fault.key, format!("{STEP}{key}"), "{step}: {fault}");
        assert!(fault.message.contains(part), "{step}: {fault}");
    }
}

#[test]
fn events_of_a_later_step_cannot_be_waited_for() {
    let text = file(
        "  { wait_event = { kind = \"command\", of = \"x\" } },\n  { name = \"x\", nop = {}, completion = true },",
    );
    let fault = fault(&text).expect("it waits for ever");
    assert_eq!(
        (fault.line, fault.key.as_str()),
        (
            first_line(),
            "nodes[0].processes[0].program[0].wait_event.of"
        )
    );
    assert!(
        fault.message.contains("'x' is not before this step"),
        "{fault}"
    );
}

#[test]
fn a_process_has_at_most_64_of_a_kind() {
    for (call, argument, more, what) in [
        ("ptl_pt_alloc", "pt", "", "portal entry"),
        ("ptl_ct_alloc", "ct", "", "counter"),
        (
            "ptl_md_bind",
            "md",
            ", start = 0, length = 1",
            "memory descriptor",
        ),
        (
            "ptl_me_append",
            "me",
            ", pt = \"x\", start = 0, length = 1, options = []",
            "match entry",
        ),
    ] {
        let steps = |count: usize| -> String {
            let steps =
                (0..count).map(|n| format!("  {{ {call} = {{ {argument} = \"{n}\"{more} }} }},\n"));
            let first = if call == "ptl_me_append" {
                "  { ptl_pt_alloc = { pt = \"x\" } },\n"
            } else {
                ""
            };
            file(&(first.to_owned() + &steps.collect::<String>()))
        };
        assert!(fault(&steps(64)).is_none(), "{call}");
        let fault = fault(&steps(65)).expect("one too many");
        assert!(
            fault
                .message
                .contains(&format!("at most 64 of a kind ({what})")),
            "{fault}"
        );
    }
}

/// The time that a file takes grows with its length, not with the square.
#[test]
fn a_program_of_many_steps_is_read_at_once() {
    let steps = |count: usize| -> String {
        let steps = (0..count).map(|n| format!("  {{ name = \"{n}\", nop = {{}}, completion = true }}, {{ wait_event = {{ kind = \"command\", of = \"{n}\" }} }}, {{ barrier = {{ name = \"{n}\" }} }},\n"));
        file(&steps.collect::<String>())
    };
    let time = |count| {
        let text = steps(count);
        let start = std::time::Instant::now();
        assert!(fault(&text).is_none());
        start.elapsed()
    };
    // The quickest of several, as others use the machine too.
    let quickest = |count| (0..3).map(|_| time(count)).min().expect("three");
    let (few, many) = (quickest(1000), quickest(16_000));
    assert!(
        many < 64 * few,
        "1,000 rounds take {few:?}, 16,000 {many:?}"
    );
}
