//! Verdicts of the experiments on MPI: each statement holds where it should and fails where it should not.

use xtq_compute::experiments::mpi_runs::{Pipeline, Row};
use xtq_compute::experiments::xtq_allreduce::statements as of_allreduce;
use xtq_compute::experiments::xtq_cntk::{Projection, statements as of_cntk};
use xtq_compute::experiments::xtq_nwchem::{Row as Accumulates, statements as of_nwchem};
use xtq_compute::experiments::xtq_reduce::{Parameters, XtqReduce, statements as of_reduce};
use xtq_compute::mpi::Way;
use xtq_testbench::experiments::{Experiment, Interval, Statement};

fn interval(mean: f64) -> Interval {
    Interval { mean, half: 0.0 }
}

fn row(of: &str, way: Way, (nodes, bytes): (usize, u64), ns: f64) -> Row {
    Row {
        of: of.to_owned(),
        way,
        nodes,
        bytes,
        pipeline: Pipeline {
            slots: 2,
            segment_bytes: 0,
        },
        overlapped: 0,
        seeds: 1,
        ns: interval(ns),
        busy_ns: interval(ns / 2.0),
        million_cycles: 0.0,
        predicted: 0.0,
    }
}

/// A row for each way, with these times.
fn rows(of: &str, at: (usize, u64), [cpu, hsa, xtq]: [f64; 3]) -> [Row; 3] {
    [
        row(of, Way::Cpu, at, cpu),
        row(of, Way::Hsa, at, hsa),
        row(of, Way::Xtq, at, xtq),
    ]
}

/// Whether each statement holds, in order.
fn held(statements: &[Statement]) -> Vec<bool> {
    statements.iter().map(|statement| statement.holds).collect()
}

fn reduce(small: f64, large: [f64; 2], pipelined: f64, overlapped: f64) -> Vec<bool> {
    let text = XtqReduce.parameters();
    let parameters = Parameters::parse("p.toml", text).unwrap();
    let time = |gain: f64| [3000.0, 1000.0 * (1.0 + gain / 100.0), 1000.0];
    let mut all = Vec::new();
    for bytes in [64, 4096] {
        all.extend(rows("plain", (2, bytes), time(small)));
    }
    all.extend(rows("plain", (2, 64 << 10), time(small)));
    all.extend(rows("plain", (2, 256 << 10), time(large[0])));
    all.extend(rows("plain", (2, 4 << 20), time(large[1])));
    all.extend(rows("pipelined", (2, 4 << 20), time(pipelined)));
    all.extend(rows("overlapped", (2, 64 << 10), time(overlapped)));
    held(&of_reduce(&parameters.sweep, &all))
}

#[test]
fn the_verdict_on_reduce_follows_the_times() {
    assert_eq!(reduce(12.0, [5.0, 1.0], 11.0, 20.0), [true; 5]);
    assert_eq!(
        reduce(30.0, [5.0, 1.0], 11.0, 20.0),
        [false, true, true, true, true]
    );
    assert_eq!(
        reduce(2.0, [5.0, 1.0], 11.0, 20.0),
        [false, false, true, true, true]
    );
    assert_eq!(
        reduce(12.0, [5.0, 6.0], 11.0, 20.0),
        [true, false, true, true, true]
    );
    assert_eq!(
        reduce(12.0, [5.0, 1.0], 2.0, 20.0),
        [true, true, true, false, true]
    );
    assert_eq!(
        reduce(12.0, [5.0, 1.0], 11.0, -1.0),
        [true, true, true, true, false]
    );
}

fn allreduce(times: impl Fn(usize) -> [f64; 3]) -> Vec<bool> {
    let nodes = [2, 4, 8, 12, 16, 24, 32, 48, 64];
    let all = nodes.map(|nodes| rows("divided among the nodes", (nodes, 65536), times(nodes)));
    held(&of_allreduce(&all.concat()))
}

#[test]
fn the_verdict_on_allreduce_follows_the_times() {
    // Least at 12 nodes; at 64 HSA is slower than the CPU.
    let shape = |nodes: usize| (nodes as f64 - 12.0).abs() + 10.0;
    let as_paper = |nodes| {
        let time = shape(nodes);
        let hsa = if nodes > 32 { 2.1 } else { 1.5 };
        [2.0 * time, hsa * time, time]
    };
    assert_eq!(allreduce(as_paper), [true; 3]);
    let hsa_wins = |nodes| [2.0 * shape(nodes), 1.5 * shape(nodes), shape(nodes)];
    assert_eq!(allreduce(hsa_wins), [true, true, false]);
    let rises = |nodes| as_paper(nodes).map(|time| time / shape(nodes) * nodes as f64);
    assert_eq!(allreduce(rises), [true, false, true]);
    let cpu_wins = |nodes| [shape(nodes), 1.5 * shape(nodes), 1.1 * shape(nodes)];
    assert_eq!(allreduce(cpu_wins), [false, true, false]);
}

#[test]
fn the_verdict_on_overlap_asks_who_is_over_first() {
    let overlapped = |times| {
        let divided = rows("divided among the nodes", (64, 65536), [3.0, 2.0, 1.0]);
        let all = [divided, rows("overlapped", (64, 65536), times)].concat();
        held(&of_allreduce(&all)).pop().unwrap()
    };
    assert!(overlapped([30.0, 20.0, 19.0]));
    assert!(!overlapped([30.0, 18.0, 19.0]));
    assert!(!overlapped([18.0, 20.0, 19.0]));
}

#[test]
fn the_projection_is_that_of_the_formula() {
    // Half of the time in allreduce, of which HSA takes half and XTQ a quarter.
    let one = Projection::new("plain", 4096, 0.5, [0.5, 0.25]);
    assert!((one.hsa_over_cpu - 100.0 / 3.0).abs() < 1e-9, "{one:?}");
    assert!((one.xtq_over_hsa - 20.0).abs() < 1e-9, "{one:?}");
    // With that share it gains so much again.
    let share = one.share_for(one.hsa_over_cpu).unwrap();
    assert!((share - 0.5).abs() < 1e-9, "{share}");
    assert_eq!(one.share_for(101.0), None);
    assert_eq!(
        Projection::new("plain", 4096, 0.5, [1.1, 1.0]).share_for(1.0),
        None
    );
}

#[test]
fn the_verdict_on_cntk_asks_for_a_share_and_a_size() {
    let held = |[hsa, xtq]: [f64; 2]| {
        let shares = [0.05, 0.5, 0.9];
        let all = shares.map(|share| Projection::new("plain", 4096, share, [hsa, xtq]));
        held(&of_cntk(&all))
    };
    // HSA halves the time; XTQ takes 0.36 of it: 8 % more at 23 %, 15 % at a share of 0.5 and more.
    assert_eq!(held([0.5, 0.33]), [true, true, false]);
    assert_eq!(held([0.9, 0.8]), [false, false, true]);
    assert_eq!(held([0.9, 0.85]), [false, false, true]);
}

fn accumulated(way: Way, [ns, busy]: [f64; 2]) -> Accumulates {
    Accumulates {
        of: "plain".to_owned(),
        way,
        epoch: 1,
        seeds: 1,
        remote: 10,
        own: 5,
        ns: interval(ns),
        busy_ns: interval(busy),
        progress_ns: 0.0,
        own_ns: 0.0,
        million_cycles: 0.0,
        predicted: 0.0,
    }
}

#[test]
fn the_verdict_on_nwchem_follows_times_and_busy_times() {
    let held = |[cpu, hsa, xtq]: [[f64; 2]; 3]| {
        held(&of_nwchem(&[
            accumulated(Way::Cpu, cpu),
            accumulated(Way::Hsa, hsa),
            accumulated(Way::Xtq, xtq),
        ]))
    };
    // The last is of a run that was not recorded.
    assert_eq!(
        held([[120.0, 90.0], [110.0, 80.0], [100.0, 20.0]]),
        [true, true, false]
    );
    assert_eq!(
        held([[120.0, 90.0], [100.5, 80.0], [100.0, 20.0]]),
        [false, true, false]
    );
    assert_eq!(
        held([[99.0, 90.0], [110.0, 10.0], [100.0, 20.0]]),
        [false, false, false]
    );
}
