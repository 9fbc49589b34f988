//! GETs between real NICs beside the functional model: what the model computes for a case is what the hardware must
//! show.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use xtq_testbench::cases::{On, Status, run_text};

/// Lines in which the hardware differs from the model.
fn differences(config: &Value, steps: &[Value]) -> Vec<String> {
    let run = |expect: &Value, on| {
        let case = json!({"id": "G", "kind": "portals", "config": config, "steps": steps, "expect": expect});
        let file = json!({"schema": "xtq-cases-1", "cases": [case]}).to_string();
        run_text("G", &file, on)
            .expect("a case file")
            .pop()
            .expect("one case")
    };
    let model = run(&json!({}), On::Model);
    assert!(!model.result.is_null(), "{:?}", model.differences);
    let hardware = run(&model.result, On::Rtl);
    match hardware.status {
        Status::Passed => Vec::new(),
        _ => hardware.differences,
    }
}

/// Two nodes: each with bytes, a descriptor that counts, a portal entry without and one with flow control.
fn config() -> Value {
    let node = |first: u8| {
        let bytes: String = (0..512u32)
            .map(|i| format!("{:02x}", (i as u8).wrapping_mul(7).wrapping_add(first)))
            .collect();
        json!({
            "mem_size": 1024, "mem_init": [[0, bytes]], "cts": [1, 2],
            "pts": [{"index": 0}, {"index": 1, "flowctrl": true}],
            "mds": [
                {"id": "m", "start": 512, "length": 512, "ct": 2, "options": ["CT_REPLY", "CT_SEND"]},
                {"id": "b", "start": 512, "length": 512, "ct": 2, "options": ["CT_REPLY", "CT_BYTES"]},
            ],
        })
    };
    json!({"nodes": {"0": node(3), "1": node(90)}})
}

fn same(steps: &[Value]) {
    let wrong = differences(&config(), steps);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn append(options: &[&str], length: u64) -> Value {
    json!({"op": "me_append", "node": 1, "id": "a", "start": 40, "length": length, "match_bits": 7, "options": options, "ct": 1})
}

/// Node 0 gets from node 1.
fn get(length: u64, roffset: u64) -> Value {
    json!({"op": "get", "node": 0, "dst": 1, "md": "m", "offset": 5, "length": length, "match_bits": 7, "roffset": roffset})
}

fn deliver() -> Value {
    json!({"op": "deliver"})
}

#[test]
fn permission_for_a_get_is_op_get_alone() {
    for options in [
        &["OP_GET"][..],
        &["OP_GET", "ACK_DISABLE"],
        &["OP_PUT"],
        &["OP_PUT", "OP_GET"],
        &[],
        &["OP_PUT", "USE_ONCE", "CT_COMM"],
    ] {
        same(&[
            append(options, 100),
            get(30, 3),
            deliver(),
            get(30, 3),
            deliver(),
        ]);
    }
}

#[test]
fn a_get_is_cut_at_the_end_of_its_entry() {
    for (length, roffset) in [
        (0, 0),
        (30, 80),
        (300, 0),
        (10, 100),
        (10, 101),
        (10, u64::MAX),
    ] {
        same(&[
            append(&["OP_GET", "CT_COMM", "CT_BYTES"], 100),
            get(length, roffset),
            deliver(),
        ]);
        same(&[
            append(&["OP_GET", "NO_TRUNCATE"], 100),
            get(length, roffset),
            deliver(),
        ]);
    }
}

#[test]
fn a_get_uses_up_entries_like_a_put() {
    same(&[
        append(&["OP_GET", "USE_ONCE", "CT_COMM"], 100),
        get(30, 3),
        deliver(),
        get(30, 3),
        deliver(),
    ]);
    let mut managed = append(&["OP_GET", "OP_PUT", "MANAGE_LOCAL"], 100);
    managed["min_free"] = json!(30);
    let put = json!({"op": "recv", "node": 1, "src": 5, "match_bits": 7, "data": "0102030405", "ack": "ACK"});
    same(&[
        managed,
        get(30, 3),
        deliver(),
        put,
        get(36, 9),
        deliver(),
        get(1, 0),
        deliver(),
    ]);
}

#[test]
fn the_header_of_an_unexpected_get_waits_for_its_entry() {
    let mut overflow = append(&["OP_GET", "MANAGE_LOCAL"], 100);
    (overflow["list"], overflow["ignore_bits"], overflow["id"]) =
        (json!("OVERFLOW"), json!(u64::MAX), json!("o"));
    let taker = append(&["OP_GET", "CT_OVERFLOW", "CT_COMM"], 100);
    same(&[
        overflow.clone(),
        get(30, 3),
        deliver(),
        taker.clone(),
        get(30, 3),
        deliver(),
    ]);
    let mut once = taker.clone();
    once["options"] = json!(["USE_ONCE", "CT_OVERFLOW", "CT_BYTES"]);
    same(&[overflow, get(30, 3), get(20, 3), deliver(), once, deliver()]);
}

#[test]
fn flow_control_refuses_a_get_and_answers_it() {
    let mut wanted = get(30, 3);
    wanted["pt"] = json!(1);
    same(&[
        wanted.clone(),
        deliver(),
        wanted.clone(),
        deliver(),
        json!({"op": "pt_enable", "node": 1, "pt": 1}),
        wanted,
        deliver(),
    ]);
}

#[test]
fn a_triggered_get_counts_its_reply() {
    let waits = json!({"op": "triggered", "node": 0, "trig_ct": 1, "threshold": 2, "do": {
        "op": "get", "dst": 1, "md": "b", "offset": 9, "length": 77, "match_bits": 7, "roffset": 1}});
    let chained = json!({"op": "triggered", "node": 0, "trig_ct": 2, "threshold": 77, "do": {
        "op": "get", "dst": 1, "md": "m", "offset": 200, "length": 10, "match_bits": 7}});
    let one = json!({"op": "ct_inc", "node": 0, "ct": 1, "success": 1});
    same(&[
        append(&["OP_GET"], 200),
        waits,
        chained,
        one.clone(),
        deliver(),
        one,
        deliver(),
    ]);
}

#[test]
fn memory_that_does_not_exist_fails_a_get() {
    // Half of what is asked for, and all of it, lies beyond memory.
    for (start, length) in [(1000, 64), (5000, 64), (1000, 24)] {
        let beyond = json!({"op": "me_append", "node": 1, "id": "a", "start": start, "length": 100, "match_bits": 7,
            "options": ["OP_GET", "CT_COMM"], "ct": 1});
        same(&[beyond, get(length, 0), deliver()]);
    }
}

#[test]
fn nobody_answers_and_the_network_says_so() {
    let mut nowhere = get(30, 3);
    nowhere["dst"] = json!(9);
    same(&[nowhere, deliver()]);
}

/// A random step; numbers are small, so that things meet.
fn step(rng: &mut ChaCha8Rng, id: u32) -> Value {
    let node = rng.random_range(0..2);
    let pick = |rng: &mut ChaCha8Rng, from: &[(&'static str, f64)]| -> Vec<&'static str> {
        from.iter()
            .filter(|(_, chance)| rng.random_bool(*chance))
            .map(|(name, _)| *name)
            .collect()
    };
    let entry = |rng: &mut ChaCha8Rng, op: &str| {
        let options = pick(
            rng,
            &[
                ("OP_GET", 0.85),
                ("OP_PUT", 0.5),
                ("USE_ONCE", 0.4),
                ("MANAGE_LOCAL", 0.3),
                ("NO_TRUNCATE", 0.2),
                ("CT_COMM", 0.5),
                ("CT_OVERFLOW", 0.3),
                ("CT_BYTES", 0.3),
                ("COMM_DISABLE", 0.1),
                ("SUCCESS_DISABLE", 0.1),
                ("UNLINK_DISABLE", 0.1),
                ("OVER_DISABLE", 0.1),
                ("UNEXPECTED_HDR_DISABLE", 0.1),
                ("FLOWCTRL_DISABLE", 0.1),
            ],
        );
        json!({
            "op": op, "node": node, "id": format!("e{id}"), "pt": rng.random_range(0..2), "start": rng.random_range(0..300),
            "length": rng.random_range(0..200), "match_bits": rng.random_range(0..2),
            "ignore_bits": if rng.random_bool(0.4) { u64::MAX } else { 0 }, "options": options, "ct": 1,
            "uid": if rng.random_bool(0.8) { -1 } else { rng.random_range(0..2) },
            "min_free": if rng.random_bool(0.3) { rng.random_range(1..50) } else { 0 },
        })
    };
    let transfer = |rng: &mut ChaCha8Rng, op: &str| {
        json!({
            "op": op, "dst": 1 - node, "pt": rng.random_range(0..2), "md": if rng.random_bool(0.5) { "m" } else { "b" },
            "offset": rng.random_range(0..250), "length": rng.random_range(0..250), "match_bits": rng.random_range(0..2),
            "roffset": rng.random_range(0..120),
        })
    };
    match rng.random_range(0..20) {
        0..5 => {
            let mut entry = entry(rng, "me_append");
            if rng.random_bool(0.35) {
                entry["list"] = json!("OVERFLOW");
            }
            entry
        }
        5 => {
            let mut search = entry(rng, "me_search");
            search["search"] = json!(if rng.random_bool(0.5) {
                "ONLY"
            } else {
                "DELETE"
            });
            search
        }
        6..11 => {
            let mut get = transfer(rng, "get");
            get["node"] = json!(node);
            get
        }
        11 => {
            let mut put = transfer(rng, "put");
            (put["node"], put["ack"]) = (json!(node), json!("ACK"));
            put
        }
        12 => {
            json!({"op": "recv", "node": node, "src": 5, "kind": "GET", "rlength": rng.random_range(0..200),
            "pt": rng.random_range(0..2), "match_bits": rng.random_range(0..2), "roffset": rng.random_range(0..120)})
        }
        13 => {
            json!({"op": "triggered", "node": node, "trig_ct": rng.random_range(1..3), "threshold": rng.random_range(0..6),
            "do": transfer(rng, "get")})
        }
        14 => json!({"op": "ct_inc", "node": node, "ct": rng.random_range(1..3), "success": 1}),
        15 => json!({"op": "pt_enable", "node": node, "pt": 1}),
        16 if id > 0 => {
            json!({"op": "me_unlink", "node": node, "id": format!("e{}", rng.random_range(0..id))})
        }
        _ => deliver(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn random_programs_do_what_the_model_does(seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut steps: Vec<Value> = (0..40).map(|id| step(&mut rng, id)).collect();
        steps.push(deliver());
        let wrong = differences(&config(), &steps);
        prop_assert!(wrong.is_empty(), "{:#?}\n{}", wrong, json!(steps));
    }
}
