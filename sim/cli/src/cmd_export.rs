//! `xtq export`: the hardware as Verilog.

use crate::error::CliError;
use crate::output::{Output, write_file};
use rust_hdl::prelude::{Block, generate_verilog};
use std::path::{Path, PathBuf};
use xtq_rtl::xtq_target::XtqTarget;

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
    let mut top = Box::new(XtqTarget::new(args.atomics));
    top.connect_all();
    let verilog = rename_top(&generate_verilog(top.as_ref()), &args.top);
    let text = format!("{}{verilog}", head(&args.top, args.atomics));
    write_file(&file, text.as_bytes())?;
    let lines = text.lines().count();
    output.text(&format!(
        "{}: module {}, {lines} lines\n",
        file.display(),
        args.top
    ));
    Ok(true)
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

/// rust-hdl calls the top module `top` and every other one `top$child$...`: both get the chosen name. A signal called `top`
/// stays, for only the word behind `module` is a module's name.
fn rename_top(verilog: &str, name: &str) -> String {
    let mut text = String::with_capacity(verilog.len() + verilog.len() / 8);
    let mut previous = "";
    let mut rest = verilog;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    while !rest.is_empty() {
        let end = rest.find(is_word).unwrap_or(rest.len());
        let (between, after) = rest.split_at(end);
        text.push_str(between);
        let end = after.find(|c| !is_word(c)).unwrap_or(after.len());
        let (word, after) = after.split_at(end);
        match word.strip_prefix("top") {
            Some("") if previous == "module" => text.push_str(name),
            Some(path) if path.starts_with('$') => {
                text.push_str(name);
                text.push_str(path);
            }
            _ => text.push_str(word),
        }
        previous = word;
        rest = after;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_renamed_and_signals_stay() {
        let text = "module top(input wire clk); wire top; top$sub sub(.top(top)); endmodule\nmodule top$sub(); endmodule\n";
        let want = "module nic(input wire clk); wire top; nic$sub sub(.top(top)); endmodule\nmodule nic$sub(); endmodule\n";
        assert_eq!(rename_top(text, "nic"), want);
    }

    #[test]
    fn names_that_tools_would_refuse_are_refused() {
        for name in ["", "1a", "a-b", "a$b", "module", "ä"] {
            assert!(module_name(name).is_err(), "{name}");
        }
        assert_eq!(module_name("my_nic2"), Ok("my_nic2".to_owned()));
    }
}
