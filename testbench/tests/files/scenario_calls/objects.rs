//! Portal entries, descriptors, match entries, counters.

use crate::scenario_calls::uses::{Use, check};

/// An entry that takes everything.
macro_rules! open {
    ($more:literal) => {
        concat!(
            r#"  { name = "entry", ptl_me_append = { me = "me", pt = "pt", start = 0x2000, length = 64, ignore_bits = 0xffff_ffff_ffff_ffff, options = ["op_put", "op_get", "link_disable"] }"#,
            $more,
            " },\n"
        )
    };
}

/// A put of four bytes to oneself, whose acknowledgement has this status.
macro_rules! put {
    ($status:literal) => {
        concat!(
            r#"  { name = "put", ptl_put = { md = "data", length = 4, ack = "ack", target = "p", pt = "pt" } },
  { wait_event = { kind = "ack", of = "put", status = ""#,
            $status,
            "\" } },\n"
        )
    };
}

pub const USES: &[Use] = &[
    Use {
        call: "ptl_pt_alloc",
        steps: r#"  { ptl_pt_alloc = { pt = "new" } HERE },
  { ptl_me_append = { me = "me", pt = "new", start = 0x2000, length = 64, options = ["op_put", "link_disable"] } },
  { name = "put", ptl_put = { md = "data", length = 4, ack = "ack", target = "p", pt = "new" } },
  { wait_event = { kind = "put" } },
  { wait_event = { kind = "ack", of = "put", length = 4 } },
"#,
        changes: &[],
    },
    // Flow control: the message that finds nothing disables the entry.
    Use {
        call: "ptl_pt_alloc",
        steps: r#"  { ptl_pt_alloc = { pt = "new", flow_control = true } },
  { name = "put", ptl_put = { md = "data", length = 4, ack = "ack", target = "p", pt = "new" } },
  { wait_event = { kind = "ack", of = "put", status = "pt_disabled" } },
  { wait_event = { kind = "pt_disabled", status = "pt_disabled" } },
"#,
        changes: &[(
            "flow_control = true",
            "flow_control = false",
            "status is 'no_match', not 'pt_disabled'",
        )],
    },
    Use {
        call: "ptl_pt_free",
        steps: concat!(
            "  { ptl_pt_free = { pt = \"pt\" } HERE },\n",
            put!("no_portal")
        ),
        changes: &[],
    },
    Use {
        call: "ptl_pt_disable",
        steps: concat!(
            open!(""),
            "  { ptl_pt_disable = { pt = \"pt\" } HERE },\n",
            put!("pt_disabled")
        ),
        changes: &[],
    },
    Use {
        call: "ptl_pt_enable",
        steps: concat!(
            open!(""),
            "  { ptl_pt_disable = { pt = \"pt\" } },\n  { ptl_pt_enable = { pt = \"pt\" } HERE },\n",
            put!("ok"),
            "  { wait_event = { kind = \"put\" } },\n"
        ),
        changes: &[],
    },
    Use {
        call: "ptl_md_bind",
        steps: concat!(
            open!(""),
            r#"  { ptl_md_bind = { md = "more", start = 0x1002, length = 6, options = ["events", "send_disable"] } HERE },
  { name = "put", ptl_put = { md = "more", length = 4, local_offset = 1, ack = "ack", target = "p", pt = "pt" } },
  { wait_event = { kind = "ack", of = "put" } },
  { expect_memory = { address = 0x2000, bytes = { text = "defg" } } },
"#
        ),
        changes: &[
            ("start = 0x1002", "start = 0x1001", "bytes differ"),
            (
                "length = 6, options",
                "length = 4, options",
                "descriptor_overflow",
            ),
            (
                "\"events\", \"send_disable\"",
                "\"send_disable\"",
                "waits for event 'ack'",
            ),
        ],
    },
    // A descriptor that counts.
    Use {
        call: "ptl_md_bind",
        steps: concat!(
            open!(""),
            r#"  { ptl_md_bind = { md = "more", start = 0x1000, length = 8, ct = "ct", options = ["ct_ack", "ct_bytes"] } },
  { ptl_put = { md = "more", length = 5, ack = "ct", target = "p", pt = "pt" } },
  { ptl_ct_wait = { ct = "ct", threshold = 5 } },
  { ptl_ct_get = { ct = "ct", success = 5, failure = 0 } },
"#
        ),
        changes: &[
            (
                "\"ct_ack\", \"ct_bytes\"",
                "\"ct_ack\"",
                "counter 'ct' to reach 5",
            ),
            (
                "\"ct_ack\", \"ct_bytes\"",
                "\"ct_reply\", \"ct_bytes\"",
                "counter 'ct' to reach 5",
            ),
            ("ack = \"ct\"", "ack = \"none\"", "counter 'ct' to reach 5"),
            ("ct = \"ct\", options", "options", "counter 'ct' to reach 5"),
        ],
    },
    Use {
        call: "ptl_md_release",
        steps: r#"  { ptl_md_release = { md = "data" } HERE },
  { name = "put", ptl_put = { md = "data", length = 4, target = "p", pt = "pt" } },
  { wait_event = { kind = "command", of = "put", status = "bad_descriptor" } },
"#,
        changes: &[],
    },
    Use {
        call: "ptl_me_append",
        steps: concat!(
            open!(" HERE"),
            put!("ok"),
            "  { wait_event = { kind = \"put\", of = \"entry\", start = 0x2000, length = 4 } },\n"
        ),
        changes: &[
            (
                "start = 0x2000",
                "start = 0x2004",
                "start is 0x2004, not 0x2000",
            ),
            ("length = 64", "length = 2", "length is 0x2, not 0x4"),
            (
                "\"op_put\", \"op_get\"",
                "\"op_get\"",
                "status is 'op_violation', not 'ok'",
            ),
            (
                "ignore_bits = 0xffff_ffff_ffff_ffff",
                "match_bits = 1",
                "status is 'no_match', not 'ok'",
            ),
            (
                "ignore_bits = 0xffff_ffff_ffff_ffff",
                "user_id = 9",
                "status is 'perm_violation', not 'ok'",
            ),
        ],
    },
    // The entry keeps its own offset, and is unlinked when few bytes are left.
    Use {
        call: "ptl_me_append",
        steps: r#"  { name = "entry", ptl_me_append = { me = "me", pt = "pt", source = "p", start = 0x2000, length = 16, min_free = 9, options = ["op_put", "manage_local", "link_disable"] } },
  { ptl_put = { md = "data", length = 4, target = "p", pt = "pt" } },
  { ptl_put = { md = "data", length = 4, target = "p", pt = "pt" } },
  { wait_event = { kind = "put", of = "entry", start = 0x2000 } },
  { wait_event = { kind = "put", of = "entry", start = 0x2004 } },
  { wait_event = { kind = "auto_unlink", of = "entry" } },
  { expect_memory = { address = 0x2000, bytes = { text = "abcdabcd" } } },
"#,
        changes: &[
            ("\"manage_local\", ", "", "start is 0x2000, not 0x2004"),
            (
                "min_free = 9",
                "min_free = 8",
                "waits for event 'auto_unlink'",
            ),
        ],
    },
    // The overflow list takes what nobody expects, and a later entry finds it.
    Use {
        call: "ptl_me_append",
        steps: r#"  { name = "early", ptl_me_append = { me = "early", pt = "pt", list = "overflow", start = 0x2000, length = 16, options = ["op_put", "link_disable"] } },
  { ptl_put = { md = "data", length = 4, hdr_data = 3, target = "p", pt = "pt" } },
  { wait_event = { kind = "put", of = "early" } },
  { name = "late", ptl_me_append = { me = "late", pt = "pt", start = 0x3000, length = 16, ct = "ct", options = ["op_put", "use_once", "ct_overflow", "ct_bytes"] } },
  { wait_event = { kind = "put_overflow", of = "late", start = 0x2000, hdr_data = 3 } },
  { ptl_ct_get = { ct = "ct", success = 4 } },
"#,
        changes: &[
            (
                "list = \"overflow\", ",
                "",
                "waits for event 'put_overflow'",
            ),
            ("\"ct_overflow\", ", "", "success is 0, not 4"),
        ],
    },
    Use {
        call: "ptl_me_unlink",
        steps: concat!(
            open!(""),
            "  { ptl_me_unlink = { me = \"me\" } HERE },\n",
            put!("no_match")
        ),
        changes: &[],
    },
    Use {
        call: "ptl_me_search",
        steps: r#"  { name = "early", ptl_me_append = { me = "early", pt = "pt", list = "overflow", start = 0x2000, length = 16, options = ["op_put", "link_disable"] } },
  { ptl_put = { md = "data", length = 4, target = "p", pt = "pt" } },
  { wait_event = { kind = "put", of = "early" } },
  { name = "look", ptl_me_search = { pt = "pt", options = ["op_put", "use_once"] } HERE },
  { wait_event = { kind = "search", of = "look", length = 4, start = 0x2000, from = "p" } },
  { name = "take", ptl_me_search = { pt = "pt", search = "delete", options = ["op_put", "use_once"] } },
  { wait_event = { kind = "put_overflow", of = "take" } },
"#,
        changes: &[
            (
                "search = \"delete\", ",
                "",
                "waits for event 'put_overflow' of 'take'",
            ),
            (
                "pt = \"pt\", options = [\"op_put\", \"use_once\"] } HERE",
                "pt = \"pt\", match_bits = 1, options = [\"op_put\", \"use_once\"] }",
                "not_found",
            ),
        ],
    },
    Use {
        call: "ptl_ct_alloc",
        steps: "  { ptl_ct_alloc = { ct = \"new\" } HERE },\n  { ptl_ct_inc = { ct = \"new\", success = 1 } },\n  { ptl_ct_get = { ct = \"new\", success = 1, failure = 0 } },\n",
        changes: &[],
    },
    Use {
        call: "ptl_ct_free",
        steps: r#"  { ptl_ct_free = { ct = "ct" } HERE },
  { name = "inc", ptl_ct_inc = { ct = "ct", success = 1 } },
  { wait_event = { kind = "command", of = "inc", status = "bad_counter" } },
"#,
        changes: &[],
    },
    Use {
        call: "ptl_ct_inc",
        steps: "  { ptl_ct_inc = { ct = \"ct\", success = 3 } HERE },\n  { ptl_ct_inc = { ct = \"ct\", failure = 2 } },\n  { ptl_ct_get = { ct = \"ct\", success = 3, failure = 2 } },\n",
        changes: &[
            ("success = 3 } HERE", "success = 4 }", "success is 4, not 3"),
            (
                "failure = 2 } },\n  { ptl_ct_get",
                "failure = 1 } },\n  { ptl_ct_get",
                "failure is 1, not 2",
            ),
            (
                "success = 3 } HERE",
                "success = 3, failure = 1 }",
                "bad_argument",
            ),
        ],
    },
    Use {
        call: "ptl_ct_set",
        steps: "  { ptl_ct_inc = { ct = \"ct\", success = 9 } },\n  { ptl_ct_set = { ct = \"ct\", success = 3, failure = 2 } HERE },\n  { ptl_ct_get = { ct = \"ct\", success = 3, failure = 2 } },\n",
        changes: &[
            (
                "success = 3, failure = 2 } HERE",
                "success = 3 }",
                "failure is 0, not 2",
            ),
            (
                "success = 3, failure = 2 } HERE",
                "failure = 2 }",
                "success is 0, not 3",
            ),
        ],
    },
    Use {
        call: "ptl_ct_cancel_triggered",
        steps: r#"  { ptl_ct_alloc = { ct = "other" } },
  { ptl_ct_inc = { ct = "other", success = 1 }, trigger = { ct = "ct", threshold = 1 } },
  { ptl_ct_cancel_triggered = { ct = "ct" } HERE },
  { ptl_ct_inc = { ct = "ct", success = 1 } },
  { fence = {} },
  { ptl_ct_get = { ct = "other", success = 0 } },
"#,
        changes: &[],
    },
    Use {
        call: "ptl_ct_get",
        steps: "  { ptl_ct_inc = { ct = \"ct\", success = 3 } },\n  { ptl_ct_get = { ct = \"ct\", success = 3, failure = 0 } },\n",
        changes: &[
            (
                "success = 3, failure",
                "success = 4, failure",
                "success is 3, not 4",
            ),
            ("failure = 0", "failure = 1", "failure is 0, not 1"),
        ],
    },
    // The counter counts what another process would do: here a put to oneself.
    Use {
        call: "ptl_ct_wait",
        steps: r#"  { ptl_me_append = { me = "me", pt = "pt", start = 0x2000, length = 64, ct = "ct", options = ["op_put", "ct_comm", "comm_disable", "link_disable"] } },
  { ptl_put = { md = "data", length = 4, target = "p", pt = "pt" } },
  { ptl_ct_wait = { ct = "ct", threshold = 1 } },
  { expect_memory = { address = 0x2000, bytes = { text = "abcd" } } },
"#,
        changes: &[(
            "threshold = 1",
            "threshold = 2",
            "waits for counter 'ct' to reach 2",
        )],
    },
];

#[test]
fn portal_entries_descriptors_match_entries_and_counters() {
    check(USES);
}
