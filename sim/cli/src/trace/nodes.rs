//! The trace of several nodes: hosts, NICs, GPUs and the wires between them.

use super::stages::{Stations, Target, message_args};
use super::{Trace, Track};
use serde_json::json;
use std::collections::BTreeMap;
use xtq_testbench::scenario::NodesReport;
use xtq_testbench::scenario::nodes::{MessageRow, NodeState, ProcessState};

/// The tracks of a node.
struct Node {
    /// NIC: from the command to the first beat, and to the last one.
    command: Track,
    send: Track,
    target: Target,
    /// By process: its program, and its events.
    processes: Vec<(Track, Track)>,
}

/// The trace of a run.
pub fn of_nodes(report: &NodesReport) -> Trace {
    let mut trace = Trace::new(&report.title, &report.engine);
    let nodes: Vec<Node> = report
        .nodes
        .iter()
        .map(|node| tracks(&mut trace, node))
        .collect();
    for (tracks, node) in nodes.iter().zip(&report.nodes) {
        for (tracks, process) in tracks.processes.iter().zip(&node.processes) {
            add_program(&mut trace, *tracks, process);
        }
    }
    // Names of processes are the scenario's, each once.
    let place = |process: &str| {
        let has = |node: &NodeState| node.processes.iter().any(|own| own.name == process);
        report.nodes.iter().position(has)
    };
    let network = trace.group("network");
    let mut wires: BTreeMap<(usize, usize), Track> = BTreeMap::new();
    let ends: Vec<_> = report
        .messages
        .iter()
        .filter_map(|row| Some((row, place(&row.from)?, place(&row.to)?)))
        .collect();
    for (_, from, to) in &ends {
        wires
            .entry((*from, *to))
            .or_insert_with(|| match from == to {
                true => trace.track(network, format!("inside: node {from} to itself")),
                false => trace.track(network, format!("wire: node {from} to node {to}")),
            });
    }
    for (row, from, to) in ends {
        add_message(
            &mut trace,
            row,
            &nodes[from],
            wires[&(from, to)],
            &nodes[to],
        );
    }
    trace
}

fn tracks(trace: &mut Trace, node: &NodeState) -> Node {
    let group = trace.group(format!("node {} {}", node.number, node.name));
    let mut of_process = |process: &ProcessState| {
        let name = &process.name;
        (
            trace.track(group, format!("host: program of {name}")),
            trace.track(group, format!("host: events of {name}")),
        )
    };
    Node {
        processes: node.processes.iter().map(&mut of_process).collect(),
        command: trace.track(group, "NIC sends: command taken, waits, gathers"),
        send: trace.track(group, "NIC sends: packets"),
        target: Target::new(trace, group),
    }
}

/// The steps of a program, and the events that the NIC wrote for it.
fn add_program(trace: &mut Trace, (program, events): (Track, Track), process: &ProcessState) {
    for step in &process.timeline {
        let args = json!({ "call": step.call });
        let span = (step.begun, step.done);
        trace.slice(program, &step.name, "host", span, args);
    }
    for event in &process.events {
        let name = format!("{} {}", event.kind, event.status);
        trace.instant(events, name, "host", event.cycle);
    }
}

fn add_message(trace: &mut Trace, row: &MessageRow, from: &Node, wire: Track, to: &Node) {
    let more = json!({ "call": row.call, "from": row.from, "to": row.to });
    let args = message_args(row.length, &row.status, more);
    let sides = [
        (from.command, "nic", row.command, row.first_beat),
        (from.send, "nic", row.first_beat, row.last_beat),
        (wire, "wire", row.first_beat, row.arrived),
    ];
    let mut slices = Vec::new();
    for (track, category, start, end) in sides {
        slices.extend(trace.slice(track, &row.name, category, (start, end), args.clone()));
    }
    let stations = Stations::between_nodes(row);
    slices.extend(to.target.add(trace, &row.name, &stations, &args));
    trace.flow(&row.name, slices);
}
