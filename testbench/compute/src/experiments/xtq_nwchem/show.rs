//! What came out, as tables, records and charts.

use super::parameters::{PLAIN, Parameters, Sweep};
use super::run::Row;
use super::sizes::{self, Bin};
use super::verdict::{statements, time};
use crate::mpi::Way;
use serde::Serialize;
use xtq_testbench::experiments::{
    Chart, Colour, Curve, Kind, Part, Shown, Statement, Table, statement,
};

/// What came out.
#[derive(Serialize)]
pub struct Report {
    sweep: Sweep,
    rows: Vec<Row>,
    sizes: Vec<Bin>,
    statements: Vec<Statement>,
}

impl Report {
    /// Of the rows of all runs.
    pub fn new(parameters: &Parameters, rows: Vec<Row>) -> Self {
        let accumulates = &parameters.accumulates;
        let of_sizes = sizes::statement(accumulates, 2);
        Self {
            sweep: parameters.sweep.clone(),
            sizes: sizes::bins(accumulates),
            statements: statements(&rows).into_iter().chain(of_sizes).collect(),
            rows,
        }
    }

    fn histogram(&self) -> Chart {
        let bins = self.sizes.iter().enumerate();
        let points: Vec<(f64, f64)> = bins
            .map(|(place, bin)| (place as f64, bin.accumulates as f64))
            .collect();
        let top = points.iter().fold(1.0, |top: f64, (_, y)| top.max(*y)) * 1.1;
        Chart {
            title: "sizes".to_owned(),
            tenths: 4,
            below: "bytes, up to".to_owned(),
            beside: "accumulates".to_owned(),
            kind: Kind::Curves {
                places: self.sizes.iter().map(|bin| bin.bytes.to_string()).collect(),
                top,
                curves: vec![Curve {
                    name: "recorded".to_owned(),
                    points,
                    colour: Colour::Black,
                    main: true,
                }],
            },
        }
    }
}

/// Heads of the columns of both forms.
const HEAD: [&str; 13] = [
    "of",
    "way",
    "accumulates in an epoch",
    "seeds",
    "remote",
    "own",
    "ns",
    "interval (95 %)",
    "busy ns of applications",
    "busy ns of progress threads",
    "ns of own accumulates",
    "million awake cycles",
    "predicted",
];

fn cells(row: &Row) -> Vec<String> {
    vec![
        row.of.clone(),
        row.way.name().to_owned(),
        row.epoch.to_string(),
        row.seeds.to_string(),
        row.remote.to_string(),
        row.own.to_string(),
        format!("{:.0}", row.ns.mean),
        format!("{:.0}", row.ns.half),
        format!("{:.0}", row.busy_ns.mean),
        format!("{:.0}", row.progress_ns),
        format!("{:.0}", row.own_ns),
        format!("{:.3}", row.million_cycles),
        format!("{:.3}", row.predicted),
    ]
}

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        let rows = Table {
            head: HEAD.map(str::to_owned).to_vec(),
            numbers: true,
            rows: self.rows.iter().map(cells).collect(),
        };
        let sizes = Table {
            head: vec!["bytes, up to".to_owned(), "accumulates".to_owned()],
            numbers: true,
            rows: self
                .sizes
                .iter()
                .map(|bin| vec![bin.bytes.to_string(), bin.accumulates.to_string()])
                .collect(),
        };
        let statements = statement::table(&self.statements);
        vec![
            Part::Table(rows),
            Part::Table(sizes),
            Part::Table(statements),
        ]
    }

    fn csv(&self) -> Vec<Vec<String>> {
        let head = HEAD.map(str::to_owned).to_vec();
        std::iter::once(head)
            .chain(self.rows.iter().map(cells))
            .collect()
    }

    fn plot(&self) -> Vec<Chart> {
        let colours = [Colour::Black, Colour::Blue, Colour::Red];
        let chart = |title: &str, beside: &str, value: &dyn Fn(Way, usize) -> Option<f64>| {
            let curves: Vec<Curve> = Way::ALL
                .into_iter()
                .zip(colours)
                .map(|(way, colour)| {
                    let epochs = self.sweep.epochs.iter().enumerate();
                    Curve {
                        name: way.name().to_owned(),
                        points: epochs
                            .filter_map(|(place, epoch)| Some((place as f64, value(way, *epoch)?)))
                            .collect(),
                        colour,
                        main: true,
                    }
                })
                .collect();
            let heights = curves.iter().flat_map(|curve| &curve.points);
            let top = heights.fold(1e-3, |top: f64, (_, y)| top.max(*y)) * 1.1;
            Chart {
                title: title.to_owned(),
                tenths: 3,
                below: "accumulates in an epoch".to_owned(),
                beside: beside.to_owned(),
                kind: Kind::Curves {
                    places: self.sweep.epochs.iter().map(usize::to_string).collect(),
                    top,
                    curves,
                },
            }
        };
        let busy = |way, epoch| {
            let is = |row: &&Row| row.of == PLAIN && row.way == way && row.epoch == epoch;
            let row = self.rows.iter().find(is)?;
            Some(row.busy_ns.mean / row.remote.max(1) as f64)
        };
        let each = |way, epoch| {
            let remote = self.rows.first().map_or(1, |row| row.remote.max(1));
            Some(time(&self.rows, PLAIN, way, epoch)? / remote as f64)
        };
        vec![
            chart("all accumulates", "ns for each remote one", &each),
            chart("busy application threads", "ns for each remote one", &busy),
            self.histogram(),
        ]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
