//! What came out, as data, tables, records and charts.

use super::parameters::{DESIGNS, Parameters, Sweep};
use super::point::{Variant, Way};
use super::row::Row;
use super::verdict;
use serde::Serialize;
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::{
    Chart, Colour, Curve, Interval, Kind, Part, Shown, Statement, Table, statement,
};

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What was swept.
    pub sweep: Sweep,
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
    pub(super) fn new(parameters: &Parameters, mut rows: Vec<Row>) -> Self {
        let own = |row: &&Row| row.variant == Variant::Base;
        let largest = rows.iter().filter(own).map(|row| row.points).max();
        // Where both ways are there, the roofline is what is continued.
        let of_largest = rows
            .iter()
            .filter(own)
            .filter(|row| Some(row.points) == largest);
        let mut bases: Vec<Row> = of_largest.cloned().collect();
        if bases
            .iter()
            .any(|row| row.design != Design::Cpu && row.way == Way::Roofline)
        {
            bases.retain(|row| row.way == Way::Roofline);
        }
        let compute = &parameters.compute;
        for points in &parameters.sweep.extrapolated_points {
            rows.extend(bases.iter().map(|row| row.extrapolated(compute, *points)));
        }
        let mut statements = verdict::statements(&rows);
        let slow = compute.slow_host();
        let with_slow: Vec<Row> = rows.iter().map(|row| row.with_host(&slow)).collect();
        let beside = verdict::statements(&with_slow).into_iter();
        let about_the_cpu = |one: &Statement| !one.of.starts_with("region 3");
        statements.extend(beside.filter(about_the_cpu).map(|one| Statement {
            of: format!(
                "{}, a CPU with slower caches and no vector instructions",
                one.of
            ),
            beside: true,
            ..one
        }));
        Self {
            sweep: parameters.sweep.clone(),
            statements,
            rows,
        }
    }

    fn us(&self, design: Design, points: u64, way: Way) -> Option<Interval> {
        let same = |row: &&Row| (row.design, row.points) == (design, points);
        let own = self.rows.iter().filter(|row| row.variant == Variant::Base);
        let mut rows = own.filter(same);
        let row = rows.find(|row| row.way == way || design == Design::Cpu);
        row.map(|row| row.step_us)
    }

    /// Sizes with the way their time came about, upwards.
    fn sizes(&self) -> Vec<(u64, Way)> {
        let mut sizes = Vec::new();
        for row in self.rows.iter().filter(|row| row.design != Design::Cpu) {
            if !sizes.contains(&(row.points, row.way)) {
                sizes.push((row.points, row.way));
            }
        }
        sizes
    }

    fn times(&self) -> Table {
        let names = DESIGNS.map(|design| design.parts().name.to_owned());
        let head = ["points of a node", "rows of the GPU"].map(str::to_owned);
        let cells = |(points, way): (u64, Way)| {
            let way_text = match way {
                Way::Streams => "through the L2",
                Way::Roofline => "by the roofline",
                Way::Extrapolated => "extrapolated",
            };
            let times = DESIGNS.map(|design| {
                let us = self.us(design, points, way);
                us.map_or_else(|| "-".to_owned(), |us| format!("{us} us"))
            });
            [points.to_string(), way_text.to_owned()]
                .into_iter()
                .chain(times)
                .collect()
        };
        Table {
            head: head.into_iter().chain(names).collect(),
            numbers: true,
            rows: self.sizes().into_iter().map(cells).collect(),
        }
    }

    /// Runs with something different.
    fn beside(&self) -> Table {
        let others = self.rows.iter().filter(|row| row.variant != Variant::Base);
        let cells = |row: &Row| {
            let as_it_is = self.us(row.design, row.points, row.way);
            vec![
                row.design.parts().name.to_owned(),
                row.variant.to_string(),
                format!("{} us", row.step_us),
                as_it_is.map_or_else(|| "-".to_owned(), |us| format!("{us} us")),
            ]
        };
        let head = ["design", "what is different", "a step", "as it is"];
        Table {
            head: head.map(str::to_owned).to_vec(),
            numbers: false,
            rows: others.map(cells).collect(),
        }
    }
}

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        let line = format!(
            "A step on {} nodes; the CPU computes by its roofline everywhere:",
            self.sweep.nodes
        );
        let mut parts = vec![Part::Line(line), Part::Table(self.times())];
        let beside = self.beside();
        if !beside.rows.is_empty() {
            let line = format!("{} points of a node, beside:", self.sweep.isolated_points);
            parts.extend([Part::Line(line), Part::Table(beside)]);
        }
        parts.push(Part::Table(statement::table(&self.statements)));
        parts
    }

    fn csv(&self) -> Vec<Vec<String>> {
        let head = [
            "design",
            "points",
            "way",
            "variant",
            "runs",
            "step_us",
            "step_us_half_interval",
            "compute_us",
        ];
        let record = |row: &Row| {
            vec![
                row.design.parts().name.to_owned(),
                row.points.to_string(),
                format!("{:?}", row.way).to_lowercase(),
                row.variant.to_string(),
                row.runs.to_string(),
                format!("{:.3}", row.step_us.mean),
                match row.runs {
                    1 => String::new(),
                    _ => format!("{:.3}", row.step_us.half),
                },
                format!("{:.3}", row.compute_us),
            ]
        };
        let head = std::iter::once(head.map(str::to_owned).to_vec());
        head.chain(self.rows.iter().map(record)).collect()
    }

    fn plot(&self) -> Vec<Chart> {
        let mut sizes = self.sizes();
        // Where both ways are there, the hardware's is drawn.
        sizes.dedup_by_key(|(points, _)| *points);
        let speedup = |design, (points, way)| {
            let [dgpu, own] = [Design::Dgpu, design].map(|design| self.us(design, points, way));
            dgpu.zip(own).map(|(dgpu, own)| dgpu.mean / own.mean)
        };
        let curve = |(design, colour): (Design, Colour)| Curve {
            name: design.parts().name.into(),
            points: sizes
                .iter()
                .enumerate()
                .filter_map(|(x, size)| Some((x as f64, speedup(design, *size)?)))
                .collect(),
            colour,
            main: true,
        };
        let curves: Vec<Curve> = DESIGNS.into_iter().zip(COLOURS).map(curve).collect();
        let values = curves.iter().flat_map(|curve| &curve.points);
        let top = values.map(|(_, value)| *value).fold(1.0, f64::max);
        let place = |(points, way): &(u64, Way)| {
            let mark = match way {
                Way::Streams => "",
                Way::Roofline => "+",
                Way::Extrapolated => "*",
            };
            format!("2^{}{mark}", points.trailing_zeros())
        };
        vec![Chart {
            title: format!(
                "a step of Jacobi on {} nodes (+: rows by the roofline, *: extrapolated)",
                self.sweep.nodes
            ),
            tenths: 10,
            below: "points of a node".into(),
            beside: "speedup over dGPU".into(),
            kind: Kind::Curves {
                places: sizes.iter().map(place).collect(),
                top: 1.05 * top,
                curves,
            },
        }]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
