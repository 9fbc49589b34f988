//! The allreduce of `compnet-allreduce` gives sums; lines through times; how figure 10 is judged.

use xtq_compute::experiments::compnet_allreduce::{
    CompnetAllreduce, DESIGNS, Energy, Parameters, Point, Row, Times, Variant, statements, wire_us,
    word,
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
            // Each step has a message and its flag, and both cross the network and PCIe twice.
            let steps = 2.0 * (nodes as f64 - 1.0);
            assert!(us > steps * 2.0 * 1.0, "{point:?}: {us} us");
        }
    }
}

/// Time of an allreduce, in us.
fn us(point: &Point, change: impl Fn(&mut Parameters)) -> f64 {
    let mut parameters = parameters();
    change(&mut parameters);
    point.measure(&parameters).unwrap()
}

#[test]
fn each_step_that_adds_has_the_time_between_kernels() {
    let point = parameters().point(Design::InterKernel, 3, 64 * 12);
    let of = |kernel_ns| us(&point, |parameters| parameters.sweep.kernel_ns = kernel_ns);
    let more = of(12_000.0) - of(2_000.0);
    assert!((more - 2.0 * 10.0).abs() < 0.5, "{more} us");
}

#[test]
fn no_allreduce_is_faster_than_its_bytes_on_the_wire() {
    for design in DESIGNS {
        let times = [1u64 << 16, 1 << 17].map(|bytes| {
            let us = us(&parameters().point(design, 2, bytes), |_| {});
            assert!(
                us >= wire_us(2, bytes),
                "{design:?}, {bytes} bytes: {us} us"
            );
            Row {
                design,
                nodes: 2,
                bytes,
                variant: Variant::Base,
                us,
            }
        });
        let sizes = [1 << 16, 1 << 17];
        if let Some(us) = Times::of(&times, design).at(2, 1 << 26, &sizes) {
            assert!(us >= wire_us(2, 1 << 26), "{design:?}: {us} us");
        }
    }
    assert_eq!(wire_us(8, 1000), 2.0 * 7.0 / 8.0 * 1000.0 / 12_500.0);
}

#[test]
fn more_cores_and_more_work_groups_add_faster() {
    for (design, few) in [
        (Design::Cpu, Variant::Cores(1)),
        (Design::InterKernel, Variant::Groups(1)),
    ] {
        let all = parameters().point(design, 2, 1 << 16);
        let few = Point {
            variant: few,
            ..all
        };
        let [all, few] = [all, few].map(|point| us(&point, |_| {}));
        assert!(all + 0.5 < few, "{design:?}: {all} us, {few} us");
    }
}

#[test]
fn the_host_of_a_dgpu_is_as_far_as_the_file_says() {
    let point = parameters().point(Design::Dgpu, 2, 64 * 8);
    let of = |pcie_ns| us(&point, |parameters| parameters.host.pcie_ns = pcie_ns);
    let [near, far] = [250.0, 900.0].map(of);
    assert!(near + 1.0 < far, "{near} us, {far} us");
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
                    variant: Variant::Base,
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
    // Nor do bytes that are faster than the wire, 0.00008 us each, here or on more nodes.
    for (byte_us, is_some) in [(0.000_079, false), (0.000_081, true)] {
        let all = rows([2.0; 5], byte_us);
        let times = Times::of(&all, Design::Apu);
        for nodes in [2, 8, 32] {
            let found = times.at(nodes, 1 << 26, &SIZES);
            assert_eq!(found.is_some(), is_some, "{nodes}, {byte_us}");
        }
    }
}

/// More nodes are continued by those that have a line; a number of nodes that ran without one stays without.
#[test]
fn a_number_of_nodes_without_a_line_is_not_continued() {
    let mut all = rows([2.0; 5], 0.001);
    let [few, _] = SIZES;
    let flat = all.iter().find(|row| row.nodes == 2 && row.bytes == few);
    let flat = flat.unwrap().us;
    for row in all.iter_mut().filter(|row| row.nodes == 2) {
        row.us = flat;
    }
    let times = Times::of(&all, Design::Apu);
    assert_eq!(times.at(2, 1000, &SIZES), None);
    let want = 1.0 + 30.0 * (2.0 + 0.001 * 1000.0 / 16.0);
    let found = times.at(16, 1000, &SIZES).unwrap();
    assert!((found - want).abs() < 1e-9, "{found}, {want}");
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
    let steps = [1.0, 6.0, 4.99, 6.0, 5.0];
    let own = |judged: Vec<bool>| judged[..7].to_vec();
    // A core of the host that takes twice the power.
    assert_eq!(judged(steps, 0.01, 0.0002, 2.0), [true; 11]);
    // Eight times: that is an eighth, not half.
    let energy = own(judged(steps, 0.01, 0.0002, 8.0));
    assert_eq!(energy, [true, true, true, true, true, false, false]);
    // The CPU is best everywhere; GPUs are apart.
    assert_eq!(
        own(judged(steps, 0.000_1, 0.0, 2.0))[..5],
        [false, true, true, true, false]
    );
    // dGPU is faster.
    assert!(!judged([1.0, 6.0, 4.99, 4.0, 5.0], 0.01, 0.0005, 2.0)[1]);
    let energy = Energy {
        cp_watts: 1.0,
        host_watts: 1.0,
        factor: 1.0,
    };
    assert!(statements(&[], &sweep, &energy).is_empty());
    // Flatter than the wire: nothing is extrapolated, and that is said.
    let flat = statements(&rows(steps, 0.000_01), &sweep, &energy);
    assert_eq!(flat.len(), 1);
    assert!(
        !flat[0].holds && flat[0].measured.contains("CPU on 2"),
        "{:?}",
        flat[0]
    );
}

#[test]
fn a_size_beside_the_line_says_how_good_it_is() {
    let mut sweep = parameters().sweep;
    sweep.bytes = SIZES.to_vec();
    sweep.extrapolated_bytes = 100_000;
    let energy = parameters().energy;
    let of = |off: f64| {
        let mut all = rows([2.0; 5], 0.01);
        let line = Times::of(&all, Design::Apu).at(2, 2000, &SIZES).unwrap();
        all.push(Row {
            design: Design::Apu,
            nodes: 2,
            bytes: 2000,
            variant: Variant::Base,
            us: line * off,
        });
        let mut all = statements(&all, &sweep, &energy).into_iter();
        all.find(|one| one.of.starts_with("the lines")).unwrap()
    };
    assert!(of(1.005).holds && of(0.995).holds);
    assert!(!of(1.02).holds && !of(0.98).holds);
    assert!(of(1.005).beside);
}
