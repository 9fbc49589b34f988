//! `xtq run`: a scenario on the hardware.

use crate::Verdict;
use crate::checkpoint::{CheckpointArgs, Kept};
use crate::cluster::{self, ClusterArgs};
use crate::cmd_make::{self, MakeArgs};
use crate::error::CliError;
use crate::files::Files;
use crate::memory_dump::MemoryDump;
use crate::output::{Output, write_file};
use crate::played::{Played, Reported};
use crate::signals::Signals;
use crate::waveform::{arrived, check_window, close};
use crate::{names, progress, viewers, waveform};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use indicatif::ProgressBar;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use xtq_engine::blocks;
use xtq_engine::{EngineKind, WaveFailure, WaveOptions};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::scenario::nodes::Steps;
use xtq_testbench::scenario::{self, File, L2Run, NodesRun, Run};
use xtq_testbench::watch::Progress;

/// The scenario of a bare `xtq`: the paper's example program.
const FIGURE_6: &str = include_str!("../../../scenarios/figure6.toml");
/// How errors call it.
const FIGURE_6_NAME: &str = "scenarios/figure6.toml";

/// How errors call one that is made.
const MADE_NAME: &str = "--make";

/// The block of scenarios of the L2.
const L2_BANK: &str = "l2_bank";

/// Cycles between two that the progress bar shows.
const SHOWN: u64 = 256;

/// Run a scenario on the hardware and print what happened to each message at which cycle
///
/// Without a file, the example program of the XTQ paper (figure 6, index 42) between two nodes. The run ends when
/// nothing moves any more. In a file of several nodes the programs say what they expect. In one of a single node's
/// target side memory, queues, doorbells, events and acknowledgements are compared with a golden model.
/// docs/user-guide.md explains the table, docs/scenario.md the file; docs/compnet.md those of a bank of the L2.
#[derive(clap::Args, Default)]
#[command(
    after_help = "Examples:\n  xtq run\n  xtq run scenarios/mixed.toml --json report.json\n  xtq run scenarios/ping-pong.toml --trace trace.json\n  xtq run --wave run.vcd --scope node1.pipeline.rewrite --from 800 --to 1200\n  xtq run scenarios/aql-file.toml --dump-memory 0x30000000:256:ring.bin\n  xtq run --print-schema > scenario.schema.json"
)]
pub struct RunArgs {
    /// Scenario file (TOML)
    #[arg(value_name = "SCENARIO.toml")]
    pub scenario: Option<PathBuf>,
    /// Instead of a file: the scenario that `xtq make` prints with these arguments, as "ring --nodes 64"
    #[arg(long, value_name = "ARGUMENTS", conflicts_with = "scenario", value_parser = cmd_make::of_text)]
    pub make: Option<MakeArgs>,
    #[command(flatten)]
    pub playing: Playing,
    /// Print the JSON Schema of a scenario file, and run nothing
    #[arg(long)]
    pub print_schema: bool,
}

/// How a scenario is played, and what is written of it.
#[derive(clap::Args, Default)]
pub struct Playing {
    /// What runs the hardware: `oracle` is rust-hdl's own loop, slow and the truth; `interp`, `jit` and `aot` run the
    /// compiled netlist
    #[arg(long, value_name = "ENGINE", default_value = EngineKind::default().name(), value_parser = engine_kind())]
    pub engine: EngineKind,
    /// Write a waveform (VCD, or FST if the name ends in .fst), and files that set up its viewers
    ///
    /// Beside run.vcd are written run.gtkw for GTKWave (`gtkwave run.gtkw`), run.surf.ron for Surfer 0.7
    /// (`surfer --state-file run.surf.ron run.vcd`, in the folder of the waveform), run.sucl for other versions of it
    /// (`surfer --command-file run.sucl run.vcd`, there too) and the names of codes for both viewers, in
    /// .surfer/mappings.
    #[arg(long, value_name = "FILE")]
    pub wave: Option<PathBuf>,
    /// Only this block and what is inside it, as `pipeline.rewrite`; of several nodes `node1`, `node1.pipeline` or
    /// `network` [default: everything]
    #[arg(long, requires = "wave", value_name = "PATH")]
    pub scope: Option<String>,
    /// First cycle of the waveform [default: the first]
    #[arg(long, requires = "wave", value_name = "CYCLE")]
    pub from: Option<u64>,
    /// Last cycle of the waveform [default: the last]
    #[arg(long, requires = "wave", value_name = "CYCLE")]
    pub to: Option<u64>,
    /// Write the report as JSON; `-` is standard output, and the table then goes to standard error
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the run as a trace in the JSON trace event format, for ui.perfetto.dev or chrome://tracing
    ///
    /// Hosts, stages of the NICs, GPUs and wires are tracks, messages are flows. Of several nodes each message is
    /// followed then, as with `--log`.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Save simulated memory after the run; may be given several times [default: context 0 of node 0]
    #[arg(long, value_name = "[[NODE.]CONTEXT:]ADDRESS:LENGTH:FILE")]
    pub dump_memory: Vec<MemoryDump>,
    /// Give up a run, or a phase of it, that has not come to rest after so many cycles [default: the scenario's,
    /// 200000]
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_cycles: Option<u64>,
    /// Several nodes: follow each message, which takes memory for all that crosses a link; the table and the events
    /// need it [default: if the programs send at most 4096 messages and 16 MiB]
    #[arg(long)]
    pub log: bool,
    #[command(flatten)]
    pub cluster: ClusterArgs,
    #[command(flatten)]
    pub checkpoint: CheckpointArgs,
}

/// The engines by name.
fn engine_kind() -> impl TypedValueParser<Value = EngineKind> {
    let names = EngineKind::ALL.map(EngineKind::name);
    PossibleValuesParser::new(names).try_map(|name| name.parse::<EngineKind>())
}

impl Playing {
    /// Errors: no viewer knows a waveform by its name.
    pub fn check_wave(&self) -> Result<(), CliError> {
        self.wave.as_deref().map_or(Ok(()), viewers::check_name)
    }

    /// The waveform that is asked for.
    pub fn wave_options(&self) -> Option<WaveOptions> {
        let path = self.wave.as_ref()?;
        Some(WaveOptions {
            scope: self.scope.clone(),
            from: self.from,
            to: self.to,
            // A run that is over before leaves what is there.
            late: self.from.is_some(),
            ..WaveOptions::new(path)
        })
    }
}

/// Runs the scenario; whether the hardware did as it should, if that is known.
pub fn run(args: &RunArgs, output: &mut Output) -> Result<Verdict, CliError> {
    if args.print_schema {
        output.stdout(&format!("{:#}\n", scenario::json_schema()));
        return Ok(Verdict::Good);
    }
    args.playing.check_wave()?;
    let file = load(args)?;
    let files = Files::default().reads("SCENARIO.toml", &args.scenario);
    let folder = args.scenario.as_deref().and_then(Path::parent);
    let files = declare_messages(files, folder, &file);
    play_file(file, &args.playing, files, output)
}

/// Plays a scenario; `files` are those that it comes from. Errors: files of the command line that cannot be read or
/// written, arguments that make no sense.
pub fn play_file(
    file: File,
    args: &Playing,
    files: Files,
    output: &mut Output,
) -> Result<Verdict, CliError> {
    declare(args, files).check(output)?;
    let nodes = match &file {
        File::Target(_) => 1,
        File::Nodes(plan) => plan.scenario.nodes.len(),
        File::L2(_) => 0,
    };
    check_dumps(args, nodes)?;
    if !matches!(file, File::Nodes(_)) {
        args.cluster.refuse(args.log, args.checkpoint.given())?;
    }
    let signals = catch()?;
    match file {
        File::Target(mut plan) => {
            plan.scenario.max_cycles = args.max_cycles.unwrap_or(plan.scenario.max_cycles);
            play(Run::new(*plan, args.engine), args, &signals, output)
        }
        File::Nodes(mut plan) => {
            plan.scenario.max_cycles = args.max_cycles.unwrap_or(plan.scenario.max_cycles);
            cluster::check_memory(&plan, (1, 1))?;
            let options = args.cluster.options(nodes);
            let mut run = match NodesRun::new(plan, args.engine) {
                Ok(run) => run,
                Err(error) => return Ok(not_built(&error, output)),
            };
            run.set_options(options);
            if args.log || args.trace.is_some() {
                run.keep_logs(true);
            }
            let kept = args.checkpoint.apply(&mut run)?;
            if (args.log || args.trace.is_some()) && !run.keeps_logs() {
                return Err(CliError::Usage {
                    argument: "--resume".to_owned(),
                    message: "the run that kept the checkpoint followed no messages".to_owned(),
                    help: "--log and --trace need them from the beginning: give it --log"
                        .to_owned(),
                });
            }
            let verdict = play(Ok::<_, Infallible>(run), args, &signals, output)?;
            tell_kept(&kept, verdict, output)
        }
        File::L2(mut scenario) => {
            scenario.max_cycles = args.max_cycles.unwrap_or(scenario.max_cycles);
            let engine = blocks::engine(L2_BANK, args.engine);
            let built = engine.and_then(|engine| L2Run::new(scenario, engine));
            play(built, args, &signals, output)
        }
    }
}

/// From now on a signal ends the run in order. Errors: the system refuses.
pub fn catch() -> Result<Signals, CliError> {
    Signals::catch().map_err(|error| CliError::Usage {
        argument: "signals".to_owned(),
        message: error.to_string(),
        help: "the system must let a process handle SIGINT and SIGTERM".to_owned(),
    })
}

/// Says where the state of a run is that did not come to rest. Errors: it could not be written.
fn tell_kept(kept: &Kept, verdict: Verdict, output: &mut Output) -> Result<Verdict, CliError> {
    let told = kept.told()?;
    if let Some(text) = told.filter(|_| !matches!(verdict, Verdict::Good)) {
        output.text(&text);
    }
    Ok(verdict)
}

/// The files that the scenario names, relative to its folder.
fn declare_messages(files: Files, folder: Option<&Path>, file: &File) -> Files {
    let messages = match file {
        File::Target(plan) => &plan.scenario.messages[..],
        File::Nodes(_) | File::L2(_) => &[],
    };
    let of_messages = messages.iter().flat_map(|message| {
        let named = [
            &message.packets_file,
            &message.arguments_file,
            &message.payload_file,
        ];
        named.into_iter().flatten()
    });
    let of_messages = of_messages.map(|name| folder.unwrap_or(Path::new("")).join(name));
    files.reads("named in SCENARIO.toml", of_messages)
}

/// The files of the command line.
fn declare(args: &Playing, files: Files) -> Files {
    let files = args.checkpoint.declare(files);
    let files = files
        .streams("--wave", &args.wave)
        .writes("--json", &args.json)
        .writes("--trace", &args.trace)
        .writes(
            "--dump-memory",
            args.dump_memory.iter().map(|dump| &dump.file),
        );
    match &args.wave {
        Some(wave) => viewers::declare(wave, files),
        None => files,
    }
}

/// Runs what was built; a signal ends it, and what it has reached is reported and written.
fn play<P: Played, E: std::error::Error>(
    built: Result<P, E>,
    args: &Playing,
    signals: &Signals,
    output: &mut Output,
) -> Result<Verdict, CliError> {
    let mut run = match built {
        Ok(run) => run,
        Err(error) => return Ok(not_built(&error, output)),
    };
    let start = run.cycle();
    let wave = args.wave_options();
    if let Some(options) = &wave {
        check_window(options, start)?;
        arrived(run.attach_wave(options))?;
    }
    let steps = run.steps();
    let bar = match &steps {
        Some(steps) => progress::steps(output, steps.all()),
        None => progress::bar(output, "cycle", None),
    };
    let fails = wave.as_ref().and_then(waveform::failure);
    run.watch(watch(bar.clone(), steps, signals.clone(), fails));
    let report = run.finish();
    bar.finish_and_clear();
    let wave = wave.map(|options| close(&mut run, options)).transpose();
    show(args, output, &report, &report.render(output.is_verbose()));
    let written = write(args, output, &report);
    let saved = save(args, &mut run, output);
    let viewed = wave.and_then(|wave| match wave {
        Some(options) => report
            .view(start, options.period_ps)
            .write(&options, output),
        None => Ok(()),
    });
    let told = output.all([written, saved, viewed]);
    match signals.came().filter(|_| report.is_interrupted()) {
        Some(signal) => {
            told.unwrap_or_else(|error| output.error(error));
            Ok(Verdict::Ended(signal.number))
        }
        None => told.map(|()| report.verdict()),
    }
}

/// Shows a cycle now and then, with the steps that are done if there are programs, and ends the run when a signal has
/// come, or its waveform cannot be written.
pub fn watch(
    bar: ProgressBar,
    steps: Option<Steps>,
    signals: Signals,
    wave: Option<WaveFailure>,
) -> Progress {
    let mut shown = 0;
    Box::new(move |cycle| {
        if cycle / SHOWN != shown && !bar.is_hidden() {
            shown = cycle / SHOWN;
            match &steps {
                Some(steps) => {
                    bar.set_message(cycle.to_string());
                    bar.set_position(steps.done());
                }
                None => bar.set_position(cycle),
            }
        }
        match signals.came() {
            Some(signal) => ControlFlow::Break(format!("ended by {}", signal.name)),
            None if wave.as_ref().is_some_and(WaveFailure::has_come) => {
                ControlFlow::Break("the waveform could not be written".to_owned())
            }
            None => ControlFlow::Continue(()),
        }
    })
}

/// Says why no hardware could be built.
fn not_built(error: &dyn std::error::Error, output: &mut Output) -> Verdict {
    output.text(&format!("FAILED: {}\n", names::lines(&error.to_string())));
    Verdict::Bad
}

/// Prints the table of a report.
pub fn show(args: &Playing, output: &mut Output, report: &impl Reported, table: &str) {
    let (asked, ran) = (args.engine.name(), report.engine());
    if ran != asked {
        output.text(&format!("{asked} writes no waveform: {ran} ran\n"));
    }
    output.text(table);
}

/// Writes report and trace. Errors: a file cannot be written.
pub fn write(args: &Playing, output: &mut Output, report: &impl Reported) -> Result<(), CliError> {
    let json = args.json.as_ref();
    let json = json.map_or(Ok(()), |file| output.json(file, report));
    let trace = args.trace.as_ref().map_or(Ok(()), |file| {
        let trace = report.trace().json();
        let trace = trace.map_err(|error| CliError::Shown(error.to_string()))?;
        write_file(file, trace.as_bytes())
    });
    output.all([json, trace])
}

/// Errors: memory of a node that there is not shall be saved.
pub fn check_dumps(args: &Playing, nodes: usize) -> Result<(), CliError> {
    let Some(dump) = args.dump_memory.iter().find(|dump| dump.node >= nodes) else {
        return Ok(());
    };
    let (message, help) = match nodes {
        0 => (
            "a scenario of the L2 has no nodes".to_owned(),
            "a step with the operation `load` shows what is in memory".to_owned(),
        ),
        nodes => (
            format!("there is no node {}", dump.node),
            format!("the scenario has {nodes}, the first is number 0"),
        ),
    };
    Err(CliError::Usage {
        argument: "--dump-memory".to_owned(),
        message,
        help,
    })
}

/// Saves memory of nodes. Errors: a file cannot be written.
pub fn save(args: &Playing, run: &mut impl Played, output: &mut Output) -> Result<(), CliError> {
    let mut saved = Vec::new();
    for dump in &args.dump_memory {
        let Some(node) = run.node(dump.node) else {
            continue;
        };
        let mut bytes = vec![0; dump.length];
        node.memory
            .memory(dump.context)
            .read(dump.address, &mut bytes);
        saved.push(write_file(&dump.file, &bytes));
    }
    output.all(saved)
}

/// The scenario of a command line. Errors: it cannot be read, or is wrong.
pub fn load(args: &RunArgs) -> Result<File, CliError> {
    Ok(match (&args.make, &args.scenario) {
        (Some(made), _) => scenario::parse_file(MADE_NAME, &made.text()?, Path::new("."))?,
        (None, Some(path)) => scenario::load_file(path)?,
        (None, None) => scenario::parse_file(FIGURE_6_NAME, FIGURE_6, Path::new("."))?,
    })
}
