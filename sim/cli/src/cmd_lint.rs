//! `xtq lint`: the rules that designs and kernels keep.

use crate::error::CliError;
use crate::output::Output;
use crate::sources::SOURCES;
use rust_hdl::prelude::Block;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use xtq_engine::elaborate::{Finding, elaborate};
use xtq_engine::netlist::Netlist;
use xtq_engine::{SourceFinding, source_lint};
use xtq_rtl::xtq_target::XtqTarget;
use xtq_testbench::blocks;

/// Check every block, and the source of all kernels, against the rules of docs/engine.md
///
/// Each finding names the rule, the block and the signal, or file and line, and says what is wrong. Exits with 0 only if there is none.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  xtq lint\n  xtq lint my_block.rs --json -")]
pub struct LintArgs {
    /// More Rust files whose kernels are checked as text
    files: Vec<PathBuf>,
    /// Write the report as JSON; `-` is standard output, and the text then goes to standard error
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Every block by itself, and the top with atomics. Errors: a block cannot be built.
fn tops() -> Result<Vec<(String, Vec<Finding>)>, CliError> {
    let mut tops = Vec::new();
    for name in blocks::NAMES {
        tops.push((name.to_string(), findings(blocks::design(name)?.as_ref())));
    }
    let atomics = blocks::boxed(|| XtqTarget::new(true))?;
    tops.push(("xtq_target with atomics".into(), findings(atomics.as_ref())));
    Ok(tops)
}

/// Checks everything; whether nothing was found.
pub fn run(args: &LintArgs, output: &mut Output) -> Result<bool, CliError> {
    output.reserve_json(args.json.as_deref());
    let mut texts = Vec::new();
    for file in &args.files {
        let name = file.display().to_string();
        let text =
            std::fs::read_to_string(file).map_err(|error| unreadable(&name, &error.to_string()))?;
        texts.push((name, text));
    }
    let more = texts
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()));
    let files: Vec<(&str, &str)> = SOURCES.iter().copied().chain(more).collect();
    let in_sources =
        source_lint(&files).map_err(|error| unreadable("source", &error.to_string()))?;
    let in_tops = tops()?;

    let mut text = String::new();
    for (name, found) in &in_tops {
        found
            .iter()
            .for_each(|finding| _ = writeln!(text, "{name}: {finding}"));
    }
    in_sources
        .iter()
        .for_each(|finding| _ = writeln!(text, "{finding}"));
    let count = in_sources.len() + in_tops.iter().map(|(_, found)| found.len()).sum::<usize>();
    let (tops, files) = (in_tops.len(), files.len());
    let _ = writeln!(text, "{tops} tops, {files} source files: {count} findings");
    output.text(&text);
    if let Some(file) = &args.json {
        let tops = in_tops.iter().map(|(name, found)| {
            let found: Vec<Value> = found.iter().map(in_design).collect();
            json!({ "top": name, "findings": found })
        });
        let tops: Vec<Value> = tops.collect();
        let sources: Vec<Value> = in_sources.iter().map(in_source).collect();
        let sources = json!({ "files": files, "findings": sources });
        output.json(
            file,
            &json!({ "passed": count == 0, "tops": tops, "sources": sources }),
        )?;
    }
    Ok(count == 0)
}

/// Everything that is wrong with a design.
fn findings(top: &dyn Block) -> Vec<Finding> {
    match elaborate(top) {
        Ok(design) => Netlist::new(&design).err().unwrap_or_default(),
        Err(findings) => findings,
    }
}

fn unreadable(file: &str, message: &str) -> CliError {
    CliError::Usage {
        argument: file.to_owned(),
        message: message.to_owned(),
        help: "name Rust source files".to_owned(),
    }
}

fn in_design(finding: &Finding) -> Value {
    let Finding {
        rule,
        block,
        signal,
        detail,
    } = finding;
    json!({ "rule": rule.name(), "block": block, "signal": signal, "detail": detail })
}

fn in_source(finding: &SourceFinding) -> Value {
    let SourceFinding {
        file,
        line,
        rule,
        what,
        detail,
    } = finding;
    json!({ "rule": rule.name(), "file": file, "line": line, "what": what, "detail": detail })
}
