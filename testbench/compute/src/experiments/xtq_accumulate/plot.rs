//! Figure 9a: how much faster than the CPU, what XTQ gains over HSA, and how long the target's CPU is busy.

use super::parameters::{SEGMENTED, Sweep, WHOLE};
use super::row::Row;
use super::verdict::{gain, row};
use crate::mpi::Way;
use xtq_testbench::experiments::{Chart, Colour, Curve, Kind};

/// The charts, in the order in which statements name them.
pub(super) fn charts(sweep: &Sweep, rows: &[Row]) -> Vec<Chart> {
    let time = |way, bytes| row(rows, WHOLE, way, bytes).map(|row| row.ns.mean);
    let speedup = Way::ALL.map(|way| {
        curve(sweep, way.name(), colour(way), |bytes| {
            Some(time(Way::Cpu, bytes)? / time(way, bytes)?)
        })
    });
    let gains = [(WHOLE, Colour::Red), (SEGMENTED, Colour::Magenta)]
        .map(|(of, colour)| curve(sweep, of, colour, |bytes| gain(rows, of, bytes)));
    let busy = Way::ALL.map(|way| {
        curve(sweep, way.name(), colour(way), |bytes| {
            let row = row(rows, WHOLE, way, bytes)?;
            Some(100.0 * row.busy_ns.mean / row.ns.mean)
        })
    });
    vec![
        chart(
            "an accumulate, speed beside the CPU's",
            "times as fast",
            sweep,
            4,
            speedup.into(),
        ),
        chart("what XTQ gains over HSA", "%", sweep, 3, gains.into()),
        chart(
            "busy time of the target's CPU",
            "% of the epoch",
            sweep,
            3,
            busy.into(),
        ),
    ]
}

fn colour(way: Way) -> Colour {
    match way {
        Way::Cpu => Colour::Black,
        Way::Hsa => Colour::Blue,
        Way::Xtq => Colour::Red,
    }
}

fn chart(title: &str, beside: &str, sweep: &Sweep, tenths: u32, curves: Vec<Curve>) -> Chart {
    let heights = curves.iter().flat_map(|curve| &curve.points);
    let top = heights.fold(1.0, |top: f64, (_, y)| top.max(*y)) * 1.1;
    let short = |bytes: &u64| match *bytes {
        bytes if bytes.is_multiple_of(1 << 20) => format!("{}M", bytes >> 20),
        bytes if bytes.is_multiple_of(1 << 10) => format!("{}K", bytes >> 10),
        bytes => bytes.to_string(),
    };
    Chart {
        title: title.to_owned(),
        tenths,
        below: "bytes".to_owned(),
        beside: beside.to_owned(),
        kind: Kind::Curves {
            places: sweep.bytes.iter().map(short).collect(),
            top,
            curves,
        },
    }
}

/// A curve over the sizes of the sweep.
fn curve(sweep: &Sweep, name: &str, colour: Colour, value: impl Fn(u64) -> Option<f64>) -> Curve {
    let places = sweep.bytes.iter().enumerate();
    Curve {
        name: name.to_owned(),
        points: places
            .filter_map(|(place, bytes)| Some((place as f64, value(*bytes)?)))
            .collect(),
        colour,
        main: true,
    }
}
