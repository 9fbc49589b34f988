//! The paper's statements, and whether the runs show them.

use super::Row;
use crate::experiments::offload::size;
use std::collections::BTreeSet;
use xtq_cdag::collectives::VARIANTS;
use xtq_testbench::experiments::Statement;

/// "High compared to the latency of the actual data transfer": rendezvous takes at least so many times as long as
/// eager.
const HIGH: f64 = 1.5;
/// "Often around 4 KB": the size from which rendezvous is not slower lies between these.
const AROUND: [u64; 2] = [2048, 8192];

/// All statements that these rows can show: table I, and one collective by protocol.
pub fn statements(rows: &[Row], by_protocol: &[Row]) -> Vec<Statement> {
    let mut statements = vec![complete(rows), no_host(rows), resources(rows)];
    statements.extend(small_messages(by_protocol));
    statements.extend(threshold(by_protocol));
    statements
}

fn complete(rows: &[Row]) -> Statement {
    let nodes: BTreeSet<usize> = rows.iter().map(|row| row.nodes).collect();
    let variants: BTreeSet<_> = rows
        .iter()
        .map(|row| (row.collective, row.algorithm))
        .collect();
    let runs: usize = rows.iter().map(|row| row.latencies_ns.len()).sum();
    let (of, lost) = (rows.len(), rows.iter().map(|row| row.lost).sum::<u64>());
    Statement {
        of: "table I".to_owned(),
        paper: "any communication pattern is offloaded completely to the NIC (abstract); table I lists the collectives".to_owned(),
        asked: format!("all {} variants complete on every number of nodes, with the interpreter's results, and nothing is lost", VARIANTS.len()),
        measured: format!("{} variants on {} to {} nodes: {runs} runs of {of} points, all with the right results; {lost} messages lost", variants.len(), nodes.first().unwrap_or(&0), nodes.last().unwrap_or(&0)),
        holds: variants.len() == VARIANTS.len() && of == nodes.len() * VARIANTS.len() && lost == 0,
        because: "a run with other results ends the experiment".to_owned(),
        ..Statement::default()
    }
}

fn no_host(rows: &[Row]) -> Statement {
    let sum = |of: fn(&Row) -> u64| rows.iter().map(of).sum::<u64>();
    let (commands, events) = (sum(|row| row.host_actions), sum(|row| row.more_events));
    let acted = rows.iter().filter(|row| row.host_actions > 0);
    let acted: Vec<String> = acted
        .map(|row| format!("{} {} on {}", row.collective, row.algorithm, row.nodes))
        .collect();
    Statement {
        of: "table I".to_owned(),
        paper: "all can be run without intervention of the CPU (section I)".to_owned(),
        number: "0".to_owned(),
        asked: "no NIC takes a command after the start, or writes an event before the end"
            .to_owned(),
        measured: format!("{commands} commands, {events} events"),
        difference: (commands + events).to_string(),
        holds: commands + events == 0,
        because: match acted.is_empty() {
            true => "each schedule fits the NIC in one posting".to_owned(),
            false => format!("posted in windows: {}", acted.join(", ")),
        },
        ..Statement::default()
    }
}

fn resources(rows: &[Row]) -> Statement {
    let differ: usize = rows.iter().map(|row| row.not_as_planned).sum();
    let left: usize = rows.iter().map(|row| row.left).sum();
    let ranks: usize = rows.iter().map(|row| row.nodes).sum();
    Statement {
        of: "table I".to_owned(),
        beside: true,
        paper: "(not the paper's) a schedule needs of each NIC what its plan says".to_owned(),
        number: "0".to_owned(),
        asked: "waiting operations, counters, entries and descriptors, peeked before the start, are the plan's on every rank; no operation waits at the end".to_owned(),
        measured: format!("{differ} of {ranks} ranks differ; {left} operations wait at the end"),
        difference: (differ + left).to_string(),
        holds: differ + left == 0,
        ..Statement::default()
    }
}

/// Latency of a protocol at a size.
fn latency(rows: &[Row], protocol: &str, bytes: u64) -> Option<f64> {
    let found = rows
        .iter()
        .find(|row| row.protocol == protocol && row.bytes == bytes);
    found.map(|row| row.latency_ns.mean)
}

fn title(row: &Row) -> String {
    format!("{} {}, {} nodes", row.collective, row.algorithm, row.nodes)
}

fn small_messages(rows: &[Row]) -> Option<Statement> {
    let row = rows.first()?;
    let [eager, rendezvous] = ["eager", "rendezvous"].map(|name| latency(rows, name, row.bytes));
    let (eager, rendezvous) = (eager?, rendezvous?);
    let times = rendezvous / eager.max(1.0);
    Some(Statement {
        of: title(row),
        paper: "for small messages the latency added by the synchronization step of the rendezvous protocol is high compared to the latency of the actual data transfer (IV.D)".to_owned(),
        asked: format!("rendezvous takes at least {HIGH} times as long as eager"),
        measured: format!("{}: eager {eager:.0} ns, rendezvous {rendezvous:.0} ns, {times:.2} times as long", size(row.bytes)),
        holds: times >= HIGH,
        because: "receives here are posted before the start, so \"ready to receive\" of all of them leaves at once and is there before most senders have anything to send; and eager pays for a copy by a put to the rank itself".to_owned(),
        chart: 1,
        ..Statement::default()
    })
}

fn threshold(rows: &[Row]) -> Option<Statement> {
    let sizes: BTreeSet<u64> = rows.iter().map(|row| row.bytes).collect();
    let slower = |bytes: &u64| {
        let [eager, rendezvous] = ["eager", "rendezvous"].map(|name| latency(rows, name, *bytes));
        rendezvous > eager
    };
    let crossing = sizes.iter().rfind(|bytes| slower(bytes));
    let from = sizes
        .iter()
        .find(|bytes| crossing.is_none_or(|last| *bytes > last));
    let [least, most] = AROUND;
    Some(Statement {
        of: title(rows.first()?),
        paper: "a threshold, often around 4 KB, decides which messages should be sent using an eager protocol (IV.D)".to_owned(),
        number: size(4096),
        asked: format!("the first size from which on rendezvous is not slower is from {} to {}", size(least), size(most)),
        measured: from.map_or("none: rendezvous is slower at the largest size".to_owned(), |from| size(*from)),
        difference: from.map_or(String::new(), |from| format!("{:.2} times", *from as f64 / 4096.0)),
        holds: from.is_some_and(|from| (least..=most).contains(from)),
        because: "an eager message is copied by a put of the rank to itself".to_owned(),
        chart: 1,
        ..Statement::default()
    })
}
