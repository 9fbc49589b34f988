//! What becomes of an atomic at its target, and what is reported to its sender.

use serde_json::json;

use crate::atomics_rtl::fixture::{
    append, arrives, beside, both, called, config, deliver, hex, of_kind, same, sum,
};

#[test]
fn permissions_are_op_put_and_for_what_is_fetched_op_get_too() {
    for options in [
        &["OP_PUT", "OP_GET"][..],
        &["OP_PUT"],
        &["OP_GET"],
        &[],
        &["OP_PUT", "OP_GET", "ACK_DISABLE"],
        &["OP_PUT", "OP_GET", "USE_ONCE", "CT_COMM"],
    ] {
        for kind in ["ATOMIC", "FETCH", "SWAP"] {
            same(&[
                append(options, 0, 512),
                arrives(of_kind(kind)),
                arrives(of_kind(kind)),
            ]);
        }
    }
}

#[test]
fn an_atomic_is_cut_at_the_end_of_its_entry_and_whole_data_are_done() {
    for (entry, length, roffset) in [
        (100, 64, 40),
        (100, 64, 60),
        (102, 64, 40),
        (101, 512, 0),
        (100, 12, 100),
        (100, 12, 104),
        (3, 12, 0),
        (0, 12, 0),
        (512, 0, 8),
        (512, 512, 0),
    ] {
        for kind in ["ATOMIC", "FETCH"] {
            let mut request = sum(length, roffset);
            request["kind"] = json!(kind);
            same(&[
                append(&["OP_PUT", "OP_GET", "CT_COMM", "CT_BYTES"], 0, entry),
                arrives(request.clone()),
                json!({"op": "me_unlink", "node": 1, "id": "a"}),
                append(&["OP_PUT", "OP_GET", "NO_TRUNCATE"], 0, entry),
                arrives(request),
            ]);
        }
    }
}

#[test]
fn complex_numbers_are_cut_and_triggered_as_others_are() {
    for (datatype, size) in [("FLOAT_COMPLEX", 8), ("DOUBLE_COMPLEX", 16)] {
        for operation in ["SUM", "PROD"] {
            let number = match datatype {
                "FLOAT_COMPLEX" => [1.5f32, -2.0].map(f32::to_le_bytes).concat(),
                _ => [1.5f64, -2.0].map(f64::to_le_bytes).concat(),
            };
            let mut request = sum(0, 16);
            (request["aop"], request["dtype"]) = (json!(operation), json!(datatype));
            request["data"] = json!(hex(&number.repeat(5)));
            let numbers =
                json!({"op": "mem_write", "node": 1, "addr": 0, "hex": hex(&number.repeat(8))});
            // The last datum is whole, has a part, a byte of its second part, or nothing.
            for left in [size, size / 2, size / 2 + 1, size - 1, 0] {
                same(&[
                    numbers.clone(),
                    append(
                        &["OP_PUT", "OP_GET", "CT_COMM", "CT_BYTES"],
                        0,
                        16 + 2 * size + left,
                    ),
                    arrives(request.clone()),
                ]);
            }
            for kind in ["ATOMIC", "FETCH"] {
                request["kind"] = json!(kind);
                let [write, mut later] = called(request.clone(), 0);
                later.as_object_mut().expect("a table").remove("node");
                let later = json!({"op": "triggered", "node": 0, "trig_ct": 1, "threshold": 1, "do": later});
                let start = json!({"op": "ct_inc", "node": 0, "ct": 1, "success": 1});
                same(&[numbers.clone(), both(), write, later, start, deliver()]);
            }
        }
    }
}

#[test]
fn an_atomic_is_cut_at_the_limit_of_its_target() {
    for limit in [None, Some(512), Some(64), Some(13), Some(0)] {
        let mut limited = config();
        if let Some(limit) = limit {
            limited["nodes"]["1"]["limits"] = json!({"max_atomic_size": limit});
        }
        for (length, entry) in [(12, 100), (516, 1024), (4096, 1024), (600, 520), (600, 101)] {
            for kind in ["ATOMIC", "FETCH", "SWAP"] {
                let mut request = sum(length, 8);
                request["kind"] = json!(kind);
                if kind == "SWAP" {
                    request["aop"] = json!("SWAP");
                }
                let options = ["OP_PUT", "OP_GET", "CT_COMM", "CT_BYTES", "MANAGE_LOCAL"];
                // After 13 bytes no datum begins.
                let options = &options[..if limit == Some(13) { 4 } else { 5 }];
                let steps = [
                    append(options, 0, entry),
                    arrives(request.clone()),
                    arrives(request.clone()),
                ];
                let (shown, wrong) = beside(&limited, &steps);
                assert!(wrong.is_empty(), "{limit:?}, {kind} {length}: {wrong:#?}");
                let told = shown["1"]["events"].to_string();
                let most = (length as u64).min(limit.unwrap_or(512)).min(entry);
                assert!(told.contains(&format!("\"mlength\":{most},")), "{told}");
                // NO_TRUNCATE is about the whole message.
                let whole = append(&["OP_PUT", "OP_GET", "NO_TRUNCATE"], 0, entry);
                let (_, wrong) = beside(&limited, &[whole, arrives(request)]);
                assert!(wrong.is_empty(), "{limit:?}, {kind} {length}: {wrong:#?}");
            }
        }
        // One datum is one datum.
        let swap = of_kind("SWAP");
        let (_, wrong) = beside(&limited, &[both(), arrives(swap)]);
        assert!(wrong.is_empty(), "{limit:?}: {wrong:#?}");
    }
}

#[test]
fn one_datum_is_cut_too() {
    let swap = json!({"kind": "SWAP", "aop": "CSWAP_NE", "dtype": "UINT64", "data": hex(&[9; 8]), "operand": hex(&[1; 8]), "match_bits": 7, "roffset": 8});
    for entry in [16, 15, 9, 8, 0] {
        same(&[
            append(&["OP_PUT", "OP_GET", "CT_COMM", "CT_BYTES"], 0, entry),
            arrives(swap.clone()),
        ]);
    }
}

#[test]
fn entries_are_used_up_and_keep_their_offsets() {
    same(&[
        append(&["OP_PUT", "OP_GET", "USE_ONCE", "CT_COMM"], 0, 100),
        arrives(sum(8, 0)),
        arrives(sum(8, 0)),
    ]);
    let mut managed = append(&["OP_GET", "OP_PUT", "MANAGE_LOCAL"], 0, 100);
    managed["min_free"] = json!(30);
    same(&[
        managed,
        arrives(sum(8, 64)),
        arrives(of_kind("ATOMIC")),
        arrives(sum(64, 0)),
        arrives(sum(8, 0)),
    ]);
}

#[test]
fn the_header_of_an_unexpected_atomic_waits_for_its_entry() {
    let mut overflow = append(&["OP_PUT", "OP_GET", "MANAGE_LOCAL"], 0, 200);
    (overflow["list"], overflow["ignore_bits"], overflow["id"]) =
        (json!("OVERFLOW"), json!(u64::MAX), json!("o"));
    let taker = append(&["OP_PUT", "OP_GET", "CT_OVERFLOW", "CT_COMM"], 300, 100);
    let mut once = taker.clone();
    once["options"] = json!(["OP_PUT", "OP_GET", "USE_ONCE", "CT_OVERFLOW", "CT_BYTES"]);
    for kind in ["ATOMIC", "FETCH", "SWAP"] {
        let early = [
            overflow.clone(),
            arrives(of_kind(kind)),
            arrives(of_kind(kind)),
        ];
        let shown = same(&[&early[..], &[taker.clone(), arrives(of_kind(kind))]].concat());
        let told = shown["1"]["events"].to_string();
        let event = if kind == "ATOMIC" {
            "\"ATOMIC_OVERFLOW\""
        } else {
            "\"FETCH_ATOMIC_OVERFLOW\""
        };
        assert_eq!(told.matches(event).count(), 2, "{told}");
        same(&[&early[..], &[once.clone()]].concat());
        let mut search = taker.clone();
        (search["op"], search["search"]) = (json!("me_search"), json!("DELETE"));
        same(&[&early[..], &[search]].concat());
    }
}

#[test]
fn what_nobody_takes_is_answered() {
    for kind in ["ATOMIC", "FETCH", "SWAP"] {
        for portal in [0, 1, 2] {
            let mut request = of_kind(kind);
            request["pt"] = json!(portal);
            same(&[
                arrives(request.clone()),
                arrives(request.clone()),
                json!({"op": "pt_enable", "node": 1, "pt": portal.min(1)}),
                arrives(request.clone()),
            ]);
            let calls = called(request, 16);
            same(&[&calls[..], &[deliver()], &calls[..], &[deliver()]].concat());
        }
        // No node answers, the network does.
        let mut calls = called(of_kind(kind), 16);
        calls[1]["dst"] = json!(9);
        same(&[&calls[..], &[deliver()]].concat());
    }
}

#[test]
fn memory_that_does_not_exist_fails_an_atomic() {
    for kind in ["ATOMIC", "FETCH", "SWAP"] {
        for start in [2040, 2048, 5000] {
            same(&[
                append(&["OP_PUT", "OP_GET", "CT_COMM"], start, 100),
                arrives(of_kind(kind)),
            ]);
        }
    }
}

#[test]
fn triggered_atomics_leave_at_their_thresholds_and_count_what_comes_back() {
    let waits = |ct: u64, threshold: u64, kind: &str, offset: u64| {
        let [write, mut call] = called(of_kind(kind), offset);
        let keys = call.as_object_mut().expect("a table");
        keys.remove("node");
        [
            write,
            json!({"op": "triggered", "node": 0, "trig_ct": ct, "threshold": threshold, "do": call}),
        ]
    };
    let one = json!({"op": "ct_inc", "node": 0, "ct": 1, "success": 1});
    for kinds in [["ATOMIC", "FETCH", "SWAP"], ["SWAP", "ATOMIC", "FETCH"]] {
        // The second one waits for what the first one sends and gets back.
        let steps = [
            vec![both()],
            waits(1, 2, kinds[0], 0).to_vec(),
            waits(2, 1, kinds[1], 100).to_vec(),
            waits(2, 3, kinds[2], 200).to_vec(),
            vec![one.clone(), deliver(), one.clone(), deliver()],
        ];
        same(&steps.concat());
    }
}
