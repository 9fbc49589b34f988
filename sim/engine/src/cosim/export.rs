//! A design as files in a folder, and Verilator run over them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::process::{file, run};
use crate::base::{Finding, Rule};
use crate::design::Design;
use crate::verilog::{FILE_LIST, ModuleNames, Options, file_list, write_with_names};
use crate::{Error, Result};

/// The Verilog of a design in a folder, a file for each module and a list of them.
#[derive(Clone, Debug)]
pub struct Export {
    /// The folder.
    pub folder: PathBuf,
    /// Name of the top module.
    pub top: String,
    /// The names in each module of the design.
    pub(super) names: Vec<ModuleNames>,
}

/// Signals that Verilog cannot have: an enum with one variant has no bits.
fn bitless(design: &Design) -> Vec<Finding> {
    let modules = design.modules.iter().zip(&design.first_path);
    let signals = modules.flat_map(|(module, path)| module.signals.iter().map(move |s| (path, s)));
    let bitless = signals.filter(|(_, signal)| signal.ty.width == 0);
    let finding = bitless.map(|(path, signal)| Finding {
        rule: Rule::Unsupported,
        block: if path.is_empty() { "top" } else { path }.into(),
        signal: signal.name.clone(),
        detail: "has no bits, and Verilog has no such signal".into(),
    });
    finding.collect()
}

impl Export {
    /// Writes the design; the folder must exist. Errors: [`Error::Findings`] of [`Design::check`]; a file cannot be
    /// written.
    pub fn write(design: &Design, options: &Options, folder: &Path) -> Result<Self> {
        design.check().map_err(Error::Findings)?;
        let bitless = bitless(design);
        if !bitless.is_empty() {
            return Err(Error::Findings(bitless));
        }
        let (files, names) = write_with_names(design, options);
        for module in &files {
            file(folder, &format!("{}.v", module.name), &module.text)?;
        }
        file(folder, FILE_LIST, &file_list(&files))?;
        Ok(Self {
            folder: folder.into(),
            top: files
                .last()
                .map_or_else(String::new, |top| top.name.clone()),
            names,
        })
    }

    /// Runs Verilator in the folder over these files, with its own `arguments` (`--cc`, `--exe main.cpp`, `-O3`, ...)
    /// before them; gives the time it took. Errors: it is not installed, or does not succeed, with what it printed.
    pub fn verilate(&self, arguments: &[&str]) -> Result<Duration> {
        let start = Instant::now();
        let list = ["-f", FILE_LIST];
        run("verilator", &[arguments, &list].concat(), &self.folder)?;
        Ok(start.elapsed())
    }
}
