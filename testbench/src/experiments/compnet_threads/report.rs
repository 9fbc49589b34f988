//! What came out, as data, tables, records and charts.

use super::parameters::{Parameters, Sweep};
use super::verdict;
use crate::compnet::Side;
use crate::compnet::design::Design;
use crate::experiments::calls::{Activity, Point, Sample, mean};
use crate::experiments::{
    Chart, Colour, Curve, Interval, Kind, Part, Shown, Statement, Table, statement,
};
use serde::Serialize;

/// All runs of a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Where the queues lie, and who serves them.
    pub design: Design,
    /// Service threads.
    pub threads: u8,
    /// They have more cores than table 1 gives the command processor.
    pub added_cores: bool,
    /// From a call to the work-group's seeing it complete, in us.
    pub call_us: Interval,
    /// Calls in a us.
    pub calls_per_us: Interval,
    /// Energy of the service threads for a call, in nJ, with the constants as they are.
    pub nanojoules: f64,
    /// What the threads did, of the first seed.
    pub activity: Activity,
}

impl Row {
    pub(super) fn new(parameters: &Parameters, point: &Point, samples: &[Sample]) -> Self {
        let side = point.design.parts().service;
        let clock_mhz = match side {
            Side::Gpu => parameters.system.cp.clock_mhz,
            Side::Host => parameters.host.clock_mhz,
        };
        let of = |sample: &Sample| {
            let energy = &parameters.energy;
            energy.nanojoules_per_call(side, clock_mhz, &sample.activity)
        };
        Self {
            design: point.design,
            threads: point.threads,
            added_cores: side == Side::Gpu && point.threads > parameters.sweep.cp_cores,
            call_us: mean(samples, |sample| sample.call_us),
            calls_per_us: mean(samples, |sample| sample.calls_per_us),
            nanojoules: samples.iter().map(of).sum::<f64>() / samples.len().max(1) as f64,
            activity: samples
                .first()
                .map_or_else(Activity::default, |one| one.activity),
        }
    }

    fn threads(&self) -> String {
        let mark = if self.added_cores {
            " (cores added)"
        } else {
            ""
        };
        format!("{}{mark}", self.threads)
    }
}

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
    pub(super) fn new(parameters: &Parameters, rows: Vec<Row>) -> Self {
        Self {
            sweep: parameters.sweep.clone(),
            statements: verdict::statements(&rows, parameters),
            rows,
        }
    }

    fn chart(&self, title: &str, beside: &str, of: fn(&Row) -> f64) -> Chart {
        let curves = CURVES.map(|(design, colour)| {
            let rows = self.rows.iter().filter(|row| row.design == design);
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
        let values = self.rows.iter().map(of);
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
        let head = [
            "design",
            "service threads",
            "calls",
            "a call",
            "energy of a call",
            "computing",
            "polls for a call",
            "accesses: own, shared, memory",
            "bytes between",
        ];
        let cells = |row: &Row| {
            let did = &row.activity;
            let a_call = |number: u64| number as f64 / did.calls.max(1) as f64;
            vec![
                row.design.parts().name.to_owned(),
                row.threads(),
                format!("{} a us", row.calls_per_us),
                format!("{} us", row.call_us),
                format!("{:.0} nJ", row.nanojoules),
                format!("{:.0} %", 100.0 * did.computing_ns / did.thread_ns.max(1.0)),
                format!("{:.1}", a_call(did.polls)),
                format!(
                    "{:.1}, {:.1}, {:.1}",
                    a_call(did.own),
                    a_call(did.shared),
                    a_call(did.memory)
                ),
                format!("{:.0}", a_call(did.link_bytes)),
            ]
        };
        vec![
            Part::Line(format!(
                "{} work-groups that do nothing but call; service threads poll all the time.",
                self.sweep.work_groups
            )),
            Part::Table(Table {
                head: head.map(str::to_owned).to_vec(),
                numbers: true,
                rows: self.rows.iter().map(cells).collect(),
            }),
            Part::Table(statement::table(&self.statements)),
        ]
    }

    fn csv(&self) -> Vec<Vec<String>> {
        let head = [
            "design",
            "threads",
            "added_cores",
            "calls_per_us",
            "calls_per_us_half_interval",
            "call_us",
            "call_us_half_interval",
            "nanojoules_per_call",
            "polls",
            "calls",
            "own",
            "shared",
            "memory",
            "link_bytes",
        ];
        let record = |row: &Row| {
            let number = |number: f64| format!("{number:.3}");
            let did = &row.activity;
            vec![
                row.design.parts().name.to_owned(),
                row.threads.to_string(),
                row.added_cores.to_string(),
                number(row.calls_per_us.mean),
                number(row.calls_per_us.half),
                number(row.call_us.mean),
                number(row.call_us.half),
                number(row.nanojoules),
                did.polls.to_string(),
                did.calls.to_string(),
                did.own.to_string(),
                did.shared.to_string(),
                did.memory.to_string(),
                did.link_bytes.to_string(),
            ]
        };
        let head = std::iter::once(head.map(str::to_owned).to_vec());
        head.chain(self.rows.iter().map(record)).collect()
    }

    fn plot(&self) -> Vec<Chart> {
        vec![
            self.chart("calls of a full GPU", "calls a us", |row| {
                row.calls_per_us.mean
            }),
            self.chart("energy of service threads", "nJ a call", |row| {
                row.nanojoules
            }),
        ]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
