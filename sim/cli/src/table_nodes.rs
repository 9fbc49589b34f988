//! The report of several nodes for people: one row a message, a block a node, verdict.

use std::fmt::Write;

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
    workers(&mut text, &report.waiting);
    spine_links(&mut text, report, verbose);
    for wave in &report.waves {
        let _ = writeln!(text, "waveform of a rank's nodes: {}", line(wave));
    }
    failure(&mut text, &report.failure, report.interrupted);
    differences(&mut text, &report.differences, verbose);
    if report.passed {
        let _ = writeln!(text, "all programs have ended, and found what they expect");
    }
    text
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
