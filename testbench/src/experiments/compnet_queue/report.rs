//! What came out, as data, tables, records and charts.

use super::parameters::{Parameters, Sweep};
use super::row::Row;
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

impl Report {
    pub(super) fn new(parameters: &Parameters, rows: Vec<Row>) -> Self {
        Self {
            sweep: parameters.sweep.clone(),
            statements: verdict::statements(&rows),
            rows,
        }
    }

    fn of(&self, figure: char) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.figure == figure)
    }
}

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        let head = [
            "queues",
            "work-groups",
            "service threads",
            "service time",
            "calls",
        ];
        let cells = |row: &Row| {
            vec![
                row.design.parts().name.to_owned(),
                row.work_groups.to_string(),
                row.threads.to_string(),
                format!("{} us", row.service_us),
                format!("{:.2} a us", row.calls_per_us.mean),
            ]
        };
        let table = |figure| {
            Part::Table(Table {
                head: head.map(str::to_owned).to_vec(),
                numbers: true,
                rows: self.of(figure).map(cells).collect(),
            })
        };
        vec![
            Part::Line("One service thread (figure 4a):".into()),
            table('a'),
            Part::Line(format!(
                "{} compute units, queues in the host's memory (figure 4b):",
                self.sweep.many_units
            )),
            table('b'),
            Part::Table(statement::table(&self.statements)),
        ]
    }

    fn csv(&self) -> Vec<Vec<String>> {
        let head = [
            "figure",
            "queues",
            "work_groups",
            "threads",
            "service_us",
            "service_us_half_interval",
            "calls_per_us",
            "calls_per_us_half_interval",
        ];
        let record = |row: &Row| {
            let number = |number: f64| format!("{number:.3}");
            vec![
                format!("4{}", row.figure),
                row.design.parts().name.to_owned(),
                row.work_groups.to_string(),
                row.threads.to_string(),
                number(row.service_us.mean),
                number(row.service_us.half),
                number(row.calls_per_us.mean),
                number(row.calls_per_us.half),
            ]
        };
        let head = std::iter::once(head.map(str::to_owned).to_vec());
        head.chain(self.rows.iter().map(record)).collect()
    }

    fn plot(&self) -> Vec<Chart> {
        let top = |figure| {
            let times = self.of(figure).map(|row| row.service_us.mean);
            1.05 * times.fold(1.0, f64::max)
        };
        let curve = |name: String, rows: Vec<&Row>, colour| Curve {
            name,
            points: rows
                .iter()
                .enumerate()
                .map(|(x, row)| (x as f64, row.service_us.mean))
                .collect(),
            colour,
            main: true,
        };
        let by_design = [
            (Design::DgpuGpuQueue, Colour::Red),
            (Design::Dgpu, Colour::Blue),
        ];
        let by_design = by_design.map(|(design, colour)| {
            let rows = self.of('a').filter(|row| row.design == design);
            curve(design.parts().name.into(), rows.collect(), colour)
        });
        let colours = [
            Colour::Black,
            Colour::Blue,
            Colour::Cyan,
            Colour::Magenta,
            Colour::Red,
        ];
        let groups = self
            .sweep
            .many_work_groups
            .iter()
            .zip(colours.iter().cycle());
        let by_groups = groups.map(|(groups, colour)| {
            let rows = self.of('b').filter(|row| row.work_groups == *groups);
            curve(format!("{groups} work-groups"), rows.collect(), *colour)
        });
        let chart = |title: &str, below: &str, places, top, curves| Chart {
            title: title.into(),
            tenths: 5,
            below: below.into(),
            beside: "service time in us".into(),
            kind: Kind::Curves {
                places,
                top,
                curves,
            },
        };
        let groups = self.sweep.work_groups.iter().map(u64::to_string).collect();
        let threads = self.sweep.threads.iter().map(u8::to_string).collect();
        vec![
            chart(
                "one service thread",
                "work-groups",
                groups,
                top('a'),
                by_design.to_vec(),
            ),
            chart(
                "more of them",
                "service threads",
                threads,
                top('b'),
                by_groups.collect(),
            ),
        ]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
