//! `xtq experiment`: results of the papers, reproduced on the hardware.

use crate::error::CliError;
use crate::experiment::{all, built_in, plot, text};
use crate::files::Files;
use crate::output::{Output, write_file};
use crate::progress;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand};
use std::path::PathBuf;
use std::process;
use xtq_compute::experiments::EXPERIMENTS;
use xtq_testbench::experiments::{Experiment, Prepared, Shown};
use xtq_testbench::input::utf8;

/// Of the files in a folder.
const EXTENSIONS: [&str; 5] = ["json", "csv", "svg", "png", "md"];

/// Reproduce a result of the papers on the hardware
///
/// Each experiment prints a table and a line that says whether the paper's statements came out. Numbers are exact in
/// clock cycles of the models: the same on every machine. docs/experiments.md explains each, its parameters, and what
/// is not modelled.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  xtq experiment compnet-hitrate\n  xtq experiment compnet-hitrate --out results\n  xtq experiment compnet-hitrate --quick --json -\n  xtq experiment all"
)]
pub struct ExperimentArgs {
    #[command(subcommand)]
    verb: Verb,
}

/// What is run: each of [`EXPERIMENTS`] is a verb of its own.
enum Verb {
    One(Chosen),
    All(all::AllOptions),
}

/// The verb that runs all of them.
const ALL: &str = "all";

/// An experiment with its options.
struct Chosen {
    experiment: &'static dyn Experiment,
    options: Options,
    traces: Vec<String>,
}

/// What every experiment takes.
#[derive(Args)]
struct Options {
    /// Parameters (TOML)
    #[arg(value_name = "PARAMETERS.toml")]
    parameters: Option<PathBuf>,
    /// Only both ends of the sweep, and short runs: to see that it works; the figures mean nothing
    #[arg(long)]
    quick: bool,
    /// Write everything into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the report as JSON; `-` is standard output, and the table then goes to standard error
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write all runs as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the plot as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the plot as PNG
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Print the JSON Schema of the parameters, and run nothing
    #[arg(long)]
    print_schema: bool,
}

/// The option of experiments that take traces.
fn trace() -> Arg {
    Arg::new("trace")
        .long("trace")
        .value_name("FILE")
        .action(ArgAction::Append)
        .help(
            "Trace, or folder with a file for each rank, in place of those of the parameters; CSV, DUMPI text or liballprof, `.zst` is unpacked; may be given several times",
        )
}

impl Subcommand for Verb {
    fn augment_subcommands(command: Command) -> Command {
        let command = command.subcommand(all::AllOptions::augment_args(Command::new(ALL)));
        EXPERIMENTS.iter().fold(command, |command, experiment| {
            let name = experiment.name();
            let file = built_in(name);
            let parameters = format!("Parameters (TOML) [default: {file}, which is built in]");
            let out = format!(
                "Write everything into this folder: `{name}` with `.json`, `.csv`, `.svg`, `.png`, `.md`"
            );
            let mut verb = Options::augment_args(Command::new(name))
                .about(experiment.about())
                .mut_arg("parameters", |argument| argument.help(parameters))
                .mut_arg("out", |argument| argument.help(out));
            if experiment.takes_traces() {
                verb = verb.arg(trace());
            }
            command.subcommand(verb)
        })
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        let mut names = EXPERIMENTS.iter().map(|experiment| experiment.name());
        name == ALL || names.any(|known| known == name)
    }
}

impl FromArgMatches for Verb {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        if name == ALL {
            return Ok(Self::All(all::AllOptions::from_arg_matches(matches)?));
        }
        let mut experiments = EXPERIMENTS.iter();
        let experiment = experiments.find(|experiment| experiment.name() == name);
        let experiment = *experiment.ok_or_else(missing)?;
        let traces = match experiment.takes_traces() {
            true => matches.get_many::<String>("trace").into_iter().flatten(),
            false => None.into_iter().flatten(),
        };
        Ok(Self::One(Chosen {
            experiment,
            traces: traces.cloned().collect(),
            options: Options::from_arg_matches(matches)?,
        }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Runs the experiment; a result that is not the paper's is a result, not a failure.
pub fn run(args: &ExperimentArgs, output: &mut Output) -> Result<bool, CliError> {
    let chosen = match &args.verb {
        Verb::All(options) => return all::run(options, output).map(|()| true),
        Verb::One(chosen) => chosen,
    };
    let Chosen {
        experiment,
        options,
        traces,
    } = chosen;
    if options.print_schema {
        output.stdout(&format!("{:#}\n", experiment.schema()));
        return Ok(true);
    }
    let mut prepared = load(*experiment, options)?;
    if !traces.is_empty() {
        prepared.set_traces(traces.clone());
    }
    declare(chosen).check(output)?;
    let bar = progress::bar(output, "runs", Some(prepared.runs() as u64));
    let shown = prepared.run(&|done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let shown = shown?;
    let table = text::markdown(&*shown);
    output.text(&table);
    write_all(chosen, &*shown, &table)?;
    Ok(true)
}

fn load(experiment: &dyn Experiment, options: &Options) -> Result<Box<dyn Prepared>, CliError> {
    let Some(path) = &options.parameters else {
        let file = built_in(experiment.name());
        return Ok(experiment.prepare(&file, experiment.parameters(), options.quick)?);
    };
    let file = path.display().to_string();
    let text = utf8::read(path).map_err(|source| CliError::Read {
        file: file.clone(),
        source,
    })?;
    Ok(experiment.prepare(&file, &text, options.quick)?)
}

/// The files of the command line.
fn declare(chosen: &Chosen) -> Files {
    let options = &chosen.options;
    let in_folder = EXTENSIONS.map(|extension| in_folder(chosen, extension));
    Files::default()
        .reads("PARAMETERS.toml", &options.parameters)
        .folders("--out", &options.out)
        .writes("--out", in_folder.into_iter().flatten())
        .writes("--json", &options.json)
        .writes("--csv", &options.csv)
        .writes("--svg", &options.svg)
        .writes("--png", &options.png)
}

/// A file in the folder, if there is one.
fn in_folder(chosen: &Chosen, extension: &str) -> Option<PathBuf> {
    let folder = chosen.options.out.as_ref()?;
    Some(folder.join(format!("{}.{extension}", chosen.experiment.name())))
}

/// Writes all files that were asked for.
fn write_all(chosen: &Chosen, shown: &dyn Shown, table: &str) -> Result<(), CliError> {
    let options = &chosen.options;
    if let Some(folder) = &options.out {
        std::fs::create_dir_all(folder).map_err(|source| CliError::Write {
            file: folder.display().to_string(),
            source,
        })?;
    }
    let in_folder = |extension| in_folder(chosen, extension);
    for file in files(&options.json, in_folder("json")) {
        let text = shown.json().map_err(failed)? + "\n";
        write_file(&file, text.as_bytes())?;
    }
    for file in files(&options.csv, in_folder("csv")) {
        write_file(&file, &text::csv(shown).map_err(failed)?)?;
    }
    for file in files(&options.svg, in_folder("svg")) {
        write_file(
            &file,
            plot::svg(&shown.plot(), plot::SIZE)
                .map_err(failed)?
                .as_bytes(),
        )?;
    }
    for file in files(&options.png, in_folder("png")) {
        write_file(&file, &plot::png(&shown.plot()).map_err(failed)?)?;
    }
    if let Some(file) = in_folder("md") {
        let text = format!("{}\n\n{table}", made_by(chosen));
        write_file(&file, text.as_bytes())?;
    }
    Ok(())
}

/// The command of a result, the version of the program and, in a checkout of the project, its commit.
fn made_by(chosen: &Chosen) -> String {
    let mut command = format!("xtq experiment {}", chosen.experiment.name());
    if let Some(file) = &chosen.options.parameters {
        command += &format!(" {}", file.display());
    }
    if chosen.options.quick {
        command += " --quick";
    }
    for file in &chosen.traces {
        command += &format!(" --trace {file}");
    }
    let commit = commit().map_or(String::new(), |commit| format!(", commit {commit}"));
    format!(
        "Made by `{command}`, xtq {}{commit}.",
        env!("CARGO_PKG_VERSION")
    )
}

/// The commit of the working directory if it is the project, with `-dirty` after it if files have changed since.
fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let ran = process::Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(ran.stdout).ok()?;
        ran.status.success().then(|| text.trim().to_owned())
    };
    let top = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?);
    let is_project = top.join("sim/cli/src/cmd_experiment.rs").is_file();
    git(&["describe", "--always", "--dirty", "--exclude", "*"]).filter(|_| is_project)
}

/// The file of an option and the one in the folder, as far as they were asked for.
fn files(option: &Option<PathBuf>, in_folder: Option<PathBuf>) -> impl Iterator<Item = PathBuf> {
    option.clone().into_iter().chain(in_folder)
}

fn failed(error: impl std::fmt::Display) -> CliError {
    CliError::Shown(error.to_string())
}
