//! The paper's statements about figures 9 and 10, and whether the runs show them.

use super::{Mode, Row};
use crate::experiments::offload::size;
use std::collections::BTreeSet;
use xtq_testbench::experiments::Statement;

/// "Reasonable overlap": at least so much, in percent.
const REASONABLE: f64 = 50.0;
/// "Negligible": at most so much.
const NEGLIGIBLE: f64 = 10.0;
/// "Decreases", "the opposite": by at least so many points from the fewest to the most nodes.
const CLEAR: f64 = 10.0;

/// All statements that these rows can show: those of the sweep, and of each variant beside it.
pub fn statements(rows: &[Row]) -> Vec<Statement> {
    let mut variants: Vec<&str> = Vec::new();
    for row in rows {
        if !variants.contains(&row.variant.as_str()) {
            variants.push(&row.variant);
        }
    }
    let of = |variant: &&str| {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.variant == *variant).collect();
        let beside = !variant.is_empty();
        let own = of_hosts(&rows).into_iter().map(move |statement| Statement {
            beside: beside || statement.beside,
            ..statement
        });
        own.collect::<Vec<_>>()
    };
    variants.iter().flat_map(of).collect()
}

/// The rows of one kind of hosts.
struct Rows<'a> {
    rows: &'a [&'a Row],
    nodes: [usize; 2],
}

impl Rows<'_> {
    fn get(&self, mode: Mode, nodes: usize, bytes: u64) -> Option<&Row> {
        let wanted = |row: &&&Row| (row.mode, row.nodes, row.bytes) == (mode, nodes, bytes);
        self.rows.iter().find(wanted).copied()
    }

    /// Overlap on the fewest and on the most nodes.
    fn ends(&self, mode: Mode, bytes: u64) -> Option<[f64; 2]> {
        let [fewest, most] = self.nodes.map(|nodes| self.get(mode, nodes, bytes));
        Some([fewest?.overlap.mean, most?.overlap.mean])
    }

    fn of(&self, bytes: u64) -> String {
        let variant = self.rows.first().map_or("", |row| &row.variant);
        match variant {
            "" => size(bytes),
            variant => format!("{variant}, {}", size(bytes)),
        }
    }
}

fn of_hosts(rows: &[&Row]) -> Vec<Statement> {
    let nodes: BTreeSet<usize> = rows.iter().map(|row| row.nodes).collect();
    let sizes: BTreeSet<u64> = rows.iter().map(|row| row.bytes).collect();
    let (Some(fewest), Some(most)) = (nodes.first(), nodes.last()) else {
        return Vec::new();
    };
    let rows = Rows {
        rows,
        nodes: [*fewest, *most],
    };
    let mut statements = Vec::new();
    for bytes in &sizes {
        statements.extend(figure_9(&rows, *bytes));
    }
    if let (Some(least), Some(largest)) = (sizes.first(), sizes.last()) {
        statements.extend(figure_10(&rows, *least, *largest));
    }
    statements
}

/// The size of figure 9 is not stated, so each is asked.
fn figure_9(rows: &Rows, bytes: u64) -> Vec<Statement> {
    let Some([hosts, posted]) = [Mode::Host, Mode::Posted]
        .map(|mode| rows.ends(mode, bytes))
        .into_iter()
        .collect::<Option<Vec<_>>>()
        .and_then(|ends| <[[f64; 2]; 2]>::try_from(ends).ok())
    else {
        return Vec::new();
    };
    let [fewest, most] = rows.nodes;
    let ends = |[from, to]: [f64; 2]| format!("{from:.0} % on {fewest} nodes, {to:.0} % on {most}");
    let set_up = rows
        .get(Mode::Posted, fewest, bytes)
        .map_or(String::new(), |row| {
            format!(
                "making and posting takes {:.0} of {:.0} ns",
                row.set_up_ns.mean, row.alone_ns.mean
            )
        });
    let of = rows.of(bytes);
    vec![
        Statement {
            of: of.clone(),
            paper: "for small node-counts the MPI based variant of cDAG is able to get reasonable overlap (V, figure 9)".to_owned(),
            asked: format!("at least {REASONABLE} % on {fewest} nodes"),
            measured: format!("{:.0} %", hosts[0]),
            holds: hosts[0] >= REASONABLE,
            because: "the first round, which the call that begins starts, is all there is on two nodes".to_owned(),
            ..Statement::default()
        },
        Statement {
            of: of.clone(),
            paper: "this decreases with larger node counts (V, figure 9)".to_owned(),
            asked: format!("at least {CLEAR} points from {fewest} to {most} nodes"),
            measured: ends(hosts),
            holds: hosts[0] - hosts[1] >= CLEAR,
            because: "what is not in the first round waits until the work is over".to_owned(),
            ..Statement::default()
        },
        Statement {
            of: of.clone(),
            paper: "in the case of Portals we observe the opposite (V, figure 9)".to_owned(),
            asked: format!("the overlap rises by at least {CLEAR} points from {fewest} to {most} nodes"),
            measured: ends(posted),
            holds: posted[1] - posted[0] >= CLEAR,
            because: format!("what cannot be overlapped is making and posting, which grows less than the broadcast: on {fewest} nodes {set_up}"),
            ..Statement::default()
        },
        Statement {
            of,
            paper: "due to the relatively high overhead of setting up the overlap is negligible for small node counts (V, figure 9)".to_owned(),
            asked: format!("at most {NEGLIGIBLE} % on {fewest} nodes, posted in the loop"),
            measured: format!("{:.0} %", posted[0]),
            holds: posted[0] <= NEGLIGIBLE,
            because: format!("{set_up}; the paper's Portals was emulated by a thread of the host"),
            ..Statement::default()
        },
    ]
}

fn figure_10(rows: &Rows, least: u64, largest: u64) -> Vec<Statement> {
    let [_, most] = rows.nodes;
    let rests = |bytes: u64| {
        let rest = |mode: Mode| rows.get(mode, most, bytes).map(|row| row.rest_ns.mean);
        Some((rest(Mode::Posted)?, rest(Mode::Host)?))
    };
    let text = |(posted, hosts): (f64, f64)| {
        format!("{posted:.0} ns offloaded, {hosts:.0} ns by hosts, on {most} nodes")
    };
    let mut statements = Vec::new();
    if let Some(both) = rests(least) {
        statements.push(Statement {
            of: rows.of(least),
            paper: "MPICH outperforms our Portals implementation for small data sizes (V, figure 10)".to_owned(),
            asked: "what is not overlapped is less by hosts".to_owned(),
            measured: text(both),
            difference: format!("{:.2} times", both.0 / both.1.max(1.0)),
            holds: both.1 < both.0,
            because: "the paper: \"since the software emulated Portals has a higher latency due to the emulation layer\"; here Portals is hardware".to_owned(),
            chart: 1,
            ..Statement::default()
        });
    }
    if let Some(both) = rests(largest) {
        statements.push(Statement {
            of: rows.of(largest),
            paper: "Portals outperforms MPICH for large data sizes due to higher overlap (V, figure 10)".to_owned(),
            asked: "what is not overlapped is less offloaded".to_owned(),
            measured: text(both),
            difference: format!("{:.2} times", both.0 / both.1.max(1.0)),
            holds: both.0 < both.1,
            because: "hosts forward the data after their work".to_owned(),
            chart: 1,
            ..Statement::default()
        });
    }
    statements
}
