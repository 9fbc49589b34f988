//! `xtq bench`: how fast the engines are, beside Verilator.

use crate::bench::cases::{Reference, ours, theirs};
use crate::bench::report::{Report, Row};
use crate::bench::targets::targets;
use crate::bench::{BenchError, engines, traffic, verilator};
use crate::error::CliError;
use crate::output::{Output, write_file};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};

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
    /// Messages of the saturated traffic, at most 5,000; one takes 7 cycles
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u16).range(1..=5000))]
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

/// Messages of the nearly idle traffic.
const IDLE_MESSAGES: u16 = 20;
/// Marks in a Markdown file.
const MARKS: [&str; 2] = ["<!-- bench -->\n", "<!-- end of bench -->\n"];

/// Measures; whether all digests agreed.
pub fn run(args: &BenchArgs, output: &mut Output) -> Result<bool, CliError> {
    output.reserve_json(args.json.as_deref());
    // Before minutes of measuring.
    let page = args.markdown.as_deref().map(Page::read).transpose()?;
    let report = measure(args, output).map_err(CliError::Bench)?;
    let table = report.markdown();
    output.text(&table);
    if !report.agree {
        output.text("\nDIFFER: not all engines gave the same outputs\n");
    }
    if let Some(file) = &args.json {
        output.json(file, &report)?;
    }
    keep(page, &report, &table)?;
    Ok(report.agree)
}

/// Puts the table into the page, unless the engines disagree: then it keeps what it has.
fn keep(page: Option<Page>, report: &Report, table: &str) -> Result<(), CliError> {
    match page {
        Some(page) if report.agree => page.write(table),
        _ => Ok(()),
    }
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
    let reference = Reference::new(&cases)?;
    let Some((_, body)) = engines::build(xtq_engine::EngineKind::Interp)? else {
        return Err(BenchError::new("the profile", "there is no interpreter"));
    };
    let profile = engines::profile(&body, &saturated)?;
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
            case.row.slept = sample.slept;
            case.row.digest = format!("{:016x}", sample.digest);
            agree &= reference.agrees(&case.row);
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
        agree,
        profile,
        rows,
    })
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

/// A Markdown file with marks for the table.
struct Page<'a> {
    file: &'a Path,
    before: String,
    after: String,
}

impl<'a> Page<'a> {
    /// Reads it. Errors: it cannot be read, it has no marks.
    fn read(file: &'a Path) -> Result<Self, CliError> {
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
        Ok(Self {
            file,
            before: before.into(),
            after: after.into(),
        })
    }

    /// Puts the table between the marks.
    fn write(&self, table: &str) -> Result<(), CliError> {
        let Self { before, after, .. } = self;
        let text = format!("{before}{}\n{table}\n{}{after}", MARKS[0], MARKS[1]);
        write_file(self.file, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::engines::Profile;

    #[test]
    fn a_page_keeps_what_it_has_if_the_engines_disagree() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.md");
        let old = format!("a\n{}old\n{}b\n", MARKS[0], MARKS[1]);
        for agree in [false, true] {
            std::fs::write(&file, &old).unwrap();
            let report = Report {
                machine: String::new(),
                verilator: String::new(),
                command: String::new(),
                rounds: 1,
                rows: Vec::new(),
                targets: Vec::new(),
                profile: Profile {
                    operations: 1,
                    changed: 0.5,
                },
                agree,
            };
            let page = Page::read(&file).unwrap();
            keep(Some(page), &report, "new\n").unwrap();
            let text = std::fs::read_to_string(&file).unwrap();
            assert_eq!(text != old, agree, "{text}");
        }
    }
}
