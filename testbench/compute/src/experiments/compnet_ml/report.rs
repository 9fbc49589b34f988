//! What came out, as data, tables, records and charts.

use super::parameters::{Parameters, Sweep};
use super::projection::{Projection, speed};
use super::verdict;
use crate::experiments::compnet_allreduce::{DESIGNS, Row, Times};
use serde::Serialize;
use xtq_testbench::experiments::{
    Chart, Colour, Curve, Kind, Part, Shown, Statement, Table, statement,
};

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What was swept.
    pub sweep: Sweep,
    /// What was measured.
    pub rows: Vec<Row>,
    /// What follows for each network.
    pub projections: Vec<Projection>,
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
        let sweep = parameters.sweep.clone();
        let networks = sweep.networks.iter();
        let projections = networks.filter_map(|network| Projection::of(network, &rows, &sweep));
        let projections: Vec<_> = projections.collect();
        Self {
            statements: verdict::statements(&projections),
            sweep,
            rows,
            projections,
        }
    }

    fn measured(&self) -> Table {
        let names = DESIGNS.map(|design| design.parts().name.to_owned());
        let row = |row: &Row| {
            let times = DESIGNS.map(|design| {
                let us = Times::of(&self.rows, design).measured(row.nodes, row.bytes);
                us.map_or_else(|| "-".into(), |us| format!("{us:.1} us"))
            });
            let first = [row.nodes.to_string(), row.bytes.to_string()];
            first.into_iter().chain(times).collect()
        };
        let first = ["nodes", "bytes"].map(str::to_owned).into_iter();
        let points = self.rows.iter().filter(|row| row.design == DESIGNS[0]);
        Table {
            head: first.chain(names).collect(),
            numbers: true,
            rows: points.map(row).collect(),
        }
    }

    fn projected(&self) -> Table {
        let head = [
            "network",
            "bytes of gradients (stated)",
            "share of allreduce with dGPU (stated)",
            "CPU",
            "Inter-Kernel",
            "APU",
            "dGPU",
            "ComP-Net",
        ];
        let row = |one: &Projection| {
            let cells = one.speeds().into_iter().zip(one.us);
            let cells = cells.map(|(speed, us)| format!("{speed:.3} ({us:.0} us)"));
            let first = [
                one.name(),
                one.bytes.to_string(),
                format!("{:.2}", one.share),
            ];
            first.into_iter().chain(cells).collect()
        };
        Table {
            head: head.map(str::to_owned).to_vec(),
            numbers: true,
            rows: self.projections.iter().map(row).collect(),
        }
    }

    /// Gains with other shares.
    fn shares(&self) -> Table {
        let names = self.projections.iter().map(Projection::name);
        let row = |share: &f64| {
            let gains = self.projections.iter().map(|one| {
                let gain = speed(*share, 1.0 / (1.0 + one.lead)) - 1.0;
                format!("{:+.1} %", 100.0 * gain)
            });
            std::iter::once(format!("{share:.2}"))
                .chain(gains)
                .collect()
        };
        Table {
            head: std::iter::once("share".to_owned()).chain(names).collect(),
            numbers: true,
            rows: self.sweep.shares.iter().map(row).collect(),
        }
    }
}

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        let mut parts = vec![
            Part::Line("An allreduce, measured:".into()),
            Part::Table(self.measured()),
            Part::Line(format!(
                "Speed of training on {} nodes over dGPU's, projected, and time of an allreduce by the line; no network \
                 has run (*: allreduce extrapolated):",
                self.sweep.nodes
            )),
            Part::Table(self.projected()),
        ];
        let networks = self.sweep.networks.iter();
        let missing = networks
            .map(|network| &network.name)
            .filter(|name| self.projections.iter().all(|one| one.name != **name));
        let missing: Vec<&str> = missing.map(String::as_str).collect();
        if !missing.is_empty() {
            let why = "not projected, as a line is flatter than the wire, or there is none";
            parts.push(Part::Line(format!("{}: {why}.", missing.join(", "))));
        }
        parts.extend([
            Part::Line("Gain of ComP-Net over dGPU with other shares:".into()),
            Part::Table(self.shares()),
            Part::Table(statement::table(&self.statements)),
        ]);
        parts
    }

    fn csv(&self) -> Vec<Vec<String>> {
        let head = ["design", "nodes", "bytes", "us"];
        let record = |row: &Row| {
            vec![
                row.design.parts().name.to_owned(),
                row.nodes.to_string(),
                row.bytes.to_string(),
                format!("{:.3}", row.us),
            ]
        };
        let head = std::iter::once(head.map(str::to_owned).to_vec());
        head.chain(self.rows.iter().map(record)).collect()
    }

    fn plot(&self) -> Vec<Chart> {
        let curve = |(number, colour): (usize, Colour)| Curve {
            name: DESIGNS[number].parts().name.into(),
            points: (0..)
                .zip(&self.projections)
                .map(|(place, one)| (f64::from(place), one.speeds()[number]))
                .collect(),
            colour,
            main: true,
        };
        let curves: Vec<Curve> = (0..).zip(COLOURS).map(curve).collect();
        let values = curves.iter().flat_map(|curve| &curve.points);
        let top = values.map(|(_, value)| *value).fold(1.0, f64::max);
        vec![Chart {
            title: format!(
                "training on {} nodes, projected (*: allreduce extrapolated)",
                self.sweep.nodes
            ),
            tenths: 10,
            below: "network".into(),
            beside: "speed, dGPU = 1".into(),
            kind: Kind::Curves {
                places: self.projections.iter().map(Projection::name).collect(),
                top: 1.05 * top,
                curves,
            },
        }]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
