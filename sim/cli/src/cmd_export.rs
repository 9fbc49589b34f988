//! `xtq export`: the hardware as Verilog.

use crate::error::CliError;
use crate::output::{Output, write_file};
use crate::sources::SOURCES;
use std::path::{Path, PathBuf};
use xtq_engine::Error;
use xtq_engine::catalogue::Catalogue;
use xtq_engine::elaborate::elaborate;
use xtq_engine::verilog::{FILE_LIST, File, Options, file_list, is_identifier, write};
use xtq_testbench::blocks;

/// The block that is written unless `--top` names another.
const TOP: &str = "nic";

/// Write the hardware as Verilog
///
/// Each module is a file DIR/<module>.v; DIR/files.f lists them for the option -f of Icarus Verilog and Verilator. DIR is made if it does not exist.
/// A file that `xtq export` did not write is not overwritten; modules of an earlier export that are not part of this one are removed.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  xtq export build\n  xtq export build --top target --name my_nic --atomics\n  xtq export build --top lookup-cache\n  cd build && verilator --lint-only -Wall --top-module nic -f files.f\n  yosys -p 'read_verilog build/*.v; hierarchy -check -top nic; proc; check -assert'"
)]
pub struct ExportArgs {
    /// Folder for the files
    dir: PathBuf,
    /// Block to write: `nic`, the whole NIC; `target`, its target side alone; or any that `xtq lockstep --list` prints, with - or _
    #[arg(long, value_name = "BLOCK", default_value = TOP, value_parser = block)]
    top: &'static str,
    /// Name of the top module [default: that of the block]
    #[arg(long, value_name = "NAME", value_parser = module_name)]
    name: Option<String>,
    /// Build with AXI5 atomics (awatop), for queues that others fill too; without, shared queues are refused. For `nic` and `target`
    #[arg(long)]
    atomics: bool,
}

/// A name that every tool takes as that of a module.
fn module_name(text: &str) -> Result<String, String> {
    match is_identifier(text) {
        true => Ok(text.to_owned()),
        false => Err(
            "a module is called by letters, digits and _, and by no word of Verilog or C++"
                .to_owned(),
        ),
    }
}

/// A block by what it is called. Errors: there is none; the text lists those there are.
fn block(called: &str) -> Result<&'static str, String> {
    blocks::find(called).ok_or_else(|| {
        let others = blocks::other_names().map(|(other, name)| format!("{other} ({name})"));
        let others: Vec<String> = others.collect();
        format!(
            "there is no such block; there are {}; and by other names {}",
            blocks::NAMES.join(", "),
            others.join(", ")
        )
    })
}

/// First line of every file written here; a file that begins otherwise is not overwritten.
const MARK: &str = "// Written by `xtq export`";

/// Writes the files.
pub fn run(args: &ExportArgs, output: &mut Output) -> Result<bool, CliError> {
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
    if args.atomics && !blocks::is_top(args.top) {
        return Err(CliError::Usage {
            argument: "--atomics".to_owned(),
            message: format!("is nothing that '{}' is built with", args.top),
            help: "leave it out, or export nic or target".to_owned(),
        });
    }
    let modules = modules(args)?;
    let top = modules.last().map_or("", |top| top.name.as_str());
    let texts = texts(args, &modules, top);
    for (file, _) in &texts {
        if is_foreign(file) {
            let message = format!("{} was not written by `xtq export`", file.display());
            return Err(usage(
                message,
                "remove it, or choose another folder or --name",
            ));
        }
    }
    let failed = |file: &Path, source| CliError::Write {
        file: file.display().to_string(),
        source,
    };
    std::fs::create_dir_all(&args.dir).map_err(|source| failed(&args.dir, source))?;
    let stale = stale(&args.dir, &texts);
    // The list comes last: an export that breaks off leaves the old one, which names what was not removed.
    let count = modules.len();
    for (file, text) in &texts[..count] {
        write_file(file, text.as_bytes())?;
    }
    for file in &stale {
        std::fs::remove_file(file).map_err(|source| failed(file, source))?;
    }
    for (file, text) in &texts[count..] {
        write_file(file, text.as_bytes())?;
    }
    if !stale.is_empty() {
        output.text(&format!(
            "removed what an earlier export left: {}\n",
            stale.len()
        ));
    }
    let lines: usize = texts.iter().map(|(_, text)| text.lines().count()).sum();
    output.text(&format!(
        "{}: module {top}, {count} modules, {lines} lines\n",
        args.dir.join(FILE_LIST).display(),
    ));
    Ok(true)
}

/// The files with their texts, the list last.
fn texts(args: &ExportArgs, modules: &[File], top: &str) -> Vec<(PathBuf, String)> {
    let head = head(top, args);
    let text = |module: &File| {
        let is_chip = module.name == top && blocks::is_top(args.top);
        let ports = if is_chip { PORTS } else { "" };
        let file = args.dir.join(format!("{}.v", module.name));
        (file, format!("{head}{ports}\n{}", module.text))
    };
    let mut texts: Vec<_> = modules.iter().map(text).collect();
    let list = head + &file_list(modules);
    texts.push((args.dir.join(FILE_LIST), list));
    texts
}

/// The modules, the top last. Errors: the hardware breaks a rule of the engine; its source is no Rust.
fn modules(args: &ExportArgs) -> Result<Vec<File>, CliError> {
    let block = blocks::design_of(args.top, args.atomics)?;
    let design = elaborate(block.as_ref()).map_err(Error::Findings)?;
    let catalogue = Catalogue::new(SOURCES.iter().copied()).map_err(Error::BadDesign)?;
    let own = is_identifier(args.top).then_some(args.top);
    let options = Options {
        catalogue: Some(&catalogue),
        top: args.name.as_deref().or(own),
    };
    Ok(write(&design, &options))
}

/// Of the top's file.
const PORTS: &str = "// Ports: clk, rst (synchronous, active high), s_axis_net, m_axis_net (AXI4-Stream), m_axi (AXI4 master),\n\
     // s_axil (AXI4-Lite), irq, trace (for simulation).\n";

/// The first lines of every file.
fn head(top: &str, args: &ExportArgs) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let build = match (blocks::is_top(args.top), args.atomics) {
        (false, _) => "",
        (true, true) => ", with atomics",
        (true, false) => ", without atomics",
    };
    format!(
        "{MARK} {version}; do not edit. Part of {top}{build}.\n\
         // SPDX-License-Identifier: MIT OR Apache-2.0\n"
    )
}

/// What the list of an earlier export names, was written by it, and is not among the files of this one.
fn stale(dir: &Path, texts: &[(PathBuf, String)]) -> Vec<PathBuf> {
    let list = std::fs::read_to_string(dir.join(FILE_LIST)).unwrap_or_default();
    let named = list.lines().filter(|line| line.ends_with(".v"));
    let files = named.map(|name| dir.join(name));
    let earlier = files.filter(|file| file.parent() == Some(dir) && file.exists());
    let stale = earlier.filter(|file| texts.iter().all(|(new, _)| new != file));
    stale.filter(|file| !is_foreign(file)).collect()
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
