//! The curves of the paper's figure 7, and how long lines were locked.

use super::{BAR_NS, Comparison, Report, Row};
use crate::experiments::{Bars, Chart, Colour, Curve, Kind};

/// The end of the axis of hit rates.
const TOP: f64 = 105.0;
/// What that axis shows.
const HITS: &str = "hits in 100 accesses";

/// All charts.
pub fn charts(report: &Report) -> Vec<Chart> {
    vec![
        hit_rates(report),
        by_private_lines(report),
        lock_times(report),
    ]
}

fn with(locking: bool) -> &'static str {
    match locking {
        true => "with locking",
        false => "without locking",
    }
}

fn curve(name: String, points: Vec<(f64, f64)>, colour: Colour) -> Curve {
    Curve {
        name,
        points,
        colour,
        main: true,
    }
}

/// Hit rate against streaming work-groups: all accesses of every L2, and the polls that found a call of the first.
fn hit_rates(report: &Report) -> Chart {
    let findings = &report.findings;
    let points = |size, locking, rate: fn(&Row) -> Option<f64>| {
        let rows = findings.curve(size, locking).enumerate();
        rows.filter_map(|(x, row)| Some((x as f64, rate(row)?)))
            .collect()
    };
    let mut curves = Vec::new();
    for (number, size) in findings.sizes().into_iter().enumerate() {
        let colours = [[Colour::Blue, Colour::Red], [Colour::Cyan, Colour::Magenta]][number.min(1)];
        for (locking, colour) in [true, false].into_iter().zip(colours) {
            let name = format!("{}, {size} KiB", with(locking));
            curves.push(curve(
                name,
                points(size, locking, |row| row.hit_rate),
                colour,
            ));
        }
    }
    for (locking, colour) in [(true, Colour::Blue), (false, Colour::Red)] {
        let size = findings.sizes().first().copied().unwrap_or(0);
        let name = format!("{}, {size} KiB: polls that found a call", with(locking));
        let found = points(size, locking, |row| row.found_hit_rate);
        curves.push(Curve {
            main: false,
            ..curve(name, found, colour)
        });
    }
    let networking = report.sweep.networking;
    Chart {
        title: "L2 hit rate of the command processor".into(),
        tenths: 4,
        below: format!("streaming work-groups beside {networking} networking ones"),
        beside: HITS.into(),
        kind: Kind::Curves {
            places: report.sweep.streaming.iter().map(u64::to_string).collect(),
            top: TOP,
            curves,
        },
    }
}

/// Hit rate against private lines of a call.
fn by_private_lines(report: &Report) -> Chart {
    let compared = &report.findings.by_private_lines;
    let points = |of: fn(&Comparison) -> &Row| {
        let rows = compared.iter().map(of).enumerate();
        rows.filter_map(|(x, row)| Some((x as f64, row.hit_rate?)))
            .collect()
    };
    let most = report.sweep.streaming.last().copied().unwrap_or(0);
    let named = |locking| format!("{most} streams, {}", with(locking));
    let lines = compared.iter().map(|row| row.private_lines.to_string());
    Chart {
        title: "with more and fewer private lines".into(),
        tenths: 3,
        below: "private lines for a call".into(),
        beside: HITS.into(),
        kind: Kind::Curves {
            places: lines.collect(),
            top: TOP,
            curves: vec![
                curve(
                    "no streams".into(),
                    points(|row| &row.baseline),
                    Colour::Black,
                ),
                curve(named(true), points(|row| &row.locked), Colour::Blue),
                curve(named(false), points(|row| &row.unlocked), Colour::Red),
            ],
        },
    }
}

/// How long lines of the first L2 were locked: without streams, and with the most.
fn lock_times(report: &Report) -> Chart {
    let size = report.findings.sizes().first().copied().unwrap_or(0);
    let rows: Vec<_> = report.findings.curve(size, true).collect();
    let ends = rows.first().zip(rows.last());
    let ends = ends.map(|(first, last)| [(first, Colour::Black), (last, Colour::Blue)]);
    let bars = ends.into_iter().flatten().map(|(row, colour)| Bars {
        name: format!("{} streams", row.load.streaming),
        heights: row.locks.histogram.clone(),
        colour,
    });
    Chart {
        title: format!("lock times, {size} KiB"),
        tenths: 3,
        below: "ns from lock to unlock".into(),
        beside: "locks".into(),
        kind: Kind::Histograms {
            width: BAR_NS,
            least: 10,
            bars: bars.collect(),
        },
    }
}
