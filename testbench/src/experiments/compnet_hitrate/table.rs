//! The command processor's hit rate as tables for people.

use super::row::Counting;
use super::verdict::{LOCK_NS, held};
use super::{Point, Report, Row};
use crate::experiments::{Interval, Part, Table, statement};

/// Heads of the sweep's columns, in the order of [`cells`].
const HEAD: [&str; 12] = [
    "streaming : networking",
    "locking",
    "calls",
    "all accesses",
    "loads",
    "calls found",
    "their share",
    "empty polls in loads",
    "CP hit, miss",
    "streams",
    "locks: median, 90 %, longest",
    "released, watchdog, dropped, not to be had",
];

/// Heads of the columns of other systems, in the order of [`compared`].
const COMPARED: [&str; 9] = [
    "other parameters",
    "streaming : networking",
    "all accesses",
    "loads",
    "calls found",
    "empty polls in loads",
    "streams",
    "locks: median, 90 %, longest",
    "falls, improves, keeps: all; loads",
];

/// Tables of all runs.
pub fn parts(report: &Report) -> Vec<Part> {
    let findings = &report.findings;
    let rows = |point: &Point| match point.is_loaded() {
        true => vec![
            cells(&point.baseline),
            cells(&point.unlocked),
            cells(&point.locked),
        ],
        false => vec![cells(&point.unlocked), cells(&point.locked)],
    };
    let mut parts = vec![
        Part::Line(format!(
            "Hits in 100 accesses of the command processor, means of {} seeds +- 95 % intervals; {:.1} M cycles of banks were run.",
            report.sweep.seeds.len(),
            report.bank_cycles as f64 / 1e6
        )),
        Part::Table(Table {
            head: HEAD.map(str::to_owned).to_vec(),
            numbers: true,
            rows: findings.points.iter().flat_map(rows).collect(),
        }),
    ];
    parts.extend(load_times(report));
    parts.extend(other_systems(report));
    parts.push(Part::Table(statement::table(&report.statements)));
    parts
}

/// Lock times of the loads, and which of them the rule chooses.
fn load_times(report: &Report) -> Vec<Part> {
    let findings = &report.findings;
    let Some(nearest) = findings.nearest_load() else {
        return Vec::new();
    };
    let ratios = findings.points.iter().map(Point::ratio);
    let ratios = ratios.map(|ratio| format!("median lock, {ratio}"));
    let head = std::iter::once("load".to_owned()).chain(ratios);
    let row = |load: &super::LoadTimes| {
        let medians = load.median_ns.iter().map(|ns| match *ns > 0.0 {
            true => format!("{ns:.0} ns"),
            false => "-".into(),
        });
        let name = load.name.clone();
        let factor = format!("{:.2}", load.factor);
        std::iter::once(name)
            .chain(medians)
            .chain([factor])
            .collect()
    };
    let own = findings.loads.iter().find(|load| load.is_own);
    let chosen = match (nearest.is_own, own) {
        (true, _) => "that is the load of the sweep".to_owned(),
        (false, Some(own)) => format!("the load of the sweep is another, \"{}\"", own.name),
        (false, None) => "the load of the sweep is none of them".to_owned(),
    };
    let [least, most] = LOCK_NS;
    vec![
        Part::Line(format!(
            "The load is chosen by the paper's lock times ({least:.0} to {most:.0} ns) alone: nearest to their middle is \"{}\"; {chosen}.",
            nearest.name
        )),
        Part::Table(Table {
            head: head.chain(["mean factor from the middle".into()]).collect(),
            numbers: true,
            rows: findings.loads.iter().map(row).collect(),
        }),
    ]
}

/// Other systems, and which of them change a statement.
fn other_systems(report: &Report) -> Vec<Part> {
    let findings = &report.findings;
    if findings.variants.is_empty() {
        return Vec::new();
    }
    let at = report.sweep.variants_at;
    let base = findings.points.iter();
    let base: Vec<_> = base.filter(|one| one.locked.networking == at).collect();
    let named = base.iter().map(|point| compared("(the sweep's)", point));
    let others = findings.variants.iter();
    let others = others.map(|point| compared(&point.name, point));
    let marks = |point: &Point| Counting::BOTH.map(|counting| held(point, counting));
    let deciding = findings.variants.iter().filter(|variant| {
        let same = base.iter().find(|one| one.ratio() == variant.ratio());
        same.is_some_and(|base| marks(base) != marks(variant))
    });
    let deciding: Vec<_> = deciding.map(|one| format!("\"{}\"", one.name)).collect();
    let line = match deciding.is_empty() {
        true => format!("At {at} networking work-groups no parameter alone changes a statement."),
        false => format!(
            "At {at} networking work-groups these change which statements hold, each alone: {}.",
            deciding.join(", ")
        ),
    };
    vec![
        Part::Line(
            "Other parameters, each: without streams, with streams, with streams and locking."
                .into(),
        ),
        Part::Table(Table {
            head: COMPARED.map(str::to_owned).to_vec(),
            numbers: true,
            rows: named.chain(others).collect(),
        }),
        Part::Line(line),
    ]
}

/// The cells of a row of the sweep.
fn cells(row: &Row) -> Vec<String> {
    let locks = &row.locks;
    vec![
        row.ratio(),
        if row.locking { "yes" } else { "no" }.into(),
        row.calls.to_string(),
        mean(row.all),
        mean(row.loads),
        percent(row.found_hit_rate),
        percent(row.found_share),
        percent(row.empty_share),
        match row.miss_ns > 0.0 {
            true => format!("{:.0}, {:.0} ns", row.hit_ns, row.miss_ns),
            false => format!("{:.0} ns, -", row.hit_ns),
        },
        format!("{:.1} GB/s", row.streamed_gigabytes_per_second),
        lock_times(row),
        format!(
            "{}, {}, {}, {}",
            locks.released, locks.watchdog, locks.dropped, row.lock_overflows
        ),
    ]
}

fn compared(name: &str, point: &Point) -> Vec<String> {
    let rows = [&point.baseline, &point.unlocked, &point.locked];
    let three = |counting| {
        let rates = rows.map(|row| format!("{:.1}", row.rate(counting).mean));
        rates.join(" → ")
    };
    let marks = Counting::BOTH.map(|counting| {
        let marks = held(point, counting);
        marks.map(|held| if held { "yes" } else { "no" }).join(", ")
    });
    vec![
        name.to_owned(),
        point.ratio(),
        three(Counting::All),
        three(Counting::Loads),
        format!(
            "{} → {}",
            percent(point.unlocked.found_hit_rate),
            percent(point.locked.found_hit_rate)
        ),
        percent(point.locked.empty_share),
        format!("{:.1} GB/s", point.locked.streamed_gigabytes_per_second),
        lock_times(&point.locked),
        marks.join("; "),
    ]
}

fn lock_times(row: &Row) -> String {
    let locks = &row.locks;
    match locks.released {
        0 => "-".into(),
        _ => format!(
            "{:.0}, {:.0}, {:.0} ns",
            locks.median_ns, locks.p90_ns, locks.max_ns
        ),
    }
}

fn mean(rate: Option<Interval>) -> String {
    rate.map_or("-".into(), |rate| format!("{rate} %"))
}

fn percent(rate: Option<f64>) -> String {
    rate.map_or("-".into(), |rate| format!("{rate:.1} %"))
}
