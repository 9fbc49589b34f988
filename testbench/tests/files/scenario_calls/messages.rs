//! Calls that send something, and what they launch.

use crate::scenario_calls::uses::{Use, check};

/// An entry that takes puts and gets with match bits 7.
macro_rules! open {
    () => {
        "  { name = \"entry\", ptl_me_append = { me = \"me\", pt = \"pt\", start = 0x2000, length = 64, match_bits = 7, options = [\"op_put\", \"op_get\", \"link_disable\"] } },\n"
    };
}

pub const USES: &[Use] = &[
    Use {
        call: "ptl_put",
        steps: concat!(
            open!(),
            r#"  { name = "put", ptl_put = { md = "data", local_offset = 2, length = 4, ack = "ack", target = "p", pt = "pt", match_bits = 7, remote_offset = 3, hdr_data = 9 } HERE },
  { wait_event = { kind = "ack", of = "put", length = 4 } },
  { wait_event = { kind = "put", of = "entry", from = "p", length = 4, match_bits = 7, hdr_data = 9, start = 0x2003 } },
  { expect_memory = { address = 0x2002, bytes = "00 63 64 65 66 00" } },
"#
        ),
        changes: &[
            ("local_offset = 2", "local_offset = 1", "bytes differ"),
            (
                "length = 4, ack",
                "length = 3, ack",
                "length is 0x3, not 0x4",
            ),
            (
                "ack = \"ack\"",
                "ack = \"none\"",
                "waits for event 'ack' of 'put'",
            ),
            (
                "match_bits = 7, remote",
                "match_bits = 6, remote",
                "status is 'no_match', not 'ok'",
            ),
            (
                "remote_offset = 3",
                "remote_offset = 4",
                "start is 0x2004, not 0x2003",
            ),
            (
                "hdr_data = 9 } HERE",
                "hdr_data = 8 }",
                "hdr_data is 0x8, not 0x9",
            ),
        ],
    },
    Use {
        call: "ptl_get",
        steps: concat!(
            "  { write_memory = { address = 0x2000, bytes = { text = \"0123456789\" } } },\n",
            open!(),
            r#"  { name = "get", ptl_get = { md = "place", local_offset = 1, length = 4, target = "p", pt = "pt", match_bits = 7, remote_offset = 2 } HERE },
  { wait_event = { kind = "reply", of = "get", length = 4 } },
  { wait_event = { kind = "get", of = "entry", from = "p", length = 4 } },
  { expect_memory = { address = 0x5000, bytes = "00 32 33 34 35 00" } },
"#
        ),
        changes: &[
            ("local_offset = 1", "local_offset = 2", "bytes differ"),
            (
                "length = 4, target",
                "length = 3, target",
                "length is 0x3, not 0x4",
            ),
            (
                "match_bits = 7, remote",
                "match_bits = 6, remote",
                "status is 'no_match', not 'ok'",
            ),
            ("remote_offset = 2", "remote_offset = 3", "bytes differ"),
        ],
    },
    // Only the fence says that the message is done: sending 4 KiB to oneself takes longer than a command.
    Use {
        call: "fence",
        steps: concat!(
            "  { name = \"entry\", ptl_me_append = { me = \"me\", pt = \"pt\", start = 0x2000, length = 4096, match_bits = 7, options = [\"op_put\"] } },\n",
            r#"  { ptl_md_bind = { md = "long", start = 0x8, length = 4096, options = ["send_disable"] } },
  { ptl_put = { md = "long", length = 4096, ack = "oc", target = "p", pt = "pt", match_bits = 7 } },
  { name = "end", fence = {}, completion = true HERE },
  { wait_event = { kind = "command", of = "end" } },
  { expect_memory = { address = 0x2ff8, bytes = { text = "abcd" } } },
"#
        ),
        changes: &[("fence = {}", "nop = {}", "bytes differ")],
    },
    Use {
        call: "nop",
        steps: "  { name = \"nop\", nop = {}, completion = true HERE },\n  { wait_event = { kind = \"command\", of = \"nop\" } },\n",
        changes: &[
            (
                "completion = true",
                "completion = false",
                "waits for event 'command' of 'nop'",
            ),
            (
                "nop = {}, completion",
                "nop = {}, trigger = { ct = \"ct\", threshold = 1 }, completion",
                "waits for event 'command' of 'nop'",
            ),
        ],
    },
];

/// What is in memory before an atomic: 5, as 64 bits. The data are the eight letters.
macro_rules! atomic {
    ($steps:literal) => {
        concat!(
            "  { write_memory = { address = 0x2008, bytes = [5] } },\n  { write_memory = { address = 0x1000, bytes = [3] } },\n",
            open!(),
            $steps
        )
    };
}

pub const ATOMICS: &[Use] = &[
    Use {
        call: "ptl_atomic",
        steps: atomic!(
            r#"  { name = "add", ptl_atomic = { md = "data", length = 8, operation = "sum", datatype = "uint64", ack = "ack", target = "p", pt = "pt", match_bits = 7, remote_offset = 8, hdr_data = 9 } HERE },
  { wait_event = { kind = "ack", of = "add", length = 8 } },
  { wait_event = { kind = "atomic", of = "entry", from = "p", length = 8, match_bits = 7, hdr_data = 9, start = 0x2008 } },
  { expect_memory = { address = 0x2008, bytes = [8] } },
"#
        ),
        changes: &[
            ("\"sum\"", "\"max\"", "bytes differ"),
            (
                "length = 8, operation",
                "length = 0, operation",
                "length is 0x0, not 0x8",
            ),
            (
                "remote_offset = 8",
                "remote_offset = 16",
                "start is 0x2010, not 0x2008",
            ),
            (
                "hdr_data = 9 } HERE",
                "hdr_data = 8 }",
                "hdr_data is 0x8, not 0x9",
            ),
            (
                "match_bits = 7, remote",
                "match_bits = 6, remote",
                "status is 'no_match', not 'ok'",
            ),
            (
                "ack = \"ack\"",
                "ack = \"none\"",
                "waits for event 'ack' of 'add'",
            ),
            // 3 and 5 as doubles are so small that their product is 0.
            (
                "\"sum\", datatype = \"uint64\"",
                "\"prod\", datatype = \"double\"",
                "the first at 0x2008: 0x00, not 0x08",
            ),
            // Portals 4 has it, the hardware has not.
            (
                "length = 8, operation = \"sum\", datatype = \"uint64\"",
                "length = 0, operation = \"sum\", datatype = \"long_double\"",
                "'unsupported'",
            ),
        ],
    },
    Use {
        call: "ptl_fetch_atomic",
        steps: atomic!(
            r#"  { name = "add", ptl_fetch_atomic = { md = "data", length = 8, get_md = "place", local_get_offset = 16, operation = "sum", datatype = "uint64", target = "p", pt = "pt", match_bits = 7, remote_offset = 8 } HERE },
  { wait_event = { kind = "reply", of = "add", length = 8 } },
  { wait_event = { kind = "fetch_atomic", of = "entry", from = "p", length = 8, start = 0x2008 } },
  { expect_memory = { address = 0x2008, bytes = [8] } },
  { expect_memory = { address = 0x5010, bytes = [5] } },
"#
        ),
        changes: &[
            ("\"sum\"", "\"bor\"", "bytes differ"),
            (
                "local_get_offset = 16",
                "local_get_offset = 8",
                "bytes differ",
            ),
            (
                "local_get_offset = 16",
                "local_get_offset = 57",
                "descriptor_overflow",
            ),
            (
                "get_md = \"place\"",
                "get_md = \"data\"",
                "descriptor_overflow",
            ),
        ],
    },
    Use {
        call: "ptl_swap",
        steps: atomic!(
            r#"  { name = "lock", ptl_swap = { md = "data", length = 8, get_md = "place", operation = "cswap", datatype = "uint64", operand = 5, target = "p", pt = "pt", match_bits = 7, remote_offset = 8, hdr_data = 9 } HERE },
  { wait_event = { kind = "reply", of = "lock", length = 8 } },
  { wait_event = { kind = "fetch_atomic", of = "entry", hdr_data = 9, start = 0x2008 } },
  { expect_memory = { address = 0x2008, bytes = [3] } },
  { expect_memory = { address = 0x5000, bytes = [5] } },
"#
        ),
        changes: &[
            ("operand = 5", "operand = 4", "bytes differ"),
            ("\"cswap\"", "\"cswap_ne\"", "bytes differ"),
            (
                "hdr_data = 9 } HERE",
                "hdr_data = 8 }",
                "hdr_data is 0x8, not 0x9",
            ),
        ],
    },
    // Without a condition there may be many; triggered like any other.
    Use {
        call: "ptl_swap",
        steps: atomic!(
            r#"  { write_memory = { address = 0x2000, bytes = [1, 2] } },
  { name = "swap", ptl_swap = { md = "data", length = 4, get_md = "place", operation = "swap", datatype = "uint16", target = "p", pt = "pt", match_bits = 7 }, trigger = { ct = "ct", threshold = 2 } },
  { ptl_ct_inc = { ct = "ct", success = 2 } },
  { wait_event = { kind = "reply", of = "swap", length = 4 } },
  { wait_event = { kind = "fetch_atomic", of = "entry" } },
  { expect_memory = { address = 0x2000, bytes = [3, 2] } },
  { expect_memory = { address = 0x5000, bytes = [1, 0] } },
"#
        ),
        changes: &[(
            "success = 2",
            "success = 1",
            "waits for event 'reply' of 'swap'",
        )],
    },
];

/// A buffer for tasks; a kernel, a function and a queue are registered.
macro_rules! task {
    ($kernel:literal, $function:literal, $queue:literal, $put:literal) => {
        concat!(
            r#"  { ptl_md_bind = { md = "task", start = 0x1040, length = 0x100, options = ["events", "send_disable"] } },
  { name = "buffer", ptl_me_append = { me = "me", pt = "pt", start = 0x8000, length = 0x1000, options = ["op_put", "manage_local", "link_disable"] } },
  { xtq_register_kernel = { index = 5, kernel = 0x77, kernarg_size = 16, buffer_pointer = 0x8800, completion_signal = "s" }"#,
            $kernel,
            r#" },
  { xtq_register_function = { index = 6, function = 0x99, buffer_pointer = 0x8801 }"#,
            $function,
            r#" },
  { xtq_register_queue = { index = 7, queue = "q" }"#,
            $queue,
            " },\n",
            $put
        )
    };
}

/// The kernel is launched, with its arguments and the payload.
macro_rules! kernel {
    ($kernel:literal, $queue:literal, $put:literal) => {
        concat!(
            task!($kernel, "", $queue, ""),
            r#"  { name = "task", xtq_put = { command_md = "task", command_length = 80, md = "data", length = 8, target = "p", pt = "pt", ack = "ack", hdr_data = 9 }"#,
            $put,
            r#" },
  { wait_event = { kind = "ack", of = "task", length = 88 } },
  { wait_event = { kind = "xtq_put", of = "buffer", from = "p", hdr_data = 9 } },
  { wait_signal = { signal = "s" } },
  { expect_memory = { address = 0x3000_0020, bytes = [0x77] } },
  { expect_memory = { address = 0x8040, bytes = [0x8800, 0x8050] } },
  { expect_memory = { address = 0x8050, bytes = { text = "abcdefgh" } } },
"#
        )
    };
}

/// The function is called.
macro_rules! function {
    ($function:literal, $put:literal) => {
        concat!(
            task!("", $function, "", ""),
            r#"  { name = "task", xtq_put = { command_md = "task", command_offset = 0xc0, command_length = 64, md = "data", length = 0, target = "p", pt = "pt", ack = "ack" }"#,
            $put,
            r#" },
  { wait_event = { kind = "ack", of = "task", length = 64 } },
  { wait_event = { kind = "xtq_put", of = "buffer" } },
  { wait_signal = { signal = "s" } },
  { expect_memory = { address = 0x3000_0008, bytes = [0x99, 0x8801] } },
"#
        )
    };
}

pub const TASKS: &[Use] = &[
    Use {
        call: "xtq_put",
        steps: kernel!("", "", " HERE"),
        changes: &[
            (
                "command_length = 80",
                "command_length = 64",
                "bad_kernarg_size",
            ),
            (
                "md = \"data\", length = 8",
                "md = \"data\", local_offset = 1, length = 7",
                "length is 0x57, not 0x58",
            ),
            (
                "hdr_data = 9 } HERE",
                "hdr_data = 8 }",
                "hdr_data is 0x8, not 0x9",
            ),
        ],
    },
    Use {
        call: "xtq_register_kernel",
        steps: kernel!(" HERE", "", ""),
        changes: &[
            ("index = 5", "index = 4", "bad_kernel_index"),
            ("index = 5", "index = 64", "bad_index"),
            ("kernel = 0x77", "kernel = 0x78", "bytes differ"),
            ("kernarg_size = 16", "kernarg_size = 32", "bad_kernarg_size"),
            (
                "kernarg_size = 16",
                "kernarg_size = 16, rewrite_offset = 8",
                "bad_kernarg_size",
            ),
            (
                "buffer_pointer = 0x8800",
                "buffer_pointer = 0x8802",
                "bytes differ",
            ),
            (
                ", completion_signal = \"s\"",
                "",
                "waits for signal 's' to be 0",
            ),
        ],
    },
    Use {
        call: "xtq_register_queue",
        steps: kernel!("", " HERE", ""),
        changes: &[
            ("index = 7", "index = 8", "bad_queue_index"),
            ("index = 7", "index = 64", "bad_index"),
        ],
    },
    Use {
        call: "xtq_register_function",
        steps: function!(" HERE", ""),
        changes: &[
            ("index = 6", "index = 5", "bad_function_index"),
            ("function = 0x99", "function = 0x98", "bytes differ"),
            (
                "buffer_pointer = 0x8801",
                "buffer_pointer = 0x8802",
                "bytes differ",
            ),
        ],
    },
    Use {
        call: "xtq_put",
        steps: function!("", " HERE"),
        changes: &[("command_offset = 0xc0", "command_offset = 0x80", "bad_type")],
    },
];

#[test]
fn puts_gets_fences_and_nops() {
    check(USES);
}

#[test]
fn atomics() {
    check(ATOMICS);
}

#[test]
fn tasks_and_what_they_are_registered_with() {
    check(TASKS);
}
