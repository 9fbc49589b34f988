//! The experiment `xtq-latency`: its smallest form, and its statements. What it gave is kept in docs/experiments.

use xtq_compute::experiments::xtq_latency::{Row, Way, XtqLatency, statements};
use xtq_testbench::experiments::{Experiment, Interval};

/// Parameters with one payload and one seed.
fn small() -> String {
    let text = XtqLatency.parameters();
    let text = text.replace("payloads = [64, 4096]", "payloads = [64]");
    let text = text
        .replace("rounds = 6", "rounds = 2")
        .replace("seeds = [1, 2, 3, 4, 5]", "seeds = [1]");
    let system = text.find("\n[[variants]]").unwrap();
    text[..system].to_owned()
}

#[test]
fn the_smallest_run_has_all_phases_and_the_paper_s_orderings() {
    let prepared = XtqLatency.prepare("p.toml", &small(), false).unwrap();
    assert_eq!(prepared.runs(), 2);
    let predicted = prepared.million_cycles();
    let shown = prepared.run(&|_| ()).unwrap();
    let records = &shown.csv()[1..];
    let number = |record: usize, column: usize| -> f64 { records[record][column].parse().unwrap() };
    let named: Vec<String> = records
        .iter()
        .map(|record| format!("{} {}", record[1], record[3]))
        .collect();
    assert_eq!(named, ["XTQ cold", "XTQ warm", "HSA cold", "HSA warm"]);
    for record in 0..4 {
        let phases: Vec<f64> = (0..8).map(|phase| number(record, 4 + 2 * phase)).collect();
        let (sum, phases) = phases.split_last().unwrap();
        assert!(phases.iter().all(|ns| *ns > 0.0), "{phases:?}");
        assert!(
            (phases.iter().sum::<f64>() - sum).abs() < 0.1,
            "{phases:?} {sum}"
        );
    }
    let (launch, sum) = (12, 18);
    assert!(number(1, sum) < number(0, sum) && number(3, sum) < number(2, sum));
    assert!(number(1, sum) < number(3, sum) && number(1, launch) < number(3, launch));
    let report: serde_json::Value = serde_json::from_str(&shown.json().unwrap()).unwrap();
    let taken = report["million_cycles"][1].as_f64().unwrap();
    assert!((predicted / taken - 1.0).abs() < 0.2, "{predicted} {taken}");
}

fn row(way: Way, payload: u64, phases: [f64; 7]) -> Row {
    let of = |mean| Interval { mean, half: 0.0 };
    Row {
        variant: String::new(),
        way,
        payload,
        warm: true,
        phases: phases.map(of),
        total: of(phases.iter().sum()),
    }
}

/// The figures that the paper states, and how the rest may be.
fn paper() -> Vec<Row> {
    vec![
        row(
            Way::Xtq,
            64,
            [50.0, 200.0, 110.0, 150.0, 100.0, 500.0, 90.0],
        ),
        row(
            Way::Hsa,
            64,
            [50.0, 190.0, 105.0, 150.0, 400.0, 500.0, 105.0],
        ),
        row(
            Way::Xtq,
            4096,
            [50.0, 500.0, 110.0, 200.0, 100.0, 700.0, 90.0],
        ),
        row(
            Way::Hsa,
            4096,
            [50.0, 490.0, 105.0, 200.0, 400.0, 700.0, 105.0],
        ),
    ]
}

#[test]
fn the_paper_s_own_numbers_hold() {
    let all = statements(&paper());
    assert_eq!(all.len(), 7);
    let failed: Vec<_> = all.iter().filter(|one| !one.holds).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn each_statement_can_fail() {
    let failing = |change: &dyn Fn(&mut Vec<Row>)| {
        let mut rows = paper();
        change(&mut rows);
        for row in &mut rows {
            row.total.mean = row.phases.iter().map(|phase| phase.mean).sum();
        }
        let all = statements(&rows);
        all.iter()
            .map(|one| u8::from(one.holds))
            .collect::<Vec<_>>()
    };
    assert_eq!(failing(&|rows| rows[0].phases[5].mean += 300.0)[0], 0);
    assert_eq!(failing(&|rows| rows[1].phases[5].mean -= 300.0)[1], 0);
    assert_eq!(failing(&|rows| rows[1].phases[1].mean += 20.0)[2], 0);
    assert_eq!(failing(&|rows| rows[1].phases[4].mean -= 60.0)[3], 0);
    assert_eq!(failing(&|rows| rows[1].phases[1].mean -= 100.0)[4], 0);
    assert_eq!(failing(&|rows| rows[3].phases[4].mean -= 150.0)[5], 0);
    assert_eq!(failing(&|rows| rows[3].phases[4].mean += 900.0)[6], 0);
}

#[test]
fn cold_tasks_are_judged_beside() {
    let mut rows = paper();
    let cold = rows
        .clone()
        .into_iter()
        .map(|row| Row { warm: false, ..row });
    let slow = cold.map(|mut row| {
        row.total.mean += 600.0;
        row
    });
    rows.extend(slow.collect::<Vec<_>>());
    let all = statements(&rows);
    assert_eq!(all.len(), 14);
    let [warm, cold] = [&all[0], &all[7]];
    assert!(warm.holds && !warm.beside && warm.of == "table I");
    assert!(!cold.holds && cold.beside && cold.of == "table I, cold caches");
}

#[test]
fn a_statement_that_fails_says_with_which_other_values_it_holds() {
    let mut rows = paper();
    let other = |row: &Row| Row {
        variant: "slow memory".to_owned(),
        ..row.clone()
    };
    let others: Vec<Row> = rows.iter().map(other).collect();
    rows[0].total.mean -= 300.0;
    rows.extend(others);
    let all = statements(&rows);
    assert!(!all[0].holds && all[0].because.ends_with("it holds with: slow memory"));
    assert!(all[7].beside && all[7].holds, "{:?}", all[7]);
}
