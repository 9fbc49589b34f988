//! `xtq export`: the hardware as Verilog.

use crate::error::CliError;
use crate::output::{Output, write_file};
use crate::sources::SOURCES;
use std::path::{Path, PathBuf};
use xtq_engine::Error;
use xtq_engine::catalogue::Catalogue;
use xtq_engine::elaborate::elaborate;
use xtq_engine::verilog::{File, Options, write};
use xtq_rtl::xtq_target::XtqTarget;
use xtq_testbench::blocks;

/// Name of the top module, unless `--top` gives another.
const TOP: &str = "xtq_target";

/// Write the hardware as Verilog
///
/// The file is DIR/<top>.v; DIR is made if it does not exist. A file that `xtq export` did not write is not overwritten.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  xtq export build\n  xtq export build --top my_nic --atomics\n  yosys -p 'read_verilog build/xtq_target.v; hierarchy -check -top xtq_target; proc; check -assert'"
)]
pub struct ExportArgs {
    /// Folder for the file
    dir: PathBuf,
    /// Name of the top module and of the file
    #[arg(long, value_name = "NAME", default_value = TOP, value_parser = module_name)]
    top: String,
    /// Build with AXI5 atomics (awatop), for queues that others fill too; without, shared queues are refused
    #[arg(long)]
    atomics: bool,
}

/// Words that Verilog keeps for itself and that look like names one might choose.
const KEYWORDS: [&str; 16] = [
    "always", "assign", "begin", "case", "cell", "design", "end", "function", "generate",
    "initial", "input", "module", "output", "reg", "task", "wire",
];

/// A name that every tool takes as that of a module.
fn module_name(text: &str) -> Result<String, String> {
    let mut letters = text.chars();
    let first = letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let rest = letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    match first && rest && !KEYWORDS.contains(&text) {
        true => Ok(text.to_owned()),
        false => Err("not a Verilog identifier (letters, digits, _)".to_owned()),
    }
}

/// First line of every file written here; a file that begins otherwise is not overwritten.
const MARK: &str = "// Written by `xtq export`";

/// Writes the file.
pub fn run(args: &ExportArgs, output: &mut Output) -> Result<bool, CliError> {
    let file = args.dir.join(format!("{}.v", args.top));
    let usage = |message: String, help: &str| CliError::Usage {
        argument: args.dir.display().to_string(),
        message,
        help: help.to_owned(),
    };
    if args.dir.exists() && !args.dir.is_dir() {
        return Err(usage(
            "is a file, not a folder".to_owned(),
            "name a folder; it is made if it does not exist",
        ));
    }
    if is_foreign(&file) {
        let message = format!("{} was not written by `xtq export`", file.display());
        return Err(usage(
            message,
            "remove it, or choose another folder or --top",
        ));
    }
    std::fs::create_dir_all(&args.dir).map_err(|source| CliError::Write {
        file: args.dir.display().to_string(),
        source,
    })?;
    let mut text = head(&args.top, args.atomics);
    for module in modules(args)? {
        text.push_str(&module.text);
        text.push('\n');
    }
    write_file(&file, text.as_bytes())?;
    let lines = text.lines().count();
    output.text(&format!(
        "{}: module {}, {lines} lines\n",
        file.display(),
        args.top
    ));
    Ok(true)
}

/// The modules, the top last. Errors: the hardware breaks a rule of the engine; its source is no Rust.
fn modules(args: &ExportArgs) -> Result<Vec<File>, CliError> {
    let atomics = args.atomics;
    let top = blocks::boxed(move || XtqTarget::new(atomics))?;
    let design = elaborate(top.as_ref()).map_err(Error::Findings)?;
    let catalogue = Catalogue::new(SOURCES.iter().copied()).map_err(Error::BadDesign)?;
    let options = Options {
        catalogue: Some(&catalogue),
        top: Some(&args.top),
    };
    Ok(write(&design, &options))
}

fn head(top: &str, atomics: bool) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let build = if atomics { "with" } else { "without" };
    format!(
        "{MARK} {version}; do not edit.\n\
         // SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Top module {top}, {build} atomics: clk, rst (synchronous, active high), s_axis_net, m_axis_net (AXI4-Stream),\n\
         // m_axi (AXI4 master), s_axil (AXI4-Lite), irq, trace (for simulation).\n\n"
    )
}

/// Whether the file exists and is not ours.
fn is_foreign(file: &Path) -> bool {
    match std::fs::read(file) {
        Ok(bytes) => !bytes.starts_with(MARK.as_bytes()),
        Err(_) => file.exists(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_tools_would_refuse_are_refused() {
        for name in ["", "1a", "a-b", "a$b", "module", "ä"] {
            assert!(module_name(name).is_err(), "{name}");
        }
        assert_eq!(module_name("my_nic2"), Ok("my_nic2".to_owned()));
    }
}
