//! Verdicts of the experiments on MPI: each statement holds where it should and fails where it should not.

use xtq_compute::experiments::mpi_runs::{Pipeline, Row};
use xtq_compute::experiments::xtq_allreduce::statements as of_allreduce;
use xtq_compute::experiments::xtq_cntk::{Parts, Projection, statements as of_cntk};
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

/// Gains of XTQ at all sizes of the file of parameters: up to 64 KiB, at the larger ones, with segments, with work.
fn reduce_rows(small: f64, large: [f64; 3], pipelined: f64, overlapped: f64) -> Vec<Row> {
    let time = |gain: f64| [3000.0, 1000.0 * (1.0 + gain / 100.0), 1000.0];
    let mut all = Vec::new();
    for bytes in [64, 256, 1024, 4096, 8192, 16384] {
        all.extend(rows("plain", (2, bytes), time(small)));
    }
    // The greatest.
    all.extend(rows("plain", (2, 64 << 10), time(small + 0.1)));
    for (bytes, gain) in [256 << 10, 1 << 20, 4 << 20].into_iter().zip(large) {
        all.extend(rows("plain", (2, bytes), time(gain)));
    }
    all.extend(rows("pipelined", (2, 4 << 20), time(pipelined)));
    all.extend(rows("overlapped", (2, 64 << 10), time(overlapped)));
    all
}

fn reduce(small: f64, large: [f64; 3], pipelined: f64, overlapped: f64) -> Vec<bool> {
    let parameters = Parameters::parse("p.toml", XtqReduce.parameters()).unwrap();
    let rows = reduce_rows(small, large, pipelined, overlapped);
    let mut held = held(&of_reduce(&parameters.sweep, &rows));
    // That results are right and programs the same is so in each run.
    assert_eq!(held.split_off(5), [true; 2]);
    held
}

#[test]
fn the_verdict_on_reduce_follows_the_times() {
    let falling = [5.0, 2.0, 1.0];
    assert_eq!(reduce(12.0, falling, 11.0, 20.0), [true; 5]);
    assert_eq!(
        reduce(30.0, falling, 11.0, 20.0),
        [false, true, true, true, true]
    );
    assert_eq!(
        reduce(2.0, falling, 11.0, 20.0),
        [false, true, true, true, true]
    );
    // The greatest gain is far above 64 KiB; a larger size gains more than the one before.
    for large in [[5.0, 20.0, 1.0], [5.0, 1.0, 6.0]] {
        assert_eq!(
            reduce(12.0, large, 11.0, 20.0),
            [true, false, true, true, true]
        );
    }
    assert_eq!(
        reduce(12.0, falling, 2.0, 20.0),
        [true, true, true, false, true]
    );
    assert_eq!(
        reduce(12.0, falling, 11.0, -1.0),
        [true, true, true, true, false]
    );
}

#[test]
fn a_mean_is_of_all_sizes_or_it_is_not_asked() {
    let parameters = Parameters::parse("p.toml", XtqReduce.parameters()).unwrap();
    let own = reduce_rows(2.0, [5.0, 2.0, 1.0], 11.0, 20.0);
    let other = |of: &str, row: &Row| Row {
        of: of.to_owned(),
        ..row.clone()
    };
    let gaining = reduce_rows(12.0, [5.0, 2.0, 1.0], 11.0, 20.0);
    let all = gaining.iter().take(21).map(|row| other("all sizes", row));
    let two = gaining
        .iter()
        .skip(9)
        .take(6)
        .map(|row| other("two sizes", row));
    let rows: Vec<Row> = own.into_iter().chain(all).chain(two).collect();
    let statements = of_reduce(&parameters.sweep, &rows);
    let [mean, pipelining] = [0, 3].map(|number| &statements[number].because);
    assert!(
        mean.ends_with("; it holds with: all sizes, up to 64 KiB"),
        "{mean}"
    );
    assert!(!statements.iter().any(|one| one.of.starts_with("two sizes")));
    // Nothing else was asked of the others.
    let less = reduce_rows(2.0, [5.0, 2.0, 1.0], 2.0, 20.0);
    let alone = of_reduce(&parameters.sweep, &less);
    assert!(alone[3].because.ends_with("; not asked of the variants"));
    assert!(!pipelining.contains("variants"), "{pipelining}");
}

/// Divided among the nodes: few, inflection, launch latency, only XTQ, computation against messages.
fn allreduce(times: impl Fn(usize) -> [f64; 3]) -> Vec<bool> {
    let nodes = [2, 4, 8, 12, 16, 24, 32, 48, 64];
    let all = nodes.map(|nodes| rows("divided among the nodes", (nodes, 65536), times(nodes)));
    held(&of_allreduce(&all.concat(), 0.0))
}

#[test]
fn the_verdict_on_allreduce_follows_the_times() {
    // Least at 12 nodes; with more than 16 HSA is slower than the CPU, which is busy for half of its time.
    let shape = |nodes: usize| (nodes as f64 - 12.0).abs() + 10.0;
    let as_paper = |nodes| {
        let time = shape(nodes);
        let hsa = if nodes > 16 { 2.1 } else { 1.5 };
        [2.0 * time, hsa * time, time]
    };
    assert_eq!(allreduce(as_paper), [true, true, true, true, false]);
    let late = |nodes| {
        let [cpu, hsa, xtq] = as_paper(nodes);
        [cpu, if nodes > 32 { hsa } else { 1.5 * xtq }, xtq]
    };
    assert_eq!(allreduce(late), [true, true, false, true, false]);
    let hsa_wins = |nodes| [2.0 * shape(nodes), 1.5 * shape(nodes), shape(nodes)];
    assert_eq!(allreduce(hsa_wins), [true, true, false, false, false]);
    let rises = |nodes| as_paper(nodes).map(|time| time / shape(nodes) * nodes as f64);
    assert_eq!(allreduce(rises), [true, false, true, true, false]);
    let falls = |nodes| as_paper(nodes).map(|time| time / shape(nodes) / nodes as f64);
    assert_eq!(allreduce(falls), [true, false, true, true, true]);
    let cpu_wins = |nodes| [shape(nodes), 1.5 * shape(nodes), 1.1 * shape(nodes)];
    assert_eq!(allreduce(cpu_wins), [false, true, true, false, false]);
}

#[test]
fn a_reading_that_did_not_run_with_enough_nodes_is_not_measured() {
    let all = [2, 4, 8, 12].map(|nodes| rows("on each node", (nodes, 65536), [3.0, 2.0, 1.0]));
    let statements = of_allreduce(&all.concat(), 0.0);
    let verdicts: Vec<_> = statements.iter().map(Statement::verdict).collect();
    let open = ["not measured"; 3];
    assert_eq!(verdicts[1..4], open);
    assert_eq!((verdicts[0], verdicts[4]), ("holds", "does not hold"));
    assert!(statements[1].because.contains("up to 12 nodes; "));
    let line = xtq_testbench::experiments::statement::line(&statements);
    assert!(
        line.starts_with("verdict: 1 of 2 statements of the paper hold; "),
        "{line}"
    );
    assert!(line.ends_with("; 3 not measured"), "{line}");
}

#[test]
fn segments_of_an_allreduce_are_asked_what_xtq_gains() {
    let held = |times| {
        let divided = rows("divided among the nodes", (4, 65536), [3.0, 2.0, 2.0]);
        let all = [divided, rows("pipelined, 8192 bytes", (4, 65536), times)].concat();
        let last = of_allreduce(&all, 0.0).pop().unwrap();
        assert!(!last.beside && last.of == "pipelined, 8192 bytes, 4 nodes");
        last.holds
    };
    assert!(held([3.0, 1.11, 1.0]));
    assert!(!held([3.0, 1.09, 1.0]));
}

#[test]
fn the_verdict_on_overlap_asks_who_is_over_first() {
    let overlapped = |times| {
        let divided = rows("divided among the nodes", (64, 65536), [30.0, 20.0, 10.0]);
        let all = [divided, rows("overlapped", (64, 65536), times)].concat();
        of_allreduce(&all, 16.0).pop().unwrap()
    };
    let first = overlapped([31.0, 20.0, 19.0]);
    assert!(first.holds);
    // 30 + 16 - 31 of 30, 20 + 16 - 20 of 20, 10 + 16 - 19 of 10.
    assert!(
        first.measured.ends_with(": 50 %, 80 %, 70 %"),
        "{}",
        first.measured
    );
    assert!(!overlapped([30.0, 18.0, 19.0]).holds);
    assert!(!overlapped([18.0, 20.0, 19.0]).holds);
}

/// Parts without chance.
fn parts([hsa, xtq]: [f64; 2]) -> Parts {
    Parts {
        hsa,
        xtq,
        ..Parts::default()
    }
}

#[test]
fn the_projection_is_that_of_the_formula() {
    // Half of the time in allreduce, of which HSA takes half and XTQ a quarter.
    let one = Projection::new("plain", 4096, 0.5, parts([0.5, 0.25]));
    assert!(
        (one.hsa_over_cpu.mean - 100.0 / 3.0).abs() < 1e-9,
        "{one:?}"
    );
    assert!((one.xtq_over_hsa.mean - 20.0).abs() < 1e-9, "{one:?}");
    assert_eq!((one.hsa_over_cpu.half, one.xtq_over_hsa.half), (0.0, 0.0));
    // With that share it gains so much again.
    let (share, gain) = one.share_for(one.hsa_over_cpu.mean).unwrap();
    assert!((share.mean - 0.5).abs() < 1e-9, "{share}");
    assert!((gain.mean - 20.0).abs() < 1e-9, "{gain}");
    assert_eq!(one.share_for(101.0), None);
    let slow = Projection::new("plain", 4096, 0.5, parts([1.1, 1.0]));
    assert_eq!(slow.share_for(1.0), None);
}

#[test]
fn chance_of_the_times_is_carried_on_to_share_and_gain() {
    let interval = |mean, half| Interval { mean, half };
    let times = [
        interval(2000.0, 0.0),
        interval(1000.0, 10.0),
        interval(500.0, 0.0),
    ];
    // All of the time is in allreduce, so what chance moves by 1 % moves the ratio of times by 1 %.
    let one = Projection::new("plain", 4096, 1.0, Parts::of(times));
    assert_eq!(one.hsa_over_cpu.mean, 100.0);
    let [over_cpu, over_hsa] = [one.hsa_over_cpu.half, one.xtq_over_hsa.half];
    assert!((over_cpu - 200.0 * 0.01 / 1.01).abs() < 1e-9, "{over_cpu}");
    assert!((over_hsa - 2.0).abs() < 1e-9, "{over_hsa}");
    // The share for 60 %: 0.375 / (1 - hsa), of 0.5 and of 0.505.
    let (share, _) = one.share_for(60.0).unwrap();
    assert!(
        (share.half - (0.375 / 0.495 - 0.75)).abs() < 1e-9,
        "{share}"
    );
    // Two that are as uncertain: squares are added.
    let both = [
        interval(2000.0, 0.0),
        interval(1000.0, 10.0),
        interval(500.0, 5.0),
    ];
    let both = Projection::new("plain", 4096, 1.0, Parts::of(both));
    let of_xtq = 200.0 * (1.0 - 1.0 / 1.01);
    let sum = 2.0_f64.hypot(of_xtq);
    assert!((both.xtq_over_hsa.half - sum).abs() < 1e-9, "{both:?}");
}

#[test]
fn the_verdict_on_cntk_asks_for_a_share_and_a_size() {
    let of = |parts: Parts| {
        let shares = [0.05, 0.5, 0.9];
        let all = shares.map(|share| Projection::new("plain", 4096, share, parts));
        of_cntk(&all)
    };
    let held = |both| held(&of(parts(both)));
    // HSA halves the time; XTQ takes 0.33 of it: 8 % more at 23 %, 15 % at a share of 0.5 and more.
    assert_eq!(held([0.5, 0.33]), [true, true, true, false]);
    assert_eq!(held([0.9, 0.8]), [false, false, false, true]);
    assert_eq!(held([0.9, 0.85]), [false, false, false, true]);
    // HSA gains enough, and XTQ hardly more.
    assert_eq!(held([0.5, 0.49]), [true, false, false, false]);
    // Whether a bound lies within chance is said.
    let says = |chance| {
        of(Parts {
            chance,
            ..parts([0.5, 0.33])
        })
    };
    assert!(
        says([0.0; 3])[1]
            .because
            .ends_with("; the interval crosses no bound")
    );
    let wide = says([0.0, 0.0, 0.2]);
    assert!(
        wide[1].holds
            && wide[1]
                .because
                .contains("; the interval crosses the bound, ")
    );
    assert!(
        says([0.0, 0.9, 0.0])[0]
            .because
            .contains("1 with an interval that crosses 100 %")
    );
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
    // The last is of a run that was not recorded: it neither holds nor fails.
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
