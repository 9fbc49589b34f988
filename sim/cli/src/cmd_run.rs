//! `xtq run`: a scenario on the hardware.

use crate::Verdict;
use crate::error::CliError;
use crate::files::Files;
use crate::memory_dump::MemoryDump;
use crate::output::{Output, write_file};
use crate::progress;
use crate::viewers::{self, View};
use crate::{names, table, table_l2, table_nodes};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use std::path::{Path, PathBuf};
use xtq_engine::{EngineKind, WaveOptions};
use xtq_testbench::blocks;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::node::Node;
use xtq_testbench::scenario::{self, File, L2Run, L2Scenario, NodesPlan, NodesRun, Plan, Run};

/// The scenario of a bare `xtq`: the paper's example program.
const FIGURE_6: &str = include_str!("../../../scenarios/figure6.toml");
/// How errors call it.
const FIGURE_6_NAME: &str = "scenarios/figure6.toml";

/// The block of scenarios of the L2.
const L2_BANK: &str = "l2_bank";

/// Run a scenario on the hardware and print what happened to each message at which cycle
///
/// Without a file, the example program of the XTQ paper (figure 6, index 42) between two nodes. The run ends when nothing moves any more. In a file of several nodes the
/// programs say what they expect; in one of a single node's target side memory, queues, doorbells, events and acknowledgements are compared with a golden model.
/// docs/user-guide.md explains the table, docs/scenario.md the file; docs/compnet.md those of a bank of the L2.
#[derive(clap::Args, Default)]
#[command(
    after_help = "Examples:\n  xtq run\n  xtq run scenarios/mixed.toml --json report.json\n  xtq run --wave run.vcd --scope node1.pipeline.rewrite --from 800 --to 1200\n  xtq run scenarios/aql-file.toml --dump-memory 0x30000000:256:ring.bin\n  xtq run --print-schema > scenario.schema.json"
)]
pub struct RunArgs {
    /// Scenario file (TOML)
    #[arg(value_name = "SCENARIO.toml")]
    scenario: Option<PathBuf>,
    /// What runs the hardware: `oracle` is rust-hdl's own loop, slow and the truth; `interp`, `jit` and `aot` run the compiled netlist
    #[arg(long, value_name = "ENGINE", default_value = EngineKind::default().name(), value_parser = engine_kind())]
    engine: EngineKind,
    /// Write a waveform (VCD, or FST if the name ends in .fst), and files that set up its viewers
    ///
    /// Beside run.vcd are written run.gtkw for GTKWave (`gtkwave run.gtkw`), run.surf.ron for Surfer 0.7 (`surfer --state-file run.surf.ron run.vcd`, in the folder of the waveform), run.sucl for other versions of it (`surfer --command-file run.sucl run.vcd`, there too) and the names of codes for both viewers, in .surfer/mappings.
    #[arg(long, value_name = "FILE")]
    wave: Option<PathBuf>,
    /// Only this block and what is inside it, as `pipeline.rewrite`; of several nodes `node1`, `node1.pipeline` or `network` [default: everything]
    #[arg(long, requires = "wave", value_name = "PATH")]
    scope: Option<String>,
    /// First cycle of the waveform [default: the first]
    #[arg(long, requires = "wave", value_name = "CYCLE")]
    from: Option<u64>,
    /// Last cycle of the waveform [default: the last]
    #[arg(long, requires = "wave", value_name = "CYCLE")]
    to: Option<u64>,
    /// Write the report as JSON; `-` is standard output, and the table then goes to standard error
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Save simulated memory after the run; may be given several times [default: context 0 of node 0]
    #[arg(long, value_name = "[[NODE.]CONTEXT:]ADDRESS:LENGTH:FILE")]
    dump_memory: Vec<MemoryDump>,
    /// Give up a run, or a phase of it, that has not come to rest after so many cycles [default: the scenario's, 200000]
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(1..))]
    max_cycles: Option<u64>,
    /// Print the JSON Schema of a scenario file, and run nothing
    #[arg(long)]
    print_schema: bool,
}

/// The engines by name.
fn engine_kind() -> impl TypedValueParser<Value = EngineKind> {
    let names = EngineKind::ALL.map(EngineKind::name);
    PossibleValuesParser::new(names).try_map(|name| name.parse::<EngineKind>())
}

/// Runs the scenario; whether the hardware did as it should, if that is known.
pub fn run(args: &RunArgs, output: &mut Output) -> Result<Verdict, CliError> {
    if args.print_schema {
        output.stdout(&format!("{:#}\n", scenario::json_schema()));
        return Ok(Verdict::Good);
    }
    args.wave.as_deref().map_or(Ok(()), viewers::check_name)?;
    let file = load(args.scenario.as_deref())?;
    declare(args, &file).check(output)?;
    match file {
        File::Target(plan) => run_target(*plan, args, output),
        File::Nodes(plan) => run_nodes(plan, args, output),
        File::L2(scenario) => run_l2(scenario, args, output),
    }
}

/// The files of the command line, and those that the scenario names.
fn declare(args: &RunArgs, file: &File) -> Files {
    let folder = args.scenario.as_deref().and_then(Path::parent);
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
    let files = Files::default()
        .reads("SCENARIO.toml", &args.scenario)
        .reads("named in SCENARIO.toml", of_messages)
        .writes("--wave", &args.wave)
        .writes("--json", &args.json)
        .writes(
            "--dump-memory",
            args.dump_memory.iter().map(|dump| &dump.file),
        );
    match &args.wave {
        Some(wave) => viewers::declare(wave, files),
        None => files,
    }
}

/// The target side of one NIC, and the messages that arrive.
fn run_target(mut plan: Plan, args: &RunArgs, output: &mut Output) -> Result<Verdict, CliError> {
    check_dumps(args, 1)?;
    if let Some(cycles) = args.max_cycles {
        plan.scenario.max_cycles = cycles;
    }
    let mut run = match Run::new(plan, args.engine) {
        Ok(run) => run,
        Err(error) => return Ok(not_built(&error, output)),
    };
    if let Some(options) = wave_options(args) {
        run.node()
            .engine()
            .attach_wave(options)
            .map_err(CliError::of_wave)?;
    }
    let bar = progress::bar(output, "cycle", None);
    let report = run.finish(&mut |cycle| bar.set_position(cycle));
    bar.finish_and_clear();
    if args.wave.is_some() {
        run.node()
            .engine()
            .finish_wave()
            .map_err(CliError::of_wave)?;
    }
    let table = table::render(&report, output.is_verbose());
    tell(args, output, &report.engine, &table, &report)?;
    for dump in &args.dump_memory {
        save(dump, run.node())?;
    }
    if let Some(options) = wave_options(args) {
        View::of_target(&report, options.period_ps).write(&options, output)?;
    }
    Ok(match report.passed {
        true => Verdict::Good,
        false if report.failure.is_empty() && !report.compared => Verdict::Unknown,
        false => Verdict::Bad,
    })
}

/// Several nodes with programs.
fn run_nodes(
    mut plan: NodesPlan,
    args: &RunArgs,
    output: &mut Output,
) -> Result<Verdict, CliError> {
    check_dumps(args, plan.scenario.nodes.len())?;
    if let Some(cycles) = args.max_cycles {
        plan.scenario.max_cycles = cycles;
    }
    let mut run = match NodesRun::new(plan, args.engine) {
        Ok(run) => run,
        Err(error) => return Ok(not_built(&error, output)),
    };
    if let Some(options) = wave_options(args) {
        run.attach_wave(&options).map_err(CliError::of_wave)?;
    }
    let bar = progress::bar(output, "cycle", None);
    let report = run.finish(&mut |cycle| bar.set_position(cycle));
    bar.finish_and_clear();
    if args.wave.is_some() {
        run.finish_wave().map_err(CliError::of_wave)?;
    }
    let table = table_nodes::render(&report, output.is_verbose());
    tell(args, output, &report.engine, &table, &report)?;
    for dump in &args.dump_memory {
        save(dump, &run.cluster().nodes()[dump.node])?;
    }
    if let Some(options) = wave_options(args) {
        View::of_nodes(&report, options.period_ps).write(&options, output)?;
    }
    Ok(Verdict::from(report.passed))
}

/// A bank of the L2, and requests to it.
fn run_l2(
    mut scenario: L2Scenario,
    args: &RunArgs,
    output: &mut Output,
) -> Result<Verdict, CliError> {
    if !args.dump_memory.is_empty() {
        return Err(CliError::Usage {
            argument: "--dump-memory".to_owned(),
            message: "a scenario of the L2 has no nodes".to_owned(),
            help: "a step with the operation `load` shows what is in memory".to_owned(),
        });
    }
    if let Some(cycles) = args.max_cycles {
        scenario.max_cycles = cycles;
    }
    let built = blocks::engine(L2_BANK, args.engine);
    let mut run = match built.and_then(|engine| L2Run::new(scenario, engine)) {
        Ok(run) => run,
        Err(error) => return Ok(not_built(&error, output)),
    };
    let start = run.engine().cycle();
    if let Some(options) = wave_options(args) {
        run.engine()
            .attach_wave(options)
            .map_err(CliError::of_wave)?;
    }
    let report = run.finish();
    if args.wave.is_some() {
        run.engine().finish_wave().map_err(CliError::of_wave)?;
    }
    let table = table_l2::render(&report, output.is_verbose());
    tell(args, output, &report.engine, &table, &report)?;
    if let Some(options) = wave_options(args) {
        View::of_l2(&report, start, options.period_ps).write(&options, output)?;
    }
    Ok(Verdict::from(report.passed))
}

/// Says why no hardware could be built.
fn not_built(error: &dyn std::error::Error, output: &mut Output) -> Verdict {
    output.text(&format!("FAILED: {}\n", names::lines(&error.to_string())));
    Verdict::Bad
}

fn wave_options(args: &RunArgs) -> Option<WaveOptions> {
    let path = args.wave.as_ref()?;
    Some(WaveOptions {
        scope: args.scope.clone(),
        from: args.from,
        to: args.to,
        ..WaveOptions::new(path)
    })
}

/// Prints the table and writes the report. Errors: it cannot be written.
fn tell(
    args: &RunArgs,
    output: &mut Output,
    ran: &str,
    table: &str,
    report: &impl Serialize,
) -> Result<(), CliError> {
    let asked = args.engine.name();
    if ran != asked {
        output.text(&format!("{asked} writes no waveform: {ran} ran\n"));
    }
    output.text(table);
    match &args.json {
        Some(file) => output.json(file, report),
        None => Ok(()),
    }
}

/// Errors: memory of a node that there is not shall be saved.
fn check_dumps(args: &RunArgs, nodes: usize) -> Result<(), CliError> {
    match args.dump_memory.iter().find(|dump| dump.node >= nodes) {
        None => Ok(()),
        Some(dump) => Err(CliError::Usage {
            argument: "--dump-memory".to_owned(),
            message: format!("there is no node {}", dump.node),
            help: format!("the scenario has {nodes}, the first is number 0"),
        }),
    }
}

/// Saves memory of a node. Errors: the file cannot be written.
fn save(dump: &MemoryDump, node: &Node) -> Result<(), CliError> {
    let mut bytes = vec![0; dump.length];
    node.memory
        .memory(dump.context)
        .read(dump.address, &mut bytes);
    write_file(&dump.file, &bytes)
}

fn load(path: Option<&Path>) -> Result<File, CliError> {
    Ok(match path {
        Some(path) => scenario::load_file(path)?,
        None => scenario::parse_file(FIGURE_6_NAME, FIGURE_6, Path::new("."))?,
    })
}
