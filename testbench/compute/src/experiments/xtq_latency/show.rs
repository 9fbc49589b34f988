//! Tables, records and charts.

use super::report::Report;
use super::row::{PHASES, Row};
use xtq_testbench::experiments::{Bar, Chart, Kind, Part, Stack, Table, statement};

/// The caches of a row, in a word.
fn state(row: &Row) -> &'static str {
    match row.warm {
        true => "warm",
        false => "cold",
    }
}

fn name(row: &Row) -> String {
    format!("{} {} B, {}", row.way.name(), row.payload, state(row))
}

fn heads() -> impl Iterator<Item = String> {
    PHASES.into_iter().chain(["sum"]).map(str::to_owned)
}

fn table(rows: &[&Row]) -> Table {
    let head = std::iter::once("ns".to_owned()).chain(heads());
    let cells = |row: &&Row| {
        let phases = row.phases.iter().chain([&row.total]);
        let phases = phases.map(|phase| phase.to_string());
        std::iter::once(name(row)).chain(phases).collect()
    };
    Table {
        head: head.collect(),
        numbers: true,
        rows: rows.iter().map(cells).collect(),
    }
}

/// Tables for people: the paper's system, then each variant; the statements.
pub(super) fn parts(report: &Report) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut variants: Vec<&str> = report.rows.iter().map(|row| &*row.variant).collect();
    variants.dedup();
    for variant in variants {
        let of = report.rows.iter().filter(|row| row.variant == variant);
        parts.push(Part::Line(match variant {
            "" => "Phases of a remote task, ns, with 95 % intervals over the seeds".to_owned(),
            variant => format!("The same: {variant}"),
        }));
        parts.push(Part::Table(table(&of.collect::<Vec<_>>())));
    }
    let [predicted, taken] = report.million_cycles;
    parts.push(Part::Line(format!(
        "{taken:.2} million awake cycles of NICs, predicted {predicted:.2}"
    )));
    parts.push(Part::Table(statement::table(&report.statements)));
    parts
}

/// All points as records.
pub(super) fn records(report: &Report) -> Vec<Vec<String>> {
    let columns = heads().flat_map(|head| {
        let head = head.to_lowercase().replace(' ', "_");
        [format!("{head}_ns"), format!("{head}_half")]
    });
    let head = ["variant", "way", "payload", "caches"].map(str::to_owned);
    let head = head.into_iter().chain(columns).collect();
    let record = |row: &Row| {
        let [way, caches] = [row.way.name(), state(row)].map(str::to_owned);
        let numbers = row.phases.iter().chain([&row.total]);
        let numbers = numbers.flat_map(|one| [one.mean, one.half].map(|ns| format!("{ns:.2}")));
        [row.variant.clone(), way, row.payload.to_string(), caches]
            .into_iter()
            .chain(numbers)
            .collect()
    };
    std::iter::once(head)
        .chain(report.rows.iter().map(record))
        .collect()
}

/// Stacked bars, as in the paper's figure: one chart for each payload.
pub(super) fn charts(report: &Report) -> Vec<Chart> {
    let payloads = &report.sweep.payloads;
    let tenths = 10 / payloads.len().clamp(1, 10) as u32;
    let chart = |payload: &u64| {
        let rows = report.rows.iter();
        let rows = rows.filter(|row| row.variant.is_empty() && row.payload == *payload);
        let bar = |row: &Row| Bar {
            name: format!("{}, {}", row.way.name(), state(row)),
            parts: row.phases.iter().map(|phase| phase.mean).collect(),
        };
        Chart {
            title: format!("A remote task with {payload} bytes"),
            tenths,
            below: String::new(),
            beside: "ns".to_owned(),
            kind: Kind::Stacks(Stack {
                parts: PHASES.map(str::to_owned).to_vec(),
                bars: rows.map(bar).collect(),
            }),
        }
    };
    payloads.iter().map(chart).collect()
}
