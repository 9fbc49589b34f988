//! Files, and what becomes of them.

use std::path::Path;

use xtq_engine::EngineKind;
use xtq_testbench::input::{Fault, InputError};
use xtq_testbench::scenario::{File, NodesReport, NodesRun, parse_file};

/// Name of every file.
const FILE: &str = "s.toml";

/// A file of one process `p` on the node `n`, whose program has these steps, on a line each.
pub fn file(steps: &str) -> String {
    format!("{HEAD}{steps}\n]\n")
}

/// What is before the first step. The queue is without a GPU's work; signal and memory are those of the process.
const HEAD: &str = r#"
[[nodes]]
name = "n"

[[nodes.processes]]
name = "p"
queues = [{ name = "q", base = 0x3000_0000, size = 16, write_index_address = 0x3001_0000, read_index_address = 0x3001_0080, doorbell_address = 0x3002_0000 }]
signals = [{ name = "s", handle = 0x4000_0000, value = 1 }]
data = [
  { address = 0x1000, bytes = { text = "abcdefgh" } },
  { address = 0x1040, kernel = { header = 0x1402, setup = 1, workgroup_size_x = 1, workgroup_size_y = 1, workgroup_size_z = 1, grid_size_x = 1, grid_size_y = 1, grid_size_z = 1, kernel_object = 5, reserved2 = 7 } },
  { address = 0x1100, agent = { header = 0x1404, return_address = 6, reserved2 = 7, completion_signal = 0x4000_0000 } },
]
program = [
"#;

/// The first step's line, from 1.
pub fn first_line() -> usize {
    HEAD.matches('\n').count() + 1
}

/// What is wrong with a file.
pub fn fault(text: &str) -> Option<Fault> {
    match parse_file(FILE, text, Path::new(".")) {
        Ok(_) => None,
        Err(InputError::Invalid(fault)) => Some(*fault),
        Err(error) => panic!("{error}"),
    }
}

/// Runs a file that is right.
pub fn run(text: &str) -> NodesReport {
    let plan = match parse_file(FILE, text, Path::new(".")) {
        Ok(File::Nodes(plan)) => plan,
        Ok(_) => panic!("not of several nodes"),
        Err(error) => panic!("{error}\n{text}"),
    };
    let mut run = NodesRun::new(plan, EngineKind::default()).expect("the engine is there");
    run.finish()
}

/// What is not as a run expects.
pub fn complaints(report: &NodesReport) -> String {
    format!("{} {}", report.failure, report.differences.join("; "))
}
