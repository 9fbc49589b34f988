//! What came out, as data, tables, records and charts.

use super::fit::Times;
use super::parameters::{DESIGNS, Energy, Parameters, Sweep};
use super::point::Variant;
use super::row::Row;
use super::verdict;
use serde::Serialize;
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::{
    Chart, Colour, Curve, Kind, Part, Shown, Statement, Table, statement,
};

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What was swept.
    pub sweep: Sweep,
    /// Energy of service threads.
    pub energy: Energy,
    /// What came out.
    pub rows: Vec<Row>,
    /// The paper's statements, and whether they did.
    pub statements: Vec<Statement>,
}

const COLOURS: [Colour; 5] = [
    Colour::Black,
    Colour::Magenta,
    Colour::Cyan,
    Colour::Red,
    Colour::Blue,
];

impl Report {
    pub(super) fn new(parameters: &Parameters, rows: Vec<Row>) -> Self {
        let (sweep, energy) = (parameters.sweep.clone(), parameters.energy.clone());
        Self {
            statements: verdict::statements(&rows, &sweep, &energy),
            sweep,
            energy,
            rows,
        }
    }

    fn at(&self, design: Design, nodes: usize, bytes: u64) -> Option<f64> {
        Times::of(&self.rows, design).at(nodes, bytes, &self.sweep.bytes)
    }

    /// Rows of the parameters as they are, of the first design: one for each point.
    fn points(&self) -> impl Iterator<Item = &Row> {
        let rows = self.rows.iter();
        rows.filter(|row| row.design == DESIGNS[0] && row.variant == Variant::Base)
    }

    /// Numbers of nodes that run, then others.
    fn numbers(&self) -> Vec<usize> {
        let mut numbers = self.sweep.nodes.clone();
        numbers.extend(&self.sweep.extrapolated_nodes);
        numbers
    }

    fn table_of(&self, first: &[&str], rows: Vec<(Vec<String>, [String; 5])>) -> Table {
        let names = DESIGNS.map(|design| design.parts().name.to_owned());
        let head = first.iter().map(|name| (*name).to_owned());
        let cells =
            |(first, cells): (Vec<String>, [String; 5])| first.into_iter().chain(cells).collect();
        Table {
            head: head.chain(names).collect(),
            numbers: true,
            rows: rows.into_iter().map(cells).collect(),
        }
    }

    fn measured(&self) -> Table {
        let mut rows = Vec::new();
        for row in self.points() {
            let times = DESIGNS.map(|design| {
                let us = Times::of(&self.rows, design).measured(row.nodes, row.bytes);
                us.map_or_else(|| "-".into(), |us| format!("{us:.1} us"))
            });
            rows.push((vec![row.nodes.to_string(), row.bytes.to_string()], times));
        }
        self.table_of(&["nodes", "bytes"], rows)
    }

    /// How far sizes between the smallest and the largest, and the one beyond, are off the line.
    fn off(&self) -> Table {
        let sizes = &self.sweep.bytes;
        let ends = [sizes.first(), sizes.last()];
        let inner = |row: &&Row| !ends.contains(&Some(&row.bytes));
        let mut rows = Vec::new();
        for row in self.points().filter(inner) {
            let off = DESIGNS.map(|design| {
                let off = verdict::off(&self.rows, design, row, sizes);
                off.map_or_else(|| "-".into(), |off| format!("{:+.1} %", 100.0 * off))
            });
            rows.push((vec![row.nodes.to_string(), row.bytes.to_string()], off));
        }
        self.table_of(&["nodes", "bytes"], rows)
    }

    fn extrapolated(&self) -> Table {
        let rows = self.numbers().into_iter().map(|nodes| {
            let times = DESIGNS.map(|design| {
                let us = self.at(design, nodes, self.sweep.extrapolated_bytes);
                let none = || "not extrapolated".into();
                us.map_or_else(none, |us| format!("{us:.0} us"))
            });
            (vec![self.name(nodes)], times)
        });
        self.table_of(&["nodes"], rows.collect())
    }

    /// A number of nodes, marked if nothing ran on so many.
    fn name(&self, nodes: usize) -> String {
        let ran = self.sweep.nodes.contains(&nodes);
        format!("{nodes}{}", if ran { "" } else { "*" })
    }

    /// Runs with something different.
    fn beside(&self) -> Table {
        let mut variants: Vec<(Variant, usize, u64)> = Vec::new();
        for row in self.rows.iter().filter(|row| row.variant != Variant::Base) {
            let one = (row.variant, row.nodes, row.bytes);
            if !variants.contains(&one) {
                variants.push(one);
            }
        }
        let base = variants
            .first()
            .map(|(_, nodes, bytes)| (Variant::Base, *nodes, *bytes));
        let all = base.into_iter().chain(variants);
        let rows = all.map(|(variant, nodes, bytes)| {
            let times = DESIGNS.map(|design| {
                let same = |row: &&Row| {
                    (row.variant, row.nodes, row.bytes, row.design)
                        == (variant, nodes, bytes, design)
                };
                let row = self.rows.iter().find(same);
                row.map_or_else(|| "-".into(), |row| format!("{:.1} us", row.us))
            });
            (vec![variant.to_string()], times)
        });
        self.table_of(&["what is different"], rows.collect())
    }

    /// Power of the service thread of a design; those without queues have none.
    fn watts(&self, design: Design) -> Option<f64> {
        match design {
            Design::CompNet => Some(self.energy.cp_watts),
            Design::Dgpu | Design::Apu => Some(self.energy.host_watts),
            _ => None,
        }
    }

    fn chart(
        &self,
        title: String,
        beside: &str,
        of: impl Fn(Design, usize) -> Option<f64>,
    ) -> Chart {
        let numbers = self.numbers();
        let curve = |(design, colour): (Design, Colour)| Curve {
            name: design.parts().name.into(),
            points: numbers
                .iter()
                .enumerate()
                .filter_map(|(x, nodes)| {
                    Some((x as f64, of(design, *nodes)? / of(Design::Dgpu, *nodes)?))
                })
                .collect(),
            colour,
            main: true,
        };
        let curves = DESIGNS.into_iter().zip(COLOURS).map(curve);
        let curves: Vec<Curve> = curves.filter(|curve| !curve.points.is_empty()).collect();
        let values = curves.iter().flat_map(|curve| &curve.points);
        let top = values.map(|(_, value)| *value).fold(1.0, f64::max);
        Chart {
            title,
            tenths: 5,
            below: "nodes".into(),
            beside: beside.into(),
            kind: Kind::Curves {
                places: numbers.iter().map(|nodes| self.name(*nodes)).collect(),
                top: 1.05 * top,
                curves,
            },
        }
    }
}

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        let sizes = &self.sweep.bytes;
        let mut parts = vec![
            Part::Line(format!(
                "An allreduce with {} rings, or one of the hosts:",
                self.sweep.rings
            )),
            Part::Table(self.measured()),
        ];
        if let [first, .., last] = sizes[..] {
            let line =
                format!("The line through {first} and {last} bytes, against what was measured:");
            parts.extend([Part::Line(line), Part::Table(self.off())]);
            let bytes = self.sweep.extrapolated_bytes;
            let line = format!("{bytes} bytes, extrapolated by that line; *: by steps too:");
            parts.extend([Part::Line(line), Part::Table(self.extrapolated())]);
        }
        let beside = self.beside();
        if let Some(row) = self.rows.iter().find(|row| row.variant != Variant::Base) {
            let line = format!("{} bytes on {} nodes, beside:", row.bytes, row.nodes);
            parts.extend([Part::Line(line), Part::Table(beside)]);
        }
        parts.push(Part::Table(statement::table(&self.statements)));
        parts
    }

    fn csv(&self) -> Vec<Vec<String>> {
        let head = ["design", "nodes", "bytes", "variant", "us"];
        let record = |row: &Row| {
            vec![
                row.design.parts().name.to_owned(),
                row.nodes.to_string(),
                row.bytes.to_string(),
                row.variant.to_string(),
                format!("{:.3}", row.us),
            ]
        };
        let head = std::iter::once(head.map(str::to_owned).to_vec());
        head.chain(self.rows.iter().map(record)).collect()
    }

    fn plot(&self) -> Vec<Chart> {
        let mib = self.sweep.extrapolated_bytes >> 20;
        let bytes = self.sweep.extrapolated_bytes;
        let time = |design, nodes| self.at(design, nodes, bytes);
        let speed = |design, nodes| time(design, nodes).map(f64::recip);
        let energy = |design, nodes| Some(time(design, nodes)? * self.watts(design)?);
        vec![
            self.chart(
                format!("{mib} MiB, extrapolated (*: nodes too)"),
                "speedup over dGPU",
                speed,
            ),
            self.chart(
                "service threads, extrapolated".into(),
                "energy, dGPU = 1",
                energy,
            ),
        ]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
