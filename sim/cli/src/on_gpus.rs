//! `xtq collective --gpu`: a schedule whose operations are tasks of GPUs, on nodes that compute.

use crate::Verdict;
use crate::cmd_run::Playing;
use crate::error::CliError;
use crate::output::Output;
use crate::table::grid;
use serde_json::json;
use xtq_cdag::plan::Plan;
use xtq_cdag::schedule::Schedule;
use xtq_compute::collective::{CollectiveError, RankRun, latency, run};
use xtq_compute::{MachineConfig, MachineError};
use xtq_engine::EngineKind;
use xtq_testbench::cluster::RunOptions;

/// What is run, and what memory must be at the end.
pub struct OnGpus<'a> {
    /// Its schedule.
    pub schedule: &'a Schedule,
    /// What that needs.
    pub plan: &'a Plan,
    /// Memory of each rank before.
    pub before: &'a [Vec<u8>],
    /// What each rank must have at the end: places in its memory, and bytes.
    pub after: &'a [Vec<(u64, Vec<u8>)>],
    /// Cycles after which it is given up.
    pub until: u64,
}

/// Options of a scenario's run that nodes that compute have not.
const NOT_THERE: &str = "waveforms, traces, dumps, checkpoints and other engines are of scenarios, whose GPUs do not combine";

/// Errors: something is asked for that only scenarios have.
pub fn check(playing: &Playing) -> Result<(), CliError> {
    let given = [
        ("--wave", playing.wave.is_some()),
        ("--trace", playing.trace.is_some()),
        ("--dump-memory", !playing.dump_memory.is_empty()),
        ("--log", playing.log),
        ("--engine", playing.engine != EngineKind::default()),
    ];
    let mut given = given.into_iter().chain(playing.checkpoint.given());
    match given.find(|(_, given)| *given) {
        None => Ok(()),
        Some((argument, _)) => Err(CliError::Usage {
            argument: argument.to_owned(),
            message: "is not there with --gpu".to_owned(),
            help: NOT_THERE.to_owned(),
        }),
    }
}

/// Runs it and shows what the ranks did; whether memory is as it should be.
pub fn play(what: &OnGpus, playing: &Playing, output: &mut Output) -> Result<Verdict, CliError> {
    let options = RunOptions {
        until: playing.max_cycles.unwrap_or(what.until),
        ..playing.cluster.options(what.before.len())
    };
    let config = MachineConfig::default();
    let ran = run(what.schedule, what.plan, what.before, &config, &options);
    let ranks = match ran {
        Ok((ranks, _)) => ranks,
        Err(CollectiveError::Machine(error)) => return failed(&error, playing, output),
        Err(error) => return Err(refused(&error)),
    };
    let different: Vec<String> = (0..ranks.len())
        .filter_map(|rank| difference(what, rank, &ranks[rank]))
        .collect();
    output.text(&table(&ranks));
    for line in &different {
        output.text(&format!("DIFFERS: {line}\n"));
    }
    if different.is_empty() {
        output.text("memory is what the interpreter of the graph leaves\n");
    }
    if let Some(file) = &playing.json {
        let value = json!({
            "passed": different.is_empty(),
            "failure": "",
            "latency_ns": latency(&ranks),
            "tasks": what.plan.tasks(),
            "differences": different,
            "ranks": ranks.iter().map(as_json).collect::<Vec<_>>(),
        });
        output.json(file, &value)?;
    }
    Ok(different.is_empty().into())
}

/// The run did not end, or a node stopped.
fn failed(
    error: &MachineError,
    playing: &Playing,
    output: &mut Output,
) -> Result<Verdict, CliError> {
    output.text(&format!("FAILED: {error}\n"));
    if let Some(file) = &playing.json {
        let value = json!({ "passed": false, "failure": error.to_string() });
        output.json(file, &value)?;
    }
    Ok(Verdict::Bad)
}

fn refused(error: &CollectiveError) -> CliError {
    CliError::Usage {
        argument: "--gpu".to_owned(),
        message: error.to_string(),
        help: "fewer segments or nodes, or shorter vectors".to_owned(),
    }
}

/// The first byte that is not the interpreter's.
fn difference(what: &OnGpus, rank: usize, run: &RankRun) -> Option<String> {
    let parts = what.after[rank].iter();
    let mut wanted = parts.flat_map(|(at, bytes)| (*at as usize..).zip(bytes));
    let (place, wanted) = wanted.find(|(place, wanted)| run.memory[*place] != **wanted)?;
    Some(format!(
        "rank {rank}, byte {place}: expected {wanted:#04x}, got {:#04x}",
        run.memory[place]
    ))
}

fn as_json(run: &RankRun) -> serde_json::Value {
    json!({
        "started": run.started,
        "ended": run.ended,
        "tasks": run.kernels.len(),
        "gpu_busy_ns": run.gpu_busy(),
        "host_events": run.events,
        "host_busy_ns": run.busy_ns,
    })
}

fn table(ranks: &[RankRun]) -> String {
    let lines: Vec<[String; 7]> = ranks
        .iter()
        .enumerate()
        .map(|(rank, run)| {
            [
                rank.to_string(),
                run.started.to_string(),
                run.ended.to_string(),
                run.kernels.len().to_string(),
                run.gpu_busy().to_string(),
                run.events.to_string(),
                format!("{:.0}", run.busy_ns),
            ]
        })
        .collect();
    let head = [
        "rank",
        "started",
        "ended",
        "tasks",
        "GPU busy ns",
        "host events",
        "host busy ns",
    ];
    let mut text = String::new();
    grid(&mut text, &head, &lines);
    text += &format!(
        "latency: {} ns, from the last start to the last end\n",
        latency(ranks)
    );
    text
}
