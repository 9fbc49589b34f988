//! `xtq bench`: how fast the engines are, beside Verilator, and how fast the hardware is, in its own cycles.

use crate::bench::cases::{Reference, TOPS, WAVES, ours, theirs};
use crate::bench::engines::Profile;
use crate::bench::kept::KeptRatios;
use crate::bench::report::{Report, Row};
use crate::bench::targets::targets;
use crate::bench::traffic::{NIC_SATURATED, SATURATED, Traffic};
use crate::bench::verilator::Tool;
use crate::bench::{BenchError, cluster, contract, engines, ranks, traffic, training, verilator};
use crate::bench_page::{CLUSTER_MARKS, CONTRACT_MARKS, MARKS, Page, keep};
use crate::cluster::default_threads;
use crate::error::CliError;
use crate::files::Files;
use crate::output::Output;
use crate::progress;
use crate::signals::Signals;
use indicatif::ProgressBar;
use serde_json::json;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xtq_engine::{build_place, can_build};
use xtq_testbench::contract::{Figure, measure as measure_contract};
use xtq_testbench::input::utf8;
use xtq_testbench::node::Top;

/// Measure the engines and Verilator on the same inputs
///
/// The inputs of a NIC under traffic are recorded once and played to every engine and to the Verilog that `xtq export`
/// writes, built by Verilator. Rows run in turn, so many rounds; the digests of all outputs must agree. Prints a
/// Markdown table. Times are processor time of the simulating thread and, beside it, on the wall. Then comes the
/// performance contract of the hardware,
/// measured in its clock cycles; a figure that is missed is a failure (exit code 1).
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  xtq bench\n  xtq bench --contract\n  xtq bench --no-verilator --messages 200 --rounds 5\n  xtq bench --markdown docs/performance.md --json bench.json"
)]
pub struct BenchArgs {
    /// Rounds; medians are of so many runs
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Messages of the saturated traffic, at most 5,000; one takes 7 cycles
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u16).range(1..=5000))]
    messages: u16,
    /// Leave Verilator out; ratios are then missing
    #[arg(long)]
    no_verilator: bool,
    /// Also measure this Verilator, in rows of their own; `fpga/verilator/provide pinned` prints the folder of one
    #[arg(long, value_name = "PROGRAM", conflicts_with = "no_verilator")]
    newer_verilator: Option<PathBuf>,
    /// Fail if a ratio is worse by more than a quarter than in this file, which `--json` wrote
    #[arg(long, value_name = "FILE")]
    kept: Option<PathBuf>,
    /// Folder for the exported Verilog and what Verilator builds, which a later run of the same hardware uses again
    /// [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Only the performance contract of the hardware: takes seconds, and gives the same figures on every machine
    #[arg(long, conflicts_with_all = ["rounds", "messages", "no_verilator", "newer_verilator", "kept", "folder"])]
    contract: bool,
    /// Only record the inputs for which generated Rust chooses what it computes together, into this folder: that is
    /// sim/aot/training
    #[arg(long, value_name = "DIR", conflicts_with_all = ["rounds", "messages", "no_verilator", "newer_verilator", "kept", "folder", "contract", "markdown", "json", "cluster"])]
    training: Option<PathBuf>,
    /// Only clusters of whole NICs: how fast they are, beside what is wanted
    #[arg(long, conflicts_with_all = ["rounds", "messages", "no_verilator", "newer_verilator", "kept", "folder", "contract"])]
    cluster: bool,
    /// Replace what stands between the marks in this Markdown file by the tables
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write the report as JSON; `-` is standard output, and the text then goes to standard error
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Messages of the nearly idle traffic.
const IDLE_MESSAGES: u16 = 20;
/// Measures; whether all digests agreed and the contract holds.
pub fn run(args: &BenchArgs, output: &mut Output) -> Result<bool, CliError> {
    // Before minutes of measuring.
    declare(args).check(output)?;
    if let Some(folder) = &args.training {
        training::write(folder).map_err(CliError::Bench)?;
        return Ok(true);
    }
    let needed = match (args.contract, args.cluster) {
        (true, _) => CONTRACT_MARKS,
        (_, true) => CLUSTER_MARKS,
        _ => MARKS,
    };
    let page = args.markdown.as_deref();
    let page = page.map(|file| Page::read(file, needed)).transpose()?;
    if args.cluster {
        return clusters(args, page, output);
    }
    if args.contract {
        let (figures, held) = figures(output)?;
        if let Some(file) = &args.json {
            let figures = contract::as_json(&figures);
            output.json(file, &json!({ "passed": held, "contract": figures }))?;
        }
        keep(page, &figures, None)?;
        return Ok(held);
    }
    let kept = args.kept.as_deref().map(read_kept).transpose()?;
    let report = measure(args, output).map_err(CliError::Bench)?;
    let table = report.markdown();
    output.text(&table);
    if !report.agree {
        output.text("\nDIFFER: not all engines gave the same outputs\n");
    }
    output.text("\n");
    // Not before: the engines' report says how long it takes to compile what this needs too.
    let (figures, held) = figures(output)?;
    if let Some(file) = &args.json {
        let mut value = json!(report);
        value["contract"] = json!(contract::as_json(&figures));
        output.json(file, &value)?;
    }
    keep(page, &figures, Some((report.agree, &table)))?;
    let worse = match kept {
        Some(kept) if kept.are_of(&report.machine) => kept.worse(&report.targets),
        Some(_) => {
            output.text("not compared with the kept ratios: they are of another machine\n");
            Vec::new()
        }
        None => Vec::new(),
    };
    for line in &worse {
        output.text(&format!("WORSE: {line}\n"));
    }
    Ok(report.agree && held && worse.is_empty())
}

/// The ratios of an earlier run. Errors: the file cannot be read, or is no report.
fn read_kept(file: &Path) -> Result<KeptRatios, CliError> {
    let name = file.display().to_string();
    let text = utf8::read(file).map_err(|source| CliError::Read {
        file: name.clone(),
        source,
    })?;
    serde_json::from_str(&text).map_err(|error| CliError::Usage {
        argument: name,
        message: format!("is no report of `xtq bench --json`: {error}"),
        help: "write one with `xtq bench --json FILE`".into(),
    })
}

/// Measures clusters; whether they are as fast as wanted.
fn clusters(args: &BenchArgs, page: Option<Page>, output: &mut Output) -> Result<bool, CliError> {
    let bar = progress::bar(output, "cluster", None);
    let rows = cluster::measure(default_threads, |_| bar.inc(1));
    let ranks = ranks::measure();
    bar.finish_and_clear();
    let mut rows = rows.map_err(CliError::Bench)?;
    match ranks.map_err(CliError::Bench)? {
        Some(row) => rows.push(row),
        None => output.text("ranks of MPI are not measured: xtq-mpi is not beside this program\n"),
    }
    let table = cluster::markdown(&rows);
    output.text(&table);
    if let Some(file) = &args.json {
        output.json(file, &json!({ "cluster": rows }))?;
    }
    if let Some(mut page) = page {
        page.put(CLUSTER_MARKS, &table);
        page.write()?;
    }
    Ok(rows.iter().all(cluster::Row::met))
}

/// The files of the command line.
fn declare(args: &BenchArgs) -> Files {
    let in_folder = |folder: &Option<PathBuf>, names: &[&str]| -> Vec<PathBuf> {
        let folder = folder.iter();
        let files = folder.flat_map(|folder| names.iter().map(|name| folder.join(name)));
        files.collect()
    };
    Files::default()
        .reads("--kept", &args.kept)
        .writes("--markdown", &args.markdown)
        .writes("--json", &args.json)
        .folders("--folder", &args.folder)
        .folders("--training", &args.training)
        .writes("--training", in_folder(&args.training, &training::FILES))
        .writes(
            "--folder",
            in_folder(&args.folder, &WAVES.map(|(file, _)| file)),
        )
        .whole_folders("--folder", in_folder(&args.folder, &TOPS.map(Top::block)))
}

/// Measures the contract and shows it; the figures, and whether it holds.
fn figures(output: &mut Output) -> Result<(Vec<Figure>, bool), CliError> {
    let failed = |error| CliError::Bench(BenchError::new("the contract", error));
    let figures = measure_contract().map_err(failed)?;
    output.text(&contract::markdown(&figures));
    let held = contract::holds(&figures);
    Ok((figures, held))
}

/// Waits for a signal, removes the folders and ends the process.
fn remove_on_signal(signals: &Signals, folders: [&Path; 2]) -> ! {
    let signal = loop {
        match signals.came() {
            Some(signal) => break signal,
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    // A compiler may be writing there until it is gone.
    for folder in folders {
        for _ in 0..20 {
            match std::fs::remove_dir_all(folder) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    std::thread::sleep(Duration::from_millis(50));
                }
                _ => break,
            }
        }
    }
    std::process::exit(128 + i32::from(signal.number))
}

fn measure(args: &BenchArgs, output: &Output) -> Result<Report, BenchError> {
    if let Some(folder) = &args.folder {
        std::fs::create_dir_all(folder).map_err(|error| BenchError::file(folder, error))?;
        return measure_in(folder, folder, args, output);
    }
    let failed = |error| BenchError::new("a folder", error);
    let signals = Signals::catch().map_err(failed)?;
    let folder = tempfile::tempdir_in(build_place()?).map_err(failed)?;
    // No disk has a part in how long a waveform takes, where there is such a folder.
    let memory = tempfile::tempdir_in("/dev/shm").ok();
    let waves = memory.as_ref().unwrap_or(&folder).path();
    std::thread::spawn({
        let (signals, folder, waves) =
            (signals.clone(), folder.path().to_owned(), waves.to_owned());
        move || remove_on_signal(&signals, [&folder, &waves])
    });
    let report = measure_in(folder.path(), waves, args, output);
    // A compiler that the signal has ended too is no error of its own: the other thread ends the process.
    while report.is_err() && signals.came().is_some() {
        std::thread::park();
    }
    report
}

/// Measures in folders that exist, and makes them no second time: a signal may have removed them.
fn measure_in(
    folder: &Path,
    waves: &Path,
    args: &BenchArgs,
    output: &Output,
) -> Result<Report, BenchError> {
    if !args.no_verilator {
        can_build(folder)?;
    }
    // Before anything has been compiled in this process.
    let first_cycle = [
        engines::first_cycle(Top::Target)?,
        engines::first_cycle(Top::Nic)?,
    ];
    let traffic = traffic::all(args.messages, IDLE_MESSAGES)?;
    let bar = match output.has_progress() {
        true => ProgressBar::new_spinner(),
        false => ProgressBar::hidden(),
    };
    bar.set_message("building");
    let mut cases = ours(&traffic, waves)?;
    let (mut rival, mut newer_verilator) = ("none".to_owned(), None);
    if !args.no_verilator {
        let tool = Tool {
            program: "verilator".into(),
            engine: verilator::RULER,
        };
        rival = verilator::version(&tool)?;
        cases.extend(theirs(&tool, &traffic, folder, &bar)?);
    }
    if let Some(program) = &args.newer_verilator {
        // It runs in other folders; a name alone is looked for in PATH.
        let program = match program.components().count() {
            1 => program.clone(),
            _ => std::path::absolute(program).map_err(|error| BenchError::file(program, error))?,
        };
        let tool = Tool {
            program,
            engine: verilator::NEWER,
        };
        newer_verilator = Some(verilator::version(&tool)?);
        cases.extend(theirs(&tool, &traffic, folder, &bar)?);
    }
    let reference = Reference::new(&cases, &traffic)?;
    let profile = profile_of(&traffic, SATURATED)?;
    let nic_profile = profile_of(&traffic, NIC_SATURATED)?;
    bar.set_length(cases.len() as u64 * u64::from(args.rounds));
    let mut agree = true;
    for round in 0..args.rounds {
        for case in &mut cases {
            bar.set_message(format!(
                "round {}: {} {}",
                round + 1,
                case.row.engine,
                case.row.variant
            ));
            let sample = case.sample()?;
            case.row.rates.push(sample.rate);
            case.row.walls.extend(sample.wall);
            case.row.slept = sample.slept;
            case.row.digest = format!("{:016x}", sample.digest);
            agree &= reference.agrees(&case.row);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let rows: Vec<Row> = cases.into_iter().map(|case| case.row).collect();
    Ok(Report {
        machine: machine(),
        verilator: rival,
        newer_verilator,
        command: command(args),
        rounds: args.rounds as usize,
        targets: targets(&rows, first_cycle),
        agree,
        profile,
        nic_profile,
        rows,
    })
}

/// The operations of this traffic's cycles. Errors: of the engine.
fn profile_of(traffic: &[Traffic], name: &str) -> Result<Profile, BenchError> {
    let missing = || BenchError::new("the profile", format!("there is no traffic '{name}'"));
    let mut named = traffic.iter().filter(|traffic| traffic.name == name);
    let traffic = named.next().ok_or_else(missing)?;
    engines::profile(traffic.top, &traffic.tape)
}

fn command(args: &BenchArgs) -> String {
    let rival = match (args.no_verilator, &args.newer_verilator) {
        (true, _) => " --no-verilator",
        (_, Some(_)) => " --newer-verilator VERILATOR",
        _ => "",
    };
    format!(
        "xtq bench --rounds {} --messages {}{rival}",
        args.rounds, args.messages
    )
}

/// Processor and cores, as far as the system reports.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("unknown processor", |line| {
        line.trim_start_matches([' ', '\t', ':'])
    });
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {cores} cores, {}", std::env::consts::OS)
}
