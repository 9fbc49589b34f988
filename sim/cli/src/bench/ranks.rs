//! How much slower ranks of MPI are than threads, on one machine.

use super::BenchError;
use super::cluster::{Bar, Row};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is run.
const MADE: &str = "allreduce --nodes 64";
const NODES: usize = 64;
/// Ranks, and threads beside them.
const BOTH: usize = 2;
/// Runs of each, in turn.
const ROUNDS: usize = 3;
/// Most time of the ranks, as a multiple of that of the threads.
const MOST: f64 = 1.1;

/// Ranks of MPI beside as many threads; nothing if `xtq-mpi` is not beside this program
/// (`cargo build --release -p xtq-mpi`). Errors: it or `mpirun` does not run, or something else happens in it.
pub fn measure() -> Result<Option<Row>, BenchError> {
    let failed = |error: std::io::Error| BenchError::new("two ranks", error);
    let own = std::env::current_exe().map_err(failed)?;
    let with_mpi = own.with_file_name("xtq-mpi");
    if !with_mpi.is_file() {
        return Ok(None);
    }
    let folder = tempfile::tempdir().map_err(failed)?;
    let report = folder.path().join("report.json");
    let mut threads = Vec::new();
    let mut ranks = Vec::new();
    for _ in 0..ROUNDS {
        threads.push(run(of_threads(&own, &report), &report)?);
        ranks.push(run(of_ranks(&with_mpi, &report), &report)?);
    }
    let [alone, together] = [median(threads), median(ranks)];
    if alone.digest != together.digest {
        let digests = format!("digests {} and {}", alone.digest, together.digest);
        return Err(BenchError::new("two ranks", digests));
    }
    let ratio = together.seconds / alone.seconds;
    let bar = Bar {
        wanted: format!(
            "<= {MOST} of {BOTH} threads, medians of {ROUNDS} in turn; it is {ratio:.3}"
        ),
        met: ratio <= MOST,
    };
    Ok(Some(Row {
        name: "ring allreduce, two ranks of MPI",
        bars: vec![bar],
        ..together
    }))
}

fn of_threads(program: &Path, report: &PathBuf) -> Command {
    let mut command = Command::new(program);
    command.args(["-q", "run", "--make", MADE, "--threads", "2", "--json"]);
    command.arg(report);
    command
}

/// More ranks than cores are well, and so is root.
fn of_ranks(program: &Path, report: &PathBuf) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "-n", "2"]);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1");
    command.env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.arg(program);
    command.args(["-q", "run", "--make", MADE, "--json"]);
    command.arg(report);
    command
}

/// Runs it; what its report says.
fn run(mut command: Command, report: &Path) -> Result<Row, BenchError> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let output = command.output();
    let output = output.map_err(|source| BenchError::NoTool {
        tool: tool.clone(),
        source,
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(BenchError::new(&tool, said.trim()));
    }
    let text = std::fs::read(report).map_err(|error| BenchError::new(&tool, error))?;
    let report: Value =
        serde_json::from_slice(&text).map_err(|error| BenchError::new(&tool, error))?;
    let number = |key: &str| report[key].as_f64().unwrap_or_default();
    let cycles = number("cycles") - number("setup_cycles");
    let rate = cycles / number("seconds");
    Ok(Row {
        name: "",
        nodes: NODES,
        cycles: cycles as u64,
        awake: 1.0 - number("asleep"),
        open_seconds: number("open_seconds"),
        seconds: number("seconds"),
        cycles_per_second: rate,
        node_cycles_per_second: rate * NODES as f64,
        peak_bytes: None,
        threads: BOTH,
        digest: report["digest"].as_str().unwrap_or_default().to_owned(),
        bars: Vec::new(),
    })
}

/// The one with the median time.
fn median(mut rows: Vec<Row>) -> Row {
    rows.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
    rows.swap_remove(ROUNDS / 2)
}
