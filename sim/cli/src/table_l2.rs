//! The report of a bank of the L2 for people: one row a step, the locks that ended, verdict.

use std::fmt::Write;

use crate::names::line;
use crate::table::{cycle, differences, failure, grid};
use xtq_testbench::scenario::L2Report;
use xtq_testbench::scenario::l2::{L2Row, LockRow};

/// Title of the columns, in the order of [`cells`]; a colon in front: text.
const HEAD: [&str; 9] = [
    ":step",
    ":who",
    ":op",
    ":address",
    "taken",
    "answer",
    ":cache",
    ":status",
    ":data before",
];

/// Of the locks, in the order of [`lock_cells`].
const LOCK_HEAD: [&str; 6] = [":lock on line", ":kind", "owner", "from", "to", ":ended by"];

/// The whole report.
pub fn render(report: &L2Report, verbose: bool) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}\n", line(&report.title));
    let lines: Vec<_> = report.steps.iter().map(cells).collect();
    grid(&mut text, &HEAD, &lines);
    let _ = writeln!(text);
    if !report.locks.is_empty() {
        let lines: Vec<_> = report.locks.iter().map(lock_cells).collect();
        grid(&mut text, &LOCK_HEAD, &lines);
        let _ = writeln!(text);
    }
    let counters = &report.counters;
    let _ = writeln!(
        text,
        "{} lines locked at the end; {} locked stores got no lock, {} locks made room for a read-modify-write, {} were dropped by the watchdog",
        counters.locked_lines,
        counters.lock_overflows,
        counters.dropped_locks,
        counters.watchdog_drops
    );
    let _ = writeln!(
        text,
        "hits and misses: {} and {} of the command processor, {} and {} of compute units",
        counters.cp_hits, counters.cp_misses, counters.cu_hits, counters.cu_misses
    );
    let _ = writeln!(text, "{} cycles on engine {}", report.cycles, report.engine);
    failure(&mut text, &report.failure, report.interrupted);
    differences(&mut text, &report.differences, verbose);
    if report.passed {
        let _ = writeln!(text, "everything is as the scenario expects");
    }
    text
}

fn cells(row: &L2Row) -> [String; 9] {
    let cache = match (row.hit, row.uncached) {
        (_, Some(true)) => "uncached",
        (Some(true), _) => "hit",
        (Some(false), _) => "miss",
        (None, _) => "-",
    };
    [
        row.name.clone(),
        row.requester.clone(),
        word(&row.op),
        format!("{:#x}", row.address),
        cycle(row.taken),
        cycle(row.answered),
        cache.to_owned(),
        row.status.map_or("-".to_owned(), |status| word(&status)),
        row.data.clone(),
    ]
}

fn lock_cells(row: &LockRow) -> [String; 6] {
    [
        format!("{:#x}", row.line),
        if row.rmw {
            "read-modify-write"
        } else {
            "store"
        }
        .to_owned(),
        row.owner.to_string(),
        row.cycle.saturating_sub(row.cycles).to_string(),
        row.cycle.to_string(),
        word(&row.cause),
    ]
}

/// The word by which a scenario file calls it.
fn word(value: &impl serde::Serialize) -> String {
    let word = serde_json::to_value(value).ok();
    let word = word.as_ref().and_then(|word| word.as_str());
    word.unwrap_or_default().to_owned()
}
