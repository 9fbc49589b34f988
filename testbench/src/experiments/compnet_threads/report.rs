//! What came out: tables, records and the curves of figures 8b and 8c.

use super::parameters::{Parameters, Sweep};
use super::point::Variant;
use super::row::{CELLS, RECORD, Row};
use super::verdict;
use crate::compnet::design::Design;
use crate::experiments::{Chart, Colour, Curve, Kind, Part, Shown, Statement, Table, statement};
use serde::Serialize;

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

/// Designs with the colours of their curves.
const CURVES: [(Design, Colour); 4] = [
    (Design::DgpuGpuQueue, Colour::Magenta),
    (Design::Dgpu, Colour::Red),
    (Design::Apu, Colour::Cyan),
    (Design::CompNet, Colour::Blue),
];

impl Report {
    /// Of all rows.
    pub(super) fn new(parameters: &Parameters, rows: Vec<Row>) -> Self {
        Self {
            sweep: parameters.sweep.clone(),
            statements: verdict::statements(&rows, parameters),
            rows,
        }
    }

    /// The rows of the parameters as they are, or the others.
    fn rows_of(&self, base: bool) -> impl Iterator<Item = &Row> {
        let rows = self.rows.iter();
        rows.filter(move |row| (row.variant == Variant::Base) == base)
    }

    fn chart(&self, title: &str, beside: &str, of: fn(&Row) -> f64) -> Chart {
        let curves = CURVES.map(|(design, colour)| {
            let rows = self.rows_of(true).filter(|row| row.design == design);
            Curve {
                name: design.parts().name.into(),
                points: rows
                    .enumerate()
                    .map(|(x, row)| (x as f64, of(row)))
                    .collect(),
                colour,
                main: true,
            }
        });
        let values = self.rows_of(true).map(of);
        Chart {
            title: title.into(),
            tenths: 5,
            below: "service threads".into(),
            beside: beside.into(),
            kind: Kind::Curves {
                places: self.sweep.threads.iter().map(u8::to_string).collect(),
                top: 1.05 * values.fold(0.0, f64::max),
                curves: curves.to_vec(),
            },
        }
    }
}

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        let table = |base: bool, heads: &[&str]| {
            let cells = |row: &Row| {
                let mut cells = vec![row.design.parts().name.to_owned()];
                if !base {
                    cells.push(row.variant.name().into());
                }
                cells.extend(row.cells());
                cells
            };
            Part::Table(Table {
                head: heads
                    .iter()
                    .chain(&CELLS)
                    .map(|&head| head.into())
                    .collect(),
                numbers: true,
                rows: self.rows_of(base).map(cells).collect(),
            })
        };
        let mut parts = vec![
            Part::Line(format!(
                "{} work-groups that do nothing but call; service threads poll all the time.",
                self.sweep.work_groups
            )),
            table(true, &["design"]),
        ];
        if self.rows_of(false).next().is_some() {
            parts.push(Part::Line("The same with something else:".into()));
            parts.push(table(false, &["design", "what is different"]));
        }
        parts.push(Part::Table(statement::table(&self.statements)));
        parts
    }

    fn csv(&self) -> Vec<Vec<String>> {
        let head = std::iter::once(RECORD.map(str::to_owned).to_vec());
        head.chain(self.rows.iter().map(Row::record)).collect()
    }

    fn plot(&self) -> Vec<Chart> {
        vec![
            self.chart("calls of a full GPU", "calls a us", |row| {
                row.calls_per_us.mean
            }),
            self.chart("energy of service threads", "nJ a call", |row| {
                row.nanojoules.mean
            }),
        ]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
