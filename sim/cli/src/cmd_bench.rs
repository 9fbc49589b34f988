//! `xtq bench`: how fast the engines are, beside Verilator.

use crate::bench::engines::{Play, Sample, TOP};
use crate::bench::report::{Report, Row, Target};
use crate::bench::verilator::{self, Model};
use crate::bench::{BenchError, engines, traffic};
use crate::error::CliError;
use crate::output::{Output, write_file};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xtq_engine::verilog::{Options, write};
use xtq_engine::{Body, EngineKind, Error, Tape, elaborate};
use xtq_testbench::blocks;

/// Measure the engines and Verilator on the same inputs
///
/// The inputs of a NIC under traffic are recorded once and played to every engine and to the Verilog that `xtq export` writes, built by Verilator.
/// Rows run in turn, so many rounds; the digests of all outputs must agree. Prints a Markdown table. Times are processor time of one thread.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  xtq bench\n  xtq bench --no-verilator --messages 200 --rounds 5\n  xtq bench --markdown docs/performance.md --json bench.json"
)]
pub struct BenchArgs {
    /// Rounds; medians are of so many runs
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Messages of the saturated traffic; one takes 7 cycles
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u16).range(1..))]
    messages: u16,
    /// Leave Verilator out; ratios are then missing
    #[arg(long)]
    no_verilator: bool,
    /// Folder for the exported Verilog and what Verilator builds [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Replace what stands between the marks in this Markdown file by the table
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write the report as JSON; `-` is standard output, and the text then goes to standard error
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Cycles that the slow engines play.
const ORACLE_CYCLES: usize = 300;
const INTERP_CYCLES: usize = 2_000;
/// Messages of the nearly idle traffic.
const IDLE_MESSAGES: u16 = 20;
/// Marks in a Markdown file.
const MARKS: [&str; 2] = ["<!-- bench -->\n", "<!-- end of bench -->\n"];

/// What runs a row.
enum Runner {
    Oracle,
    Compiled {
        body: Arc<Body>,
        sleep: bool,
        wave: Option<(PathBuf, Option<&'static str>)>,
    },
    Verilator {
        model: Arc<Model>,
        tape: PathBuf,
    },
}

/// A row, and how to measure it.
struct Case<'a> {
    row: Row,
    tape: &'a Tape,
    runner: Runner,
}

/// Measures; whether all digests agreed.
pub fn run(args: &BenchArgs, output: &mut Output) -> Result<bool, CliError> {
    output.reserve_json(args.json.as_deref());
    let report = measure(args, output).map_err(CliError::Bench)?;
    let table = report.markdown();
    output.text(&table);
    if !report.agree {
        output.text("\nDIFFER: not all engines gave the same outputs\n");
    }
    if let Some(file) = &args.json {
        output.json(file, &report)?;
    }
    if let Some(file) = &args.markdown {
        replace(file, &table)?;
    }
    Ok(report.agree)
}

fn measure(args: &BenchArgs, output: &Output) -> Result<Report, BenchError> {
    let (temporary, folder) = match &args.folder {
        Some(folder) => (None, folder.clone()),
        None => {
            let made = tempfile::tempdir().map_err(|error| BenchError::new("a folder", error))?;
            let path = made.path().to_owned();
            (Some(made), path)
        }
    };
    std::fs::create_dir_all(&folder)
        .map_err(|error| BenchError::new(&folder.display().to_string(), error))?;
    // Before anything has been compiled in this process.
    let first_cycle = engines::first_cycle()?;
    let saturated = traffic::saturated(args.messages)?;
    let idle = traffic::nearly_idle(IDLE_MESSAGES)?;
    let bar = match output.has_progress() {
        true => ProgressBar::new_spinner(),
        false => ProgressBar::hidden(),
    };
    bar.set_message("building");
    let mut cases = ours(&saturated, &idle, &folder)?;
    let mut rival = "none".to_owned();
    if !args.no_verilator {
        rival = verilator::version()?;
        cases.extend(theirs(&saturated, &idle, &folder, &bar)?);
    }
    bar.set_length(cases.len() as u64 * u64::from(args.rounds));
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
            case.row.slept = sample.slept;
            case.row.digest = format!("{:016x}", sample.digest);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    drop(temporary);
    let rows: Vec<Row> = cases.into_iter().map(|case| case.row).collect();
    Ok(Report {
        machine: machine(),
        verilator: rival,
        command: command(args),
        rounds: args.rounds as usize,
        targets: targets(&rows, first_cycle),
        agree: agree(&rows),
        rows,
    })
}

fn row(traffic: &'static str, instances: usize, engine: &str, variant: &str, cycles: usize) -> Row {
    Row {
        traffic,
        instances,
        engine: engine.into(),
        variant: variant.into(),
        cycles,
        rates: Vec::new(),
        slept: 0.0,
        build: 0.0,
        digest: String::new(),
    }
}

/// Format of a waveform, and the block it shows if not all.
type Shown = (&'static str, Option<&'static str>);

/// A block to look at: the one that publishes packets.
const WATCHED: &str = "pipeline.header";

/// The names of the tapes.
const SATURATED: &str = "saturated";
const IDLE: &str = "nearly idle";

/// Cycles to play to so many instances. Of nearly idle traffic enough that setting up is a small part.
fn shortened(tape: &Tape, traffic: &str, instances: usize) -> usize {
    tape.cycles()
        / if traffic == IDLE {
            instances.min(4)
        } else {
            instances
        }
}

/// The rows of our engines.
fn ours<'a>(
    saturated: &'a Tape,
    idle: &'a Tape,
    folder: &Path,
) -> Result<Vec<Case<'a>>, BenchError> {
    let mut cases = vec![Case {
        row: row(
            SATURATED,
            1,
            "oracle",
            "",
            ORACLE_CYCLES.min(saturated.cycles()),
        ),
        tape: saturated,
        runner: Runner::Oracle,
    }];
    for kind in [EngineKind::Interp, EngineKind::Jit, EngineKind::Aot] {
        let Some((build, body)) = engines::build(kind)? else {
            continue;
        };
        let mut add = |traffic, instances: usize, sleep: bool, wave: Option<Shown>| {
            let tape = if traffic == IDLE { idle } else { saturated };
            let most = if kind == EngineKind::Interp {
                INTERP_CYCLES
            } else {
                tape.cycles()
            };
            let variant = match (sleep, wave) {
                (false, _) => "no sleep".into(),
                (true, None) => String::new(),
                (true, Some((format, None))) => format.into(),
                (true, Some((format, Some(scope)))) => format!("{format} of {scope}"),
            };
            let cycles = shortened(tape, traffic, instances).min(most);
            let mut row = row(traffic, instances, kind.name(), &variant, cycles);
            row.build = build;
            let file = |format: &str| folder.join(format!("wave.{}", format.to_lowercase()));
            let wave = wave.map(|(format, scope)| (file(format), scope));
            let runner = Runner::Compiled {
                body: body.clone(),
                sleep,
                wave,
            };
            cases.push(Case { row, tape, runner });
        };
        add(SATURATED, 1, true, None);
        if kind == EngineKind::Interp {
            continue;
        }
        for instances in [16, 64] {
            add(SATURATED, instances, true, None);
        }
        for instances in [1, 64] {
            add(IDLE, instances, true, None);
            add(IDLE, instances, false, None);
        }
        if kind == EngineKind::Jit {
            add(SATURATED, 1, false, None);
            for scope in [None, Some(WATCHED)] {
                add(SATURATED, 1, true, Some(("VCD", scope)));
                add(SATURATED, 1, true, Some(("FST", scope)));
            }
        }
    }
    Ok(cases)
}

/// The rows of Verilator.
fn theirs<'a>(
    saturated: &'a Tape,
    idle: &'a Tape,
    folder: &Path,
    bar: &ProgressBar,
) -> Result<Vec<Case<'a>>, BenchError> {
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        let written = std::fs::write(&path, bytes);
        written.map_err(|error| BenchError::new(&path.display().to_string(), error))?;
        Ok::<_, BenchError>(path)
    };
    let design = elaborate::elaborate(blocks::design(TOP)?.as_ref()).map_err(Error::Findings)?;
    let options = Options {
        catalogue: None,
        top: Some(TOP),
    };
    let mut files = Vec::new();
    for module in write(&design, &options) {
        let name = format!("{}.v", module.name);
        file(&name, module.text.as_bytes())?;
        files.push(name);
    }
    let tapes = [
        (
            SATURATED,
            saturated,
            file("saturated.tape", &saturated.bytes())?,
        ),
        (IDLE, idle, file("idle.tape", &idle.bytes())?),
    ];
    let mut cases = Vec::new();
    for (number, (_, compiler)) in verilator::OPTIONS.iter().enumerate() {
        bar.set_message(format!("building with Verilator, {compiler}"));
        let model = Arc::new(verilator::build(folder, TOP, &files, saturated, number)?);
        for (traffic, tape, path) in &tapes {
            for instances in [1, 16, 64] {
                let mut row = row(
                    traffic,
                    instances,
                    "verilator",
                    compiler,
                    tape.cycles() / instances,
                );
                row.build = model.build;
                let runner = Runner::Verilator {
                    model: model.clone(),
                    tape: path.clone(),
                };
                cases.push(Case { row, tape, runner });
            }
        }
    }
    Ok(cases)
}

impl Case<'_> {
    fn sample(&self) -> Result<Sample, BenchError> {
        let Row {
            cycles, instances, ..
        } = self.row;
        match &self.runner {
            Runner::Oracle => engines::reference(self.tape, cycles),
            Runner::Compiled { body, sleep, wave } => {
                let play = Play {
                    cycles,
                    instances,
                    sleep: *sleep,
                    wave: wave.as_ref().map(|(path, scope)| (&**path, *scope)),
                };
                engines::compiled(body, self.tape, play)
            }
            Runner::Verilator { model, tape } => model.play(tape, cycles, instances),
        }
    }
}

/// Whether rows that played the same cycles saw the same outputs.
fn agree(rows: &[Row]) -> bool {
    rows.iter().all(|a| {
        let same = |b: &&Row| (a.traffic, a.cycles) == (b.traffic, b.cycles);
        rows.iter().filter(same).all(|b| a.digest == b.digest)
    })
}

/// What design and issue want of the engine.
fn targets(rows: &[Row], first_cycle: f64) -> Vec<Target> {
    let of =
        |traffic: &'static str, instances: usize, engine: &'static str, variant: &'static str| {
            move |row: &Row| {
                let same = (row.traffic, row.instances) == (traffic, instances);
                same && row.engine == engine && (engine == "verilator" || row.variant == variant)
            }
        };
    let ratio = |a: [&'static str; 2], instances, traffic| {
        Report::ratio(
            rows,
            of(traffic, instances, a[0], a[1]),
            of(traffic, instances, "verilator", ""),
        )
    };
    let slower = |variant| {
        let (off, on) = (
            of(SATURATED, 1, "jit", ""),
            of(SATURATED, 1, "jit", variant),
        );
        Report::ratio(rows, off, on)
    };
    let target = |what, wanted, at_most, measured| Target {
        what,
        wanted,
        at_most,
        measured,
    };
    vec![
        target(
            "JIT to Verilator, one saturated NIC",
            1.5,
            false,
            ratio(["jit", ""], 1, SATURATED),
        ),
        target(
            "generated Rust to Verilator, one saturated NIC",
            3.0,
            false,
            ratio(["aot", ""], 1, SATURATED),
        ),
        target(
            "generated Rust to Verilator, 64 nearly idle NICs",
            20.0,
            false,
            ratio(["aot", ""], 64, IDLE),
        ),
        target(
            "seconds from start to first cycle",
            1.0,
            true,
            Some(first_cycle),
        ),
        target(
            "slower with VCD of all signals, JIT",
            3.0,
            true,
            slower("VCD"),
        ),
        target(
            "slower with FST of all signals, JIT",
            2.0,
            true,
            slower("FST"),
        ),
        target(
            "slower with VCD of one block, JIT",
            3.0,
            true,
            slower("VCD of pipeline.header"),
        ),
        target(
            "slower with FST of one block, JIT",
            2.0,
            true,
            slower("FST of pipeline.header"),
        ),
    ]
}

fn command(args: &BenchArgs) -> String {
    let rival = if args.no_verilator {
        " --no-verilator"
    } else {
        ""
    };
    format!(
        "xtq bench --rounds {} --messages {}{rival}",
        args.rounds, args.messages
    )
}

/// Processor and cores, as far as the system tells.
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

/// Puts the table between the marks of a file.
fn replace(file: &Path, table: &str) -> Result<(), CliError> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|source| CliError::Read {
        file: name.clone(),
        source,
    })?;
    let parts = text
        .split_once(MARKS[0])
        .and_then(|(before, rest)| Some((before, rest.split_once(MARKS[1])?)));
    let Some((before, (_, after))) = parts else {
        return Err(CliError::Usage {
            argument: name,
            message: "has no marks for the table".into(),
            help: format!(
                "it needs the lines `{}` and `{}`",
                MARKS[0].trim_end(),
                MARKS[1].trim_end()
            ),
        });
    };
    let text = format!("{before}{}\n{table}\n{}{after}", MARKS[0], MARKS[1]);
    write_file(file, text.as_bytes())
}
