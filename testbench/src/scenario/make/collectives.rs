//! Collectives of triggered operations: no host does anything between the start and the end.

use super::{MakeError, Making, SOURCE, Text, repeated};

/// Most bytes of an atomic.
const MOST_ATOMIC: u64 = 512;
/// Bytes of the result that are compared.
const COMPARED: u64 = 4096;

/// Round *k* sends to the node 2^k further on, when what was sent in the round before and what came in it are both
/// counted.
pub(super) fn barrier(text: &mut Text, making: &Making) {
    let nodes = making.nodes;
    let rounds = nodes.next_power_of_two().ilog2() as usize;
    let last = rounds - 1;
    let entry = |options: &str| {
        format!(
            "{{ name = \"e{{k}}\", ptl_me_append = {{ me = \"e{{k}}\", pt = \"bar\", match_bits = \"{{k}}\", start = 0x4000_0000, length = 0, ct = \"c{{k}}\", options = [\"op_put\", \"ct_comm\", \"comm_disable\"{options}] }} }}"
        )
    };
    let put = |trigger: &str| {
        format!(
            "{{ ptl_put = {{ md = \"none\", length = 0, target = \"p{{(rank + 2 ^ k) % {nodes}}}\", pt = \"bar\", match_bits = \"{{k}}\" }}{trigger} }}"
        )
    };
    let trigger = ", trigger = { ct = \"c{k - 1}\", threshold = 2 }";
    let count = format!("{{ ptl_ct_inc = {{ ct = \"c{{k}}\", success = 1 }}{trigger} }}");
    let steps = [
        "{ ptl_pt_alloc = { pt = \"bar\" } }".to_owned(),
        "{ ptl_md_bind = { md = \"none\", start = 0x2000_0000, length = 8 } }".to_owned(),
        repeated(
            "k",
            0,
            rounds,
            &["{ ptl_ct_alloc = { ct = \"c{k}\" } }".to_owned()],
        ),
        repeated("k", 0, last, &[entry(", \"link_disable\"")]),
        repeated("k", last, rounds, &[entry("")]),
        format!("{{ wait_event = {{ kind = \"link\", of = \"e{last}\" }} }}"),
        repeated("k", 1, rounds, &[put(trigger), count]),
        "{ barrier = { name = \"armed\" } }".to_owned(),
        "{ ptl_ct_inc = { ct = \"c0\", success = 1 } }".to_owned(),
        repeated("k", 0, 1, &[put("")]),
        format!("{{ ptl_ct_wait = {{ ct = \"c{last}\", threshold = 2 }} }}"),
    ];
    text.ranks(nodes, 256, "", &steps);
}

/// One vector of as many chunks as nodes, one everywhere at first. Chunk after chunk goes round and is summed up, then
/// the sums go round.
pub(super) fn allreduce(text: &mut Text, making: &Making) -> Result<(), MakeError> {
    let Making { nodes, bytes, .. } = *making;
    if bytes % 8 != 0 || bytes > MOST_ATOMIC {
        let why = "a chunk of an allreduce has a multiple of 8 up to 512";
        return Err(MakeError::Bytes { bytes, why });
    }
    let commands = 2 * nodes - 2;
    let room = usize::from(making.nic.shares().triggered);
    if commands > room {
        return Err(MakeError::Triggered {
            nodes,
            commands,
            room,
        });
    }
    let all = bytes * nodes as u64;
    let words = |value: u64, bytes: u64| {
        let word: String = value
            .to_le_bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        word.repeat((bytes / 8) as usize)
    };
    let chunk = |number: &str| {
        let offset = format!("\"{{({number}) % {nodes} * {bytes}}}\"");
        format!(
            "md = \"v\", length = {bytes}, local_offset = {offset}, remote_offset = {offset}, target = \"p{{(rank + 1) % {nodes}}}\", pt = \"v\""
        )
    };
    let atomic = |number: &str, trigger: &str| {
        let chunk = chunk(number);
        format!(
            "{{ ptl_atomic = {{ {chunk}, operation = \"sum\", datatype = \"uint64\" }}{trigger} }}"
        )
    };
    let sums = ", trigger = { ct = \"c\", threshold = \"{step}\" }";
    let puts = format!(
        ", trigger = {{ ct = \"c\", threshold = \"{{{} + step}}\" }}",
        nodes - 1
    );
    let put = format!("{{ ptl_put = {{ {} }}{puts} }}", chunk("rank + 1 - step"));
    let steps = [
        "{ ptl_pt_alloc = { pt = \"v\" } }".to_owned(),
        "{ ptl_ct_alloc = { ct = \"c\" } }".to_owned(),
        format!("{{ ptl_md_bind = {{ md = \"v\", start = {SOURCE:#x}, length = {all} }} }}"),
        format!(
            "{{ name = \"v\", ptl_me_append = {{ me = \"v\", pt = \"v\", start = {SOURCE:#x}, length = {all}, ct = \"c\", options = [\"op_put\", \"ct_comm\", \"comm_disable\"] }} }}"
        ),
        "{ wait_event = { kind = \"link\", of = \"v\" } }".to_owned(),
        repeated("step", 1, nodes - 1, &[atomic("rank - step", sums)]),
        repeated("step", 0, nodes - 1, &[put]),
        "{ barrier = { name = \"armed\" } }".to_owned(),
        atomic("rank", ""),
        format!("{{ ptl_ct_wait = {{ ct = \"c\", threshold = {commands} }} }}"),
        format!(
            "{{ expect_memory = {{ address = {SOURCE:#x}, bytes = \"{}\" }} }}",
            words(nodes as u64, all.min(COMPARED))
        ),
    ];
    let data = format!("{{ address = {SOURCE:#x}, bytes = \"{}\" }}", words(1, all));
    text.ranks(nodes, 512, &data, &steps);
    Ok(())
}
