//! The experiment `xtq-accumulate`: its smallest form, and its statements. What it gave is kept in docs/experiments.

use xtq_compute::experiments::xtq_accumulate::{Row, Sweep, XtqAccumulate, statements};
use xtq_compute::mpi::Way;
use xtq_testbench::experiments::{Experiment, Interval};

#[test]
fn the_smallest_run_relieves_the_target_s_cpu_and_sums_what_it_should() {
    let prepared = XtqAccumulate.prepare("p.toml", XtqAccumulate.parameters(), true);
    let prepared = prepared.unwrap();
    assert_eq!(prepared.runs(), 9);
    let predicted = prepared.million_cycles();
    let shown = prepared.run(&|_| ()).unwrap();
    let records = &shown.csv()[1..];
    let number = |record: usize, column: usize| -> f64 { records[record][column].parse().unwrap() };
    let (ns, busy) = (4, 6);
    for first in [0, 3, 6] {
        let ways = [0, 1, 2].map(|way| records[first + way][1].as_str());
        assert_eq!(ways, ["CPU", "HSA", "XTQ"]);
        let [hsa, xtq] = [first + 1, first + 2];
        assert!(number(xtq, ns) < number(hsa, ns));
        assert!(number(xtq, busy) < number(hsa, busy) / 2.0);
    }
    let taken: f64 = (0..9).map(|record| number(record, 8)).sum();
    assert!((predicted / taken - 1.0).abs() < 0.2, "{predicted} {taken}");
}

fn row(of: &str, way: Way, bytes: u64, ns: f64, busy_ns: f64) -> Row {
    let interval = |mean| Interval { mean, half: 0.0 };
    Row {
        of: of.to_owned(),
        way,
        bytes,
        segment_bytes: bytes,
        ns: interval(ns),
        busy_ns: interval(busy_ns),
        million_cycles: 0.0,
        predicted: 0.0,
    }
}

/// Rows of which all statements hold; the times of CPU, HSA and XTQ at each size.
fn rows() -> Vec<Row> {
    let whole = [
        (64, [1500.0, 1600.0, 1300.0]),
        (65536, [12000.0, 9000.0, 8000.0]),
        (1 << 20, [200_000.0, 110_000.0, 108_000.0]),
    ];
    let segmented = [(1 << 20, [150_000.0, 100_000.0, 85_000.0])];
    let of = |of, points: &[(u64, [f64; 3])]| {
        let points = points.iter().flat_map(|(bytes, times)| {
            let busy = [8000.0, 500.0, 100.0];
            let ways = Way::ALL.into_iter().zip(times.iter().zip(busy));
            ways.map(|(way, (ns, busy))| row(of, way, *bytes, *ns, busy))
                .collect::<Vec<_>>()
        });
        points.collect::<Vec<_>>()
    };
    [of("table I", &whole), of("table I, segments", &segmented)].concat()
}

fn sweep() -> Sweep {
    Sweep {
        bytes: Vec::new(),
        segmented_bytes: Vec::new(),
        segment_bytes: 16384,
        slots: 2,
        rounds: 2,
        one_round_bytes: 0,
        variant_bytes: Vec::new(),
        variant_segmented_bytes: Vec::new(),
        seeds: 1,
        one_seed_bytes: 0,
        seed: 1,
    }
}

#[test]
fn each_statement_holds_or_fails_by_its_own_rule() {
    let all = statements(&sweep(), &rows());
    assert_eq!(all.len(), 6);
    let failed: Vec<_> = all.iter().filter(|one| !one.holds).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let failing = |place: usize, change: &dyn Fn(&mut Row)| {
        let mut rows = rows();
        change(&mut rows[place]);
        let all = statements(&sweep(), &rows);
        let failed = all.iter().enumerate().filter(|(_, one)| !one.holds);
        failed.map(|(number, _)| number).collect::<Vec<_>>()
    };
    assert_eq!(failing(2, &|xtq| xtq.ns.mean = 1499.0), [0]);
    assert_eq!(failing(0, &|cpu| cpu.ns.mean = 1200.0), [1]);
    assert_eq!(failing(6, &|cpu| cpu.ns.mean = 150_000.0), [2]);
    assert_eq!(failing(8, &|xtq| xtq.ns.mean = 90_000.0), [3]);
    assert_eq!(failing(11, &|xtq| xtq.ns.mean = 95_000.0), [4]);
    assert_eq!(failing(5, &|xtq| xtq.busy_ns.mean = 300.0), [5]);
}
