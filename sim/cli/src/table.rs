//! The report for people: one row a message, totals, verdict.

use crate::names::{line, padded, width};
use std::fmt::Write;
use xtq_testbench::scenario::{Lookup, QueueState, Report, Row, SignalState};

/// Differences printed without `-v`.
const SHORT: usize = 10;

/// Title of the columns, in the order of [`cells`]; a colon in front: text, which begins at its left edge.
const HEAD: [&str; 15] = [
    ":message", "ctx", "bytes", "arrive", "parse", ":task", ":queue", "decide", "rewrite",
    "payload", "enqueue", "doorbell", "launch", "signal", ":status",
];

/// The whole report.
pub fn render(report: &Report, verbose: bool) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}\n", line(&report.title));
    let lines: Vec<_> = report.messages.iter().map(cells).collect();
    grid(&mut text, &HEAD, &lines);
    totals(&mut text, report);
    verdict(&mut text, report, verbose);
    text
}

/// A table with these heads (as of [`HEAD`]) and lines.
pub(crate) fn grid<const N: usize>(text: &mut String, head: &[&str; N], lines: &[[String; N]]) {
    let is_text = head.map(|name| name.starts_with(':'));
    let head = head.map(|name| name.trim_start_matches(':').to_owned());
    let widest = |column: usize| {
        let cells = lines.iter().map(|line| width(&line[column]));
        cells.chain([head[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..N).map(widest).collect();
    for line in [&head].into_iter().chain(lines) {
        let mut out = String::new();
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            out += &padded(cell, *width, !is_text[column]);
            out += "  ";
        }
        let _ = writeln!(text, "{}", out.trim_end());
    }
}

/// A cycle as a cell.
pub(crate) fn cycle(cycle: Option<u64>) -> String {
    cycle.map_or_else(|| "-".to_owned(), |cycle| cycle.to_string())
}

/// How a message ended, and where its packet is.
pub(crate) fn status(status: &str, queue: Option<u16>, packet_id: Option<u64>) -> String {
    let place = queue.zip(packet_id);
    let place = place.map_or_else(String::new, |(queue, id)| {
        format!(", queue {queue} packet {id}")
    });
    format!("{status}{place}")
}

fn cells(row: &Row) -> [String; 15] {
    let lookup = |lookup: Option<Lookup>| match lookup {
        None => "-".to_owned(),
        Some(Lookup::Hit) => "hit".to_owned(),
        Some(Lookup::Miss) => "miss".to_owned(),
    };
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
        status(&row.status, row.queue, row.packet_id),
    ]
}

/// A line for each signal, after `indent`.
pub(crate) fn signals(text: &mut String, indent: &str, signals: &[SignalState]) {
    for signal in signals {
        let (context, handle) = (signal.context, signal.handle);
        let _ = writeln!(
            text,
            "{indent}signal {handle:#x} (context {context}): {} -> {}",
            signal.before, signal.after
        );
    }
}

/// A line for each queue, after `indent`.
pub(crate) fn queues(text: &mut String, indent: &str, queues: &[QueueState]) {
    for queue in queues {
        let error = match queue.error.as_str() {
            "" => String::new(),
            error => format!("; queue error: {}", line(error)),
        };
        let _ = writeln!(
            text,
            "{indent}queue {} (context {}): write index {}, read index {}{error}",
            queue.index, queue.context, queue.write_index, queue.read_index
        );
    }
}

fn totals(text: &mut String, report: &Report) {
    let _ = writeln!(text);
    signals(text, "", &report.signals);
    queues(text, "", &report.queues);
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

/// A line about what ended the run early, if anything did.
pub(crate) fn failure(text: &mut String, failure: &str, interrupted: bool) {
    let _ = match (failure, interrupted) {
        ("", _) => Ok(()),
        (failure, true) => {
            writeln!(
                text,
                "INTERRUPTED: {}, before the run was over",
                line(failure)
            )
        }
        (failure, false) => writeln!(text, "FAILED: {}", line(failure)),
    };
}

/// A line for each difference; few without `-v`.
pub(crate) fn differences(text: &mut String, differences: &[String], verbose: bool) {
    let shown = if verbose { differences.len() } else { SHORT };
    for difference in differences.iter().take(shown) {
        let _ = writeln!(text, "DIFFERS: {}", line(difference));
    }
    if let Some(more @ 1..) = differences.len().checked_sub(shown) {
        let _ = writeln!(text, "... and {more} more (-v shows all)");
    }
}

fn verdict(text: &mut String, report: &Report, verbose: bool) {
    failure(text, &report.failure, report.interrupted);
    differences(text, &report.differences, verbose);
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
