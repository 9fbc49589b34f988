//! The exported test bench without FuseSoC: as the page of the export says, and elsewhere.

use crate::common::{Folder, ran, xtq};
use std::fs;
use std::process::{Command, Stdio};

/// Exports a FIFO; the folder.
fn fifo(folder: &Folder) -> String {
    let dir = folder.path("fifo");
    assert_eq!(xtq(&["-q", "export", &dir, "--top", "fifo"]).code, 0);
    dir
}

/// Inverts what a module puts out.
fn spoil(dir: &str) {
    let file = format!("{dir}/fifo.v");
    let text = fs::read_to_string(&file).unwrap();
    let at = text.rfind("    assign ").unwrap();
    let line = text[at..].lines().next().unwrap();
    fs::write(&file, text.replace(line, &line.replacen("= ", "= ~", 1))).unwrap();
}

/// Builds the test bench for plain `vvp`, and runs it in a folder: the code and what it printed.
fn vvp(dir: &str, place: &str) -> (i32, String) {
    let mut build = Command::new("iverilog");
    build.args(["-g2005", "-o", "tb.vvp", "-f", "files.f", "sim/tb_fifo.v"]);
    assert_eq!(ran(build.current_dir(dir).output().unwrap()).code, 0);
    let mut play = Command::new("vvp");
    play.arg(format!("{dir}/tb.vvp")).stdin(Stdio::null());
    let run = ran(play.current_dir(place).output().unwrap());
    (run.code, run.stdout + &run.stderr)
}

/// The commands of the page, each with the code it ends with and what it printed.
fn page(dir: &str) -> Vec<(String, i32, String)> {
    let page = fs::read_to_string(format!("{dir}/README.md")).unwrap();
    let (_, rest) = page.split_once("```sh\n").unwrap();
    let (commands, _) = rest.split_once("```").unwrap();
    let run = |line: &str| {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", line])
            .current_dir(dir)
            .stdin(Stdio::null());
        // A simulation that aborts has no code of its own.
        let output = shell.output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        let code = output.status.code().unwrap_or(-1);
        (line.to_owned(), code, String::from_utf8(text).unwrap())
    };
    commands.lines().map(run).collect()
}

// steveicarus/iverilog#547, steveicarus/iverilog#976, verilator/verilator#1995, openhwgroup/core-v-mcu#259
#[test]
fn the_commands_of_the_page_end_with_a_code_that_says_whether_the_outputs_agree() {
    let folder = Folder::new("export-plain");
    let dir = fifo(&folder);
    let good = page(&dir);
    assert_eq!(good.len(), 2);
    for (command, code, said) in good {
        assert_eq!(code, 0, "{command}: {said}");
        assert!(said.contains("256 cycles agree"), "{command}: {said}");
    }
    spoil(&dir);
    for (command, code, said) in page(&dir) {
        assert_ne!(code, 0, "{command}: {said}");
        assert!(said.contains("expected"), "{command}: {said}");
    }
    let (code, said) = vvp(&dir, &dir);
    assert_eq!(code, 1, "{said}");
}

// openhwgroup/cvw#875
#[test]
fn vectors_that_are_missing_or_incomplete_are_reported_as_such() {
    let folder = Folder::new("export-vectors");
    let dir = fifo(&folder);
    let reports = |place: &str, wanted: &str| {
        let (code, said) = vvp(&dir, place);
        assert_eq!(code, 1, "{said}");
        assert!(
            said.contains(wanted) && !said.contains("expected"),
            "{said}"
        );
    };
    let lost = "sim/tb_fifo.hex was not read: run from the folder of the export";
    reports(&folder.path(""), lost);
    let file = format!("{dir}/sim/tb_fifo.hex");
    let text = fs::read_to_string(&file).unwrap();
    // A comment, then a line for each cycle.
    let lines: Vec<&str> = text.lines().collect();
    fs::write(&file, lines[..100].join("\n")).unwrap();
    reports(&dir, "sim/tb_fifo.hex has no whole vector of cycle 99");
    for letter in ["x", "z"] {
        for (cycle, line) in [0, 1, 128, 255].map(|cycle| (cycle, lines[1 + cycle])) {
            let changed = text.replacen(line, &format!("{letter}{}", &line[1..]), 1);
            fs::write(&file, changed).unwrap();
            let wanted = format!("sim/tb_fifo.hex has no whole vector of cycle {cycle}:");
            reports(&dir, &wanted);
        }
    }
    fs::remove_file(&file).unwrap();
    reports(&dir, lost);
}
