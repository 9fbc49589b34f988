//! The paper's statements about figure 7, judged on runs made by hand.

use xtq_testbench::compnet::{Class, Load};
use xtq_testbench::experiments::compnet_hitrate::{
    ClassRow, Comparison, Findings, LockTimes, Row, statements,
};
use xtq_testbench::experiments::statement::line;

/// A run of 1,000 accesses with so many hits, and locks of this median.
fn row(streaming: u64, locking: bool, hits: u64, median_ns: f64) -> Row {
    Row {
        l2_kib: 64,
        load: Load {
            networking: 4,
            streaming,
            locking,
            seed: 1,
        },
        hit_rate: Some(hits as f64 / 10.0),
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

/// Hits of three runs without locking and three with it.
fn held(without: [u64; 3], with: [u64; 3], lock_ns: [f64; 3]) -> Vec<bool> {
    let streaming = [0, 8, 36];
    let mut rows = Vec::new();
    for (streaming, hits) in streaming.into_iter().zip(without) {
        rows.push(row(streaming, false, hits, 0.0));
    }
    for ((streaming, hits), ns) in streaming.into_iter().zip(with).zip(lock_ns) {
        rows.push(row(streaming, true, hits, ns));
    }
    let findings = Findings {
        rows,
        ..Findings::default()
    };
    let statements = statements(&findings);
    statements.iter().map(|one| one.holds).collect()
}

const LOCKS: [f64; 3] = [850.0, 900.0, 950.0];

#[test]
fn the_papers_own_numbers_hold() {
    let held = held([950, 300, 30], [950, 850, 760], LOCKS);
    assert_eq!(held, [true; 4]);
}

#[test]
fn a_hit_rate_that_was_never_high_or_does_not_fall_is_not_the_papers() {
    assert!(!held([600, 300, 30], [950, 850, 760], LOCKS)[0]);
    assert!(!held([950, 300, 110], [950, 850, 760], LOCKS)[0]);
}

#[test]
fn losing_more_than_about_a_fifth_is_not_the_papers() {
    for (with, holds) in [
        ([950, 850, 600], false),
        ([950, 690, 950], false),
        ([950, 940, 945], true),
    ] {
        assert_eq!(held([950, 300, 30], with, LOCKS)[1], holds, "{with:?}");
    }
    // The worst case need not be the one with the most streams.
    assert!(held([950, 300, 30], [950, 760, 900], LOCKS)[1]);
}

#[test]
fn a_small_gain_is_not_significant() {
    assert!(!held([950, 300, 700], [950, 850, 760], LOCKS)[2]);
}

#[test]
fn the_lock_times_of_all_runs_count() {
    assert!(!held([950, 300, 30], [950, 850, 760], [100.0, 900.0, 950.0])[3]);
    assert!(!held([950, 300, 30], [950, 850, 760], [900.0, 900.0, 1500.0])[3]);
}

#[test]
fn the_reason_names_the_classes_and_the_line_what_does_not_hold() {
    let findings = Findings {
        rows: vec![
            row(0, false, 950, 0.0),
            row(36, false, 500, 0.0),
            row(0, true, 950, 900.0),
            row(36, true, 550, 900.0),
        ],
        ..Findings::default()
    };
    let statements = statements(&findings);
    assert_eq!(
        statements[0].because,
        "still hit: 50.0 points \"poll, call found\""
    );
    assert_eq!(
        statements[1].because,
        "missing: 40.0 points \"poll, call found\""
    );
    let told = line(&statements);
    assert!(told.starts_with("verdict: 1 of 4 statements of the paper hold; not (64 KiB)"));
    assert!(!told.contains("of other loads"));
}

#[test]
fn another_load_is_judged_like_a_sweep() {
    let other = |networking| {
        let at = |mut row: Row| {
            row.load.networking = networking;
            row
        };
        Comparison {
            name: "another load".into(),
            private_lines: 16,
            bare: false,
            baseline: at(row(0, true, 950, 900.0)),
            unlocked: at(row(24, false, 300, 0.0)),
            locked: at(row(24, true, 800, 900.0)),
        }
    };
    let findings = Findings {
        rows: vec![row(0, false, 950, 0.0)],
        variants: vec![other(4), other(16)],
        ..Findings::default()
    };
    let statements = statements(&findings);
    assert!(statements.iter().all(|one| one.of == "another load"));
    let held: Vec<_> = statements.iter().map(|one| one.holds).collect();
    assert_eq!(held, [false, true, true, true]);
    let told = line(&statements);
    assert_eq!(
        told,
        "verdict: 0 of 0 statements of the paper hold; of other loads and systems 3 of 4 hold"
    );
}

#[test]
fn locks_that_only_the_watchdog_ended_have_no_median() {
    let timed_out = |mut row: Row| {
        (row.locks.released, row.locks.watchdog, row.locks.median_ns) = (0, 7, 0.0);
        row
    };
    let findings = Findings {
        rows: vec![
            row(0, false, 950, 0.0),
            row(36, false, 30, 0.0),
            row(0, true, 950, 900.0),
            timed_out(row(36, true, 800, 0.0)),
        ],
        ..Findings::default()
    };
    let times = &statements(&findings)[3];
    assert!(!times.holds);
    assert!(times.measured.ends_with(" 7 of 17"), "{}", times.measured);
    assert!(
        times
            .measured
            .starts_with("medians of 900 to 900 ns; the watchdog ended 7 of ")
    );
}

#[test]
fn a_command_processor_without_data_of_its_own_may_lose_nothing() {
    let bare = |hits| {
        let comparison = Comparison {
            name: "bare".into(),
            private_lines: 0,
            bare: true,
            baseline: row(0, true, 990, 900.0),
            unlocked: row(36, false, 100, 0.0),
            locked: row(36, true, hits, 900.0),
        };
        let findings = Findings {
            variants: vec![comparison],
            ..Findings::default()
        };
        statements(&findings)[0].holds
    };
    assert!(bare(985) && !bare(950));
}
