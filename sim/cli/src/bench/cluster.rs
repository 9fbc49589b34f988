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
    wanted: &'static [Wanted],
}

/// A bar.
#[derive(Clone, Copy)]
enum Wanted {
    /// Least cycles a second of the programs.
    Rate(f64),
    /// Most seconds of the programs.
    Seconds(f64),
    /// Most seconds until all nodes are opened.
    Opened(f64),
    /// Most memory of the process, in bytes.
    Memory(u64),
}

/// A bar, and whether it is held.
#[derive(Serialize)]
pub struct Bar {
    /// What is wanted, in words.
    pub wanted: String,
    /// Whether it is so.
    pub met: bool,
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
    /// The most memory that the process had, in bytes; nothing where the system does not say.
    pub peak_bytes: Option<u64>,
    /// Threads.
    pub threads: usize,
    /// What happened.
    pub digest: String,
    /// What is wanted of it.
    pub bars: Vec<Bar>,
}

/// The small ones first: memory that a case gave back may still be counted in the next.
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
        case("barrier", of(Pattern::Barrier, 64), &[Wanted::Rate(3e3)]),
        case(
            "ring allreduce",
            of(Pattern::Allreduce, 64),
            &[Wanted::Rate(4e3)],
        ),
        case(
            "they only wait",
            of(Pattern::Wait, 1024),
            &[Wanted::Seconds(0.1), Wanted::Opened(2.0)],
        ),
        case(
            "each puts once in 20,000 cycles",
            rare,
            &[Wanted::Rate(20e3)],
        ),
        case(
            "barrier",
            of(Pattern::Barrier, 1024),
            &[
                Wanted::Seconds(60.0),
                Wanted::Opened(2.0),
                Wanted::Memory(1_500_000_000),
            ],
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
    forget_peak();
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

/// The most memory that this process had is counted from here on, where the system can do that (Linux:
/// proc_pid_clear_refs(5)).
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most memory that this process had, in bytes, where the system says so.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

impl Wanted {
    /// Whether a run held it. What the system does not say is not held.
    fn judge(self, report: &NodesReport, peak: Option<u64>) -> Bar {
        let (wanted, met) = match self {
            Self::Rate(least) => (
                format!(">= {least:.0} cycles/s"),
                report.cycles_per_second >= least,
            ),
            Self::Seconds(most) => (format!("ran < {most} s"), report.seconds < most),
            Self::Opened(most) => (format!("opened < {most} s"), report.open_seconds < most),
            Self::Memory(most) => (
                format!("memory < {} MB", most / 1_000_000),
                peak.is_some_and(|peak| peak < most),
            ),
        };
        Bar { wanted, met }
    }
}

fn row(case: &Case, report: &NodesReport, threads: usize) -> Row {
    let peak_bytes = peak_bytes();
    let bars = case.wanted.iter();
    Row {
        name: case.name,
        nodes: case.making.nodes,
        cycles: report.cycles - report.setup_cycles,
        awake: 1.0 - report.asleep,
        open_seconds: report.open_seconds,
        seconds: report.seconds,
        cycles_per_second: report.cycles_per_second,
        node_cycles_per_second: report.node_cycles_per_second,
        peak_bytes,
        threads,
        digest: report.digest.clone(),
        bars: bars.map(|bar| bar.judge(report, peak_bytes)).collect(),
    }
}

impl Row {
    /// Whether it is as fast as wanted, in all ways.
    pub fn met(&self) -> bool {
        self.bars.iter().all(|bar| bar.met)
    }
}

/// The table.
pub fn markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "| what the nodes do | nodes | cycles | awake | opened | ran | cycles/s | node-cycles/s | memory | threads | wanted |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n",
    );
    for row in rows {
        let bar = |bar: &Bar| {
            let verdict = if bar.met { "met" } else { "**missed**" };
            format!("{}: {verdict}", bar.wanted)
        };
        let bars: Vec<String> = row.bars.iter().map(bar).collect();
        let memory = row.peak_bytes.map_or_else(
            || "-".to_owned(),
            |bytes| format!("{} MB", bytes / 1_000_000),
        );
        text += &format!(
            "| {} | {} | {} | {:.1} % | {:.2} s | {:.2} s | {:.0} | {:.0} | {memory} | {} | {} |\n",
            row.name,
            row.nodes,
            row.cycles,
            100.0 * row.awake,
            row.open_seconds,
            row.seconds,
            row.cycles_per_second,
            row.node_cycles_per_second,
            row.threads,
            bars.join("; ")
        );
    }
    text
}
