//! What follows from times of allreduce for networks that learn; how figure 11 is judged.

use xtq_compute::experiments::compnet_allreduce::{DESIGNS, Row, Variant};
use xtq_compute::experiments::compnet_ml::{
    CompnetMl, Network, Parameters, Projection, statements,
};
use xtq_testbench::experiments::Experiment;

/// Times of CPU, Inter-Kernel, APU, dGPU, ComP-Net that grow with bytes.
fn project(times: [f64; 5], shares: [(&str, f64); 3]) -> Vec<Projection> {
    let sweep = Parameters::parse("p.toml", CompnetMl.parameters())
        .unwrap()
        .sweep;
    let mut rows = Vec::new();
    for bytes in sweep.bytes.iter().copied() {
        for (design, us) in DESIGNS.into_iter().zip(times) {
            let us = us * bytes as f64;
            rows.push(Row {
                design,
                nodes: sweep.nodes,
                bytes,
                variant: Variant::Base,
                us,
            });
        }
    }
    let of = |(name, share): (&str, f64)| {
        let network = Network {
            name: name.into(),
            bytes: 1 << 24,
            share,
        };
        Projection::of(&network, &rows, &sweep).unwrap()
    };
    shares.map(of).to_vec()
}

#[test]
fn a_share_of_the_time_becomes_shorter() {
    let all = project(
        [2.0, 1.5, 0.5, 1.0, 0.8],
        [("a", 0.5), ("b", 0.25), ("c", 0.1)],
    );
    let near = |found: f64, want: f64| assert!((found - want).abs() < 1e-9, "{found} {want}");
    near(all[0].lead, 0.25);
    near(all[0].gain, 1.0 / 0.9 - 1.0);
    near(all[0].cpu, 1.0 / 1.5);
    near(all[0].apu, 1.0 / 0.75);
    near(all[1].inter_kernel, 1.0 / 1.125);
    near(all[2].gain, 1.0 / 0.98 - 1.0);
}

#[test]
fn figure_11_is_judged_by_its_gains() {
    let judged = |times, shares| {
        let statements = statements(&project(times, shares)).into_iter();
        statements.map(|one| one.holds).collect::<Vec<_>>()
    };
    let shares = [("AN4 LSTM", 0.5), ("other", 0.2), ("CIFAR", 0.1)];
    assert_eq!(judged([3.0, 1.5, 0.8, 1.0, 0.8], shares), [true; 6]);
    // A CPU that is as fast.
    assert!(!judged([1.0, 1.5, 0.8, 1.0, 0.8], shares)[0]);
    // A lead of next to nothing.
    assert_eq!(
        judged([3.0, 1.5, 0.99, 1.0, 0.99], shares),
        [true, false, false, false, true, true]
    );
    // Nobody gains anything: no jump, though it would be the larger of two losses.
    assert!(!judged([0.99, 1.5, 0.8, 1.0, 1.05], shares)[0]);
    // Inter-Kernel as the GPU-based one is slower than the CPU.
    assert!(!judged([1.4, 1.5, 0.8, 1.0, 0.9], shares)[5]);
    // Another network gains most.
    let other = [("AN4 LSTM", 0.5), ("other", 0.6), ("CIFAR", 0.1)];
    assert!(!judged([3.0, 1.5, 0.8, 1.0, 0.8], other)[4]);
    assert!(statements(&[]).is_empty());
}

#[test]
fn a_vector_that_is_larger_than_any_that_ran_is_marked() {
    let all = project(
        [2.0, 1.5, 0.5, 1.0, 0.8],
        [("AN4 LSTM", 0.5), ("b", 0.2), ("CIFAR", 0.1)],
    );
    assert!(all.iter().all(|one| one.extrapolated));
    assert_eq!(all[1].name(), "b*");
    let statements = statements(&all);
    for one in &statements {
        assert!(one.of.contains("allreduce extrapolated"), "{}", one.of);
    }
    // 5 % of all need a share of (0.05 / 1.05) / (1 - 0.8).
    assert!(
        statements[1].because.contains("a share of 0.24 would"),
        "{}",
        statements[1].because
    );
}
