//! Patterns of plain puts.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{LANDING, Making, SOURCE, Text, repeated};

/// What every byte is that is sent.
const BYTE: u8 = 0x5a;

fn filled(address: impl std::fmt::Display, length: u64) -> String {
    let fill = format!("{{ fill = {{ byte = {BYTE}, length = {length} }} }}");
    format!("{{ address = {address}, bytes = {fill} }}")
}

fn step(text: impl Into<String>) -> String {
    text.into()
}

pub(super) fn wait(text: &mut Text, making: &Making) {
    let delay = step(format!("{{ delay = {{ cycles = {} }} }}", making.pause));
    text.ranks(making.nodes, 64, "", &[delay]);
}

pub(super) fn ring(text: &mut Text, making: &Making) {
    let Making {
        nodes,
        rounds,
        bytes,
        pause,
        ..
    } = *making;
    let mut round = Vec::new();
    if pause > 0 {
        round.push(format!("{{ delay = {{ cycles = {pause} }} }}"));
    }
    round.push(format!(
        "{{ name = \"m{{round}}\", ptl_put = {{ md = \"out\", length = {bytes}, target = \"p{{(rank + 1) % {nodes}}}\", pt = \"in\", ack = \"ack\" }} }}"
    ));
    round.push(format!(
        "{{ wait_event = {{ kind = \"put\", length = {bytes} }} }}"
    ));
    round.push(step(
        "{ wait_event = { kind = \"ack\", of = \"m{round}\" } }",
    ));
    let steps = [
        step("{ ptl_pt_alloc = { pt = \"in\" } }"),
        format!(
            "{{ ptl_md_bind = {{ md = \"out\", start = {SOURCE:#x}, length = {bytes}, options = [\"events\", \"send_disable\"] }} }}"
        ),
        format!(
            "{{ name = \"buffer\", ptl_me_append = {{ me = \"buffer\", pt = \"in\", start = {LANDING:#x}, length = {bytes}, options = [\"op_put\"] }} }}"
        ),
        step("{ wait_event = { kind = \"link\", of = \"buffer\" } }"),
        step("{ barrier = { name = \"ready\" } }"),
        repeated("round", 0, rounds, &round),
        format!(
            "{{ expect_memory = {} }}",
            filled(format!("{LANDING:#x}"), bytes)
        ),
    ];
    let data = filled(format!("{SOURCE:#x}"), bytes);
    text.ranks(nodes, 256, &data, &steps);
}

/// Steps of a process to which `count` puts of up to `length` bytes come, before they may.
fn receiver(length: u64) -> Vec<String> {
    vec![
        step("{ ptl_pt_alloc = { pt = \"in\" } }"),
        step("{ ptl_ct_alloc = { ct = \"came\" } }"),
        format!(
            "{{ name = \"buffer\", ptl_me_append = {{ me = \"buffer\", pt = \"in\", start = {LANDING:#x}, length = {length}, ct = \"came\", options = [\"op_put\", \"ct_comm\", \"comm_disable\"] }} }}"
        ),
        step("{ wait_event = { kind = \"link\", of = \"buffer\" } }"),
    ]
}

pub(super) fn alltoall(text: &mut Text, making: &Making) {
    let Making { nodes, bytes, .. } = *making;
    let all = bytes * nodes as u64;
    let mut steps = receiver(all);
    steps.push(format!(
        "{{ ptl_md_bind = {{ md = \"out\", start = {SOURCE:#x}, length = {bytes} }} }}"
    ));
    steps.push(step("{ barrier = { name = \"ready\" } }"));
    let put = format!(
        "{{ ptl_put = {{ md = \"out\", length = {bytes}, remote_offset = \"{{rank * {bytes}}}\", target = \"p{{(rank + other) % {nodes}}}\", pt = \"in\" }} }}"
    );
    steps.push(repeated("other", 1, nodes, &[put]));
    steps.push(format!(
        "{{ ptl_ct_wait = {{ ct = \"came\", threshold = {} }} }}",
        nodes - 1
    ));
    steps.push(format!(
        "{{ expect_memory = {} }}",
        filled(format!("{LANDING:#x}"), all)
    ));
    // What a node would send to itself is there from the start.
    let own = filled(format!("\"{{{LANDING:#x} + rank * {bytes}}}\""), bytes);
    let data = format!("{}, {own}", filled(format!("{SOURCE:#x}"), bytes));
    text.ranks(nodes, 256, &data, &steps);
}

pub(super) fn random(text: &mut Text, making: &Making) {
    let Making {
        nodes,
        rounds,
        bytes,
        ..
    } = *making;
    let mut rng = ChaCha8Rng::seed_from_u64(making.seed);
    let mut puts = vec![Vec::new(); nodes];
    let mut came = vec![0; nodes];
    for puts in &mut puts {
        for _ in 0..rounds {
            let (target, length) = (rng.random_range(0..nodes), rng.random_range(1..=bytes));
            came[target] += 1;
            puts.push((target, length, rng.random_range(0..=2 * making.pause)));
        }
    }
    for (rank, puts) in puts.iter().enumerate() {
        text.line(format!("\n[[nodes]]\nname = \"n{rank}\""));
        let mut steps = receiver(bytes);
        steps.push(format!(
            "{{ ptl_md_bind = {{ md = \"out\", start = {SOURCE:#x}, length = {bytes} }} }}"
        ));
        steps.push(step("{ barrier = { name = \"ready\" } }"));
        for (target, length, pause) in puts {
            if *pause > 0 {
                steps.push(format!("{{ delay = {{ cycles = {pause} }} }}"));
            }
            steps.push(format!(
                "{{ ptl_put = {{ md = \"out\", length = {length}, target = \"p{target}\", pt = \"in\" }} }}"
            ));
        }
        if came[rank] > 0 {
            let threshold = came[rank];
            steps.push(format!(
                "{{ ptl_ct_wait = {{ ct = \"came\", threshold = {threshold} }} }}"
            ));
        }
        let data = filled(format!("{SOURCE:#x}"), bytes);
        text.process(&format!("p{rank}"), 256, &data, &steps);
    }
}
