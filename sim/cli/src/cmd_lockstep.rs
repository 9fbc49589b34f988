//! `xtq lockstep`: one block on several engines at once.

use crate::error::CliError;
use crate::files::Files;
use crate::output::Output;
use crate::progress;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::json;
use std::path::PathBuf;
use xtq_engine::blocks;
use xtq_engine::lockstep::{Difference, LockstepError, LockstepOptions, LockstepReport, lockstep};
use xtq_engine::{Engine, EngineKind, Error, Simulator};

/// Run a block on several engines with the same random inputs and compare every signal
///
/// The first engine is the reference. Every output is compared in every cycle, every signal that an engine has in
/// common with the reference in every so many. The engines `icarus` and `verilator` run the exported Verilog; of it the
/// outputs of all blocks inside are compared, registers among them. Without --engine, one whose tool is not installed
/// is skipped. The digest is a hash chained over all outputs of all cycles: the same inputs give the same digest on
/// every engine and machine. Prints the first cycle and signal that differ.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  xtq lockstep nic\n  xtq lockstep lookup-cache\n  xtq lockstep all --engine oracle --engine jit --cycles 500\n  xtq lockstep xtq_target --engine interp --engine jit --cycles 100000 --signals-every 0\n  xtq lockstep fifo --inject head_q.q@70\n  xtq lockstep --list"
)]
pub struct LockstepArgs {
    /// Block, as `nic`, `target` or any that --list prints, with - or _; or `all` for each of them in turn
    #[arg(value_name = "TOP", required_unless_present = "list")]
    top: Option<String>,
    /// Clock cycles
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    cycles: u64,
    /// Seed of the inputs
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Compare all signals in every so many cycles, and in that of --inject; 0: outputs only
    #[arg(long, value_name = "N", default_value_t = 16)]
    signals_every: u64,
    /// Engines, the reference first; may be given several times [default: all that can run the block]
    #[arg(long, value_name = "ENGINE", value_parser = kind())]
    engine: Vec<Kind>,
    /// Flip the lowest bit of a register in the last engine before a cycle, to see that the difference is found
    #[arg(long, value_name = "PATH@CYCLE", value_parser = injection)]
    inject: Option<(u64, String)>,
    /// Write the report as JSON; `-` is standard output, and the text then goes to standard error
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print the names of all blocks, and run nothing
    #[arg(long)]
    list: bool,
}

/// What a block can run on.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Kind {
    Engine(EngineKind),
    Simulator(Simulator),
}

impl Kind {
    /// All of them, the truth first.
    fn all() -> impl Iterator<Item = Self> {
        let engines = EngineKind::ALL.into_iter().map(Self::Engine);
        engines.chain(Simulator::ALL.into_iter().map(Self::Simulator))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Engine(kind) => kind.name(),
            Self::Simulator(simulator) => simulator.name(),
        }
    }

    /// Whether it can run the block at all: there is generated Rust for the tops only.
    fn is_for(self, block: &str) -> bool {
        match self {
            Self::Engine(kind) => blocks::kinds(block).contains(&kind),
            Self::Simulator(_) => true,
        }
    }

    /// A block on it.
    fn engine(self, block: &str) -> xtq_engine::Result<Box<dyn Engine>> {
        match self {
            Self::Engine(kind) => blocks::engine(block, kind),
            Self::Simulator(simulator) => Ok(Box::new(blocks::cosim(block, 0, simulator)?)),
        }
    }
}

/// Parses the name of an engine.
fn kind() -> impl TypedValueParser<Value = Kind> {
    let names = PossibleValuesParser::new(Kind::all().map(Kind::name));
    names.try_map(|name| {
        let mut all = Kind::all();
        all.find(|kind| kind.name() == name).ok_or(name)
    })
}

/// `path@cycle`.
fn injection(text: &str) -> Result<(u64, String), String> {
    let wrong = || format!("'{text}' is not PATH@CYCLE, as head_q.q@70");
    let (path, cycle) = text.rsplit_once('@').ok_or_else(wrong)?;
    Ok((cycle.parse().map_err(|_| wrong())?, path.into()))
}

/// Runs the blocks; whether all engines agreed.
pub fn run(args: &LockstepArgs, output: &mut Output) -> Result<bool, CliError> {
    let Some(top) = args.top.as_deref().filter(|_| !args.list) else {
        output.stdout(&format!("{}\n", blocks::names().join("\n")));
        return Ok(true);
    };
    let names = match top {
        "all" => blocks::names(),
        name => vec![blocks::find(name).ok_or_else(|| unknown(name))?],
    };
    check(args)?;
    Files::default()
        .writes("--json", &args.json)
        .check(output)?;
    let mut reports = Vec::new();
    let mut passed = true;
    for name in names {
        let ended = block(name, args, output)?;
        passed &= ended.result.is_ok();
        output.text(&line(name, &ended));
        reports.push(as_json(name, &ended));
    }
    if let Some(file) = &args.json {
        output.json(file, &json!({ "passed": passed, "blocks": reports }))?;
    }
    Ok(passed)
}

/// Refuses what would agree with nothing: one engine alone or with itself, a bit flipped after the end.
fn check(args: &LockstepArgs) -> Result<(), CliError> {
    if args.engine.len() == 1 {
        return Err(CliError::Usage {
            argument: "--engine".into(),
            message: "is given once: there is nothing to compare with".into(),
            help: "name two or more, the reference first".into(),
        });
    }
    if (1..args.engine.len()).any(|at| args.engine[..at].contains(&args.engine[at])) {
        return Err(CliError::Usage {
            argument: "--engine".into(),
            message: "names an engine twice: it agrees with itself".into(),
            help: "name different ones, the reference first".into(),
        });
    }
    match &args.inject {
        Some((cycle, path)) if *cycle >= args.cycles => Err(CliError::Usage {
            argument: "--inject".into(),
            message: format!(
                "{path}@{cycle} lies behind the last of {} cycles",
                args.cycles
            ),
            help: "cycles count from 0; --cycles N runs more".into(),
        }),
        _ => Ok(()),
    }
}

fn unknown(name: &str) -> CliError {
    CliError::Usage {
        argument: "TOP".into(),
        message: format!("no block is called '{name}'"),
        help: "`xtq lockstep --list` prints the names".into(),
    }
}

/// What became of a block.
struct Ended {
    result: Result<LockstepReport, Box<Difference>>,
    /// Engines that did not run, with the reason.
    skipped: Vec<String>,
}

/// Engines, the reference first.
type Engines = Vec<Box<dyn Engine>>;

/// The engines for a block, and why others are not there. Errors: an engine that was asked for cannot run it.
fn engines(name: &str, args: &LockstepArgs) -> Result<(Engines, Vec<String>), CliError> {
    let (mut engines, mut skipped) = (Vec::new(), Vec::new());
    if !args.engine.is_empty() {
        let wanted = args.engine.iter().map(|kind| kind.engine(name));
        return Ok((wanted.collect::<Result<_, _>>()?, skipped));
    }
    for kind in Kind::all().filter(|kind| kind.is_for(name)) {
        match kind.engine(name) {
            Ok(engine) => engines.push(engine),
            Err(Error::NoTool(tool)) => {
                skipped.push(format!("{}: {tool} is not installed", kind.name()));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok((engines, skipped))
}

/// One block; the inner error is a difference. Errors: an engine cannot run it, or there is no register to flip.
fn block(name: &str, args: &LockstepArgs, output: &mut Output) -> Result<Ended, CliError> {
    let (mut engines, skipped) = engines(name, args)?;
    for reason in &skipped {
        output.text(&format!("skipped  {name}: {reason}\n"));
    }
    let options = LockstepOptions {
        cycles: args.cycles,
        seed: args.seed,
        signals_every: args.signals_every,
        inject: args.inject.clone(),
    };
    let bar = progress::bar(output, "cycle", Some(args.cycles));
    let result = lockstep(&mut engines, &options, |cycle| bar.set_position(cycle));
    bar.finish_and_clear();
    let result = match result {
        Ok(report) => Ok(report),
        Err(LockstepError::Differs(difference)) => Err(difference),
        Err(LockstepError::Engine(error)) => return Err(error.into()),
    };
    Ok(Ended { result, skipped })
}

fn line(name: &str, ended: &Ended) -> String {
    match &ended.result {
        Ok(report) => format!(
            "agree    {name}: {} for {} cycles; {} signals, {} values; digest {:016x}\n",
            report.engines.join(", "),
            report.cycles,
            report.signals,
            report.values,
            report.digest
        ),
        Err(difference) => format!("DIFFER   {name}: {difference}\n"),
    }
}

fn as_json(name: &str, ended: &Ended) -> serde_json::Value {
    match &ended.result {
        Ok(report) => json!({
            "block": name,
            "agree": true,
            "engines": report.engines,
            "skipped": ended.skipped,
            "cycles": report.cycles,
            "outputs": report.outputs,
            "signals": report.signals,
            "values": report.values,
            "digest": format!("{:016x}", report.digest),
        }),
        Err(difference) => json!({
            "block": name,
            "agree": false,
            "skipped": ended.skipped,
            "cycle": difference.cycle,
            "signal": difference.signal,
            "engine": difference.engine,
            "found": difference.found,
            "reference": difference.reference,
            "expected": difference.expected,
        }),
    }
}
