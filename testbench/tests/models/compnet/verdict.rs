//! The paper's statements about figure 7, judged on rows made by hand.

use xtq_testbench::compnet::Class;
use xtq_testbench::experiments::Interval;
use xtq_testbench::experiments::compnet_hitrate::{
    ClassRow, Counting, Findings, LoadTimes, LockTimes, Point, Row, held, statements,
};
use xtq_testbench::experiments::statement::line;

/// A row with these hits in a hundred of all accesses and of loads, and locks of this median.
fn row(networking: u64, streaming: u64, [all, loads]: [f64; 2], median_ns: f64) -> Row {
    let rate = |mean| Some(Interval { mean, half: 1.0 });
    let hits = (10.0 * loads) as u64;
    Row {
        networking,
        streaming,
        all: rate(all),
        loads: rate(loads),
        poll_ns: 400.0,
        classes: vec![ClassRow {
            class: Class::PollFound,
            hits,
            misses: 1000 - hits,
        }],
        locks: LockTimes {
            released: 10,
            median_ns,
            ..LockTimes::default()
        },
        ..Row::default()
    }
}

/// A ratio: hit rates without streams, with them, with locking; all accesses and loads have the same.
fn point(streaming: u64, rates: [f64; 3], median_ns: f64) -> Point {
    let networking = 40 - streaming;
    let [baseline, unlocked, locked] = rates.map(|rate| [rate, rate]);
    Point {
        name: String::new(),
        baseline: row(networking, 0, baseline, median_ns),
        unlocked: row(networking, streaming, unlocked, 0.0),
        locked: row(networking, streaming, locked, median_ns),
    }
}

/// The paper's figure, with other rates at the ratio 36 : 4.
fn paper(last: [f64; 3]) -> Vec<Point> {
    vec![
        point(0, [95.0, 95.0, 95.0], 900.0),
        point(20, [95.0, 40.0, 85.0], 900.0),
        point(36, last, 950.0),
    ]
}

fn holds(points: &[Point]) -> Vec<bool> {
    let statements = statements(points);
    statements.iter().map(|one| one.holds).collect()
}

#[test]
fn the_papers_own_numbers_hold_for_both_ways_of_counting() {
    assert_eq!(holds(&paper([95.0, 3.0, 76.0])), [true; 7]);
}

#[test]
fn a_hit_rate_that_was_never_high_or_does_not_fall_is_not_the_papers() {
    assert!(!holds(&paper([60.0, 3.0, 50.0]))[0]);
    assert!(!holds(&paper([95.0, 11.0, 76.0]))[0]);
}

#[test]
fn losing_more_than_about_a_fifth_at_any_ratio_is_not_the_papers() {
    assert!(!holds(&paper([95.0, 3.0, 60.0]))[2]);
    let mut middle = paper([95.0, 3.0, 94.0]);
    middle[1] = point(20, [95.0, 40.0, 60.0], 900.0);
    assert!(!holds(&middle)[2]);
}

#[test]
fn a_gain_is_significant_if_it_is_large_and_more_than_chance() {
    assert!(!holds(&paper([95.0, 3.0, 12.0]))[1]);
    let mut uncertain = paper([95.0, 3.0, 76.0]);
    uncertain[2].locked.all = Some(Interval {
        mean: 76.0,
        half: 80.0,
    });
    let held = holds(&uncertain);
    assert!(!held[1], "all accesses");
    assert!(held[4], "loads");
}

#[test]
fn the_two_ways_of_counting_are_judged_by_themselves() {
    let mut points = paper([95.0, 3.0, 76.0]);
    points[2].unlocked.all = Some(Interval {
        mean: 60.0,
        half: 1.0,
    });
    let held_now = holds(&points);
    // The ratio at which all accesses hit least is now 20 : 20.
    assert_eq!(held_now[..3], [false, true, true]);
    assert_eq!(held_now[3..6], [true; 3]);
    assert_eq!(held(&points[2], Counting::Loads), [true; 3]);
    assert_eq!(held(&points[2], Counting::All), [false, true, true]);
}

#[test]
fn lock_times_are_of_the_papers_order_at_every_ratio_with_streams() {
    for (ns, holds_so) in [
        (399.0, false),
        (401.0, true),
        (1999.0, true),
        (2001.0, false),
    ] {
        let mut points = paper([95.0, 3.0, 76.0]);
        points[1] = point(20, [95.0, 40.0, 85.0], ns);
        assert_eq!(holds(&points)[6], holds_so, "{ns}");
    }
    let mut none = paper([95.0, 3.0, 76.0]);
    none[1].locked.locks = LockTimes {
        watchdog: 7,
        ..LockTimes::default()
    };
    let times = &statements(&none)[6];
    assert!(!times.holds);
    assert!(
        times.measured.contains("none at 20 : 20"),
        "{}",
        times.measured
    );
    assert!(times.measured.ends_with("the watchdog ended 7"));
}

#[test]
fn the_reason_names_classes_and_the_line_what_does_not_hold() {
    let points = paper([95.0, 50.0, 55.0]);
    let statements = statements(&points);
    assert_eq!(
        statements[0].because,
        "still hit: 40.0 points \"poll, call found\""
    );
    assert_eq!(
        statements[2].because,
        "missing: 40.0 points \"poll, call found\""
    );
    let told = line(&statements);
    assert!(told.starts_with("verdict: 3 of 7 statements of the paper hold; not (all accesses)"));
    assert!(
        statements[2].asked.contains("25 %"),
        "thresholds are printed"
    );
}

#[test]
fn a_sweep_without_streams_states_nothing() {
    assert_eq!(statements(&[point(0, [95.0; 3], 900.0)]), []);
}

#[test]
fn the_load_is_chosen_by_lock_times_alone() {
    let times = |name, medians: [f64; 2]| LoadTimes::new(name, false, medians.to_vec(), 900.0);
    let findings = Findings {
        loads: vec![
            times("busy", [1800.0, 450.0]),
            times("near", [900.0, 1000.0]),
            times("idle", [900.0, 0.0]),
        ],
        ..Findings::default()
    };
    assert!(
        (findings.loads[0].factor - 2.0).abs() < 1e-9,
        "shorter counts as longer"
    );
    assert_eq!(findings.nearest_load().unwrap().name, "near");
    assert!(Findings::default().nearest_load().is_none());
}
