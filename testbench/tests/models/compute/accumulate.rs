//! The experiment `xtq-accumulate`: its smallest form, and its statements. What it gave is kept in docs/experiments.

use xtq_compute::experiments::xtq_accumulate::{Row, XtqAccumulate, statements};
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
        (64, [1500.0, 1450.0, 1300.0]),
        (8192, [5000.0, 4350.0, 3900.0]),
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
    // Where an announced message takes the CPU no longer than one that goes at once.
    let at_once = [(8192, [3800.0, 4350.0, 3900.0])];
    [
        of("table I", &whole),
        of("table I, segments", &segmented),
        of("messages without asking up to 16 KiB", &at_once),
    ]
    .concat()
}

#[test]
fn each_statement_holds_or_fails_by_its_own_rule() {
    let all = statements(&rows());
    // Of the paper's system; none of the other, which did not run with all sizes.
    assert_eq!(all.len(), 7);
    let failed: Vec<_> = all.iter().filter(|one| one.fails()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let failing = |place: usize, change: &dyn Fn(&mut Row)| {
        let mut rows = rows();
        change(&mut rows[place]);
        let all = statements(&rows);
        let failed = all.iter().enumerate().filter(|(_, one)| one.fails());
        failed.map(|(number, _)| number).collect::<Vec<_>>()
    };
    assert_eq!(failing(2, &|xtq| xtq.ns.mean = 1499.0), [0]);
    assert_eq!(failing(0, &|cpu| cpu.ns.mean = 1200.0), [1]);
    assert_eq!(failing(3, &|cpu| cpu.ns.mean = 3850.0), [2]);
    assert_eq!(failing(15, &|cpu| cpu.ns.mean = 4000.0), [2]);
    assert_eq!(failing(9, &|cpu| cpu.ns.mean = 150_000.0), [3]);
    assert_eq!(failing(11, &|xtq| xtq.ns.mean = 90_000.0), [4]);
    assert_eq!(failing(14, &|xtq| xtq.ns.mean = 95_000.0), [5]);
    assert_eq!(failing(8, &|xtq| xtq.busy_ns.mean = 300.0), [6]);
}

#[test]
fn a_system_that_did_not_run_with_all_sizes_is_not_asked() {
    let mut all = rows();
    let other = |row: &Row, of: &str| Row {
        of: of.to_owned(),
        ..row.clone()
    };
    let whole = |row: &&Row| row.of == "table I" && row.bytes <= 65536;
    let some: Vec<Row> = all
        .iter()
        .filter(whole)
        .map(|row| other(row, "all"))
        .collect();
    let few: Vec<Row> = all[3..6].iter().map(|row| other(row, "few")).collect();
    // XTQ gains too little with 64 bytes: only a system with all sizes can hold the statement.
    all[2].ns.mean = 1590.0;
    all.extend(some);
    all.extend(few);
    let statements = statements(&all);
    assert!(!statements[0].holds);
    assert!(
        statements[0]
            .because
            .ends_with("; it holds with: all, up to 64 KiB"),
        "{}",
        statements[0].because
    );
    assert!(!statements.iter().any(|one| one.of.starts_with("few")));
}
