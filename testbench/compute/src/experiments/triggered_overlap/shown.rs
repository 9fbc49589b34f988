//! Tables, records and charts.

use super::{Mode, Report, Row};
use crate::experiments::offload::size;
use xtq_testbench::experiments::{
    Chart, Colour, Curve, Kind, Part, Shown, Statement, Table, statement,
};

/// Colours of the ways.
const COLOURS: [(Mode, Colour); 4] = [
    (Mode::Posted, Colour::Blue),
    (Mode::Reused, Colour::Cyan),
    (Mode::Host, Colour::Red),
    (Mode::Rounds, Colour::Magenta),
];

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        let seeds = self.sweep.seeds.len();
        let mut parts = Vec::new();
        for bytes in &self.sweep.bytes {
            parts.push(Part::Line(format!(
                "Broadcast of {}, overlap in percent and what is left in ns (95 % of {seeds} seeds):",
                size(*bytes)
            )));
            parts.push(Part::Table(self.by_nodes(*bytes)));
        }
        let beside: Vec<&Row> = self
            .rows
            .iter()
            .filter(|row| !row.variant.is_empty())
            .collect();
        if !beside.is_empty() {
            parts.push(Part::Line("Other hosts, and segments:".to_owned()));
            parts.push(Part::Table(table(&beside)));
        }
        parts.push(Part::Line(format!(
            "Awake cycles of all nodes: {:.1} million, predicted {:.1} million.",
            self.million_cycles, self.predicted_million_cycles
        )));
        parts.push(Part::Table(statement::table(&self.statements)));
        parts
    }

    fn csv(&self) -> Vec<Vec<String>> {
        let head = [
            "variant",
            "mode",
            "nodes",
            "bytes",
            "command_ns",
            "message_ns",
            "work_ns",
            "set_up_ns",
            "set_up_half_ns",
            "alone_ns",
            "alone_half_ns",
            "both_ns",
            "both_half_ns",
            "overlap",
            "overlap_half",
            "rest_ns",
            "rest_half_ns",
        ];
        let head = head.map(str::to_owned).to_vec();
        std::iter::once(head)
            .chain(self.rows.iter().map(record))
            .collect()
    }

    fn plot(&self) -> Vec<Chart> {
        let largest = self.sweep.bytes.last().copied().unwrap_or(0);
        let middle = self
            .sweep
            .bytes
            .get(self.sweep.bytes.len() / 2)
            .copied()
            .unwrap_or(0);
        vec![
            self.chart("Overlap", "percent", middle, |row| {
                row.overlap.mean.max(0.0)
            }),
            self.chart("Not overlapped", "us", largest, |row| {
                row.rest_ns.mean.max(0.0) / 1000.0
            }),
        ]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}

fn record(row: &Row) -> Vec<String> {
    let names = [row.variant.clone(), row.mode.name().to_owned()];
    let counts = [
        row.nodes as u64,
        row.bytes,
        row.host.command_ns,
        row.host.message_ns,
        row.work_ns,
    ];
    let values = [
        row.set_up_ns,
        row.alone_ns,
        row.both_ns,
        row.overlap,
        row.rest_ns,
    ];
    let values = values
        .into_iter()
        .flat_map(|value| [value.mean, value.half]);
    names
        .into_iter()
        .chain(counts.map(|count| count.to_string()))
        .chain(values.map(|value| format!("{value:.2}")))
        .collect()
}

/// A row for each point.
fn table(rows: &[&Row]) -> Table {
    let head = [
        "hosts",
        "by",
        "nodes",
        "size",
        "set-up, ns",
        "alone, ns",
        "overlap, %",
        "not overlapped, ns",
    ];
    let cells = |row: &&Row| {
        vec![
            row.variant.clone(),
            row.mode.name().to_owned(),
            row.nodes.to_string(),
            size(row.bytes),
            row.set_up_ns.to_string(),
            row.alone_ns.to_string(),
            row.overlap.to_string(),
            row.rest_ns.to_string(),
        ]
    };
    Table {
        head: head.map(str::to_owned).to_vec(),
        numbers: true,
        rows: rows.iter().map(cells).collect(),
    }
}

impl Report {
    /// A row for each number of nodes; for each way what it takes alone, its set-up, overlap, and rest.
    fn by_nodes(&self, bytes: u64) -> Table {
        let mut head = vec!["nodes".to_owned()];
        for mode in Mode::ALL {
            let name = mode.name();
            head.extend([
                format!("{name}: alone"),
                "set-up".to_owned(),
                "overlap".to_owned(),
                "left".to_owned(),
            ]);
        }
        let rows = self.sweep.nodes.iter().map(|nodes| {
            let mut cells = vec![nodes.to_string()];
            for mode in Mode::ALL {
                cells.extend(self.row("", mode, *nodes, bytes).map_or(
                    vec![String::new(); 4],
                    |row| {
                        [row.alone_ns, row.set_up_ns, row.overlap, row.rest_ns]
                            .map(|value| value.to_string())
                            .to_vec()
                    },
                ));
            }
            cells
        });
        Table {
            head,
            numbers: true,
            rows: rows.collect(),
        }
    }

    fn chart(&self, what: &str, unit: &str, bytes: u64, value: fn(&Row) -> f64) -> Chart {
        let curves = COLOURS.map(|(mode, colour)| {
            let places = self.sweep.nodes.iter().enumerate();
            let points = places.filter_map(|(place, nodes)| {
                Some((place as f64, value(self.row("", mode, *nodes, bytes)?)))
            });
            Curve {
                name: mode.name().to_owned(),
                points: points.collect(),
                colour,
                main: true,
            }
        });
        let values = curves
            .iter()
            .flat_map(|curve| &curve.points)
            .map(|point| point.1);
        Chart {
            title: format!("{what}, broadcast of {}", size(bytes)),
            tenths: 5,
            below: "nodes".to_owned(),
            beside: unit.to_owned(),
            kind: Kind::Curves {
                places: self.sweep.nodes.iter().map(usize::to_string).collect(),
                top: 1.1 * values.fold(1.0, f64::max),
                curves: curves.to_vec(),
            },
        }
    }
}
