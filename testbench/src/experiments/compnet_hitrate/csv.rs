//! The command processor's hit rate as records.

use super::{BAR_NS, Point, Report, Row};
use crate::compnet::Class;
use crate::experiments::Interval;

/// All rows, one a record; hit rates in percent, empty where there was no access; hits and misses of each class; bars
/// of the histogram of lock times with semicolons between.
pub fn records(report: &Report) -> Vec<Vec<String>> {
    let histogram = format!("locks_by_{BAR_NS:.0}_ns");
    let names = numbers(&Row::default()).into_iter();
    let head = ["system".to_owned()]
        .into_iter()
        .chain(names.map(|(name, _)| name.to_owned()))
        .chain(classes().flat_map(|class| {
            let name = class.name().replace([',', '-'], "").replace(' ', "_");
            [format!("{name}_hits"), format!("{name}_misses")]
        }))
        .chain([histogram]);
    let findings = &report.findings;
    let points = findings.points.iter().chain(&findings.variants);
    let rows = points.flat_map(|point| {
        let rows = [&point.baseline, &point.unlocked, &point.locked];
        rows.map(|row| (system_of(point), row))
    });
    let records = rows.map(|(system, row)| {
        [system.to_owned()]
            .into_iter()
            .chain(numbers(row).into_iter().map(|(_, number)| number))
            .chain(classes().flat_map(|class| tallies(row, class)))
            .chain([bars(row)])
            .collect()
    });
    std::iter::once(head.collect()).chain(records).collect()
}

fn system_of(point: &Point) -> &str {
    match point.name.is_empty() {
        true => "sweep",
        false => &point.name,
    }
}

/// The columns that are numbers of the whole row.
fn numbers(row: &Row) -> Vec<(&'static str, String)> {
    let rate = |rate: Option<f64>| rate.map_or(String::new(), |rate| format!("{rate:.3}"));
    let mean = |of: Option<Interval>| rate(of.map(|of| of.mean));
    let half = |of: Option<Interval>| rate(of.map(|of| of.half));
    let locks = &row.locks;
    vec![
        ("l2_kib", row.l2_kib.to_string()),
        ("networking", row.networking.to_string()),
        ("streaming", row.streaming.to_string()),
        ("locking", row.locking.to_string()),
        ("seeds", row.seeds.to_string()),
        ("calls", row.calls.to_string()),
        ("call_ns", format!("{:.1}", row.call_ns)),
        ("poll_ns", format!("{:.1}", row.poll_ns)),
        ("all_hit_rate", mean(row.all)),
        ("all_hit_rate_half_interval", half(row.all)),
        ("loads_hit_rate", mean(row.loads)),
        ("loads_hit_rate_half_interval", half(row.loads)),
        ("found_hit_rate", rate(row.found_hit_rate)),
        ("found_share_of_all", rate(row.found_share)),
        ("empty_polls_share_of_loads", rate(row.empty_share)),
        ("own_hit_rate", rate(row.own_hit_rate)),
        ("cp_hit_ns", format!("{:.1}", row.hit_ns)),
        ("cp_miss_ns", format!("{:.1}", row.miss_ns)),
        (
            "streamed_gigabytes_per_second",
            format!("{:.3}", row.streamed_gigabytes_per_second),
        ),
        ("locks_released", locks.released.to_string()),
        ("locks_watchdog", locks.watchdog.to_string()),
        ("locks_dropped", locks.dropped.to_string()),
        ("lock_overflows", row.lock_overflows.to_string()),
        ("lock_median_ns", format!("{:.1}", locks.median_ns)),
        ("lock_p90_ns", format!("{:.1}", locks.p90_ns)),
        ("lock_max_ns", format!("{:.1}", locks.max_ns)),
    ]
}

/// What the command processor does.
fn classes() -> impl Iterator<Item = Class> {
    let others = [Class::Queue, Class::Stream];
    Class::ALL
        .into_iter()
        .filter(move |class| !others.contains(class))
}

fn tallies(row: &Row, class: Class) -> [String; 2] {
    let tally = row.classes.iter().find(|tally| tally.class == class);
    tally
        .map_or([0, 0], |tally| [tally.hits, tally.misses])
        .map(|number| number.to_string())
}

fn bars(row: &Row) -> String {
    let bars = row.locks.histogram.iter().map(u64::to_string);
    bars.collect::<Vec<_>>().join(";")
}
