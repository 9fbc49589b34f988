//! From a [`Design`] to Verilog-2005 that a person can read and that means what the Rust means.
//!
//! **Idea.** One module for each distinct block, with parameters resolved. A kernel is written in groups of statements
//! ([`groups`]), expressions nest as in Rust where the two languages agree on widths and get a wire where they do not
//! ([`expr`]). Names are those of Rust with `_` for `.` and brackets; comments say where a name differs. With a
//! [`SourceInfo`] of the source, modules are called after their structs and carry their documentation.
//!
//! **Warnings.** Bits that nobody reads are gathered in one wire called `_unused`, as Verilator's manual recommends;
//! constants that are not used are not declared; comparisons that can only go one way are worked out ([`fold`]). So the
//! text has no warnings and needs no orders to keep tools quiet.

mod block;
mod comments;
mod expr;
mod fold;
mod groups;
mod loops;
mod module;
mod modules;
mod names;
mod ports;
mod power_up;
mod sheet;
mod slices;
mod storage;
mod text;

pub(crate) use names::ModuleNames;
pub use ports::PortInfo;
pub(crate) use power_up::power_up;

use crate::design::Design;
use crate::source_info::SourceInfo;

/// A module as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Name of the module; the file should be called after it, with `.v`.
    pub name: String,
    /// The text.
    pub text: String,
}

/// How a design is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Source of the blocks, for names and comments. Without it modules are called after the path of their first
    /// instance.
    pub source: Option<&'a SourceInfo>,
    /// Name of the top module, instead of that of its struct.
    pub top: Option<&'a str>,
    /// Struct of the top, for one whose fields are those of another struct too.
    pub block: Option<&'a str>,
}

/// The text of every module, children before parents, the top last. The design must be one that a
/// [`Netlist`](crate::netlist::Netlist) can be made of: without latches and undriven signals, [`Design::check`] finds
/// nothing, and every signal has a bit; else it panics ([`Export::write`](crate::Export::write) looks first).
pub fn write(design: &Design, options: &Options) -> Vec<File> {
    write_with_names(design, options).0
}

/// The same, and the ports of the top.
pub fn write_with_ports(design: &Design, options: &Options) -> (Vec<File>, Vec<PortInfo>) {
    let (files, names) = write_with_names(design, options);
    let types = options
        .source
        .map(|source| source.resolve(design, options.block))
        .unwrap_or_default();
    let top = types.get(design.top).and_then(Option::as_ref);
    let info = top.and_then(|block| block.info);
    (files, ports::ports(design, &names[design.top], info))
}

/// Signals that have to be written in one `always` block (they share an accumulator, or it is one signal written in
/// pieces) and that are part of a circle through other blocks: the path of the block, and the signals. A simulator that
/// evaluates such text event by event may never come to an end, although no bit depends on itself. What makes the
/// others of the accumulator apart from the one in the circle (a loop of its own in the kernel) helps.
pub fn kept_circles(design: &Design) -> Vec<(String, Vec<String>)> {
    loops::kept(&fold::fold(design))
}

/// [`write`], with the names in each module.
pub(crate) fn write_with_names(
    design: &Design,
    options: &Options,
) -> (Vec<File>, Vec<ModuleNames>) {
    let types = match options.source {
        Some(source) => source.resolve(design, options.block),
        None => vec![None; design.modules.len()],
    };
    let modules = modules::module_names(design, &types, options.top);
    let design = &fold::fold(design);
    let plan = loops::plan(design);
    let (mut files, mut inner) = (Vec::new(), Vec::new());
    for number in 0..design.modules.len() {
        let (text, names) = module::module(&module::Draft {
            design,
            number,
            groups: &plan[number],
            block: types[number].as_ref(),
            modules: &modules,
            inner: &inner,
        });
        inner.push(names);
        let name = modules[number].clone();
        files.push(File { name, text });
    }
    (files, inner)
}

/// Statements that give the registers in `instance`, which is one of the design as [`write`] writes it, their first
/// values of Rust: for a testbench that compares before the reset.
pub fn first_values(design: &Design, options: &Options, instance: &str) -> Vec<String> {
    power_up(design, &write_with_names(design, options).1, instance)
}

/// Whether every tool takes a name as it is: letters, digits and `_`, not too many of them, and no word of Verilog or
/// C++, nor one that a tool has taken.
pub fn is_identifier(name: &str) -> bool {
    !name.is_empty() && names::fits(name) && names::Scope::default().unique(name) == name
}

/// Name of the file that lists the others, for the option `-f` of Icarus and Verilator.
pub const FILE_LIST: &str = "files.f";

/// The text of [`FILE_LIST`]: a name a line, children before parents.
pub fn file_list(files: &[File]) -> String {
    let line = |file: &File| format!("{}.v\n", file.name);
    files.iter().map(line).collect()
}
