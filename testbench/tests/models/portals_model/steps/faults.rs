//! What is wrong with a case is named by its key.

use serde_json::{Value, json};
use xtq_testbench::cases::NotRun;

use super::{case, fault, one};
use crate::portals_model::cases::{open_cases, play};

#[test]
fn faults_name_the_step_and_the_key() {
    for (step, wanted) in [
        (json!({"op": "jump"}), "steps[1]: op: there is no \"jump\""),
        (json!({"node": 0}), "steps[1]: missing field `op`"),
        (
            json!({"op": "me_append", "id": "a", "lenght": 4}),
            "steps[1]: lenght: unknown field `lenght`",
        ),
        (
            json!({"op": "me_append", "id": "a", "length": -4}),
            "steps[1]: length: invalid value: integer `-4`",
        ),
        (
            json!({"op": "me_append", "id": "a", "options": ["OP_PUT", "OP"]}),
            "steps[1]: options[1]: unknown variant `OP`",
        ),
        (
            json!({"op": "me_append", "id": "a", "src": -2}),
            "steps[1]: src: -2 is neither -1 nor",
        ),
        (
            json!({"op": "me_append", "id": "a", "list": "BOTH"}),
            "steps[1]: list: unknown variant `BOTH`",
        ),
        (json!({"op": "me_append"}), "steps[1]: missing field `id`"),
        (
            json!({"op": "me_search", "id": "a"}),
            "steps[1]: missing field `search`",
        ),
        (
            json!({"op": "me_unlink", "id": "a", "pt": 0}),
            "steps[1]: pt: unknown field `pt`",
        ),
        (
            json!({"op": "recv", "data": "00"}),
            "steps[1]: missing field `src`",
        ),
        (
            json!({"op": "recv", "src": 1, "data": "0g"}),
            "steps[1]: data: Invalid character",
        ),
        (
            json!({"op": "recv", "src": 1, "rlength": 1_u64 << 40}),
            "steps[1]: rlength: 1099511627776, more than 16777216",
        ),
        (
            json!({"op": "recv", "src": 1, "kind": "POST"}),
            "steps[1]: kind: there is no \"POST\"",
        ),
        (
            json!({"op": "recv", "src": 1, "kind": "FETCH"}),
            "steps[1]: missing field `aop`",
        ),
        (
            json!({"op": "put", "dst": 0, "md": "m"}),
            "steps[1]: there is no md \"m\"",
        ),
        (
            json!({"op": "put", "dst": 0, "get_offset": "x"}),
            "steps[1]: get_offset: invalid type",
        ),
        (
            json!({"op": "deliver", "to": 1}),
            "steps[1]: to: unknown field `to`",
        ),
        (
            json!({"op": "ct_inc", "ct": 1, "node": 3}),
            "steps[1]: node: 3 is not in config.nodes",
        ),
        (
            json!({"op": "mem_write", "addr": 1023, "hex": "0000"}),
            "steps[1]: 1023: outside memory",
        ),
        (
            json!({"op": "mem_write", "addr": 0}),
            "steps[1]: missing field `hex`",
        ),
        (
            json!({"op": "triggered", "trig_ct": 1, "threshold": 1}),
            "steps[1]: missing field `do`",
        ),
        (
            json!({"op": "triggered", "trig_ct": 1, "threshold": 1, "do": {"op": "deliver"}}),
            "steps[1]: do.op: \"deliver\" cannot be triggered",
        ),
        (
            json!({"op": "triggered", "trig_ct": 1, "threshold": 1, "do": {"op": "ct_inc", "ct": 1, "node": 1}}),
            "steps[1]: do.node: not the node of the step",
        ),
        (
            json!({"op": "triggered", "trig_ct": 1, "threshold": 1, "do": {"op": "ct_inc", "ct": "1"}}),
            "steps[1]: do: ct: invalid type",
        ),
        (
            json!({"op": "recv", "src": 1, "kind": "SWAP", "aop": "CSWAP", "dtype": "INT32", "data": "00000000", "operand": "00"}),
            "steps[1]: an operand of 1 bytes, not 4",
        ),
    ] {
        let why = fault(step);
        assert!(why.starts_with(wanted), "{why}\n{wanted}");
    }
}

#[test]
fn faults_of_the_configuration_name_the_key() {
    for (node, wanted) in [
        (
            json!({"pts": [{"index": 0}, {"index": 99}]}),
            "config.nodes.0: pts: 99: ARG_INVALID",
        ),
        (
            json!({"pts": [{"index": 0, "flowctrl": true, "eq": false}]}),
            "config.nodes.0: pts: 0: PT_EQ_NEEDED",
        ),
        (json!({"cts": [1, 1]}), "config.nodes.0: cts: 1: IN_USE"),
        (
            json!({"mds": [{"id": "m", "start": 0, "length": 4, "ct": 5}]}),
            "config.nodes.0: mds: m: ARG_INVALID",
        ),
        (
            json!({"mem_init": [[1024, "00"]]}),
            "config.nodes.0: mem_init: 1024: outside memory",
        ),
        (
            json!({"mem_init": [[u64::MAX, "00"]]}),
            "config.nodes.0: mem_init: 18446744073709551615: outside memory",
        ),
        (
            json!({"mem_size": 1_u64 << 40}),
            "MEMORY: config.nodes.0.mem_size: more than",
        ),
        (
            json!({"limits": {"max_entrys": 1}}),
            "config.nodes.0.limits.max_entrys: unknown field",
        ),
        (
            json!({"mds": [{"id": "m", "start": 0}]}),
            "config.nodes.0.mds[0]: missing field `length`",
        ),
    ] {
        let why = play(&case(one(node), json!([]))).unwrap_err().to_string();
        assert!(why.starts_with(wanted), "{why}\n{wanted}");
    }
    let mut case = open_cases("portals")[0].clone();
    case["expect"]["0"]["events"][0]["kind"] = json!("LINK");
    let why = play(&case).unwrap_err().to_string();
    assert!(
        why.starts_with("expect.0.events[0].kind: unknown field"),
        "{why}"
    );
    for key in ["config", "steps", "expect"] {
        let mut case = open_cases("portals")[0].clone();
        case.as_object_mut().unwrap().remove(key);
        assert_eq!(
            play(&case).unwrap_err().to_string(),
            format!("{key}: missing")
        );
    }
}

#[test]
fn what_is_not_modelled_is_unsupported_and_not_malformed() {
    let product =
        json!({"op": "recv", "src": 1, "kind": "ATOMIC", "aop": "PROD", "dtype": "LONG_DOUBLE"});
    let complex = json!({"op": "recv", "src": 1, "kind": "SWAP", "aop": "SWAP", "dtype": "LONG_DOUBLE_COMPLEX"});
    let sent = json!({"op": "atomic", "dst": 0, "aop": "SUM", "dtype": "LONG_DOUBLE"});
    for step in [product, complex, sent] {
        let steps = json!([step]);
        let why = play(&case(one(json!({})), steps)).unwrap_err();
        assert!(
            matches!(&why, NotRun::Unsupported { why, .. } if why.starts_with("steps[0]: ")),
            "{why:?}"
        );
    }
}

#[test]
fn faults_in_mpi_cases_name_the_step() {
    let fault = |step: Value| {
        let case = json!({"kind": "mpi", "steps": [["post", "r", 0, 0, 0], step], "expect": {}});
        play(&case).unwrap_err().to_string()
    };
    for (step, wanted) in [
        (
            json!(["post", "r", 65536, 0, 0]),
            "steps[1]: source: invalid value",
        ),
        (
            json!(["post", "r", -2, 0, 0]),
            "steps[1]: source: invalid value",
        ),
        (
            json!(["arrive", "m", -1, 0, 0]),
            "steps[1]: source: invalid value",
        ),
        (
            json!(["arrive", "m", 0, 4294967296_u64, 0]),
            "steps[1]: tag: invalid value",
        ),
        (json!(["probe", 0, 0, -1]), "steps[1]: comm: invalid value"),
        (json!(["cancel", "q"]), "steps[1]: no such receive"),
        (
            json!(["cancel"]),
            "steps[1]: \"cancel\" with 0 arguments is none of [post, id",
        ),
        (json!([7]), "steps[1]: a step is one of [post, id"),
        (json!({"op": "post"}), "steps[1]: invalid type: an object"),
    ] {
        let why = fault(step);
        assert!(why.starts_with(wanted), "{why}\n{wanted}");
    }
    let case = json!({"kind": "mpi", "steps": [], "expect": {"pairs": [], "prq": [], "umq": [], "probe": []}});
    assert!(
        play(&case)
            .unwrap_err()
            .to_string()
            .starts_with("expect.probe: unknown field")
    );
}
