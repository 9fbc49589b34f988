//! `xtq export`: the hardware as Verilog, with what other people's tools need to use it.

use crate::error::CliError;
use crate::export::{MARK, Package, Registers};
use crate::files::Files;
use crate::names;
use crate::output::{Output, write_file};
use crate::sources::SOURCES;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use xtq_engine::blocks;
use xtq_engine::elaborate::elaborate;
use xtq_engine::source_info::SourceInfo;
use xtq_engine::verilog::{
    FILE_LIST, File, Options, file_list, first_values, is_identifier, kept_circles,
    write_with_ports,
};
use xtq_engine::{Backend, Body, Compiled, Error};
use xtq_types::register_map::CONTEXTS;

/// The block that is written unless `--top` names another.
const TOP: &str = "nic";

/// Write the hardware as Verilog
///
/// Each module is a file DIR/<module>.v; DIR/files.f lists them for the option -f of Icarus Verilog and Verilator.
/// Beside them are a page of the ports, a core for FuseSoC, constraints for the clock, the registers for people, C and
/// SystemRDL, and a test bench that checks itself. DIR is made if it does not exist. A file that `xtq export` did not
/// write is not overwritten; files of an earlier export that are not part of this one are removed.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  xtq export build\n  xtq export build --top target --name my_nic --atomics\n  xtq export build --top lookup-cache\n  cd build && verilator --lint-only -Wall --top-module nic -f files.f\n  yosys -p 'read_verilog build/*.v; hierarchy -check -top nic; proc; check -assert'"
)]
pub struct ExportArgs {
    /// Folder for the files
    dir: PathBuf,
    /// Block to write: `nic`, the whole NIC; `target`, its target side alone; or any that `xtq lockstep --list` prints,
    /// with - or _
    #[arg(long, value_name = "BLOCK", default_value = TOP, value_parser = block)]
    top: &'static str,
    /// Name of the top module [default: that of the block]
    #[arg(long, value_name = "NAME", value_parser = module_name)]
    name: Option<String>,
    /// Build with AXI5 atomics (awatop), for queues that others fill too; without, shared queues are refused. For `nic`
    /// and `target`
    #[arg(long)]
    atomics: bool,
    /// Clock frequency in the constraints
    #[arg(long, value_name = "MHZ", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    frequency: u32,
}

/// A name that every tool takes as that of a module.
fn module_name(text: &str) -> Result<String, String> {
    match is_identifier(text) {
        true => Ok(text.to_owned()),
        false => Err(
            "a module is called by at most 122 letters, digits and _ (__ counts as six), and by no word of Verilog, of C++ or of a tool (std, randomize, TOP, wone, wreal)"
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
            blocks::names().join(", "),
            others.join(", ")
        )
    })
}

/// Before the names of the files beside the modules, in the list.
const BESIDE: &str = "// Beside them: ";

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
    let declared = || Files::default().folders("DIR", [&args.dir]);
    declared().check(output)?;
    let texts = texts(args)?;
    let list = args.dir.join(FILE_LIST);
    let written = texts.files.iter().map(|(file, _)| file).chain([&list]);
    declared()
        .folders("DIR", written.clone().filter_map(|file| file.parent()))
        .writes("DIR", written.clone())
        .check(output)?;
    for file in written {
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
    let stale = stale(&args.dir, &texts.files);
    // The list comes first, with the old names until these files are removed: whatever an export that breaks off leaves
    // is in it.
    let folder = &args.dir;
    std::fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
    let both = format!("{}{}", texts.list, also(&args.dir, &stale));
    write_file(&list, both.as_bytes())?;
    for (file, text) in &texts.files {
        let folder = file.parent().unwrap_or(&args.dir);
        std::fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
        write_file(file, text.as_bytes())?;
    }
    for file in &stale {
        std::fs::remove_file(file).map_err(|source| failed(file, source))?;
    }
    if both != texts.list {
        write_file(&list, texts.list.as_bytes())?;
    }
    if !stale.is_empty() {
        output.text(&format!(
            "removed what an earlier export left: {}\n",
            stale.len()
        ));
    }
    let (top, count, lines) = (texts.top, texts.modules, texts.lines);
    output.text(&format!(
        "{}: module {top}, {count} modules, {lines} lines\n",
        names::line(&list.display().to_string()),
    ));
    Ok(true)
}

/// Everything that is written.
struct Texts {
    /// Name of the top module.
    top: String,
    /// Number of modules.
    modules: usize,
    /// Lines of their files.
    lines: usize,
    /// The files but the list, with their texts; modules first.
    files: Vec<(PathBuf, String)>,
    /// The text of the list.
    list: String,
}

/// Makes all texts. Errors: the hardware breaks a rule of the engine; its source is no Rust.
fn texts(args: &ExportArgs) -> Result<Texts, CliError> {
    let block = blocks::design_of(args.top, args.atomics.into())?;
    let design = elaborate(block.as_ref()).map_err(Error::Findings)?;
    let source = SourceInfo::new(SOURCES.iter().copied()).map_err(Error::BadDesign)?;
    let own = is_identifier(args.top).then_some(args.top);
    let options = Options {
        source: Some(&source),
        top: args.name.as_deref().or(own),
        block: blocks::type_of(args.top),
    };
    if let Some(told) = refusal(args.top, &kept_circles(&design)) {
        return Err(Error::BadDesign(told).into());
    }
    let (modules, ports) = write_with_ports(&design, &options);
    let top = modules
        .last()
        .map_or_else(String::new, |top| top.name.clone());
    let name = blocks::type_of(args.top).unwrap_or(args.top);
    let title = source.purpose(name).unwrap_or_default();
    let names = source.parameters(name).iter().map(String::as_str);
    let parameters: Vec<(&str, &str)> = names.zip(blocks::arguments(args.top)).collect();
    let mut engine = Compiled::new(Arc::new(Body::new(block.as_ref(), Backend::Jit)?));
    let package = Package {
        top: &top,
        title: &title,
        build: build(args),
        size: &size(args.top, name, &parameters),
        parameters: &parameters,
        modules: &modules,
        ports: &ports,
        registers: registers(name, contexts(args.top), args.atomics),
        megahertz: args.frequency,
        first_values: &first_values(&design, &options, "dut"),
    };
    let beside = package.files(&mut engine)?;
    let head = head(&top, args);
    let text = |module: &File| {
        let is_chip = module.name == top && blocks::is_top(args.top);
        let ports = if is_chip { PORTS } else { "" };
        let file = args.dir.join(format!("{}.v", module.name));
        (file, format!("{head}{ports}\n{}", module.text))
    };
    let mut files: Vec<_> = modules.iter().map(text).collect();
    let lines = files.iter().map(|(_, text)| text.lines().count()).sum();
    let names: Vec<&str> = beside.iter().map(|(name, _)| name.as_str()).collect();
    let list = format!("{head}{BESIDE}{}\n{}", names.join(" "), file_list(&modules));
    files.extend(
        beside
            .into_iter()
            .map(|(name, text)| (args.dir.join(name), text)),
    );
    Ok(Texts {
        modules: modules.len(),
        top,
        lines,
        files,
        list,
    })
}

/// What is reported of circles that a simulator might go round for ever; nothing if there are none.
fn refusal(top: &str, circles: &[(String, Vec<String>)]) -> Option<String> {
    let named = circles.iter().map(|(path, signals)| {
        let block = if path.is_empty() { top } else { path };
        format!("{block}: {}", signals.join(", "))
    });
    let named = named.collect::<Vec<_>>().join("; ");
    (!named.is_empty()).then(|| {
        format!(
            "{named}: written together, in a circle through other blocks, so that a simulator might go round for ever; write what is in the circle and what it shares with others (an accumulator) in loops of their own"
        )
    })
}

/// The registers of the block of this type.
fn registers(name: &str, contexts: u32, atomics: bool) -> Option<Registers> {
    match name {
        "Nic" => Some(Registers::Nic { contexts, atomics }),
        "XtqTarget" => Some(Registers::Target { atomics }),
        _ => None,
    }
}

/// Where `C`, the contexts, stands in the parameters of `Nic`.
const CONTEXTS_PARAMETER: usize = 5;

/// Contexts of a top.
fn contexts(block: &str) -> u32 {
    let own = blocks::arguments(block)
        .get(CONTEXTS_PARAMETER)
        .map(|own| own.parse());
    match own {
        Some(Ok(contexts)) if blocks::is_top(block) => contexts,
        _ => CONTEXTS,
    }
}

/// How large a NIC is, in words: the parameters are logarithms, and of the small one's entries half are used.
fn size(block: &str, name: &str, parameters: &[(&str, &str)]) -> String {
    let contexts = contexts(block);
    let number = |parameter: &str| {
        let (_, value) = parameters.iter().find(|(called, _)| *called == parameter)?;
        value.parse::<u32>().ok()
    };
    match (name, number("E"), number("H")) {
        ("Nic", Some(entries), Some(headers)) => {
            let of_all = |log: u32| contexts * (1 << log) / CONTEXTS;
            let (entries, headers) = (of_all(entries), of_all(headers));
            format!("{contexts} contexts, {entries} match entries, {headers} unexpected headers")
        }
        ("XtqTarget", ..) => format!("{contexts} contexts"),
        _ => String::new(),
    }
}

/// How the block is built, if there are several ways.
fn build(args: &ExportArgs) -> &'static str {
    match (blocks::is_top(args.top), args.atomics) {
        (false, _) => "",
        (true, true) => ", with atomics",
        (true, false) => ", without atomics",
    }
}

/// Of the top's file.
const PORTS: &str = "// Ports: clk, rst (synchronous, active high), s_axis_net, m_axis_net, of a whole NIC s_axis_ans, m_axis_ans (AXI4-Stream), m_axi (AXI4 master),\n\
     // s_axil (AXI4-Lite), irq, trace (for simulation).\n";

/// The first lines of every file.
fn head(top: &str, args: &ExportArgs) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let build = build(args);
    format!(
        "// {MARK} {version}; do not edit. Part of {top}{build}.\n\
         // SPDX-License-Identifier: MIT OR Apache-2.0\n"
    )
}

/// What the list of an earlier export names, was written by it, and is not among the files of this one.
fn stale(dir: &Path, texts: &[(PathBuf, String)]) -> Vec<PathBuf> {
    let list = std::fs::read_to_string(dir.join(FILE_LIST)).unwrap_or_default();
    let modules = list.lines().filter(|line| line.ends_with(".v"));
    let beside = list.lines().filter_map(|line| line.strip_prefix(BESIDE));
    let named = modules.chain(beside.flat_map(str::split_whitespace));
    // Nothing outside the folder, whatever the list says.
    let inside = |name: &&str| {
        Path::new(name)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
    };
    let earlier = named.filter(inside).map(|name| dir.join(name));
    let stale = earlier.filter(|file| file.exists() && texts.iter().all(|(new, _)| new != file));
    stale.filter(|file| !is_foreign(file)).collect()
}

/// The line of the list that names files of an earlier export; nothing if there are none.
fn also(dir: &Path, stale: &[PathBuf]) -> String {
    if stale.is_empty() {
        return String::new();
    }
    let names = stale.iter().filter_map(|file| file.strip_prefix(dir).ok());
    let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
    format!("{BESIDE}{}\n", names.join(" "))
}

/// Whether the file exists and is not ours.
fn is_foreign(file: &Path) -> bool {
    match std::fs::read_to_string(file) {
        // An empty one is nobody's.
        Ok(text) if text.is_empty() => false,
        Ok(text) => !text.lines().take(2).any(|line| line.contains(MARK)),
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

    #[test]
    fn circles_are_refused_by_their_names() {
        assert_eq!(refusal("fifo", &[]), None);
        let circle = |path: &str, signals: &[&str]| {
            let signals = signals.iter().map(ToString::to_string);
            (path.to_owned(), signals.collect())
        };
        let told = refusal("fifo", &[circle("", &["a", "b"]), circle("mem", &["c"])]).unwrap();
        assert!(told.starts_with("fifo: a, b; mem: c: written"), "{told}");
    }

    #[test]
    fn the_size_of_a_nic_is_said_in_words() {
        for (block, parameters, said) in [
            (
                "nic",
                &[("E", "8"), ("H", "7"), ("C", "4")][..],
                "4 contexts, 256 match entries, 128 unexpected headers",
            ),
            (
                "nic_2",
                &[("H", "10"), ("C", "4"), ("E", "10")],
                "4 contexts, 1024 match entries, 1024 unexpected headers",
            ),
            (
                "nic_3",
                &[("C", "2"), ("EN", "8"), ("E", "7"), ("HN", "7"), ("H", "6")],
                "2 contexts, 64 match entries, 32 unexpected headers",
            ),
            ("xtq_target", &[], "4 contexts"),
            ("fifo", &[("A", "2")], ""),
        ] {
            let name = blocks::type_of(block).unwrap_or_default();
            assert_eq!(size(block, name, parameters), said, "{block}");
        }
    }
}
