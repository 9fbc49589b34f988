//! What came out, as data, tables, records and charts.

use super::field::Shape;
use super::measure::{Point, Way};
use super::parameters::{Compute, DESIGNS, Parameters, Sweep};
use super::verdict;
use serde::Serialize;
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::{
    Chart, Colour, Curve, Interval, Kind, Part, Shown, Statement, Table, statement,
};

/// Bytes a ns of the network (table 1: 100 Gb/s).
const BYTES_PER_NS: f64 = 12.5;

/// All runs of a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Who calls.
    pub design: Design,
    /// Points of a node.
    pub points: u64,
    /// How its time came about.
    pub way: Way,
    /// One way over PCIe.
    pub pcie_ns: f64,
    /// From the end of a kernel to the start of the next.
    pub kernel_ns: f64,
    /// Time of a step, in us.
    pub step_us: Interval,
}

impl Row {
    pub(super) fn new(point: &Point, samples: &[f64]) -> Self {
        Self {
            design: point.design,
            points: point.points,
            way: point.way,
            pcie_ns: point.pcie_ns,
            kernel_ns: point.kernel_ns,
            step_us: Interval::of(samples).unwrap_or_default(),
        }
    }

    /// The same with more points: computing and memory by the roofline, the halo by the network's bandwidth.
    fn extrapolated(&self, parameters: &Parameters, points: u64) -> Self {
        let compute = |points| parameters.compute.roofline_ns(self.design, points);
        let halo = |points| Shape::of(points).row_bytes() as f64 / BYTES_PER_NS;
        let more = |of: &dyn Fn(u64) -> f64| of(points) - of(self.points);
        let more_us = (more(&compute) + more(&halo)) / 1000.0;
        Self {
            points,
            way: Way::Extrapolated,
            step_us: Interval {
                mean: self.step_us.mean + more_us,
                half: self.step_us.half,
            },
            ..self.clone()
        }
    }
}

impl Row {
    /// The same, of a host without vector instructions: it only computes longer.
    fn scalar(&self, parameters: &Parameters) -> Self {
        let mut row = self.clone();
        if self.design == Design::Cpu {
            let compute = &parameters.compute;
            let scalar = Compute {
                core_rate: compute.scalar_core_rate,
                ..compute.clone()
            };
            let ns = |compute: &Compute| compute.roofline_ns(self.design, self.points);
            row.step_us.mean += (ns(&scalar) - ns(compute)) / 1000.0;
        }
        row
    }
}

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What was swept.
    pub sweep: Sweep,
    /// One way over PCIe of the file.
    pub pcie_ns: f64,
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
        let (pcie_ns, kernel_ns) = (parameters.nic.pcie_ns, parameters.sweep.kernel_ns);
        let own = |row: &&Row| row.pcie_ns == pcie_ns && row.kernel_ns == kernel_ns;
        let largest = rows.iter().filter(own).map(|row| row.points).max();
        // Where both ways are there, the roofline is what is continued.
        let of_largest = rows
            .iter()
            .filter(own)
            .filter(|row| Some(row.points) == largest);
        let mut bases: Vec<Row> = of_largest.cloned().collect();
        if bases.iter().any(|row| row.way == Way::Roofline) {
            bases.retain(|row| row.way == Way::Roofline);
        }
        for points in &parameters.sweep.extrapolated_points {
            rows.extend(
                bases
                    .iter()
                    .map(|row| row.extrapolated(parameters, *points)),
            );
        }
        let mut statements = verdict::statements(&rows, pcie_ns, kernel_ns);
        let scalar: Vec<Row> = rows.iter().map(|row| row.scalar(parameters)).collect();
        let beside = verdict::statements(&scalar, pcie_ns, kernel_ns).into_iter();
        let about_the_cpu = |one: &Statement| !one.beside && !one.of.starts_with("region 3");
        statements.extend(beside.filter(about_the_cpu).map(|one| Statement {
            of: format!("{}, a CPU without vector instructions", one.of),
            beside: true,
            ..one
        }));
        Self {
            sweep: parameters.sweep.clone(),
            pcie_ns,
            statements,
            rows,
        }
    }

    fn us(&self, design: Design, points: u64, way: Way) -> Option<Interval> {
        let mut rows = self
            .rows
            .iter()
            .filter(|row| (row.pcie_ns, row.kernel_ns) == (self.pcie_ns, self.sweep.kernel_ns));
        let row = rows.find(|row| (row.design, row.points, row.way) == (design, points, way));
        row.map(|row| row.step_us)
    }

    /// Sizes with the way their time came about, upwards.
    fn sizes(&self) -> Vec<(u64, Way)> {
        let mut sizes = Vec::new();
        for row in &self.rows {
            if !sizes.contains(&(row.points, row.way)) {
                sizes.push((row.points, row.way));
            }
        }
        sizes
    }

    fn times(&self) -> Table {
        let names = DESIGNS.map(|design| design.parts().name.to_owned());
        let head = ["points of a node", "rows"].map(str::to_owned);
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
}

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        vec![
            Part::Line(format!("A step on {} nodes:", self.sweep.nodes)),
            Part::Table(self.times()),
            Part::Table(statement::table(&self.statements)),
        ]
    }

    fn csv(&self) -> Vec<Vec<String>> {
        let head = [
            "design",
            "points",
            "way",
            "pcie_ns",
            "kernel_ns",
            "step_us",
            "step_us_half_interval",
        ];
        let record = |row: &Row| {
            vec![
                row.design.parts().name.to_owned(),
                row.points.to_string(),
                format!("{:?}", row.way).to_lowercase(),
                row.pcie_ns.to_string(),
                row.kernel_ns.to_string(),
                format!("{:.3}", row.step_us.mean),
                format!("{:.3}", row.step_us.half),
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
            let mark = if *way == Way::Extrapolated { "*" } else { "" };
            format!("2^{}{mark}", points.trailing_zeros())
        };
        vec![Chart {
            title: format!(
                "a step of Jacobi on {} nodes (*: extrapolated)",
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
