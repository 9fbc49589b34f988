//! `xtq lint`: the rules that designs and kernels keep.

use crate::error::CliError;
use crate::files::Files;
use crate::names;
use crate::output::Output;
use crate::sources::SOURCES;
use rust_hdl::prelude::Block;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use xtq_engine::Finding;
use xtq_engine::blocks;
use xtq_engine::elaborate::elaborate;
use xtq_engine::netlist::Netlist;
use xtq_engine::source_info::SourceInfo;
use xtq_engine::{Error, SourceFinding, source_lint};
use xtq_testbench::input::utf8;

/// Check every block, and the source of all kernels, against the rules of docs/engine.md
///
/// Each finding names the rule, the block with its type and file, and the signal, or file and line, and says what is
/// wrong. Exits with 0 only if there is none.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  xtq lint\n  xtq lint my_block.rs --json -")]
pub struct LintArgs {
    /// More Rust files whose kernels are checked as text
    files: Vec<PathBuf>,
    /// Write the report as JSON; `-` is standard output, and the text then goes to standard error
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A design that was checked.
struct Top {
    name: String,
    /// Its struct.
    block: &'static str,
    findings: Vec<Finding>,
}

/// Every block by itself, and the tops with atomics. Errors: a block cannot be built.
fn tops() -> Result<Vec<Top>, CliError> {
    let top = |name: &str, block, design: &dyn Block| Top {
        name: name.into(),
        block,
        findings: findings(design),
    };
    let mut tops = Vec::new();
    for name in blocks::names() {
        let block = blocks::type_of(name).unwrap_or_default();
        tops.push(top(name, block, blocks::design(name)?.as_ref()));
        if blocks::is_top(name) {
            let atomics = blocks::design_of(name, 1)?;
            tops.push(top(
                &format!("{name} with atomics"),
                block,
                atomics.as_ref(),
            ));
        }
    }
    Ok(tops)
}

/// Checks everything; whether nothing was found.
pub fn run(args: &LintArgs, output: &mut Output) -> Result<bool, CliError> {
    Files::default()
        .reads("FILES", &args.files)
        .writes("--json", &args.json)
        .check(output)?;
    let mut texts = Vec::new();
    for file in &args.files {
        let name = file.display().to_string();
        let text = utf8::read(file).map_err(|source| CliError::Read {
            file: name.clone(),
            source,
        })?;
        texts.push((name, text));
    }
    let more = texts
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()));
    let files: Vec<(&str, &str)> = SOURCES.iter().copied().chain(more).collect();
    let in_sources = source_lint(&files)?;
    let source = SourceInfo::new(SOURCES.iter().copied()).map_err(Error::BadDesign)?;
    let in_tops = tops()?;

    let mut text = String::new();
    for top in &in_tops {
        for finding in &top.findings {
            let _ = writeln!(text, "{}", line(&source, top, finding));
        }
    }
    in_sources
        .iter()
        .for_each(|finding| _ = writeln!(text, "{}", names::line(&finding.to_string())));
    let count = in_sources.len() + in_tops.iter().map(|top| top.findings.len()).sum::<usize>();
    let (tops, files) = (in_tops.len(), files.len());
    let _ = writeln!(text, "{tops} tops, {files} source files: {count} findings");
    output.text(&text);
    if let Some(file) = &args.json {
        let tops = in_tops.iter().map(|top| {
            let found = top.findings.iter();
            let found: Vec<Value> = found.map(|f| in_design(&source, top, f)).collect();
            json!({ "top": top.name, "findings": found })
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

/// A finding with the struct and file of its block.
fn line(source: &SourceInfo, top: &Top, finding: &Finding) -> String {
    let place = match source.at(top.block, &finding.block) {
        Some(block) => format!(" ({}, {})", block.name, block.file),
        None => String::new(),
    };
    format!("{}{place}: {finding}", top.name)
}

fn in_design(source: &SourceInfo, top: &Top, finding: &Finding) -> Value {
    let place = source.at(top.block, &finding.block);
    let Finding {
        rule,
        block,
        signal,
        detail,
    } = finding;
    json!({
        "rule": rule.name(),
        "block": block,
        "type": place.map(|block| &block.name),
        "file": place.map(|block| &block.file),
        "signal": signal,
        "detail": detail,
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use xtq_engine::Rule;

    #[test]
    fn a_finding_names_block_type_file_and_signal() {
        let source = SourceInfo::new(SOURCES.iter().copied()).unwrap();
        let top = Top {
            name: "xtq_target with atomics".into(),
            block: "XtqTarget",
            findings: Vec::new(),
        };
        let finding = |block: &str| Finding {
            rule: Rule::Latch,
            block: block.into(),
            signal: "free".into(),
            detail: "is a latch".into(),
        };
        let ring = finding("pipeline.rings.rings$3");
        assert_eq!(
            line(&source, &top, &ring),
            "xtq_target with atomics (EventRing, rtl/src/events/event_rings.rs): latch: pipeline.rings.rings$3: free: is a latch"
        );
        let json = in_design(&source, &top, &ring);
        assert_eq!(
            (&json["type"], &json["file"]),
            (&"EventRing".into(), &"rtl/src/events/event_rings.rs".into())
        );
        let json = in_design(&source, &top, &finding("no.such"));
        assert!(json["type"].is_null(), "{json}");
        let itself = line(&source, &top, &finding("top"));
        assert!(
            itself.contains(" (XtqTarget, rtl/src/xtq_target.rs): "),
            "{itself}"
        );
    }
}
