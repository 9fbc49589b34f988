//! Cases, their steps, and random atomics.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use xtq_testbench::cases::{CaseOutcome, On, Status, run_text};

/// Operations of PtlAtomic and PtlFetchAtomic, then those of PtlSwap.
pub const OPERATIONS: [&str; 18] = [
    "MIN", "MAX", "SUM", "PROD", "LOR", "LAND", "BOR", "BAND", "LXOR", "BXOR", "SWAP", "CSWAP",
    "CSWAP_NE", "CSWAP_LE", "CSWAP_LT", "CSWAP_GE", "CSWAP_GT", "MSWAP",
];
/// Number of the first one of PtlSwap.
pub const SWAP: usize = 10;
/// Datatypes that the hardware has, and their bytes.
pub const DATATYPES: [(&str, usize); 12] = [
    ("INT8", 1),
    ("UINT8", 1),
    ("INT16", 2),
    ("UINT16", 2),
    ("INT32", 4),
    ("UINT32", 4),
    ("FLOAT", 4),
    ("INT64", 8),
    ("UINT64", 8),
    ("DOUBLE", 8),
    ("FLOAT_COMPLEX", 8),
    ("DOUBLE_COMPLEX", 16),
];

/// What the hardware has: 174 pairs, as in Portals' table of atomic operations, written down once more.
pub fn is_built(operation: &str, datatype: &str) -> bool {
    match datatype {
        "FLOAT" | "DOUBLE" => {
            !["LOR", "LAND", "BOR", "BAND", "LXOR", "BXOR", "MSWAP"].contains(&operation)
        }
        "FLOAT_COMPLEX" => ["SUM", "PROD", "SWAP", "CSWAP", "CSWAP_NE"].contains(&operation),
        // An operand of 16 bytes has no room in a message.
        "DOUBLE_COMPLEX" => ["SUM", "PROD", "SWAP"].contains(&operation),
        _ => true,
    }
}

/// All of them, with the number of the operation and the bytes of a datum.
pub fn pairs() -> Vec<(usize, &'static str, usize)> {
    let all = (0..OPERATIONS.len())
        .flat_map(|operation| DATATYPES.map(|(datatype, bytes)| (operation, datatype, bytes)));
    all.filter(|(operation, datatype, _)| is_built(OPERATIONS[*operation], datatype))
        .collect()
}

/// Whether it works on one datum, with an operand.
pub fn is_single(operation: usize) -> bool {
    operation > SWAP
}

pub fn outcome(config: &Value, steps: &[Value], expect: &Value, on: On) -> CaseOutcome {
    let case =
        json!({"id": "A", "kind": "portals", "config": config, "steps": steps, "expect": expect});
    let file = json!({"schema": "xtq-cases-1", "cases": [case]}).to_string();
    let outcomes = run_text("A", &file, on).expect("a case file");
    outcomes.into_iter().next().expect("one case")
}

/// What the model shows, and the lines in which the hardware differs from it.
pub fn beside(config: &Value, steps: &[Value]) -> (Value, Vec<String>) {
    let model = outcome(config, steps, &json!({}), On::Model);
    assert!(!model.result.is_null(), "{:?}", model.differences);
    let hardware = outcome(config, steps, &model.result, On::Rtl);
    let lines = match hardware.status {
        Status::Passed => Vec::new(),
        _ => hardware.differences,
    };
    (model.result, lines)
}

/// Two nodes: each with bytes, descriptors with and without counts, a portal entry without and one with flow control.
pub fn config() -> Value {
    let node = |first: u8| {
        let bytes: String = (0..512u32)
            .map(|i| format!("{:02x}", (i as u8).wrapping_mul(37).wrapping_add(first)))
            .collect();
        json!({
            "mem_size": 2048, "mem_init": [[0, bytes], [1024, bytes]], "cts": [1, 2],
            "pts": [{"index": 0}, {"index": 1, "flowctrl": true}],
            "mds": [
                {"id": "m", "start": 512, "length": 1024, "ct": 2, "options": ["CT_REPLY", "CT_SEND", "CT_ACK"]},
                {"id": "b", "start": 512, "length": 1024, "ct": 2, "options": ["CT_REPLY", "CT_ACK", "CT_BYTES"]},
                {"id": "s", "start": 1024, "length": 512},
            ],
        })
    };
    json!({"nodes": {"0": node(3), "1": node(90)}})
}

/// The hardware shows what the model does, which is given back.
pub fn same(steps: &[Value]) -> Value {
    let (shown, wrong) = beside(&config(), steps);
    assert!(wrong.is_empty(), "{wrong:#?}\n{}", json!(steps));
    shown
}

pub fn append(options: &[&str], start: u64, length: u64) -> Value {
    json!({"op": "me_append", "node": 1, "id": "a", "start": start, "length": length, "match_bits": 7, "options": options, "ct": 1})
}

pub fn both() -> Value {
    append(&["OP_PUT", "OP_GET", "CT_COMM"], 0, 512)
}

pub fn deliver() -> Value {
    json!({"op": "deliver"})
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A datum, often one of those at which something changes.
pub fn datum(rng: &mut ChaCha8Rng, datatype: &str) -> Vec<u8> {
    if let Some(part) = datatype.strip_suffix("_COMPLEX") {
        return [datum(rng, part), datum(rng, part)].concat();
    }
    let pick64 = |rng: &mut ChaCha8Rng, from: &[u64]| from[rng.random_range(0..from.len())];
    let bits: u64 = match (datatype, rng.random_range(0..3)) {
        ("FLOAT", 0) => pick64(
            rng,
            &[
                0,
                0x8000_0000,
                0x7f80_0000,
                0xff80_0000,
                0x7fc0_0001,
                0xff80_0001,
                1,
                0x007f_ffff,
                0x0080_0000,
                0x7f7f_ffff,
                0x3f80_0000,
                0xbf80_0000,
            ],
        ),
        ("DOUBLE", 0) => pick64(
            rng,
            &[
                0,
                1 << 63,
                0x7ff0_0000_0000_0000,
                0xfff0_0000_0000_0000,
                0x7ff8_0000_0000_0001,
                0xfff0_0000_0000_0001,
                1,
                0x000f_ffff_ffff_ffff,
                0x0010_0000_0000_0000,
                0x7fef_ffff_ffff_ffff,
                0x3ff0_0000_0000_0000,
            ],
        ),
        (_, 0) => pick64(
            rng,
            &[
                0,
                1,
                u64::MAX,
                0x7f7f_7f7f_7f7f_7f7f,
                0x8080_8080_8080_8080,
                0x7fff_ffff_ffff_ffff,
                0x8000_8000_8000_8000,
                1 << 31,
            ],
        ),
        (_, 1) => rng.random_range(0..4),
        _ => rng.random(),
    };
    let (_, size) = DATATYPES
        .iter()
        .find(|(name, _)| *name == datatype)
        .expect("it is one");
    bits.to_le_bytes()[..*size].to_vec()
}

pub fn data(rng: &mut ChaCha8Rng, datatype: &str, count: usize) -> Vec<u8> {
    (0..count).flat_map(|_| datum(rng, datatype)).collect()
}

/// What a message of this pair has at random: its kind (ATOMIC or FETCH, or SWAP), how many data, where, which, the
/// operand.
pub fn request(rng: &mut ChaCha8Rng, (operation, datatype, size): (usize, &str, usize)) -> Value {
    let kind = match operation < SWAP {
        true => ["ATOMIC", "FETCH"][rng.random_range(0..2)],
        false => "SWAP",
    };
    let count = match is_single(operation) {
        true => 1,
        false => [1, 1, 2, 3, 8, 11, 64][rng.random_range(0..7)].min(512 / size),
    };
    let mut request = json!({
        "kind": kind, "aop": OPERATIONS[operation], "dtype": datatype, "data": hex(&data(rng, datatype, count)), "match_bits": 7,
        "roffset": rng.random_range(0..6) * 16, "hdr_data": rng.random::<u32>(),
    });
    if is_single(operation) {
        request["operand"] = json!(hex(&datum(rng, datatype)));
    }
    if kind == "ATOMIC" {
        request["ack"] = json!(["NONE", "ACK", "CT", "OC"][rng.random_range(0..4)]);
    }
    request
}

/// The same as a message from outside to node 1.
pub fn arrives(mut request: Value) -> Value {
    (request["op"], request["node"], request["src"]) = (json!("recv"), json!(1), json!(5));
    request
}

/// The same as a call of node 0, which first writes the data to where it sends them from.
pub fn called(mut request: Value, offset: u64) -> [Value; 2] {
    let data = request["data"].clone();
    let length = data.as_str().map_or(0, |data| data.len() / 2);
    let kind = request["kind"].as_str().unwrap_or_default().to_lowercase();
    let keys = request.as_object_mut().expect("a table");
    keys.retain(|key, _| !["data", "kind"].contains(&key.as_str()));
    let more =
        json!({"op": kind, "node": 0, "dst": 1, "md": "m", "offset": offset, "length": length});
    keys.extend(more.as_object().cloned().expect("a table"));
    if kind != "atomic" {
        (request["get_md"], request["get_offset"]) = (json!("s"), json!(offset % 64));
    }
    [
        json!({"op": "mem_write", "node": 0, "addr": 512 + offset, "hex": data}),
        request,
    ]
}

pub fn sum(length: usize, roffset: u64) -> Value {
    json!({"kind": "FETCH", "aop": "SUM", "dtype": "UINT32", "data": hex(&vec![3; length]), "match_bits": 7, "roffset": roffset})
}

pub fn of_kind(kind: &str) -> Value {
    let mut request = sum(12, 8);
    request["kind"] = json!(kind);
    if kind == "SWAP" {
        request["aop"] = json!("SWAP");
    }
    if kind == "ATOMIC" {
        request["ack"] = json!("ACK");
    }
    request
}
