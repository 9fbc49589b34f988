//! `accept`: exported Verilog must pass Yosys, Icarus Verilog and Verilator without a warning.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Output};
use std::sync::atomic::{AtomicU64, Ordering};

use rust_hdl::prelude::Block;
use xtq_engine::design::{Body, Leaf};
use xtq_engine::elaborate::elaborate;
use xtq_engine::verilog::{FILE_LIST, File, Options, file_list, write};
use xtq_engine::{Error, build_place};

/// A directory of its own for one call, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, String> {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let place = build_place().map_err(|error| error.to_string())?;
        let path = place.join(format!("xtq-verilog-{}-{call}", process::id()));
        fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self(path))
    }

    /// Writes the files and their list; the text of the list.
    fn save(&self, files: &[File]) -> Result<String, String> {
        let save = |file: &str, text: &str| {
            let path = self.0.join(file);
            fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
        };
        for file in files {
            save(&format!("{}.v", file.name), &file.text)?;
        }
        let list = file_list(files);
        save(FILE_LIST, &list)?;
        Ok(list)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A directory left behind harms nobody; a test must not fail for it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Writes a block as Verilog and gives it to the three tools ([`accept_files`]). `name` is for the message.
///
/// Errors: the block breaks a rule of the engine; those of [`accept_files`].
pub fn accept(name: &str, block: &dyn Block) -> Result<(), String> {
    let design = elaborate(block).map_err(|findings| Error::Findings(findings).to_string())?;
    let options = Options {
        top: Some("top"),
        ..Options::default()
    };
    let bodies = design.modules.iter().map(|module| &module.body);
    let memories = bodies.filter(|body| matches!(body, Body::Storage(Leaf::Ram { .. })));
    accept_files(name, &write(&design, &options), memories.count())
}

/// Gives a design, a file for each module, the top last, to the three tools: Yosys must find a complete hierarchy
/// without conflicting drivers, combinational loops of its own making or latches, and `memories` modules with a memory.
/// Icarus Verilog and Verilator must read it with all warnings on. No tool may print a word.
///
/// Errors: the first tool that refuses or warns, with what it printed; or that a tool is not installed.
pub fn accept_files(name: &str, files: &[File], memories: usize) -> Result<(), String> {
    let top = files.last().map_or("", |top| top.name.as_str());
    let scratch = Scratch::new()?;
    let list = scratch.save(files)?;
    let script = format!(
        "read_verilog {}; hierarchy -check -top {top}; proc; check -assert; select -assert-none t:$dlatch t:$adlatch; \
         memory_collect; select -assert-count {memories} t:$mem_v2; select -assert-none t:$meminit*",
        list.replace('\n', " ")
    );
    let in_scratch = |tool, arguments: &[&str]| quiet(name, tool, arguments, &scratch.0);
    in_scratch("yosys", &["-q", "-p", &script])?;
    let arguments = [
        "-g2005", "-Wall", "-o", "top.vvp", "-s", top, "-f", FILE_LIST,
    ];
    in_scratch("iverilog", &arguments)?;
    let arguments = ["--lint-only", "-Wall", "--top-module", top, "-f", FILE_LIST];
    in_scratch("verilator", &arguments)
}

/// Runs a design in Icarus Verilog, in the module `bench` that is the last of the files; what it prints.
///
/// Errors: Icarus does not take it, or is not installed.
pub fn simulate(files: &[File]) -> Result<String, String> {
    let scratch = Scratch::new()?;
    scratch.save(files)?;
    let arguments = ["-g2005", "-o", "bench.vvp", "-s", "bench", "-f", FILE_LIST];
    quiet("bench", "iverilog", &arguments, &scratch.0)?;
    let output = run("vvp", &["-n", "bench.vvp"], &scratch.0)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs one tool in `directory`; its output is the error if it fails or prints anything.
fn quiet(name: &str, tool: &str, arguments: &[&str], directory: &Path) -> Result<(), String> {
    let output = run(tool, arguments, directory)?;
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    if output.status.success() && stdout.is_empty() && stderr.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{tool} does not accept '{name}' ({}):\n{stdout}{stderr}",
        output.status
    ))
}

/// Runs one tool in `directory`.
fn run(tool: &str, arguments: &[&str], directory: &Path) -> Result<Output, String> {
    let output = Command::new(tool)
        .args(arguments)
        .current_dir(directory)
        .output();
    output.map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!("{tool} is not installed: run ./test.sh, which installs it"),
        _ => format!("{tool}: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::{File, accept_files};

    /// What the tools say of a module `top`.
    fn accepted(text: &str) -> Result<(), String> {
        let name = "top".into();
        let text = text.into();
        accept_files("it", &[File { name, text }], 0)
    }

    #[test]
    fn a_good_module_is_accepted() {
        let text = "module top(input wire clk, input wire d, output reg q);\nalways @(posedge clk) q <= d;\nendmodule\n";
        assert_eq!(accepted(text), Ok(()));
    }

    #[test]
    fn a_latch_is_refused_by_yosys() {
        let text = "module top(input wire en, input wire d, output reg q);\nalways @(*) if (en) q = d;\nendmodule\n";
        let error = accepted(text).unwrap_err();
        assert!(error.starts_with("yosys does not accept 'it'"), "{error}");
    }

    #[test]
    fn a_memory_that_nobody_expects_is_refused() {
        let text = "module top(input wire clk, input wire [7:0] a, input wire d, output reg q);\nreg storage [0:255];\n\
                    always @(posedge clk) begin\nstorage[a] <= d;\nq <= storage[a];\nend\nendmodule\n";
        let error = accepted(text).unwrap_err();
        assert!(error.contains("$mem_v2"), "{error}");
    }

    #[test]
    fn a_missing_module_is_refused() {
        let error = accepted("module top(); absent part(); endmodule\n").unwrap_err();
        assert!(error.contains("absent"), "{error}");
    }

    #[test]
    fn a_warning_is_refused() {
        let text = "module top(input wire [1:0] a, output wire q);\nassign q = a[0];\nendmodule\n";
        let error = accepted(text).unwrap_err();
        assert!(
            error.starts_with("verilator does not accept 'it'"),
            "{error}"
        );
        assert!(error.contains("UNUSED"), "{error}");
    }
}
