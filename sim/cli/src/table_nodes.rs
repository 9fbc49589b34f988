//! The report of several nodes for people: one row a message, a block a node, verdict.

use std::fmt::Write;

use crate::names::line;
use crate::table::{cycle, differences, failure, grid, queues, signals, status};
use xtq_testbench::scenario::NodesReport;
use xtq_testbench::scenario::nodes::{MessageRow, NodeState, ProcessState};

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
    failure(&mut text, &report.failure, report.interrupted);
    differences(&mut text, &report.differences, verbose);
    if report.passed {
        let _ = writeln!(text, "all programs have ended, and found what they expect");
    }
    text
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
    let _ = writeln!(
        text,
        "node {} ({}): {} packets sent, {} write beats, {} read beats; link {:.1} % out, {:.1} % in",
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
