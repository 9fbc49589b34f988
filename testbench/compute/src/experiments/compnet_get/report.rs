//! What came out, as data, tables, records and charts.

use super::parameters::{FIGURE, Parameters, Pcie, Sweep};
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
    /// Ways over PCIe of the file.
    pub pcie: Pcie,
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
        let pcie = parameters.pcie();
        Self {
            sweep: parameters.sweep.clone(),
            pcie,
            statements: verdict::statements(&rows, pcie),
            rows,
        }
    }

    /// The time of a row, if there is one.
    fn us(&self, design: Design, bytes: u64, pcie: Pcie) -> Option<Interval> {
        let wanted = |row: &&Row| (row.design, row.bytes) == (design, bytes);
        let mut rows = self.rows.iter().filter(wanted);
        rows.find(|row| row.pcie == pcie).map(|row| row.get_us)
    }

    /// Ways over PCIe: those of the file, then the others.
    fn ways(&self) -> Vec<Pcie> {
        let own = std::iter::once(self.pcie);
        own.chain(self.sweep.pcie.iter().copied()).collect()
    }

    fn table_of(&self, first: &str, rows: Vec<(String, u64, Pcie)>) -> Table {
        let names = COLOURS.map(|(design, _)| design.parts().name.to_owned());
        let cells = |(name, bytes, pcie): (String, u64, Pcie)| {
            let times = COLOURS.map(|(design, _)| {
                let us = self.us(design, bytes, pcie);
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
        let sizes = sizes.map(|bytes| (bytes.to_string(), *bytes, self.pcie));
        let smallest = self.sweep.bytes.first().copied().unwrap_or(0);
        let ways = self.ways().into_iter();
        let ways = ways.map(|way| (way.name(), smallest, way));
        let mut parts = vec![
            Part::Line(format!("A get, with PCIe of {} one way:", self.pcie.name())),
            Part::Table(self.table_of("bytes", sizes.collect())),
        ];
        if !self.sweep.pcie.is_empty() {
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
            "host_pcie_ns",
            "nic_pcie_ns",
            "get_us",
            "get_us_half_interval",
        ];
        let record = |row: &Row| {
            vec![
                row.design.parts().name.to_owned(),
                row.bytes.to_string(),
                row.pcie.host_ns.to_string(),
                row.pcie.nic_ns.to_string(),
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
        let by_size: Vec<_> = sizes.iter().map(|bytes| (*bytes, self.pcie)).collect();
        let ways = self.ways();
        let by_way: Vec<_> = ways.iter().map(|way| (smallest, *way)).collect();
        let chart = |title: &str, below: &str, places: Vec<String>, points: &[(u64, Pcie)]| {
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
                "PCIe one way in ns: of the host, of the NIC",
                ways.iter()
                    .map(|Pcie { host_ns, nic_ns }| format!("{host_ns}, {nic_ns}"))
                    .collect(),
                &by_way,
            ),
        ]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
