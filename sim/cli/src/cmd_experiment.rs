//! `xtq experiment`: results of the papers, reproduced on the hardware.

use crate::error::CliError;
use crate::experiment::{hitrate_csv, hitrate_plot, hitrate_table};
use crate::files::Files;
use crate::output::{Output, write_file};
use crate::progress;
use std::path::{Path, PathBuf};
use xtq_testbench::compnet::hitrate::{self, Parameters, Report, parameters_schema};
use xtq_testbench::input::utf8;

/// The parameters of a bare `xtq experiment compnet-hitrate`.
const HITRATE: &str = include_str!("../../../scenarios/experiments/compnet-hitrate.toml");
/// How errors call them, and the files in a folder.
const HITRATE_NAME: &str = "compnet-hitrate";
/// Of the files in a folder.
const EXTENSIONS: [&str; 5] = ["json", "csv", "svg", "png", "md"];

/// Reproduce a result of the papers on the hardware
///
/// Each experiment prints a table and a line that says whether the paper's statements came out. Numbers are exact in clock cycles of the models: the same on every machine.
/// docs/experiments.md explains each, its parameters, and what is not modelled.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  xtq experiment compnet-hitrate\n  xtq experiment compnet-hitrate --out results\n  xtq experiment compnet-hitrate --quick --json -"
)]
pub struct ExperimentArgs {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(clap::Subcommand)]
enum Experiment {
    CompnetHitrate(HitrateArgs),
}

/// How often the GPU's command processor finds its lines in the L2 while work-groups stream through it, with lockable lines and without (ComP-Net, figure 7)
#[derive(clap::Args)]
struct HitrateArgs {
    /// Parameters (TOML) [default: scenarios/experiments/compnet-hitrate.toml, which is built in]
    #[arg(value_name = "PARAMETERS.toml")]
    parameters: Option<PathBuf>,
    /// Only both ends of the sweep, and short runs: to see that it works; the figures mean nothing
    #[arg(long)]
    quick: bool,
    /// Write everything into this folder: `compnet-hitrate` with `.json`, `.csv`, `.svg`, `.png`, `.md`
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

/// Runs the experiment; a result that is not the paper's is a result, not a failure.
pub fn run(args: &ExperimentArgs, output: &mut Output) -> Result<bool, CliError> {
    let Experiment::CompnetHitrate(args) = &args.experiment;
    if args.print_schema {
        output.stdout(&format!("{:#}\n", parameters_schema()));
        return Ok(true);
    }
    let mut parameters = load(args.parameters.as_deref())?;
    if args.quick {
        parameters = parameters.quick();
    }
    declare(args).check(output)?;
    let bar = progress::bar(output, "runs", Some(parameters.runs() as u64));
    let report = hitrate::run(&parameters, &|done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let report = report?;
    let table = hitrate_table::markdown(&report);
    output.text(&table);
    write_all(args, &report, &table, output)?;
    Ok(true)
}

fn load(path: Option<&Path>) -> Result<Parameters, CliError> {
    let Some(path) = path else {
        let name = format!("scenarios/experiments/{HITRATE_NAME}.toml");
        return Ok(Parameters::parse(&name, HITRATE)?);
    };
    let file = path.display().to_string();
    let text = utf8::read(path).map_err(|source| CliError::Read {
        file: file.clone(),
        source,
    })?;
    Ok(Parameters::parse(&file, &text)?)
}

/// The files of the command line.
fn declare(args: &HitrateArgs) -> Files {
    let in_folder = EXTENSIONS.map(|extension| in_folder(args, extension));
    Files::default()
        .reads("PARAMETERS.toml", &args.parameters)
        .folders("--out", &args.out)
        .writes("--out", in_folder.into_iter().flatten())
        .writes("--json", &args.json)
        .writes("--csv", &args.csv)
        .writes("--svg", &args.svg)
        .writes("--png", &args.png)
}

/// A file in the folder, if there is one.
fn in_folder(args: &HitrateArgs, extension: &str) -> Option<PathBuf> {
    let folder = args.out.as_ref()?;
    Some(folder.join(format!("{HITRATE_NAME}.{extension}")))
}

/// Writes all files that were asked for.
fn write_all(
    args: &HitrateArgs,
    report: &Report,
    table: &str,
    output: &mut Output,
) -> Result<(), CliError> {
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|source| CliError::Write {
            file: folder.display().to_string(),
            source,
        })?;
    }
    let in_folder = |extension| in_folder(args, extension);
    for file in files(&args.json, in_folder("json")) {
        output.json(&file, report)?;
    }
    for file in files(&args.csv, in_folder("csv")) {
        write_file(&file, &hitrate_csv::csv(report).map_err(failed)?)?;
    }
    for file in files(&args.svg, in_folder("svg")) {
        write_file(&file, hitrate_plot::svg(report).map_err(failed)?.as_bytes())?;
    }
    for file in files(&args.png, in_folder("png")) {
        write_file(&file, &hitrate_plot::png(report).map_err(failed)?)?;
    }
    if let Some(file) = in_folder("md") {
        write_file(&file, table.as_bytes())?;
    }
    Ok(())
}

/// The file of an option and the one in the folder, as far as they were asked for.
fn files(option: &Option<PathBuf>, in_folder: Option<PathBuf>) -> impl Iterator<Item = PathBuf> {
    option.clone().into_iter().chain(in_folder)
}

fn failed(error: impl std::fmt::Display) -> CliError {
    CliError::Shown(error.to_string())
}
