//! `xtq check`: run golden cases and compare.

use crate::error::CliError;
use crate::files::Files;
use crate::names::{line, padded};
use crate::output::{Output, write_file};
use crate::progress;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use xtq_testbench::cases::{CaseOutcome, On, Status, results_map, run_file};
use xtq_testbench::input::shortened;
use xtq_testbench::matchers::Kind;

/// Run the cases of a file and compare the results with what they expect
///
/// Exits with 0 only if every case passes; a case that uses something not built yet is unsupported, never passed. If a
/// case is wrong (malformed), the others run all the same, and the exit code is 2.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  xtq check testbench/cases/aql-xtq.json\n  xtq check cases.json --out results.json --json -\n  xtq check testbench/cases/portals-mpi.json --on model"
)]
pub struct CheckArgs {
    /// Case file (docs/cases.md)
    cases: PathBuf,
    /// What runs the cases of the kinds `portals` and `mpi`
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Platform::Rtl)]
    on: Platform,
    /// Names of what may be missing, as in the lines of unsupported cases: such cases do not count as failures
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    allow_unsupported: Vec<String>,
    /// Write the results: a map from case id to the result in the shape of `expect`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the report as JSON; `-` is standard output, and the text then goes to standard error
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What can run cases of several nodes.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Platform {
    /// The hardware: a simulated NIC for each node, driven through its command and event rings
    Rtl,
    /// The functional model that the hardware is compared with
    Model,
    /// `MatchUnit` alone; it, and those after it, run cases of the kind `mpi` only
    List,
    /// `PartitionedMatch` alone, which has no receives from any source
    Partitioned,
    /// `HashMatch` alone, which has no wildcards
    Hash,
    /// `ExactMatch` alone: the same with entries, headers and commands
    Exact,
}

impl From<Platform> for On {
    fn from(platform: Platform) -> Self {
        match platform {
            Platform::Rtl => Self::Rtl,
            Platform::Model => Self::Model,
            Platform::List => Self::Matcher(Kind::List),
            Platform::Partitioned => Self::Matcher(Kind::Partitioned),
            Platform::Hash => Self::Matcher(Kind::Hash),
            Platform::Exact => Self::Matcher(Kind::Exact),
        }
    }
}

/// Runs the cases; whether all passed, but for those that may be unsupported. Errors: also a case that is wrong, after
/// everything is written that the others gave.
pub fn run(args: &CheckArgs, output: &mut Output) -> Result<bool, CliError> {
    Files::default()
        .reads("CASES", [&args.cases])
        .writes("--out", &args.out)
        .writes("--json", &args.json)
        .check(output)?;
    let bar = progress::bar(output, "case", Some(0));
    let outcomes = run_file(&args.cases, args.on.into(), &mut |done, cases| {
        bar.set_length(cases as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let outcomes = outcomes?;
    let mut text = String::new();
    for outcome in &outcomes {
        describe(&mut text, outcome);
    }
    let count = |status| outcomes.iter().filter(|o| o.status == status).count();
    let may_be_missing = |outcome: &&CaseOutcome| {
        let mut allowed = args.allow_unsupported.iter();
        allowed.any(|name| outcome.missing.as_ref() == Some(name))
    };
    let allowed = outcomes.iter().filter(may_be_missing).count();
    let passed = count(Status::Passed) + allowed == outcomes.len();
    let _ = writeln!(
        text,
        "{} cases: {} passed, {} failed, {} unsupported, {} malformed",
        outcomes.len(),
        count(Status::Passed),
        count(Status::Failed),
        count(Status::Unsupported),
        count(Status::Malformed)
    );
    output.text(&text);
    if let Some(file) = &args.out {
        let results = format!("{:#}\n", results_map(&outcomes));
        write_file(file, results.as_bytes())?;
    }
    if let Some(file) = &args.json {
        let cases: Vec<_> = outcomes.iter().map(as_json).collect();
        output.json(file, &json!({ "passed": passed, "cases": cases }))?;
    }
    match outcomes.into_iter().find_map(|outcome| outcome.fault) {
        Some(fault) => Err(fault.into()),
        None => Ok(passed),
    }
}

fn describe(text: &mut String, outcome: &CaseOutcome) {
    let _ = writeln!(
        text,
        "{:<12} {} {}",
        word(outcome.status),
        padded(&shortened(&outcome.kind), 17, false),
        line(&shortened(&outcome.id))
    );
    let place = outcome.fault.as_ref().map_or_else(String::new, |fault| {
        format!("{}:{}:{}: ", fault.file, fault.line, fault.column)
    });
    for difference in &outcome.differences {
        let _ = writeln!(
            text,
            "             {}",
            line(&format!("{place}{difference}"))
        );
    }
}

fn as_json(outcome: &CaseOutcome) -> serde_json::Value {
    json!({
        "id": outcome.id,
        "kind": outcome.kind,
        "status": word(outcome.status),
        "missing": outcome.missing,
        "differences": outcome.differences,
        "line": outcome.fault.as_ref().map(|fault| fault.line),
        "column": outcome.fault.as_ref().map(|fault| fault.column),
    })
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Passed => "passed",
        Status::Failed => "failed",
        Status::Unsupported => "unsupported",
        Status::Malformed => "malformed",
    }
}
