//! The report for people: one row a message, totals, verdict.

use std::fmt::Write;
use xtq_testbench::scenario::{Lookup, Report, Row};

/// Differences printed without `-v`.
const SHORT: usize = 10;

/// Title of the columns, in the order of [`cells`].
const HEAD: [&str; 15] = [
    "message", "ctx", "bytes", "arrive", "parse", "task", "queue", "decide", "rewrite", "payload",
    "enqueue", "doorbell", "launch", "signal", "status",
];

/// Whether a column is text, and so begins at its left edge.
fn is_text(column: usize) -> bool {
    matches!(HEAD[column], "message" | "task" | "queue" | "status")
}

/// The whole report.
pub fn render(report: &Report, verbose: bool) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}\n", report.title);
    rows(&mut text, &report.messages);
    totals(&mut text, report);
    verdict(&mut text, report, verbose);
    text
}

fn rows(text: &mut String, messages: &[Row]) {
    let lines: Vec<[String; 15]> = messages.iter().map(cells).collect();
    let width = |column: usize| {
        let cells = lines.iter().map(|line| line[column].chars().count());
        cells.chain([HEAD[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let head = HEAD.map(str::to_owned);
    for line in [&head].into_iter().chain(&lines) {
        let mut out = String::new();
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let _ = match is_text(column) {
                true => write!(out, "{cell:<width$}  "),
                false => write!(out, "{cell:>width$}  "),
            };
        }
        let _ = writeln!(text, "{}", out.trim_end());
    }
}

fn cells(row: &Row) -> [String; 15] {
    let cycle =
        |cycle: Option<u64>| cycle.map_or_else(|| "-".to_owned(), |cycle| cycle.to_string());
    let lookup = |lookup: Option<Lookup>| match lookup {
        None => "-".to_owned(),
        Some(Lookup::Hit) => "hit".to_owned(),
        Some(Lookup::Miss) => "miss".to_owned(),
    };
    let place = row.queue.zip(row.packet_id);
    let place = place.map_or_else(String::new, |(queue, id)| {
        format!(", queue {queue} packet {id}")
    });
    [
        row.name.clone(),
        row.context.to_string(),
        row.length.to_string(),
        cycle(row.arrived),
        cycle(row.parsed),
        lookup(row.task_lookup),
        lookup(row.queue_lookup),
        cycle(row.admitted),
        cycle(row.rewritten),
        cycle(row.payload_written),
        cycle(row.enqueued),
        cycle(row.doorbell),
        cycle(row.launched),
        cycle(row.signal),
        format!("{}{place}", row.status),
    ]
}

fn totals(text: &mut String, report: &Report) {
    let _ = writeln!(text);
    for signal in &report.signals {
        let (context, handle) = (signal.context, signal.handle);
        let _ = writeln!(
            text,
            "signal {handle:#x} (context {context}): {} -> {}",
            signal.before, signal.after
        );
    }
    for queue in &report.queues {
        let error = match queue.error.as_str() {
            "" => String::new(),
            error => format!("; queue error: {error}"),
        };
        let _ = writeln!(
            text,
            "queue {} (context {}): write index {}, read index {}{error}",
            queue.index, queue.context, queue.write_index, queue.read_index
        );
    }
    let _ = writeln!(
        text,
        "{} cycles on engine {}: {:.0} cycles/s, {:.1} % of the cycles asleep; built in {:.2} s",
        report.cycles,
        report.engine,
        report.cycles_per_second,
        100.0 * report.asleep,
        report.build_seconds
    );
    let _ = writeln!(
        text,
        "W channel {:.0} % busy: {} write beats in {} cycles; {} read beats",
        100.0 * report.write_utilisation,
        report.write_beats,
        report.active_cycles,
        report.read_beats
    );
    if report.dropped_packets > 0 {
        let _ = writeln!(text, "{} malformed packets dropped", report.dropped_packets);
    }
}

fn verdict(text: &mut String, report: &Report, verbose: bool) {
    if !report.failure.is_empty() {
        let _ = writeln!(text, "FAILED: {}", report.failure);
    }
    let shown = if verbose {
        report.differences.len()
    } else {
        SHORT
    };
    for difference in report.differences.iter().take(shown) {
        let _ = writeln!(text, "DIFFERS: {difference}");
    }
    if let Some(more @ 1..) = report.differences.len().checked_sub(shown) {
        let _ = writeln!(text, "... and {more} more (-v shows all)");
    }
    if report.failure.is_empty() && !report.compared {
        let _ = writeln!(
            text,
            "NOT COMPARED: a fault has a `count` where the order of accesses depends on time; the scoreboard says nothing"
        );
    } else if report.passed {
        let _ = writeln!(
            text,
            "scoreboard: memory, queues, doorbells, events and acknowledgements as the golden model expects"
        );
    }
}
