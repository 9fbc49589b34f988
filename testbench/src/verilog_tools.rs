//! `accept`: exported Verilog must pass Yosys, Icarus Verilog and Verilator.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::atomic::{AtomicU64, Ordering};

/// A directory of its own for one call, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, String> {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("xtq-verilog-{}-{call}", process::id()));
        fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A directory left behind harms nobody; a test must not fail for it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Gives the Verilog text of a design, whose top module is `top`, to the three tools: Yosys must find a complete
/// hierarchy without conflicting drivers, combinational loops of its own making or latches; Icarus Verilog and Verilator
/// must read it (warnings are allowed). `name` is for the message.
///
/// Errors: the first tool that refuses, with what it printed; or that a tool is not installed.
pub fn accept(name: &str, verilog: &str) -> Result<(), String> {
    accept_top(name, "top", verilog)
}

/// As [`accept`], for a top module of another name.
pub fn accept_top(name: &str, top: &str, verilog: &str) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let file = scratch.0.join("top.v");
    fs::write(&file, verilog).map_err(|error| format!("{}: {error}", file.display()))?;
    let script = format!(
        "read_verilog top.v; hierarchy -check -top {top}; proc; check -assert; select -assert-none t:$dlatch"
    );
    let in_scratch = |tool, arguments: &[&str]| run(name, tool, arguments, &scratch.0);
    in_scratch("yosys", &["-q", "-p", &script])?;
    in_scratch("iverilog", &["-o", "top.vvp", "top.v"])?;
    in_scratch(
        "verilator",
        &["--lint-only", "-Wno-fatal", "--top-module", top, "top.v"],
    )
}

/// Runs one tool in `directory`; its output is the error if it fails.
fn run(name: &str, tool: &str, arguments: &[&str], directory: &Path) -> Result<(), String> {
    let output = Command::new(tool)
        .args(arguments)
        .current_dir(directory)
        .output();
    let output = output.map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!("{tool} is not installed: run ./test.sh, which installs it"),
        _ => format!("{tool}: {error}"),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    Err(format!(
        "{tool} does not accept '{name}' ({}):\n{stdout}{stderr}",
        output.status
    ))
}

#[cfg(test)]
mod tests {
    use super::accept;

    #[test]
    fn a_good_module_is_accepted() {
        let text = "module top(input wire clk, input wire d, output reg q);\nalways @(posedge clk) q <= d;\nendmodule\n";
        assert_eq!(accept("good", text), Ok(()));
    }

    #[test]
    fn a_latch_is_refused_by_yosys() {
        let text = "module top(input wire en, input wire d, output reg q);\nalways @(*) if (en) q = d;\nendmodule\n";
        let error = accept("latch", text).unwrap_err();
        assert!(
            error.starts_with("yosys does not accept 'latch'"),
            "{error}"
        );
    }

    #[test]
    fn a_missing_module_is_refused() {
        let error = accept("hole", "module top(); absent part(); endmodule\n").unwrap_err();
        assert!(error.contains("absent"), "{error}");
    }
}
