//! The allreduce of `compnet-allreduce` gives sums; lines through times; how figure 10 is judged.

use xtq_compute::experiments::compnet_allreduce::{
    CompnetAllreduce, DESIGNS, Energy, Parameters, Row, Times, statements, word,
};
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::Experiment;

fn parameters() -> Parameters {
    Parameters::parse("p.toml", CompnetAllreduce.parameters()).unwrap()
}

#[test]
fn every_design_gives_every_node_the_sum() {
    for (design, seed) in DESIGNS.into_iter().zip(1..) {
        for (nodes, rings) in [(2, 3), (3, 2)] {
            let mut parameters = parameters();
            parameters.sweep.rings = rings;
            let bytes = 64 * 3 * nodes as u64 * rings;
            let point = parameters.point(design, nodes, bytes);
            let ran = point.run(&parameters, seed);
            let (us, vectors) = ran.unwrap_or_else(|error| panic!("{point:?}: {error}"));
            let mut sums = vec![0u64; bytes as usize / 8];
            for pe in 0..nodes {
                for (place, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.wrapping_add(word(pe, place as u64, seed));
                }
            }
            assert_eq!(vectors.len(), nodes);
            for (pe, vector) in vectors.iter().enumerate() {
                assert!(
                    *vector == sums,
                    "{point:?}, seed {seed}: node {pe} has another sum"
                );
            }
            // Each step has a message and its flag, and both cross the network.
            let steps = 2.0 * (nodes as f64 - 1.0);
            assert!(us > steps * 0.2, "{point:?}: {us} us");
        }
    }
}

const SIZES: [u64; 2] = [1000, 3000];

/// Times that are a step's and a byte's times.
fn rows(step_us: [f64; 5], byte_us: f64) -> Vec<Row> {
    let mut rows = Vec::new();
    for nodes in [2, 4, 8] {
        for bytes in SIZES {
            let steps = 2.0 * (nodes as f64 - 1.0);
            for (design, step) in DESIGNS.into_iter().zip(step_us) {
                let us = 1.0 + steps * (step + byte_us * bytes as f64 / nodes as f64);
                rows.push(Row {
                    design,
                    nodes,
                    bytes,
                    us,
                });
            }
        }
    }
    rows
}

#[test]
fn a_line_is_continued_by_bytes_and_by_steps() {
    let times = rows([2.0; 5], 0.001);
    let times = Times::of(&times, Design::Apu);
    for (nodes, bytes) in [(2, 2000), (8, 1 << 20), (16, 1000), (32, 1 << 20)] {
        let steps = 2.0 * (nodes as f64 - 1.0);
        let want = 1.0 + steps * (2.0 + 0.001 * bytes as f64 / nodes as f64);
        let found = times.at(nodes, bytes, &SIZES).unwrap();
        assert!(
            (found / want - 1.0).abs() < 1e-9,
            "{nodes}, {bytes}: {found} {want}"
        );
    }
    assert_eq!(times.measured(4, 2000), None);
    assert_eq!(times.at(4, 1000, &SIZES[..1]), None);
    // Bytes that cost nothing give no line.
    let flat = rows([2.0; 5], 0.0);
    assert_eq!(Times::of(&flat, Design::Apu).at(4, 1000, &SIZES), None);
}

#[test]
fn figure_10_is_judged_by_its_times() {
    let mut sweep = parameters().sweep;
    sweep.bytes = SIZES.to_vec();
    sweep.extrapolated_bytes = 100_000;
    let judged = |step_us, byte_us: f64, cpu_byte: f64, host_watts| {
        let mut all = rows(step_us, byte_us);
        for row in all.iter_mut().filter(|row| row.design == Design::Cpu) {
            let steps = 2.0 * (row.nodes as f64 - 1.0);
            row.us += steps * cpu_byte * row.bytes as f64 / row.nodes as f64;
        }
        let energy = Energy {
            cp_watts: 1.0,
            host_watts,
            factor: 2.0,
        };
        let statements = statements(&all, &sweep, &energy).into_iter();
        statements.map(|one| one.holds).collect::<Vec<_>>()
    };
    let steps = [1.0, 6.0, 4.9, 6.0, 5.0];
    assert_eq!(judged(steps, 0.001, 0.0005, 8.0), [true; 7]);
    // A core of the host that takes three times the power: with constants twice off it is not half.
    let energy = judged(steps, 0.001, 0.0005, 3.0);
    assert_eq!(energy, [true, true, true, true, true, false, false]);
    // The CPU is best everywhere; GPUs are apart.
    assert_eq!(
        judged(steps, 0.000_01, 0.0, 8.0)[..5],
        [false, true, true, true, false]
    );
    // dGPU is faster.
    assert!(!judged([1.0, 6.0, 4.9, 4.0, 5.0], 0.001, 0.0005, 8.0)[1]);
    assert!(
        statements(
            &[],
            &sweep,
            &Energy {
                cp_watts: 1.0,
                host_watts: 1.0,
                factor: 1.0
            }
        )
        .is_empty()
    );
}
