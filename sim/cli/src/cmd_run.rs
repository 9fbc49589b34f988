//! `xtq run`: a scenario on the hardware.

use crate::Verdict;
use crate::error::CliError;
use crate::memory_dump::MemoryDump;
use crate::output::{Output, write_file};
use crate::progress;
use crate::table;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::{Path, PathBuf};
use xtq_engine::{EngineKind, Error as EngineError, WaveOptions};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::scenario::{self, Plan, Run};

/// The scenario of a bare `xtq`: the paper's example program.
const FIGURE_6: &str = include_str!("../../../scenarios/figure6.toml");
/// How errors call it.
const FIGURE_6_NAME: &str = "scenarios/figure6.toml";

/// Run a scenario on the hardware and print what happened to each message at which cycle
///
/// Without a file, the example program of the XTQ paper (figure 6, index 42). The run ends when nothing moves any more; then
/// memory, queues, doorbells, events and acknowledgements are compared with a golden model. docs/user-guide.md explains the
/// table, docs/scenario.md the file.
#[derive(clap::Args, Default)]
#[command(
    after_help = "Examples:\n  xtq run\n  xtq run scenarios/mixed.toml --json report.json\n  xtq run --wave run.vcd --scope pipeline.rewrite --from 100 --to 300\n  xtq run scenarios/aql-file.toml --dump-memory 0x30000000:256:ring.bin\n  xtq run --print-schema > scenario.schema.json"
)]
pub struct RunArgs {
    /// Scenario file (TOML)
    #[arg(value_name = "SCENARIO.toml")]
    scenario: Option<PathBuf>,
    /// What runs the hardware: `oracle` is rust-hdl's own loop, slow and the truth; `interp`, `jit` and `aot` run the compiled netlist
    #[arg(long, value_name = "ENGINE", default_value = EngineKind::default().name(), value_parser = engine_kind())]
    engine: EngineKind,
    /// Write a waveform (VCD, or FST if the name ends in .fst); open it in GTKWave or Surfer
    #[arg(long, value_name = "FILE")]
    wave: Option<PathBuf>,
    /// Only this block and what is inside it, as `pipeline` or `pipeline.rewrite` [default: everything]
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
    /// Save simulated memory after the run; may be given several times [default context: 0]
    #[arg(long, value_name = "[CONTEXT:]ADDRESS:LENGTH:FILE")]
    dump_memory: Vec<MemoryDump>,
    /// Give up a phase that has not come to rest after so many cycles [default: the scenario's, 200000]
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
    output.reserve_json(args.json.as_deref());
    let mut plan = load(args.scenario.as_deref())?;
    if let Some(cycles) = args.max_cycles {
        plan.scenario.max_cycles = cycles;
    }
    let mut run = match Run::new(plan, args.engine) {
        Ok(run) => run,
        Err(error) => {
            output.text(&format!("FAILED: {error}\n"));
            return Ok(Verdict::Bad);
        }
    };
    if let Some(path) = &args.wave {
        let options = WaveOptions {
            scope: args.scope.clone(),
            from: args.from,
            to: args.to,
            ..WaveOptions::new(path)
        };
        run.node()
            .engine()
            .attach_wave(options)
            .map_err(wave_error)?;
    }
    let bar = progress::bar(output, "cycle", None);
    let report = run.finish(&mut |cycle| bar.set_position(cycle));
    bar.finish_and_clear();
    if args.wave.is_some() {
        run.node().engine().finish_wave().map_err(wave_error)?;
    }
    if report.engine != args.engine.name() {
        let (asked, ran) = (args.engine.name(), &report.engine);
        output.text(&format!("{asked} writes no waveform: {ran} ran\n"));
    }
    output.text(&table::render(&report, output.is_verbose()));
    for dump in &args.dump_memory {
        let mut bytes = vec![0; dump.length];
        run.node()
            .memory
            .memory(dump.context)
            .read(dump.address, &mut bytes);
        write_file(&dump.file, &bytes)?;
    }
    if let Some(file) = &args.json {
        output.json(file, &report)?;
    }
    Ok(match report.passed {
        true => Verdict::Good,
        false if report.failure.is_empty() && !report.compared => Verdict::Unknown,
        false => Verdict::Bad,
    })
}

fn load(path: Option<&Path>) -> Result<Plan, CliError> {
    Ok(match path {
        Some(path) => scenario::load(path)?,
        None => scenario::parse(FIGURE_6_NAME, FIGURE_6, Path::new("."))?,
    })
}

fn wave_error(error: EngineError) -> CliError {
    CliError::Usage {
        argument: "--wave".to_owned(),
        message: error.to_string(),
        help: "--scope takes the path of a block, as the waveform of a run without it shows"
            .to_owned(),
    }
}
