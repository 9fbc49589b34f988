//! Runs of several seeds as one row: of a table, of the CSV file.

use super::job::{Job, Measured, Pipeline, measure};
use crate::mpi::Way;
use crate::{Costs, System};
use serde::Serialize;
use xtq_testbench::experiments::{ExperimentError, Interval, Progress, Table, run_all};

/// A point of a sweep.
#[derive(Clone, Debug)]
pub struct Point<'a> {
    /// Which sweep it belongs to.
    pub of: String,
    /// The system.
    pub system: &'a System,
    /// The run, with its first seed.
    pub job: Job,
    /// How many seeds.
    pub seeds: u64,
}

/// What its runs gave.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Which sweep it belongs to.
    pub of: String,
    /// Who combines, and who starts it.
    pub way: Way,
    /// Ranks.
    pub nodes: usize,
    /// Bytes of each rank's vector.
    pub bytes: u64,
    /// Segments.
    pub pipeline: Pipeline,
    /// Instructions of the application meanwhile.
    pub overlapped: u64,
    /// Runs, each with a seed of its own.
    pub seeds: u64,
    /// Time of the collective, ns.
    pub ns: Interval,
    /// Busy time of rank 0's CPU in it, ns.
    pub busy_ns: Interval,
    /// Awake cycles of NICs of all its runs, in millions.
    pub million_cycles: f64,
    /// The same as predicted.
    pub predicted: f64,
}

impl Row {
    fn new(point: &Point, runs: &[Measured]) -> Self {
        let job = point.job;
        let interval = |of: fn(&Measured) -> f64| {
            Interval::of(&runs.iter().map(of).collect::<Vec<_>>()).unwrap_or_default()
        };
        Self {
            of: point.of.clone(),
            way: job.way,
            nodes: job.nodes,
            bytes: job.bytes,
            pipeline: job.pipeline,
            overlapped: job.overlap.left,
            seeds: point.seeds,
            ns: interval(|run| run.ns),
            busy_ns: interval(|run| run.busy_ns),
            million_cycles: runs.iter().map(|run| run.million_cycles).sum(),
            predicted: predicted(point),
        }
    }
}

/// What the runs of a point cost, in millions of awake cycles.
pub fn predicted(point: &Point) -> f64 {
    point.job.million_cycles() * point.seeds as f64
}

/// Runs all points, each with its seeds. Errors: of the first run that failed.
pub fn run(
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
        measure(job, points[*number].system, costs)
    })?;
    let rows = points.iter().enumerate().map(|(number, point)| {
        let own = jobs.iter().zip(&results);
        let own = own.filter(|((of, _), _)| *of == number);
        Row::new(point, &own.map(|(_, result)| *result).collect::<Vec<_>>())
    });
    Ok(rows.collect())
}

/// Heads of the columns of both forms.
const HEAD: [&str; 12] = [
    "of",
    "way",
    "nodes",
    "bytes",
    "segment bytes",
    "overlapped instructions",
    "seeds",
    "ns",
    "interval (95 %)",
    "busy ns of rank 0",
    "million awake cycles",
    "predicted",
];

fn cells(row: &Row) -> Vec<String> {
    vec![
        row.of.clone(),
        row.way.name().to_owned(),
        row.nodes.to_string(),
        row.bytes.to_string(),
        row.pipeline.segment_bytes.to_string(),
        row.overlapped.to_string(),
        row.seeds.to_string(),
        format!("{:.0}", row.ns.mean),
        match row.seeds {
            // One run has no interval.
            1 => "-".to_owned(),
            _ => format!("{:.0}", row.ns.half),
        },
        format!("{:.0}", row.busy_ns.mean),
        format!("{:.3}", row.million_cycles),
        format!("{:.3}", row.predicted),
    ]
}

/// The rows as records.
pub fn csv(rows: &[Row]) -> Vec<Vec<String>> {
    let head = HEAD.map(str::to_owned).to_vec();
    std::iter::once(head)
        .chain(rows.iter().map(cells))
        .collect()
}

/// The rows as a table.
pub fn table(rows: &[Row]) -> Table {
    Table {
        head: HEAD.map(str::to_owned).to_vec(),
        numbers: true,
        rows: rows.iter().map(cells).collect(),
    }
}
