//! Random programs of two nodes.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::atomics_rtl::fixture::{arrives, beside, called, config, deliver, pairs, request};

/// A random step; numbers are small, so that things meet. Entries begin at multiples of `stride`, and no datum is
/// larger, for the hardware takes no other.
fn step(rng: &mut ChaCha8Rng, id: u32, stride: usize) -> Value {
    let node = rng.random_range(0..2);
    let pair = |rng: &mut ChaCha8Rng| {
        let mut pairs = pairs();
        pairs.retain(|(_, _, bytes)| *bytes <= stride);
        pairs[rng.random_range(0..pairs.len())]
    };
    let message = |rng: &mut ChaCha8Rng| {
        let pair = pair(rng);
        let mut request = request(rng, pair);
        (request["pt"], request["match_bits"]) =
            (json!(rng.random_range(0..2)), json!(rng.random_range(0..2)));
        request
    };
    let entry = |rng: &mut ChaCha8Rng, op: &str| {
        let options: Vec<&str> = [
            ("OP_GET", 0.85),
            ("OP_PUT", 0.85),
            ("USE_ONCE", 0.4),
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
        ]
        .into_iter()
        .filter(|(_, chance)| rng.random_bool(*chance))
        .map(|(name, _)| name)
        .collect();
        json!({
            "op": op, "node": node, "id": format!("e{id}"), "pt": rng.random_range(0..2), "start": stride * rng.random_range(0..320 / stride),
            "length": rng.random_range(0..300), "match_bits": rng.random_range(0..2),
            "ignore_bits": if rng.random_bool(0.4) { u64::MAX } else { 0 }, "options": options, "ct": 1,
            "uid": if rng.random_bool(0.8) { -1 } else { rng.random_range(0..2) },
        })
    };
    let call = |rng: &mut ChaCha8Rng| {
        let message = message(rng);
        let [_, mut call] = called(message, rng.random_range(0..400));
        (call["node"], call["dst"]) = (json!(node), json!(1 - node));
        if rng.random_bool(0.5) {
            call["md"] = json!("b");
        }
        call
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
            search["search"] = json!(["ONLY", "DELETE"][rng.random_range(0..2)]);
            search
        }
        6..11 => call(rng),
        11 => {
            let op = ["put", "get"][rng.random_range(0..2)];
            json!({"op": op, "node": node, "dst": 1 - node, "pt": rng.random_range(0..2), "md": "m", "offset": rng.random_range(0..250),
                "length": rng.random_range(0..250), "match_bits": rng.random_range(0..2), "roffset": 8 * rng.random_range(0..9), "ack": "ACK"})
        }
        12..14 => {
            let mut request = arrives(message(rng));
            request["node"] = json!(node);
            request
        }
        14 => {
            let mut call = call(rng);
            call.as_object_mut().expect("a table").remove("node");
            json!({"op": "triggered", "node": node, "trig_ct": rng.random_range(1..3), "threshold": rng.random_range(0..6), "do": call})
        }
        15 => json!({"op": "ct_inc", "node": node, "ct": rng.random_range(1..3), "success": 1}),
        16 => json!({"op": "pt_enable", "node": node, "pt": 1}),
        17 if id > 0 => {
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
        let stride = [8, 16][rng.random_range(0..2)];
        let mut steps: Vec<Value> = (0..50).map(|id| step(&mut rng, id, stride)).collect();
        steps.push(deliver());
        let (_, wrong) = beside(&config(), &steps);
        prop_assert!(wrong.is_empty(), "{:#?}\n{}", wrong, json!(steps));
    }
}
