//! What came out, as data, tables, records and charts.

use super::parameters::{FIGURE, Parameters, Sweep};
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
    /// One way over PCIe of the file.
    pub pcie_ns: f64,
    /// What came out.
    pub rows: Vec<Row>,
    /// The paper's statements, and whether they did.
    pub statements: Vec<Statement>,
}

const COLOURS: [(Design, Colour); 5] = [
    (Design::Dgpu, Colour::Red),
    (Design::Apu, Colour::Cyan),
    (Design::CompNet, Colour::Blue),
    (Design::InterKernel, Colour::Magenta),
    (Design::Cpu, Colour::Black),
];

impl Report {
    pub(super) fn new(parameters: &Parameters, rows: Vec<Row>) -> Self {
        let pcie_ns = parameters.nic.pcie_ns;
        Self {
            sweep: parameters.sweep.clone(),
            pcie_ns,
            statements: verdict::statements(&rows, pcie_ns),
            rows,
        }
    }

    /// The time of a row, if there is one.
    fn us(&self, design: Design, bytes: u64, pcie_ns: f64) -> Option<Interval> {
        let wanted = |row: &&Row| (row.design, row.bytes) == (design, bytes);
        let mut rows = self.rows.iter().filter(wanted);
        rows.find(|row| row.pcie_ns == pcie_ns)
            .map(|row| row.get_us)
    }

    /// Ways over PCIe, upwards.
    fn ways(&self) -> Vec<f64> {
        let mut ways = self.sweep.pcie_ns.clone();
        ways.push(self.pcie_ns);
        ways.sort_by(f64::total_cmp);
        ways.dedup();
        ways
    }

    fn table_of(&self, first: &str, rows: Vec<(String, u64, f64)>) -> Table {
        let names = COLOURS.map(|(design, _)| design.parts().name.to_owned());
        let cells = |(name, bytes, pcie_ns): (String, u64, f64)| {
            let times = COLOURS.map(|(design, _)| {
                let us = self.us(design, bytes, pcie_ns);
                us.map_or_else(|| "-".to_owned(), |us| format!("{us} us"))
            });
            std::iter::once(name).chain(times).collect()
        };
        Table {
            head: std::iter::once(first.to_owned()).chain(names).collect(),
            numbers: true,
            rows: rows.into_iter().map(cells).collect(),
        }
    }
}

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        let sizes = self.sweep.bytes.iter();
        let sizes = sizes.map(|bytes| (bytes.to_string(), *bytes, self.pcie_ns));
        let smallest = self.sweep.bytes.first().copied().unwrap_or(0);
        let ways = self.ways().into_iter();
        let ways = ways.map(|way| (format!("{way} ns"), smallest, way));
        let mut parts = vec![
            Part::Line(format!("A get, with PCIe of {} ns one way:", self.pcie_ns)),
            Part::Table(self.table_of("bytes", sizes.collect())),
        ];
        if !self.sweep.pcie_ns.is_empty() {
            parts.push(Part::Line(format!("A get of {smallest} bytes:")));
            parts.push(Part::Table(self.table_of("PCIe one way", ways.collect())));
        }
        parts.push(Part::Table(statement::table(&self.statements)));
        parts
    }

    fn csv(&self) -> Vec<Vec<String>> {
        let head = [
            "design",
            "bytes",
            "pcie_ns",
            "get_us",
            "get_us_half_interval",
        ];
        let record = |row: &Row| {
            vec![
                row.design.parts().name.to_owned(),
                row.bytes.to_string(),
                row.pcie_ns.to_string(),
                format!("{:.3}", row.get_us.mean),
                format!("{:.3}", row.get_us.half),
            ]
        };
        let head = std::iter::once(head.map(str::to_owned).to_vec());
        head.chain(self.rows.iter().map(record)).collect()
    }

    fn plot(&self) -> Vec<Chart> {
        let smallest = self.sweep.bytes.first().copied().unwrap_or(0);
        // Beyond this size one time would hide all others.
        let sizes = self.sweep.bytes.iter().copied();
        let sizes: Vec<u64> = sizes
            .filter(|bytes| *bytes <= self.sweep.repeated_bytes.max(smallest))
            .collect();
        let by_size: Vec<_> = sizes.iter().map(|bytes| (*bytes, self.pcie_ns)).collect();
        let ways = self.ways();
        let by_way: Vec<_> = ways.iter().map(|way| (smallest, *way)).collect();
        let chart = |title: &str, below: &str, places: Vec<String>, points: &[(u64, f64)]| {
            let curve = |(design, colour): (Design, Colour)| {
                let times = points.iter().enumerate().filter_map(|(x, (bytes, way))| {
                    let us = self.us(design, *bytes, *way)?;
                    Some((x as f64, us.mean))
                });
                Curve {
                    name: design.parts().name.into(),
                    points: times.collect(),
                    colour,
                    main: FIGURE.contains(&design),
                }
            };
            let curves: Vec<Curve> = COLOURS.into_iter().map(curve).collect();
            let values = curves.iter().flat_map(|curve| &curve.points);
            let top = values.map(|(_, us)| *us).fold(1.0, f64::max);
            Chart {
                title: title.into(),
                tenths: 5,
                below: below.into(),
                beside: "time in us".into(),
                kind: Kind::Curves {
                    places,
                    top: 1.05 * top,
                    curves,
                },
            }
        };
        vec![
            chart(
                "a get",
                "bytes",
                sizes.iter().map(u64::to_string).collect(),
                &by_size,
            ),
            chart(
                &format!("{smallest} bytes"),
                "PCIe one way in ns",
                ways.iter().map(f64::to_string).collect(),
                &by_way,
            ),
        ]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
