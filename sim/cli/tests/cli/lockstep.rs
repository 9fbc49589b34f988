//! `xtq lockstep`: all engines agree, a flipped bit is found, and what is not installed is skipped.

use crate::common::{Folder, ran, root, xtq};
use std::process::Command;

#[test]
fn a_block_agrees_on_all_engines() {
    let run = xtq(&[
        "lockstep",
        "fifo",
        "--cycles",
        "100",
        "--signals-every",
        "1",
    ]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let engines = "agree    fifo: oracle, interp, jit, icarus, verilator for 100 cycles; ";
    assert!(run.stdout.starts_with(engines), "{}", run.stdout);
}

/// The arguments of the example in the help that flips a bit.
fn injection() -> Vec<String> {
    let help = xtq(&["lockstep", "--help"]).stdout;
    let mut examples = help.lines().map(str::trim);
    let example = examples.find(|line| line.starts_with("xtq ") && line.contains("--inject"));
    let words = example.expect("the help has one").split(' ');
    words.skip(1).map(String::from).collect()
}

#[test]
fn a_flipped_bit_is_found_in_the_verilog() {
    let mut arguments = injection();
    let more = "--cycles 100 --engine oracle --engine icarus";
    arguments.extend(more.split(' ').map(String::from));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let run = xtq(&arguments);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.starts_with("DIFFER   fifo: cycle 70: "),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("in 'icarus'"), "{}", run.stdout);
}

#[test]
fn an_engine_without_its_tool_is_skipped_unless_it_is_asked_for() {
    let without_tools = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_xtq"))
            .args(["lockstep", "fifo", "--cycles", "20"])
            .args(more)
            .env("PATH", "")
            .current_dir(root())
            .output();
        ran(output.unwrap())
    };
    let run = without_tools(&[]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout
            .contains("skipped  fifo: icarus: iverilog is not installed\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("skipped  fifo: verilator: verilator is not installed\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("agree    fifo: oracle, interp, jit for 20 cycles; "),
        "{}",
        run.stdout
    );
    let run = without_tools(&["--engine", "oracle", "--engine", "icarus"]);
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stderr.contains("iverilog is not installed"),
        "{}",
        run.stderr
    );
}

// emsec/hal#496, chipsalliance/chisel#1113, verilator/verilator#2341
#[test]
fn a_blank_or_a_dollar_in_the_folder_for_temporary_files_is_no_hindrance() {
    let folder = Folder::new("lockstep-blank");
    for name in ["a b", "a$b"] {
        std::fs::create_dir(folder.0.join(name)).unwrap();
        let at = |place: &str, arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_xtq"));
            command.args(arguments).env("TMPDIR", place);
            ran(command.current_dir(&folder.0).output().unwrap())
        };
        let engines = [
            "--engine",
            "jit",
            "--engine",
            "icarus",
            "--engine",
            "verilator",
        ];
        let lockstep = ["lockstep", "fifo", "--cycles", "20"];
        // Relative and full.
        for place in [name, &folder.path(name)] {
            let run = at(place, &[&lockstep[..], &engines].concat());
            assert_eq!(run.code, 0, "{place}: {}", run.stderr);
        }
        let run = at("/tmp", &["bench", "--folder", name]);
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(
            run.stderr.contains("where the tools cannot build"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn what_would_agree_with_nothing_is_refused() {
    let alone = xtq(&["lockstep", "fifo", "--engine", "jit"]);
    assert_eq!(alone.code, 2, "{}{}", alone.stdout, alone.stderr);
    assert!(alone.stderr.contains("--engine"), "{}", alone.stderr);
    let itself = xtq(&["lockstep", "fifo", "--engine", "jit", "--engine", "jit"]);
    assert_eq!(itself.code, 2, "{}{}", itself.stdout, itself.stderr);
    assert!(itself.stderr.contains("twice"), "{}", itself.stderr);
    let inject = ["--inject", "head_q.q@100", "--cycles", "100"];
    let late = xtq(&[&["lockstep", "fifo"], &inject[..]].concat());
    assert_eq!(late.code, 2, "{}{}", late.stdout, late.stderr);
    assert!(late.stderr.contains("--inject"), "{}", late.stderr);
}
