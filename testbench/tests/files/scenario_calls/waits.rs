//! What a process does itself, and what goes with a call.

use xtq_types::command::command_status;

use crate::scenario_calls::fixture::{complaints, fault, file, run};
use crate::scenario_calls::uses::{Use, check, run_steps};

pub const USES: &[Use] = &[
    Use {
        call: "wait_event",
        steps: r#"  { ptl_me_append = { me = "me", pt = "pt", start = 0x2000, length = 64, match_bits = 7, options = ["op_put", "link_disable"] } },
  { name = "first", ptl_put = { md = "data", length = 3, ack = "ack", target = "p", pt = "pt", match_bits = 7, hdr_data = 9 } },
  { name = "second", ptl_put = { md = "data", length = 4, ack = "ack", target = "p", pt = "pt", match_bits = 7, hdr_data = 9 } },
  { name = "third", ptl_put = { md = "data", length = 5, ack = "ack", target = "p", pt = "pt", match_bits = 8 } },
  { wait_event = { kind = "ack", of = "second", status = "ok", length = 4 } },
  { wait_event = { kind = "ack", of = "third", status = "no_match" } },
  { wait_event = { kind = "put", from = "p", length = 3, match_bits = 7, hdr_data = 9, start = 0x2000 } },
"#,
        changes: &[
            ("of = \"second\", ", "", "length is 0x3, not 0x4"),
            (
                "kind = \"ack\", of = \"second\"",
                "kind = \"send\", of = \"second\"",
                "waits for event 'send' of 'second'",
            ),
            (
                "status = \"no_match\"",
                "status = \"ok\"",
                "status is 'no_match', not 'ok'",
            ),
            (
                ", status = \"no_match\"",
                "",
                "status is 'no_match', not 'ok'",
            ),
            (
                "length = 3, match_bits",
                "length = 4, match_bits",
                "length is 0x3, not 0x4",
            ),
            (
                "match_bits = 7, hdr_data = 9, start",
                "match_bits = 6, hdr_data = 9, start",
                "match_bits is 0x7, not 0x6",
            ),
            (
                "hdr_data = 9, start",
                "hdr_data = 8, start",
                "hdr_data is 0x9, not 0x8",
            ),
            (
                "start = 0x2000 } },\n",
                "start = 0x2001 } },\n",
                "start is 0x2000, not 0x2001",
            ),
        ],
    },
    Use {
        call: "wait_signal",
        steps: "  { wait_signal = { signal = \"s\", value = 1 } },\n",
        changes: &[
            ("value = 1", "value = -1", "waits for signal 's' to be -1"),
            (", value = 1", "", "waits for signal 's' to be 0"),
        ],
    },
    Use {
        call: "wait_memory",
        steps: r#"  { ptl_me_append = { me = "me", pt = "pt", start = 0x2000, length = 64, options = ["op_put", "comm_disable", "link_disable"] } },
  { ptl_put = { md = "data", length = 4, target = "p", pt = "pt" } },
  { wait_memory = { address = 0x2001, bytes = { text = "bcd" } } },
  { expect_memory = { address = 0x2000, bytes = { text = "abcd" } } },
"#,
        changes: &[
            (
                "address = 0x2001",
                "address = 0x2002",
                "waits for bytes at 0x2002",
            ),
            (
                "text = \"bcd\"",
                "text = \"bce\"",
                "waits for bytes at 0x2001",
            ),
            (
                "wait_memory = { address = 0x2001, bytes = { text = \"bcd\" } }",
                "delay = { cycles = 0 }",
                "bytes differ",
            ),
        ],
    },
    Use {
        call: "write_memory",
        steps: "  { write_memory = { address = 0x2001, bytes = { text = \"bcd\" } } },\n  { expect_memory = { address = 0x2000, bytes = \"00 62 63 64 00\" } },\n",
        changes: &[
            ("address = 0x2001", "address = 0x2002", "bytes differ"),
            ("text = \"bcd\"", "text = \"bc\"", "bytes differ"),
        ],
    },
    Use {
        call: "expect_memory",
        steps: "  { expect_memory = { address = 0x1001, bytes = { text = \"bcd\" } } },\n",
        changes: &[
            (
                "address = 0x1001",
                "address = 0x1000",
                "3 of 3 bytes differ, the first at 0x1000: 0x61, not 0x62",
            ),
            (
                "text = \"bcd\"",
                "text = \"bce\"",
                "1 of 3 bytes differ, the first at 0x1003: 0x64, not 0x65",
            ),
        ],
    },
];

/// Calls that have a test of their own.
pub const OWN_TESTS: &[&str] = &["barrier", "delay"];

#[test]
fn events_signals_and_memory_are_waited_for() {
    check(USES);
}

#[test]
fn a_delay_takes_its_cycles() {
    let ended = |cycles: u64| {
        let report = run_steps(&format!("  {{ delay = {{ cycles = {cycles} }} }},\n"));
        assert!(report.passed, "{}", complaints(&report));
        report.nodes[0].processes[0].ended.expect("it has ended")
    };
    assert_eq!(ended(1234) - ended(234), 1000);
}

/// Two processes on a node: one is late, the other sends when both are there.
fn late(barriers: [&str; 2]) -> bool {
    let [one, other] = barriers;
    let first = file(&format!(
        r#"  {{ ptl_pt_alloc = {{ pt = "late" }} }},
  {{ delay = {{ cycles = 2000 }} }},
  {{ name = "entry", ptl_me_append = {{ me = "me", pt = "late", start = 0x2000, length = 64, options = ["op_put", "link_disable"] }}, completion = true }},
  {{ wait_event = {{ kind = "command", of = "entry" }} }},
  {{ barrier = {{ name = "{one}" }} }},
  {{ wait_event = {{ kind = "put" }} }},
"#
    ));
    let second = format!(
        r#"
[[nodes.processes]]
name = "second"
program = [
  {{ ptl_md_bind = {{ md = "md", start = 0, length = 8, options = ["events", "send_disable"] }} }},
  {{ barrier = {{ name = "{other}" }} }},
  {{ name = "put", ptl_put = {{ md = "md", length = 8, ack = "ack", target = "p", pt = "late" }} }},
  {{ wait_event = {{ kind = "ack", of = "put" }} }},
]
"#
    );
    run(&(first + &second)).passed
}

#[test]
fn a_barrier_is_passed_when_all_are_there() {
    assert!(late(["ready", "ready"]));
    assert!(!late(["ready", "other"]));
}

#[test]
fn a_user_pointer_is_in_the_events_and_a_name_in_the_report() {
    let report = run_steps(
        "  { name = \"told\", nop = {}, completion = true, user_ptr = 0x7fff_ffff_ffff_ffff },\n  { wait_event = { kind = \"command\", of = \"told\" } },\n",
    );
    assert!(report.passed, "{}", complaints(&report));
    let events = &report.nodes[0].processes[0].events;
    let told: Vec<_> = events.iter().map(|event| event.user_ptr).collect();
    assert_eq!(told, [Some(0x7fff_ffff_ffff_ffff)]);
    // Left out it is the number of the step: five are before it.
    let report = run_steps("  { nop = {}, completion = true },\n");
    assert_eq!(report.nodes[0].processes[0].events[0].user_ptr, Some(6));
}

#[test]
fn a_trigger_waits_for_success_and_failure_together() {
    let steps = r#"  { name = "later", nop = {}, trigger = { ct = "ct", threshold = 3 }, completion = true },
  { ptl_ct_inc = { ct = "ct", success = 2 } },
  { ptl_ct_inc = { ct = "ct", failure = 1 } },
  { wait_event = { kind = "command", of = "later" } },
"#;
    let report = run_steps(steps);
    assert!(report.passed, "{}", complaints(&report));
    let report = run_steps(&steps.replace("threshold = 3", "threshold = 4"));
    assert!(complaints(&report).contains("waits for event 'command' of 'later'"));
}

/// The names of the last two were missing once.
#[test]
fn a_program_can_wait_for_every_status_of_a_command() {
    for code in command_status::CODES {
        let status = code.name.to_lowercase();
        let step =
            format!("  {{ wait_event = {{ kind = \"command\", status = \"{status}\" }} }},\n");
        assert_eq!(fault(&file(&step)), None, "{status}");
    }
}
