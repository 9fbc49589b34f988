//! Figure 9c: time against nodes for both readings of "4 MB", each way beside the others.

use super::parameters::{DIVIDED, EACH, Sweep};
use super::verdict::{speedup, time};
use crate::experiments::mpi_runs::Row;
use crate::mpi::Way;
use xtq_testbench::experiments::{Chart, Colour, Curve, Kind};

/// The charts, in the order in which statements name them.
pub fn charts(sweep: &Sweep, rows: &[Row]) -> Vec<Chart> {
    let title = |of: &str| format!("allreduce, {} KiB {of}", sweep.bytes >> 10);
    vec![
        chart(&title(DIVIDED), "us", 4, &sweep.nodes, |way, nodes| {
            Some(time(rows, DIVIDED, way, nodes)? / 1000.0)
        }),
        chart(&title(EACH), "us", 3, &sweep.nodes_each, |way, nodes| {
            Some(time(rows, EACH, way, nodes)? / 1000.0)
        }),
        chart(
            "speed beside the CPU's, divided",
            "times as fast",
            3,
            &sweep.nodes,
            |way, nodes| speedup(rows, DIVIDED, way, nodes),
        ),
    ]
}

fn chart(
    title: &str,
    beside: &str,
    tenths: u32,
    nodes: &[usize],
    value: impl Fn(Way, usize) -> Option<f64>,
) -> Chart {
    let colours = [Colour::Black, Colour::Blue, Colour::Red];
    let curves: Vec<Curve> = Way::ALL
        .into_iter()
        .zip(colours)
        .map(|(way, colour)| Curve {
            name: way.name().to_owned(),
            points: nodes
                .iter()
                .enumerate()
                .filter_map(|(place, nodes)| Some((place as f64, value(way, *nodes)?)))
                .collect(),
            colour,
            main: true,
        })
        .collect();
    let heights = curves.iter().flat_map(|curve| &curve.points);
    let top = heights.fold(1e-3, |top: f64, (_, y)| top.max(*y)) * 1.1;
    Chart {
        title: title.to_owned(),
        tenths,
        below: "nodes".to_owned(),
        beside: beside.to_owned(),
        kind: Kind::Curves {
            places: nodes.iter().map(usize::to_string).collect(),
            top,
            curves,
        },
    }
}
