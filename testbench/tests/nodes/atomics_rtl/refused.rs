//! Atomics that are not: those that Portals has not, and those that the hardware has not.

use serde_json::{Value, json};
use xtq_testbench::cases::{On, Status};

use crate::atomics_rtl::fixture::{
    append, arrives, beside, both, called, config, deliver, hex, of_kind, outcome, same, sum,
};

#[test]
fn what_portals_has_not_is_refused_by_the_call() {
    let refused = |change: &[(&str, Value)], kind: &str| {
        let [write, mut call] = called(of_kind(kind), 0);
        for (key, value) in change {
            call[*key] = value.clone();
        }
        let mut later = call.clone();
        later.as_object_mut().expect("a table").remove("node");
        let later =
            json!({"op": "triggered", "node": 0, "trig_ct": 1, "threshold": 1, "do": later});
        let shown = same(&[
            both(),
            write,
            call,
            later,
            json!({"op": "ct_inc", "node": 0, "ct": 1, "success": 1}),
            deliver(),
        ]);
        assert_eq!(
            shown["0"]["returns"],
            json!(["ARG_INVALID", "ARG_INVALID"]),
            "{change:?}"
        );
        assert_eq!(shown["0"]["sent"], json!([]), "{change:?}");
    };
    for kind in ["ATOMIC", "FETCH"] {
        refused(&[("aop", json!("SWAP"))], kind);
        refused(
            &[
                ("aop", json!("MSWAP")),
                ("operand", json!("00000000")),
                ("length", json!(4)),
            ],
            kind,
        );
        refused(&[("length", json!(13))], kind);
        refused(&[("length", json!(516))], kind);
        refused(&[("aop", json!("BXOR")), ("dtype", json!("FLOAT"))], kind);
        refused(
            &[
                ("aop", json!("MIN")),
                ("dtype", json!("FLOAT_COMPLEX")),
                ("length", json!(8)),
            ],
            kind,
        );
        refused(
            &[
                ("aop", json!("LOR")),
                ("dtype", json!("LONG_DOUBLE")),
                ("length", json!(16)),
            ],
            kind,
        );
        refused(&[("offset", json!(1020))], kind);
    }
    refused(&[("aop", json!("SUM"))], "SWAP");
    refused(
        &[("aop", json!("CSWAP")), ("operand", json!("00000000"))],
        "SWAP",
    );
    refused(
        &[
            ("aop", json!("MSWAP")),
            ("dtype", json!("DOUBLE")),
            ("length", json!(8)),
            ("operand", json!("0000000000000000")),
        ],
        "SWAP",
    );
    refused(&[("get_offset", json!(501))], "SWAP");
    refused(&[("length", json!(516))], "SWAP");
}

/// The name of what is missing.
fn missing(config: &Value, steps: &[Value]) -> String {
    let outcome = outcome(config, steps, &json!({}), On::Rtl);
    assert_eq!(
        outcome.status,
        Status::Unsupported,
        "{:?}",
        outcome.differences
    );
    outcome.missing.expect("it has a name")
}

#[test]
fn what_the_hardware_has_not_is_unsupported_by_name() {
    for (operation, datatype, size) in [
        ("SUM", "LONG_DOUBLE", 16),
        ("MAX", "LONG_DOUBLE", 16),
        ("SUM", "LONG_DOUBLE_COMPLEX", 32),
        ("CSWAP", "DOUBLE_COMPLEX", 16),
        ("CSWAP_NE", "DOUBLE_COMPLEX", 16),
        ("CSWAP_GT", "LONG_DOUBLE", 16),
    ] {
        let swap = operation.contains("SWAP");
        let kinds = if swap {
            &["SWAP"][..]
        } else {
            &["ATOMIC", "FETCH"]
        };
        for kind in kinds {
            let mut request = json!({"kind": kind, "aop": operation, "dtype": datatype, "data": hex(&vec![1; size]), "match_bits": 7});
            if operation.starts_with("CSWAP") {
                request["operand"] = json!(hex(&vec![1; size]));
            }
            assert_eq!(
                missing(&config(), &[both(), arrives(request.clone())]),
                "DATATYPE"
            );
            let [write, call] = called(request, 0);
            assert_eq!(
                missing(&config(), &[both(), write, call.clone()]),
                "DATATYPE"
            );
            let mut later = call;
            later.as_object_mut().expect("a table").remove("node");
            let later =
                json!({"op": "triggered", "node": 0, "trig_ct": 1, "threshold": 9, "do": later});
            assert_eq!(missing(&config(), &[later]), "DATATYPE");
        }
    }
    // An address that is no multiple of the datum; one of single bytes is.
    for start in [1, 2, 3] {
        let misaligned = append(&["OP_PUT", "OP_GET"], start, 64);
        assert_eq!(
            missing(&config(), &[misaligned, arrives(sum(8, 0))]),
            "ALIGNMENT"
        );
    }
    same(&[
        append(&["OP_PUT", "OP_GET"], 3, 64),
        arrives({
            let mut request = sum(8, 2);
            request["dtype"] = json!("UINT8");
            request
        }),
    ]);
    // A complex number lies at a multiple of itself, not only of its parts.
    let complex = |datatype: &str, bytes: usize| {
        let mut request = sum(bytes, 0);
        request["dtype"] = json!(datatype);
        arrives(request)
    };
    for (datatype, starts) in [
        ("FLOAT_COMPLEX", &[1, 4, 12][..]),
        ("DOUBLE_COMPLEX", &[4, 8, 24]),
    ] {
        for start in starts {
            let misaligned = append(&["OP_PUT", "OP_GET"], *start, 64);
            assert_eq!(
                missing(&config(), &[misaligned, complex(datatype, 32)]),
                "ALIGNMENT",
                "{datatype} at {start}"
            );
        }
    }
    same(&[
        append(&["OP_PUT", "OP_GET"], 24, 64),
        complex("FLOAT_COMPLEX", 40),
    ]);
    // Longer than a packet, or more than the hardware does.
    let long = [both(), arrives(sum(4100, 0))];
    assert_eq!(missing(&config(), &long), "LIMITS");
    let mut large = config();
    large["nodes"]["1"]["limits"] = json!({"max_atomic_size": 600});
    assert_eq!(missing(&large, &[both(), arrives(sum(516, 0))]), "LIMITS");
    let (_, wrong) = beside(&large, &[both(), arrives(sum(512, 0))]);
    assert!(wrong.is_empty(), "{wrong:#?}");
    // The sender's limit is the library's.
    let mut small = config();
    small["nodes"]["0"]["limits"] = json!({"max_atomic_size": 8, "max_fetch_atomic_size": 4});
    let calls: Vec<_> = [("ATOMIC", 8), ("ATOMIC", 12), ("FETCH", 4), ("FETCH", 8)]
        .into_iter()
        .flat_map(|(kind, length)| {
            let mut request = of_kind(kind);
            request["data"] = json!(hex(&vec![1; length]));
            called(request, 0)
        })
        .collect();
    let (shown, wrong) = beside(&small, &[&[both()], &calls[..], &[deliver()]].concat());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(shown["0"]["returns"], json!(["ARG_INVALID", "ARG_INVALID"]));
}
