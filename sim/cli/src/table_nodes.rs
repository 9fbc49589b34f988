//! The report of several nodes for people: one row a message, a block a node, verdict.

use std::fmt::Write;
use std::path::Path;

use crate::names::line;
use crate::table::{cycle, differences, failure, grid, queues, signals, status};
use xtq_testbench::scenario::NodesReport;
use xtq_testbench::scenario::nodes::{MessageRow, NodeState, ProcessState, SpineLinkState};

/// Title of the columns, in the order of [`cells`]; a colon in front: text.
const HEAD: [&str; 16] = [
    ":message", ":from", ":to", "bytes", "command", "first", "last", "arrive", "decide", "payload",
    "doorbell", "launch", "signal", "event", "ack", ":status",
];

/// The whole report.
pub fn render(report: &NodesReport, verbose: bool) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}\n", line(&report.title));
    let lines: Vec<_> = report.messages.iter().map(cells).collect();
    match report.followed {
        true => grid(&mut text, &HEAD, &lines),
        false => text.push_str("messages were not followed (--log follows them)\n"),
    }
    let _ = writeln!(text);
    report
        .nodes
        .iter()
        .for_each(|state| node(&mut text, state, verbose));
    totals(&mut text, report);
    workers(&mut text, &report.waiting);
    spine_links(&mut text, report, verbose);
    for wave in &report.waves {
        let _ = writeln!(text, "waveform of a rank's nodes: {}", line(wave));
    }
    failure(&mut text, &report.failure, report.interrupted);
    differences(&mut text, &report.differences, verbose);
    if report.passed {
        let _ = writeln!(text, "{PASSED}");
    }
    text
}

/// That nothing is wrong.
const PASSED: &str = "all programs have ended, and found what they expect";

/// Bytes of a [brief](render_brief) report at most: every pipe takes so many at once, although nobody reads.
const BRIEF: usize = 3 << 10;

/// What fits into so few bytes that it arrives although nobody reads: how it ended first, then nodes as long as there
/// is room, then what was left out, and where that is.
pub fn render_brief(report: &NodesReport, json: Option<&Path>) -> String {
    let mut ending = String::new();
    failure(&mut ending, &report.failure, report.interrupted);
    if report.passed {
        ending.push_str(PASSED);
    }
    let mut text = beginning(ending.trim_end(), BRIEF / 4);
    let _ = writeln!(text);
    let mut more = String::new();
    totals(&mut more, report);
    workers(&mut more, &report.waiting);
    for wave in &report.waves {
        let _ = writeln!(more, "waveform of a rank's nodes: {}", line(wave));
    }
    differences(&mut more, &report.differences, false);
    let _ = writeln!(text, "{}", beginning(more.trim_end(), BRIEF / 2));
    let mut shown = 0;
    for state in &report.nodes {
        let mut block = String::new();
        node(&mut block, state, false);
        if text.len() + block.len() > BRIEF {
            break;
        }
        text.push_str(&block);
        shown += 1;
    }
    let left = [
        (report.nodes.len() - shown, "nodes"),
        (report.messages.len(), "messages"),
    ];
    let left = left.iter().filter(|(count, _)| *count > 0);
    let left: Vec<_> = left
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if !left.is_empty() {
        let place = match json {
            Some(file) => format!("in {}", beginning(&line(&file.display().to_string()), 300)),
            None => "in the file of --json, if one is given".to_owned(),
        };
        let _ = writeln!(
            text,
            "left out here: {}; they are {place}",
            left.join(" and ")
        );
    }
    text
}

/// The text, or its beginning of so many bytes at most.
fn beginning(text: &str, most: usize) -> String {
    match text.len() <= most {
        true => text.to_owned(),
        false => {
            let mut ends = (0..=most).rev();
            let end = ends.find(|end| text.is_char_boundary(*end));
            format!("{} ...", &text[..end.unwrap_or(0)])
        }
    }
}

/// How long the run was, and how fast.
fn totals(text: &mut String, report: &NodesReport) {
    let _ = writeln!(
        text,
        "{} cycles of {} nodes on engine {}, digest {}",
        report.cycles,
        report.nodes.len(),
        report.engine,
        report.digest
    );
    let _ = writeln!(
        text,
        "speed: {:.0} cycles/s, {:.0} node-cycles/s, {:.1} % awake; built in {:.2} s, opened in {:.2} s, ran {:.2} s; {} KiB a node",
        report.cycles_per_second,
        report.node_cycles_per_second,
        100.0 * (1.0 - report.asleep),
        report.build_seconds,
        report.open_seconds,
        report.seconds,
        report.node_bytes / 1024
    );
}

/// Share of their time that workers wait, on average, above which fewer are likely to be as fast.
const MUCH: f64 = 0.5;

/// How long several workers waited for each other.
fn workers(text: &mut String, waiting: &[f64]) {
    if waiting.len() < 2 {
        return;
    }
    let percent = |share: f64| 100.0 * share;
    let mean = waiting.iter().sum::<f64>() / waiting.len() as f64;
    let least = waiting.iter().copied().fold(f64::MAX, f64::min);
    let most = waiting.iter().copied().fold(0.0, f64::max);
    let _ = writeln!(
        text,
        "{} workers waited for each other {:.1} % of the time ({:.1} to {:.1} %)",
        waiting.len(),
        percent(mean),
        percent(least),
        percent(most)
    );
    if mean > MUCH {
        let _ = writeln!(text, "note: that is much; fewer workers may be as fast");
    }
}

/// Spine links shown unless more is asked for.
const SHOWN_LINKS: usize = 8;

/// The links between leaves and spines, those in use most first.
fn spine_links(text: &mut String, report: &NodesReport, verbose: bool) {
    let mut links: Vec<_> = report.spine_links.iter().collect();
    let load = |link: &SpineLinkState| link.up.max(link.down);
    links.sort_by(|one, other| load(other).total_cmp(&load(one)));
    let shown = if verbose { links.len() } else { SHOWN_LINKS };
    for link in links.iter().take(shown) {
        let _ = writeln!(
            text,
            "leaf {} and spine {}: link {:.1} % up, {:.1} % down",
            link.leaf,
            link.spine,
            100.0 * link.up,
            100.0 * link.down
        );
    }
    if let Some(more) = links.len().checked_sub(shown).filter(|more| *more > 0) {
        let _ = writeln!(text, "{more} more links of spines, used less (--verbose)");
    }
}

fn cells(row: &MessageRow) -> [String; 16] {
    [
        row.name.clone(),
        row.from.clone(),
        row.to.clone(),
        row.length.to_string(),
        cycle(row.command),
        cycle(row.first_beat),
        cycle(row.last_beat),
        cycle(row.arrived),
        cycle(row.admitted),
        cycle(row.payload_written),
        cycle(row.doorbell),
        cycle(row.launched),
        cycle(row.signal),
        cycle(row.event),
        cycle(row.acknowledged),
        status(&row.status, row.queue, row.packet_id),
    ]
}

fn node(text: &mut String, state: &NodeState, verbose: bool) {
    let inside = match state.packets_inside {
        0 => String::new(),
        count => format!(" and {count} inside"),
    };
    let _ = writeln!(
        text,
        "node {} ({}): {} packets sent{inside}, {} write beats, {} read beats; link {:.1} % out, {:.1} % in",
        state.number,
        line(&state.name),
        state.packets_sent,
        state.write_beats,
        state.read_beats,
        100.0 * state.sending,
        100.0 * state.receiving
    );
    for process in &state.processes {
        self::process(text, process, verbose);
    }
    signals(text, "  ", &state.signals);
    queues(text, "  ", &state.queues);
}

fn process(text: &mut String, process: &ProcessState, verbose: bool) {
    let (name, context) = (line(&process.name), process.context);
    let ended = match process.ended {
        Some(cycle) => format!("ended in cycle {cycle}"),
        None => "has not ended".to_owned(),
    };
    let _ = writeln!(
        text,
        "  {name} (context {context}): {} of {} steps, {ended}; {} events",
        process.done,
        process.steps,
        process.events.len()
    );
    for event in process.events.iter().filter(|_| verbose) {
        let about = event
            .user_ptr
            .map(|user| format!(", user pointer {user:#x}"));
        let _ = writeln!(
            text,
            "    {:>6} {}: {}, {} bytes{}",
            event.cycle,
            event.kind,
            event.status,
            event.length,
            about.unwrap_or_default()
        );
    }
}
