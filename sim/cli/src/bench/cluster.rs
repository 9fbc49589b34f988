//! How fast clusters are: whole NICs, a network, programs.

use super::BenchError;
use serde::Serialize;
use std::path::Path;
use xtq_engine::EngineKind;
use xtq_testbench::cluster::RunOptions;
use xtq_testbench::scenario::make::{Making, Pattern, make};
use xtq_testbench::scenario::{self, File, NodesReport, NodesRun};

/// Something to measure.
struct Case {
    name: &'static str,
    making: Making,
    /// Least cycles a second that are wanted, or most seconds.
    wanted: Wanted,
}

#[derive(Clone, Copy)]
enum Wanted {
    Rate(f64),
    Seconds(f64),
}

/// A measured case.
#[derive(Serialize)]
pub struct Row {
    /// What was run.
    pub name: &'static str,
    /// Nodes.
    pub nodes: usize,
    /// Cycles of the programs.
    pub cycles: u64,
    /// Share of the nodes' cycles in which an engine computed something, 0 to 1.
    pub awake: f64,
    /// Wall-clock seconds of opening, and of the programs.
    pub open_seconds: f64,
    /// See `open_seconds`.
    pub seconds: f64,
    /// Cycles a second of the programs.
    pub cycles_per_second: f64,
    /// The same, the cycles of each node counted.
    pub node_cycles_per_second: f64,
    /// Bytes of memory a node.
    pub node_bytes: u64,
    /// Threads.
    pub threads: usize,
    /// What happened.
    pub digest: String,
    /// What is wanted, in words.
    pub wanted: String,
    /// Whether it is so.
    pub met: bool,
}

fn cases() -> Vec<Case> {
    let of = |pattern, nodes| Making::new(pattern, nodes);
    let rare = Making {
        rounds: 3,
        pause: 20_000,
        ..of(Pattern::Ring, 1024)
    };
    let case = |name, making, wanted| Case {
        name,
        making,
        wanted,
    };
    vec![
        case(
            "they only wait",
            of(Pattern::Wait, 1024),
            Wanted::Seconds(0.1),
        ),
        case("each puts once in 20,000 cycles", rare, Wanted::Rate(20e3)),
        case("barrier", of(Pattern::Barrier, 64), Wanted::Rate(3e3)),
        case("barrier", of(Pattern::Barrier, 1024), Wanted::Seconds(60.0)),
        case(
            "ring allreduce",
            of(Pattern::Allreduce, 64),
            Wanted::Rate(4e3),
        ),
    ]
}

/// Measures all cases, one after the other; `threads` of so many nodes. Errors: one does not end as it should.
pub fn measure(
    threads: fn(usize) -> usize,
    mut done: impl FnMut(&Row),
) -> Result<Vec<Row>, BenchError> {
    let mut rows = Vec::new();
    for case in cases() {
        let row = measure_one(&case, threads(case.making.nodes))?;
        done(&row);
        rows.push(row);
    }
    Ok(rows)
}

fn measure_one(case: &Case, threads: usize) -> Result<Row, BenchError> {
    let failed = |why: String| BenchError::new(case.name, std::io::Error::other(why));
    let text = make(&case.making).map_err(|error| BenchError::new(case.name, error))?;
    let plan = match scenario::parse_file("made", &text, Path::new("")) {
        Ok(File::Nodes(plan)) => plan,
        Ok(_) => return Err(failed("no nodes".to_owned())),
        Err(error) => return Err(BenchError::new(case.name, error)),
    };
    let mut run = NodesRun::new(plan, EngineKind::default())
        .map_err(|error| BenchError::new(case.name, error))?;
    run.keep_logs(false);
    run.set_options(RunOptions {
        threads,
        ..RunOptions::default()
    });
    let report = run.finish();
    if !report.passed {
        return Err(failed(format!(
            "{} {:?}",
            report.failure,
            report.differences.first()
        )));
    }
    Ok(row(case, &report, threads))
}

fn row(case: &Case, report: &NodesReport, threads: usize) -> Row {
    let (wanted, met) = match case.wanted {
        Wanted::Rate(least) => (
            format!(">= {least:.0} cycles/s"),
            report.cycles_per_second >= least,
        ),
        Wanted::Seconds(most) => (format!("< {most} s"), report.seconds < most),
    };
    Row {
        name: case.name,
        nodes: case.making.nodes,
        cycles: report.cycles - report.setup_cycles,
        awake: 1.0 - report.asleep,
        open_seconds: report.open_seconds,
        seconds: report.seconds,
        cycles_per_second: report.cycles_per_second,
        node_cycles_per_second: report.node_cycles_per_second,
        node_bytes: report.node_bytes,
        threads,
        digest: report.digest.clone(),
        wanted,
        met,
    }
}

/// The table.
pub fn markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "| what the nodes do | nodes | cycles | awake | opened | ran | cycles/s | node-cycles/s | KiB a node | threads | wanted | |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n",
    );
    for row in rows {
        let verdict = if row.met { "met" } else { "MISSED" };
        text += &format!(
            "| {} | {} | {} | {:.1} % | {:.2} s | {:.2} s | {:.0} | {:.0} | {} | {} | {} | {verdict} |\n",
            row.name,
            row.nodes,
            row.cycles,
            100.0 * row.awake,
            row.open_seconds,
            row.seconds,
            row.cycles_per_second,
            row.node_cycles_per_second,
            row.node_bytes / 1024,
            row.threads,
            row.wanted
        );
    }
    text
}
