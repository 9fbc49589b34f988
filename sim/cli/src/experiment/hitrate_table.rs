//! The command processor's hit rate as text and as CSV.

use std::fmt::Write;
use xtq_testbench::compnet::hitrate::{Report, Row};

/// Text for people: Markdown tables, the paper's statements, and the verdict.
pub fn markdown(report: &Report) -> String {
    let mut text = String::from(
        "| streaming : networking | locking | calls | CP hit rate | calls found | queue entries | own data | streams | call | locks: median, 90 %, longest | no lock to be had |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for locking in [false, true] {
        for row in report.curve(locking) {
            let _ = writeln!(text, "| {} |", cells(row).join(" | "));
        }
    }
    if !report.variants.is_empty() {
        let most = report.sweep.streaming.last().copied().unwrap_or(0);
        let _ = write!(
            text,
            "\n| other parameters, without streams and with {most} | CP hit rate: no streams | streams, no locking | streams, locking | calls found, no locking | calls found, locking | own data, locking | locks: median, 90 %, longest |\n\
             |---|---:|---:|---:|---:|---:|---:|---:|\n"
        );
    }
    for variant in &report.variants {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            variant.name,
            percent(variant.baseline.hit_rate),
            percent(variant.unlocked.hit_rate),
            percent(variant.locked.hit_rate),
            percent(variant.unlocked.found_hit_rate),
            percent(variant.locked.found_hit_rate),
            percent(variant.locked.own_hit_rate),
            lock_times(&variant.locked),
        );
    }
    text += "\n| the paper says | came out | |\n|---|---|---|\n";
    for statement in &report.statements {
        let verdict = match statement.holds {
            true => "holds".to_owned(),
            false => format!("**does not hold**: {}", statement.because),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {verdict} |",
            statement.paper, statement.measured
        );
    }
    let _ = writeln!(text, "\n{}", report.verdict());
    text
}

/// The cells of a run.
fn cells(row: &Row) -> Vec<String> {
    let load = &row.load;
    vec![
        format!("{} : {}", load.streaming, load.networking),
        if load.locking { "yes" } else { "no" }.into(),
        row.calls.to_string(),
        percent(row.hit_rate),
        percent(row.found_hit_rate),
        percent(row.entry_hit_rate),
        percent(row.own_hit_rate),
        format!("{:.1} GB/s", row.streamed_gigabytes_per_second),
        format!("{:.0} ns", row.call_ns),
        lock_times(row),
        row.lock_overflows.to_string(),
    ]
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

/// All runs as CSV, one a line; hit rates in percent, empty where there was no access. Errors: of the writer.
pub fn csv(report: &Report) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "system",
        "networking",
        "streaming",
        "locking",
        "calls",
        "call_ns",
        "cp_hit_rate",
        "found_hit_rate",
        "entry_hit_rate",
        "own_hit_rate",
        "streamed_gigabytes_per_second",
        "locks_released",
        "locks_watchdog",
        "locks_dropped",
        "lock_overflows",
        "lock_median_ns",
        "lock_p90_ns",
        "lock_max_ns",
    ])?;
    let swept = report.rows.iter().map(|row| ("sweep", row));
    let compared = report.variants.iter().flat_map(|variant| {
        let rows = [&variant.baseline, &variant.unlocked, &variant.locked];
        rows.map(|row| (variant.name.as_str(), row))
    });
    for (system, row) in swept.chain(compared) {
        let rate = |rate: Option<f64>| rate.map_or(String::new(), |rate| format!("{rate:.3}"));
        writer.write_record([
            system.to_owned(),
            row.load.networking.to_string(),
            row.load.streaming.to_string(),
            row.load.locking.to_string(),
            row.calls.to_string(),
            format!("{:.1}", row.call_ns),
            rate(row.hit_rate),
            rate(row.found_hit_rate),
            rate(row.entry_hit_rate),
            rate(row.own_hit_rate),
            format!("{:.3}", row.streamed_gigabytes_per_second),
            row.locks.released.to_string(),
            row.locks.watchdog.to_string(),
            row.locks.dropped.to_string(),
            row.lock_overflows.to_string(),
            format!("{:.1}", row.locks.median_ns),
            format!("{:.1}", row.locks.p90_ns),
            format!("{:.1}", row.locks.max_ns),
        ])?;
    }
    writer
        .into_inner()
        .map_err(|error| error.into_error().into())
}
