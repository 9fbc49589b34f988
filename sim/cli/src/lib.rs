//! The programs `xtq` and `xtq-mpi`: run scenarios on the NIC, check golden cases, export Verilog, check designs. One
//! file a verb: `cmd_<verb>.rs`.

mod bench;
mod bench_page;
mod checkpoint;
mod cluster;
mod cmd_bench;
mod cmd_check;
mod cmd_collective;
mod cmd_completions;
mod cmd_experiment;
mod cmd_export;
mod cmd_lint;
mod cmd_lockstep;
mod cmd_make;
mod cmd_run;
mod collective_args;
mod error;
mod excerpt;
mod expected;
mod experiment;
mod export;
mod files;
mod memory_dump;
mod names;
mod on_gpus;
mod output;
mod paths;
mod played;
mod progress;
mod rank_hello;
mod ranks;
mod signals;
mod sources;
mod table;
mod table_l2;
mod table_nodes;
mod trace;
mod viewers;
mod waveform;

// The hardware, and the generated Rust if it is asked for, are found by the names of the blocks.
#[cfg(feature = "aot")]
use xtq_aot as _;
use xtq_catalogue as _;

use clap::{Args, CommandFactory, Parser, Subcommand};
use output::Output;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use xtq_testbench::cluster::Mail;

/// Exit codes, as the help text says.
const EXIT_CODES: &str = "\
Exit codes:
  0  everything is as it should be
  1  the run or the check failed: the hardware differs from the golden model or from what a program expects, breaks a rule, or does not come to rest
  2  wrong usage or input, or an output that cannot be written: nothing can be said about the hardware
  3  the run was not compared: a fault has a `count` where the order of accesses depends on time
  128 + n  ended by signal n; a run writes its waveform and report up to there, and a second signal ends it at once";

/// What a verb found.
#[derive(Clone, Copy)]
enum Verdict {
    Good,
    Bad,
    /// Nothing was compared.
    Unknown,
    /// A signal with this number came before the end.
    Ended(u8),
}

impl From<bool> for Verdict {
    fn from(passed: bool) -> Self {
        if passed { Self::Good } else { Self::Bad }
    }
}

/// An active-message NIC in Rust HDL: messages that carry HSA AQL packets arrive, and a GPU launches them.
///
/// Without a verb, `xtq` is `xtq run`: the example program of the XTQ paper, from one node to another.
#[derive(Parser)]
#[command(name = "xtq", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    volume: Volume,
}

#[derive(Subcommand)]
enum Verb {
    Run(cmd_run::RunArgs),
    Make(cmd_make::MakeArgs),
    Check(cmd_check::CheckArgs),
    Export(cmd_export::ExportArgs),
    Lint(cmd_lint::LintArgs),
    Lockstep(cmd_lockstep::LockstepArgs),
    Bench(cmd_bench::BenchArgs),
    Experiment(cmd_experiment::ExperimentArgs),
    Collective(collective_args::CollectiveArgs),
    Completions(cmd_completions::CompletionsArgs),
}

/// How much is said.
#[derive(Args, Clone, Copy)]
pub struct Volume {
    /// Print nothing but errors; the exit code reports the rest
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more
    #[arg(short, long, global = true)]
    verbose: bool,
}

/// The program `xtq`, with the arguments of the process; gives its exit code.
pub fn main() -> ExitCode {
    prepare();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => return tell::<Cli>(message),
    };
    let mut output = Output::new(cli.volume);
    let verb = cli
        .verb
        .unwrap_or_else(|| Verb::Run(cmd_run::RunArgs::default()));
    let verdict = match verb {
        Verb::Run(args) => cmd_run::run(&args, &mut output),
        Verb::Make(args) => cmd_make::run(&args, &mut output).map(Verdict::from),
        Verb::Check(args) => cmd_check::run(&args, &mut output).map(Verdict::from),
        Verb::Export(args) => cmd_export::run(&args, &mut output).map(Verdict::from),
        Verb::Lint(args) => cmd_lint::run(&args, &mut output).map(Verdict::from),
        Verb::Lockstep(args) => cmd_lockstep::run(&args, &mut output).map(Verdict::from),
        Verb::Bench(args) => cmd_bench::run(&args, &mut output).map(Verdict::from),
        Verb::Experiment(args) => cmd_experiment::run(&args, &mut output).map(Verdict::from),
        Verb::Collective(args) => cmd_collective::run(&args, &mut output),
        Verb::Completions(args) => {
            cmd_completions::run(&args, Cli::command(), &mut output).map(Verdict::from)
        }
    };
    conclude(verdict, &mut output)
}

/// The program `xtq-mpi` as the rank that `mail` says, with the arguments of the process; gives its exit code. `xtq-mpi
/// run` is `xtq run`; the nodes of a scenario are dealt among the ranks, and rank 0 reports.
pub fn main_of_rank(mail: impl Mail) -> ExitCode {
    prepare();
    let (rank, _) = mail.place();
    let message = match ranks::RankCli::try_parse() {
        Ok(cli) => {
            let mut output = Output::new(cli.volume_of(rank));
            return conclude(ranks::run(cli, mail, &mut output), &mut output);
        }
        Err(message) => message,
    };
    ranks::stay_out(mail);
    match rank > 0 && !message.use_stderr() {
        // What was asked for is printed once, what is wrong by each rank.
        true => ExitCode::SUCCESS,
        false => tell::<ranks::RankCli>(message),
    }
}

/// How errors look, and what the system does when a file grows too much.
fn prepare() {
    error::install_style();
    // If the system refuses, a limit of files ends the process as it would without this.
    let _ = signals::let_writes_fail();
}

/// The exit code of what a verb found.
fn conclude(verdict: Result<Verdict, error::CliError>, output: &mut Output) -> ExitCode {
    let code = match verdict {
        Ok(Verdict::Good) => 0,
        Ok(Verdict::Bad) => 1,
        Ok(Verdict::Unknown) => 3,
        Ok(Verdict::Ended(signal)) => 128 + signal,
        Err(error) => {
            output.error(error);
            2
        }
    };
    exit_code(code, output)
}

/// The exit code, unless something that was printed did not arrive.
fn exit_code(code: u8, output: &mut Output) -> ExitCode {
    match output.finish() {
        Ok(()) => ExitCode::from(code),
        Err(error) => {
            output.error(error);
            ExitCode::from(2)
        }
    }
}

/// Prints help, the version, or what is wrong with the command line, and gives the exit code.
fn tell<C: Parser>(message: clap::Error) -> ExitCode {
    if message.use_stderr() {
        // The message has arguments in it: the one of a command line in which they are escaped is fit to be printed.
        let arguments = std::env::args_os();
        let arguments = arguments.map(|text| names::line(&text.to_string_lossy()).into_owned());
        let message = C::try_parse_from(arguments).err().unwrap_or(message);
        // Nobody is left to report to when this fails.
        let _ = message.print();
        return ExitCode::from(2);
    }
    let mut output = Output::new(Volume {
        quiet: false,
        verbose: false,
    });
    match io::stdout().is_terminal() {
        true => _ = message.print(),
        false => output.stdout(&message.render().to_string()),
    }
    exit_code(0, &mut output)
}
