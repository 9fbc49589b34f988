//! Figure 9b: how much faster than the CPU, what XTQ gains over HSA, and how long the root's CPU is busy.

use super::parameters::{PIPELINED, PLAIN, Sweep};
use super::verdict::gain;
use crate::experiments::mpi_runs::Row;
use crate::mpi::Way;
use xtq_testbench::experiments::{Chart, Colour, Curve, Kind};

/// The charts, in the order in which statements name them.
pub fn charts(sweep: &Sweep, rows: &[Row]) -> Vec<Chart> {
    vec![speedup(sweep, rows), gains(sweep, rows), busy(sweep, rows)]
}

fn colour(way: Way) -> Colour {
    match way {
        Way::Cpu => Colour::Black,
        Way::Hsa => Colour::Blue,
        Way::Xtq => Colour::Red,
    }
}

fn chart(title: &str, beside: &str, sweep: &Sweep, (tenths, curves): (u32, Vec<Curve>)) -> Chart {
    let heights = curves.iter().flat_map(|curve| &curve.points);
    let top = heights.fold(1.0, |top: f64, (_, y)| top.max(*y)) * 1.1;
    Chart {
        title: title.to_owned(),
        tenths,
        below: "bytes".to_owned(),
        beside: beside.to_owned(),
        kind: Kind::Curves {
            places: sweep.bytes.iter().map(|bytes| short(*bytes)).collect(),
            top,
            curves,
        },
    }
}

/// A size in few letters.
fn short(bytes: u64) -> String {
    match bytes {
        bytes if bytes.is_multiple_of(1 << 20) => format!("{}M", bytes >> 20),
        bytes if bytes.is_multiple_of(1 << 10) => format!("{}K", bytes >> 10),
        bytes => bytes.to_string(),
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

fn speedup(sweep: &Sweep, rows: &[Row]) -> Chart {
    let time = |way, bytes| {
        let of = |row: &&Row| row.of == PLAIN && row.way == way && row.bytes == bytes;
        rows.iter().find(of).map(|row| row.ns.mean)
    };
    let curves = Way::ALL.map(|way| {
        curve(sweep, way.name(), colour(way), |bytes| {
            Some(time(Way::Cpu, bytes)? / time(way, bytes)?)
        })
    });
    chart(
        "reduction, speed beside the CPU's",
        "times as fast",
        sweep,
        (4, curves.into()),
    )
}

fn gains(sweep: &Sweep, rows: &[Row]) -> Chart {
    let of = |name, colour| {
        curve(sweep, name, colour, |bytes| {
            Some(1.0 + gain(rows, name, bytes)? / 100.0)
        })
    };
    let curves = vec![of(PLAIN, Colour::Red), of(PIPELINED, Colour::Magenta)];
    chart(
        "XTQ, speed beside HSA's",
        "times as fast",
        sweep,
        (3, curves),
    )
}

fn busy(sweep: &Sweep, rows: &[Row]) -> Chart {
    let share = |way, bytes| {
        let of = |row: &&Row| row.of == PLAIN && row.way == way && row.bytes == bytes;
        let row = rows.iter().find(of)?;
        Some(100.0 * row.busy_ns.mean / row.ns.mean)
    };
    let curves = Way::ALL.map(|way| {
        let name = way.name();
        curve(sweep, name, colour(way), |bytes| share(way, bytes))
    });
    chart(
        "busy time of the root's CPU",
        "% of the reduction",
        sweep,
        (3, curves.into()),
    )
}
