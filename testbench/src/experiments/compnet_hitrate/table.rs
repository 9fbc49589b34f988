//! The command processor's hit rate as tables for people.

use super::{Comparison, Report, Row};
use crate::experiments::{Part, Table};

/// Heads of a sweep's columns, in the order of [`cells`].
const HEAD: [&str; 13] = [
    "streaming : networking",
    "locking",
    "calls",
    "CP hit rate (its range)",
    "without write-backs",
    "calls found",
    "their share of accesses",
    "queue entries",
    "own data",
    "CP hit, miss",
    "streams",
    "locks: median, 90 %, longest",
    "released, watchdog, dropped, not to be had",
];

/// Heads of a comparison's columns, in the order of [`comparison_cells`].
const COMPARED: [&str; 10] = [
    "streaming : networking",
    "CP hit rate: no streams",
    "streams, no locking",
    "streams, locking",
    "calls found, no locking",
    "calls found, locking",
    "their share, locking",
    "own data, locking",
    "call, locking",
    "locks: median, 90 %, longest",
];

/// Tables of all runs, and the paper's statements.
pub fn parts(report: &Report) -> Vec<Part> {
    let findings = &report.findings;
    let mut parts = Vec::new();
    for size in findings.sizes() {
        let rows = [false, true].map(|locking| findings.curve(size, locking));
        parts.push(Part::Line(format!("L2 of {size} KiB:")));
        parts.push(Part::Table(Table {
            head: HEAD.map(str::to_owned).to_vec(),
            numbers: true,
            rows: rows.into_iter().flatten().map(cells).collect(),
        }));
    }
    for (what, comparisons) in [
        ("private lines for a call", &findings.by_private_lines),
        ("other parameters", &findings.variants),
    ] {
        if comparisons.is_empty() {
            continue;
        }
        let row = |compared: &Comparison| {
            let name = std::iter::once(compared.name.clone());
            name.chain(comparison_cells(compared)).collect()
        };
        let head = std::iter::once(what).chain(COMPARED);
        parts.push(Part::Table(Table {
            head: head.map(str::to_owned).collect(),
            numbers: true,
            rows: comparisons.iter().map(row).collect(),
        }));
    }
    let statements = report.statements.iter().map(|statement| {
        let verdict = match statement.holds {
            true => "holds".to_owned(),
            false => format!("**does not hold**; {}", statement.because),
        };
        vec![
            statement.of.clone(),
            statement.paper.to_owned(),
            statement.measured.clone(),
            verdict,
        ]
    });
    parts.push(Part::Table(Table {
        head: ["of", "the paper says", "came out", ""]
            .map(str::to_owned)
            .to_vec(),
        numbers: false,
        rows: statements.collect(),
    }));
    parts
}

/// The cells of a run.
fn cells(row: &Row) -> Vec<String> {
    let (load, locks) = (&row.load, &row.locks);
    let range = row.hit_rate_range.map_or(String::new(), |[least, most]| {
        format!(" ({least:.1} to {most:.1})")
    });
    vec![
        load_of(row),
        if load.locking { "yes" } else { "no" }.into(),
        row.calls.to_string(),
        percent(row.hit_rate) + &range,
        percent(row.demand_hit_rate),
        percent(row.found_hit_rate),
        percent(row.found_share),
        percent(row.entry_hit_rate),
        percent(row.own_hit_rate),
        match row.miss_ns > 0.0 {
            true => format!("{:.0}, {:.0} ns", row.hit_ns, row.miss_ns),
            false => format!("{:.0} ns, -", row.hit_ns),
        },
        format!("{:.1} GB/s", row.streamed_gigabytes_per_second),
        lock_times(row),
        format!(
            "{}, {}, {}, {}",
            locks.released, locks.watchdog, locks.dropped, row.lock_overflows
        ),
    ]
}

fn comparison_cells(compared: &Comparison) -> Vec<String> {
    let (unlocked, locked) = (&compared.unlocked, &compared.locked);
    vec![
        load_of(locked),
        percent(compared.baseline.hit_rate),
        percent(unlocked.hit_rate),
        percent(locked.hit_rate),
        percent(unlocked.found_hit_rate),
        percent(locked.found_hit_rate),
        percent(locked.found_share),
        percent(locked.own_hit_rate),
        format!("{:.0} ns", locked.call_ns),
        lock_times(locked),
    ]
}

fn load_of(row: &Row) -> String {
    format!("{} : {}", row.load.streaming, row.load.networking)
}

fn lock_times(row: &Row) -> String {
    let locks = &row.locks;
    match locks.released {
        0 => "-".into(),
        _ => format!(
            "{:.0}, {:.0}, {:.0} ns",
            locks.median_ns, locks.p90_ns, locks.max_ns
        ),
    }
}

fn percent(rate: Option<f64>) -> String {
    rate.map_or("-".into(), |rate| format!("{rate:.1} %"))
}
