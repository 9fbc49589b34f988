//! Figures 8b and 8c: statements judged on rows made by hand, and small runs.

use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::compnet_threads::{self, CompnetThreads, Parameters, Row, Variant};
use xtq_testbench::experiments::{Experiment, Interval, Statement};

fn about(mean: f64) -> Interval {
    Interval { mean, half: 0.1 }
}

fn row(design: Design, threads: u8, calls_per_us: f64, nanojoules: f64) -> Row {
    Row {
        variant: Variant::Base,
        design,
        threads,
        added_cores: design == Design::CompNet && threads > 2,
        call_us: about(10.0),
        calls_per_us: about(calls_per_us),
        nanojoules: about(nanojoules),
        activity: Default::default(),
        l2: Default::default(),
    }
}

fn judged(rows: &[Row]) -> Vec<Statement> {
    let parameters = Parameters::parse("p.toml", CompnetThreads.parameters());
    compnet_threads::statements(rows, &parameters.unwrap())
}

fn holds(statements: &[Statement]) -> Vec<bool> {
    statements.iter().map(|one| one.holds).collect()
}

const DESIGNS: [Design; 3] = [Design::DgpuGpuQueue, Design::Apu, Design::CompNet];

#[test]
fn figure_8_is_judged_by_its_numbers() {
    let of = |rates: [f64; 3], energy: [f64; 3]| {
        let rows = DESIGNS.into_iter().zip(rates.into_iter().zip(energy));
        let rows = rows.map(|(design, (rate, energy))| row(design, 2, rate, energy));
        holds(&judged(&rows.collect::<Vec<_>>()))
    };
    let energy = [300.0, 200.0, 100.0];
    assert_eq!(of([1.0, 2.0, 2.0], energy), [true; 4]);
    assert_eq!(of([1.0, 2.0, 1.1], energy), [false, true, true, true]);
    assert_eq!(of([1.0, 0.9, 2.0], energy), [true, false, true, true]);
    let cheap = [300.0, 200.0, 10.0];
    assert_eq!(of([1.0, 2.0, 2.0], cheap), [true, true, false, false]);
    let host = [Design::Dgpu, Design::CompNet].map(|design| row(design, 2, 1.0, 100.0));
    let beside = judged(&host);
    assert!(beside.len() == 2 && beside.iter().all(|one| one.beside));
}

#[test]
fn more_threads_than_cores_and_a_library_without_a_mutex_are_judged_apart() {
    let mut rows = Vec::new();
    for (threads, rates) in [(2, [1.0, 3.0, 3.0]), (8, [2.0, 3.0, 1.0])] {
        let points = DESIGNS.into_iter().zip(rates);
        rows.extend(points.map(|(design, rate)| row(design, threads, rate, 1.0)));
    }
    let rate = |statements: &[Statement]| {
        let rate = statements.iter().filter(|one| one.chart == 0);
        let rate = rate.map(|one| (one.beside, one.holds));
        rate.collect::<Vec<_>>()
    };
    // With all threads, then with those of table 1.
    let mut expected = vec![(false, false), (false, true), (true, true), (true, true)];
    assert_eq!(rate(&judged(&rows)), expected);
    for (design, rate) in DESIGNS.into_iter().zip([1.0, 0.5, 3.0]) {
        let variant = Variant::NoMutex;
        rows.push(Row {
            variant,
            ..row(design, 8, rate, 1.0)
        });
    }
    expected.extend([(true, true), (true, false)]);
    assert_eq!(rate(&judged(&rows)), expected);
    // Who tries the mutex often is reported.
    rows[5].activity.calls = 10;
    rows[5].activity.tries = 75;
    assert!(judged(&rows)[0].because.contains("7.5 with 8"));
}

/// The columns `names` of the rows of a small sweep: 24 work-groups, an L2 of a bank with 8 sets.
fn small_sweep(names: &[&str]) -> Vec<(String, Vec<f64>)> {
    let mut text = CompnetThreads.parameters().to_owned();
    for (from, to) in [
        ("\nwork_groups = 480", "\nwork_groups = 24"),
        ("\nthreads = [1, 2, 4, 8]", "\nthreads = [2]"),
        ("no_mutex_threads = [8]", "no_mutex_threads = [2]"),
        ("seeds = [1, 2]", "seeds = [1]"),
        ("banks = 8 ", "banks = 1 "),
        ("sets = 128", "sets = 8"),
    ] {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let prepared = CompnetThreads.prepare("p.toml", &text, false).unwrap();
    let records = prepared.run(&|_| {}).unwrap().csv();
    let column = |name: &&str| records[0].iter().position(|head| head == name).unwrap();
    let columns: Vec<usize> = names.iter().map(column).collect();
    let rows = records[1..].iter();
    let rows = rows.map(|record| {
        let values = columns
            .iter()
            .map(|column| record[*column].parse().unwrap());
        (format!("{}, {}", record[0], record[1]), values.collect())
    });
    rows.collect()
}

#[test]
fn a_run_finds_the_calls_of_its_rounds_and_all_work_groups_have_one_open() {
    let names = ["calls", "calls_per_us", "call_us", "tries"];
    let rows = small_sweep(&names);
    assert_eq!(rows.len(), 9);
    for (name, values) in rows {
        let [calls, rate, us, tries] = values[..] else {
            panic!("{name}");
        };
        assert!((24.0..30.0).contains(&calls), "{name}: {calls} calls");
        // Little's law, of a window that is no longer than a call.
        let open = rate * us;
        assert!((16.0..32.0).contains(&open), "{name}: {open} calls open");
        assert_eq!(tries > 0.0, !name.ends_with("no mutex"), "{name}");
    }
}

#[test]
fn queues_one_behind_the_other_leave_locked_stores_without_a_lock() {
    let rows = small_sweep(&["lock_overflows", "l2_misses"]);
    let of = |name: &str| {
        let row = rows.iter().find(|row| row.0 == name);
        row.unwrap_or_else(|| panic!("{name}")).1.clone()
    };
    let (apart, dense) = (of("ComP-Net, "), of("ComP-Net, queues one after the other"));
    assert_eq!(apart[0], 0.0);
    assert!(dense[0] > 0.0, "{dense:?}");
    assert!(dense[1] > 2.0 * apart[1], "{apart:?}, {dense:?}");
}
