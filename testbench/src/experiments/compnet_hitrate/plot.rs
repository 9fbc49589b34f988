//! The curves of the paper's figure 7, counted both ways, and how long lines were locked.

use super::row::Counting;
use super::{BAR_NS, Point, Report, Row};
use crate::experiments::{Bars, Chart, Colour, Curve, Kind};

/// The end of the axis of hit rates.
const TOP: f64 = 105.0;

/// All charts.
pub fn charts(report: &Report) -> Vec<Chart> {
    vec![
        hit_rates(report, Counting::All, 4),
        hit_rates(report, Counting::Loads, 3),
        lock_times(report),
    ]
}

/// Hit rate against the ratio.
fn hit_rates(report: &Report, counting: Counting, tenths: u32) -> Chart {
    let points = &report.findings.points;
    let curve = |name: &str, colour, of: fn(&Point) -> &Row| Curve {
        name: name.into(),
        points: points
            .iter()
            .enumerate()
            .map(|(x, point)| (x as f64, of(point).rate(counting).mean))
            .collect(),
        colour,
        main: true,
    };
    Chart {
        title: format!("L2 hit rate of the CP: {}", counting.name()),
        tenths,
        below: "streaming : networking work-groups".into(),
        beside: "hits in 100 accesses".into(),
        kind: Kind::Curves {
            places: points.iter().map(Point::ratio).collect(),
            top: TOP,
            curves: vec![
                curve("no streams", Colour::Black, |point| &point.baseline),
                curve("with locking", Colour::Blue, |point| &point.locked),
                curve("without locking", Colour::Red, |point| &point.unlocked),
            ],
        },
    }
}

/// How long lines were locked: at the first ratio, and at the last.
fn lock_times(report: &Report) -> Chart {
    let points = &report.findings.points;
    let ends = points.first().zip(points.last());
    let ends = ends.map(|(first, last)| [(first, Colour::Black), (last, Colour::Blue)]);
    let bars = ends.into_iter().flatten().map(|(point, colour)| Bars {
        name: point.ratio(),
        heights: point.locked.locks.histogram.clone(),
        colour,
    });
    Chart {
        title: "lock times".into(),
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
