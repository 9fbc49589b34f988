//! Runs of several seeds as one row.

use super::run::{Job, Measured, Point, measure, predicted};
use crate::Costs;
use crate::mpi::Way;
use serde::Serialize;
use xtq_testbench::experiments::{ExperimentError, Interval, Progress, Table, run_all};

/// A point of a sweep, measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Which sweep it belongs to.
    pub of: String,
    /// Who combines, and who starts it.
    pub way: Way,
    /// Bytes of the vector.
    pub bytes: u64,
    /// Most bytes of an accumulate.
    pub segment_bytes: u64,
    /// Time of an epoch, ns.
    pub ns: Interval,
    /// Busy time of the target's CPUs in an epoch, ns.
    pub busy_ns: Interval,
    /// Awake cycles of NICs of all runs, in millions.
    pub million_cycles: f64,
    /// The same as predicted.
    pub predicted: f64,
}

impl Row {
    pub(super) fn new(point: &Point, runs: &[Measured]) -> Self {
        let interval = |of: fn(&Measured) -> f64| {
            Interval::of(&runs.iter().map(of).collect::<Vec<_>>()).unwrap_or_default()
        };
        Self {
            of: point.of.clone(),
            way: point.job.way,
            bytes: point.job.bytes,
            segment_bytes: point.job.segment_bytes,
            ns: interval(|run| run.ns),
            busy_ns: interval(|run| run.busy_ns),
            million_cycles: runs.iter().map(|run| run.million_cycles).sum(),
            predicted: predicted(point),
        }
    }
}

/// Runs all points. Errors: the first run that failed.
pub(super) fn run_points(
    points: &[Point],
    costs: &Costs,
    progress: &Progress,
) -> Result<Vec<Row>, ExperimentError> {
    let jobs: Vec<(usize, Job)> = points
        .iter()
        .enumerate()
        .flat_map(|(number, point)| {
            let seeds = point.job.seed..point.job.seed + point.seeds;
            seeds.map(move |seed| (number, Job { seed, ..point.job }))
        })
        .collect();
    let results = run_all(&jobs, progress, |(number, job)| {
        measure(job, points[*number].system, costs).map_err(|why| {
            let (way, bytes) = (job.way.name(), job.bytes);
            ExperimentError::Failed(format!("{way}, {bytes} bytes, seed {}: {why}", job.seed))
        })
    })?;
    let rows = points.iter().enumerate().map(|(number, point)| {
        let own = jobs.iter().zip(&results);
        let own = own.filter(|((of, _), _)| *of == number);
        Row::new(point, &own.map(|(_, result)| *result).collect::<Vec<_>>())
    });
    Ok(rows.collect())
}

/// A table for people.
pub(super) fn table(rows: &[Row]) -> Table {
    let head = [
        "of",
        "way",
        "bytes",
        "segment",
        "epoch, ns",
        "target's CPU busy, ns",
        "M cycles",
        "predicted",
    ];
    let cells = |row: &Row| {
        vec![
            row.of.clone(),
            row.way.name().to_owned(),
            row.bytes.to_string(),
            row.segment_bytes.to_string(),
            row.ns.to_string(),
            row.busy_ns.to_string(),
            format!("{:.3}", row.million_cycles),
            format!("{:.3}", row.predicted),
        ]
    };
    Table {
        head: head.map(str::to_owned).to_vec(),
        numbers: true,
        rows: rows.iter().map(cells).collect(),
    }
}

/// The rows as records.
pub(super) fn records(rows: &[Row]) -> Vec<Vec<String>> {
    let head = [
        "of",
        "way",
        "bytes",
        "segment_bytes",
        "ns",
        "ns_half",
        "busy_ns",
        "busy_ns_half",
        "million_cycles",
        "predicted",
    ];
    let record = |row: &Row| {
        let numbers = [row.ns.mean, row.ns.half, row.busy_ns.mean, row.busy_ns.half];
        let mut record = vec![
            row.of.clone(),
            row.way.name().to_owned(),
            row.bytes.to_string(),
            row.segment_bytes.to_string(),
        ];
        record.extend(numbers.map(|ns| format!("{ns:.2}")));
        record.extend([row.million_cycles, row.predicted].map(|cycles| format!("{cycles:.4}")));
        record
    };
    let head = head.map(str::to_owned).to_vec();
    std::iter::once(head)
        .chain(rows.iter().map(record))
        .collect()
}
